; func one(A: float32[24], out C: float32[2]):
;   vectorize i in 2:
;     C[i] = tir.exp(A[i])

; one
; for llvm -mcpu=haswell -mattr=avx,avx2,fma,f16c -cores=2

declare <2 x float> @llvm.fma.v2f32(<2 x float>, <2 x float>, <2 x float>)

define internal void @kernel.main(ptr noalias readonly align 64 %A.1, ptr noalias align 64 %C.2) #0 {
entry:
  %v3 = load <2 x float>, ptr %A.1, align 64
  %v4 = fcmp olt <2 x float> <float 0x4056400000000000, float 0x4056400000000000>, %v3
  %v5 = select <2 x i1> %v4, <2 x float> <float 0x4056400000000000, float 0x4056400000000000>, <2 x float> %v3
  %v6 = fcmp ogt <2 x float> <float 0xC06601E680000000, float 0xC06601E680000000>, %v5
  %v7 = select <2 x i1> %v6, <2 x float> <float 0xC06601E680000000, float 0xC06601E680000000>, <2 x float> %v5
  %v8 = call <2 x float> @llvm.fma.v2f32(<2 x float> %v7, <2 x float> <float 0x3FF7154760000000, float 0x3FF7154760000000>, <2 x float> <float 0x4168001FC0000000, float 0x4168001FC0000000>)
  %v9 = fsub <2 x float> %v8, <float 0x4168001FC0000000, float 0x4168001FC0000000>
  %v10 = call <2 x float> @llvm.fma.v2f32(<2 x float> %v9, <2 x float> <float 0xBFE6300000000000, float 0xBFE6300000000000>, <2 x float> %v7)
  %v11 = call <2 x float> @llvm.fma.v2f32(<2 x float> %v9, <2 x float> <float 0x3F2BD01060000000, float 0x3F2BD01060000000>, <2 x float> %v10)
  %v12 = bitcast <2 x float> %v8 to <2 x i32>
  %v13 = call <2 x float> @llvm.fma.v2f32(<2 x float> <float 0x3F56BEC1E0000000, float 0x3F56BEC1E0000000>, <2 x float> %v11, <2 x float> <float 0x3F81227980000000, float 0x3F81227980000000>)
  %v14 = call <2 x float> @llvm.fma.v2f32(<2 x float> %v13, <2 x float> %v11, <2 x float> <float 0x3FA5556740000000, float 0x3FA5556740000000>)
  %v15 = call <2 x float> @llvm.fma.v2f32(<2 x float> %v14, <2 x float> %v11, <2 x float> <float 0x3FC5554B00000000, float 0x3FC5554B00000000>)
  %v16 = call <2 x float> @llvm.fma.v2f32(<2 x float> %v15, <2 x float> %v11, <2 x float> <float 0x3FDFFFFFE0000000, float 0x3FDFFFFFE0000000>)
  %v17 = call <2 x float> @llvm.fma.v2f32(<2 x float> %v16, <2 x float> %v11, <2 x float> <float 0x3FF0000000000000, float 0x3FF0000000000000>)
  %v18 = call <2 x float> @llvm.fma.v2f32(<2 x float> %v17, <2 x float> %v11, <2 x float> <float 0x3FF0000000000000, float 0x3FF0000000000000>)
  %v19 = lshr <2 x i32> %v12, <i32 1, i32 1>
  %v20 = sub <2 x i32> %v12, %v19
  %v21 = shl <2 x i32> %v19, <i32 23, i32 23>
  %v22 = bitcast <2 x i32> %v21 to <2 x float>
  %v23 = fmul <2 x float> %v18, %v22
  %v24 = shl <2 x i32> %v20, <i32 23, i32 23>
  %v25 = bitcast <2 x i32> %v24 to <2 x float>
  %v26 = fmul <2 x float> %v23, %v25
  store <2 x float> %v26, ptr %C.2, align 64
  ret void
}

define void @wmtune_kernel(ptr %args) #0 {
entry:
  %v1 = getelementptr ptr, ptr %args, i64 0
  %v2 = load ptr, ptr %v1, align 8
  %v3 = getelementptr ptr, ptr %args, i64 1
  %v4 = load ptr, ptr %v3, align 8
  call void @kernel.main(ptr %v2, ptr %v4)
  ret void
}

attributes #0 = { nounwind "prefer-vector-width"="256" "min-legal-vector-width"="256" }
