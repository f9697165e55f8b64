// func main(A: float32[16, 8], B: float32[8, 8], out C: float32[16, 8]):
//   bind i_0 in 4 blockIdx.x:
//     bind threadIdx.x in 4 threadIdx.x:
//       for j in 8:
//         block C init:
//           C[((i_0*4) + threadIdx.x), j] = 0f
//         for ri_0 in 2:
//           alloc A.shared: float32[4, 4] shared
//           barrier warp
//           for ax0_ax1_0 in 4:
//             block A.shared:
//               A.shared[ax0_ax1_0, threadIdx.x] = A[((i_0*4) + ax0_ax1_0), ((ri_0*4) + threadIdx.x)]
//           barrier warp
//           for ri_1 in 4:
//             block C:
//               C[((i_0*4) + threadIdx.x), j] = (C[((i_0*4) + threadIdx.x), j] + (A.shared[threadIdx.x, ri_1]*B[((ri_0*4) + ri_1), j]))

// main, for cuda -arch=sm_75. Launch, in this order:
//   C_kernel<<<dim3(4, 1, 1), dim3(4, 1, 1)>>>(A, B, C)

extern "C" __global__ void __launch_bounds__(4)
C_kernel(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C) {
  const int i_0 = blockIdx.x;
  const int threadIdx_x = threadIdx.x;
  for (int j = 0; j < 8; ++j) {
    C[i_0 * 32 + threadIdx_x * 8 + j] = 0.0f;
    for (int ri_0 = 0; ri_0 < 2; ++ri_0) {
      __shared__ __align__(16) float A_shared[16];
      __syncwarp();
      for (int ax0_ax1_0 = 0; ax0_ax1_0 < 4; ++ax0_ax1_0) {
        A_shared[ax0_ax1_0 * 4 + threadIdx_x] = A[i_0 * 32 + ax0_ax1_0 * 8 + ri_0 * 4 + threadIdx_x];
      }
      __syncwarp();
      for (int ri_1 = 0; ri_1 < 4; ++ri_1) {
        C[i_0 * 32 + threadIdx_x * 8 + j] += A_shared[threadIdx_x * 4 + ri_1] * B[ri_0 * 32 + ri_1 * 8 + j];
      }
    }
  }
}
