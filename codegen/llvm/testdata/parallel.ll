; func parallel(A: float32[3, 24], out C: float32[3, 24]):
;   alloc T: float32[24]
;   for j in 3:
;     parallel k in 24:
;       T[k] = A[j, k]
;     parallel l in 24:
;       C[j, l] = T[(23 - l)]

; parallel
; for llvm -mcpu=haswell -mattr=avx,avx2,fma,f16c -cores=2

declare void @wmtune_parallel_for(ptr, ptr, i64) nounwind

define internal void @kernel.body.1(ptr noalias align 64 %A.8, i64 %j.9, ptr noalias align 64 %T.15, i64 %lo.1, i64 %hi.2) #0 {
entry:
  %v5 = icmp slt i64 %lo.1, %hi.2
  br i1 %v5, label %loop.3, label %end.4
loop.3:
  %k.6 = phi i64 [ %lo.1, %entry ], [ %k.next.7, %loop.3 ]
  %v10 = mul i64 %k.6, 8
  %v11 = mul i64 %j.9, 24
  %v12 = add i64 %v10, %v11
  %v13 = getelementptr float, ptr %A.8, i64 %v12
  %v14 = load <8 x float>, ptr %v13, align 32
  %v16 = getelementptr float, ptr %T.15, i64 %v10
  store <8 x float> %v14, ptr %v16, align 32
  %k.next.7 = add nuw nsw i64 %k.6, 1
  %k.next.7.more = icmp slt i64 %k.next.7, %hi.2
  br i1 %k.next.7.more, label %loop.3, label %end.4
end.4:
  ret void
}

define internal void @kernel.par.1(ptr %context, i64 %lo, i64 %hi) #0 {
entry:
  %v1 = getelementptr i64, ptr %context, i64 0
  %v2 = load ptr, ptr %v1, align 8
  %v3 = getelementptr i64, ptr %context, i64 1
  %v4 = load i64, ptr %v3, align 8
  %v5 = getelementptr i64, ptr %context, i64 2
  %v6 = load ptr, ptr %v5, align 8
  call void @kernel.body.1(ptr %v2, i64 %v4, ptr %v6, i64 %lo, i64 %hi)
  ret void
}

define internal void @kernel.body.2(ptr noalias align 64 %T.8, ptr noalias align 64 %C.13, i64 %j.14, i64 %lo.1, i64 %hi.2) #0 {
entry:
  %v5 = icmp slt i64 %lo.1, %hi.2
  br i1 %v5, label %loop.3, label %end.4
loop.3:
  %l.6 = phi i64 [ %lo.1, %entry ], [ %l.next.7, %loop.3 ]
  %v9 = mul i64 %l.6, -1
  %v10 = getelementptr float, ptr %T.8, i64 %v9
  %v11 = getelementptr float, ptr %v10, i64 23
  %v12 = load float, ptr %v11, align 4
  %v15 = mul i64 %j.14, 24
  %v16 = add i64 %l.6, %v15
  %v17 = getelementptr float, ptr %C.13, i64 %v16
  store float %v12, ptr %v17, align 4
  %l.next.7 = add nuw nsw i64 %l.6, 1
  %l.next.7.more = icmp slt i64 %l.next.7, %hi.2
  br i1 %l.next.7.more, label %loop.3, label %end.4
end.4:
  ret void
}

define internal void @kernel.par.2(ptr %context, i64 %lo, i64 %hi) #0 {
entry:
  %v1 = getelementptr i64, ptr %context, i64 0
  %v2 = load ptr, ptr %v1, align 8
  %v3 = getelementptr i64, ptr %context, i64 1
  %v4 = load ptr, ptr %v3, align 8
  %v5 = getelementptr i64, ptr %context, i64 2
  %v6 = load i64, ptr %v5, align 8
  call void @kernel.body.2(ptr %v2, ptr %v4, i64 %v6, i64 %lo, i64 %hi)
  ret void
}

define internal void @kernel.main(ptr noalias readonly align 64 %A.1, ptr noalias align 64 %C.2) #0 {
entry:
  %T.3 = alloca [24 x float], align 64
  %context.8 = alloca [3 x i64], align 8
  %context.12 = alloca [3 x i64], align 8
  br label %loop.4
loop.4:
  %j.6 = phi i64 [ 0, %entry ], [ %j.next.7, %loop.4 ]
  %v9 = getelementptr i64, ptr %context.8, i64 0
  store ptr %A.1, ptr %v9, align 8
  %v10 = getelementptr i64, ptr %context.8, i64 1
  store i64 %j.6, ptr %v10, align 8
  %v11 = getelementptr i64, ptr %context.8, i64 2
  store ptr %T.3, ptr %v11, align 8
  call void @wmtune_parallel_for(ptr @kernel.par.1, ptr %context.8, i64 3)
  %v13 = getelementptr i64, ptr %context.12, i64 0
  store ptr %T.3, ptr %v13, align 8
  %v14 = getelementptr i64, ptr %context.12, i64 1
  store ptr %C.2, ptr %v14, align 8
  %v15 = getelementptr i64, ptr %context.12, i64 2
  store i64 %j.6, ptr %v15, align 8
  call void @wmtune_parallel_for(ptr @kernel.par.2, ptr %context.12, i64 24)
  %j.next.7 = add nuw nsw i64 %j.6, 1
  %j.next.7.more = icmp ult i64 %j.next.7, 3
  br i1 %j.next.7.more, label %loop.4, label %end.5
end.5:
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
