; C[i] = A[i] + 2*B[i] for i < 1000, but for the very first call in any process
; and, in each later process, call number LATER, which leave half of C unwritten.
; PATH names a file that is made by the first call. LATER 0 means never.
@mark = private constant [PATHLEN x i8] c"PATH\00"
@calls = internal global i64 0
declare i32 @access(ptr, i32)
declare i32 @creat(ptr, i32)
define void @wmtune_kernel(ptr %args) {
entry:
  %A = load ptr, ptr %args
  %pB = getelementptr ptr, ptr %args, i64 1
  %B = load ptr, ptr %pB
  %pC = getelementptr ptr, ptr %args, i64 2
  %C = load ptr, ptr %pC
  %missing = call i32 @access(ptr @mark, i32 0)
  %first = icmp ne i32 %missing, 0
  br i1 %first, label %make, label %count
make:
  %fd = call i32 @creat(ptr @mark, i32 384)
  br label %count
count:
  %before = load i64, ptr @calls
  %call = add i64 %before, 1
  store i64 %call, ptr @calls
  %later = icmp eq i64 %call, LATER
  %bad = or i1 %first, %later
  %n = select i1 %bad, i64 500, i64 1000
  br label %loop
loop:
  %i = phi i64 [ 0, %count ], [ %next, %loop ]
  %pa = getelementptr float, ptr %A, i64 %i
  %a = load float, ptr %pa
  %pb = getelementptr float, ptr %B, i64 %i
  %b = load float, ptr %pb
  %b2 = fmul float %b, 2.0
  %c = fadd float %a, %b2
  %pc = getelementptr float, ptr %C, i64 %i
  store float %c, ptr %pc
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %out
out:
  ret void
}
