; Stores a vector to an address that is not a multiple of its alignment.
; want: crash
; says: SIGSEGV: an address that is misaligned
define void @wmtune_kernel(ptr %args) {
entry:
  %A = load ptr, ptr %args
  %pB = getelementptr ptr, ptr %args, i64 1
  %B = load ptr, ptr %pB
  %pC = getelementptr ptr, ptr %args, i64 2
  %C = load ptr, ptr %pC
  %p = getelementptr i8, ptr %C, i64 4
  call void asm sideeffect "movaps %xmm0, ($0)", "r,~{memory}"(ptr %p)
  ret void
}
