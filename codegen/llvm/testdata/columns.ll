; func columns(W: float32[8, 24], out C: float32[8]):
;   vectorize i in 8:
;     C[i] = 0f
;   for k in 6:
;     unroll l in 4:
;       vectorize j in 8:
;         C[j] = (C[j] + W[j, ((k*4) + l)])

; columns
; for llvm -mcpu=haswell -mattr=avx,avx2,fma,f16c -cores=2


define internal void @kernel.main(ptr noalias readonly align 64 %W.1, ptr noalias align 64 %C.2) #0 {
entry:
  %C.acc.3 = alloca [8 x float], align 64
  store <8 x float> zeroinitializer, ptr %C.acc.3, align 64
  br label %loop.4
loop.4:
  %k.6 = phi i64 [ 0, %entry ], [ %k.next.7, %loop.4 ]
  %v8 = load <8 x float>, ptr %C.acc.3, align 64
  %v9 = mul i64 %k.6, 4
  %v10 = getelementptr float, ptr %W.1, i64 %v9
  %v11 = load <4 x float>, ptr %v10, align 16
  %v12 = getelementptr float, ptr %v10, i64 96
  %v13 = load <4 x float>, ptr %v12, align 16
  %v14 = shufflevector <4 x float> %v11, <4 x float> %v13, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %v15 = getelementptr float, ptr %v10, i64 24
  %v16 = load <4 x float>, ptr %v15, align 16
  %v17 = getelementptr float, ptr %v10, i64 120
  %v18 = load <4 x float>, ptr %v17, align 16
  %v19 = shufflevector <4 x float> %v16, <4 x float> %v18, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %v20 = getelementptr float, ptr %v10, i64 48
  %v21 = load <4 x float>, ptr %v20, align 16
  %v22 = getelementptr float, ptr %v10, i64 144
  %v23 = load <4 x float>, ptr %v22, align 16
  %v24 = shufflevector <4 x float> %v21, <4 x float> %v23, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %v25 = getelementptr float, ptr %v10, i64 72
  %v26 = load <4 x float>, ptr %v25, align 16
  %v27 = getelementptr float, ptr %v10, i64 168
  %v28 = load <4 x float>, ptr %v27, align 16
  %v29 = shufflevector <4 x float> %v26, <4 x float> %v28, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %v30 = shufflevector <8 x float> %v14, <8 x float> %v19, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %v31 = shufflevector <8 x float> %v24, <8 x float> %v29, <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
  %v32 = shufflevector <8 x float> %v30, <8 x float> %v31, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %v33 = fadd <8 x float> %v8, %v32
  store <8 x float> %v33, ptr %C.acc.3, align 64
  %v34 = load <8 x float>, ptr %C.acc.3, align 64
  %v35 = shufflevector <8 x float> %v30, <8 x float> %v31, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %v36 = fadd <8 x float> %v34, %v35
  store <8 x float> %v36, ptr %C.acc.3, align 64
  %v37 = load <8 x float>, ptr %C.acc.3, align 64
  %v38 = shufflevector <8 x float> %v14, <8 x float> %v19, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %v39 = shufflevector <8 x float> %v24, <8 x float> %v29, <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
  %v40 = shufflevector <8 x float> %v38, <8 x float> %v39, <8 x i32> <i32 0, i32 1, i32 8, i32 9, i32 4, i32 5, i32 12, i32 13>
  %v41 = fadd <8 x float> %v37, %v40
  store <8 x float> %v41, ptr %C.acc.3, align 64
  %v42 = load <8 x float>, ptr %C.acc.3, align 64
  %v43 = shufflevector <8 x float> %v38, <8 x float> %v39, <8 x i32> <i32 2, i32 3, i32 10, i32 11, i32 6, i32 7, i32 14, i32 15>
  %v44 = fadd <8 x float> %v42, %v43
  store <8 x float> %v44, ptr %C.acc.3, align 64
  %k.next.7 = add nuw nsw i64 %k.6, 1
  %k.next.7.more = icmp ult i64 %k.next.7, 6
  br i1 %k.next.7.more, label %loop.4, label %end.5
end.5:
  %v45 = load <8 x float>, ptr %C.acc.3, align 64
  store <8 x float> %v45, ptr %C.2, align 64
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
