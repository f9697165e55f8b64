; func one(A: float32[20], out C: float32[24]):
;   for i in 24:
;     C[i] = tir.if_then_else(((i >= 2) && (i < 22)), A[(i - 2)], 0f)

; one
; for llvm -mcpu=haswell -mattr=avx,avx2,fma,f16c -cores=2

@wmtune.zeros = private unnamed_addr constant [64 x i8] zeroinitializer, align 64

define internal void @kernel.main(ptr noalias readonly align 64 %A.1, ptr noalias align 64 %C.2) #0 {
entry:
  br label %loop.3
loop.3:
  %i.5 = phi i64 [ 0, %entry ], [ %i.next.6, %loop.3 ]
  %v7 = icmp sge i64 %i.5, 2
  %v8 = icmp slt i64 %i.5, 22
  %v9 = and i1 %v7, %v8
  %v10 = getelementptr float, ptr %A.1, i64 %i.5
  %v11 = getelementptr float, ptr %v10, i64 -2
  %v12 = select i1 %v9, ptr %v11, ptr @wmtune.zeros
  %v13 = load float, ptr %v12, align 4
  %v14 = getelementptr float, ptr %C.2, i64 %i.5
  store float %v13, ptr %v14, align 4
  %i.next.6 = add nuw nsw i64 %i.5, 1
  %i.next.6.more = icmp ult i64 %i.next.6, 24
  br i1 %i.next.6.more, label %loop.3, label %end.4
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

attributes #0 = { nounwind "prefer-vector-width"="256" "min-legal-vector-width"="256" }
