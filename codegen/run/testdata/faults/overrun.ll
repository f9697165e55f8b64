; Writes one element past the end: within the alignment, so only the canary tells.
; want: wrong answer
; says: writes 4 bytes after the end of output C
declare i64 @llvm.umin.i64(i64, i64)
define void @wmtune_kernel(ptr %args) {
entry:
  %A = load ptr, ptr %args
  %pB = getelementptr ptr, ptr %args, i64 1
  %B = load ptr, ptr %pB
  %pC = getelementptr ptr, ptr %args, i64 2
  %C = load ptr, ptr %pC
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %ia = call i64 @llvm.umin.i64(i64 %i, i64 999)
  %pa = getelementptr float, ptr %A, i64 %ia
  %a = load float, ptr %pa
  %pb = getelementptr float, ptr %B, i64 %ia
  %b = load float, ptr %pb
  %b2 = fmul float %b, 2.0
  %c = fadd float %a, %b2
  %pc = getelementptr float, ptr %C, i64 %i
  store float %c, ptr %pc
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, 1001
  br i1 %more, label %loop, label %out
out:
  ret void
}
