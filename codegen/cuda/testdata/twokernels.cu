// func main(X: float32[16, 6], out Z: float32[16, 6]):
//   alloc Y: float32[16, 6]
//   bind i in 16 blockIdx.x:
//     bind threadIdx.x in 6 threadIdx.x:
//       block Y:
//         Y[i, threadIdx.x] = (X[i, threadIdx.x]*2f)
//   bind threadIdx.x_1 in 16 threadIdx.x:
//     for j_0 in 3:
//       for j_1 in 2:
//         block Z:
//           Z[threadIdx.x_1, ((j_0*2) + j_1)] = (Y[threadIdx.x_1, ((j_0*2) + j_1)] + 1f)

// main, for cuda -arch=sm_75. Launch, in this order:
//   Y_kernel<<<dim3(16, 1, 1), dim3(6, 1, 1)>>>(X, Y)
//   Z_kernel<<<dim3(1, 1, 1), dim3(16, 1, 1)>>>(Z, Y)
// Y is a workspace: 384 bytes of any content

extern "C" __global__ void __launch_bounds__(6)
Y_kernel(const float* __restrict__ X, float* __restrict__ Y) {
  const int i = blockIdx.x;
  const int threadIdx_x = threadIdx.x;
  Y[i * 6 + threadIdx_x] = X[i * 6 + threadIdx_x] * 2.0f;
}

extern "C" __global__ void __launch_bounds__(16)
Z_kernel(float* __restrict__ Z, const float* __restrict__ Y) {
  const int threadIdx_x = threadIdx.x;
  for (int j_0 = 0; j_0 < 3; ++j_0) {
    for (int j_1 = 0; j_1 < 2; ++j_1) {
      Z[threadIdx_x * 6 + j_0 * 2 + j_1] = Y[threadIdx_x * 6 + j_0 * 2 + j_1] + 1.0f;
    }
  }
}
