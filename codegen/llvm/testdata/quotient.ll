; func one(A: float32[24], B: float32[24], out C: float32[16]):
;   vectorize i in 16:
;     C[i] = (A[i]/B[3])

; one
; for llvm -mcpu=haswell -mattr=avx,avx2,fma,f16c -cores=2


define internal void @kernel.main(ptr noalias readonly align 64 %A.1, ptr noalias readonly align 64 %B.2, ptr noalias align 64 %C.3) #0 {
entry:
  %v4 = load <8 x float>, ptr %A.1, align 64
  %v5 = getelementptr float, ptr %B.2, i64 3
  %v6 = load float, ptr %v5, align 4
  %v7 = insertelement <8 x float> poison, float %v6, i64 0
  %v8 = shufflevector <8 x float> %v7, <8 x float> poison, <8 x i32> zeroinitializer
  %v9 = fdiv <8 x float> %v4, %v8
  store <8 x float> %v9, ptr %C.3, align 64
  %v10 = getelementptr float, ptr %A.1, i64 8
  %v11 = load <8 x float>, ptr %v10, align 32
  %v12 = fdiv <8 x float> %v11, %v8
  %v13 = getelementptr float, ptr %C.3, i64 8
  store <8 x float> %v12, ptr %v13, align 32
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
