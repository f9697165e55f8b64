// want: crash
// says: cuMemcpyHtoD: CUDA_ERROR_LAUNCH_FAILED
// fake: copy 719
extern "C" __global__ void __launch_bounds__(128)
C_kernel(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i < 1000) C[i] = A[i] + 2.0f * B[i];
}
