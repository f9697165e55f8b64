; func one(A: float32[24], out C: float32[8]):
;   vectorize i in 8:
;     C[i] = A[(i*3)]

; one
; for llvm -mcpu=haswell -mattr=avx,avx2,fma,f16c -cores=2


define internal void @kernel.main(ptr noalias readonly align 64 %A.1, ptr noalias align 64 %C.2) #0 {
entry:
  %v3 = load float, ptr %A.1, align 64
  %v4 = getelementptr float, ptr %A.1, i64 3
  %v5 = load float, ptr %v4, align 4
  %v6 = getelementptr float, ptr %A.1, i64 6
  %v7 = load float, ptr %v6, align 8
  %v8 = getelementptr float, ptr %A.1, i64 9
  %v9 = load float, ptr %v8, align 4
  %v10 = getelementptr float, ptr %A.1, i64 12
  %v11 = load float, ptr %v10, align 16
  %v12 = getelementptr float, ptr %A.1, i64 15
  %v13 = load float, ptr %v12, align 4
  %v14 = getelementptr float, ptr %A.1, i64 18
  %v15 = load float, ptr %v14, align 8
  %v16 = getelementptr float, ptr %A.1, i64 21
  %v17 = load float, ptr %v16, align 4
  %v18 = insertelement <8 x float> poison, float %v3, i64 0
  %v19 = insertelement <8 x float> %v18, float %v5, i64 1
  %v20 = insertelement <8 x float> %v19, float %v7, i64 2
  %v21 = insertelement <8 x float> %v20, float %v9, i64 3
  %v22 = insertelement <8 x float> %v21, float %v11, i64 4
  %v23 = insertelement <8 x float> %v22, float %v13, i64 5
  %v24 = insertelement <8 x float> %v23, float %v15, i64 6
  %v25 = insertelement <8 x float> %v24, float %v17, i64 7
  store <8 x float> %v25, ptr %C.2, align 64
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
