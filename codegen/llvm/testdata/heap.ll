; func heap(A: float32[24], out B: float32[24]):
;   alloc T: float32[10000]
;   for i in 24:
;     T[(i*400)] = A[i]
;   for j in 24:
;     B[j] = T[(j*400)]

; heap
; for llvm -mcpu=haswell -mattr=avx,avx2,fma,f16c -cores=2

declare noalias align 64 ptr @wmtune_alloc(i64) nounwind
declare void @wmtune_free(ptr) nounwind

define internal void @kernel.main(ptr noalias readonly align 64 %A.1, ptr noalias align 64 %B.2) #0 {
entry:
  %T.3 = call noalias align 64 ptr @wmtune_alloc(i64 40000)
  br label %loop.4
loop.4:
  %i.6 = phi i64 [ 0, %entry ], [ %i.next.7, %loop.4 ]
  %v8 = getelementptr float, ptr %A.1, i64 %i.6
  %v9 = load float, ptr %v8, align 4
  %v10 = mul i64 %i.6, 400
  %v11 = getelementptr float, ptr %T.3, i64 %v10
  store float %v9, ptr %v11, align 64
  %i.next.7 = add nuw nsw i64 %i.6, 1
  %i.next.7.more = icmp ult i64 %i.next.7, 24
  br i1 %i.next.7.more, label %loop.4, label %end.5
end.5:
  br label %loop.12
loop.12:
  %j.14 = phi i64 [ 0, %end.5 ], [ %j.next.15, %loop.12 ]
  %v16 = mul i64 %j.14, 400
  %v17 = getelementptr float, ptr %T.3, i64 %v16
  %v18 = load float, ptr %v17, align 64
  %v19 = getelementptr float, ptr %B.2, i64 %j.14
  store float %v18, ptr %v19, align 4
  %j.next.15 = add nuw nsw i64 %j.14, 1
  %j.next.15.more = icmp ult i64 %j.next.15, 24
  br i1 %j.next.15.more, label %loop.12, label %end.13
end.13:
  call void @wmtune_free(ptr %T.3)
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
