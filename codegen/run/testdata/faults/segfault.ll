; Stores to an address that is not mapped.
; want: crash
; says: SIGSEGV: writes address 0x1234
define void @wmtune_kernel(ptr %args) {
entry:
  %A = load ptr, ptr %args
  %pB = getelementptr ptr, ptr %args, i64 1
  %B = load ptr, ptr %pB
  %pC = getelementptr ptr, ptr %args, i64 2
  %C = load ptr, ptr %pC
  %p = inttoptr i64 4660 to ptr
  store volatile float 1.0, ptr %p
  ret void
}
