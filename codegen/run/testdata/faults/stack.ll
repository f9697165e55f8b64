; Calls itself for ever.
; want: crash
; says: SIGSEGV
; says: the stack is exhausted
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
define void @wmtune_kernel(ptr %args) {
entry:
  %A = load ptr, ptr %args
  %pB = getelementptr ptr, ptr %args, i64 1
  %B = load ptr, ptr %pB
  %pC = getelementptr ptr, ptr %args, i64 2
  %C = load ptr, ptr %pC
  %r = call i64 @deep(i64 0)
  store volatile i64 %r, ptr %C
  ret void
}
