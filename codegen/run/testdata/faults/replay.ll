; Computes once, then returns the same results whatever the inputs.
; want: wrong answer
; says: with other inputs at other addresses: C[0] is
@seen = internal global i1 false
@results = internal global [1000 x float] zeroinitializer
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
define void @wmtune_kernel(ptr %args) {
entry:
  %A = load ptr, ptr %args
  %pB = getelementptr ptr, ptr %args, i64 1
  %B = load ptr, ptr %pB
  %pC = getelementptr ptr, ptr %args, i64 2
  %C = load ptr, ptr %pC
  %again = load i1, ptr @seen
  br i1 %again, label %old, label %new
old:
  call void @llvm.memcpy.p0.p0.i64(ptr %C, ptr @results, i64 4000, i1 false)
  ret void
new:
  br label %loop
loop:
  %i = phi i64 [ 0, %new ], [ %next, %loop ]
  %pa = getelementptr float, ptr %A, i64 %i
  %a = load float, ptr %pa
  %pb = getelementptr float, ptr %B, i64 %i
  %b = load float, ptr %pb
  %b2 = fmul float %b, 2.0
  %c = fadd float %a, %b2
  %pc = getelementptr float, ptr %C, i64 %i
  store float %c, ptr %pc
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, 1000
  br i1 %more, label %loop, label %out
out:
  store i1 true, ptr @seen
  call void @llvm.memcpy.p0.p0.i64(ptr @results, ptr %C, i64 4000, i1 false)
  ret void
}
