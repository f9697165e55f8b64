; Two loops over arrays that fit into caches.
declare void @wmtune_parallel_for(ptr, ptr, i64)
define void @wmtune_kernel(ptr %args) {
  %A = load ptr, ptr %args
  %B1 = getelementptr ptr, ptr %args, i64 1
  %B = load ptr, ptr %B1
  %back = alloca [2 x ptr]
  store ptr %B, ptr %back
  %back1 = getelementptr ptr, ptr %back, i64 1
  store ptr %A, ptr %back1
  call void @wmtune_parallel_for(ptr @body, ptr %args, i64 @N@)
  call void @wmtune_parallel_for(ptr @body, ptr %back, i64 @N@)
  ret void
}
define internal void @body(ptr %args, i64 %lo, i64 %hi) {
entry:
  %A = load ptr, ptr %args
  %B1 = getelementptr ptr, ptr %args, i64 1
  %B = load ptr, ptr %B1
  br label %loop
loop:
  %i = phi i64 [ %lo, %entry ], [ %next, %loop ]
  %far = sub i64 @LAST@, %i
  %pa = getelementptr <16 x float>, ptr %A, i64 %far
  %pb = getelementptr <16 x float>, ptr %B, i64 %i
  %r = load <16 x float>, ptr %pa, align 64
  store <16 x float> %r, ptr %pb, align 64
  %next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %next, %hi
  br i1 %more, label %loop, label %out
out:
  ret void
}
