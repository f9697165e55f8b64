// func main(X: float32[4, 30], out S: float32[4]):
//   bind i in 4 blockIdx.x:
//     bind threadIdx.x in 8 threadIdx.x:
//       alloc S.part: float32[8] shared
//       block S.part init:
//         S.part[threadIdx.x] = 0f
//       for ri_0 in 4:
//         if (((ri_0*8) + threadIdx.x) < 30):
//           block S.part:
//             S.part[threadIdx.x] = (S.part[threadIdx.x] + X[i, ((ri_0*8) + threadIdx.x)])
//       barrier warp
//       if (threadIdx.x < 1):
//         block S init:
//           S[i] = 0f
//         for ri_1 in 8:
//           block S:
//             S[i] = (S[i] + S.part[ri_1])

// main, for cuda -arch=sm_75. Launch, in this order:
//   S_kernel<<<dim3(4, 1, 1), dim3(8, 1, 1)>>>(X, S)

extern "C" __global__ void __launch_bounds__(8)
S_kernel(const float* __restrict__ X, float* __restrict__ S) {
  const int i = blockIdx.x;
  const int threadIdx_x = threadIdx.x;
  __shared__ __align__(16) float S_part[8];
  S_part[threadIdx_x] = 0.0f;
  for (int ri_0 = 0; ri_0 < 4; ++ri_0) {
    if (ri_0 * 8 + threadIdx_x < 30) {
      S_part[threadIdx_x] += X[i * 30 + ri_0 * 8 + threadIdx_x];
    }
  }
  __syncwarp();
  if (threadIdx_x < 1) {
    S[i] = 0.0f;
    for (int ri_1 = 0; ri_1 < 8; ++ri_1) {
      S[i] += S_part[ri_1];
    }
  }
}
