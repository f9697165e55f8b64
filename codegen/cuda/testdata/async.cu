// func main(A: float32[16, 12], B: float32[12, 8], out C: float32[16, 8]):
//   bind i_0 in 4 blockIdx.x:
//     bind threadIdx.x in 4 threadIdx.x:
//       for j in 8:
//         block C init:
//           C[((i_0*4) + threadIdx.x), j] = 0f
//       alloc A.shared: float32[2, 4, 4] shared strides[16, 4, 1]
//       for ax0_ax1_0 in 2:
//         vectorize ax0_ax1_2 in 2:
//           block A.shared:
//             async A.shared[0, ((ax0_ax1_0*2) + floordiv(threadIdx.x, 2)), ((floormod(threadIdx.x, 2)*2) + ax0_ax1_2)] = A[(((i_0*4) + (ax0_ax1_0*2)) + floordiv(threadIdx.x, 2)), ((floormod(threadIdx.x, 2)*2) + ax0_ax1_2)]
//       for ri_0 in 3:
//         wait
//         barrier warp
//         if (ri_0 < 2):
//           for ax0_ax1_0_1 in 2:
//             vectorize ax0_ax1_2_1 in 2:
//               block A.shared:
//                 async A.shared[floormod((ri_0 + 1), 2), ((ax0_ax1_0_1*2) + floordiv(threadIdx.x, 2)), ((floormod(threadIdx.x, 2)*2) + ax0_ax1_2_1)] = A[(((i_0*4) + (ax0_ax1_0_1*2)) + floordiv(threadIdx.x, 2)), ((((ri_0*4) + (floormod(threadIdx.x, 2)*2)) + ax0_ax1_2_1) + 4)]
//         for j_1 in 8:
//           for ri_1 in 4:
//             block C:
//               C[((i_0*4) + threadIdx.x), j_1] = (C[((i_0*4) + threadIdx.x), j_1] + (A.shared[floormod(ri_0, 2), threadIdx.x, ri_1]*B[((ri_0*4) + ri_1), j_1]))

// main, for cuda -arch=sm_80. Launch, in this order:
//   C_kernel<<<dim3(4, 1, 1), dim3(4, 1, 1)>>>(A, B, C)

// Copies from global to shared memory until the thread waits.
template <int bytes> static __device__ __forceinline__ void copy_async(void *to, const void *from) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2;"
      :: "r"((unsigned)__cvta_generic_to_shared(to)), "l"(from), "n"(bytes) : "memory");
}

static __device__ __forceinline__ void wait_async() {
  asm volatile("cp.async.wait_all;" ::: "memory");
}

extern "C" __global__ void __launch_bounds__(4)
C_kernel(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C) {
  const int i_0 = blockIdx.x;
  const int threadIdx_x = threadIdx.x;
  for (int j = 0; j < 8; ++j) {
    C[i_0 * 32 + threadIdx_x * 8 + j] = 0.0f;
  }
  __shared__ __align__(16) float A_shared[32];
  for (int ax0_ax1_0 = 0; ax0_ax1_0 < 2; ++ax0_ax1_0) {
    copy_async<8>(&A_shared[ax0_ax1_0 * 8 + threadIdx_x * 2], &A[i_0 * 48 + ax0_ax1_0 * 24 + threadIdx_x / 2 * 12 + threadIdx_x % 2 * 2]);
  }
  for (int ri_0 = 0; ri_0 < 3; ++ri_0) {
    wait_async();
    __syncwarp();
    if (ri_0 < 2) {
      for (int ax0_ax1_0_1 = 0; ax0_ax1_0_1 < 2; ++ax0_ax1_0_1) {
        copy_async<8>(&A_shared[(ri_0 + 1) % 2 * 16 + ax0_ax1_0_1 * 8 + threadIdx_x * 2], &A[i_0 * 48 + ax0_ax1_0_1 * 24 + threadIdx_x / 2 * 12 + ri_0 * 4 + threadIdx_x % 2 * 2 + 4]);
      }
    }
    for (int j_1 = 0; j_1 < 8; ++j_1) {
      for (int ri_1 = 0; ri_1 < 4; ++ri_1) {
        C[i_0 * 32 + threadIdx_x * 8 + j_1] += A_shared[ri_0 % 2 * 16 + threadIdx_x * 4 + ri_1] * B[ri_0 * 32 + ri_1 * 8 + j_1];
      }
    }
  }
}
