; func one(A: float32[24], out C: float32[8]):
;   vectorize i in 8:
;     C[i] = max(A[i], 0f)

; one
; for llvm -mcpu=haswell -mattr=avx,avx2,fma,f16c -cores=2


define internal void @kernel.main(ptr noalias readonly align 64 %A.1, ptr noalias align 64 %C.2) #0 {
entry:
  %v3 = load <8 x float>, ptr %A.1, align 64
  %v4 = fcmp ogt <8 x float> zeroinitializer, %v3
  %v5 = select <8 x i1> %v4, <8 x float> zeroinitializer, <8 x float> %v3
  store <8 x float> %v5, ptr %C.2, align 64
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
