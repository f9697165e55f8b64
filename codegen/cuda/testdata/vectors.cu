// func main(A: float32[16, 24], B: float32[16, 24], out C: float32[16, 24]):
//   bind i in 16 blockIdx.x:
//     bind threadIdx.x in 3 threadIdx.x:
//       vectorize j_1 in 8:
//         block C:
//           C[i, ((threadIdx.x*8) + j_1)] = (A[i, ((threadIdx.x*8) + j_1)] + B[i, ((threadIdx.x*8) + j_1)])

// main, for cuda -arch=sm_75. Launch, in this order:
//   C_kernel<<<dim3(16, 1, 1), dim3(3, 1, 1)>>>(A, B, C)

extern "C" __global__ void __launch_bounds__(3)
C_kernel(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C) {
  const int i = blockIdx.x;
  const int threadIdx_x = threadIdx.x;
  #pragma unroll
  for (int j_1 = 0; j_1 < 2; ++j_1) {
    const float4 A_lanes = *reinterpret_cast<const float4*>(&A[i * 24 + threadIdx_x * 8 + j_1 * 4]);
    const float4 B_lanes = *reinterpret_cast<const float4*>(&B[i * 24 + threadIdx_x * 8 + j_1 * 4]);
    float4 C_lanes;
    C_lanes.x = A_lanes.x + B_lanes.x;
    C_lanes.y = A_lanes.y + B_lanes.y;
    C_lanes.z = A_lanes.z + B_lanes.z;
    C_lanes.w = A_lanes.w + B_lanes.w;
    *reinterpret_cast<float4*>(&C[i * 24 + threadIdx_x * 8 + j_1 * 4]) = C_lanes;
  }
}
