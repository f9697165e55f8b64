; func one(H: float16[8], out C: float16[8]):
;   vectorize i in 8:
;     C[i] = float16((float32(H[i]) + 1f))

; one
; for llvm -mcpu=haswell -mattr=avx,avx2,fma,f16c -cores=2


define internal void @kernel.main(ptr noalias readonly align 64 %H.1, ptr noalias align 64 %C.2) #0 {
entry:
  %v3 = load <8 x i16>, ptr %H.1, align 64
  %v4 = bitcast <8 x i16> %v3 to <8 x half>
  %v5 = fpext <8 x half> %v4 to <8 x float>
  %v6 = fadd <8 x float> %v5, <float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000>
  %v7 = fptrunc <8 x float> %v6 to <8 x half>
  %v8 = bitcast <8 x half> %v7 to <8 x i16>
  %v9 = bitcast <8 x i16> %v8 to <8 x half>
  %v10 = fpext <8 x half> %v9 to <8 x float>
  %v11 = fptrunc <8 x float> %v10 to <8 x half>
  %v12 = bitcast <8 x half> %v11 to <8 x i16>
  store <8 x i16> %v12, ptr %C.2, align 64
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
