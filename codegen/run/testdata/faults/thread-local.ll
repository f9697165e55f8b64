; Has a thread-local variable.
; want: load error
; says: thread-local variables are not supported
@t = internal thread_local global i32 0
define void @wmtune_kernel(ptr %args) {
entry:
  %A = load ptr, ptr %args
  %pB = getelementptr ptr, ptr %args, i64 1
  %B = load ptr, ptr %pB
  %pC = getelementptr ptr, ptr %args, i64 2
  %C = load ptr, ptr %pC
  %n = load volatile i32, ptr @t
  store volatile i32 %n, ptr @t
  ret void
}
