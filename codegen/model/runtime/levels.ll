; c34c7538f57212e5567d299c2300ef46667ababfb07dc36381f21e6055080739 of levels.c, processor.h; by runtime.sh

%struct.level = type { i64, ptr }
%struct.anon = type { i32, i8, i8, i8, i32 }

@wmtune_chosen = hidden local_unnamed_addr global i32 0, align 4
@wmtune_levels = external hidden constant [0 x %struct.level], align 8
@.str = private unnamed_addr constant [13 x i8] c"WMTUNE_LEVEL\00", align 1
@wmtune_n_levels = external hidden local_unnamed_addr constant i32, align 4
@feature_list = internal unnamed_addr constant [39 x %struct.anon] [%struct.anon { i32 1, i8 0, i8 1, i8 0, i32 0 }, %struct.anon { i32 1, i8 0, i8 1, i8 9, i32 0 }, %struct.anon { i32 1, i8 0, i8 1, i8 19, i32 0 }, %struct.anon { i32 1, i8 0, i8 1, i8 20, i32 0 }, %struct.anon { i32 1, i8 0, i8 1, i8 23, i32 0 }, %struct.anon { i32 1, i8 0, i8 1, i8 22, i32 0 }, %struct.anon { i32 1, i8 0, i8 1, i8 28, i32 6 }, %struct.anon { i32 1, i8 0, i8 1, i8 12, i32 6 }, %struct.anon { i32 1, i8 0, i8 1, i8 29, i32 6 }, %struct.anon { i32 7, i8 0, i8 2, i8 5, i32 6 }, %struct.anon { i32 7, i8 0, i8 2, i8 3, i32 0 }, %struct.anon { i32 7, i8 0, i8 2, i8 8, i32 0 }, %struct.anon { i32 7, i8 0, i8 2, i8 16, i32 230 }, %struct.anon { i32 7, i8 0, i8 2, i8 28, i32 230 }, %struct.anon { i32 7, i8 0, i8 2, i8 30, i32 230 }, %struct.anon { i32 7, i8 0, i8 2, i8 17, i32 230 }, %struct.anon { i32 7, i8 0, i8 2, i8 31, i32 230 }, %struct.anon { i32 7, i8 0, i8 1, i8 11, i32 230 }, %struct.anon { i32 7, i8 1, i8 3, i8 5, i32 230 }, %struct.anon { i32 7, i8 0, i8 0, i8 23, i32 230 }, %struct.anon { i32 7, i8 1, i8 3, i8 4, i32 6 }, %struct.anon { i32 -2147483647, i8 0, i8 1, i8 5, i32 0 }, %struct.anon { i32 -2147483647, i8 0, i8 1, i8 6, i32 0 }, %struct.anon { i32 -2147483647, i8 0, i8 1, i8 11, i32 6 }, %struct.anon { i32 -2147483647, i8 0, i8 1, i8 16, i32 6 }, %struct.anon { i32 -2147483647, i8 0, i8 1, i8 21, i32 0 }, %struct.anon { i32 7, i8 0, i8 1, i8 8, i32 0 }, %struct.anon { i32 7, i8 0, i8 1, i8 1, i32 230 }, %struct.anon { i32 7, i8 0, i8 1, i8 6, i32 230 }, %struct.anon { i32 7, i8 0, i8 1, i8 12, i32 230 }, %struct.anon { i32 7, i8 0, i8 1, i8 14, i32 230 }, %struct.anon { i32 7, i8 0, i8 2, i8 21, i32 230 }, %struct.anon { i32 7, i8 1, i8 3, i8 23, i32 6 }, %struct.anon { i32 7, i8 1, i8 0, i8 4, i32 6 }, %struct.anon { i32 7, i8 1, i8 0, i8 10, i32 6 }, %struct.anon { i32 7, i8 1, i8 0, i8 5, i32 6 }, %struct.anon { i32 7, i8 0, i8 0, i8 24, i32 393216 }, %struct.anon { i32 7, i8 0, i8 0, i8 25, i32 393216 }, %struct.anon { i32 7, i8 0, i8 0, i8 22, i32 393216 }], align 16

define ptr @wmtune_level() local_unnamed_addr #0 {
  %1 = tail call fastcc ptr @choose()
  %2 = icmp eq ptr %1, null
  br i1 %2, label %6, label %3

3:
  %4 = getelementptr inbounds %struct.level, ptr %1, i64 0, i32 1
  %5 = load ptr, ptr %4, align 8
  br label %6

6:
  %7 = phi ptr [ %5, %3 ], [ null, %0 ]
  ret ptr %7
}

declare void @llvm.lifetime.start.p0(i64 immarg, ptr nocapture) #1

define internal fastcc ptr @choose() unnamed_addr #0 {
  %1 = alloca [4 x i32], align 16
  %2 = load atomic i32, ptr @wmtune_chosen seq_cst, align 4
  %3 = icmp eq i32 %2, 0
  br i1 %3, label %8, label %4

4:
  %5 = add nsw i32 %2, -1
  %6 = sext i32 %5 to i64
  %7 = getelementptr inbounds [0 x %struct.level], ptr @wmtune_levels, i64 0, i64 %6
  br label %103

8:
  call void @llvm.lifetime.start.p0(i64 16, ptr nonnull %1) #6
  %9 = getelementptr inbounds [4 x i32], ptr %1, i64 0, i64 3
  %10 = getelementptr inbounds [4 x i32], ptr %1, i64 0, i64 2
  %11 = getelementptr inbounds [4 x i32], ptr %1, i64 0, i64 1
  %12 = tail call { i32, i32, i32, i32 } asm "  xchgq  %rbx,${1:q}\0A  cpuid\0A  xchgq  %rbx,${1:q}", "={ax},=r,={cx},={dx},0,~{dirflag},~{fpsr},~{flags}"(i32 0) #7, !srcloc !2
  %13 = extractvalue { i32, i32, i32, i32 } %12, 0
  %14 = icmp eq i32 %13, 0
  br i1 %14, label %23, label %15

15:
  %16 = tail call { i32, i32, i32, i32 } asm "  xchgq  %rbx,${1:q}\0A  cpuid\0A  xchgq  %rbx,${1:q}", "={ax},=r,={cx},={dx},0,~{dirflag},~{fpsr},~{flags}"(i32 1) #7, !srcloc !3
  %17 = extractvalue { i32, i32, i32, i32 } %16, 2
  %18 = and i32 %17, 134217728
  %19 = icmp eq i32 %18, 0
  br i1 %19, label %23, label %20

20:
  %21 = tail call { i32, i32 } asm "xgetbv", "={ax},={dx},{cx},~{dirflag},~{fpsr},~{flags}"(i32 0) #7, !srcloc !4
  %22 = extractvalue { i32, i32 } %21, 0
  br label %23

23:
  %24 = phi i32 [ %22, %20 ], [ 0, %15 ], [ 0, %8 ]
  br label %25

25:
  %26 = phi i64 [ 0, %23 ], [ %66, %64 ]
  %27 = phi i64 [ 0, %23 ], [ %65, %64 ]
  %28 = getelementptr inbounds [39 x %struct.anon], ptr @feature_list, i64 0, i64 %26
  %29 = load i32, ptr %28, align 4
  %30 = and i32 %29, -2147483648
  %31 = tail call { i32, i32, i32, i32 } asm "  xchgq  %rbx,${1:q}\0A  cpuid\0A  xchgq  %rbx,${1:q}", "={ax},=r,={cx},={dx},0,~{dirflag},~{fpsr},~{flags}"(i32 %30) #7, !srcloc !2
  %32 = extractvalue { i32, i32, i32, i32 } %31, 0
  %33 = icmp eq i32 %32, 0
  %34 = icmp ult i32 %32, %29
  %35 = or i1 %33, %34
  br i1 %35, label %64, label %36

36:
  %37 = getelementptr inbounds [39 x %struct.anon], ptr @feature_list, i64 0, i64 %26, i32 1
  %38 = load i8, ptr %37, align 4
  %39 = zext i8 %38 to i32
  %40 = tail call { i32, i32, i32, i32 } asm "  xchgq  %rbx,${1:q}\0A  cpuid\0A  xchgq  %rbx,${1:q}", "={ax},=r,={cx},={dx},0,2,~{dirflag},~{fpsr},~{flags}"(i32 %29, i32 %39) #7, !srcloc !5
  %41 = extractvalue { i32, i32, i32, i32 } %40, 0
  %42 = extractvalue { i32, i32, i32, i32 } %40, 1
  %43 = extractvalue { i32, i32, i32, i32 } %40, 2
  %44 = extractvalue { i32, i32, i32, i32 } %40, 3
  store i32 %41, ptr %9, align 4
  store i32 %42, ptr %10, align 8
  store i32 %43, ptr %11, align 4
  store i32 %44, ptr %1, align 16
  %45 = getelementptr inbounds [39 x %struct.anon], ptr @feature_list, i64 0, i64 %26, i32 2
  %46 = load i8, ptr %45, align 1
  %47 = zext i8 %46 to i64
  %48 = getelementptr inbounds [4 x i32], ptr %1, i64 0, i64 %47
  %49 = load i32, ptr %48, align 4
  %50 = getelementptr inbounds [39 x %struct.anon], ptr @feature_list, i64 0, i64 %26, i32 3
  %51 = load i8, ptr %50, align 2
  %52 = zext i8 %51 to i32
  %53 = shl nuw i32 1, %52
  %54 = and i32 %53, %49
  %55 = icmp eq i32 %54, 0
  br i1 %55, label %64, label %56

56:
  %57 = getelementptr inbounds [39 x %struct.anon], ptr @feature_list, i64 0, i64 %26, i32 4
  %58 = load i32, ptr %57, align 4
  %59 = and i32 %58, %24
  %60 = icmp eq i32 %59, %58
  br i1 %60, label %61, label %64

61:
  %62 = shl nuw nsw i64 1, %26
  %63 = or i64 %62, %27
  br label %64

64:
  %65 = phi i64 [ %63, %61 ], [ %27, %56 ], [ %27, %36 ], [ %27, %25 ]
  %66 = add nuw nsw i64 %26, 1
  %67 = icmp eq i64 %66, 39
  br i1 %67, label %68, label %25, !llvm.loop !6

68:
  call void @llvm.lifetime.end.p0(i64 16, ptr nonnull %1) #6
  %69 = tail call ptr @getenv(ptr noundef nonnull @.str) #6
  %70 = load i32, ptr @wmtune_n_levels, align 4
  %71 = icmp sgt i32 %70, 0
  br i1 %71, label %72, label %103

72:
  %73 = xor i64 %65, -1
  %74 = icmp eq ptr %69, null
  %75 = zext i32 %70 to i64
  br label %76

76:
  %77 = phi i64 [ %75, %72 ], [ %78, %101 ]
  %78 = add nsw i64 %77, -1
  %79 = and i64 %78, 4294967295
  %80 = getelementptr inbounds [0 x %struct.level], ptr @wmtune_levels, i64 0, i64 %79
  %81 = load i64, ptr %80, align 8
  %82 = and i64 %81, %73
  %83 = icmp eq i64 %82, 0
  br i1 %83, label %84, label %101

84:
  br i1 %74, label %93, label %85

85:
  %86 = load i8, ptr %69, align 1
  %87 = icmp eq i8 %86, 0
  br i1 %87, label %93, label %88

88:
  %89 = getelementptr inbounds [0 x %struct.level], ptr @wmtune_levels, i64 0, i64 %79, i32 1
  %90 = load ptr, ptr %89, align 8
  %91 = tail call i32 @strcmp(ptr noundef nonnull dereferenceable(1) %69, ptr noundef nonnull dereferenceable(1) %90) #8
  %92 = icmp eq i32 %91, 0
  br i1 %92, label %93, label %101

93:
  %94 = and i64 %81, 481036337152
  %95 = icmp eq i64 %94, 0
  br i1 %95, label %99, label %96

96:
  %97 = tail call i64 (i64, ...) @syscall(i64 noundef 158, i32 noundef 4131, i32 noundef 18) #6
  %98 = icmp eq i64 %97, 0
  br i1 %98, label %99, label %101

99:
  %100 = trunc i64 %77 to i32
  store atomic i32 %100, ptr @wmtune_chosen seq_cst, align 4
  br label %103

101:
  %102 = icmp ugt i64 %77, 1
  br i1 %102, label %76, label %103, !llvm.loop !9

103:
  %104 = phi ptr [ %7, %4 ], [ %80, %99 ], [ null, %68 ], [ null, %101 ]
  ret ptr %104
}

declare void @llvm.lifetime.end.p0(i64 immarg, ptr nocapture) #1

define i32 @wmtune_open(ptr noundef %0, ptr noundef %1, i32 noundef %2) local_unnamed_addr #0 {
  %4 = tail call fastcc ptr @choose()
  %5 = icmp eq ptr %4, null
  br i1 %5, label %6, label %9

6:
  %7 = icmp eq ptr %0, null
  br i1 %7, label %11, label %8

8:
  store ptr null, ptr %0, align 8
  br label %11

9:
  %10 = tail call i32 @wmtune_base_open(ptr noundef %0, ptr noundef %1, i32 noundef %2) #6
  br label %11

11:
  %12 = phi i32 [ %10, %9 ], [ -6, %8 ], [ -6, %6 ]
  ret i32 %12
}

declare hidden i32 @wmtune_base_open(ptr noundef, ptr noundef, i32 noundef) local_unnamed_addr #2

define i32 @wmtune_open_memory(ptr noundef %0, ptr noundef %1, i64 noundef %2, i32 noundef %3) local_unnamed_addr #0 {
  %5 = tail call fastcc ptr @choose()
  %6 = icmp eq ptr %5, null
  br i1 %6, label %7, label %10

7:
  %8 = icmp eq ptr %0, null
  br i1 %8, label %12, label %9

9:
  store ptr null, ptr %0, align 8
  br label %12

10:
  %11 = tail call i32 @wmtune_base_open_memory(ptr noundef %0, ptr noundef %1, i64 noundef %2, i32 noundef %3) #6
  br label %12

12:
  %13 = phi i32 [ %11, %10 ], [ -6, %9 ], [ -6, %7 ]
  ret i32 %13
}

declare hidden i32 @wmtune_base_open_memory(ptr noundef, ptr noundef, i64 noundef, i32 noundef) local_unnamed_addr #2

define i32 @wmtune_open_read(ptr noundef %0, ptr noundef %1, ptr noundef %2, i32 noundef %3) local_unnamed_addr #0 {
  %5 = tail call fastcc ptr @choose()
  %6 = icmp eq ptr %5, null
  br i1 %6, label %7, label %10

7:
  %8 = icmp eq ptr %0, null
  br i1 %8, label %12, label %9

9:
  store ptr null, ptr %0, align 8
  br label %12

10:
  %11 = tail call i32 @wmtune_base_open_read(ptr noundef %0, ptr noundef %1, ptr noundef %2, i32 noundef %3) #6
  br label %12

12:
  %13 = phi i32 [ %11, %10 ], [ -6, %9 ], [ -6, %7 ]
  ret i32 %13
}

declare hidden i32 @wmtune_base_open_read(ptr noundef, ptr noundef, ptr noundef, i32 noundef) local_unnamed_addr #2

declare noundef ptr @getenv(ptr nocapture noundef) local_unnamed_addr #3

declare i32 @strcmp(ptr nocapture noundef, ptr nocapture noundef) local_unnamed_addr #4

declare i64 @syscall(i64 noundef, ...) local_unnamed_addr #5

attributes #0 = { nounwind "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind willreturn memory(argmem: readwrite) }
attributes #2 = { "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #3 = { nofree nounwind memory(read) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #4 = { mustprogress nofree nounwind willreturn memory(argmem: read) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #5 = { nounwind "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #6 = { nounwind }
attributes #7 = { nounwind memory(none) }
attributes #8 = { nounwind willreturn memory(read) }

!llvm.module.flags = !{!0, !1}

!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 8, !"PIC Level", i32 2}
!2 = !{i64 2147659521, i64 2147659557, i64 2147659581}
!3 = !{i64 2147659727, i64 2147659763, i64 2147659787}
!4 = !{i64 163490}
!5 = !{i64 2147659937, i64 2147659973, i64 2147659997}
!6 = distinct !{!6, !7, !8}
!7 = !{!"llvm.loop.mustprogress"}
!8 = !{!"llvm.loop.unroll.disable"}
!9 = distinct !{!9, !7, !8}
