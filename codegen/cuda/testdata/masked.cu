// func f(A: float32[16], out C: float32[16]):
//   for i in 4:
//     vectorize i_1 in 4:
//       C[((i*4) + i_1)] = (tir.if_then_else((((i*4) + i_1) >= 4), A[(((i*4) + i_1) - 4)], 1f) + A[((i*4) + i_1)])

// f, for cuda -arch=sm_75. Launch, in this order:
//   kernel<<<dim3(1, 1, 1), dim3(1, 1, 1)>>>(A, C)

extern "C" __global__ void __launch_bounds__(1)
kernel(const float* __restrict__ A, float* __restrict__ C) {
  for (int i = 0; i < 4; ++i) {
    const float4 A_lanes = *reinterpret_cast<const float4*>(&A[i * 4]);
    float4 C_lanes;
    C_lanes.x = (i * 4 + 0 >= 4 ? A[i * 4 - 4] : 1.0f) + A_lanes.x;
    C_lanes.y = (i * 4 + 1 >= 4 ? A[i * 4 - 3] : 1.0f) + A_lanes.y;
    C_lanes.z = (i * 4 + 2 >= 4 ? A[i * 4 - 2] : 1.0f) + A_lanes.z;
    C_lanes.w = (i * 4 + 3 >= 4 ? A[i * 4 - 1] : 1.0f) + A_lanes.w;
    *reinterpret_cast<float4*>(&C[i * 4]) = C_lanes;
  }
}
