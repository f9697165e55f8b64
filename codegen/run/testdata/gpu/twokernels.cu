// kernels: double_kernel 1 3, C_kernel 0 3 2
// workspace: 4000
extern "C" __global__ void __launch_bounds__(128)
double_kernel(const float* __restrict__ B, float* __restrict__ D) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i < 1000) D[i] = 2.0f * B[i];
}

extern "C" __global__ void __launch_bounds__(128)
C_kernel(const float* __restrict__ A, const float* __restrict__ D, float* __restrict__ C) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i < 1000) C[i] = A[i] + D[i];
}
