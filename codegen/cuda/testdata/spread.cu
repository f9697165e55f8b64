// func f(A: float32[16], out C: float32[16]):
//   for i in 4:
//     vectorize i_1 in 4:
//       C[((i_1*4) + i)] = (A[((i*4) + i_1)] + A[(i_1*4)])

// f, for cuda -arch=sm_75. Launch, in this order:
//   kernel<<<dim3(1, 1, 1), dim3(1, 1, 1)>>>(A, C)

extern "C" __global__ void __launch_bounds__(1)
kernel(const float* __restrict__ A, float* __restrict__ C) {
  for (int i = 0; i < 4; ++i) {
    const float4 A_lanes = *reinterpret_cast<const float4*>(&A[i * 4]);
    C[i] = A_lanes.x + A[0];
    C[i + 4] = A_lanes.y + A[4];
    C[i + 8] = A_lanes.z + A[8];
    C[i + 12] = A_lanes.w + A[12];
  }
}
