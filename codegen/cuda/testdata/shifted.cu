// func f(A: float32[16], out C: float32[17]):
//   C[0] = 1f
//   for i in 4:
//     vectorize i_1 in 4:
//       C[(((i*4) + i_1) + 1)] = A[((i*4) + i_1)]

// f, for cuda -arch=sm_75. Launch, in this order:
//   kernel<<<dim3(1, 1, 1), dim3(1, 1, 1)>>>(C)
//   kernel_1<<<dim3(1, 1, 1), dim3(1, 1, 1)>>>(A, C)

extern "C" __global__ void __launch_bounds__(1)
kernel(float* __restrict__ C) {
  C[0] = 1.0f;
}

extern "C" __global__ void __launch_bounds__(1)
kernel_1(const float* __restrict__ A, float* __restrict__ C) {
  for (int i = 0; i < 4; ++i) {
    const float4 A_lanes = *reinterpret_cast<const float4*>(&A[i * 4]);
    C[i * 4 + 1] = A_lanes.x;
    C[i * 4 + 2] = A_lanes.y;
    C[i * 4 + 3] = A_lanes.z;
    C[i * 4 + 4] = A_lanes.w;
  }
}
