; Starts another process, which never ends, and computes right in this one. The process goes with the worker.
declare i32 @fork()
define void @wmtune_kernel(ptr %args) {
entry:
  %A = load ptr, ptr %args
  %pB = getelementptr ptr, ptr %args, i64 1
  %B = load ptr, ptr %pB
  %pC = getelementptr ptr, ptr %args, i64 2
  %C = load ptr, ptr %pC
  %done = load i1, ptr @forked
  br i1 %done, label %loop, label %first
first:
  store i1 true, ptr @forked
  %pid = call i32 @fork()
  %child = icmp eq i32 %pid, 0
  br i1 %child, label %spin, label %loop
spin:
  call void asm sideeffect "", ""()
  br label %spin
loop:
  %i = phi i64 [ 0, %entry ], [ 0, %first ], [ %next, %loop ]
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
@forked = internal global i1 false
