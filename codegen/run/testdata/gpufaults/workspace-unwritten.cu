// want: wrong answer
// says: is NaN
// kernels: C_kernel 0 1 2 3
// workspace: 4000
extern "C" __global__ void __launch_bounds__(128)
C_kernel(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, float* __restrict__ D) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i < 1000) C[i] = A[i] + 2.0f * B[i] + 0.0f * D[i];
}
