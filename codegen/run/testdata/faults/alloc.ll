; Allocates without bound.
; want: out of memory
; says: a kernel wants 67108864 B
declare ptr @wmtune_alloc(i64)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
define void @wmtune_kernel(ptr %args) {
entry:
  %A = load ptr, ptr %args
  %pB = getelementptr ptr, ptr %args, i64 1
  %B = load ptr, ptr %pB
  %pC = getelementptr ptr, ptr %args, i64 2
  %C = load ptr, ptr %pC
  br label %more
more:
  %p = call ptr @wmtune_alloc(i64 67108864)
  call void @llvm.memset.p0.i64(ptr %p, i8 1, i64 4096, i1 true)
  br label %more
}
