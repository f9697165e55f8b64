// func f(A: bfloat16[17, 18], B: bfloat16[9, 17], out C: float32[2, 16, 8]):
//   bind threadIdx.x in 32 threadIdx.x:
//     alloc SA: bfloat16[17, 18] shared
//     alloc SB: bfloat16[9, 17] shared
//     alloc L: float32[2, 4] local
//     for i in 2:
//       for i_1 in 4:
//         L[i, i_1] = 0f
//     for i_2 in 17:
//       if (threadIdx.x < 18):
//         block SA:
//           SA[i_2, threadIdx.x] = A[i_2, threadIdx.x]
//     for i_3 in 9:
//       if (threadIdx.x < 17):
//         block SB:
//           SB[i_3, threadIdx.x] = B[i_3, threadIdx.x]
//     barrier shared
//     for i_4 in 2:
//       mma L[i_4] += SA[1, (i_4 + 1)] by [1, 0] and [0, 1] * SB[1, i_4] by [0, 1] and [1, 0] in lane threadIdx.x
//     for i_5 in 2:
//       for i_6 in 4:
//         C[i_5, (floordiv(threadIdx.x, 4) + (floordiv(i_6, 2)*8)), ((floormod(threadIdx.x, 4)*2) + floormod(i_6, 2))] = L[i_5, i_6]

// f, for cuda -arch=sm_80. Launch, in this order:
//   kernel<<<dim3(1, 1, 1), dim3(32, 1, 1)>>>(A, B, C)

// Adds the product of two tiles that the threads of a warp hold together.
static __device__ __forceinline__ void mma_bfloat(float *c, unsigned a0, unsigned a1, unsigned a2, unsigned a3,
                                                unsigned b0, unsigned b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
               "{%8, %9}, {%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}

extern "C" __global__ void __launch_bounds__(32)
kernel(const unsigned short* __restrict__ A, const unsigned short* __restrict__ B, float* __restrict__ C) {
  const int threadIdx_x = threadIdx.x;
  __shared__ __align__(16) unsigned short SA[306];
  __shared__ __align__(16) unsigned short SB[153];
  float L[8];
  #pragma unroll
  for (int i = 0; i < 2; ++i) {
    #pragma unroll
    for (int i_1 = 0; i_1 < 4; ++i_1) {
      L[i * 4 + i_1] = 0.0f;
    }
  }
  for (int i_2 = 0; i_2 < 17; ++i_2) {
    if (threadIdx_x < 18) {
      SA[i_2 * 18 + threadIdx_x] = A[i_2 * 18 + threadIdx_x];
    }
  }
  for (int i_3 = 0; i_3 < 9; ++i_3) {
    if (threadIdx_x < 17) {
      SB[i_3 * 17 + threadIdx_x] = B[i_3 * 17 + threadIdx_x];
    }
  }
  __syncthreads();
  #pragma unroll
  for (int i_4 = 0; i_4 < 2; ++i_4) {
    mma_bfloat(&L[i_4 * 4], SA[threadIdx_x / 4 * 18 + threadIdx_x % 4 * 2 + i_4 + 19] | (unsigned)SA[threadIdx_x / 4 * 18 + threadIdx_x % 4 * 2 + i_4 + 20] << 16, SA[threadIdx_x / 4 * 18 + threadIdx_x % 4 * 2 + i_4 + 163] | (unsigned)SA[threadIdx_x / 4 * 18 + threadIdx_x % 4 * 2 + i_4 + 164] << 16, SA[threadIdx_x / 4 * 18 + threadIdx_x % 4 * 2 + i_4 + 27] | (unsigned)SA[threadIdx_x / 4 * 18 + threadIdx_x % 4 * 2 + i_4 + 28] << 16, SA[threadIdx_x / 4 * 18 + threadIdx_x % 4 * 2 + i_4 + 171] | (unsigned)SA[threadIdx_x / 4 * 18 + threadIdx_x % 4 * 2 + i_4 + 172] << 16, SB[threadIdx_x / 4 * 17 + threadIdx_x % 4 * 2 + i_4 + 17] | (unsigned)SB[threadIdx_x / 4 * 17 + threadIdx_x % 4 * 2 + i_4 + 18] << 16, SB[threadIdx_x / 4 * 17 + threadIdx_x % 4 * 2 + i_4 + 25] | (unsigned)SB[threadIdx_x / 4 * 17 + threadIdx_x % 4 * 2 + i_4 + 26] << 16);
  }
  #pragma unroll
  for (int i_5 = 0; i_5 < 2; ++i_5) {
    #pragma unroll
    for (int i_6 = 0; i_6 < 4; ++i_6) {
      C[i_5 * 128 + i_6 / 2 * 64 + threadIdx_x * 2 + i_6 % 2] = L[i_5 * 4 + i_6];
    }
  }
}
