// func main(A: float32[6, 4], B: float32[4, 8], out C: float32[6, 8]):
//   bind threadIdx.x in 8 threadIdx.x:
//     for i in 6:
//       alloc A.shared: float32[1, 4] shared
//       barrier warp
//       if (threadIdx.x < 4):
//         block A.shared:
//           A.shared[0, threadIdx.x] = A[i, threadIdx.x]
//       block C init:
//         C[i, threadIdx.x] = 0f
//       barrier warp
//       for ri in 4:
//         block C:
//           C[i, threadIdx.x] = (C[i, threadIdx.x] + (A.shared[0, ri]*B[ri, threadIdx.x]))

// main, for cuda -arch=sm_75. Launch, in this order:
//   C_kernel<<<dim3(1, 1, 1), dim3(8, 1, 1)>>>(A, B, C)

extern "C" __global__ void __launch_bounds__(8)
C_kernel(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C) {
  const int threadIdx_x = threadIdx.x;
  for (int i = 0; i < 6; ++i) {
    __shared__ __align__(16) float A_shared[4];
    __syncwarp();
    if (threadIdx_x < 4) {
      A_shared[threadIdx_x] = A[i * 4 + threadIdx_x];
    }
    C[i * 8 + threadIdx_x] = 0.0f;
    __syncwarp();
    for (int ri = 0; ri < 4; ++ri) {
      C[i * 8 + threadIdx_x] += A_shared[ri] * B[ri * 8 + threadIdx_x];
    }
  }
}
