// func main(X: float32[16, 40], out softmax: float32[16, 40]):
//   alloc max: float32[16]
//   bind i in 16 blockIdx.x:
//     bind threadIdx.x in 8 threadIdx.x:
//       alloc max.part: float32[8] shared
//       block max.part init:
//         max.part[threadIdx.x] = -inff
//       for ri_0 in 5:
//         block max.part:
//           max.part[threadIdx.x] = max(max.part[threadIdx.x], X[i, ((ri_0*8) + threadIdx.x)])
//       barrier warp
//       if (threadIdx.x < 1):
//         block max init:
//           max[i] = -inff
//         for ri_1 in 8:
//           block max:
//             max[i] = max(max[i], max.part[ri_1])
//   alloc exp: float32[16, 40]
//   bind i_j_0 in 20 blockIdx.x:
//     bind threadIdx.x_1 in 32 threadIdx.x:
//       block exp:
//         exp[floordiv(((i_j_0*32) + threadIdx.x_1), 40), floormod(((i_j_0*32) + threadIdx.x_1), 40)] = tir.exp((X[floordiv(((i_j_0*32) + threadIdx.x_1), 40), floormod(((i_j_0*32) + threadIdx.x_1), 40)] - max[floordiv(((i_j_0*32) + threadIdx.x_1), 40)]))
//   alloc sum: float32[16]
//   bind i_1 in 16 blockIdx.x:
//     bind threadIdx.x_2 in 8 threadIdx.x:
//       alloc sum.part: float32[8] shared
//       block sum.part init:
//         sum.part[threadIdx.x_2] = 0f
//       for ri_0_1 in 5:
//         block sum.part:
//           sum.part[threadIdx.x_2] = (sum.part[threadIdx.x_2] + exp[i_1, ((ri_0_1*8) + threadIdx.x_2)])
//       barrier warp
//       if (threadIdx.x_2 < 1):
//         block sum init:
//           sum[i_1] = 0f
//         for ri_1_1 in 8:
//           block sum:
//             sum[i_1] = (sum[i_1] + sum.part[ri_1_1])
//   bind i_j_0_1 in 20 blockIdx.x:
//     bind threadIdx.x_3 in 32 threadIdx.x:
//       block softmax:
//         softmax[floordiv(((i_j_0_1*32) + threadIdx.x_3), 40), floormod(((i_j_0_1*32) + threadIdx.x_3), 40)] = (exp[floordiv(((i_j_0_1*32) + threadIdx.x_3), 40), floormod(((i_j_0_1*32) + threadIdx.x_3), 40)]/sum[floordiv(((i_j_0_1*32) + threadIdx.x_3), 40)])

// main, for cuda -arch=sm_75. Launch, in this order:
//   max_kernel<<<dim3(16, 1, 1), dim3(8, 1, 1)>>>(X, max_1)
//   exp_kernel<<<dim3(20, 1, 1), dim3(32, 1, 1)>>>(X, max_1, exp_1)
//   sum_kernel<<<dim3(16, 1, 1), dim3(8, 1, 1)>>>(exp_1, sum)
//   softmax_kernel<<<dim3(20, 1, 1), dim3(32, 1, 1)>>>(softmax, exp_1, sum)
// max_1 is a workspace: 64 bytes of any content
// exp_1 is a workspace: 2560 bytes of any content
// sum is a workspace: 64 bytes of any content

// The greater one, a NaN if one is.
template <typename T> static __device__ __forceinline__ T max_of(T x, T y) { return x > y || x != x ? x : y; }

extern "C" __global__ void __launch_bounds__(8)
max_kernel(const float* __restrict__ X, float* __restrict__ max_1) {
  const int i = blockIdx.x;
  const int threadIdx_x = threadIdx.x;
  __shared__ __align__(16) float max_part[8];
  max_part[threadIdx_x] = __int_as_float(0xff800000);
  for (int ri_0 = 0; ri_0 < 5; ++ri_0) {
    max_part[threadIdx_x] = max_of<float>(max_part[threadIdx_x], X[i * 40 + ri_0 * 8 + threadIdx_x]);
  }
  __syncwarp();
  if (threadIdx_x < 1) {
    max_1[i] = __int_as_float(0xff800000);
    for (int ri_1 = 0; ri_1 < 8; ++ri_1) {
      max_1[i] = max_of<float>(max_1[i], max_part[ri_1]);
    }
  }
}

extern "C" __global__ void __launch_bounds__(32)
exp_kernel(const float* __restrict__ X, const float* __restrict__ max_1, float* __restrict__ exp_1) {
  const int i_j_0 = blockIdx.x;
  const int threadIdx_x = threadIdx.x;
  exp_1[i_j_0 * 32 + threadIdx_x] = expf(X[i_j_0 * 32 + threadIdx_x] - max_1[(i_j_0 * 32 + threadIdx_x) / 40]);
}

extern "C" __global__ void __launch_bounds__(8)
sum_kernel(const float* __restrict__ exp_1, float* __restrict__ sum) {
  const int i = blockIdx.x;
  const int threadIdx_x = threadIdx.x;
  __shared__ __align__(16) float sum_part[8];
  sum_part[threadIdx_x] = 0.0f;
  for (int ri_0 = 0; ri_0 < 5; ++ri_0) {
    sum_part[threadIdx_x] += exp_1[i * 40 + ri_0 * 8 + threadIdx_x];
  }
  __syncwarp();
  if (threadIdx_x < 1) {
    sum[i] = 0.0f;
    for (int ri_1 = 0; ri_1 < 8; ++ri_1) {
      sum[i] += sum_part[ri_1];
    }
  }
}

extern "C" __global__ void __launch_bounds__(32)
softmax_kernel(float* __restrict__ softmax, const float* __restrict__ exp_1, const float* __restrict__ sum) {
  const int i_j_0 = blockIdx.x;
  const int threadIdx_x = threadIdx.x;
  softmax[i_j_0 * 32 + threadIdx_x] = exp_1[i_j_0 * 32 + threadIdx_x] / sum[(i_j_0 * 32 + threadIdx_x) / 40];
}
