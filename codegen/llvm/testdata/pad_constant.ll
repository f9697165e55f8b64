; func pad_constant(A: float32[3, 24], out C: float32[5, 24]):
;   for k in 5:
;     vectorize j in 24:
;       C[k, j] = tir.if_then_else(((k >= 1) && (k < 4)), A[(k - 1), j], -1.5f)
;   vectorize j_1 in 24:
;     C[0, j_1] = tir.if_then_else(((j_1 >= 1) && (j_1 < 23)), A[1, (j_1 - 1)], -1.5f)

; pad_constant
; for llvm -mcpu=haswell -mattr=avx,avx2,fma,f16c -cores=2

@wmtune.float.BFF8000000000000 = private unnamed_addr constant [16 x float] [float 0xBFF8000000000000, float 0xBFF8000000000000, float 0xBFF8000000000000, float 0xBFF8000000000000, float 0xBFF8000000000000, float 0xBFF8000000000000, float 0xBFF8000000000000, float 0xBFF8000000000000, float 0xBFF8000000000000, float 0xBFF8000000000000, float 0xBFF8000000000000, float 0xBFF8000000000000, float 0xBFF8000000000000, float 0xBFF8000000000000, float 0xBFF8000000000000, float 0xBFF8000000000000], align 64
declare <8 x float> @llvm.masked.load.v8f32.p0(ptr, i32 immarg, <8 x i1>, <8 x float>)

define internal void @kernel.main(ptr noalias readonly align 64 %A.1, ptr noalias align 64 %C.2) #0 {
entry:
  br label %loop.3
loop.3:
  %k.5 = phi i64 [ 0, %entry ], [ %k.next.6, %loop.3 ]
  %v7 = icmp sge i64 %k.5, 1
  %v8 = icmp slt i64 %k.5, 4
  %v9 = and i1 %v7, %v8
  %v10 = mul i64 %k.5, 24
  %v11 = getelementptr float, ptr %A.1, i64 %v10
  %v12 = getelementptr float, ptr %v11, i64 -24
  %v13 = select i1 %v9, ptr %v12, ptr @wmtune.float.BFF8000000000000
  %v14 = load <8 x float>, ptr %v13, align 32
  %v15 = getelementptr float, ptr %C.2, i64 %v10
  store <8 x float> %v14, ptr %v15, align 32
  %v16 = getelementptr float, ptr %v11, i64 -16
  %v17 = select i1 %v9, ptr %v16, ptr @wmtune.float.BFF8000000000000
  %v18 = load <8 x float>, ptr %v17, align 32
  %v19 = getelementptr float, ptr %v15, i64 8
  store <8 x float> %v18, ptr %v19, align 32
  %v20 = getelementptr float, ptr %v11, i64 -8
  %v21 = select i1 %v9, ptr %v20, ptr @wmtune.float.BFF8000000000000
  %v22 = load <8 x float>, ptr %v21, align 32
  %v23 = getelementptr float, ptr %v15, i64 16
  store <8 x float> %v22, ptr %v23, align 32
  %k.next.6 = add nuw nsw i64 %k.5, 1
  %k.next.6.more = icmp ult i64 %k.next.6, 5
  br i1 %k.next.6.more, label %loop.3, label %end.4
end.4:
  %v24 = icmp sge <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>, <i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1, i32 1>
  %v25 = getelementptr float, ptr %A.1, i64 23
  %v26 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %v25, i32 4, <8 x i1> %v24, <8 x float> <float 0xBFF8000000000000, float 0xBFF8000000000000, float 0xBFF8000000000000, float 0xBFF8000000000000, float 0xBFF8000000000000, float 0xBFF8000000000000, float 0xBFF8000000000000, float 0xBFF8000000000000>)
  store <8 x float> %v26, ptr %C.2, align 64
  %v27 = getelementptr float, ptr %A.1, i64 31
  %v28 = load <8 x float>, ptr %v27, align 4
  %v29 = getelementptr float, ptr %C.2, i64 8
  store <8 x float> %v28, ptr %v29, align 32
  %v30 = icmp slt <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>, <i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7, i32 7>
  %v31 = getelementptr float, ptr %A.1, i64 39
  %v32 = load <8 x float>, ptr %v31, align 4
  %v33 = select <8 x i1> %v30, <8 x float> %v32, <8 x float> <float 0xBFF8000000000000, float 0xBFF8000000000000, float 0xBFF8000000000000, float 0xBFF8000000000000, float 0xBFF8000000000000, float 0xBFF8000000000000, float 0xBFF8000000000000, float 0xBFF8000000000000>
  %v34 = getelementptr float, ptr %C.2, i64 16
  store <8 x float> %v33, ptr %v34, align 64
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
