; Functions that exercise the thread pool; see pool_test.go. Each takes what the
; test passes, not the arguments of a kernel.

declare void @wmtune_parallel_for(ptr, ptr, i64)
declare i32 @fork()
declare i32 @waitpid(i32, ptr, i32)
declare void @_exit(i32)
declare i32 @alarm(i32)
declare ptr @signal(i32, ptr)
declare i32 @sched_getcpu()
declare i64 @syscall(i64, ...)
declare i32 @usleep(i32)

; count adds 1 to every counter in [lo, hi).
define internal void @count(ptr %counters, i64 %lo, i64 %hi) {
entry:
  %some = icmp slt i64 %lo, %hi
  br i1 %some, label %loop, label %out
loop:
  %i = phi i64 [ %lo, %entry ], [ %next, %loop ]
  %p = getelementptr i32, ptr %counters, i64 %i
  atomicrmw add ptr %p, i32 1 monotonic
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %hi
  br i1 %more, label %loop, label %out
out:
  ret void
}

; counts runs count over n counters, times times.
define void @counts(ptr %counters, i64 %n, i64 %times) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  call void @wmtune_parallel_for(ptr @count, ptr %counters, i64 %n)
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %times
  br i1 %more, label %loop, label %out
out:
  ret void
}

; inner runs a loop over 100 counters for every i in [lo, hi).
define internal void @inner(ptr %counters, i64 %lo, i64 %hi) {
entry:
  br label %loop
loop:
  %i = phi i64 [ %lo, %entry ], [ %next, %loop ]
  call void @wmtune_parallel_for(ptr @count, ptr %counters, i64 100)
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %hi
  br i1 %more, label %loop, label %out
out:
  ret void
}

; nested runs a parallel loop of n iterations, each of which is one over 100.
define void @nested(ptr %counters, i64 %n) {
  call void @wmtune_parallel_for(ptr @inner, ptr %counters, i64 %n)
  ret void
}

@begun = internal global i64 0

; note writes {lo, hi, processor, thread} of each chunk to the entry number lo.
define internal void @note(ptr %notes, i64 %lo, i64 %hi) {
entry:
  %before = atomicrmw add ptr @begun, i64 1 seq_cst
  br label %wait
wait: ; a thread begins no second piece before its first is done, so this waits for three threads, at most 20 s
  %tries = phi i64 [ 0, %entry ], [ %more, %wait ]
  %more = add i64 %tries, 1
  call i32 @usleep(i32 1000)
  %begun = load atomic i64, ptr @begun seq_cst, align 8
  %alone = icmp ult i64 %begun, 3
  %patient = icmp ult i64 %tries, 20000
  %again = and i1 %alone, %patient
  br i1 %again, label %wait, label %take
take:
  %p0 = getelementptr [4 x i64], ptr %notes, i64 %lo, i64 0
  %p1 = getelementptr [4 x i64], ptr %notes, i64 %lo, i64 1
  %p2 = getelementptr [4 x i64], ptr %notes, i64 %lo, i64 2
  %p3 = getelementptr [4 x i64], ptr %notes, i64 %lo, i64 3
  %cpu = call i32 @sched_getcpu()
  %cpu64 = sext i32 %cpu to i64
  %tid = call i64 (i64, ...) @syscall(i64 186)
  store i64 %lo, ptr %p0
  store i64 %hi, ptr %p1
  store i64 %cpu64, ptr %p2
  store i64 %tid, ptr %p3
  ret void
}

define void @notes(ptr %notes, i64 %n) {
  call void @wmtune_parallel_for(ptr @note, ptr %notes, i64 %n)
  ret void
}

; forked runs a loop over n counters in a child process, which has nothing of the
; parent's but memory, and stores the child's wait status. Counters are the
; child's own; it says by its exit status whether each was counted.
define void @forked(ptr %counters, i64 %n, ptr %status) {
entry:
  %pid = call i32 @fork()
  %child = icmp eq i32 %pid, 0
  br i1 %child, label %work, label %wait
wait:
  call i32 @waitpid(i32 %pid, ptr %status, i32 0)
  ret void
work: ; whoever waits for threads that are not there is killed by SIGALRM
  call ptr @signal(i32 14, ptr null)
  call i32 @alarm(i32 20)
  call void @wmtune_parallel_for(ptr @count, ptr %counters, i64 %n)
  call void @wmtune_parallel_for(ptr @count, ptr %counters, i64 %n)
  br label %look
look:
  %i = phi i64 [ 0, %work ], [ %next, %right ]
  %p = getelementptr i32, ptr %counters, i64 %i
  %c = load i32, ptr %p
  %two = icmp eq i32 %c, 2
  br i1 %two, label %right, label %wrong
right:
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %look, label %done
wrong:
  call void @_exit(i32 1)
  unreachable
done:
  call void @_exit(i32 0)
  unreachable
}
