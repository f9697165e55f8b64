; Ends the process.
; want: crash
; says: ended its process with exit status 7
declare void @exit(i32)
define void @wmtune_kernel(ptr %args) {
entry:
  %A = load ptr, ptr %args
  %pB = getelementptr ptr, ptr %args, i64 1
  %B = load ptr, ptr %pB
  %pC = getelementptr ptr, ptr %args, i64 2
  %C = load ptr, ptr %pC
  call void @exit(i32 7)
  unreachable
}
