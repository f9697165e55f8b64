// func f(A: float32[16], out C: float32[8]):
//   bind blockIdx.x in 2 blockIdx.x:
//     alloc S: float32[8] shared
//     bind threadIdx.x in 8 threadIdx.x:
//       S[threadIdx.x] = A[((blockIdx.x*8) + threadIdx.x)]
//     bind threadIdx.x_1 in 4 threadIdx.x:
//       C[((blockIdx.x*4) + threadIdx.x_1)] = (S[threadIdx.x_1] + S[(7 - threadIdx.x_1)])

// f, for cuda -arch=sm_75. Launch, in this order:
//   kernel<<<dim3(2, 1, 1), dim3(8, 1, 1)>>>(A, C)

extern "C" __global__ void __launch_bounds__(8)
kernel(const float* __restrict__ A, float* __restrict__ C) {
  const int blockIdx_x = blockIdx.x;
  __shared__ __align__(16) float S[8];
  const int threadIdx_x = threadIdx.x;
  S[threadIdx_x] = A[blockIdx_x * 8 + threadIdx_x];
  __syncthreads();
  const int threadIdx_x_1 = threadIdx.x;
  if (threadIdx_x_1 < 4) {
    C[blockIdx_x * 4 + threadIdx_x_1] = S[threadIdx_x_1] + S[7 - threadIdx_x_1];
  }
}
