; func one(A: float32[24], B: float32[24], out C: float32[23]):
;   vectorize i in 23:
;     C[i] = (A[i]*B[3])

; one
; for llvm -mcpu=haswell -mattr=avx,avx2,fma,f16c -cores=2


define internal void @kernel.main(ptr noalias readonly align 64 %A.1, ptr noalias readonly align 64 %B.2, ptr noalias align 64 %C.3) #0 {
entry:
  %v4 = load <8 x float>, ptr %A.1, align 64
  %v5 = getelementptr float, ptr %B.2, i64 3
  %v6 = load float, ptr %v5, align 4
  %v7 = insertelement <8 x float> poison, float %v6, i64 0
  %v8 = shufflevector <8 x float> %v7, <8 x float> poison, <8 x i32> zeroinitializer
  %v9 = fmul <8 x float> %v4, %v8
  store <8 x float> %v9, ptr %C.3, align 64
  %v10 = getelementptr float, ptr %A.1, i64 8
  %v11 = load <8 x float>, ptr %v10, align 32
  %v12 = fmul <8 x float> %v11, %v8
  %v13 = getelementptr float, ptr %C.3, i64 8
  store <8 x float> %v12, ptr %v13, align 32
  %v14 = getelementptr float, ptr %A.1, i64 16
  %v15 = load <4 x float>, ptr %v14, align 64
  %v16 = insertelement <4 x float> poison, float %v6, i64 0
  %v17 = shufflevector <4 x float> %v16, <4 x float> poison, <4 x i32> zeroinitializer
  %v18 = fmul <4 x float> %v15, %v17
  %v19 = getelementptr float, ptr %C.3, i64 16
  store <4 x float> %v18, ptr %v19, align 64
  %v20 = getelementptr float, ptr %A.1, i64 20
  %v21 = load <2 x float>, ptr %v20, align 16
  %v22 = insertelement <2 x float> poison, float %v6, i64 0
  %v23 = shufflevector <2 x float> %v22, <2 x float> poison, <2 x i32> zeroinitializer
  %v24 = fmul <2 x float> %v21, %v23
  %v25 = getelementptr float, ptr %C.3, i64 20
  store <2 x float> %v24, ptr %v25, align 16
  %v26 = getelementptr float, ptr %A.1, i64 22
  %v27 = load float, ptr %v26, align 8
  %v28 = fmul float %v27, %v6
  %v29 = getelementptr float, ptr %C.3, i64 22
  store float %v28, ptr %v29, align 8
  ret void
}

define void @wmtune_kernel(ptr %args) #0 {
entry:
  %v1 = getelementptr ptr, ptr %args, i64 0
  %v2 = load ptr, ptr %v1, align 8
  %v3 = getelementptr ptr, ptr %args, i64 1
  %v4 = load ptr, ptr %v3, align 8
  %v5 = getelementptr ptr, ptr %args, i64 2
  %v6 = load ptr, ptr %v5, align 8
  call void @kernel.main(ptr %v2, ptr %v4, ptr %v6)
  ret void
}

attributes #0 = { nounwind "prefer-vector-width"="256" "min-legal-vector-width"="256" }
