; C[i] = A[i] + 2*B[i] for i < 1000; the first call in a process pauses for 20 ms before, as if it had been delayed.
@called = private constant [20 x i8] c"WMTUNE_TEST_DELAYED\00"
declare void @test_pause(i64)
declare ptr @getenv(ptr)
declare i32 @setenv(ptr, ptr, i32)
define void @wmtune_kernel(ptr %args) {
entry:
  %A = load ptr, ptr %args
  %pB = getelementptr ptr, ptr %args, i64 1
  %B = load ptr, ptr %pB
  %pC = getelementptr ptr, ptr %args, i64 2
  %C = load ptr, ptr %pC
  %v = call ptr @getenv(ptr @called)
  %new = icmp eq ptr %v, null
  br i1 %new, label %sleep, label %before
sleep:
  call i32 @setenv(ptr @called, ptr @called, i32 1)
  call void @test_pause(i64 20000000)
  br label %before
before:
  br label %loop
loop:
  %i = phi i64 [ 0, %before ], [ %next, %loop ]
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
