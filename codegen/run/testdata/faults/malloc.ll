; Allocates without bound behind the run-time's back, and does not look at what it gets.
; want: out of memory
; says: SIGSEGV with no memory left
declare ptr @malloc(i64)
define void @wmtune_kernel(ptr %args) {
entry:
  %A = load ptr, ptr %args
  %pB = getelementptr ptr, ptr %args, i64 1
  %B = load ptr, ptr %pB
  %pC = getelementptr ptr, ptr %args, i64 2
  %C = load ptr, ptr %pC
  br label %more
more:
  %p = call ptr @malloc(i64 1048576)
  store volatile i8 1, ptr %p
  br label %more
}
