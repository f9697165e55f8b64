; c34c7538f57212e5567d299c2300ef46667ababfb07dc36381f21e6055080739 of levels.c, processor.h; by runtime.sh

%struct.level = type { i64, ptr }

@wmtune_chosen = hidden local_unnamed_addr global i32 0, align 4
@wmtune_levels = external hidden constant [0 x %struct.level], align 8
@.str = private unnamed_addr constant [13 x i8] c"WMTUNE_LEVEL\00", align 1
@wmtune_n_levels = external hidden local_unnamed_addr constant i32, align 4
@feature_list = internal unnamed_addr constant [7 x [2 x i8]] [[2 x i8] c"\00\01", [2 x i8] c"\00\14", [2 x i8] c"\00\0A", [2 x i8] c"\01\0D", [2 x i8] c"\01\0E", [2 x i8] c"\00\08", [2 x i8] c"\00\0C"], align 1

define ptr @wmtune_level() local_unnamed_addr #0 {
  %1 = tail call fastcc ptr @choose() #5
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
  %1 = alloca [2 x i64], align 8
  %2 = load atomic i32, ptr @wmtune_chosen seq_cst, align 4
  %3 = icmp eq i32 %2, 0
  br i1 %3, label %8, label %4

4:
  %5 = add nsw i32 %2, -1
  %6 = sext i32 %5 to i64
  %7 = getelementptr inbounds [0 x %struct.level], ptr @wmtune_levels, i64 0, i64 %6
  br label %58

8:
  call void @llvm.lifetime.start.p0(i64 16, ptr nonnull %1) #6
  %9 = tail call i64 @getauxval(i64 noundef 16) #7
  store i64 %9, ptr %1, align 8
  %10 = getelementptr inbounds i64, ptr %1, i64 1
  %11 = tail call i64 @getauxval(i64 noundef 26) #7
  store i64 %11, ptr %10, align 8
  br label %12

12:
  %13 = phi i64 [ 0, %8 ], [ %27, %12 ]
  %14 = phi i64 [ 0, %8 ], [ %26, %12 ]
  %15 = getelementptr inbounds [7 x [2 x i8]], ptr @feature_list, i64 0, i64 %13
  %16 = load i8, ptr %15, align 1
  %17 = zext i8 %16 to i64
  %18 = getelementptr inbounds [2 x i64], ptr %1, i64 0, i64 %17
  %19 = load i64, ptr %18, align 8
  %20 = getelementptr inbounds [7 x [2 x i8]], ptr @feature_list, i64 0, i64 %13, i64 1
  %21 = load i8, ptr %20, align 1
  %22 = zext i8 %21 to i64
  %23 = lshr i64 %19, %22
  %24 = and i64 %23, 1
  %25 = shl nuw nsw i64 %24, %13
  %26 = or i64 %25, %14
  %27 = add nuw nsw i64 %13, 1
  %28 = icmp eq i64 %27, 7
  br i1 %28, label %29, label %12

29:
  call void @llvm.lifetime.end.p0(i64 16, ptr nonnull %1) #6
  %30 = tail call ptr @getenv(ptr noundef nonnull @.str) #7
  %31 = load i32, ptr @wmtune_n_levels, align 4
  %32 = icmp sgt i32 %31, 0
  br i1 %32, label %33, label %58

33:
  %34 = xor i64 %26, -1
  %35 = icmp eq ptr %30, null
  %36 = zext i32 %31 to i64
  br label %37

37:
  %38 = phi i64 [ %36, %33 ], [ %39, %56 ]
  %39 = add nsw i64 %38, -1
  %40 = and i64 %39, 4294967295
  %41 = getelementptr inbounds [0 x %struct.level], ptr @wmtune_levels, i64 0, i64 %40
  %42 = load i64, ptr %41, align 8
  %43 = and i64 %42, %34
  %44 = icmp eq i64 %43, 0
  br i1 %44, label %45, label %56

45:
  br i1 %35, label %54, label %46

46:
  %47 = load i8, ptr %30, align 1
  %48 = icmp eq i8 %47, 0
  br i1 %48, label %54, label %49

49:
  %50 = getelementptr inbounds [0 x %struct.level], ptr @wmtune_levels, i64 0, i64 %40, i32 1
  %51 = load ptr, ptr %50, align 8
  %52 = tail call i32 @strcmp(ptr noundef nonnull dereferenceable(1) %30, ptr noundef nonnull dereferenceable(1) %51) #8
  %53 = icmp eq i32 %52, 0
  br i1 %53, label %54, label %56

54:
  %55 = trunc i64 %38 to i32
  store atomic i32 %55, ptr @wmtune_chosen seq_cst, align 4
  br label %58

56:
  %57 = icmp ugt i64 %38, 1
  br i1 %57, label %37, label %58

58:
  %59 = phi ptr [ %7, %4 ], [ %41, %54 ], [ null, %29 ], [ null, %56 ]
  ret ptr %59
}

declare void @llvm.lifetime.end.p0(i64 immarg, ptr nocapture) #1

define i32 @wmtune_open(ptr noundef %0, ptr noundef %1, i32 noundef %2) local_unnamed_addr #0 {
  %4 = tail call fastcc ptr @choose() #5
  %5 = icmp eq ptr %4, null
  br i1 %5, label %6, label %9

6:
  %7 = icmp eq ptr %0, null
  br i1 %7, label %11, label %8

8:
  store ptr null, ptr %0, align 8
  br label %11

9:
  %10 = tail call i32 @wmtune_base_open(ptr noundef %0, ptr noundef %1, i32 noundef %2) #7
  br label %11

11:
  %12 = phi i32 [ %10, %9 ], [ -6, %8 ], [ -6, %6 ]
  ret i32 %12
}

declare hidden i32 @wmtune_base_open(ptr noundef, ptr noundef, i32 noundef) local_unnamed_addr #2

define i32 @wmtune_open_memory(ptr noundef %0, ptr noundef %1, i64 noundef %2, i32 noundef %3) local_unnamed_addr #0 {
  %5 = tail call fastcc ptr @choose() #5
  %6 = icmp eq ptr %5, null
  br i1 %6, label %7, label %10

7:
  %8 = icmp eq ptr %0, null
  br i1 %8, label %12, label %9

9:
  store ptr null, ptr %0, align 8
  br label %12

10:
  %11 = tail call i32 @wmtune_base_open_memory(ptr noundef %0, ptr noundef %1, i64 noundef %2, i32 noundef %3) #7
  br label %12

12:
  %13 = phi i32 [ %11, %10 ], [ -6, %9 ], [ -6, %7 ]
  ret i32 %13
}

declare hidden i32 @wmtune_base_open_memory(ptr noundef, ptr noundef, i64 noundef, i32 noundef) local_unnamed_addr #2

define i32 @wmtune_open_read(ptr noundef %0, ptr noundef %1, ptr noundef %2, i32 noundef %3) local_unnamed_addr #0 {
  %5 = tail call fastcc ptr @choose() #5
  %6 = icmp eq ptr %5, null
  br i1 %6, label %7, label %10

7:
  %8 = icmp eq ptr %0, null
  br i1 %8, label %12, label %9

9:
  store ptr null, ptr %0, align 8
  br label %12

10:
  %11 = tail call i32 @wmtune_base_open_read(ptr noundef %0, ptr noundef %1, ptr noundef %2, i32 noundef %3) #7
  br label %12

12:
  %13 = phi i32 [ %11, %10 ], [ -6, %9 ], [ -6, %7 ]
  ret i32 %13
}

declare hidden i32 @wmtune_base_open_read(ptr noundef, ptr noundef, ptr noundef, i32 noundef) local_unnamed_addr #2

declare noundef ptr @getenv(ptr nocapture noundef) local_unnamed_addr #3

declare i32 @strcmp(ptr nocapture noundef, ptr nocapture noundef) local_unnamed_addr #4

declare i64 @getauxval(i64 noundef) local_unnamed_addr #0

attributes #0 = { nounwind optsize "frame-pointer"="non-leaf" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="generic" "target-features"="+fp-armv8,+neon,+v8a,-fmv,-outline-atomics" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind willreturn memory(argmem: readwrite) }
attributes #2 = { optsize "frame-pointer"="non-leaf" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="generic" "target-features"="+fp-armv8,+neon,+v8a,-fmv,-outline-atomics" }
attributes #3 = { nofree nounwind optsize memory(read) "frame-pointer"="non-leaf" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="generic" "target-features"="+fp-armv8,+neon,+v8a,-fmv,-outline-atomics" }
attributes #4 = { mustprogress nofree nounwind optsize willreturn memory(argmem: read) "frame-pointer"="non-leaf" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="generic" "target-features"="+fp-armv8,+neon,+v8a,-fmv,-outline-atomics" }
attributes #5 = { optsize }
attributes #6 = { nounwind }
attributes #7 = { nounwind optsize }
attributes #8 = { nounwind optsize willreturn memory(read) }


