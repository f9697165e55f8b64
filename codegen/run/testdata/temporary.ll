; C[i] = A[i] + 2*B[i] for i < 1000, by way of a temporary.
declare ptr @wmtune_alloc(i64)
declare void @wmtune_free(ptr)
define void @wmtune_kernel(ptr %args) {
entry:
  %A = load ptr, ptr %args
  %pB = getelementptr ptr, ptr %args, i64 1
  %B = load ptr, ptr %pB
  %pC = getelementptr ptr, ptr %args, i64 2
  %C = load ptr, ptr %pC
  %T = call ptr @wmtune_alloc(i64 4000)
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %pb = getelementptr float, ptr %B, i64 %i
  %b = load float, ptr %pb
  %b2 = fmul float %b, 2.0
  %pt = getelementptr float, ptr %T, i64 %i
  store float %b2, ptr %pt
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, 1000
  br i1 %more, label %loop, label %again
again:
  %j = phi i64 [ 0, %loop ], [ %jnext, %again ]
  %pa = getelementptr float, ptr %A, i64 %j
  %a = load float, ptr %pa
  %qt = getelementptr float, ptr %T, i64 %j
  %t = load float, ptr %qt
  %c = fadd float %a, %t
  %pc = getelementptr float, ptr %C, i64 %j
  store float %c, ptr %pc
  %jnext = add i64 %j, 1
  %jmore = icmp ult i64 %jnext, 1000
  br i1 %jmore, label %again, label %out
out:
  call void @wmtune_free(ptr %T)
  ret void
}
