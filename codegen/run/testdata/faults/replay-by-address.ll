; Remembers results by the address of the first input.
; want: wrong answer
; says: with other inputs at the same addresses: C[0] is
@key = internal global ptr null
@results = internal global [1000 x float] zeroinitializer
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
define void @wmtune_kernel(ptr %args) {
entry:
  %A = load ptr, ptr %args
  %pB = getelementptr ptr, ptr %args, i64 1
  %B = load ptr, ptr %pB
  %pC = getelementptr ptr, ptr %args, i64 2
  %C = load ptr, ptr %pC
  %known = load ptr, ptr @key
  %none = icmp eq ptr %known, null
  br i1 %none, label %new, label %look
look:
  %same = icmp eq ptr %known, %A
  br i1 %same, label %old, label %new
old:
  call void @llvm.memcpy.p0.p0.i64(ptr %C, ptr @results, i64 4000, i1 false)
  ret void
new:
  br label %first
first:
  br label %loop
loop:
  %i = phi i64 [ 0, %first ], [ %next, %loop ]
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
  br i1 %none, label %keep, label %done
keep:
  store ptr %A, ptr @key
  call void @llvm.memcpy.p0.p0.i64(ptr @results, ptr %C, i64 4000, i1 false)
  br label %done
done:
  ret void
}
