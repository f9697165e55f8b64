; the steps of a program, see codegen/model

declare hidden void @wmtune_kernel_0(ptr, ptr, ptr)
declare hidden void @wmtune_limit(ptr, i64)
declare hidden void @wmtune_mark(ptr, i64)
declare hidden void @wmtune_copy(ptr, ptr, ptr, i64)
@wmtune_inputs = internal constant [1 x { i64, i64 }] [{ i64, i64 } { i64 64, i64 64 }]
@wmtune_outputs = internal constant [3 x { i64, i64 }] [{ i64, i64 } { i64 64, i64 64 }, { i64, i64 } { i64 8, i64 64 }, { i64, i64 } { i64 64, i64 64 }]
@wmtune_message_1 = internal constant [29 x i8] c"index out of range: node \22n\22\00"
@wmtune_message_2 = internal constant [6 x i8] c"again\00"
@wmtune_messages = internal constant [2 x ptr] [ptr @wmtune_message_1, ptr @wmtune_message_2]
@wmtune_data = external hidden constant [0 x i8], align 64
@wmtune_program = hidden constant { i64, i64, i64, i64, ptr, ptr, ptr, ptr, i32, i32, i32, i32, i32, i32, [32 x i8] } { i64 256, i64 64, i64 4352, i64 5, ptr @wmtune_data, ptr @wmtune_inputs, ptr @wmtune_outputs, ptr @wmtune_messages, i32 1, i32 0, i32 1, i32 3, i32 6, i32 2, [32 x i8] c"\01\02\FF\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00" }, align 8

define internal i32 @wmtune_part_1(ptr %rt, ptr %arena, ptr %weights, ptr %in, ptr %out, ptr %ns) nounwind {
entry:
  call void @wmtune_limit(ptr %rt, i64 2)
  %p1 = getelementptr i8, ptr %arena, i64 64
  %on2 = icmp ne ptr %ns, null
  br i1 %on2, label %mark3, label %next4
mark3:
  call void @wmtune_mark(ptr %rt, i64 -4)
  br label %next4
next4:
  call void @wmtune_kernel_0(ptr %rt, ptr %arena, ptr %p1)
  %on5 = icmp ne ptr %ns, null
  br i1 %on5, label %mark6, label %next7
mark6:
  call void @wmtune_mark(ptr %rt, i64 3)
  br label %next7
next7:
  ret i32 0
}

define internal i32 @wmtune_part_2(ptr %rt, ptr %arena, ptr %weights, ptr %in, ptr %out, ptr %ns) nounwind {
entry:
  %p3 = getelementptr i8, ptr %arena, i64 4
  %e1 = load i32, ptr %p3, align 4
  %bad2 = icmp ne i32 %e1, 0
  br i1 %bad2, label %out4, label %next5
out4:
  ret i32 2
next5:
  ret i32 0
}

define internal i32 @wmtune_part_3(ptr %rt, ptr %arena, ptr %weights, ptr %in, ptr %out, ptr %ns) nounwind {
entry:
  %s1 = getelementptr ptr, ptr %in, i64 0
  %port2 = load ptr, ptr %s1, align 8
  %s13 = getelementptr ptr, ptr %out, i64 0
  %port14 = load ptr, ptr %s13, align 8
  %i42 = alloca i64, align 8
  %s58 = getelementptr ptr, ptr %out, i64 1
  %port59 = load ptr, ptr %s58, align 8
  %s61 = getelementptr ptr, ptr %out, i64 2
  %port62 = load ptr, ptr %s61, align 8
  call void @wmtune_limit(ptr %rt, i64 0)
  %on3 = icmp ne ptr %ns, null
  br i1 %on3, label %mark4, label %next5
mark4:
  call void @wmtune_mark(ptr %rt, i64 -1)
  br label %next5
next5:
  call void @wmtune_kernel_0(ptr %rt, ptr %port2, ptr %arena)
  %on6 = icmp ne ptr %ns, null
  br i1 %on6, label %mark7, label %next8
mark7:
  call void @wmtune_mark(ptr %rt, i64 0)
  br label %next8
next8:
  %p9 = getelementptr i8, ptr %arena, i64 64
  call void @wmtune_kernel_0(ptr %rt, ptr %weights, ptr %p9)
  %on10 = icmp ne ptr %ns, null
  br i1 %on10, label %mark11, label %next12
mark11:
  call void @wmtune_mark(ptr %rt, i64 1)
  br label %next12
next12:
  call void @wmtune_limit(ptr %rt, i64 1)
  call void @wmtune_kernel_0(ptr %rt, ptr %arena, ptr %port14)
  %on15 = icmp ne ptr %ns, null
  br i1 %on15, label %mark16, label %next17
mark16:
  call void @wmtune_mark(ptr %rt, i64 2)
  br label %next17
next17:
  %p20 = getelementptr i8, ptr %arena, i64 4
  %e18 = load i32, ptr %p20, align 4
  %bad19 = icmp ne i32 %e18, 0
  br i1 %bad19, label %out21, label %next22
out21:
  ret i32 1
next22:
  %p25 = getelementptr i8, ptr %arena, i64 128
  %b23 = load i8, ptr %p25, align 1
  %c24 = icmp ne i8 %b23, 0
  br i1 %c24, label %then26, label %else27
then26:
  %r29 = call i32 @wmtune_part_1(ptr %rt, ptr %arena, ptr %weights, ptr %in, ptr %out, ptr %ns)
  %bad30 = icmp ne i32 %r29, 0
  br i1 %bad30, label %out31, label %next32
out31:
  ret i32 %r29
next32:
  br label %end28
else27:
  br label %end28
end28:
  call void @wmtune_limit(ptr %rt, i64 1)
  %p33 = getelementptr i8, ptr %arena, i64 64
  %on34 = icmp ne ptr %ns, null
  br i1 %on34, label %mark35, label %next36
mark35:
  call void @wmtune_mark(ptr %rt, i64 -5)
  br label %next36
next36:
  call void @wmtune_kernel_0(ptr %rt, ptr %arena, ptr %p33)
  %on37 = icmp ne ptr %ns, null
  br i1 %on37, label %mark38, label %next39
mark38:
  call void @wmtune_mark(ptr %rt, i64 4)
  br label %next39
next39:
  %p41 = getelementptr i8, ptr %arena, i64 136
  %trip40 = load i64, ptr %p41, align 8
  store i64 0, ptr %i42, align 8
  br label %head43
head43:
  %i46 = load i64, ptr %i42, align 8
  %more47 = icmp slt i64 %i46, %trip40
  br i1 %more47, label %test48, label %end45
test48:
  %p51 = getelementptr i8, ptr %arena, i64 128
  %b49 = load i8, ptr %p51, align 1
  %c50 = icmp ne i8 %b49, 0
  br i1 %c50, label %body44, label %end45
body44:
  %p52 = getelementptr i8, ptr %arena, i64 144
  store i64 %i46, ptr %p52, align 8
  %r53 = call i32 @wmtune_part_2(ptr %rt, ptr %arena, ptr %weights, ptr %in, ptr %out, ptr %ns)
  %bad54 = icmp ne i32 %r53, 0
  br i1 %bad54, label %out55, label %next56
out55:
  ret i32 %r53
next56:
  %n57 = add i64 %i46, 1
  store i64 %n57, ptr %i42, align 8
  br label %head43
end45:
  call void @wmtune_limit(ptr %rt, i64 0)
  %p60 = getelementptr i8, ptr %arena, i64 4
  call void @wmtune_copy(ptr %rt, ptr %port59, ptr %p60, i64 8)
  %on63 = icmp ne ptr %ns, null
  br i1 %on63, label %mark64, label %next65
mark64:
  call void @wmtune_mark(ptr %rt, i64 -6)
  br label %next65
next65:
  call void @wmtune_kernel_0(ptr %rt, ptr %arena, ptr %port62)
  %on66 = icmp ne ptr %ns, null
  br i1 %on66, label %mark67, label %next68
mark67:
  call void @wmtune_mark(ptr %rt, i64 5)
  br label %next68
next68:
  ret i32 0
}

define hidden i32 @wmtune_sequence(ptr %rt, ptr %arena, ptr %weights, ptr %in, ptr %out, ptr %ns) nounwind {
  %r = call i32 @wmtune_part_3(ptr %rt, ptr %arena, ptr %weights, ptr %in, ptr %out, ptr %ns)
  ret i32 %r
}
