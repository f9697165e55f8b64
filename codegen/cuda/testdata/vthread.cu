// func main(A: float32[64, 30], B: float32[64, 30], out C: float32[64, 30]):
//   bind i_j_0 in 30 blockIdx.x:
//     bind threadIdx.x in 32 threadIdx.x:
//       unroll i_j_1 in 2:
//         block C:
//           C[(((i_j_0*2) + i_j_1) + floordiv((((i_j_0*4) + (i_j_1*2)) + threadIdx.x), 30)), floormod((((i_j_0*4) + (i_j_1*2)) + threadIdx.x), 30)] = (A[(((i_j_0*2) + i_j_1) + floordiv((((i_j_0*4) + (i_j_1*2)) + threadIdx.x), 30)), floormod((((i_j_0*4) + (i_j_1*2)) + threadIdx.x), 30)] + B[(((i_j_0*2) + i_j_1) + floordiv((((i_j_0*4) + (i_j_1*2)) + threadIdx.x), 30)), floormod((((i_j_0*4) + (i_j_1*2)) + threadIdx.x), 30)])

// main, for cuda -arch=sm_75. Launch, in this order:
//   C_kernel<<<dim3(30, 1, 1), dim3(32, 1, 1)>>>(A, B, C)

extern "C" __global__ void __launch_bounds__(32)
C_kernel(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C) {
  const int i_j_0 = blockIdx.x;
  const int threadIdx_x = threadIdx.x;
  #pragma unroll
  for (int i_j_1 = 0; i_j_1 < 2; ++i_j_1) {
    C[i_j_0 * 64 + i_j_1 * 32 + threadIdx_x] = A[i_j_0 * 64 + i_j_1 * 32 + threadIdx_x] + B[i_j_0 * 64 + i_j_1 * 32 + threadIdx_x];
  }
}
