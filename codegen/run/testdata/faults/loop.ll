; Never returns.
; want: run timeout
; says: did not finish
define void @wmtune_kernel(ptr %args) {
entry:
  %A = load ptr, ptr %args
  %pB = getelementptr ptr, ptr %args, i64 1
  %B = load ptr, ptr %pB
  %pC = getelementptr ptr, ptr %args, i64 2
  %C = load ptr, ptr %pC
  br label %spin
spin:
  call void asm sideeffect "", ""()
  br label %spin
}
