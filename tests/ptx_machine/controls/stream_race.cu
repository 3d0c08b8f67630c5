// Control: two kernels for two streams; whether an event orders them is the host's affair.
extern "C" __global__ void produce(float* x, int n) {
  int const i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = static_cast<float>(i);   // FIRST
}
extern "C" __global__ void consume(float const* x, float* y, int n) {
  int const i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2.f * x[i];   // SECOND
}
