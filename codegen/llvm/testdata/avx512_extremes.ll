; func extremes(W: float32[8, 24], out C: float32[16]):
;   vectorize j in 16:
;     C[j] = W[7, j]
;   for k in 7:
;     vectorize j_1 in 16:
;       C[j_1] = max(C[j_1], W[k, j_1])
;   unroll k_1 in 3:
;     vectorize j_2 in 16:
;       C[j_2] = min(W[k_1, j_2], C[j_2])

; extremes
; for llvm -mcpu=skylake-avx512 -mattr=avx,avx2,fma,f16c,avx512f,avx512vl,avx512bw -cores=2


define internal void @kernel.main(ptr noalias readonly align 64 %W.1, ptr noalias align 64 %C.2) #0 {
entry:
  %C.acc.5 = alloca [16 x float], align 64
  %nan.14 = alloca <16 x i1>
  %C.acc.25 = alloca [16 x float], align 64
  %nan.28 = alloca <16 x i1>
  %v3 = getelementptr float, ptr %W.1, i64 168
  %v4 = load <16 x float>, ptr %v3, align 32
  store <16 x float> %v4, ptr %C.2, align 64
  %v6 = load <16 x float>, ptr %C.2, align 64
  store <16 x float> %v6, ptr %C.acc.5, align 64
  store <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, ptr %nan.14
  br label %loop.7
loop.7:
  %k.9 = phi i64 [ 0, %entry ], [ %k.next.10, %loop.7 ]
  %v11 = mul i64 %k.9, 24
  %v12 = getelementptr float, ptr %W.1, i64 %v11
  %v13 = load <16 x float>, ptr %v12, align 32
  %v15 = load <16 x float>, ptr %C.acc.5, align 64
  %v16 = fcmp ogt <16 x float> %v13, %v15
  %v17 = select <16 x i1> %v16, <16 x float> %v13, <16 x float> %v15
  store <16 x float> %v17, ptr %C.acc.5, align 64
  %v18 = load <16 x i1>, ptr %nan.14
  %v19 = fcmp ord <16 x float> %v13, %v13
  %v20 = and <16 x i1> %v18, %v19
  store <16 x i1> %v20, ptr %nan.14
  %k.next.10 = add nuw nsw i64 %k.9, 1
  %k.next.10.more = icmp ult i64 %k.next.10, 7
  br i1 %k.next.10.more, label %loop.7, label %end.8
end.8:
  %v21 = load <16 x float>, ptr %C.acc.5, align 64
  %v22 = load <16 x i1>, ptr %nan.14
  %v23 = select <16 x i1> %v22, <16 x float> %v21, <16 x float> <float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000>
  store <16 x float> %v23, ptr %C.acc.5, align 64
  %v24 = load <16 x float>, ptr %C.acc.5, align 64
  store <16 x float> %v24, ptr %C.2, align 64
  %v26 = load <16 x float>, ptr %C.2, align 64
  store <16 x float> %v26, ptr %C.acc.25, align 64
  %v27 = load <16 x float>, ptr %W.1, align 64
  %v29 = load <16 x float>, ptr %C.acc.25, align 64
  %v30 = fcmp olt <16 x float> %v27, %v29
  %v31 = select <16 x i1> %v30, <16 x float> %v27, <16 x float> %v29
  store <16 x float> %v31, ptr %C.acc.25, align 64
  %v32 = getelementptr float, ptr %W.1, i64 24
  %v33 = load <16 x float>, ptr %v32, align 32
  %v34 = load <16 x float>, ptr %C.acc.25, align 64
  %v35 = fcmp olt <16 x float> %v33, %v34
  %v36 = select <16 x i1> %v35, <16 x float> %v33, <16 x float> %v34
  store <16 x float> %v36, ptr %C.acc.25, align 64
  %v37 = fcmp ord <16 x float> %v27, %v33
  store <16 x i1> %v37, ptr %nan.28
  %v38 = getelementptr float, ptr %W.1, i64 48
  %v39 = load <16 x float>, ptr %v38, align 64
  %v40 = load <16 x float>, ptr %C.acc.25, align 64
  %v41 = fcmp olt <16 x float> %v39, %v40
  %v42 = select <16 x i1> %v41, <16 x float> %v39, <16 x float> %v40
  store <16 x float> %v42, ptr %C.acc.25, align 64
  %v43 = load <16 x i1>, ptr %nan.28
  %v44 = fcmp ord <16 x float> %v39, %v39
  %v45 = and <16 x i1> %v43, %v44
  store <16 x i1> %v45, ptr %nan.28
  %v46 = load <16 x float>, ptr %C.acc.25, align 64
  %v47 = load <16 x i1>, ptr %nan.28
  %v48 = select <16 x i1> %v47, <16 x float> %v46, <16 x float> <float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000, float 0x7FF8000000000000>
  store <16 x float> %v48, ptr %C.acc.25, align 64
  %v49 = load <16 x float>, ptr %C.acc.25, align 64
  store <16 x float> %v49, ptr %C.2, align 64
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

attributes #0 = { nounwind "prefer-vector-width"="512" "min-legal-vector-width"="512" }
