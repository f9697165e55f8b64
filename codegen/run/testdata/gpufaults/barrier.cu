// want: crash
// says: ended its process
// Half of the threads wait where the others do not come by; here the shim ends the
// process, a GPU may do anything.
extern "C" __global__ void __launch_bounds__(128)
C_kernel(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i % 2) __syncthreads();
  if (i < 1000) C[i] = A[i] + 2.0f * B[i];
}
