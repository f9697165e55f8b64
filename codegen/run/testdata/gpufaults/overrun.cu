// want: wrong answer
// says: writes 4 bytes after the end of output C
extern "C" __global__ void __launch_bounds__(128)
C_kernel(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i < 1001) C[i] = i < 1000 ? A[i] + 2.0f * B[i] : 0.0f;
}
