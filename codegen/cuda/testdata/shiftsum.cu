// func f(A: float32[16], out C: float32[17]):
//   for i in 17:
//     C[i] = 1f
//   for i_1 in 16:
//     C[(i_1 + 1)] = (C[i_1] + A[i_1])

// f, for cuda -arch=sm_75. Launch, in this order:
//   kernel<<<dim3(1, 1, 1), dim3(1, 1, 1)>>>(C)
//   kernel_1<<<dim3(1, 1, 1), dim3(1, 1, 1)>>>(A, C)

extern "C" __global__ void __launch_bounds__(1)
kernel(float* __restrict__ C) {
  for (int i = 0; i < 17; ++i) {
    C[i] = 1.0f;
  }
}

extern "C" __global__ void __launch_bounds__(1)
kernel_1(const float* __restrict__ A, float* __restrict__ C) {
  for (int i = 0; i < 16; ++i) {
    C[i + 1] = C[i] + A[i];
  }
}
