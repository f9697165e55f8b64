// want: wrong answer
// says: with other inputs
extern "C" __global__ void __launch_bounds__(128)
C_kernel(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C) {
  int i = blockIdx.x * 128 + threadIdx.x;
  static __device__ float kept[1000];
  static __device__ bool known[1000];
  if (i < 1000) {
    if (!known[i]) kept[i] = A[i] + 2.0f * B[i];
    known[i] = true;
    C[i] = kept[i];
  }
}
