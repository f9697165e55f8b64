// want: out of memory
// says: CUDA_ERROR_OUT_OF_MEMORY
// Local memory of all threads, which the driver makes room for at the launch.
// fake: launch 2
extern "C" __global__ void __launch_bounds__(128)
C_kernel(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i < 1000) C[i] = A[i] + 2.0f * B[i];
}
