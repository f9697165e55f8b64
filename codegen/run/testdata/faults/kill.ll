; Kills its own process as somebody from outside would.
; want: crash
; says: SIGKILL: killed from outside
declare i32 @getpid()
declare i32 @kill(i32, i32)
define void @wmtune_kernel(ptr %args) {
entry:
  %A = load ptr, ptr %args
  %pB = getelementptr ptr, ptr %args, i64 1
  %B = load ptr, ptr %pB
  %pC = getelementptr ptr, ptr %args, i64 2
  %C = load ptr, ptr %pC
  %me = call i32 @getpid()
  %r = call i32 @kill(i32 %me, i32 9)
  ret void
}
