// func main(A: float32[32, 16], B: float32[16, 32], out C: float32[32, 32]):
//   bind i_0 in 8 blockIdx.x:
//     bind threadIdx.x in 32 threadIdx.x:
//       for i_1 in 4:
//         block C init:
//           C[((i_0*4) + i_1), threadIdx.x] = 0f
//       for ri_0 in 2:
//         alloc A.shared: float32[4, 8] shared strides[12, 1]
//         barrier warp
//         vectorize ax0_ax1_2 in 4:
//           if (threadIdx.x < 8):
//             block A.shared:
//               A.shared[floordiv(threadIdx.x, 2), ((floormod(threadIdx.x, 2)*4) + ax0_ax1_2)] = A[((i_0*4) + floordiv(threadIdx.x, 2)), (((ri_0*8) + (floormod(threadIdx.x, 2)*4)) + ax0_ax1_2)]
//         alloc B.shared: float32[8, 32] shared strides[33, 1]
//         for ax0_ax1_0 in 2:
//           vectorize ax0_ax1_2_1 in 4:
//             block B.shared:
//               B.shared[((ax0_ax1_0*4) + floordiv(threadIdx.x, 8)), ((floormod(threadIdx.x, 8)*4) + ax0_ax1_2_1)] = B[(((ri_0*8) + (ax0_ax1_0*4)) + floordiv(threadIdx.x, 8)), ((floormod(threadIdx.x, 8)*4) + ax0_ax1_2_1)]
//         barrier warp
//         for i_1_1 in 4:
//           for ri_1 in 8:
//             block C:
//               C[((i_0*4) + i_1_1), threadIdx.x] = (C[((i_0*4) + i_1_1), threadIdx.x] + (A.shared[i_1_1, ri_1]*B.shared[ri_1, threadIdx.x]))

// main, for cuda -arch=sm_75. Launch, in this order:
//   C_kernel<<<dim3(8, 1, 1), dim3(32, 1, 1)>>>(A, B, C)

extern "C" __global__ void __launch_bounds__(32)
C_kernel(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C) {
  const int i_0 = blockIdx.x;
  const int threadIdx_x = threadIdx.x;
  for (int i_1 = 0; i_1 < 4; ++i_1) {
    C[i_0 * 128 + i_1 * 32 + threadIdx_x] = 0.0f;
  }
  for (int ri_0 = 0; ri_0 < 2; ++ri_0) {
    __shared__ __align__(16) float A_shared[44];
    __syncwarp();
    if (threadIdx_x < 8) {
      *reinterpret_cast<float4*>(&A_shared[threadIdx_x / 2 * 12 + threadIdx_x % 2 * 4]) = *reinterpret_cast<const float4*>(&A[i_0 * 64 + threadIdx_x / 2 * 16 + ri_0 * 8 + threadIdx_x % 2 * 4]);
    }
    __shared__ __align__(16) float B_shared[263];
    for (int ax0_ax1_0 = 0; ax0_ax1_0 < 2; ++ax0_ax1_0) {
      const float4 B_lanes = *reinterpret_cast<const float4*>(&B[ri_0 * 256 + ax0_ax1_0 * 128 + threadIdx_x * 4]);
      B_shared[ax0_ax1_0 * 132 + threadIdx_x / 8 * 33 + threadIdx_x % 8 * 4] = B_lanes.x;
      B_shared[ax0_ax1_0 * 132 + threadIdx_x / 8 * 33 + threadIdx_x % 8 * 4 + 1] = B_lanes.y;
      B_shared[ax0_ax1_0 * 132 + threadIdx_x / 8 * 33 + threadIdx_x % 8 * 4 + 2] = B_lanes.z;
      B_shared[ax0_ax1_0 * 132 + threadIdx_x / 8 * 33 + threadIdx_x % 8 * 4 + 3] = B_lanes.w;
    }
    __syncwarp();
    for (int i_1_1 = 0; i_1_1 < 4; ++i_1_1) {
      for (int ri_1 = 0; ri_1 < 8; ++ri_1) {
        C[i_0 * 128 + i_1_1 * 32 + threadIdx_x] += A_shared[i_1_1 * 12 + ri_1] * B_shared[ri_1 * 33 + threadIdx_x];
      }
    }
  }
}
