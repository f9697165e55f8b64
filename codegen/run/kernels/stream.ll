; A loop through arrays, of which each thread takes a part.
define internal void @body(ptr %args, i64 %lo, i64 %hi) {
entry:
  %A = load ptr, ptr %args
  %B1 = getelementptr ptr, ptr %args, i64 1
  %B = load ptr, ptr %B1
  %C1 = getelementptr ptr, ptr %args, i64 2
  %C = load ptr, ptr %C1
  %s1 = insertelement <16 x float> poison, float 3.0, i64 0
  %scale = shufflevector <16 x float> %s1, <16 x float> poison, <16 x i32> zeroinitializer
  br label %loop
loop:
  %i = phi i64 [ %lo, %entry ], [ %next, %loop ]
  %pa = getelementptr <16 x float>, ptr %A, i64 %i
  %pb = getelementptr <16 x float>, ptr %B, i64 %i
  %pc = getelementptr <16 x float>, ptr %C, i64 %i
@BODY@
  store <16 x float> %r, ptr %pa, align 64
  %next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %next, %hi
  br i1 %more, label %loop, label %out
out:
  ret void
}
