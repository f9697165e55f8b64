// func f(A: float32[100], idx: int32[16], out C: float32[16]):
//   alloc S: float32[16] shared
//   alloc F: float32[16] shared
//   bind threadIdx.x in 4 threadIdx.x:
//     vectorize i in 4:
//       S[((threadIdx.x*4) + i)] = A[int64(idx[((threadIdx.x*4) + i)])]
//     vectorize i_1 in 4:
//       async F[((threadIdx.x*4) + i_1)] = A[int64(idx[((threadIdx.x*4) + i_1)])]
//     wait
//     vectorize i_2 in 4:
//       C[((threadIdx.x*4) + i_2)] = (S[((threadIdx.x*4) + i_2)] + F[((threadIdx.x*4) + i_2)])

// f, for cuda -arch=sm_80. Launch, in this order:
//   kernel<<<dim3(1, 1, 1), dim3(4, 1, 1)>>>(A, idx, C)

static __device__ __forceinline__ void wait_async() {
  asm volatile("cp.async.wait_all;" ::: "memory");
}

extern "C" __global__ void __launch_bounds__(4)
kernel(const float* __restrict__ A, const int* __restrict__ idx, float* __restrict__ C) {
  __shared__ __align__(16) float S[16];
  __shared__ __align__(16) float F[16];
  const int threadIdx_x = threadIdx.x;
  const int4 idx_lanes = *reinterpret_cast<const int4*>(&idx[threadIdx_x * 4]);
  float4 S_lanes;
  S_lanes.x = A[(long long)idx_lanes.x];
  S_lanes.y = A[(long long)idx_lanes.y];
  S_lanes.z = A[(long long)idx_lanes.z];
  S_lanes.w = A[(long long)idx_lanes.w];
  *reinterpret_cast<float4*>(&S[threadIdx_x * 4]) = S_lanes;
  const int4 idx_lanes_1 = *reinterpret_cast<const int4*>(&idx[threadIdx_x * 4]);
  float4 F_lanes;
  F_lanes.x = A[(long long)idx_lanes_1.x];
  F_lanes.y = A[(long long)idx_lanes_1.y];
  F_lanes.z = A[(long long)idx_lanes_1.z];
  F_lanes.w = A[(long long)idx_lanes_1.w];
  *reinterpret_cast<float4*>(&F[threadIdx_x * 4]) = F_lanes;
  wait_async();
  const float4 S_lanes_1 = *reinterpret_cast<float4*>(&S[threadIdx_x * 4]);
  const float4 F_lanes_1 = *reinterpret_cast<float4*>(&F[threadIdx_x * 4]);
  float4 C_lanes;
  C_lanes.x = S_lanes_1.x + F_lanes_1.x;
  C_lanes.y = S_lanes_1.y + F_lanes_1.y;
  C_lanes.z = S_lanes_1.z + F_lanes_1.z;
  C_lanes.w = S_lanes_1.w + F_lanes_1.w;
  *reinterpret_cast<float4*>(&C[threadIdx_x * 4]) = C_lanes;
}
