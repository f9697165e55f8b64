// want: wrong answer
// says: was not written
extern "C" __global__ void __launch_bounds__(128)
C_kernel(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C) {
  int i = blockIdx.x * 128 + threadIdx.x;
  static __device__ int calls;
  if (i == 0) ++calls;
  if (i < 1000 && calls < 4) C[i] = A[i] + 2.0f * B[i];
}
