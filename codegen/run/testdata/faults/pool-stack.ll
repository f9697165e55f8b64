; Exhausts the stack of a thread of the pool.
; want: crash
; says: SIGSEGV
declare void @wmtune_parallel_for(ptr, ptr, i64)
define internal i64 @deep(i64 %n) noinline {
  %room = alloca [1024 x i64]
  %p = getelementptr [1024 x i64], ptr %room, i64 0, i64 %n
  store volatile i64 %n, ptr %p
  %m = add i64 %n, 1
  %k = and i64 %m, 1023
  %r = call i64 @deep(i64 %k)
  %v = load volatile i64, ptr %p
  %s = add i64 %r, %v
  ret i64 %s
}
define internal void @body(ptr %ctx, i64 %lo, i64 %hi) {
  %first = icmp eq i64 %lo, 0
  br i1 %first, label %ok, label %bad
bad:
  %r = call i64 @deep(i64 0)
  store volatile i64 %r, ptr %ctx
  ret void
ok:
  ret void
}
define void @wmtune_kernel(ptr %args) {
entry:
  %A = load ptr, ptr %args
  %pB = getelementptr ptr, ptr %args, i64 1
  %B = load ptr, ptr %pB
  %pC = getelementptr ptr, ptr %args, i64 2
  %C = load ptr, ptr %pC
  call void @wmtune_parallel_for(ptr @body, ptr %C, i64 1000)
  ret void
}
