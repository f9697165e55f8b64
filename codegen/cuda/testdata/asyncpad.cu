// func main(X: float32[9, 9, 4], W: float32[3, 3, 4, 8], out C: float32[9, 9, 8]):
//   bind i in 9 blockIdx.x:
//     bind j in 9 blockIdx.y:
//       bind threadIdx.x in 8 threadIdx.x:
//         block C init:
//           C[i, j, threadIdx.x] = 0f
//         alloc pad.shared: float32[2, 3, 3, 1] shared strides[12, 3, 1, 1]
//         for ax0_ax1_ax2_0 in 2:
//           if (((ax0_ax1_ax2_0*8) + threadIdx.x) < 9):
//             block pad.shared:
//               async pad.shared[0, ((ax0_ax1_ax2_0*2) + floordiv(((ax0_ax1_ax2_0*2) + threadIdx.x), 3)), floormod(((ax0_ax1_ax2_0*2) + threadIdx.x), 3), 0] = tir.if_then_else((((((((ax0_ax1_ax2_0*2) + floordiv(((ax0_ax1_ax2_0*2) + threadIdx.x), 3)) + i) >= 1) && ((((ax0_ax1_ax2_0*2) + floordiv(((ax0_ax1_ax2_0*2) + threadIdx.x), 3)) + i) < 10)) && ((floormod(((ax0_ax1_ax2_0*2) + threadIdx.x), 3) + j) >= 1)) && ((floormod(((ax0_ax1_ax2_0*2) + threadIdx.x), 3) + j) < 10)), X[((((ax0_ax1_ax2_0*2) + floordiv(((ax0_ax1_ax2_0*2) + threadIdx.x), 3)) + i) - 1), ((floormod(((ax0_ax1_ax2_0*2) + threadIdx.x), 3) + j) - 1), 0], 0f)
//         for rk in 4:
//           wait
//           barrier warp
//           if (rk < 3):
//             for ax0_ax1_ax2_0_1 in 2:
//               if (((ax0_ax1_ax2_0_1*8) + threadIdx.x) < 9):
//                 block pad.shared:
//                   async pad.shared[floormod((rk + 1), 2), ((ax0_ax1_ax2_0_1*2) + floordiv(((ax0_ax1_ax2_0_1*2) + threadIdx.x), 3)), floormod(((ax0_ax1_ax2_0_1*2) + threadIdx.x), 3), 0] = tir.if_then_else((((((((ax0_ax1_ax2_0_1*2) + floordiv(((ax0_ax1_ax2_0_1*2) + threadIdx.x), 3)) + i) >= 1) && ((((ax0_ax1_ax2_0_1*2) + floordiv(((ax0_ax1_ax2_0_1*2) + threadIdx.x), 3)) + i) < 10)) && ((floormod(((ax0_ax1_ax2_0_1*2) + threadIdx.x), 3) + j) >= 1)) && ((floormod(((ax0_ax1_ax2_0_1*2) + threadIdx.x), 3) + j) < 10)), X[((((ax0_ax1_ax2_0_1*2) + floordiv(((ax0_ax1_ax2_0_1*2) + threadIdx.x), 3)) + i) - 1), ((floormod(((ax0_ax1_ax2_0_1*2) + threadIdx.x), 3) + j) - 1), (rk + 1)], 0f)
//           for ri in 3:
//             for rj in 3:
//               block C:
//                 C[i, j, threadIdx.x] = (C[i, j, threadIdx.x] + (pad.shared[floormod(rk, 2), ri, rj, 0]*W[ri, rj, rk, threadIdx.x]))

// main, for cuda -arch=sm_80. Launch, in this order:
//   C_kernel<<<dim3(9, 9, 1), dim3(8, 1, 1)>>>(X, W, C)

// Copies from global to shared memory until the thread waits.
template <int bytes> static __device__ __forceinline__ void copy_async(void *to, const void *from) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2;"
      :: "r"((unsigned)__cvta_generic_to_shared(to)), "l"(from), "n"(bytes) : "memory");
}

static __device__ __forceinline__ void wait_async() {
  asm volatile("cp.async.wait_all;" ::: "memory");
}

extern "C" __global__ void __launch_bounds__(8)
C_kernel(const float* __restrict__ X, const float* __restrict__ W, float* __restrict__ C) {
  const int i = blockIdx.x;
  const int j = blockIdx.y;
  const int threadIdx_x = threadIdx.x;
  C[i * 72 + j * 8 + threadIdx_x] = 0.0f;
  __shared__ __align__(16) float pad_shared[21];
  for (int ax0_ax1_ax2_0 = 0; ax0_ax1_ax2_0 < 2; ++ax0_ax1_ax2_0) {
    if (ax0_ax1_ax2_0 * 8 + threadIdx_x < 9) {
      if (ax0_ax1_ax2_0 * 2 + (ax0_ax1_ax2_0 * 2 + threadIdx_x) / 3 + i >= 1 && ax0_ax1_ax2_0 * 2 + (ax0_ax1_ax2_0 * 2 + threadIdx_x) / 3 + i < 10 && (ax0_ax1_ax2_0 * 2 + threadIdx_x) % 3 + j >= 1 && (ax0_ax1_ax2_0 * 2 + threadIdx_x) % 3 + j < 10) {
        copy_async<4>(&pad_shared[ax0_ax1_ax2_0 * 8 + threadIdx_x], &X[ax0_ax1_ax2_0 * 72 + i * 36 + (ax0_ax1_ax2_0 * 2 + threadIdx_x) / 3 * 36 + j * 4 + (ax0_ax1_ax2_0 * 2 + threadIdx_x) % 3 * 4 - 40]);
      }
      else {
        pad_shared[ax0_ax1_ax2_0 * 8 + threadIdx_x] = 0.0f;
      }
    }
  }
  for (int rk = 0; rk < 4; ++rk) {
    wait_async();
    __syncwarp();
    if (rk < 3) {
      for (int ax0_ax1_ax2_0_1 = 0; ax0_ax1_ax2_0_1 < 2; ++ax0_ax1_ax2_0_1) {
        if (ax0_ax1_ax2_0_1 * 8 + threadIdx_x < 9) {
          if (ax0_ax1_ax2_0_1 * 2 + (ax0_ax1_ax2_0_1 * 2 + threadIdx_x) / 3 + i >= 1 && ax0_ax1_ax2_0_1 * 2 + (ax0_ax1_ax2_0_1 * 2 + threadIdx_x) / 3 + i < 10 && (ax0_ax1_ax2_0_1 * 2 + threadIdx_x) % 3 + j >= 1 && (ax0_ax1_ax2_0_1 * 2 + threadIdx_x) % 3 + j < 10) {
            copy_async<4>(&pad_shared[(rk + 1) % 2 * 12 + ax0_ax1_ax2_0_1 * 8 + threadIdx_x], &X[ax0_ax1_ax2_0_1 * 72 + i * 36 + (ax0_ax1_ax2_0_1 * 2 + threadIdx_x) / 3 * 36 + j * 4 + (ax0_ax1_ax2_0_1 * 2 + threadIdx_x) % 3 * 4 + rk - 39]);
          }
          else {
            pad_shared[(rk + 1) % 2 * 12 + ax0_ax1_ax2_0_1 * 8 + threadIdx_x] = 0.0f;
          }
        }
      }
    }
    for (int ri = 0; ri < 3; ++ri) {
      for (int rj = 0; rj < 3; ++rj) {
        C[i * 72 + j * 8 + threadIdx_x] += pad_shared[rk % 2 * 12 + ri * 3 + rj] * W[ri * 96 + rj * 32 + rk * 8 + threadIdx_x];
      }
    }
  }
}
