; func one(A: float32[24], B: float32[24], out C: float32[24]):
;   for i in 24:
;     C[i] = (A[(23 - i)] + B[i])

; one
; for llvm -mcpu=haswell -mattr=avx,avx2,fma,f16c -cores=2


define internal void @kernel.main(ptr noalias readonly align 64 %A.1, ptr noalias readonly align 64 %B.2, ptr noalias align 64 %C.3) #0 {
entry:
  br label %loop.4
loop.4:
  %i.6 = phi i64 [ 0, %entry ], [ %i.next.7, %loop.4 ]
  %v8 = mul i64 %i.6, -1
  %v9 = getelementptr float, ptr %A.1, i64 %v8
  %v10 = getelementptr float, ptr %v9, i64 23
  %v11 = load float, ptr %v10, align 4
  %v12 = getelementptr float, ptr %B.2, i64 %i.6
  %v13 = load float, ptr %v12, align 4
  %v14 = fadd float %v11, %v13
  %v15 = getelementptr float, ptr %C.3, i64 %i.6
  store float %v14, ptr %v15, align 4
  %i.next.7 = add nuw nsw i64 %i.6, 1
  %i.next.7.more = icmp ult i64 %i.next.7, 24
  br i1 %i.next.7.more, label %loop.4, label %end.5
end.5:
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
