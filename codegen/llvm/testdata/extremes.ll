; func extremes(W: float32[8, 24], out C: float32[8]):
;   vectorize j in 8:
;     C[j] = W[7, j]
;   for k in 7:
;     vectorize j_1 in 8:
;       C[j_1] = max(C[j_1], W[k, j_1])
;   unroll k_1 in 3:
;     vectorize j_2 in 8:
;       C[j_2] = min(W[k_1, j_2], C[j_2])

; extremes
; for llvm -mcpu=haswell -mattr=avx,avx2,fma,f16c -cores=2


define internal void @kernel.main(ptr noalias readonly align 64 %W.1, ptr noalias align 64 %C.2) #0 {
entry:
  %C.acc.5 = alloca [8 x float], align 64
  %nan.14 = alloca <8 x float>
  %C.acc.29 = alloca [8 x float], align 64
  %nan.32 = alloca <8 x float>
  %v3 = getelementptr float, ptr %W.1, i64 168
  %v4 = load <8 x float>, ptr %v3, align 32
  store <8 x float> %v4, ptr %C.2, align 64
  %v6 = load <8 x float>, ptr %C.2, align 64
  store <8 x float> %v6, ptr %C.acc.5, align 64
  store <8 x float> zeroinitializer, ptr %nan.14
  br label %loop.7
loop.7:
  %k.9 = phi i64 [ 0, %entry ], [ %k.next.10, %loop.7 ]
  %v11 = mul i64 %k.9, 24
  %v12 = getelementptr float, ptr %W.1, i64 %v11
  %v13 = load <8 x float>, ptr %v12, align 32
  %v15 = load <8 x float>, ptr %C.acc.5, align 64
  %v16 = fcmp ogt <8 x float> %v13, %v15
  %v17 = select <8 x i1> %v16, <8 x float> %v13, <8 x float> %v15
  store <8 x float> %v17, ptr %C.acc.5, align 64
  %v18 = load <8 x float>, ptr %nan.14
  %v19 = fcmp uno <8 x float> %v18, %v13
  %v20 = sext <8 x i1> %v19 to <8 x i32>
  %v21 = bitcast <8 x i32> %v20 to <8 x float>
  store <8 x float> %v21, ptr %nan.14
  %k.next.10 = add nuw nsw i64 %k.9, 1
  %k.next.10.more = icmp ult i64 %k.next.10, 7
  br i1 %k.next.10.more, label %loop.7, label %end.8
end.8:
  %v22 = load <8 x float>, ptr %C.acc.5, align 64
  %v23 = load <8 x float>, ptr %nan.14
  %v24 = bitcast <8 x float> %v22 to <8 x i32>
  %v25 = bitcast <8 x float> %v23 to <8 x i32>
  %v26 = or <8 x i32> %v24, %v25
  %v27 = bitcast <8 x i32> %v26 to <8 x float>
  store <8 x float> %v27, ptr %C.acc.5, align 64
  %v28 = load <8 x float>, ptr %C.acc.5, align 64
  store <8 x float> %v28, ptr %C.2, align 64
  %v30 = load <8 x float>, ptr %C.2, align 64
  store <8 x float> %v30, ptr %C.acc.29, align 64
  %v31 = load <8 x float>, ptr %W.1, align 64
  %v33 = load <8 x float>, ptr %C.acc.29, align 64
  %v34 = fcmp olt <8 x float> %v31, %v33
  %v35 = select <8 x i1> %v34, <8 x float> %v31, <8 x float> %v33
  store <8 x float> %v35, ptr %C.acc.29, align 64
  %v36 = getelementptr float, ptr %W.1, i64 24
  %v37 = load <8 x float>, ptr %v36, align 32
  %v38 = load <8 x float>, ptr %C.acc.29, align 64
  %v39 = fcmp olt <8 x float> %v37, %v38
  %v40 = select <8 x i1> %v39, <8 x float> %v37, <8 x float> %v38
  store <8 x float> %v40, ptr %C.acc.29, align 64
  %v41 = fcmp uno <8 x float> %v31, %v37
  %v42 = sext <8 x i1> %v41 to <8 x i32>
  %v43 = bitcast <8 x i32> %v42 to <8 x float>
  store <8 x float> %v43, ptr %nan.32
  %v44 = getelementptr float, ptr %W.1, i64 48
  %v45 = load <8 x float>, ptr %v44, align 64
  %v46 = load <8 x float>, ptr %C.acc.29, align 64
  %v47 = fcmp olt <8 x float> %v45, %v46
  %v48 = select <8 x i1> %v47, <8 x float> %v45, <8 x float> %v46
  store <8 x float> %v48, ptr %C.acc.29, align 64
  %v49 = load <8 x float>, ptr %nan.32
  %v50 = fcmp uno <8 x float> %v49, %v45
  %v51 = sext <8 x i1> %v50 to <8 x i32>
  %v52 = bitcast <8 x i32> %v51 to <8 x float>
  store <8 x float> %v52, ptr %nan.32
  %v53 = load <8 x float>, ptr %C.acc.29, align 64
  %v54 = load <8 x float>, ptr %nan.32
  %v55 = bitcast <8 x float> %v53 to <8 x i32>
  %v56 = bitcast <8 x float> %v54 to <8 x i32>
  %v57 = or <8 x i32> %v55, %v56
  %v58 = bitcast <8 x i32> %v57 to <8 x float>
  store <8 x float> %v58, ptr %C.acc.29, align 64
  %v59 = load <8 x float>, ptr %C.acc.29, align 64
  store <8 x float> %v59, ptr %C.2, align 64
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
