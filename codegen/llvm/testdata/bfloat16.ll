; func one(Q: bfloat16[8], out C: bfloat16[8]):
;   vectorize i in 8:
;     C[i] = bfloat16((float32(Q[i]) + 1f))

; one
; for llvm -mcpu=haswell -mattr=avx,avx2,fma,f16c -cores=2


define internal void @kernel.main(ptr noalias readonly align 64 %Q.1, ptr noalias align 64 %C.2) #0 {
entry:
  %v3 = load <8 x i16>, ptr %Q.1, align 64
  %v4 = zext <8 x i16> %v3 to <8 x i32>
  %v5 = shl <8 x i32> %v4, <i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16>
  %v6 = bitcast <8 x i32> %v5 to <8 x float>
  %v7 = fadd <8 x float> %v6, <float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000, float 0x3FF0000000000000>
  %v8 = bitcast <8 x float> %v7 to <8 x i32>
  %v9 = lshr <8 x i32> %v8, <i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16>
  %v10 = and <8 x i32> %v9, <i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1>
  %v11 = add <8 x i32> %v8, <i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767, i32 32767>
  %v12 = add <8 x i32> %v11, %v10
  %v13 = lshr <8 x i32> %v12, <i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16>
  %v14 = or <8 x i32> %v8, <i32 4194304, i32 4194304, i32 4194304, i32 4194304, i32 4194304, i32 4194304, i32 4194304, i32 4194304>
  %v15 = lshr <8 x i32> %v14, <i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16>
  %v16 = fcmp uno <8 x float> %v7, %v7
  %v17 = select <8 x i1> %v16, <8 x i32> %v15, <8 x i32> %v13
  %v18 = trunc <8 x i32> %v17 to <8 x i16>
  %v19 = zext <8 x i16> %v18 to <8 x i32>
  %v20 = shl <8 x i32> %v19, <i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16>
  %v21 = bitcast <8 x i32> %v20 to <8 x float>
  %v22 = bitcast <8 x float> %v21 to <8 x i32>
  %v23 = lshr <8 x i32> %v22, <i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16, i32 16>
  %v24 = trunc <8 x i32> %v23 to <8 x i16>
  store <8 x i16> %v24, ptr %C.2, align 64
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
