// func f(A: float32[16], out C: float32[512]):
//   alloc few: float32[8] local
//   alloc many: float32[512] local
//   for i in 8:
//     few[i] = A[i]
//   for i_1 in 512:
//     many[i_1] = 1f
//   for i_2 in 512:
//     for i_3 in 8:
//       many[i_2] = (many[i_2] + few[i_3])
//   for i_4 in 512:
//     C[i_4] = many[i_4]

// f, for cuda -arch=sm_75. Launch, in this order:
//   kernel<<<dim3(1, 1, 1), dim3(1, 1, 1)>>>(A, C)

extern "C" __global__ void __launch_bounds__(1)
kernel(const float* __restrict__ A, float* __restrict__ C) {
  float few[8];
  float many[512];
  #pragma unroll
  for (int i = 0; i < 8; ++i) {
    few[i] = A[i];
  }
  for (int i_1 = 0; i_1 < 512; ++i_1) {
    many[i_1] = 1.0f;
  }
  for (int i_2 = 0; i_2 < 512; ++i_2) {
    #pragma unroll
    for (int i_3 = 0; i_3 < 8; ++i_3) {
      many[i_2] += few[i_3];
    }
  }
  for (int i_4 = 0; i_4 < 512; ++i_4) {
    C[i_4] = many[i_4];
  }
}
