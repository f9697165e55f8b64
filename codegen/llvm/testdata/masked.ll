; func masked(A: float32[24], out B: float32[24]):
;   for k in 2:
;     vectorize l in 16:
;       if (((k*16) + l) < 24):
;         B[((k*16) + l)] = (A[((k*16) + l)] + A[0])

; masked
; for llvm -mcpu=haswell -mattr=avx,avx2,fma,f16c -cores=2

declare <8 x float> @llvm.masked.load.v8f32.p0(ptr, i32 immarg, <8 x i1>, <8 x float>)
declare void @llvm.masked.store.v8f32.p0(<8 x float>, ptr, i32 immarg, <8 x i1>)

define internal void @kernel.main(ptr noalias readonly align 64 %A.1, ptr noalias align 64 %B.2) #0 {
entry:
  br label %loop.3
loop.3:
  %k.5 = phi i64 [ 0, %entry ], [ %k.next.6, %loop.3 ]
  %v7 = mul i64 %k.5, 16
  %v8 = getelementptr float, ptr %A.1, i64 %v7
  %v9 = load <8 x float>, ptr %v8, align 64
  %v10 = load float, ptr %A.1, align 64
  %v11 = insertelement <8 x float> poison, float %v10, i64 0
  %v12 = shufflevector <8 x float> %v11, <8 x float> poison, <8 x i32> zeroinitializer
  %v13 = fadd <8 x float> %v9, %v12
  %v14 = getelementptr float, ptr %B.2, i64 %v7
  store <8 x float> %v13, ptr %v14, align 64
  %v15 = mul i64 %k.5, -16
  %v16 = add i64 %v15, 16
  %v17 = trunc i64 %v16 to i32
  %v18 = insertelement <8 x i32> poison, i32 %v17, i64 0
  %v19 = shufflevector <8 x i32> %v18, <8 x i32> poison, <8 x i32> zeroinitializer
  %v20 = icmp slt <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>, %v19
  %v21 = getelementptr float, ptr %v8, i64 8
  %v22 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %v21, i32 32, <8 x i1> %v20, <8 x float> zeroinitializer)
  %v23 = fadd <8 x float> %v22, %v12
  %v24 = getelementptr float, ptr %v14, i64 8
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v23, ptr %v24, i32 32, <8 x i1> %v20)
  %k.next.6 = add nuw nsw i64 %k.5, 1
  %k.next.6.more = icmp ult i64 %k.next.6, 2
  br i1 %k.next.6.more, label %loop.3, label %end.4
end.4:
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
