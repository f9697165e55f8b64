// want: wrong answer
// says: with other inputs at other addresses
extern "C" __global__ void __launch_bounds__(128)
C_kernel(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i < 1000) { float v = A[i] + 2.0f * B[i]; C[i] = C[i] > v ? C[i] : v; }
}
