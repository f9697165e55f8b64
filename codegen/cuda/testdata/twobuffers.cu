// func main(A: float32[16, 12], B: float32[12, 8], out C: float32[16, 8]):
//   bind i_0 in 4 blockIdx.x:
//     bind threadIdx.x in 4 threadIdx.x:
//       for j in 8:
//         block C init:
//           C[((i_0*4) + threadIdx.x), j] = 0f
//       alloc A.shared: float32[2, 4, 4] shared strides[16, 4, 1]
//       for ax0_ax1_0 in 4:
//         block A.shared:
//           A.shared[0, ax0_ax1_0, threadIdx.x] = A[((i_0*4) + ax0_ax1_0), threadIdx.x]
//       for ri_0 in 3:
//         alloc A.shared.next: float32[4] local
//         if (ri_0 < 2):
//           for ax0_ax1_0_1 in 4:
//             block A.shared:
//               A.shared.next[ax0_ax1_0_1] = A[((i_0*4) + ax0_ax1_0_1), (((ri_0*4) + threadIdx.x) + 4)]
//         barrier warp
//         for j_1 in 8:
//           for ri_1 in 4:
//             block C:
//               C[((i_0*4) + threadIdx.x), j_1] = (C[((i_0*4) + threadIdx.x), j_1] + (A.shared[floormod(ri_0, 2), threadIdx.x, ri_1]*B[((ri_0*4) + ri_1), j_1]))
//         if (ri_0 < 2):
//           for ax0_ax1_0_2 in 4:
//             block A.shared:
//               A.shared[floormod((ri_0 + 1), 2), ax0_ax1_0_2, threadIdx.x] = A.shared.next[ax0_ax1_0_2]

// main, for cuda -arch=sm_75. Launch, in this order:
//   C_kernel<<<dim3(4, 1, 1), dim3(4, 1, 1)>>>(A, B, C)

extern "C" __global__ void __launch_bounds__(4)
C_kernel(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C) {
  const int i_0 = blockIdx.x;
  const int threadIdx_x = threadIdx.x;
  for (int j = 0; j < 8; ++j) {
    C[i_0 * 32 + threadIdx_x * 8 + j] = 0.0f;
  }
  __shared__ __align__(16) float A_shared[32];
  for (int ax0_ax1_0 = 0; ax0_ax1_0 < 4; ++ax0_ax1_0) {
    A_shared[ax0_ax1_0 * 4 + threadIdx_x] = A[i_0 * 48 + ax0_ax1_0 * 12 + threadIdx_x];
  }
  for (int ri_0 = 0; ri_0 < 3; ++ri_0) {
    float A_shared_next[4];
    if (ri_0 < 2) {
      #pragma unroll
      for (int ax0_ax1_0_1 = 0; ax0_ax1_0_1 < 4; ++ax0_ax1_0_1) {
        A_shared_next[ax0_ax1_0_1] = A[i_0 * 48 + ax0_ax1_0_1 * 12 + ri_0 * 4 + threadIdx_x + 4];
      }
    }
    __syncwarp();
    for (int j_1 = 0; j_1 < 8; ++j_1) {
      for (int ri_1 = 0; ri_1 < 4; ++ri_1) {
        C[i_0 * 32 + threadIdx_x * 8 + j_1] += A_shared[ri_0 % 2 * 16 + threadIdx_x * 4 + ri_1] * B[ri_0 * 32 + ri_1 * 8 + j_1];
      }
    }
    if (ri_0 < 2) {
      #pragma unroll
      for (int ax0_ax1_0_2 = 0; ax0_ax1_0_2 < 4; ++ax0_ax1_0_2) {
        A_shared[(ri_0 + 1) % 2 * 16 + ax0_ax1_0_2 * 4 + threadIdx_x] = A_shared_next[ax0_ax1_0_2];
      }
    }
  }
}
