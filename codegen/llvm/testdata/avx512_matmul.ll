; func matmul(A: float32[2, 2], B: float32[2, 14], out C: float32[2, 14]):
;   parallel i.0 in 2:
;     for j.0 in 2:
;       alloc C.local: float32[1, 7] local
;       unroll i.1 in 1:
;         vectorize j.1 in 7:
;           C.local[i.1, j.1] = 0f
;       for k.0 in 1:
;         unroll k.1 in 2:
;           unroll i.2 in 1:
;             vectorize j.2 in 7:
;               C.local[i.2, j.2] = (C.local[i.2, j.2] + (A[((i.0*1) + i.2), ((k.0*2) + k.1)]*B[((k.0*2) + k.1), ((j.0*7) + j.2)]))
;       unroll i.3 in 1:
;         vectorize j.3 in 7:
;           C[((i.0*1) + i.3), ((j.0*7) + j.3)] = C.local[i.3, j.3]

; matmul
; for llvm -mcpu=skylake-avx512 -mattr=avx,avx2,fma,f16c,avx512f,avx512vl,avx512bw -cores=2

declare <8 x float> @llvm.fma.v8f32(<8 x float>, <8 x float>, <8 x float>)
declare <8 x float> @llvm.masked.load.v8f32.p0(ptr, i32 immarg, <8 x i1>, <8 x float>)
declare void @llvm.masked.store.v8f32.p0(<8 x float>, ptr, i32 immarg, <8 x i1>)
declare void @wmtune_parallel_for(ptr, ptr, i64) nounwind

define internal void @kernel.body.1(ptr noalias align 64 %A.14, ptr noalias align 64 %B.18, ptr noalias align 64 %C.34, i64 %lo.1, i64 %hi.2) #0 {
entry:
  %C.local.12 = alloca [8 x float], align 64
  %v5 = icmp slt i64 %lo.1, %hi.2
  br i1 %v5, label %loop.3, label %end.4
loop.3:
  %i.0.6 = phi i64 [ %lo.1, %entry ], [ %i.0.next.7, %end.9 ]
  br label %loop.8
loop.8:
  %j.0.10 = phi i64 [ 0, %loop.3 ], [ %j.0.next.11, %loop.8 ]
  store <8 x float> zeroinitializer, ptr %C.local.12, align 64
  %v13 = load <8 x float>, ptr %C.local.12, align 64
  %v15 = mul i64 %i.0.6, 2
  %v16 = getelementptr float, ptr %A.14, i64 %v15
  %v17 = load float, ptr %v16, align 8
  %v19 = mul i64 %j.0.10, 7
  %v20 = getelementptr float, ptr %B.18, i64 %v19
  %v21 = load <8 x float>, ptr %v20, align 4
  %v22 = insertelement <8 x float> poison, float %v17, i64 0
  %v23 = shufflevector <8 x float> %v22, <8 x float> poison, <8 x i32> zeroinitializer
  %v24 = call <8 x float> @llvm.fma.v8f32(<8 x float> %v23, <8 x float> %v21, <8 x float> %v13)
  store <8 x float> %v24, ptr %C.local.12, align 64
  %v25 = load <8 x float>, ptr %C.local.12, align 64
  %v26 = getelementptr float, ptr %v16, i64 1
  %v27 = load float, ptr %v26, align 4
  %v28 = getelementptr float, ptr %v20, i64 14
  %v29 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %v28, i32 4, <8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 false>, <8 x float> zeroinitializer)
  %v30 = insertelement <8 x float> poison, float %v27, i64 0
  %v31 = shufflevector <8 x float> %v30, <8 x float> poison, <8 x i32> zeroinitializer
  %v32 = call <8 x float> @llvm.fma.v8f32(<8 x float> %v31, <8 x float> %v29, <8 x float> %v25)
  store <8 x float> %v32, ptr %C.local.12, align 64
  %v33 = load <8 x float>, ptr %C.local.12, align 64
  %v35 = mul i64 %i.0.6, 14
  %v36 = add i64 %v35, %v19
  %v37 = getelementptr float, ptr %C.34, i64 %v36
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v33, ptr %v37, i32 4, <8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 false>)
  %j.0.next.11 = add nuw nsw i64 %j.0.10, 1
  %j.0.next.11.more = icmp ult i64 %j.0.next.11, 2
  br i1 %j.0.next.11.more, label %loop.8, label %end.9
end.9:
  %i.0.next.7 = add nuw nsw i64 %i.0.6, 1
  %i.0.next.7.more = icmp slt i64 %i.0.next.7, %hi.2
  br i1 %i.0.next.7.more, label %loop.3, label %end.4
end.4:
  ret void
}

define internal void @kernel.par.1(ptr %context, i64 %lo, i64 %hi) #0 {
entry:
  %v1 = getelementptr i64, ptr %context, i64 0
  %v2 = load ptr, ptr %v1, align 8
  %v3 = getelementptr i64, ptr %context, i64 1
  %v4 = load ptr, ptr %v3, align 8
  %v5 = getelementptr i64, ptr %context, i64 2
  %v6 = load ptr, ptr %v5, align 8
  call void @kernel.body.1(ptr %v2, ptr %v4, ptr %v6, i64 %lo, i64 %hi)
  ret void
}

define internal void @kernel.main(ptr noalias readonly align 64 %A.1, ptr noalias readonly align 64 %B.2, ptr noalias align 64 %C.3) #0 {
entry:
  %context.4 = alloca [3 x i64], align 8
  %v5 = getelementptr i64, ptr %context.4, i64 0
  store ptr %A.1, ptr %v5, align 8
  %v6 = getelementptr i64, ptr %context.4, i64 1
  store ptr %B.2, ptr %v6, align 8
  %v7 = getelementptr i64, ptr %context.4, i64 2
  store ptr %C.3, ptr %v7, align 8
  call void @wmtune_parallel_for(ptr @kernel.par.1, ptr %context.4, i64 2)
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

attributes #0 = { nounwind "prefer-vector-width"="512" "min-legal-vector-width"="512" }
