; Divides by zero.
; want: crash
; says: SIGFPE
define void @wmtune_kernel(ptr %args) {
entry:
  %A = load ptr, ptr %args
  %pB = getelementptr ptr, ptr %args, i64 1
  %B = load ptr, ptr %pB
  %pC = getelementptr ptr, ptr %args, i64 2
  %C = load ptr, ptr %pC
  %x = load i32, ptr %A
  %z = sub i32 %x, %x
  %zz = call i32 asm sideeffect "", "=r,0"(i32 %z)
  %q = sdiv i32 %x, %zz
  store volatile i32 %q, ptr %C
  ret void
}
