// C = A B with A, B in bf16 (row-major, row lengths a multiple of 8), C in fp32: one warp a tile of 16 x 8, double-buffered cp.async with
// zero fill at the edges, ldmatrix (transposed for B) and mma.sync.
#include <cuda_bf16.h>

namespace {
__device__ unsigned shared_address(void const* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }
__device__ void copy_16_bytes(void* to, void const* from, bool inside) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(to)), "l"(from), "r"(inside ? 16 : 0) : "memory");
}
}  // namespace

extern "C" __global__ void __launch_bounds__(32) mma_tile(__nv_bfloat16 const* a, __nv_bfloat16 const* b, float* c, int m, int n, int k) {
  __shared__ __align__(16) __nv_bfloat16 as[2][16][24], bs[2][16][8];   // rows of A are padded: ldmatrix then meets no bank conflict
  int const lane = threadIdx.x, top = blockIdx.y * 16, left = blockIdx.x * 8;
  auto const fetch = [&](int stage, int begin) {
    int const r = lane / 2, q = lane % 2 * 8;
    bool const in_a = top + r < m && begin + q < k;
    copy_16_bytes(&as[stage][r][q], in_a ? a + (top + r) * k + begin + q : a, in_a);
    bool const in_b = lane < 16 && begin + lane < k;
    if (lane < 16) copy_16_bytes(&bs[stage][lane][0], in_b ? b + (begin + lane) * n + left : b, in_b);
    asm volatile("cp.async.commit_group;" ::: "memory");
  };
  float d[4] = {};
  fetch(0, 0);
  for (int begin = 0, stage = 0; begin < k; begin += 16, stage ^= 1) {
    if (begin + 16 < k) {
      fetch(stage ^ 1, begin + 16);
      asm volatile("cp.async.wait_group 1;" ::: "memory");
    } else {
      asm volatile("cp.async.wait_group 0;" ::: "memory");
    }
    __syncwarp();
    unsigned af[4], bf[2];
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(af[0]), "=r"(af[1]), "=r"(af[2]), "=r"(af[3])
                 : "r"(shared_address(&as[stage][lane % 16][lane / 16 * 8]))
                 : "memory");
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                 : "=r"(bf[0]), "=r"(bf[1]) : "r"(shared_address(&bs[stage][lane % 16][0])) : "memory");
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(af[0]), "r"(af[1]), "r"(af[2]), "r"(af[3]), "r"(bf[0]), "r"(bf[1]));
    __syncwarp();
  }
  for (int i = 0; i < 4; ++i) {
    int const row = top + lane / 4 + i / 2 * 8, column = left + lane % 4 * 2 + i % 2;
    if (row < m && column < n) c[row * n + column] = d[i];
  }
}
