; func matmul(A: float32[4, 4], B: float32[4, 16], out C: float32[4, 16]):
;   parallel i.0 in 2:
;     for j.0 in 1:
;       alloc C.local: float32[2, 16] local
;       unroll i.1 in 2:
;         vectorize j.1 in 16:
;           C.local[i.1, j.1] = 0f
;       for k.0 in 2:
;         unroll k.1 in 2:
;           unroll i.2 in 2:
;             vectorize j.2 in 16:
;               C.local[i.2, j.2] = (C.local[i.2, j.2] + (A[((i.0*2) + i.2), ((k.0*2) + k.1)]*B[((k.0*2) + k.1), ((j.0*16) + j.2)]))
;       unroll i.3 in 2:
;         vectorize j.3 in 16:
;           C[((i.0*2) + i.3), ((j.0*16) + j.3)] = C.local[i.3, j.3]

; matmul
; for llvm -mcpu=haswell -mattr=avx,avx2,fma,f16c -cores=2

declare <8 x float> @llvm.fma.v8f32(<8 x float>, <8 x float>, <8 x float>)
declare void @wmtune_parallel_for(ptr, ptr, i64) nounwind

define internal void @kernel.body.1(ptr noalias align 64 %A.17, ptr noalias align 64 %B.23, ptr noalias align 64 %C.63, i64 %lo.1, i64 %hi.2) #0 {
entry:
  %C.local.8 = alloca [32 x float], align 64
  %v5 = icmp slt i64 %lo.1, %hi.2
  br i1 %v5, label %loop.3, label %end.4
loop.3:
  %i.0.6 = phi i64 [ %lo.1, %entry ], [ %i.0.next.7, %end.13 ]
  store <8 x float> zeroinitializer, ptr %C.local.8, align 64
  %v9 = getelementptr float, ptr %C.local.8, i64 8
  store <8 x float> zeroinitializer, ptr %v9, align 32
  %v10 = getelementptr float, ptr %C.local.8, i64 16
  store <8 x float> zeroinitializer, ptr %v10, align 64
  %v11 = getelementptr float, ptr %C.local.8, i64 24
  store <8 x float> zeroinitializer, ptr %v11, align 32
  br label %loop.12
loop.12:
  %k.0.14 = phi i64 [ 0, %loop.3 ], [ %k.0.next.15, %loop.12 ]
  %v16 = load <8 x float>, ptr %C.local.8, align 64
  %v18 = mul i64 %i.0.6, 8
  %v19 = mul i64 %k.0.14, 2
  %v20 = add i64 %v18, %v19
  %v21 = getelementptr float, ptr %A.17, i64 %v20
  %v22 = load float, ptr %v21, align 8
  %v24 = mul i64 %k.0.14, 32
  %v25 = getelementptr float, ptr %B.23, i64 %v24
  %v26 = load <8 x float>, ptr %v25, align 64
  %v27 = insertelement <8 x float> poison, float %v22, i64 0
  %v28 = shufflevector <8 x float> %v27, <8 x float> poison, <8 x i32> zeroinitializer
  %v29 = call <8 x float> @llvm.fma.v8f32(<8 x float> %v28, <8 x float> %v26, <8 x float> %v16)
  store <8 x float> %v29, ptr %C.local.8, align 64
  %v30 = load <8 x float>, ptr %v9, align 32
  %v31 = getelementptr float, ptr %v25, i64 8
  %v32 = load <8 x float>, ptr %v31, align 32
  %v33 = call <8 x float> @llvm.fma.v8f32(<8 x float> %v28, <8 x float> %v32, <8 x float> %v30)
  store <8 x float> %v33, ptr %v9, align 32
  %v34 = load <8 x float>, ptr %v10, align 64
  %v35 = getelementptr float, ptr %v21, i64 4
  %v36 = load float, ptr %v35, align 8
  %v37 = insertelement <8 x float> poison, float %v36, i64 0
  %v38 = shufflevector <8 x float> %v37, <8 x float> poison, <8 x i32> zeroinitializer
  %v39 = call <8 x float> @llvm.fma.v8f32(<8 x float> %v38, <8 x float> %v26, <8 x float> %v34)
  store <8 x float> %v39, ptr %v10, align 64
  %v40 = load <8 x float>, ptr %v11, align 32
  %v41 = call <8 x float> @llvm.fma.v8f32(<8 x float> %v38, <8 x float> %v32, <8 x float> %v40)
  store <8 x float> %v41, ptr %v11, align 32
  %v42 = load <8 x float>, ptr %C.local.8, align 64
  %v43 = getelementptr float, ptr %v21, i64 1
  %v44 = load float, ptr %v43, align 4
  %v45 = getelementptr float, ptr %v25, i64 16
  %v46 = load <8 x float>, ptr %v45, align 64
  %v47 = insertelement <8 x float> poison, float %v44, i64 0
  %v48 = shufflevector <8 x float> %v47, <8 x float> poison, <8 x i32> zeroinitializer
  %v49 = call <8 x float> @llvm.fma.v8f32(<8 x float> %v48, <8 x float> %v46, <8 x float> %v42)
  store <8 x float> %v49, ptr %C.local.8, align 64
  %v50 = load <8 x float>, ptr %v9, align 32
  %v51 = getelementptr float, ptr %v25, i64 24
  %v52 = load <8 x float>, ptr %v51, align 32
  %v53 = call <8 x float> @llvm.fma.v8f32(<8 x float> %v48, <8 x float> %v52, <8 x float> %v50)
  store <8 x float> %v53, ptr %v9, align 32
  %v54 = load <8 x float>, ptr %v10, align 64
  %v55 = getelementptr float, ptr %v21, i64 5
  %v56 = load float, ptr %v55, align 4
  %v57 = insertelement <8 x float> poison, float %v56, i64 0
  %v58 = shufflevector <8 x float> %v57, <8 x float> poison, <8 x i32> zeroinitializer
  %v59 = call <8 x float> @llvm.fma.v8f32(<8 x float> %v58, <8 x float> %v46, <8 x float> %v54)
  store <8 x float> %v59, ptr %v10, align 64
  %v60 = load <8 x float>, ptr %v11, align 32
  %v61 = call <8 x float> @llvm.fma.v8f32(<8 x float> %v58, <8 x float> %v52, <8 x float> %v60)
  store <8 x float> %v61, ptr %v11, align 32
  %k.0.next.15 = add nuw nsw i64 %k.0.14, 1
  %k.0.next.15.more = icmp ult i64 %k.0.next.15, 2
  br i1 %k.0.next.15.more, label %loop.12, label %end.13
end.13:
  %v62 = load <8 x float>, ptr %C.local.8, align 64
  %v64 = mul i64 %i.0.6, 32
  %v65 = getelementptr float, ptr %C.63, i64 %v64
  store <8 x float> %v62, ptr %v65, align 64
  %v66 = load <8 x float>, ptr %v9, align 32
  %v67 = getelementptr float, ptr %v65, i64 8
  store <8 x float> %v66, ptr %v67, align 32
  %v68 = load <8 x float>, ptr %v10, align 64
  %v69 = getelementptr float, ptr %v65, i64 16
  store <8 x float> %v68, ptr %v69, align 64
  %v70 = load <8 x float>, ptr %v11, align 32
  %v71 = getelementptr float, ptr %v65, i64 24
  store <8 x float> %v70, ptr %v71, align 32
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

attributes #0 = { nounwind "prefer-vector-width"="256" "min-legal-vector-width"="256" }
