; C[i] = A[i] + 2*B[i] for i < 1000, after 20 ms of sleep.
declare i32 @nanosleep(ptr, ptr)
define void @wmtune_kernel(ptr %args) {
entry:
  %A = load ptr, ptr %args
  %pB = getelementptr ptr, ptr %args, i64 1
  %B = load ptr, ptr %pB
  %pC = getelementptr ptr, ptr %args, i64 2
  %C = load ptr, ptr %pC
  call void @pause(i64 0, i64 20000000)
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

; pause sleeps for so long. A signal, such as one of Go's scheduler, cuts a sleep short.
define internal void @pause(i64 %seconds, i64 %nanoseconds) {
entry:
  %rest = alloca [2 x i64]
  %second = getelementptr i64, ptr %rest, i64 1
  store i64 %seconds, ptr %rest
  store i64 %nanoseconds, ptr %second
  br label %sleep
sleep:
  %cut = call i32 @nanosleep(ptr %rest, ptr %rest)
  %again = icmp ne i32 %cut, 0
  br i1 %again, label %sleep, label %out
out:
  ret void
}
