; func kernel(A: float32[24], out C: float32[24]):
;   alloc T: float32[24, 1000]
;   parallel i in 24:
;     alloc U: float32[10001]
;     U[(i*400)] = A[i]
;     T[i, 7] = U[(i*400)]
;   parallel k in 24:
;     T[k, 8] = A[k]
;   vectorize j in 24:
;     C[j] = (T[j, 7] + A[j])

; kernel
; for llvm -mcpu=haswell -mattr=avx,avx2,fma,f16c -cores=2

declare noalias align 64 ptr @wmtune_alloc(ptr, i64) nounwind
declare void @wmtune_free(ptr, ptr) nounwind
declare void @wmtune_parallel_for(ptr, ptr, ptr, i64) nounwind

define internal void @kernel.body.1(ptr %rt, ptr noalias align 64 %A.9, ptr noalias align 64 %T.15, i64 %lo.1, i64 %hi.2) #0 {
entry:
  %U.8 = call noalias align 64 ptr @wmtune_alloc(ptr %rt, i64 40004)
  %v5 = icmp slt i64 %lo.1, %hi.2
  br i1 %v5, label %loop.3, label %end.4
loop.3:
  %i.6 = phi i64 [ %lo.1, %entry ], [ %i.next.7, %loop.3 ]
  %v10 = getelementptr float, ptr %A.9, i64 %i.6
  %v11 = load float, ptr %v10, align 4
  %v12 = mul i64 %i.6, 400
  %v13 = getelementptr float, ptr %U.8, i64 %v12
  store float %v11, ptr %v13, align 64
  %v14 = load float, ptr %v13, align 64
  %v16 = mul i64 %i.6, 1000
  %v17 = getelementptr float, ptr %T.15, i64 %v16
  %v18 = getelementptr float, ptr %v17, i64 7
  store float %v14, ptr %v18, align 4
  %i.next.7 = add nuw nsw i64 %i.6, 1
  %i.next.7.more = icmp slt i64 %i.next.7, %hi.2
  br i1 %i.next.7.more, label %loop.3, label %end.4
end.4:
  call void @wmtune_free(ptr %rt, ptr %U.8)
  ret void
}

define internal void @kernel.par.1(ptr %rt, ptr %context, i64 %lo, i64 %hi) #0 {
entry:
  %v1 = getelementptr i64, ptr %context, i64 0
  %v2 = load ptr, ptr %v1, align 8
  %v3 = getelementptr i64, ptr %context, i64 1
  %v4 = load ptr, ptr %v3, align 8
  call void @kernel.body.1(ptr %rt, ptr %v2, ptr %v4, i64 %lo, i64 %hi)
  ret void
}

define internal void @kernel.body.2(ptr %rt, ptr noalias align 64 %A.8, ptr noalias align 64 %T.11, i64 %lo.1, i64 %hi.2) #0 {
entry:
  %v5 = icmp slt i64 %lo.1, %hi.2
  br i1 %v5, label %loop.3, label %end.4
loop.3:
  %k.6 = phi i64 [ %lo.1, %entry ], [ %k.next.7, %loop.3 ]
  %v9 = getelementptr float, ptr %A.8, i64 %k.6
  %v10 = load float, ptr %v9, align 4
  %v12 = mul i64 %k.6, 1000
  %v13 = getelementptr float, ptr %T.11, i64 %v12
  %v14 = getelementptr float, ptr %v13, i64 8
  store float %v10, ptr %v14, align 32
  %k.next.7 = add nuw nsw i64 %k.6, 1
  %k.next.7.more = icmp slt i64 %k.next.7, %hi.2
  br i1 %k.next.7.more, label %loop.3, label %end.4
end.4:
  ret void
}

define internal void @kernel.par.2(ptr %rt, ptr %context, i64 %lo, i64 %hi) #0 {
entry:
  %v1 = getelementptr i64, ptr %context, i64 0
  %v2 = load ptr, ptr %v1, align 8
  %v3 = getelementptr i64, ptr %context, i64 1
  %v4 = load ptr, ptr %v3, align 8
  call void @kernel.body.2(ptr %rt, ptr %v2, ptr %v4, i64 %lo, i64 %hi)
  ret void
}

define hidden void @wmtune_kernel(ptr %rt, ptr noalias readonly align 64 %A.1, ptr noalias align 64 %C.2) #0 {
entry:
  %T.3 = call noalias align 64 ptr @wmtune_alloc(ptr %rt, i64 96000)
  %context.4 = alloca [2 x i64], align 8
  %context.7 = alloca [2 x i64], align 8
  %v5 = getelementptr i64, ptr %context.4, i64 0
  store ptr %A.1, ptr %v5, align 8
  %v6 = getelementptr i64, ptr %context.4, i64 1
  store ptr %T.3, ptr %v6, align 8
  call void @wmtune_parallel_for(ptr %rt, ptr @kernel.par.1, ptr %context.4, i64 24)
  %v8 = getelementptr i64, ptr %context.7, i64 0
  store ptr %A.1, ptr %v8, align 8
  %v9 = getelementptr i64, ptr %context.7, i64 1
  store ptr %T.3, ptr %v9, align 8
  call void @wmtune_parallel_for(ptr %rt, ptr @kernel.par.2, ptr %context.7, i64 24)
  %v10 = getelementptr float, ptr %T.3, i64 7
  %v11 = load float, ptr %v10, align 4
  %v12 = getelementptr float, ptr %T.3, i64 1007
  %v13 = load float, ptr %v12, align 4
  %v14 = getelementptr float, ptr %T.3, i64 2007
  %v15 = load float, ptr %v14, align 4
  %v16 = getelementptr float, ptr %T.3, i64 3007
  %v17 = load float, ptr %v16, align 4
  %v18 = getelementptr float, ptr %T.3, i64 4007
  %v19 = load float, ptr %v18, align 4
  %v20 = getelementptr float, ptr %T.3, i64 5007
  %v21 = load float, ptr %v20, align 4
  %v22 = getelementptr float, ptr %T.3, i64 6007
  %v23 = load float, ptr %v22, align 4
  %v24 = getelementptr float, ptr %T.3, i64 7007
  %v25 = load float, ptr %v24, align 4
  %v26 = insertelement <8 x float> poison, float %v11, i64 0
  %v27 = insertelement <8 x float> %v26, float %v13, i64 1
  %v28 = insertelement <8 x float> %v27, float %v15, i64 2
  %v29 = insertelement <8 x float> %v28, float %v17, i64 3
  %v30 = insertelement <8 x float> %v29, float %v19, i64 4
  %v31 = insertelement <8 x float> %v30, float %v21, i64 5
  %v32 = insertelement <8 x float> %v31, float %v23, i64 6
  %v33 = insertelement <8 x float> %v32, float %v25, i64 7
  %v34 = load <8 x float>, ptr %A.1, align 64
  %v35 = fadd <8 x float> %v33, %v34
  store <8 x float> %v35, ptr %C.2, align 64
  %v36 = getelementptr float, ptr %T.3, i64 8007
  %v37 = load float, ptr %v36, align 4
  %v38 = getelementptr float, ptr %T.3, i64 9007
  %v39 = load float, ptr %v38, align 4
  %v40 = getelementptr float, ptr %T.3, i64 10007
  %v41 = load float, ptr %v40, align 4
  %v42 = getelementptr float, ptr %T.3, i64 11007
  %v43 = load float, ptr %v42, align 4
  %v44 = getelementptr float, ptr %T.3, i64 12007
  %v45 = load float, ptr %v44, align 4
  %v46 = getelementptr float, ptr %T.3, i64 13007
  %v47 = load float, ptr %v46, align 4
  %v48 = getelementptr float, ptr %T.3, i64 14007
  %v49 = load float, ptr %v48, align 4
  %v50 = getelementptr float, ptr %T.3, i64 15007
  %v51 = load float, ptr %v50, align 4
  %v52 = insertelement <8 x float> poison, float %v37, i64 0
  %v53 = insertelement <8 x float> %v52, float %v39, i64 1
  %v54 = insertelement <8 x float> %v53, float %v41, i64 2
  %v55 = insertelement <8 x float> %v54, float %v43, i64 3
  %v56 = insertelement <8 x float> %v55, float %v45, i64 4
  %v57 = insertelement <8 x float> %v56, float %v47, i64 5
  %v58 = insertelement <8 x float> %v57, float %v49, i64 6
  %v59 = insertelement <8 x float> %v58, float %v51, i64 7
  %v60 = getelementptr float, ptr %A.1, i64 8
  %v61 = load <8 x float>, ptr %v60, align 32
  %v62 = fadd <8 x float> %v59, %v61
  %v63 = getelementptr float, ptr %C.2, i64 8
  store <8 x float> %v62, ptr %v63, align 32
  %v64 = getelementptr float, ptr %T.3, i64 16007
  %v65 = load float, ptr %v64, align 4
  %v66 = getelementptr float, ptr %T.3, i64 17007
  %v67 = load float, ptr %v66, align 4
  %v68 = getelementptr float, ptr %T.3, i64 18007
  %v69 = load float, ptr %v68, align 4
  %v70 = getelementptr float, ptr %T.3, i64 19007
  %v71 = load float, ptr %v70, align 4
  %v72 = getelementptr float, ptr %T.3, i64 20007
  %v73 = load float, ptr %v72, align 4
  %v74 = getelementptr float, ptr %T.3, i64 21007
  %v75 = load float, ptr %v74, align 4
  %v76 = getelementptr float, ptr %T.3, i64 22007
  %v77 = load float, ptr %v76, align 4
  %v78 = getelementptr float, ptr %T.3, i64 23007
  %v79 = load float, ptr %v78, align 4
  %v80 = insertelement <8 x float> poison, float %v65, i64 0
  %v81 = insertelement <8 x float> %v80, float %v67, i64 1
  %v82 = insertelement <8 x float> %v81, float %v69, i64 2
  %v83 = insertelement <8 x float> %v82, float %v71, i64 3
  %v84 = insertelement <8 x float> %v83, float %v73, i64 4
  %v85 = insertelement <8 x float> %v84, float %v75, i64 5
  %v86 = insertelement <8 x float> %v85, float %v77, i64 6
  %v87 = insertelement <8 x float> %v86, float %v79, i64 7
  %v88 = getelementptr float, ptr %A.1, i64 16
  %v89 = load <8 x float>, ptr %v88, align 64
  %v90 = fadd <8 x float> %v87, %v89
  %v91 = getelementptr float, ptr %C.2, i64 16
  store <8 x float> %v90, ptr %v91, align 64
  call void @wmtune_free(ptr %rt, ptr %T.3)
  ret void
}

attributes #0 = { nounwind "prefer-vector-width"="256" "min-legal-vector-width"="256" }
