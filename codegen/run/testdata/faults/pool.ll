; Faults in a thread of the pool, not in the caller's chunk.
; want: crash
; says: SIGSEGV: writes 32 bytes after the end of output C
declare void @wmtune_parallel_for(ptr, ptr, i64)
define internal void @body(ptr %ctx, i64 %lo, i64 %hi) {
  %first = icmp eq i64 %lo, 0
  br i1 %first, label %ok, label %bad
bad:
  %p = getelementptr float, ptr %ctx, i64 1008
  store volatile float 1.0, ptr %p
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
