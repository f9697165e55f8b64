; Has no kernel.
; want: load error
; says: does not define the symbol wmtune_kernel
define void @something_else(ptr %args) {
  ret void
}
