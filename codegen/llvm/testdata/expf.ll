; func one(A: float32[24], out C: float32[2]):
;   vectorize i in 2:
;     C[i] = tir.exp(A[i])

; one
; for llvm -mcpu=haswell -mattr=avx,avx2,fma,f16c -cores=2

declare float @expf(float) nounwind willreturn memory(none)

define internal void @kernel.main(ptr noalias readonly align 64 %A.1, ptr noalias align 64 %C.2) #0 {
entry:
  %v3 = load <2 x float>, ptr %A.1, align 64
  %v4 = extractelement <2 x float> %v3, i64 0
  %v5 = call float @expf(float %v4)
  %v6 = extractelement <2 x float> %v3, i64 1
  %v7 = call float @expf(float %v6)
  %v8 = insertelement <2 x float> poison, float %v5, i64 0
  %v9 = insertelement <2 x float> %v8, float %v7, i64 1
  store <2 x float> %v9, ptr %C.2, align 64
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
