; func packed(W_packed: float32[24, 8], out C: float32[8]):
;   for k in 24:
;     vectorize l in 8:
;       C[l] = W_packed[k, l]
; func pack_W(W: float32[8, 24], out W_packed: float32[24, 8]):
;   parallel i in 24:
;     for j in 8:
;       W_packed[i, j] = W[j, i]

; packed
; for llvm -mcpu=haswell -mattr=avx,avx2,fma,f16c -cores=2

declare void @wmtune_parallel_for(ptr, ptr, i64) nounwind

define internal void @kernel.main(ptr noalias readonly align 64 %W_packed.1, ptr noalias align 64 %C.2) #0 {
entry:
  br label %loop.3
loop.3:
  %k.5 = phi i64 [ 0, %entry ], [ %k.next.6, %loop.3 ]
  %v7 = mul i64 %k.5, 8
  %v8 = getelementptr float, ptr %W_packed.1, i64 %v7
  %v9 = load <8 x float>, ptr %v8, align 32
  store <8 x float> %v9, ptr %C.2, align 64
  %k.next.6 = add nuw nsw i64 %k.5, 1
  %k.next.6.more = icmp ult i64 %k.next.6, 24
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

define internal void @kernel.body.1(ptr noalias align 64 %W.12, ptr noalias align 64 %W_packed.17, i64 %lo.1, i64 %hi.2) #0 {
entry:
  %v5 = icmp slt i64 %lo.1, %hi.2
  br i1 %v5, label %loop.3, label %end.4
loop.3:
  %i.6 = phi i64 [ %lo.1, %entry ], [ %i.next.7, %end.9 ]
  br label %loop.8
loop.8:
  %j.10 = phi i64 [ 0, %loop.3 ], [ %j.next.11, %loop.8 ]
  %v13 = mul i64 %j.10, 24
  %v14 = add i64 %i.6, %v13
  %v15 = getelementptr float, ptr %W.12, i64 %v14
  %v16 = load float, ptr %v15, align 4
  %v18 = mul i64 %i.6, 8
  %v19 = add i64 %v18, %j.10
  %v20 = getelementptr float, ptr %W_packed.17, i64 %v19
  store float %v16, ptr %v20, align 4
  %j.next.11 = add nuw nsw i64 %j.10, 1
  %j.next.11.more = icmp ult i64 %j.next.11, 8
  br i1 %j.next.11.more, label %loop.8, label %end.9
end.9:
  %i.next.7 = add nuw nsw i64 %i.6, 1
  %i.next.7.more = icmp slt i64 %i.next.7, %hi.2
  br i1 %i.next.7.more, label %loop.3, label %end.4
end.4:
  ret void
}

define internal void @kernel.par.1(ptr %context, i64 %lo, i64 %hi) #0 {
entry:
  %v1 = getelementptr i64, ptr %context, i64 0
  %v2 = load ptr, ptr %v1, align 8
  %v3 = getelementptr i64, ptr %context, i64 1
  %v4 = load ptr, ptr %v3, align 8
  call void @kernel.body.1(ptr %v2, ptr %v4, i64 %lo, i64 %hi)
  ret void
}

define internal void @pack.main.0(ptr noalias readonly align 64 %W.1, ptr noalias align 64 %W_packed.2) #0 {
entry:
  %context.3 = alloca [2 x i64], align 8
  %v4 = getelementptr i64, ptr %context.3, i64 0
  store ptr %W.1, ptr %v4, align 8
  %v5 = getelementptr i64, ptr %context.3, i64 1
  store ptr %W_packed.2, ptr %v5, align 8
  call void @wmtune_parallel_for(ptr @kernel.par.1, ptr %context.3, i64 24)
  ret void
}

define void @wmtune_pack_0(ptr %args) #0 {
entry:
  %v1 = getelementptr ptr, ptr %args, i64 0
  %v2 = load ptr, ptr %v1, align 8
  %v3 = getelementptr ptr, ptr %args, i64 1
  %v4 = load ptr, ptr %v3, align 8
  call void @pack.main.0(ptr %v2, ptr %v4)
  ret void
}

attributes #0 = { nounwind "prefer-vector-width"="256" "min-legal-vector-width"="256" }
