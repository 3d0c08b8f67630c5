// Arithmetic in fp16 and bf16, single and in pairs, and the conversions around it.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

extern "C" __global__ void half_math(float const* x, float const* y, float* out, int n) {
  int const i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  __half const a = __float2half_rn(x[i]), b = __float2half_rn(y[i]);
  __half2 const p = __floats2half2_rn(x[i], y[i]), q = __halves2half2(b, a);
  __half2 const r = __hfma2(p, q, __hmax2(p, q));
  out[i * 8 + 0] = __half2float(__hadd(__hmul(a, b), __hsub(a, b)));
  out[i * 8 + 1] = __low2float(r);
  out[i * 8 + 2] = __high2float(r);
  out[i * 8 + 3] = __half2float(__hfma_relu(a, b, __hneg(b)));
  __nv_bfloat16 const c = __float2bfloat16_rn(x[i]), d = __float2bfloat16_rn(y[i]);
  __nv_bfloat162 const s = __floats2bfloat162_rn(x[i], y[i]), t = __hmin2(s, __halves2bfloat162(d, c));
  __nv_bfloat162 const u = __hfma2(s, t, s);
  out[i * 8 + 4] = __bfloat162float(__hadd(__hmul(c, d), __habs(d)));
  out[i * 8 + 5] = __low2float(u);
  out[i * 8 + 6] = __high2float(u);
  out[i * 8 + 7] = static_cast<float>(__half2int_rz(a) + __half2int_rn(b)) + (__hlt(a, b) ? 0.5f : 0.0f) + (__hgt(c, d) ? 0.25f : 0.0f);
}
