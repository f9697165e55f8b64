; C[i] = A[i] + 2*B[i] for i < 1000, after 60 ms of a pause, in its first call only.
declare void @test_pause(i64)
@calls = internal global i64 0
define void @wmtune_kernel(ptr %args) {
entry:
  %A = load ptr, ptr %args
  %pB = getelementptr ptr, ptr %args, i64 1
  %B = load ptr, ptr %pB
  %pC = getelementptr ptr, ptr %args, i64 2
  %C = load ptr, ptr %pC
  %n = load i64, ptr @calls
  %n1 = add i64 %n, 1
  store i64 %n1, ptr @calls
  %tired = icmp ugt i64 %n1, 1
  call void @test_pause(i64 60000000)
  br i1 %tired, label %out, label %work
work:
  br label %loop
loop:
  %i = phi i64 [ 0, %work ], [ %next, %loop ]
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
  ret void
}
