// want: run timeout
// says: did not finish in 2s
extern "C" __global__ void __launch_bounds__(128)
C_kernel(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C) {
  int i = blockIdx.x * 128 + threadIdx.x;
  for (volatile int n = 0; n < 1; n = n * 1) {}
  if (i < 1000) C[i] = A[i] + 2.0f * B[i];
}
