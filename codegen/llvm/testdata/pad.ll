; func one(A: float32[20], out C: float32[24]):
;   vectorize i in 24:
;     C[i] = tir.if_then_else(((i >= 2) && (i < 22)), A[(i - 2)], 0f)

; one
; for llvm -mcpu=haswell -mattr=avx,avx2,fma,f16c -cores=2

declare <8 x float> @llvm.masked.load.v8f32.p0(ptr, i32 immarg, <8 x i1>, <8 x float>)

define internal void @kernel.main(ptr noalias readonly align 64 %A.1, ptr noalias align 64 %C.2) #0 {
entry:
  %v3 = icmp sge <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>, <i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2, i32 2>
  %v4 = getelementptr float, ptr %A.1, i64 -2
  %v5 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %v4, i32 8, <8 x i1> %v3, <8 x float> zeroinitializer)
  store <8 x float> %v5, ptr %C.2, align 64
  %v6 = getelementptr float, ptr %A.1, i64 6
  %v7 = load <8 x float>, ptr %v6, align 8
  %v8 = getelementptr float, ptr %C.2, i64 8
  store <8 x float> %v7, ptr %v8, align 32
  %v9 = icmp slt <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>, <i32 6, i32 6, i32 6, i32 6, i32 6, i32 6, i32 6, i32 6>
  %v10 = getelementptr float, ptr %A.1, i64 14
  %v11 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %v10, i32 8, <8 x i1> %v9, <8 x float> zeroinitializer)
  %v12 = getelementptr float, ptr %C.2, i64 16
  store <8 x float> %v11, ptr %v12, align 64
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
