; Needs a function that nobody has.
; want: load error
; says: symbol no_such_function is not defined
declare void @no_such_function()
define void @wmtune_kernel(ptr %args) {
entry:
  %A = load ptr, ptr %args
  %pB = getelementptr ptr, ptr %args, i64 1
  %B = load ptr, ptr %pB
  %pC = getelementptr ptr, ptr %args, i64 2
  %C = load ptr, ptr %pC
  call void @no_such_function()
  ret void
}
