// func f(A: float32[17, 10], B: float32[9, 9], out C: float32[2, 16, 8]):
//   bind threadIdx.x in 32 threadIdx.x:
//     alloc SA: float32[17, 10] shared
//     alloc SB: float32[9, 9] shared
//     alloc L: float32[2, 4] local
//     for i in 2:
//       for i_1 in 4:
//         L[i, i_1] = 0f
//     for i_2 in 17:
//       if (threadIdx.x < 10):
//         block SA:
//           SA[i_2, threadIdx.x] = (A[i_2, threadIdx.x]/3f)
//     for i_3 in 9:
//       if (threadIdx.x < 9):
//         block SB:
//           SB[i_3, threadIdx.x] = (B[i_3, threadIdx.x]/3f)
//     barrier shared
//     for i_4 in 2:
//       mma L[i_4] += SA[1, (i_4 + 1)] by [1, 0] and [0, 1] * SB[1, i_4] by [0, 1] and [1, 0] in lane threadIdx.x
//     for i_5 in 2:
//       for i_6 in 4:
//         C[i_5, (floordiv(threadIdx.x, 4) + (floordiv(i_6, 2)*8)), ((floormod(threadIdx.x, 4)*2) + floormod(i_6, 2))] = L[i_5, i_6]

// f, for cuda -arch=sm_80. Launch, in this order:
//   kernel<<<dim3(1, 1, 1), dim3(32, 1, 1)>>>(A, B, C)

// Adds the product of two tiles that the threads of a warp hold together, rounded to 10 bits
// of mantissa.
static __device__ __forceinline__ unsigned to_tf32(float x) {
  unsigned y;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(y) : "f"(x));
  return y;
}
static __device__ __forceinline__ void mma_tf32(float *c, float a0, float a1, float a2, float a3, float b0, float b1) {
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
               "{%8, %9}, {%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(to_tf32(a0)), "r"(to_tf32(a1)), "r"(to_tf32(a2)), "r"(to_tf32(a3)), "r"(to_tf32(b0)), "r"(to_tf32(b1)));
}

extern "C" __global__ void __launch_bounds__(32)
kernel(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C) {
  const int threadIdx_x = threadIdx.x;
  __shared__ __align__(16) float SA[170];
  __shared__ __align__(16) float SB[81];
  float L[8];
  #pragma unroll
  for (int i = 0; i < 2; ++i) {
    #pragma unroll
    for (int i_1 = 0; i_1 < 4; ++i_1) {
      L[i * 4 + i_1] = 0.0f;
    }
  }
  for (int i_2 = 0; i_2 < 17; ++i_2) {
    if (threadIdx_x < 10) {
      SA[i_2 * 10 + threadIdx_x] = A[i_2 * 10 + threadIdx_x] / 3.0f;
    }
  }
  for (int i_3 = 0; i_3 < 9; ++i_3) {
    if (threadIdx_x < 9) {
      SB[i_3 * 9 + threadIdx_x] = B[i_3 * 9 + threadIdx_x] / 3.0f;
    }
  }
  __syncthreads();
  #pragma unroll
  for (int i_4 = 0; i_4 < 2; ++i_4) {
    mma_tf32(&L[i_4 * 4], SA[threadIdx_x / 4 * 10 + i_4 + threadIdx_x % 4 + 11], SA[threadIdx_x / 4 * 10 + i_4 + threadIdx_x % 4 + 91], SA[threadIdx_x / 4 * 10 + i_4 + threadIdx_x % 4 + 15], SA[threadIdx_x / 4 * 10 + i_4 + threadIdx_x % 4 + 95], SB[threadIdx_x / 4 * 9 + i_4 + threadIdx_x % 4 + 9], SB[threadIdx_x / 4 * 9 + i_4 + threadIdx_x % 4 + 13]);
  }
  #pragma unroll
  for (int i_5 = 0; i_5 < 2; ++i_5) {
    #pragma unroll
    for (int i_6 = 0; i_6 < 4; ++i_6) {
      C[i_5 * 128 + i_6 / 2 * 64 + threadIdx_x * 2 + i_6 % 2] = L[i_5 * 4 + i_6];
    }
  }
}
