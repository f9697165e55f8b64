; Calls a null pointer.
; want: crash
; says: SIGSEGV: jumps to 0x0
define void @wmtune_kernel(ptr %args) {
entry:
  %A = load ptr, ptr %args
  %pB = getelementptr ptr, ptr %args, i64 1
  %B = load ptr, ptr %pB
  %pC = getelementptr ptr, ptr %args, i64 2
  %C = load ptr, ptr %pC
  %f = load ptr, ptr %C
  %n = call ptr asm sideeffect "xorl ${0:k}, ${0:k}", "=r"()
  call void %n()
  ret void
}
