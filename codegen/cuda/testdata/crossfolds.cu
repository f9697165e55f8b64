// func main(X: float32[3, 500], out S: float32[3]):
//   bind i in 3 blockIdx.x:
//     bind threadIdx.x in 250 threadIdx.x:
//       alloc S.part: float32[250] shared
//       block S.part init:
//         S.part[threadIdx.x] = 0f
//       for ri_0 in 2:
//         block S.part:
//           S.part[threadIdx.x] = (S.part[threadIdx.x] + X[i, ((ri_0*250) + threadIdx.x)])
//       barrier shared
//       if (threadIdx.x < 32):
//         unroll ri_1 in 7:
//           if (((ri_1*32) + threadIdx.x) < 218):
//             block S.part.part:
//               S.part[threadIdx.x] = (S.part[threadIdx.x] + S.part[(((ri_1*32) + threadIdx.x) + 32)])
//       barrier shared
//       if (threadIdx.x < 4):
//         unroll ri_1_1 in 7:
//           block S.part.part.part:
//             S.part[threadIdx.x] = (S.part[threadIdx.x] + S.part[(((ri_1_1*4) + threadIdx.x) + 4)])
//       barrier shared
//       if (threadIdx.x < 1):
//         block S init:
//           S[i] = 0f
//         for ri_1_2 in 4:
//           block S:
//             S[i] = (S[i] + S.part[ri_1_2])

// main, for cuda -arch=sm_75. Launch, in this order:
//   S_kernel<<<dim3(3, 1, 1), dim3(250, 1, 1)>>>(X, S)

extern "C" __global__ void __launch_bounds__(250)
S_kernel(const float* __restrict__ X, float* __restrict__ S) {
  const int i = blockIdx.x;
  const int threadIdx_x = threadIdx.x;
  __shared__ __align__(16) float S_part[250];
  S_part[threadIdx_x] = 0.0f;
  for (int ri_0 = 0; ri_0 < 2; ++ri_0) {
    S_part[threadIdx_x] += X[i * 500 + ri_0 * 250 + threadIdx_x];
  }
  __syncthreads();
  if (threadIdx_x < 32) {
    #pragma unroll
    for (int ri_1 = 0; ri_1 < 7; ++ri_1) {
      if (ri_1 * 32 + threadIdx_x < 218) {
        S_part[threadIdx_x] += S_part[ri_1 * 32 + threadIdx_x + 32];
      }
    }
  }
  __syncthreads();
  if (threadIdx_x < 4) {
    #pragma unroll
    for (int ri_1_1 = 0; ri_1_1 < 7; ++ri_1_1) {
      S_part[threadIdx_x] += S_part[ri_1_1 * 4 + threadIdx_x + 4];
    }
  }
  __syncthreads();
  if (threadIdx_x < 1) {
    S[i] = 0.0f;
    for (int ri_1_2 = 0; ri_1_2 < 4; ++ri_1_2) {
      S[i] += S_part[ri_1_2];
    }
  }
}
