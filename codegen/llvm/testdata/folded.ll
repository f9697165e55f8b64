; func one(A: float32[3, 24], out C: float32[24]):
;   vectorize i in 24:
;     C[i] = A[floordiv(i, 8), floormod(i, 8)]

; one
; for llvm -mcpu=haswell -mattr=avx,avx2,fma,f16c -cores=2


define internal void @kernel.main(ptr noalias readonly align 64 %A.1, ptr noalias align 64 %C.2) #0 {
entry:
  %v3 = load <8 x float>, ptr %A.1, align 64
  store <8 x float> %v3, ptr %C.2, align 64
  %v4 = getelementptr float, ptr %A.1, i64 24
  %v5 = load <8 x float>, ptr %v4, align 32
  %v6 = getelementptr float, ptr %C.2, i64 8
  store <8 x float> %v5, ptr %v6, align 32
  %v7 = getelementptr float, ptr %A.1, i64 48
  %v8 = load <8 x float>, ptr %v7, align 64
  %v9 = getelementptr float, ptr %C.2, i64 16
  store <8 x float> %v8, ptr %v9, align 64
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
