// Functions of CUDA's mathematical library in fp32 and fp64: long chains of fma, table look-ups, reductions of large arguments.
extern "C" __global__ void functions(float const* x, double const* y, float* out, double* wide, int n) {
  int const i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float const a = x[i];
  float const results[] = {expf(a),         logf(fabsf(a)), tanhf(a),       erff(a),  sinf(a),
                           sqrtf(fabsf(a)), 1.0f / a,       fmodf(a, 0.7f), rintf(a), exp2f(a)};
  for (int k = 0; k < 10; ++k) out[i * 10 + k] = results[k];
  double const b = y[i];
  wide[i * 4 + 0] = exp(b);
  wide[i * 4 + 1] = log(fabs(b));
  wide[i * 4 + 2] = sqrt(fabs(b));
  wide[i * 4 + 3] = 3.0 / b;
}
