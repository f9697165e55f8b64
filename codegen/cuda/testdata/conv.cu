// func main(X: float32[9, 9, 4], W: float32[3, 3, 4, 8], out C: float32[9, 9, 8]):
//   bind i in 9 blockIdx.x:
//     for j_0 in 5:
//       bind j_1 in 2 blockIdx.y:
//         bind threadIdx.x in 8 threadIdx.x:
//           alloc pad.shared: float32[3, 3, 4] shared
//           for ax0_ax1_ax2_0 in 5:
//             if ((((ax0_ax1_ax2_0*8) + threadIdx.x) < 36) && ((((j_0*2) + j_1) + floormod(((ax0_ax1_ax2_0*2) + floordiv(threadIdx.x, 4)), 3)) < 11)):
//               block pad.shared:
//                 pad.shared[floordiv(((ax0_ax1_ax2_0*2) + floordiv(threadIdx.x, 4)), 3), floormod(((ax0_ax1_ax2_0*2) + floordiv(threadIdx.x, 4)), 3), floormod(threadIdx.x, 4)] = tir.if_then_else((((((i + floordiv(((ax0_ax1_ax2_0*2) + floordiv(threadIdx.x, 4)), 3)) >= 1) && ((i + floordiv(((ax0_ax1_ax2_0*2) + floordiv(threadIdx.x, 4)), 3)) < 10)) && ((((j_0*2) + j_1) + floormod(((ax0_ax1_ax2_0*2) + floordiv(threadIdx.x, 4)), 3)) >= 1)) && ((((j_0*2) + j_1) + floormod(((ax0_ax1_ax2_0*2) + floordiv(threadIdx.x, 4)), 3)) < 10)), X[((i + floordiv(((ax0_ax1_ax2_0*2) + floordiv(threadIdx.x, 4)), 3)) - 1), ((((j_0*2) + j_1) + floormod(((ax0_ax1_ax2_0*2) + floordiv(threadIdx.x, 4)), 3)) - 1), floormod(threadIdx.x, 4)], 0f)
//           if (((j_0*2) + j_1) < 9):
//             block C init:
//               C[i, ((j_0*2) + j_1), threadIdx.x] = 0f
//           barrier warp
//           for ri in 3:
//             for rj in 3:
//               for rk in 4:
//                 if (((j_0*2) + j_1) < 9):
//                   block C:
//                     C[i, ((j_0*2) + j_1), threadIdx.x] = (C[i, ((j_0*2) + j_1), threadIdx.x] + (pad.shared[ri, rj, rk]*W[ri, rj, rk, threadIdx.x]))

// main, for cuda -arch=sm_75. Launch, in this order:
//   C_kernel<<<dim3(9, 2, 1), dim3(8, 1, 1)>>>(X, W, C)

extern "C" __global__ void __launch_bounds__(8)
C_kernel(const float* __restrict__ X, const float* __restrict__ W, float* __restrict__ C) {
  const int i = blockIdx.x;
  for (int j_0 = 0; j_0 < 5; ++j_0) {
    const int j_1 = blockIdx.y;
    __syncthreads();
    const int threadIdx_x = threadIdx.x;
    __shared__ __align__(16) float pad_shared[36];
    for (int ax0_ax1_ax2_0 = 0; ax0_ax1_ax2_0 < 5; ++ax0_ax1_ax2_0) {
      if (ax0_ax1_ax2_0 * 8 + threadIdx_x < 36 && j_0 * 2 + j_1 + (ax0_ax1_ax2_0 * 2 + threadIdx_x / 4) % 3 < 11) {
        pad_shared[ax0_ax1_ax2_0 * 8 + threadIdx_x] = i + (ax0_ax1_ax2_0 * 2 + threadIdx_x / 4) / 3 >= 1 && i + (ax0_ax1_ax2_0 * 2 + threadIdx_x / 4) / 3 < 10 && j_0 * 2 + j_1 + (ax0_ax1_ax2_0 * 2 + threadIdx_x / 4) % 3 >= 1 && j_0 * 2 + j_1 + (ax0_ax1_ax2_0 * 2 + threadIdx_x / 4) % 3 < 10 ? X[i * 36 + (ax0_ax1_ax2_0 * 2 + threadIdx_x / 4) / 3 * 36 + j_0 * 8 + j_1 * 4 + (ax0_ax1_ax2_0 * 2 + threadIdx_x / 4) % 3 * 4 + threadIdx_x % 4 - 40] : 0.0f;
      }
    }
    if (j_0 * 2 + j_1 < 9) {
      C[i * 72 + j_0 * 16 + j_1 * 8 + threadIdx_x] = 0.0f;
    }
    __syncwarp();
    for (int ri = 0; ri < 3; ++ri) {
      for (int rj = 0; rj < 3; ++rj) {
        for (int rk = 0; rk < 4; ++rk) {
          if (j_0 * 2 + j_1 < 9) {
            C[i * 72 + j_0 * 16 + j_1 * 8 + threadIdx_x] += pad_shared[ri * 12 + rj * 4 + rk] * W[ri * 96 + rj * 32 + rk * 8 + threadIdx_x];
          }
        }
      }
    }
  }
}
