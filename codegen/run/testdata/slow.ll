; C[i] = A[i] + 2*B[i] for i < 1000, after 20 ms of a pause.
declare void @test_pause(i64)
define void @wmtune_kernel(ptr %args) {
entry:
  %A = load ptr, ptr %args
  %pB = getelementptr ptr, ptr %args, i64 1
  %B = load ptr, ptr %pB
  %pC = getelementptr ptr, ptr %args, i64 2
  %C = load ptr, ptr %pC
  call void @test_pause(i64 20000000)
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %pa = getelementptr float, ptr %A, i64 %i
  %a = load float, ptr %pa
  %pb = getelementptr float, ptr %B, i64 %i
  %b = load float, ptr %pb
  %b2 = fmul float %b, 2.0
  %c = fadd float %a, %b2
  %pc = getelementptr float, ptr %C, i64 %i
  store float %c, ptr %pc
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, 1000
  br i1 %more, label %loop, label %out
out:
  ret void
}
