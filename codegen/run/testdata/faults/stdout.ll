; Writes garbage where the worker's answers go, then hangs.
; want: run timeout
; says: did not finish
@junk = private constant [64 x i8] c"0123456789012345678901234567890123456789012345678901234567890123"
declare i64 @write(i32, ptr, i64)
define void @wmtune_kernel(ptr %args) {
entry:
  %A = load ptr, ptr %args
  %pB = getelementptr ptr, ptr %args, i64 1
  %B = load ptr, ptr %pB
  %pC = getelementptr ptr, ptr %args, i64 2
  %C = load ptr, ptr %pC
  %n = call i64 @write(i32 1, ptr @junk, i64 64)
  br label %spin
spin:
  call void asm sideeffect "", ""()
  br label %spin
}
