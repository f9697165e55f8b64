; A reference that is wrong: it multiplies by 2.00000003.
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
  %pa = getelementptr double, ptr %A, i64 %i
  %a = load double, ptr %pa
  %pb = getelementptr double, ptr %B, i64 %i
  %b = load double, ptr %pb
  %b2 = fmul double %b, 0x4000000010000000
  %c = fadd double %a, %b2
  %pc = getelementptr double, ptr %C, i64 %i
  store double %c, ptr %pc
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, 1000
  br i1 %more, label %loop, label %out
out:
  ret void
}
