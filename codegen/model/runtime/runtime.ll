; e4ef88caacbd419d1122cef4785c81f67c7a09b1c981c4559a80c313a84ed5a4 of processor.h, runtime.c, sha256.h; by runtime.sh

%struct.program = type { i64, i64, i64, i64, ptr, ptr, ptr, ptr, i32, i32, i32, i32, i32, i32, [32 x i8] }
%struct.anon = type { i8, i8, i8, i8, i8 }
%struct.context = type { ptr, i64, i64, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i32, i32, ptr, i32, ptr, ptr, i64, i64, i64, i32, i32 }
%struct.thread = type { ptr, ptr, i64, i64, i32, [28 x i8], i32, i32, i32, i32, [48 x i8] }
%struct.timespec = type { i64, i64 }
%struct.copy = type { ptr, ptr, i64 }
%struct.region = type { i64, i64 }
%struct.cpu_set_t = type { [16 x i64] }
%struct.__sigset_t = type { [16 x i64] }
%union.pthread_attr_t = type { i64, [48 x i8] }

@wmtune_program = external hidden constant %struct.program, align 8
@.str = private unnamed_addr constant [9 x i8] c"no error\00", align 1
@.str.1 = private unnamed_addr constant [14 x i8] c"out of memory\00", align 1
@.str.2 = private unnamed_addr constant [29 x i8] c"cannot open the weights file\00", align 1
@.str.3 = private unnamed_addr constant [89 x i8] c"the weights file has another size than this model's: it is another model's, or cut short\00", align 1
@.str.4 = private unnamed_addr constant [90 x i8] c"the weights file has another content than this model's: it is another model's, or damaged\00", align 1
@.str.5 = private unnamed_addr constant [40 x i8] c"cannot map the weights file into memory\00", align 1
@.str.6 = private unnamed_addr constant [68 x i8] c"this processor lacks instructions that the library was compiled for\00", align 1
@.str.7 = private unnamed_addr constant [47 x i8] c"the number of threads is negative or above 256\00", align 1
@.str.8 = private unnamed_addr constant [20 x i8] c"the context is null\00", align 1
@.str.9 = private unnamed_addr constant [45 x i8] c"the address of an input or an output is null\00", align 1
@.str.10 = private unnamed_addr constant [30 x i8] c"two outputs overlap in memory\00", align 1
@.str.11 = private unnamed_addr constant [62 x i8] c"another thread is using the context: open one for each thread\00", align 1
@.str.12 = private unnamed_addr constant [69 x i8] c"the library has no weights inside: give the path of the weights file\00", align 1
@.str.13 = private unnamed_addr constant [19 x i8] c"unknown error code\00", align 1
@feature_list = internal unnamed_addr constant [21 x %struct.anon] [%struct.anon { i8 1, i8 0, i8 1, i8 0, i8 0 }, %struct.anon { i8 1, i8 0, i8 1, i8 9, i8 0 }, %struct.anon { i8 1, i8 0, i8 1, i8 19, i8 0 }, %struct.anon { i8 1, i8 0, i8 1, i8 20, i8 0 }, %struct.anon { i8 1, i8 0, i8 1, i8 23, i8 0 }, %struct.anon { i8 1, i8 0, i8 1, i8 22, i8 0 }, %struct.anon { i8 1, i8 0, i8 1, i8 28, i8 6 }, %struct.anon { i8 1, i8 0, i8 1, i8 12, i8 6 }, %struct.anon { i8 1, i8 0, i8 1, i8 29, i8 6 }, %struct.anon { i8 7, i8 0, i8 2, i8 5, i8 6 }, %struct.anon { i8 7, i8 0, i8 2, i8 3, i8 0 }, %struct.anon { i8 7, i8 0, i8 2, i8 8, i8 0 }, %struct.anon { i8 7, i8 0, i8 2, i8 16, i8 -26 }, %struct.anon { i8 7, i8 0, i8 2, i8 28, i8 -26 }, %struct.anon { i8 7, i8 0, i8 2, i8 30, i8 -26 }, %struct.anon { i8 7, i8 0, i8 2, i8 17, i8 -26 }, %struct.anon { i8 7, i8 0, i8 2, i8 31, i8 -26 }, %struct.anon { i8 7, i8 0, i8 1, i8 11, i8 -26 }, %struct.anon { i8 7, i8 1, i8 3, i8 5, i8 -26 }, %struct.anon { i8 7, i8 0, i8 0, i8 23, i8 -26 }, %struct.anon { i8 7, i8 1, i8 3, i8 4, i8 6 }], align 16
@.str.14 = private unnamed_addr constant [23 x i8] c"/sys/fs/cgroup/cpu.max\00", align 1
@.str.15 = private unnamed_addr constant [36 x i8] c"/sys/fs/cgroup/cpu/cpu.cfs_quota_us\00", align 1
@.str.16 = private unnamed_addr constant [37 x i8] c"/sys/fs/cgroup/cpu/cpu.cfs_period_us\00", align 1
@__const.sha256.h = private unnamed_addr constant [8 x i32] [i32 1779033703, i32 -1150833019, i32 1013904242, i32 -1521486534, i32 1359893119, i32 -1694144372, i32 528734635, i32 1541459225], align 16
@sha_k = internal unnamed_addr constant [64 x i32] [i32 1116352408, i32 1899447441, i32 -1245643825, i32 -373957723, i32 961987163, i32 1508970993, i32 -1841331548, i32 -1424204075, i32 -670586216, i32 310598401, i32 607225278, i32 1426881987, i32 1925078388, i32 -2132889090, i32 -1680079193, i32 -1046744716, i32 -459576895, i32 -272742522, i32 264347078, i32 604807628, i32 770255983, i32 1249150122, i32 1555081692, i32 1996064986, i32 -1740746414, i32 -1473132947, i32 -1341970488, i32 -1084653625, i32 -958395405, i32 -710438585, i32 113926993, i32 338241895, i32 666307205, i32 773529912, i32 1294757372, i32 1396182291, i32 1695183700, i32 1986661051, i32 -2117940946, i32 -1838011259, i32 -1564481375, i32 -1474664885, i32 -1035236496, i32 -949202525, i32 -778901479, i32 -694614492, i32 -200395387, i32 275423344, i32 430227734, i32 506948616, i32 659060556, i32 883997877, i32 958139571, i32 1322822218, i32 1537002063, i32 1747873779, i32 1955562222, i32 2024104815, i32 -2067236844, i32 -1933114872, i32 -1866530822, i32 -1538233109, i32 -1090935817, i32 -965641998], align 16
@__const.start.faults = private unnamed_addr constant [7 x i32] [i32 4, i32 5, i32 6, i32 7, i32 8, i32 11, i32 31], align 16
@switch.table.wmtune_error = private unnamed_addr constant [13 x ptr] [ptr @.str.12, ptr @.str.11, ptr @.str.10, ptr @.str.9, ptr @.str.8, ptr @.str.7, ptr @.str.6, ptr @.str.5, ptr @.str.4, ptr @.str.3, ptr @.str.2, ptr @.str.1, ptr @.str], align 8

define hidden void @wmtune_parallel_for(ptr noundef %0, ptr noundef %1, ptr noundef %2, i64 noundef %3) local_unnamed_addr #0 {
  %5 = load ptr, ptr %0, align 64
  %6 = getelementptr inbounds %struct.context, ptr %5, i64 0, i32 19
  %7 = load i64, ptr %6, align 8
  %8 = tail call i64 @llvm.smin.i64(i64 %7, i64 %3)
  %9 = icmp slt i64 %3, 1
  br i1 %9, label %96, label %10

10:
  %11 = icmp slt i64 %8, 2
  br i1 %11, label %20, label %12

12:
  %13 = getelementptr inbounds %struct.thread, ptr %0, i64 0, i32 2
  %14 = load i64, ptr %13, align 16
  %15 = icmp eq i64 %14, 0
  br i1 %15, label %16, label %20

16:
  %17 = getelementptr inbounds %struct.context, ptr %5, i64 0, i32 20
  %18 = load i32, ptr %17, align 8
  %19 = icmp eq i32 %18, 0
  br i1 %19, label %21, label %20

20:
  tail call void %1(ptr noundef nonnull %0, ptr noundef %2, i64 noundef 0, i64 noundef %3) #14
  br label %96

21:
  store i32 1, ptr %17, align 8
  %22 = getelementptr inbounds %struct.context, ptr %5, i64 0, i32 15
  store ptr %1, ptr %22, align 8
  %23 = getelementptr inbounds %struct.context, ptr %5, i64 0, i32 16
  store ptr %2, ptr %23, align 8
  %24 = getelementptr inbounds %struct.context, ptr %5, i64 0, i32 17
  store i64 %3, ptr %24, align 8
  %25 = getelementptr inbounds %struct.context, ptr %5, i64 0, i32 18
  store i64 %8, ptr %25, align 8
  br label %38

26:
  %27 = load i64, ptr %24, align 8
  %28 = load i64, ptr %25, align 8
  %29 = load ptr, ptr %22, align 8
  %30 = load ptr, ptr %23, align 8
  %31 = sdiv i64 %27, %28
  %32 = srem i64 %27, %28
  %33 = icmp sgt i64 %32, 0
  %34 = tail call i64 @llvm.smin.i64(i64 %32, i64 0)
  %35 = add nsw i64 %34, %31
  %36 = zext i1 %33 to i64
  %37 = add nsw i64 %35, %36
  tail call void %29(ptr noundef nonnull %0, ptr noundef %30, i64 noundef %34, i64 noundef %37) #14
  br label %53

38:
  %39 = phi i64 [ %50, %49 ], [ 1, %21 ]
  %40 = load ptr, ptr %5, align 8
  %41 = getelementptr inbounds %struct.thread, ptr %40, i64 %39, i32 6
  %42 = load atomic i32, ptr %41 monotonic, align 64
  %43 = add nsw i32 %42, 1
  store atomic i32 %43, ptr %41 seq_cst, align 64
  %44 = getelementptr inbounds %struct.thread, ptr %40, i64 %39, i32 7
  %45 = load atomic i32, ptr %44 seq_cst, align 4
  %46 = icmp eq i32 %45, 0
  br i1 %46, label %49, label %47

47:
  %48 = tail call i64 (i64, ...) @syscall(i64 noundef 202, ptr noundef nonnull %41, i32 noundef 129, i32 noundef 1, ptr noundef null, ptr noundef null, i32 noundef 0) #14
  br label %49

49:
  %50 = add nuw nsw i64 %39, 1
  %51 = icmp eq i64 %50, %8
  br i1 %51, label %26, label %38, !llvm.loop !2

52:
  store i32 0, ptr %17, align 8
  br label %96

53:
  %54 = phi i64 [ %94, %93 ], [ 1, %26 ]
  %55 = load ptr, ptr %5, align 8
  %56 = getelementptr inbounds %struct.thread, ptr %55, i64 %54, i32 6
  %57 = load atomic i32, ptr %56 monotonic, align 64
  %58 = getelementptr inbounds %struct.thread, ptr %55, i64 %54, i32 8
  %59 = load atomic i32, ptr %58 monotonic, align 8
  %60 = icmp eq i32 %59, %57
  br i1 %60, label %79, label %61

61:
  %62 = add nsw i32 %57, -1
  %63 = cmpxchg ptr %58, i32 %62, i32 %57 seq_cst seq_cst, align 4
  %64 = extractvalue { i32, i1 } %63, 1
  br i1 %64, label %65, label %79

65:
  %66 = load i64, ptr %24, align 8
  %67 = load i64, ptr %25, align 8
  %68 = sdiv i64 %66, %67
  %69 = srem i64 %66, %67
  %70 = mul nsw i64 %68, %54
  %71 = icmp sgt i64 %69, %54
  %72 = tail call i64 @llvm.smin.i64(i64 %69, i64 %54)
  %73 = add nsw i64 %72, %70
  %74 = load ptr, ptr %22, align 8
  %75 = load ptr, ptr %23, align 8
  %76 = add nsw i64 %73, %68
  %77 = zext i1 %71 to i64
  %78 = add nsw i64 %76, %77
  tail call void %74(ptr noundef nonnull %0, ptr noundef %75, i64 noundef %73, i64 noundef %78) #14
  br label %93

79:
  %80 = getelementptr inbounds %struct.thread, ptr %55, i64 %54, i32 9
  %81 = load atomic i32, ptr %80 acquire, align 4
  %82 = icmp eq i32 %81, %57
  br i1 %82, label %93, label %83

83:
  %84 = phi i32 [ %90, %89 ], [ 0, %79 ]
  %85 = icmp ult i32 %84, 2000
  br i1 %85, label %86, label %87

86:
  tail call void @llvm.x86.sse2.pause()
  br label %89

87:
  %88 = tail call i32 @sched_yield() #14
  br label %89

89:
  %90 = add i32 %84, 1
  %91 = load atomic i32, ptr %80 acquire, align 4
  %92 = icmp eq i32 %91, %57
  br i1 %92, label %93, label %83, !llvm.loop !5

93:
  %94 = add nuw nsw i64 %54, 1
  %95 = icmp eq i64 %94, %8
  br i1 %95, label %52, label %53, !llvm.loop !6

96:
  ret void
}

declare void @llvm.lifetime.start.p0(i64 immarg, ptr nocapture) #1

declare void @llvm.lifetime.end.p0(i64 immarg, ptr nocapture) #1

define hidden ptr @wmtune_alloc(ptr nocapture noundef %0, i64 noundef %1) local_unnamed_addr #2 {
  %3 = getelementptr inbounds %struct.thread, ptr %0, i64 0, i32 1
  %4 = load ptr, ptr %3, align 8
  %5 = add nsw i64 %1, 63
  %6 = sdiv i64 %5, 64
  %7 = shl nsw i64 %6, 6
  %8 = getelementptr inbounds i8, ptr %4, i64 %7
  store ptr %8, ptr %3, align 8
  ret ptr %4
}

define hidden void @wmtune_free(ptr nocapture noundef %0, ptr noundef %1) local_unnamed_addr #2 {
  %3 = getelementptr inbounds %struct.thread, ptr %0, i64 0, i32 1
  %4 = load ptr, ptr %3, align 8
  %5 = icmp ugt ptr %4, %1
  br i1 %5, label %6, label %7

6:
  store ptr %1, ptr %3, align 8
  br label %7

7:
  ret void
}

define hidden void @wmtune_limit(ptr nocapture noundef readonly %0, i64 noundef %1) local_unnamed_addr #3 {
  %3 = load ptr, ptr %0, align 64
  %4 = icmp sgt i64 %1, 0
  %5 = getelementptr inbounds %struct.context, ptr %3, i64 0, i32 2
  %6 = load i64, ptr %5, align 8
  %7 = icmp sgt i64 %6, %1
  %8 = select i1 %4, i1 %7, i1 false
  %9 = select i1 %8, i64 %1, i64 %6
  %10 = getelementptr inbounds %struct.context, ptr %3, i64 0, i32 19
  store i64 %9, ptr %10, align 8
  ret void
}

define hidden void @wmtune_mark(ptr nocapture noundef readonly %0, i64 noundef %1) local_unnamed_addr #0 {
  %3 = alloca %struct.timespec, align 8
  %4 = load ptr, ptr %0, align 64
  call void @llvm.lifetime.start.p0(i64 16, ptr nonnull %3) #14
  %5 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %3) #14
  %6 = load i64, ptr %3, align 8
  %7 = mul nsw i64 %6, 1000000000
  %8 = getelementptr inbounds %struct.timespec, ptr %3, i64 0, i32 1
  %9 = load i64, ptr %8, align 8
  %10 = add nsw i64 %7, %9
  call void @llvm.lifetime.end.p0(i64 16, ptr nonnull %3) #14
  %11 = icmp sgt i64 %1, -1
  br i1 %11, label %12, label %21

12:
  %13 = getelementptr inbounds %struct.context, ptr %4, i64 0, i32 10
  %14 = load i64, ptr %13, align 8
  %15 = sub i64 %10, %14
  %16 = getelementptr inbounds %struct.context, ptr %4, i64 0, i32 9
  %17 = load ptr, ptr %16, align 8
  %18 = getelementptr inbounds i64, ptr %17, i64 %1
  %19 = load i64, ptr %18, align 8
  %20 = add nsw i64 %15, %19
  store i64 %20, ptr %18, align 8
  br label %21

21:
  %22 = getelementptr inbounds %struct.context, ptr %4, i64 0, i32 10
  store i64 %10, ptr %22, align 8
  ret void
}

define hidden void @wmtune_copy(ptr noundef %0, ptr noundef %1, ptr noundef %2, i64 noundef %3) local_unnamed_addr #0 {
  %5 = alloca %struct.copy, align 8
  call void @llvm.lifetime.start.p0(i64 24, ptr nonnull %5) #14
  store ptr %1, ptr %5, align 8
  %6 = getelementptr inbounds %struct.copy, ptr %5, i64 0, i32 1
  store ptr %2, ptr %6, align 8
  %7 = getelementptr inbounds %struct.copy, ptr %5, i64 0, i32 2
  store i64 %3, ptr %7, align 8
  %8 = icmp slt i64 %3, 524288
  br i1 %8, label %15, label %9

9:
  %10 = getelementptr inbounds i8, ptr %2, i64 %3
  %11 = icmp ugt ptr %10, %1
  %12 = getelementptr inbounds i8, ptr %1, i64 %3
  %13 = icmp ugt ptr %12, %2
  %14 = select i1 %11, i1 %13, i1 false
  br i1 %14, label %15, label %16

15:
  tail call void @llvm.memmove.p0.p0.i64(ptr align 1 %1, ptr align 1 %2, i64 %3, i1 false)
  br label %19

16:
  %17 = add nuw nsw i64 %3, 262143
  %18 = lshr i64 %17, 18
  call void @wmtune_parallel_for(ptr noundef %0, ptr noundef nonnull @copy_part, ptr noundef nonnull %5, i64 noundef %18)
  br label %19

19:
  call void @llvm.lifetime.end.p0(i64 24, ptr nonnull %5) #14
  ret void
}

declare void @llvm.memmove.p0.p0.i64(ptr nocapture writeonly, ptr nocapture readonly, i64, i1 immarg) #4

define internal void @copy_part(ptr nocapture readnone %0, ptr nocapture noundef readonly %1, i64 noundef %2, i64 noundef %3) #5 {
  %5 = shl nsw i64 %3, 18
  %6 = getelementptr inbounds %struct.copy, ptr %1, i64 0, i32 2
  %7 = load i64, ptr %6, align 8
  %8 = tail call i64 @llvm.smin.i64(i64 %5, i64 %7)
  %9 = shl nsw i64 %2, 18
  %10 = load ptr, ptr %1, align 8
  %11 = getelementptr inbounds i8, ptr %10, i64 %9
  %12 = getelementptr inbounds %struct.copy, ptr %1, i64 0, i32 1
  %13 = load ptr, ptr %12, align 8
  %14 = getelementptr inbounds i8, ptr %13, i64 %9
  %15 = sub nsw i64 %8, %9
  tail call void @llvm.memcpy.p0.p0.i64(ptr align 1 %11, ptr align 1 %14, i64 %15, i1 false)
  ret void
}

define void @wmtune_close(ptr noundef %0) local_unnamed_addr #0 {
  %2 = icmp eq ptr %0, null
  br i1 %2, label %126, label %3

3:
  %4 = getelementptr inbounds %struct.context, ptr %0, i64 0, i32 13
  %5 = load ptr, ptr %4, align 8
  %6 = icmp eq ptr %5, null
  br i1 %6, label %10, label %7

7:
  %8 = load atomic i32, ptr %5 monotonic, align 4
  %9 = icmp eq i32 %8, 0
  br i1 %9, label %46, label %15

10:
  %11 = tail call i32 @getpid() #14
  %12 = getelementptr inbounds %struct.context, ptr %0, i64 0, i32 14
  %13 = load i32, ptr %12, align 8
  %14 = icmp eq i32 %11, %13
  br i1 %14, label %15, label %46

15:
  %16 = getelementptr inbounds %struct.context, ptr %0, i64 0, i32 21
  store atomic i32 1, ptr %16 seq_cst, align 4
  %17 = getelementptr inbounds %struct.context, ptr %0, i64 0, i32 2
  %18 = load i64, ptr %17, align 8
  %19 = icmp sgt i64 %18, 1
  br i1 %19, label %22, label %46

20:
  %21 = icmp sgt i64 %35, 1
  br i1 %21, label %37, label %46

22:
  %23 = phi i64 [ %34, %33 ], [ 1, %15 ]
  %24 = load ptr, ptr %0, align 8
  %25 = getelementptr inbounds %struct.thread, ptr %24, i64 %23, i32 6
  %26 = load atomic i32, ptr %25 monotonic, align 64
  %27 = add nsw i32 %26, 1
  store atomic i32 %27, ptr %25 seq_cst, align 64
  %28 = getelementptr inbounds %struct.thread, ptr %24, i64 %23, i32 7
  %29 = load atomic i32, ptr %28 seq_cst, align 4
  %30 = icmp eq i32 %29, 0
  br i1 %30, label %33, label %31

31:
  %32 = tail call i64 (i64, ...) @syscall(i64 noundef 202, ptr noundef nonnull %25, i32 noundef 129, i32 noundef 1, ptr noundef null, ptr noundef null, i32 noundef 0) #14
  br label %33

33:
  %34 = add nuw nsw i64 %23, 1
  %35 = load i64, ptr %17, align 8
  %36 = icmp slt i64 %34, %35
  br i1 %36, label %22, label %20, !llvm.loop !7

37:
  %38 = phi i64 [ %43, %37 ], [ 1, %20 ]
  %39 = load ptr, ptr %0, align 8
  %40 = getelementptr inbounds %struct.thread, ptr %39, i64 %38, i32 3
  %41 = load i64, ptr %40, align 8
  %42 = tail call i32 @pthread_join(i64 noundef %41, ptr noundef null) #14
  %43 = add nuw nsw i64 %38, 1
  %44 = load i64, ptr %17, align 8
  %45 = icmp slt i64 %43, %44
  br i1 %45, label %37, label %46, !llvm.loop !8

46:
  %47 = load ptr, ptr %4, align 8
  %48 = icmp eq ptr %47, null
  br i1 %48, label %51, label %49

49:
  %50 = tail call i32 @munmap(ptr noundef nonnull %47, i64 noundef 4096) #14
  br label %51

51:
  %52 = getelementptr inbounds %struct.context, ptr %0, i64 0, i32 3
  %53 = load ptr, ptr %52, align 8
  %54 = icmp eq ptr %53, null
  br i1 %54, label %58, label %55

55:
  %56 = load i64, ptr @wmtune_program, align 8
  %57 = tail call i32 @munmap(ptr noundef nonnull %53, i64 noundef %56) #14
  br label %58

58:
  %59 = getelementptr inbounds %struct.context, ptr %0, i64 0, i32 4
  %60 = load ptr, ptr %59, align 8
  %61 = icmp eq ptr %60, null
  br i1 %61, label %68, label %62

62:
  %63 = getelementptr inbounds %struct.context, ptr %0, i64 0, i32 1
  %64 = load i64, ptr %63, align 8
  %65 = load i64, ptr getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 2), align 8
  %66 = mul nsw i64 %65, %64
  %67 = tail call i32 @munmap(ptr noundef nonnull %60, i64 noundef %66) #14
  br label %68

68:
  %69 = getelementptr inbounds %struct.context, ptr %0, i64 0, i32 5
  %70 = load ptr, ptr %69, align 8
  %71 = icmp eq ptr %70, null
  br i1 %71, label %110, label %72

72:
  %73 = load i32, ptr getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 10), align 8
  %74 = icmp sgt i32 %73, 0
  br i1 %74, label %75, label %78

75:
  %76 = load ptr, ptr getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 5), align 8
  %77 = zext i32 %73 to i64
  br label %85

78:
  %79 = phi i64 [ 0, %72 ], [ %93, %85 ]
  %80 = load i32, ptr getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 11), align 4
  %81 = icmp sgt i32 %80, 0
  br i1 %81, label %82, label %107

82:
  %83 = load ptr, ptr getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 6), align 8
  %84 = zext i32 %80 to i64
  br label %96

85:
  %86 = phi i64 [ 0, %75 ], [ %94, %85 ]
  %87 = phi i64 [ 0, %75 ], [ %93, %85 ]
  %88 = getelementptr inbounds %struct.region, ptr %76, i64 %86
  %89 = load i64, ptr %88, align 8
  %90 = add nsw i64 %89, 63
  %91 = sdiv i64 %90, 64
  %92 = shl nsw i64 %91, 6
  %93 = add nsw i64 %92, %87
  %94 = add nuw nsw i64 %86, 1
  %95 = icmp eq i64 %94, %77
  br i1 %95, label %78, label %85, !llvm.loop !9

96:
  %97 = phi i64 [ 0, %82 ], [ %105, %96 ]
  %98 = phi i64 [ %79, %82 ], [ %104, %96 ]
  %99 = getelementptr inbounds %struct.region, ptr %83, i64 %97
  %100 = load i64, ptr %99, align 8
  %101 = add nsw i64 %100, 63
  %102 = sdiv i64 %101, 64
  %103 = shl nsw i64 %102, 6
  %104 = add nsw i64 %103, %98
  %105 = add nuw nsw i64 %97, 1
  %106 = icmp eq i64 %105, %84
  br i1 %106, label %107, label %96, !llvm.loop !10

107:
  %108 = phi i64 [ %79, %78 ], [ %104, %96 ]
  %109 = tail call i32 @munmap(ptr noundef nonnull %70, i64 noundef %108) #14
  br label %110

110:
  %111 = getelementptr inbounds %struct.context, ptr %0, i64 0, i32 6
  %112 = load ptr, ptr %111, align 8
  %113 = icmp eq ptr %112, null
  %114 = load ptr, ptr getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 4), align 8
  %115 = icmp eq ptr %112, %114
  %116 = select i1 %113, i1 true, i1 %115
  br i1 %116, label %120, label %117

117:
  %118 = load i64, ptr getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 1), align 8
  %119 = tail call i32 @munmap(ptr noundef nonnull %112, i64 noundef %118) #14
  br label %120

120:
  %121 = load ptr, ptr %0, align 8
  tail call void @free(ptr noundef %121) #14
  %122 = getelementptr inbounds %struct.context, ptr %0, i64 0, i32 7
  %123 = load ptr, ptr %122, align 8
  tail call void @free(ptr noundef %123) #14
  %124 = getelementptr inbounds %struct.context, ptr %0, i64 0, i32 8
  %125 = load ptr, ptr %124, align 8
  tail call void @free(ptr noundef %125) #14
  tail call void @free(ptr noundef nonnull %0) #14
  br label %126

126:
  ret void
}

declare i32 @pthread_join(i64 noundef, ptr noundef) local_unnamed_addr #6

declare i32 @munmap(ptr noundef, i64 noundef) local_unnamed_addr #7

declare void @free(ptr allocptr nocapture noundef) local_unnamed_addr #8

define i32 @wmtune_flush_denormals(ptr noundef writeonly %0, i32 noundef %1) local_unnamed_addr #9 {
  %3 = icmp eq ptr %0, null
  br i1 %3, label %8, label %4

4:
  %5 = icmp eq i32 %1, 0
  %6 = select i1 %5, i32 8064, i32 40896
  %7 = getelementptr inbounds %struct.context, ptr %0, i64 0, i32 11
  store i32 %6, ptr %7, align 8
  br label %8

8:
  %9 = phi i32 [ 0, %4 ], [ -8, %2 ]
  ret i32 %9
}

define i32 @wmtune_open(ptr noundef writeonly %0, ptr noundef readonly %1, i32 noundef %2) local_unnamed_addr #0 {
  %4 = alloca [8 x i32], align 16
  %5 = alloca [128 x i8], align 16
  %6 = alloca [32 x i8], align 16
  %7 = alloca [4 x i32], align 16
  %8 = icmp eq ptr %0, null
  br i1 %8, label %229, label %9

9:
  store ptr null, ptr %0, align 8
  %10 = icmp ugt i32 %2, 256
  br i1 %10, label %229, label %11

11:
  %12 = load i64, ptr getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 3), align 8
  call void @llvm.lifetime.start.p0(i64 16, ptr nonnull %7) #14
  %13 = getelementptr inbounds [4 x i32], ptr %7, i64 0, i64 3
  %14 = getelementptr inbounds [4 x i32], ptr %7, i64 0, i64 2
  %15 = getelementptr inbounds [4 x i32], ptr %7, i64 0, i64 1
  %16 = tail call { i32, i32, i32, i32 } asm "  xchgq  %rbx,${1:q}\0A  cpuid\0A  xchgq  %rbx,${1:q}", "={ax},=r,={cx},={dx},0,~{dirflag},~{fpsr},~{flags}"(i32 0) #26, !srcloc !11
  %17 = extractvalue { i32, i32, i32, i32 } %16, 0
  %18 = icmp eq i32 %17, 0
  br i1 %18, label %27, label %19

19:
  %20 = tail call { i32, i32, i32, i32 } asm "  xchgq  %rbx,${1:q}\0A  cpuid\0A  xchgq  %rbx,${1:q}", "={ax},=r,={cx},={dx},0,~{dirflag},~{fpsr},~{flags}"(i32 1) #26, !srcloc !12
  %21 = extractvalue { i32, i32, i32, i32 } %20, 2
  %22 = and i32 %21, 134217728
  %23 = icmp eq i32 %22, 0
  br i1 %23, label %27, label %24

24:
  %25 = tail call { i32, i32 } asm "xgetbv", "={ax},={dx},{cx},~{dirflag},~{fpsr},~{flags}"(i32 0) #26, !srcloc !13
  %26 = extractvalue { i32, i32 } %25, 0
  br label %27

27:
  %28 = phi i32 [ %26, %24 ], [ 0, %19 ], [ 0, %11 ]
  br label %29

29:
  %30 = phi i64 [ 0, %27 ], [ %68, %66 ]
  %31 = phi i64 [ 0, %27 ], [ %67, %66 ]
  %32 = getelementptr inbounds [21 x %struct.anon], ptr @feature_list, i64 0, i64 %30
  %33 = load i8, ptr %32, align 1
  %34 = zext i8 %33 to i32
  %35 = icmp ult i32 %17, %34
  %36 = or i1 %18, %35
  br i1 %36, label %66, label %37

37:
  %38 = getelementptr inbounds [21 x %struct.anon], ptr @feature_list, i64 0, i64 %30, i32 1
  %39 = load i8, ptr %38, align 1
  %40 = zext i8 %39 to i32
  %41 = tail call { i32, i32, i32, i32 } asm "  xchgq  %rbx,${1:q}\0A  cpuid\0A  xchgq  %rbx,${1:q}", "={ax},=r,={cx},={dx},0,2,~{dirflag},~{fpsr},~{flags}"(i32 %34, i32 %40) #26, !srcloc !14
  %42 = extractvalue { i32, i32, i32, i32 } %41, 0
  %43 = extractvalue { i32, i32, i32, i32 } %41, 1
  %44 = extractvalue { i32, i32, i32, i32 } %41, 2
  %45 = extractvalue { i32, i32, i32, i32 } %41, 3
  store i32 %42, ptr %13, align 4
  store i32 %43, ptr %14, align 8
  store i32 %44, ptr %15, align 4
  store i32 %45, ptr %7, align 16
  %46 = getelementptr inbounds [21 x %struct.anon], ptr @feature_list, i64 0, i64 %30, i32 2
  %47 = load i8, ptr %46, align 1
  %48 = zext i8 %47 to i64
  %49 = getelementptr inbounds [4 x i32], ptr %7, i64 0, i64 %48
  %50 = load i32, ptr %49, align 4
  %51 = getelementptr inbounds [21 x %struct.anon], ptr @feature_list, i64 0, i64 %30, i32 3
  %52 = load i8, ptr %51, align 1
  %53 = zext i8 %52 to i32
  %54 = shl nuw i32 1, %53
  %55 = and i32 %54, %50
  %56 = icmp eq i32 %55, 0
  br i1 %56, label %66, label %57

57:
  %58 = getelementptr inbounds [21 x %struct.anon], ptr @feature_list, i64 0, i64 %30, i32 4
  %59 = load i8, ptr %58, align 1
  %60 = zext i8 %59 to i32
  %61 = and i32 %28, %60
  %62 = icmp eq i32 %61, %60
  br i1 %62, label %63, label %66

63:
  %64 = shl nuw nsw i64 1, %30
  %65 = or i64 %64, %31
  br label %66

66:
  %67 = phi i64 [ %65, %63 ], [ %31, %57 ], [ %31, %37 ], [ %31, %29 ]
  %68 = add nuw nsw i64 %30, 1
  %69 = icmp eq i64 %68, 21
  br i1 %69, label %70, label %29, !llvm.loop !15

70:
  call void @llvm.lifetime.end.p0(i64 16, ptr nonnull %7) #14
  %71 = xor i64 %67, -1
  %72 = and i64 %12, %71
  %73 = icmp eq i64 %72, 0
  br i1 %73, label %74, label %229

74:
  %75 = tail call noalias dereferenceable_or_null(160) ptr @calloc(i64 noundef 1, i64 noundef 160) #27
  %76 = icmp eq ptr %75, null
  br i1 %76, label %229, label %77

77:
  %78 = load i32, ptr getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 9), align 4
  %79 = icmp eq i32 %78, 0
  %80 = select i1 %79, i32 8064, i32 40896
  %81 = getelementptr inbounds %struct.context, ptr %75, i64 0, i32 11
  store i32 %80, ptr %81, align 8
  %82 = getelementptr inbounds %struct.context, ptr %75, i64 0, i32 2
  store i64 1, ptr %82, align 8
  %83 = tail call i32 @getpid() #14
  %84 = getelementptr inbounds %struct.context, ptr %75, i64 0, i32 14
  store i32 %83, ptr %84, align 8
  %85 = load i32, ptr getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 8), align 8
  %86 = icmp eq i32 %85, 0
  br i1 %86, label %93, label %87

87:
  %88 = icmp eq i32 %2, 0
  br i1 %88, label %91, label %89

89:
  %90 = zext i32 %2 to i64
  br label %93

91:
  %92 = tail call fastcc i64 @processors()
  br label %93

93:
  %94 = phi i64 [ 1, %77 ], [ %90, %89 ], [ %92, %91 ]
  %95 = getelementptr inbounds %struct.context, ptr %75, i64 0, i32 1
  store i64 %94, ptr %95, align 8
  %96 = shl i64 %94, 7
  %97 = tail call noalias align 64 ptr @aligned_alloc(i64 noundef 64, i64 noundef %96) #28
  store ptr %97, ptr %75, align 8
  %98 = load i32, ptr getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 10), align 8
  %99 = add nsw i32 %98, 1
  %100 = sext i32 %99 to i64
  %101 = tail call noalias ptr @calloc(i64 noundef %100, i64 noundef 8) #27
  %102 = getelementptr inbounds %struct.context, ptr %75, i64 0, i32 7
  store ptr %101, ptr %102, align 8
  %103 = load i32, ptr getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 11), align 4
  %104 = add nsw i32 %103, 1
  %105 = sext i32 %104 to i64
  %106 = tail call noalias ptr @calloc(i64 noundef %105, i64 noundef 8) #27
  %107 = getelementptr inbounds %struct.context, ptr %75, i64 0, i32 8
  store ptr %106, ptr %107, align 8
  %108 = icmp eq ptr %97, null
  br i1 %108, label %226, label %109

109:
  %110 = icmp eq ptr %101, null
  %111 = icmp eq ptr %106, null
  %112 = or i1 %110, %111
  br i1 %112, label %226, label %113

113:
  %114 = load i64, ptr @wmtune_program, align 8
  %115 = icmp eq i64 %114, 0
  br i1 %115, label %120, label %116

116:
  %117 = tail call fastcc ptr @map(i64 noundef %114)
  %118 = getelementptr inbounds %struct.context, ptr %75, i64 0, i32 3
  store ptr %117, ptr %118, align 8
  %119 = icmp eq ptr %117, null
  br i1 %119, label %226, label %120

120:
  %121 = load i64, ptr getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 2), align 8
  %122 = icmp eq i64 %121, 0
  br i1 %122, label %128, label %123

123:
  %124 = mul nsw i64 %94, %121
  %125 = tail call fastcc ptr @map(i64 noundef %124)
  %126 = getelementptr inbounds %struct.context, ptr %75, i64 0, i32 4
  store ptr %125, ptr %126, align 8
  %127 = icmp eq ptr %125, null
  br i1 %127, label %226, label %128

128:
  tail call void @llvm.memset.p0.i64(ptr nonnull align 64 %97, i8 0, i64 %96, i1 false)
  %129 = icmp sgt i64 %94, 0
  br i1 %129, label %130, label %132

130:
  %131 = getelementptr inbounds %struct.context, ptr %75, i64 0, i32 4
  br label %135

132:
  %133 = tail call ptr @mmap(ptr noundef null, i64 noundef 4096, i32 noundef 3, i32 noundef 34, i32 noundef -1, i64 noundef 0) #14
  %134 = icmp eq ptr %133, inttoptr (i64 -1 to ptr)
  br i1 %134, label %226, label %149

135:
  %136 = phi i64 [ 0, %130 ], [ %146, %135 ]
  %137 = load ptr, ptr %75, align 8
  %138 = getelementptr inbounds %struct.thread, ptr %137, i64 %136
  store ptr %75, ptr %138, align 64
  %139 = load ptr, ptr %75, align 8
  %140 = getelementptr inbounds %struct.thread, ptr %139, i64 %136, i32 2
  store i64 %136, ptr %140, align 16
  %141 = load ptr, ptr %131, align 8
  %142 = mul nsw i64 %136, %121
  %143 = getelementptr inbounds i8, ptr %141, i64 %142
  %144 = load ptr, ptr %75, align 8
  %145 = getelementptr inbounds %struct.thread, ptr %144, i64 %136, i32 1
  store ptr %143, ptr %145, align 8
  %146 = add nuw nsw i64 %136, 1
  %147 = load i64, ptr %95, align 8
  %148 = icmp slt i64 %146, %147
  br i1 %148, label %135, label %132, !llvm.loop !16

149:
  %150 = tail call i32 @madvise(ptr noundef %133, i64 noundef 4096, i32 noundef 18) #14
  %151 = icmp eq i32 %150, 0
  br i1 %151, label %154, label %152

152:
  %153 = tail call i32 @munmap(ptr noundef %133, i64 noundef 4096) #14
  br label %156

154:
  %155 = getelementptr inbounds %struct.context, ptr %75, i64 0, i32 13
  store ptr %133, ptr %155, align 8
  br label %156

156:
  call void @llvm.lifetime.start.p0(i64 32, ptr nonnull %6) #14
  %157 = load i64, ptr getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 1), align 8
  %158 = icmp eq i64 %157, 0
  br i1 %158, label %228, label %159

159:
  %160 = icmp eq ptr %1, null
  br i1 %160, label %161, label %165

161:
  %162 = load ptr, ptr getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 4), align 8
  %163 = getelementptr inbounds %struct.context, ptr %75, i64 0, i32 6
  store ptr %162, ptr %163, align 8
  %164 = icmp eq ptr %162, null
  br i1 %164, label %224, label %228

165:
  %166 = tail call i32 (ptr, i32, ...) @open(ptr noundef nonnull %1, i32 noundef 524288) #14
  %167 = icmp slt i32 %166, 0
  br i1 %167, label %224, label %168

168:
  %169 = tail call i64 @lseek(i32 noundef %166, i64 noundef 0, i32 noundef 2) #14
  %170 = icmp slt i64 %169, 0
  br i1 %170, label %176, label %171

171:
  %172 = icmp eq i64 %169, %157
  br i1 %172, label %173, label %176

173:
  %174 = tail call ptr @mmap(ptr noundef null, i64 noundef %157, i32 noundef 1, i32 noundef 2, i32 noundef %166, i64 noundef 0) #14
  %175 = icmp eq ptr %174, inttoptr (i64 -1 to ptr)
  br i1 %175, label %176, label %179

176:
  %177 = phi i32 [ -3, %171 ], [ -2, %168 ], [ -5, %173 ]
  %178 = tail call i32 @close(i32 noundef %166) #14
  br label %224

179:
  %180 = tail call i32 @close(i32 noundef %166) #14
  %181 = getelementptr inbounds %struct.context, ptr %75, i64 0, i32 6
  store ptr %174, ptr %181, align 8
  %182 = tail call i32 @madvise(ptr noundef %174, i64 noundef %157, i32 noundef 3) #14
  call void @llvm.lifetime.start.p0(i64 32, ptr nonnull %4) #14
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 16 dereferenceable(32) %4, ptr noundef nonnull align 16 dereferenceable(32) @__const.sha256.h, i64 32, i1 false)
  br i1 %18, label %196, label %183

183:
  %184 = tail call { i32, i32, i32, i32 } asm "  xchgq  %rbx,${1:q}\0A  cpuid\0A  xchgq  %rbx,${1:q}", "={ax},=r,={cx},={dx},0,~{dirflag},~{fpsr},~{flags}"(i32 1) #26, !srcloc !12
  %185 = extractvalue { i32, i32, i32, i32 } %184, 2
  %186 = and i32 %185, 524288
  %187 = icmp eq i32 %186, 0
  %188 = icmp ult i32 %17, 7
  %189 = select i1 %187, i1 true, i1 %188
  br i1 %189, label %196, label %190

190:
  %191 = tail call { i32, i32, i32, i32 } asm "  xchgq  %rbx,${1:q}\0A  cpuid\0A  xchgq  %rbx,${1:q}", "={ax},=r,={cx},={dx},0,2,~{dirflag},~{fpsr},~{flags}"(i32 7, i32 0) #26, !srcloc !14
  %192 = freeze { i32, i32, i32, i32 } %191
  %193 = extractvalue { i32, i32, i32, i32 } %192, 1
  %194 = and i32 %193, 536870912
  %195 = icmp eq i32 %194, 0
  br i1 %195, label %196, label %197

196:
  br label %197

197:
  %198 = phi ptr [ @sha_blocks, %196 ], [ @sha_blocks_fast, %190 ]
  call void @llvm.lifetime.start.p0(i64 128, ptr nonnull %5) #14
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 16 dereferenceable(128) %5, i8 0, i64 128, i1 false)
  %199 = srem i64 %157, 64
  %200 = icmp slt i64 %199, 56
  %201 = select i1 %200, i64 1, i64 2
  %202 = shl i64 %157, 3
  %203 = tail call i64 @llvm.bswap.i64(i64 %202)
  %204 = sdiv i64 %157, 64
  call void %198(ptr noundef nonnull %4, ptr noundef %174, i64 noundef %204) #14, !callees !17
  %205 = getelementptr inbounds i8, ptr %174, i64 %157
  %206 = sub nsw i64 0, %199
  %207 = getelementptr inbounds i8, ptr %205, i64 %206
  call void @llvm.memcpy.p0.p0.i64(ptr nonnull align 16 %5, ptr nonnull align 1 %207, i64 %199, i1 false)
  %208 = getelementptr inbounds [128 x i8], ptr %5, i64 0, i64 %199
  store i8 -128, ptr %208, align 1
  %209 = shl nuw nsw i64 %201, 6
  %210 = getelementptr inbounds i8, ptr %5, i64 %209
  %211 = getelementptr inbounds i8, ptr %210, i64 -8
  store i64 %203, ptr %211, align 8
  call void %198(ptr noundef nonnull %4, ptr noundef nonnull %5, i64 noundef %201) #14, !callees !17
  br label %212

212:
  %213 = phi i64 [ 0, %197 ], [ %219, %212 ]
  %214 = getelementptr inbounds [8 x i32], ptr %4, i64 0, i64 %213
  %215 = load i32, ptr %214, align 4
  %216 = call i32 @llvm.bswap.i32(i32 %215)
  %217 = shl nuw nsw i64 %213, 2
  %218 = getelementptr inbounds i8, ptr %6, i64 %217
  store i32 %216, ptr %218, align 4
  %219 = add nuw nsw i64 %213, 1
  %220 = icmp eq i64 %219, 8
  br i1 %220, label %221, label %212, !llvm.loop !18

221:
  call void @llvm.lifetime.end.p0(i64 128, ptr nonnull %5) #14
  call void @llvm.lifetime.end.p0(i64 32, ptr nonnull %4) #14
  %222 = call i32 @bcmp(ptr noundef nonnull dereferenceable(32) %6, ptr noundef nonnull dereferenceable(32) getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 14), i64 32)
  %223 = icmp eq i32 %222, 0
  br i1 %223, label %228, label %224

224:
  %225 = phi i32 [ %177, %176 ], [ -4, %221 ], [ -2, %165 ], [ -12, %161 ]
  call void @llvm.lifetime.end.p0(i64 32, ptr nonnull %6) #14
  br label %226

226:
  %227 = phi i32 [ %225, %224 ], [ -1, %132 ], [ -1, %123 ], [ -1, %116 ], [ -1, %93 ], [ -1, %109 ]
  call void @wmtune_close(ptr noundef nonnull %75)
  br label %229

228:
  call void @llvm.lifetime.end.p0(i64 32, ptr nonnull %6) #14
  call fastcc void @start(ptr noundef nonnull %75)
  store ptr %75, ptr %0, align 8
  br label %229

229:
  %230 = phi i32 [ -8, %3 ], [ -7, %9 ], [ -6, %70 ], [ -1, %74 ], [ %227, %226 ], [ 0, %228 ]
  ret i32 %230
}

declare noalias noundef ptr @calloc(i64 noundef, i64 noundef) local_unnamed_addr #10

declare i32 @getpid() local_unnamed_addr #7

define internal fastcc i64 @processors() unnamed_addr #0 {
  %1 = alloca [64 x i8], align 16
  %2 = alloca ptr, align 8
  %3 = alloca [64 x i8], align 16
  %4 = alloca ptr, align 8
  %5 = alloca [64 x i8], align 16
  %6 = alloca ptr, align 8
  %7 = alloca %struct.cpu_set_t, align 8
  call void @llvm.lifetime.start.p0(i64 128, ptr nonnull %7) #14
  call void @llvm.lifetime.start.p0(i64 64, ptr nonnull %1) #14
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %2) #14
  %8 = tail call i32 (ptr, i32, ...) @open(ptr noundef nonnull @.str.14, i32 noundef 524288) #14
  %9 = icmp slt i32 %8, 0
  br i1 %9, label %27, label %10

10:
  %11 = call i64 @read(i32 noundef %8, ptr noundef nonnull %1, i64 noundef 63) #14
  %12 = tail call i32 @close(i32 noundef %8) #14
  %13 = icmp slt i64 %11, 1
  %14 = load i8, ptr %1, align 16
  %15 = icmp slt i8 %14, 48
  %16 = select i1 %13, i1 true, i1 %15
  %17 = icmp sgt i8 %14, 57
  %18 = select i1 %16, i1 true, i1 %17
  br i1 %18, label %27, label %19

19:
  %20 = getelementptr inbounds [64 x i8], ptr %1, i64 0, i64 %11
  store i8 0, ptr %20, align 1
  %21 = call i64 @strtoll(ptr noundef nonnull %1, ptr noundef nonnull %2, i32 noundef 10) #14
  %22 = load ptr, ptr %2, align 8
  %23 = load i8, ptr %22, align 1
  %24 = icmp eq i8 %23, 32
  br i1 %24, label %25, label %28

25:
  %26 = call i64 @strtoll(ptr nocapture noundef nonnull %22, ptr noundef null, i32 noundef 10) #14
  br label %28

27:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %2) #14
  call void @llvm.lifetime.end.p0(i64 64, ptr nonnull %1) #14
  br label %31

28:
  %29 = phi i64 [ %26, %25 ], [ 0, %19 ]
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %2) #14
  call void @llvm.lifetime.end.p0(i64 64, ptr nonnull %1) #14
  %30 = icmp slt i64 %21, 0
  br i1 %30, label %31, label %64

31:
  call void @llvm.lifetime.start.p0(i64 64, ptr nonnull %5) #14
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %6) #14
  %32 = call i32 (ptr, i32, ...) @open(ptr noundef nonnull @.str.15, i32 noundef 524288) #14
  %33 = icmp slt i32 %32, 0
  br i1 %33, label %46, label %34

34:
  %35 = call i64 @read(i32 noundef %32, ptr noundef nonnull %5, i64 noundef 63) #14
  %36 = call i32 @close(i32 noundef %32) #14
  %37 = icmp slt i64 %35, 1
  %38 = load i8, ptr %5, align 16
  %39 = icmp slt i8 %38, 48
  %40 = select i1 %37, i1 true, i1 %39
  %41 = icmp sgt i8 %38, 57
  %42 = select i1 %40, i1 true, i1 %41
  br i1 %42, label %46, label %43

43:
  %44 = getelementptr inbounds [64 x i8], ptr %5, i64 0, i64 %35
  store i8 0, ptr %44, align 1
  %45 = call i64 @strtoll(ptr noundef nonnull %5, ptr noundef nonnull %6, i32 noundef 10) #14
  br label %46

46:
  %47 = phi i64 [ -1, %31 ], [ -1, %34 ], [ %45, %43 ]
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %6) #14
  call void @llvm.lifetime.end.p0(i64 64, ptr nonnull %5) #14
  call void @llvm.lifetime.start.p0(i64 64, ptr nonnull %3) #14
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %4) #14
  %48 = call i32 (ptr, i32, ...) @open(ptr noundef nonnull @.str.16, i32 noundef 524288) #14
  %49 = icmp slt i32 %48, 0
  br i1 %49, label %62, label %50

50:
  %51 = call i64 @read(i32 noundef %48, ptr noundef nonnull %3, i64 noundef 63) #14
  %52 = call i32 @close(i32 noundef %48) #14
  %53 = icmp slt i64 %51, 1
  %54 = load i8, ptr %3, align 16
  %55 = icmp slt i8 %54, 48
  %56 = select i1 %53, i1 true, i1 %55
  %57 = icmp sgt i8 %54, 57
  %58 = select i1 %56, i1 true, i1 %57
  br i1 %58, label %62, label %59

59:
  %60 = getelementptr inbounds [64 x i8], ptr %3, i64 0, i64 %51
  store i8 0, ptr %60, align 1
  %61 = call i64 @strtoll(ptr noundef nonnull %3, ptr noundef nonnull %4, i32 noundef 10) #14
  br label %62

62:
  %63 = phi i64 [ -1, %46 ], [ -1, %50 ], [ %61, %59 ]
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %4) #14
  call void @llvm.lifetime.end.p0(i64 64, ptr nonnull %3) #14
  br label %64

64:
  %65 = phi i64 [ %63, %62 ], [ %29, %28 ]
  %66 = phi i64 [ %47, %62 ], [ %21, %28 ]
  %67 = icmp sgt i64 %66, 0
  %68 = icmp sgt i64 %65, 0
  %69 = select i1 %67, i1 %68, i1 false
  br i1 %69, label %70, label %76

70:
  %71 = add nsw i64 %65, -1
  %72 = add nuw i64 %71, %66
  %73 = udiv i64 %72, %65
  %74 = freeze i64 %73
  %75 = call i64 @llvm.smin.i64(i64 %74, i64 256)
  br label %76

76:
  %77 = phi i64 [ 256, %64 ], [ %75, %70 ]
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 8 dereferenceable(128) %7, i8 0, i64 128, i1 false)
  %78 = call i32 @sched_getaffinity(i32 noundef 0, i64 noundef 128, ptr noundef nonnull %7) #14
  %79 = icmp eq i32 %78, 0
  br i1 %79, label %80, label %86

80:
  %81 = call i32 @__sched_cpucount(i64 noundef 128, ptr noundef nonnull %7) #14
  %82 = icmp sgt i32 %81, 1
  br i1 %82, label %83, label %86

83:
  %84 = call i32 @__sched_cpucount(i64 noundef 128, ptr noundef nonnull %7) #14
  %85 = sext i32 %84 to i64
  br label %86

86:
  %87 = phi i64 [ 1, %76 ], [ %85, %83 ], [ 1, %80 ]
  %88 = call i64 @llvm.smin.i64(i64 %87, i64 %77)
  call void @llvm.lifetime.end.p0(i64 128, ptr nonnull %7) #14
  ret i64 %88
}

define internal fastcc void @start(ptr nocapture noundef %0) unnamed_addr #0 {
  %2 = alloca %struct.__sigset_t, align 8
  %3 = alloca %struct.__sigset_t, align 8
  %4 = alloca %union.pthread_attr_t, align 8
  call void @llvm.lifetime.start.p0(i64 128, ptr nonnull %2) #14
  call void @llvm.lifetime.start.p0(i64 128, ptr nonnull %3) #14
  call void @llvm.lifetime.start.p0(i64 56, ptr nonnull %4) #14
  %5 = tail call i32 @getpid() #14
  %6 = getelementptr inbounds %struct.context, ptr %0, i64 0, i32 14
  store i32 %5, ptr %6, align 8
  %7 = getelementptr inbounds %struct.context, ptr %0, i64 0, i32 13
  %8 = load ptr, ptr %7, align 8
  %9 = icmp eq ptr %8, null
  br i1 %9, label %11, label %10

10:
  store atomic i32 1, ptr %8 seq_cst, align 4
  br label %11

11:
  %12 = getelementptr inbounds %struct.context, ptr %0, i64 0, i32 2
  store i64 1, ptr %12, align 8
  %13 = getelementptr inbounds %struct.context, ptr %0, i64 0, i32 20
  store i32 0, ptr %13, align 8
  %14 = getelementptr inbounds %struct.context, ptr %0, i64 0, i32 21
  store atomic i32 0, ptr %14 seq_cst, align 4
  %15 = getelementptr inbounds %struct.context, ptr %0, i64 0, i32 1
  %16 = load i64, ptr %15, align 8
  %17 = icmp slt i64 %16, 2
  br i1 %17, label %55, label %18

18:
  %19 = call i32 @pthread_attr_init(ptr noundef nonnull %4) #14
  %20 = icmp eq i32 %19, 0
  br i1 %20, label %21, label %55

21:
  %22 = call i32 @pthread_attr_setstacksize(ptr noundef nonnull %4, i64 noundef 2097152) #14
  %23 = call i32 @sigfillset(ptr noundef nonnull %2) #14
  br label %29

24:
  %25 = call i32 @pthread_sigmask(i32 noundef 2, ptr noundef nonnull %2, ptr noundef nonnull %3) #14
  %26 = load i64, ptr %12, align 8
  %27 = load i64, ptr %15, align 8
  %28 = icmp slt i64 %26, %27
  br i1 %28, label %36, label %52

29:
  %30 = phi i64 [ 0, %21 ], [ %34, %29 ]
  %31 = getelementptr inbounds [7 x i32], ptr @__const.start.faults, i64 0, i64 %30
  %32 = load i32, ptr %31, align 4
  %33 = call i32 @sigdelset(ptr noundef nonnull %2, i32 noundef %32) #14
  %34 = add nuw nsw i64 %30, 1
  %35 = icmp eq i64 %34, 7
  br i1 %35, label %24, label %29, !llvm.loop !19

36:
  %37 = phi i64 [ %49, %47 ], [ %26, %24 ]
  %38 = load ptr, ptr %0, align 8
  %39 = getelementptr inbounds %struct.thread, ptr %38, i64 %37
  %40 = getelementptr inbounds %struct.thread, ptr %38, i64 %37, i32 9
  store atomic i32 0, ptr %40 seq_cst, align 4
  %41 = getelementptr inbounds %struct.thread, ptr %38, i64 %37, i32 8
  store atomic i32 0, ptr %41 seq_cst, align 4
  %42 = getelementptr inbounds %struct.thread, ptr %38, i64 %37, i32 7
  store atomic i32 0, ptr %42 seq_cst, align 4
  %43 = getelementptr inbounds %struct.thread, ptr %38, i64 %37, i32 6
  store atomic i32 0, ptr %43 seq_cst, align 4
  %44 = getelementptr inbounds %struct.thread, ptr %38, i64 %37, i32 3
  %45 = call i32 @pthread_create(ptr noundef nonnull %44, ptr noundef nonnull %4, ptr noundef nonnull @work, ptr noundef %39) #14
  %46 = icmp eq i32 %45, 0
  br i1 %46, label %47, label %52

47:
  %48 = load i64, ptr %12, align 8
  %49 = add nsw i64 %48, 1
  store i64 %49, ptr %12, align 8
  %50 = load i64, ptr %15, align 8
  %51 = icmp slt i64 %49, %50
  br i1 %51, label %36, label %52, !llvm.loop !20

52:
  %53 = call i32 @pthread_sigmask(i32 noundef 2, ptr noundef nonnull %3, ptr noundef null) #14
  %54 = call i32 @pthread_attr_destroy(ptr noundef nonnull %4) #14
  br label %55

55:
  call void @llvm.lifetime.end.p0(i64 56, ptr nonnull %4) #14
  call void @llvm.lifetime.end.p0(i64 128, ptr nonnull %3) #14
  call void @llvm.lifetime.end.p0(i64 128, ptr nonnull %2) #14
  ret void
}

define i32 @wmtune_denormals(ptr noundef readonly %0) local_unnamed_addr #11 {
  %2 = icmp eq ptr %0, null
  br i1 %2, label %13, label %3

3:
  %4 = getelementptr inbounds %struct.context, ptr %0, i64 0, i32 2
  %5 = load i64, ptr %4, align 8
  %6 = tail call i64 @llvm.smax.i64(i64 %5, i64 0)
  %7 = icmp slt i64 %5, 1
  br i1 %7, label %13, label %8

8:
  %9 = load ptr, ptr %0, align 8
  br label %15

10:
  %11 = lshr i32 %20, 1
  %12 = and i32 %11, 1
  br label %13

13:
  %14 = phi i32 [ 0, %1 ], [ 0, %3 ], [ %12, %10 ]
  ret i32 %14

15:
  %16 = phi i32 [ %20, %15 ], [ 0, %8 ]
  %17 = phi i64 [ %21, %15 ], [ 0, %8 ]
  %18 = getelementptr inbounds %struct.thread, ptr %9, i64 %17, i32 4
  %19 = load i32, ptr %18, align 32
  %20 = or i32 %19, %16
  %21 = add nuw i64 %17, 1
  %22 = icmp eq i64 %21, %6
  br i1 %22, label %10, label %15
}

define i32 @wmtune_run(ptr noundef %0, ptr noundef %1, ptr noundef %2) local_unnamed_addr #0 {
  %4 = tail call fastcc i32 @run(ptr noundef %0, ptr noundef %1, ptr noundef %2, ptr noundef null)
  ret i32 %4
}

define internal fastcc i32 @run(ptr noundef %0, ptr noundef readonly %1, ptr noundef readonly %2, ptr noundef %3) unnamed_addr #0 {
  %5 = alloca i32, align 4
  %6 = alloca i32, align 4
  %7 = alloca i32, align 4
  %8 = alloca i32, align 4
  %9 = icmp eq ptr %0, null
  br i1 %9, label %291, label %10

10:
  %11 = icmp ne ptr %1, null
  %12 = load i32, ptr getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 10), align 8
  %13 = icmp eq i32 %12, 0
  %14 = select i1 %11, i1 true, i1 %13
  br i1 %14, label %15, label %291

15:
  %16 = icmp ne ptr %2, null
  %17 = load i32, ptr getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 11), align 4
  %18 = icmp eq i32 %17, 0
  %19 = select i1 %16, i1 true, i1 %18
  br i1 %19, label %20, label %291

20:
  %21 = getelementptr inbounds %struct.context, ptr %0, i64 0, i32 12
  %22 = atomicrmw xchg ptr %21, i32 1 seq_cst, align 4
  %23 = icmp eq i32 %22, 0
  br i1 %23, label %24, label %291

24:
  %25 = getelementptr inbounds %struct.context, ptr %0, i64 0, i32 13
  %26 = load ptr, ptr %25, align 8
  %27 = icmp eq ptr %26, null
  br i1 %27, label %31, label %28

28:
  %29 = load atomic i32, ptr %26 monotonic, align 4
  %30 = icmp eq i32 %29, 0
  br i1 %30, label %36, label %37

31:
  %32 = tail call i32 @getpid() #14
  %33 = getelementptr inbounds %struct.context, ptr %0, i64 0, i32 14
  %34 = load i32, ptr %33, align 8
  %35 = icmp eq i32 %32, %34
  br i1 %35, label %37, label %36

36:
  tail call fastcc void @start(ptr noundef nonnull %0)
  br label %37

37:
  call void @llvm.x86.sse.stmxcsr(ptr nonnull %5)
  %38 = load i32, ptr %5, align 4
  %39 = getelementptr inbounds %struct.context, ptr %0, i64 0, i32 11
  %40 = load i32, ptr %39, align 8
  store i32 %40, ptr %6, align 4
  call void @llvm.x86.sse.ldmxcsr(ptr nonnull %6)
  %41 = getelementptr inbounds %struct.context, ptr %0, i64 0, i32 2
  %42 = load i64, ptr %41, align 8
  %43 = icmp sgt i64 %42, 0
  br i1 %43, label %244, label %44

44:
  %45 = icmp sgt i32 %12, 0
  br i1 %45, label %46, label %125

46:
  %47 = load ptr, ptr getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 5), align 8
  %48 = getelementptr inbounds %struct.context, ptr %0, i64 0, i32 7
  %49 = getelementptr inbounds %struct.context, ptr %0, i64 0, i32 5
  %50 = zext i32 %12 to i64
  %51 = icmp sgt i32 %17, 0
  %52 = load ptr, ptr getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 6), align 8
  %53 = zext i32 %17 to i64
  br label %54

54:
  %55 = phi i64 [ 0, %46 ], [ %121, %119 ]
  %56 = phi i1 [ true, %46 ], [ %122, %119 ]
  %57 = phi i64 [ 0, %46 ], [ %120, %119 ]
  %58 = getelementptr inbounds %struct.region, ptr %47, i64 %55
  %59 = load i64, ptr %58, align 8
  %60 = getelementptr inbounds i8, ptr %58, i64 8
  %61 = load i64, ptr %60, align 8
  %62 = icmp eq i64 %59, 0
  %63 = getelementptr inbounds ptr, ptr %1, i64 %55
  %64 = load ptr, ptr %63, align 8
  br i1 %62, label %65, label %68

65:
  %66 = load ptr, ptr %48, align 8
  %67 = getelementptr inbounds ptr, ptr %66, i64 %55
  store ptr %64, ptr %67, align 8
  br label %119

68:
  %69 = icmp eq ptr %64, null
  br i1 %69, label %272, label %70

70:
  %71 = load ptr, ptr %48, align 8
  %72 = getelementptr inbounds ptr, ptr %71, i64 %55
  store ptr %64, ptr %72, align 8
  %73 = load ptr, ptr %63, align 8
  %74 = ptrtoint ptr %73 to i64
  %75 = urem i64 %74, %61
  %76 = icmp eq i64 %75, 0
  br i1 %76, label %119, label %77

77:
  %78 = load ptr, ptr %49, align 8
  %79 = icmp eq ptr %78, null
  br i1 %79, label %81, label %109

80:
  br i1 %51, label %92, label %103

81:
  %82 = phi i64 [ %90, %81 ], [ 0, %77 ]
  %83 = phi i64 [ %89, %81 ], [ 0, %77 ]
  %84 = getelementptr inbounds %struct.region, ptr %47, i64 %82
  %85 = load i64, ptr %84, align 8
  %86 = add nsw i64 %85, 63
  %87 = sdiv i64 %86, 64
  %88 = shl nsw i64 %87, 6
  %89 = add nsw i64 %88, %83
  %90 = add nuw nsw i64 %82, 1
  %91 = icmp eq i64 %90, %50
  br i1 %91, label %80, label %81, !llvm.loop !9

92:
  %93 = phi i64 [ %101, %92 ], [ 0, %80 ]
  %94 = phi i64 [ %100, %92 ], [ %89, %80 ]
  %95 = getelementptr inbounds %struct.region, ptr %52, i64 %93
  %96 = load i64, ptr %95, align 8
  %97 = add nsw i64 %96, 63
  %98 = sdiv i64 %97, 64
  %99 = shl nsw i64 %98, 6
  %100 = add nsw i64 %99, %94
  %101 = add nuw nsw i64 %93, 1
  %102 = icmp eq i64 %101, %53
  br i1 %102, label %103, label %92, !llvm.loop !10

103:
  %104 = phi i64 [ %89, %80 ], [ %100, %92 ]
  %105 = call fastcc ptr @map(i64 noundef %104)
  store ptr %105, ptr %49, align 8
  %106 = icmp eq ptr %105, null
  br i1 %106, label %124, label %107

107:
  %108 = load ptr, ptr %63, align 8
  br label %109

109:
  %110 = phi ptr [ %108, %107 ], [ %73, %77 ]
  %111 = phi ptr [ %105, %107 ], [ %78, %77 ]
  %112 = getelementptr inbounds i8, ptr %111, i64 %57
  call void @llvm.memcpy.p0.p0.i64(ptr align 1 %112, ptr align 1 %110, i64 %59, i1 false)
  %113 = load ptr, ptr %48, align 8
  %114 = getelementptr inbounds ptr, ptr %113, i64 %55
  store ptr %112, ptr %114, align 8
  %115 = add nsw i64 %59, 63
  %116 = sdiv i64 %115, 64
  %117 = shl nsw i64 %116, 6
  %118 = add nsw i64 %117, %57
  br label %119

119:
  %120 = phi i64 [ %57, %65 ], [ %57, %70 ], [ %118, %109 ]
  %121 = add nuw nsw i64 %55, 1
  %122 = icmp ult i64 %121, %50
  %123 = icmp eq i64 %121, %50
  br i1 %123, label %125, label %54, !llvm.loop !21

124:
  br i1 %56, label %272, label %125

125:
  %126 = phi i64 [ %57, %124 ], [ 0, %44 ], [ %120, %119 ]
  %127 = icmp sgt i32 %17, 0
  br i1 %127, label %128, label %251

128:
  %129 = load ptr, ptr getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 6), align 8
  %130 = getelementptr inbounds %struct.context, ptr %0, i64 0, i32 8
  %131 = icmp slt i32 %12, 1
  %132 = getelementptr inbounds %struct.context, ptr %0, i64 0, i32 7
  %133 = load ptr, ptr getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 5), align 8
  %134 = getelementptr inbounds %struct.context, ptr %0, i64 0, i32 5
  %135 = zext i32 %12 to i64
  %136 = zext i32 %17 to i64
  %137 = sext i32 %12 to i64
  br label %138

138:
  %139 = phi i64 [ 0, %128 ], [ %242, %240 ]
  %140 = phi i64 [ %126, %128 ], [ %241, %240 ]
  %141 = getelementptr inbounds %struct.region, ptr %129, i64 %139
  %142 = load i64, ptr %141, align 8
  %143 = getelementptr inbounds i8, ptr %141, i64 8
  %144 = load i64, ptr %143, align 8
  %145 = icmp eq i64 %142, 0
  %146 = getelementptr inbounds ptr, ptr %2, i64 %139
  %147 = load ptr, ptr %146, align 8
  br i1 %145, label %148, label %151

148:
  %149 = load ptr, ptr %130, align 8
  %150 = getelementptr inbounds ptr, ptr %149, i64 %139
  store ptr %147, ptr %150, align 8
  br label %160

151:
  %152 = icmp eq ptr %147, null
  br i1 %152, label %272, label %153

153:
  %154 = load ptr, ptr %130, align 8
  %155 = getelementptr inbounds ptr, ptr %154, i64 %139
  store ptr %147, ptr %155, align 8
  %156 = load ptr, ptr %146, align 8
  %157 = ptrtoint ptr %156 to i64
  %158 = urem i64 %157, %144
  %159 = icmp ne i64 %158, 0
  br label %160

160:
  %161 = phi i1 [ %159, %153 ], [ false, %148 ]
  %162 = select i1 %131, i1 true, i1 %161
  br i1 %162, label %167, label %163

163:
  %164 = load ptr, ptr %146, align 8
  %165 = load ptr, ptr %132, align 8
  %166 = getelementptr inbounds i8, ptr %164, i64 %142
  br label %173

167:
  %168 = phi i1 [ %161, %160 ], [ %182, %173 ]
  %169 = icmp eq i64 %139, 0
  br i1 %169, label %199, label %170

170:
  %171 = load ptr, ptr %146, align 8
  %172 = getelementptr inbounds i8, ptr %171, i64 %142
  br label %189

173:
  %174 = phi i64 [ 0, %163 ], [ %183, %173 ]
  %175 = getelementptr inbounds ptr, ptr %165, i64 %174
  %176 = load ptr, ptr %175, align 8
  %177 = getelementptr inbounds %struct.region, ptr %133, i64 %174
  %178 = load i64, ptr %177, align 8
  %179 = getelementptr inbounds i8, ptr %176, i64 %178
  %180 = icmp ugt ptr %179, %164
  %181 = icmp ugt ptr %166, %176
  %182 = select i1 %180, i1 %181, i1 false
  %183 = add nuw nsw i64 %174, 1
  %184 = icmp sge i64 %183, %137
  %185 = select i1 %184, i1 true, i1 %182
  br i1 %185, label %167, label %173, !llvm.loop !22

186:
  %187 = add nuw nsw i64 %190, 1
  %188 = icmp eq i64 %187, %139
  br i1 %188, label %199, label %189, !llvm.loop !23

189:
  %190 = phi i64 [ 0, %170 ], [ %187, %186 ]
  %191 = getelementptr inbounds ptr, ptr %2, i64 %190
  %192 = load ptr, ptr %191, align 8
  %193 = getelementptr inbounds %struct.region, ptr %129, i64 %190
  %194 = load i64, ptr %193, align 8
  %195 = getelementptr inbounds i8, ptr %192, i64 %194
  %196 = icmp ule ptr %195, %171
  %197 = icmp ule ptr %172, %192
  %198 = select i1 %196, i1 true, i1 %197
  br i1 %198, label %186, label %272

199:
  br i1 %168, label %200, label %240

200:
  %201 = load ptr, ptr %134, align 8
  %202 = icmp eq ptr %201, null
  br i1 %202, label %203, label %231

203:
  br i1 %45, label %204, label %215

204:
  %205 = phi i64 [ %213, %204 ], [ 0, %203 ]
  %206 = phi i64 [ %212, %204 ], [ 0, %203 ]
  %207 = getelementptr inbounds %struct.region, ptr %133, i64 %205
  %208 = load i64, ptr %207, align 8
  %209 = add nsw i64 %208, 63
  %210 = sdiv i64 %209, 64
  %211 = shl nsw i64 %210, 6
  %212 = add nsw i64 %211, %206
  %213 = add nuw nsw i64 %205, 1
  %214 = icmp eq i64 %213, %135
  br i1 %214, label %215, label %204, !llvm.loop !9

215:
  %216 = phi i64 [ 0, %203 ], [ %212, %204 ]
  br label %217

217:
  %218 = phi i64 [ %226, %217 ], [ 0, %215 ]
  %219 = phi i64 [ %225, %217 ], [ %216, %215 ]
  %220 = getelementptr inbounds %struct.region, ptr %129, i64 %218
  %221 = load i64, ptr %220, align 8
  %222 = add nsw i64 %221, 63
  %223 = sdiv i64 %222, 64
  %224 = shl nsw i64 %223, 6
  %225 = add nsw i64 %224, %219
  %226 = add nuw nsw i64 %218, 1
  %227 = icmp eq i64 %226, %136
  br i1 %227, label %228, label %217, !llvm.loop !10

228:
  %229 = call fastcc ptr @map(i64 noundef %225)
  store ptr %229, ptr %134, align 8
  %230 = icmp eq ptr %229, null
  br i1 %230, label %272, label %231

231:
  %232 = phi ptr [ %229, %228 ], [ %201, %200 ]
  %233 = getelementptr inbounds i8, ptr %232, i64 %140
  %234 = load ptr, ptr %130, align 8
  %235 = getelementptr inbounds ptr, ptr %234, i64 %139
  store ptr %233, ptr %235, align 8
  %236 = add nsw i64 %142, 63
  %237 = sdiv i64 %236, 64
  %238 = shl nsw i64 %237, 6
  %239 = add nsw i64 %238, %140
  br label %240

240:
  %241 = phi i64 [ %239, %231 ], [ %140, %199 ]
  %242 = add nuw nsw i64 %139, 1
  %243 = icmp eq i64 %242, %136
  br i1 %243, label %251, label %138, !llvm.loop !24

244:
  %245 = phi i64 [ %248, %244 ], [ 0, %37 ]
  %246 = load ptr, ptr %0, align 8
  %247 = getelementptr inbounds %struct.thread, ptr %246, i64 %245, i32 4
  store i32 0, ptr %247, align 32
  %248 = add nuw nsw i64 %245, 1
  %249 = load i64, ptr %41, align 8
  %250 = icmp slt i64 %248, %249
  br i1 %250, label %244, label %44, !llvm.loop !25

251:
  %252 = load i64, ptr %41, align 8
  %253 = getelementptr inbounds %struct.context, ptr %0, i64 0, i32 19
  store i64 %252, ptr %253, align 8
  %254 = getelementptr inbounds %struct.context, ptr %0, i64 0, i32 9
  store ptr %3, ptr %254, align 8
  %255 = load ptr, ptr %0, align 8
  %256 = getelementptr inbounds %struct.context, ptr %0, i64 0, i32 3
  %257 = load ptr, ptr %256, align 8
  %258 = getelementptr inbounds %struct.context, ptr %0, i64 0, i32 6
  %259 = load ptr, ptr %258, align 8
  %260 = getelementptr inbounds %struct.context, ptr %0, i64 0, i32 7
  %261 = load ptr, ptr %260, align 8
  %262 = getelementptr inbounds %struct.context, ptr %0, i64 0, i32 8
  %263 = load ptr, ptr %262, align 8
  %264 = call i32 @wmtune_sequence(ptr noundef %255, ptr noundef %257, ptr noundef %259, ptr noundef %261, ptr noundef %263, ptr noundef %3) #14
  %265 = icmp eq i32 %264, 0
  %266 = icmp sgt i32 %17, 0
  %267 = select i1 %266, i1 %265, i1 false
  br i1 %267, label %268, label %272

268:
  %269 = getelementptr inbounds %struct.context, ptr %0, i64 0, i32 8
  %270 = load ptr, ptr getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 6), align 8
  %271 = zext i32 %17 to i64
  br label %277

272:
  %273 = phi i32 [ %264, %251 ], [ -1, %124 ], [ %264, %288 ], [ -10, %189 ], [ -9, %151 ], [ -1, %228 ], [ -9, %68 ]
  call void @llvm.x86.sse.stmxcsr(ptr nonnull %7)
  %274 = load i32, ptr %7, align 4
  %275 = load ptr, ptr %0, align 8
  %276 = getelementptr inbounds %struct.thread, ptr %275, i64 0, i32 4
  store i32 %274, ptr %276, align 32
  store i32 %38, ptr %8, align 4
  call void @llvm.x86.sse.ldmxcsr(ptr nonnull %8)
  store atomic i32 0, ptr %21 seq_cst, align 4
  br label %291

277:
  %278 = phi i64 [ 0, %268 ], [ %289, %288 ]
  %279 = load ptr, ptr %269, align 8
  %280 = getelementptr inbounds ptr, ptr %279, i64 %278
  %281 = load ptr, ptr %280, align 8
  %282 = getelementptr inbounds ptr, ptr %2, i64 %278
  %283 = load ptr, ptr %282, align 8
  %284 = icmp eq ptr %281, %283
  br i1 %284, label %288, label %285

285:
  %286 = getelementptr inbounds %struct.region, ptr %270, i64 %278
  %287 = load i64, ptr %286, align 8
  call void @llvm.memcpy.p0.p0.i64(ptr align 1 %283, ptr align 1 %281, i64 %287, i1 false)
  br label %288

288:
  %289 = add nuw nsw i64 %278, 1
  %290 = icmp ult i64 %289, %271
  br i1 %290, label %277, label %272, !llvm.loop !26

291:
  %292 = phi i32 [ %273, %272 ], [ -8, %4 ], [ -9, %10 ], [ -9, %15 ], [ -11, %20 ]
  ret i32 %292
}

define i32 @wmtune_profile(ptr noundef %0, ptr noundef %1, ptr noundef %2, ptr noundef %3) local_unnamed_addr #0 {
  %5 = tail call fastcc i32 @run(ptr noundef %0, ptr noundef %1, ptr noundef %2, ptr noundef %3)
  ret i32 %5
}

define i32 @wmtune_steps() local_unnamed_addr #12 {
  %1 = load i32, ptr getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 12), align 8
  ret i32 %1
}

define ptr @wmtune_error(i32 noundef %0) local_unnamed_addr #13 {
  %2 = icmp slt i32 %0, 1
  %3 = load i32, ptr getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 13), align 4
  %4 = icmp slt i32 %3, %0
  %5 = select i1 %2, i1 true, i1 %4
  br i1 %5, label %11, label %6

6:
  %7 = load ptr, ptr getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 7), align 8
  %8 = add nsw i32 %0, -1
  %9 = zext i32 %8 to i64
  %10 = getelementptr inbounds ptr, ptr %7, i64 %9
  br label %17

11:
  %12 = add i32 %0, 12
  %13 = icmp ult i32 %12, 13
  br i1 %13, label %14, label %20

14:
  %15 = sext i32 %12 to i64
  %16 = getelementptr inbounds [13 x ptr], ptr @switch.table.wmtune_error, i64 0, i64 %15
  br label %17

17:
  %18 = phi ptr [ %16, %14 ], [ %10, %6 ]
  %19 = load ptr, ptr %18, align 8
  br label %20

20:
  %21 = phi ptr [ @.str.13, %11 ], [ %19, %17 ]
  ret ptr %21
}

declare i64 @syscall(i64 noundef, ...) local_unnamed_addr #7

declare void @llvm.x86.sse2.pause() #14

declare i32 @sched_yield() local_unnamed_addr #7

declare i32 @clock_gettime(i32 noundef, ptr noundef) local_unnamed_addr #7

declare void @llvm.memcpy.p0.p0.i64(ptr noalias nocapture writeonly, ptr noalias nocapture readonly, i64, i1 immarg) #4

declare void @llvm.memset.p0.i64(ptr nocapture writeonly, i8, i64, i1 immarg) #15

declare i32 @sched_getaffinity(i32 noundef, i64 noundef, ptr noundef) local_unnamed_addr #7

declare i32 @__sched_cpucount(i64 noundef, ptr noundef) local_unnamed_addr #7

declare noundef i32 @open(ptr nocapture noundef readonly, i32 noundef, ...) local_unnamed_addr #16

declare noundef i64 @read(i32 noundef, ptr nocapture noundef, i64 noundef) local_unnamed_addr #16

declare i32 @close(i32 noundef) local_unnamed_addr #6

declare i64 @strtoll(ptr noundef readonly, ptr nocapture noundef, i32 noundef) local_unnamed_addr #17

declare noalias noundef ptr @aligned_alloc(i64 allocalign noundef, i64 noundef) local_unnamed_addr #18

define internal fastcc ptr @map(i64 noundef %0) unnamed_addr #0 {
  %2 = add nsw i64 %0, 4095
  %3 = sdiv i64 %2, 4096
  %4 = shl nsw i64 %3, 12
  %5 = icmp slt i64 %0, 2097152
  %6 = select i1 %5, i64 0, i64 2097152
  %7 = add nsw i64 %4, %6
  %8 = tail call ptr @mmap(ptr noundef null, i64 noundef %7, i32 noundef 3, i32 noundef 34, i32 noundef -1, i64 noundef 0) #14
  %9 = icmp eq ptr %8, inttoptr (i64 -1 to ptr)
  %10 = or i1 %5, %9
  %11 = select i1 %9, ptr null, ptr %8
  br i1 %10, label %29, label %12

12:
  %13 = ptrtoint ptr %8 to i64
  %14 = sub i64 0, %13
  %15 = and i64 %14, 2097151
  %16 = icmp eq i64 %15, 0
  br i1 %16, label %19, label %17

17:
  %18 = tail call i32 @munmap(ptr noundef %8, i64 noundef %15) #14
  br label %19

19:
  %20 = icmp eq i64 %6, %15
  br i1 %20, label %26, label %21

21:
  %22 = sub nsw i64 %6, %15
  %23 = getelementptr inbounds i8, ptr %8, i64 %15
  %24 = getelementptr inbounds i8, ptr %23, i64 %4
  %25 = tail call i32 @munmap(ptr noundef %24, i64 noundef %22) #14
  br label %26

26:
  %27 = getelementptr inbounds i8, ptr %8, i64 %15
  %28 = tail call i32 @madvise(ptr noundef %27, i64 noundef %4, i32 noundef 14) #14
  br label %29

29:
  %30 = phi ptr [ %27, %26 ], [ %11, %1 ]
  ret ptr %30
}

declare ptr @mmap(ptr noundef, i64 noundef, i32 noundef, i32 noundef, i32 noundef, i64 noundef) local_unnamed_addr #7

declare i32 @madvise(ptr noundef, i64 noundef, i32 noundef) local_unnamed_addr #7

declare i64 @lseek(i32 noundef, i64 noundef, i32 noundef) local_unnamed_addr #7

define internal void @sha_blocks_fast(ptr nocapture noundef %0, ptr nocapture noundef readonly %1, i64 noundef %2) unnamed_addr #19 {
  %4 = alloca [4 x <2 x i64>], align 16
  %5 = load i32, ptr %0, align 4
  %6 = getelementptr inbounds i32, ptr %0, i64 1
  %7 = load i32, ptr %6, align 4
  %8 = getelementptr inbounds i32, ptr %0, i64 4
  %9 = load i32, ptr %8, align 4
  %10 = getelementptr inbounds i32, ptr %0, i64 5
  %11 = load i32, ptr %10, align 4
  %12 = insertelement <4 x i32> undef, i32 %11, i64 0
  %13 = insertelement <4 x i32> %12, i32 %9, i64 1
  %14 = insertelement <4 x i32> %13, i32 %7, i64 2
  %15 = insertelement <4 x i32> %14, i32 %5, i64 3
  %16 = getelementptr inbounds i32, ptr %0, i64 2
  %17 = load i32, ptr %16, align 4
  %18 = getelementptr inbounds i32, ptr %0, i64 3
  %19 = load i32, ptr %18, align 4
  %20 = getelementptr inbounds i32, ptr %0, i64 6
  %21 = load i32, ptr %20, align 4
  %22 = getelementptr inbounds i32, ptr %0, i64 7
  %23 = load i32, ptr %22, align 4
  %24 = insertelement <4 x i32> undef, i32 %23, i64 0
  %25 = insertelement <4 x i32> %24, i32 %21, i64 1
  %26 = insertelement <4 x i32> %25, i32 %19, i64 2
  %27 = insertelement <4 x i32> %26, i32 %17, i64 3
  %28 = icmp sgt i64 %2, 0
  br i1 %28, label %29, label %211

29:
  %30 = getelementptr inbounds [4 x <2 x i64>], ptr %4, i64 0, i64 1
  %31 = getelementptr inbounds [4 x <2 x i64>], ptr %4, i64 0, i64 2
  %32 = getelementptr inbounds [4 x <2 x i64>], ptr %4, i64 0, i64 3
  br label %33

33:
  %34 = phi ptr [ %209, %47 ], [ %1, %29 ]
  %35 = phi i64 [ %208, %47 ], [ %2, %29 ]
  %36 = phi <4 x i32> [ %206, %47 ], [ %15, %29 ]
  %37 = phi <4 x i32> [ %207, %47 ], [ %27, %29 ]
  call void @llvm.lifetime.start.p0(i64 64, ptr nonnull %4) #14
  br label %38

38:
  %39 = phi i64 [ 0, %33 ], [ %45, %38 ]
  %40 = shl nuw nsw i64 %39, 4
  %41 = getelementptr inbounds i8, ptr %34, i64 %40
  %42 = load <16 x i8>, ptr %41, align 1
  %43 = shufflevector <16 x i8> %42, <16 x i8> poison, <16 x i32> <i32 3, i32 2, i32 1, i32 0, i32 7, i32 6, i32 5, i32 4, i32 11, i32 10, i32 9, i32 8, i32 15, i32 14, i32 13, i32 12>
  %44 = getelementptr inbounds [4 x <2 x i64>], ptr %4, i64 0, i64 %39
  store <16 x i8> %43, ptr %44, align 16
  %45 = add nuw nsw i64 %39, 1
  %46 = icmp eq i64 %45, 4
  br i1 %46, label %47, label %38, !llvm.loop !27

47:
  %48 = load <4 x i32>, ptr %4, align 16
  %49 = load <2 x i64>, ptr %30, align 16
  %50 = bitcast <2 x i64> %49 to <4 x i32>
  %51 = add <4 x i32> %48, <i32 1116352408, i32 1899447441, i32 -1245643825, i32 -373957723>
  %52 = tail call <4 x i32> @llvm.x86.sha256rnds2(<4 x i32> %37, <4 x i32> %36, <4 x i32> %51)
  %53 = shufflevector <4 x i32> %51, <4 x i32> poison, <4 x i32> <i32 2, i32 3, i32 0, i32 0>
  %54 = tail call <4 x i32> @llvm.x86.sha256rnds2(<4 x i32> %36, <4 x i32> %52, <4 x i32> %53)
  %55 = load <2 x i64>, ptr %31, align 16
  %56 = bitcast <2 x i64> %55 to <16 x i8>
  %57 = bitcast <2 x i64> %55 to <4 x i32>
  %58 = bitcast <2 x i64> %49 to <4 x i32>
  %59 = add <4 x i32> %58, <i32 961987163, i32 1508970993, i32 -1841331548, i32 -1424204075>
  %60 = tail call <4 x i32> @llvm.x86.sha256rnds2(<4 x i32> %52, <4 x i32> %54, <4 x i32> %59)
  %61 = shufflevector <4 x i32> %59, <4 x i32> poison, <4 x i32> <i32 2, i32 3, i32 0, i32 0>
  %62 = tail call <4 x i32> @llvm.x86.sha256rnds2(<4 x i32> %54, <4 x i32> %60, <4 x i32> %61)
  %63 = load <2 x i64>, ptr %32, align 16
  %64 = bitcast <2 x i64> %63 to <16 x i8>
  %65 = bitcast <2 x i64> %63 to <4 x i32>
  %66 = bitcast <2 x i64> %55 to <4 x i32>
  %67 = add <4 x i32> %66, <i32 -670586216, i32 310598401, i32 607225278, i32 1426881987>
  %68 = tail call <4 x i32> @llvm.x86.sha256rnds2(<4 x i32> %60, <4 x i32> %62, <4 x i32> %67)
  %69 = shufflevector <4 x i32> %67, <4 x i32> poison, <4 x i32> <i32 2, i32 3, i32 0, i32 0>
  %70 = tail call <4 x i32> @llvm.x86.sha256rnds2(<4 x i32> %62, <4 x i32> %68, <4 x i32> %69)
  %71 = bitcast <2 x i64> %63 to <4 x i32>
  %72 = add <4 x i32> %71, <i32 1925078388, i32 -2132889090, i32 -1680079193, i32 -1046744716>
  %73 = tail call <4 x i32> @llvm.x86.sha256rnds2(<4 x i32> %68, <4 x i32> %70, <4 x i32> %72)
  %74 = shufflevector <4 x i32> %72, <4 x i32> poison, <4 x i32> <i32 2, i32 3, i32 0, i32 0>
  %75 = tail call <4 x i32> @llvm.x86.sha256rnds2(<4 x i32> %70, <4 x i32> %73, <4 x i32> %74)
  %76 = tail call <4 x i32> @llvm.x86.sha256msg1(<4 x i32> %48, <4 x i32> %50)
  %77 = bitcast <2 x i64> %63 to <16 x i8>
  %78 = shufflevector <16 x i8> %56, <16 x i8> %77, <16 x i32> <i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19>
  %79 = bitcast <16 x i8> %78 to <4 x i32>
  %80 = add <4 x i32> %76, %79
  %81 = tail call <4 x i32> @llvm.x86.sha256msg2(<4 x i32> %80, <4 x i32> %71)
  %82 = bitcast <4 x i32> %81 to <16 x i8>
  %83 = add <4 x i32> %81, <i32 -459576895, i32 -272742522, i32 264347078, i32 604807628>
  %84 = tail call <4 x i32> @llvm.x86.sha256rnds2(<4 x i32> %73, <4 x i32> %75, <4 x i32> %83)
  %85 = shufflevector <4 x i32> %83, <4 x i32> poison, <4 x i32> <i32 2, i32 3, i32 0, i32 0>
  %86 = tail call <4 x i32> @llvm.x86.sha256rnds2(<4 x i32> %75, <4 x i32> %84, <4 x i32> %85)
  %87 = tail call <4 x i32> @llvm.x86.sha256msg1(<4 x i32> %58, <4 x i32> %57)
  %88 = bitcast <4 x i32> %81 to <16 x i8>
  %89 = shufflevector <16 x i8> %64, <16 x i8> %88, <16 x i32> <i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19>
  %90 = bitcast <16 x i8> %89 to <4 x i32>
  %91 = add <4 x i32> %87, %90
  %92 = tail call <4 x i32> @llvm.x86.sha256msg2(<4 x i32> %91, <4 x i32> %81)
  %93 = bitcast <4 x i32> %92 to <16 x i8>
  %94 = add <4 x i32> %92, <i32 770255983, i32 1249150122, i32 1555081692, i32 1996064986>
  %95 = tail call <4 x i32> @llvm.x86.sha256rnds2(<4 x i32> %84, <4 x i32> %86, <4 x i32> %94)
  %96 = shufflevector <4 x i32> %94, <4 x i32> poison, <4 x i32> <i32 2, i32 3, i32 0, i32 0>
  %97 = tail call <4 x i32> @llvm.x86.sha256rnds2(<4 x i32> %86, <4 x i32> %95, <4 x i32> %96)
  %98 = tail call <4 x i32> @llvm.x86.sha256msg1(<4 x i32> %66, <4 x i32> %65)
  %99 = bitcast <4 x i32> %92 to <16 x i8>
  %100 = shufflevector <16 x i8> %82, <16 x i8> %99, <16 x i32> <i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19>
  %101 = bitcast <16 x i8> %100 to <4 x i32>
  %102 = add <4 x i32> %98, %101
  %103 = tail call <4 x i32> @llvm.x86.sha256msg2(<4 x i32> %102, <4 x i32> %92)
  %104 = bitcast <4 x i32> %103 to <16 x i8>
  %105 = add <4 x i32> %103, <i32 -1740746414, i32 -1473132947, i32 -1341970488, i32 -1084653625>
  %106 = tail call <4 x i32> @llvm.x86.sha256rnds2(<4 x i32> %95, <4 x i32> %97, <4 x i32> %105)
  %107 = shufflevector <4 x i32> %105, <4 x i32> poison, <4 x i32> <i32 2, i32 3, i32 0, i32 0>
  %108 = tail call <4 x i32> @llvm.x86.sha256rnds2(<4 x i32> %97, <4 x i32> %106, <4 x i32> %107)
  %109 = tail call <4 x i32> @llvm.x86.sha256msg1(<4 x i32> %71, <4 x i32> %81)
  %110 = bitcast <4 x i32> %103 to <16 x i8>
  %111 = shufflevector <16 x i8> %93, <16 x i8> %110, <16 x i32> <i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19>
  %112 = bitcast <16 x i8> %111 to <4 x i32>
  %113 = add <4 x i32> %109, %112
  %114 = tail call <4 x i32> @llvm.x86.sha256msg2(<4 x i32> %113, <4 x i32> %103)
  %115 = bitcast <4 x i32> %114 to <16 x i8>
  %116 = add <4 x i32> %114, <i32 -958395405, i32 -710438585, i32 113926993, i32 338241895>
  %117 = tail call <4 x i32> @llvm.x86.sha256rnds2(<4 x i32> %106, <4 x i32> %108, <4 x i32> %116)
  %118 = shufflevector <4 x i32> %116, <4 x i32> poison, <4 x i32> <i32 2, i32 3, i32 0, i32 0>
  %119 = tail call <4 x i32> @llvm.x86.sha256rnds2(<4 x i32> %108, <4 x i32> %117, <4 x i32> %118)
  %120 = tail call <4 x i32> @llvm.x86.sha256msg1(<4 x i32> %81, <4 x i32> %92)
  %121 = bitcast <4 x i32> %114 to <16 x i8>
  %122 = shufflevector <16 x i8> %104, <16 x i8> %121, <16 x i32> <i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19>
  %123 = bitcast <16 x i8> %122 to <4 x i32>
  %124 = add <4 x i32> %120, %123
  %125 = tail call <4 x i32> @llvm.x86.sha256msg2(<4 x i32> %124, <4 x i32> %114)
  %126 = bitcast <4 x i32> %125 to <16 x i8>
  %127 = add <4 x i32> %125, <i32 666307205, i32 773529912, i32 1294757372, i32 1396182291>
  %128 = tail call <4 x i32> @llvm.x86.sha256rnds2(<4 x i32> %117, <4 x i32> %119, <4 x i32> %127)
  %129 = shufflevector <4 x i32> %127, <4 x i32> poison, <4 x i32> <i32 2, i32 3, i32 0, i32 0>
  %130 = tail call <4 x i32> @llvm.x86.sha256rnds2(<4 x i32> %119, <4 x i32> %128, <4 x i32> %129)
  %131 = tail call <4 x i32> @llvm.x86.sha256msg1(<4 x i32> %92, <4 x i32> %103)
  %132 = bitcast <4 x i32> %125 to <16 x i8>
  %133 = shufflevector <16 x i8> %115, <16 x i8> %132, <16 x i32> <i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19>
  %134 = bitcast <16 x i8> %133 to <4 x i32>
  %135 = add <4 x i32> %131, %134
  %136 = tail call <4 x i32> @llvm.x86.sha256msg2(<4 x i32> %135, <4 x i32> %125)
  %137 = bitcast <4 x i32> %136 to <16 x i8>
  %138 = add <4 x i32> %136, <i32 1695183700, i32 1986661051, i32 -2117940946, i32 -1838011259>
  %139 = tail call <4 x i32> @llvm.x86.sha256rnds2(<4 x i32> %128, <4 x i32> %130, <4 x i32> %138)
  %140 = shufflevector <4 x i32> %138, <4 x i32> poison, <4 x i32> <i32 2, i32 3, i32 0, i32 0>
  %141 = tail call <4 x i32> @llvm.x86.sha256rnds2(<4 x i32> %130, <4 x i32> %139, <4 x i32> %140)
  %142 = tail call <4 x i32> @llvm.x86.sha256msg1(<4 x i32> %103, <4 x i32> %114)
  %143 = bitcast <4 x i32> %136 to <16 x i8>
  %144 = shufflevector <16 x i8> %126, <16 x i8> %143, <16 x i32> <i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19>
  %145 = bitcast <16 x i8> %144 to <4 x i32>
  %146 = add <4 x i32> %142, %145
  %147 = tail call <4 x i32> @llvm.x86.sha256msg2(<4 x i32> %146, <4 x i32> %136)
  %148 = bitcast <4 x i32> %147 to <16 x i8>
  %149 = add <4 x i32> %147, <i32 -1564481375, i32 -1474664885, i32 -1035236496, i32 -949202525>
  %150 = tail call <4 x i32> @llvm.x86.sha256rnds2(<4 x i32> %139, <4 x i32> %141, <4 x i32> %149)
  %151 = shufflevector <4 x i32> %149, <4 x i32> poison, <4 x i32> <i32 2, i32 3, i32 0, i32 0>
  %152 = tail call <4 x i32> @llvm.x86.sha256rnds2(<4 x i32> %141, <4 x i32> %150, <4 x i32> %151)
  %153 = tail call <4 x i32> @llvm.x86.sha256msg1(<4 x i32> %114, <4 x i32> %125)
  %154 = bitcast <4 x i32> %147 to <16 x i8>
  %155 = shufflevector <16 x i8> %137, <16 x i8> %154, <16 x i32> <i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19>
  %156 = bitcast <16 x i8> %155 to <4 x i32>
  %157 = add <4 x i32> %153, %156
  %158 = tail call <4 x i32> @llvm.x86.sha256msg2(<4 x i32> %157, <4 x i32> %147)
  %159 = bitcast <4 x i32> %158 to <16 x i8>
  %160 = add <4 x i32> %158, <i32 -778901479, i32 -694614492, i32 -200395387, i32 275423344>
  %161 = tail call <4 x i32> @llvm.x86.sha256rnds2(<4 x i32> %150, <4 x i32> %152, <4 x i32> %160)
  %162 = shufflevector <4 x i32> %160, <4 x i32> poison, <4 x i32> <i32 2, i32 3, i32 0, i32 0>
  %163 = tail call <4 x i32> @llvm.x86.sha256rnds2(<4 x i32> %152, <4 x i32> %161, <4 x i32> %162)
  %164 = tail call <4 x i32> @llvm.x86.sha256msg1(<4 x i32> %125, <4 x i32> %136)
  %165 = bitcast <4 x i32> %158 to <16 x i8>
  %166 = shufflevector <16 x i8> %148, <16 x i8> %165, <16 x i32> <i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19>
  %167 = bitcast <16 x i8> %166 to <4 x i32>
  %168 = add <4 x i32> %164, %167
  %169 = tail call <4 x i32> @llvm.x86.sha256msg2(<4 x i32> %168, <4 x i32> %158)
  %170 = bitcast <4 x i32> %169 to <16 x i8>
  %171 = add <4 x i32> %169, <i32 430227734, i32 506948616, i32 659060556, i32 883997877>
  %172 = tail call <4 x i32> @llvm.x86.sha256rnds2(<4 x i32> %161, <4 x i32> %163, <4 x i32> %171)
  %173 = shufflevector <4 x i32> %171, <4 x i32> poison, <4 x i32> <i32 2, i32 3, i32 0, i32 0>
  %174 = tail call <4 x i32> @llvm.x86.sha256rnds2(<4 x i32> %163, <4 x i32> %172, <4 x i32> %173)
  %175 = tail call <4 x i32> @llvm.x86.sha256msg1(<4 x i32> %136, <4 x i32> %147)
  %176 = bitcast <4 x i32> %169 to <16 x i8>
  %177 = shufflevector <16 x i8> %159, <16 x i8> %176, <16 x i32> <i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19>
  %178 = bitcast <16 x i8> %177 to <4 x i32>
  %179 = add <4 x i32> %175, %178
  %180 = tail call <4 x i32> @llvm.x86.sha256msg2(<4 x i32> %179, <4 x i32> %169)
  %181 = bitcast <4 x i32> %180 to <16 x i8>
  %182 = add <4 x i32> %180, <i32 958139571, i32 1322822218, i32 1537002063, i32 1747873779>
  %183 = tail call <4 x i32> @llvm.x86.sha256rnds2(<4 x i32> %172, <4 x i32> %174, <4 x i32> %182)
  %184 = shufflevector <4 x i32> %182, <4 x i32> poison, <4 x i32> <i32 2, i32 3, i32 0, i32 0>
  %185 = tail call <4 x i32> @llvm.x86.sha256rnds2(<4 x i32> %174, <4 x i32> %183, <4 x i32> %184)
  %186 = tail call <4 x i32> @llvm.x86.sha256msg1(<4 x i32> %147, <4 x i32> %158)
  %187 = bitcast <4 x i32> %180 to <16 x i8>
  %188 = shufflevector <16 x i8> %170, <16 x i8> %187, <16 x i32> <i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19>
  %189 = bitcast <16 x i8> %188 to <4 x i32>
  %190 = add <4 x i32> %186, %189
  %191 = tail call <4 x i32> @llvm.x86.sha256msg2(<4 x i32> %190, <4 x i32> %180)
  %192 = add <4 x i32> %191, <i32 1955562222, i32 2024104815, i32 -2067236844, i32 -1933114872>
  %193 = tail call <4 x i32> @llvm.x86.sha256rnds2(<4 x i32> %183, <4 x i32> %185, <4 x i32> %192)
  %194 = shufflevector <4 x i32> %192, <4 x i32> poison, <4 x i32> <i32 2, i32 3, i32 0, i32 0>
  %195 = tail call <4 x i32> @llvm.x86.sha256rnds2(<4 x i32> %185, <4 x i32> %193, <4 x i32> %194)
  %196 = tail call <4 x i32> @llvm.x86.sha256msg1(<4 x i32> %158, <4 x i32> %169)
  %197 = bitcast <4 x i32> %191 to <16 x i8>
  %198 = shufflevector <16 x i8> %181, <16 x i8> %197, <16 x i32> <i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19>
  %199 = bitcast <16 x i8> %198 to <4 x i32>
  %200 = add <4 x i32> %196, %199
  %201 = tail call <4 x i32> @llvm.x86.sha256msg2(<4 x i32> %200, <4 x i32> %191)
  %202 = add <4 x i32> %201, <i32 -1866530822, i32 -1538233109, i32 -1090935817, i32 -965641998>
  %203 = tail call <4 x i32> @llvm.x86.sha256rnds2(<4 x i32> %193, <4 x i32> %195, <4 x i32> %202)
  %204 = shufflevector <4 x i32> %202, <4 x i32> poison, <4 x i32> <i32 2, i32 3, i32 0, i32 0>
  %205 = tail call <4 x i32> @llvm.x86.sha256rnds2(<4 x i32> %195, <4 x i32> %203, <4 x i32> %204)
  %206 = add <4 x i32> %205, %36
  %207 = add <4 x i32> %203, %37
  call void @llvm.lifetime.end.p0(i64 64, ptr nonnull %4) #14
  %208 = add nsw i64 %35, -1
  %209 = getelementptr inbounds i8, ptr %34, i64 64
  %210 = icmp sgt i64 %35, 1
  br i1 %210, label %33, label %211, !llvm.loop !28

211:
  %212 = phi <4 x i32> [ %27, %3 ], [ %207, %47 ]
  %213 = phi <4 x i32> [ %15, %3 ], [ %206, %47 ]
  %214 = extractelement <4 x i32> %213, i64 3
  store i32 %214, ptr %0, align 4
  %215 = extractelement <4 x i32> %213, i64 2
  store i32 %215, ptr %6, align 4
  %216 = extractelement <4 x i32> %213, i64 1
  store i32 %216, ptr %8, align 4
  %217 = extractelement <4 x i32> %213, i64 0
  store i32 %217, ptr %10, align 4
  %218 = extractelement <4 x i32> %212, i64 3
  store i32 %218, ptr %16, align 4
  %219 = extractelement <4 x i32> %212, i64 2
  store i32 %219, ptr %18, align 4
  %220 = extractelement <4 x i32> %212, i64 1
  store i32 %220, ptr %20, align 4
  %221 = extractelement <4 x i32> %212, i64 0
  store i32 %221, ptr %22, align 4
  ret void
}

define internal void @sha_blocks(ptr nocapture noundef %0, ptr nocapture noundef readonly %1, i64 noundef %2) unnamed_addr #20 {
  %4 = alloca [64 x i32], align 16
  %5 = icmp sgt i64 %2, 0
  br i1 %5, label %6, label %125

6:
  %7 = getelementptr inbounds i32, ptr %0, i64 1
  %8 = getelementptr inbounds i32, ptr %0, i64 2
  %9 = getelementptr inbounds i32, ptr %0, i64 3
  %10 = getelementptr inbounds i32, ptr %0, i64 4
  %11 = getelementptr inbounds i32, ptr %0, i64 5
  %12 = getelementptr inbounds i32, ptr %0, i64 6
  %13 = getelementptr inbounds i32, ptr %0, i64 7
  %14 = load i32, ptr %0, align 4
  %15 = load i32, ptr %7, align 4
  %16 = load i32, ptr %8, align 4
  %17 = load i32, ptr %9, align 4
  %18 = load i32, ptr %10, align 4
  %19 = load i32, ptr %11, align 4
  %20 = load i32, ptr %12, align 4
  %21 = load i32, ptr %13, align 4
  br label %22

22:
  %23 = phi i32 [ %21, %6 ], [ %80, %72 ]
  %24 = phi i32 [ %20, %6 ], [ %79, %72 ]
  %25 = phi i32 [ %19, %6 ], [ %78, %72 ]
  %26 = phi i32 [ %18, %6 ], [ %77, %72 ]
  %27 = phi i32 [ %17, %6 ], [ %76, %72 ]
  %28 = phi i32 [ %16, %6 ], [ %75, %72 ]
  %29 = phi i32 [ %15, %6 ], [ %74, %72 ]
  %30 = phi i32 [ %14, %6 ], [ %73, %72 ]
  %31 = phi ptr [ %1, %6 ], [ %82, %72 ]
  %32 = phi i64 [ %2, %6 ], [ %81, %72 ]
  call void @llvm.lifetime.start.p0(i64 256, ptr nonnull %4) #14
  br label %33

33:
  %34 = phi i64 [ 0, %22 ], [ %40, %33 ]
  %35 = shl nuw nsw i64 %34, 2
  %36 = getelementptr inbounds i8, ptr %31, i64 %35
  %37 = load i32, ptr %36, align 1
  %38 = tail call i32 @llvm.bswap.i32(i32 %37)
  %39 = getelementptr inbounds [64 x i32], ptr %4, i64 0, i64 %34
  store i32 %38, ptr %39, align 4
  %40 = add nuw nsw i64 %34, 1
  %41 = icmp eq i64 %40, 16
  br i1 %41, label %42, label %33, !llvm.loop !29

42:
  %43 = load i32, ptr %4, align 16
  br label %44

44:
  %45 = phi i32 [ %43, %42 ], [ %49, %44 ]
  %46 = phi i64 [ 16, %42 ], [ %70, %44 ]
  %47 = add nsw i64 %46, -15
  %48 = getelementptr inbounds [64 x i32], ptr %4, i64 0, i64 %47
  %49 = load i32, ptr %48, align 4
  %50 = add nsw i64 %46, -2
  %51 = getelementptr inbounds [64 x i32], ptr %4, i64 0, i64 %50
  %52 = load i32, ptr %51, align 4
  %53 = tail call i32 @llvm.fshl.i32(i32 %49, i32 %49, i32 25)
  %54 = tail call i32 @llvm.fshl.i32(i32 %49, i32 %49, i32 14)
  %55 = xor i32 %53, %54
  %56 = lshr i32 %49, 3
  %57 = xor i32 %55, %56
  %58 = add i32 %57, %45
  %59 = add nsw i64 %46, -7
  %60 = getelementptr inbounds [64 x i32], ptr %4, i64 0, i64 %59
  %61 = load i32, ptr %60, align 4
  %62 = add i32 %58, %61
  %63 = tail call i32 @llvm.fshl.i32(i32 %52, i32 %52, i32 15)
  %64 = tail call i32 @llvm.fshl.i32(i32 %52, i32 %52, i32 13)
  %65 = xor i32 %63, %64
  %66 = lshr i32 %52, 10
  %67 = xor i32 %65, %66
  %68 = add i32 %62, %67
  %69 = getelementptr inbounds [64 x i32], ptr %4, i64 0, i64 %46
  store i32 %68, ptr %69, align 4
  %70 = add nuw nsw i64 %46, 1
  %71 = icmp eq i64 %70, 64
  br i1 %71, label %84, label %44, !llvm.loop !30

72:
  %73 = add i32 %122, %30
  store i32 %73, ptr %0, align 4
  %74 = add i32 %93, %29
  store i32 %74, ptr %7, align 4
  %75 = add i32 %92, %28
  store i32 %75, ptr %8, align 4
  %76 = add i32 %91, %27
  store i32 %76, ptr %9, align 4
  %77 = add i32 %121, %26
  store i32 %77, ptr %10, align 4
  %78 = add i32 %89, %25
  store i32 %78, ptr %11, align 4
  %79 = add i32 %88, %24
  store i32 %79, ptr %12, align 4
  %80 = add i32 %87, %23
  store i32 %80, ptr %13, align 4
  call void @llvm.lifetime.end.p0(i64 256, ptr nonnull %4) #14
  %81 = add nsw i64 %32, -1
  %82 = getelementptr inbounds i8, ptr %31, i64 64
  %83 = icmp sgt i64 %32, 1
  br i1 %83, label %22, label %125, !llvm.loop !31

84:
  %85 = phi i64 [ %123, %84 ], [ 0, %44 ]
  %86 = phi i32 [ %87, %84 ], [ %23, %44 ]
  %87 = phi i32 [ %88, %84 ], [ %24, %44 ]
  %88 = phi i32 [ %89, %84 ], [ %25, %44 ]
  %89 = phi i32 [ %121, %84 ], [ %26, %44 ]
  %90 = phi i32 [ %91, %84 ], [ %27, %44 ]
  %91 = phi i32 [ %92, %84 ], [ %28, %44 ]
  %92 = phi i32 [ %93, %84 ], [ %29, %44 ]
  %93 = phi i32 [ %122, %84 ], [ %30, %44 ]
  %94 = tail call i32 @llvm.fshl.i32(i32 %89, i32 %89, i32 26)
  %95 = tail call i32 @llvm.fshl.i32(i32 %89, i32 %89, i32 21)
  %96 = xor i32 %94, %95
  %97 = tail call i32 @llvm.fshl.i32(i32 %89, i32 %89, i32 7)
  %98 = xor i32 %96, %97
  %99 = and i32 %88, %89
  %100 = xor i32 %89, -1
  %101 = and i32 %87, %100
  %102 = getelementptr inbounds [64 x i32], ptr @sha_k, i64 0, i64 %85
  %103 = load i32, ptr %102, align 4
  %104 = getelementptr inbounds [64 x i32], ptr %4, i64 0, i64 %85
  %105 = load i32, ptr %104, align 4
  %106 = add i32 %98, %99
  %107 = add i32 %106, %86
  %108 = add i32 %107, %101
  %109 = add i32 %108, %103
  %110 = add i32 %109, %105
  %111 = tail call i32 @llvm.fshl.i32(i32 %93, i32 %93, i32 30)
  %112 = tail call i32 @llvm.fshl.i32(i32 %93, i32 %93, i32 19)
  %113 = xor i32 %111, %112
  %114 = tail call i32 @llvm.fshl.i32(i32 %93, i32 %93, i32 10)
  %115 = xor i32 %113, %114
  %116 = xor i32 %91, %92
  %117 = and i32 %116, %93
  %118 = and i32 %91, %92
  %119 = xor i32 %117, %118
  %120 = add i32 %119, %115
  %121 = add i32 %110, %90
  %122 = add i32 %120, %110
  %123 = add nuw nsw i64 %85, 1
  %124 = icmp eq i64 %123, 64
  br i1 %124, label %72, label %84, !llvm.loop !32

125:
  ret void
}

declare i64 @llvm.bswap.i64(i64) #21

declare i32 @llvm.bswap.i32(i32) #21

declare <4 x i32> @llvm.x86.sha256msg1(<4 x i32>, <4 x i32>) #22

declare <4 x i32> @llvm.x86.sha256msg2(<4 x i32>, <4 x i32>) #22

declare <4 x i32> @llvm.x86.sha256rnds2(<4 x i32>, <4 x i32>, <4 x i32>) #22

declare i32 @pthread_attr_init(ptr noundef) local_unnamed_addr #7

declare i32 @pthread_attr_setstacksize(ptr noundef, i64 noundef) local_unnamed_addr #7

declare i32 @sigfillset(ptr noundef) local_unnamed_addr #7

declare i32 @sigdelset(ptr noundef, i32 noundef) local_unnamed_addr #7

declare i32 @pthread_sigmask(i32 noundef, ptr noundef, ptr noundef) local_unnamed_addr #7

declare i32 @pthread_create(ptr noundef, ptr noundef, ptr noundef, ptr noundef) local_unnamed_addr #7

define internal ptr @work(ptr noundef %0) #0 {
  %2 = alloca %struct.timespec, align 8
  %3 = alloca i32, align 4
  %4 = alloca i32, align 4
  %5 = load ptr, ptr %0, align 64
  %6 = getelementptr inbounds %struct.thread, ptr %0, i64 0, i32 6
  %7 = getelementptr inbounds %struct.timespec, ptr %2, i64 0, i32 1
  %8 = getelementptr inbounds %struct.thread, ptr %0, i64 0, i32 7
  %9 = getelementptr inbounds %struct.context, ptr %5, i64 0, i32 21
  %10 = getelementptr inbounds %struct.thread, ptr %0, i64 0, i32 8
  %11 = getelementptr inbounds %struct.context, ptr %5, i64 0, i32 11
  %12 = getelementptr inbounds %struct.thread, ptr %0, i64 0, i32 2
  %13 = getelementptr inbounds %struct.context, ptr %5, i64 0, i32 17
  %14 = getelementptr inbounds %struct.context, ptr %5, i64 0, i32 18
  %15 = getelementptr inbounds %struct.context, ptr %5, i64 0, i32 15
  %16 = getelementptr inbounds %struct.context, ptr %5, i64 0, i32 16
  %17 = getelementptr inbounds %struct.thread, ptr %0, i64 0, i32 4
  %18 = getelementptr inbounds %struct.thread, ptr %0, i64 0, i32 9
  br label %19

19:
  %20 = phi i32 [ 0, %1 ], [ %52, %79 ]
  %21 = load atomic i32, ptr %6 acquire, align 64
  %22 = icmp eq i32 %21, %20
  br i1 %22, label %23, label %51

23:
  %24 = phi i64 [ %47, %46 ], [ 0, %19 ]
  %25 = phi i32 [ %48, %46 ], [ 1, %19 ]
  %26 = icmp ult i32 %25, 2000
  br i1 %26, label %27, label %28

27:
  call void @llvm.x86.sse2.pause()
  br label %30

28:
  %29 = call i32 @sched_yield() #14
  br label %30

30:
  %31 = phi i32 [ 255, %27 ], [ 15, %28 ]
  %32 = and i32 %31, %25
  %33 = icmp eq i32 %32, 0
  br i1 %33, label %34, label %46

34:
  call void @llvm.lifetime.start.p0(i64 16, ptr nonnull %2) #14
  %35 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %2) #14
  %36 = load i64, ptr %2, align 8
  %37 = mul nsw i64 %36, 1000000000
  %38 = load i64, ptr %7, align 8
  %39 = add nsw i64 %37, %38
  call void @llvm.lifetime.end.p0(i64 16, ptr nonnull %2) #14
  %40 = icmp eq i64 %24, 0
  %41 = select i1 %40, i64 %39, i64 %24
  %42 = sub nsw i64 %39, %41
  %43 = icmp slt i64 %42, 1000000
  br i1 %43, label %46, label %44

44:
  store atomic i32 1, ptr %8 seq_cst, align 4
  %45 = call i64 (i64, ...) @syscall(i64 noundef 202, ptr noundef nonnull %6, i32 noundef 128, i32 noundef %20, ptr noundef null, ptr noundef null, i32 noundef 0) #14
  store atomic i32 0, ptr %8 seq_cst, align 4
  br label %46

46:
  %47 = phi i64 [ %41, %34 ], [ 0, %44 ], [ %24, %30 ]
  %48 = add i32 %25, 1
  %49 = load atomic i32, ptr %6 acquire, align 64
  %50 = icmp eq i32 %49, %20
  br i1 %50, label %23, label %51, !llvm.loop !33

51:
  %52 = phi i32 [ %21, %19 ], [ %49, %46 ]
  %53 = load atomic i32, ptr %9 seq_cst, align 4
  %54 = icmp eq i32 %53, 0
  br i1 %54, label %56, label %55

55:
  ret ptr null

56:
  %57 = add nsw i32 %52, -1
  %58 = cmpxchg ptr %10, i32 %57, i32 %52 seq_cst seq_cst, align 4
  %59 = extractvalue { i32, i1 } %58, 1
  br i1 %59, label %60, label %79

60:
  %61 = load i32, ptr %11, align 8
  store i32 %61, ptr %3, align 4
  call void @llvm.x86.sse.ldmxcsr(ptr nonnull %3)
  %62 = load i64, ptr %12, align 16
  %63 = load i64, ptr %13, align 8
  %64 = load i64, ptr %14, align 8
  %65 = sdiv i64 %63, %64
  %66 = srem i64 %63, %64
  %67 = mul nsw i64 %65, %62
  %68 = icmp sgt i64 %66, %62
  %69 = call i64 @llvm.smin.i64(i64 %66, i64 %62)
  %70 = add nsw i64 %69, %67
  %71 = load ptr, ptr %15, align 8
  %72 = load ptr, ptr %16, align 8
  %73 = add nsw i64 %70, %65
  %74 = zext i1 %68 to i64
  %75 = add nsw i64 %73, %74
  call void %71(ptr noundef nonnull %0, ptr noundef %72, i64 noundef %70, i64 noundef %75) #14
  call void @llvm.x86.sse.stmxcsr(ptr nonnull %4)
  %76 = load i32, ptr %4, align 4
  %77 = load i32, ptr %17, align 32
  %78 = or i32 %77, %76
  store i32 %78, ptr %17, align 32
  store atomic i32 %52, ptr %18 release, align 4
  br label %79

79:
  br label %19, !llvm.loop !34
}

declare i32 @pthread_attr_destroy(ptr noundef) local_unnamed_addr #7

declare void @llvm.x86.sse.ldmxcsr(ptr) #14

declare void @llvm.x86.sse.stmxcsr(ptr) #23

declare hidden i32 @wmtune_sequence(ptr noundef, ptr noundef, ptr noundef, ptr noundef, ptr noundef, ptr noundef) local_unnamed_addr #6

declare i64 @llvm.smin.i64(i64, i64) #24

declare i32 @bcmp(ptr nocapture, ptr nocapture, i64) local_unnamed_addr #25

declare i32 @llvm.fshl.i32(i32, i32, i32) #24

declare i64 @llvm.smax.i64(i64, i64) #24

attributes #0 = { nounwind "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind willreturn memory(argmem: readwrite) }
attributes #2 = { mustprogress nofree norecurse nosync nounwind willreturn memory(argmem: readwrite) "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #3 = { mustprogress nofree norecurse nosync nounwind willreturn memory(readwrite, inaccessiblemem: none) "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #4 = { mustprogress nocallback nofree nounwind willreturn memory(argmem: readwrite) }
attributes #5 = { mustprogress nofree nosync nounwind willreturn memory(readwrite, inaccessiblemem: none) "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #6 = { "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #7 = { nounwind "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #8 = { mustprogress nounwind willreturn allockind("free") memory(argmem: readwrite, inaccessiblemem: readwrite) "alloc-family"="malloc" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #9 = { mustprogress nofree norecurse nosync nounwind willreturn memory(argmem: write) "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #10 = { mustprogress nofree nounwind willreturn allockind("alloc,zeroed") allocsize(0,1) memory(inaccessiblemem: readwrite) "alloc-family"="malloc" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #11 = { nofree norecurse nosync nounwind memory(read, inaccessiblemem: none) "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #12 = { mustprogress nofree norecurse nosync nounwind willreturn memory(none) "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #13 = { mustprogress nofree norecurse nosync nounwind willreturn memory(read, inaccessiblemem: none) "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #14 = { nounwind }
attributes #15 = { mustprogress nocallback nofree nounwind willreturn memory(argmem: write) }
attributes #16 = { nofree "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #17 = { mustprogress nofree nounwind willreturn "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #18 = { mustprogress nofree nounwind willreturn allockind("alloc,uninitialized,aligned") allocsize(1) memory(inaccessiblemem: readwrite) "alloc-family"="malloc" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #19 = { nofree nosync nounwind memory(read, argmem: readwrite, inaccessiblemem: none) "min-legal-vector-width"="128" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sha,+sse,+sse2,+sse3,+sse4.1,+ssse3,+x87" "tune-cpu"="generic" }
attributes #20 = { nofree nosync nounwind memory(read, argmem: readwrite, inaccessiblemem: none) "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #21 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #22 = { mustprogress nocallback nofree nosync nounwind willreturn memory(none) }
attributes #23 = { nounwind memory(argmem: write) }
attributes #24 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #25 = { nofree nounwind willreturn memory(argmem: read) }
attributes #26 = { nounwind memory(none) }
attributes #27 = { nounwind allocsize(0,1) }
attributes #28 = { nounwind allocsize(1) }

!llvm.module.flags = !{!0, !1}

!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 8, !"PIC Level", i32 2}
!2 = distinct !{!2, !3, !4}
!3 = !{!"llvm.loop.mustprogress"}
!4 = !{!"llvm.loop.unroll.disable"}
!5 = distinct !{!5, !3, !4}
!6 = distinct !{!6, !3, !4}
!7 = distinct !{!7, !3, !4}
!8 = distinct !{!8, !3, !4}
!9 = distinct !{!9, !3, !4}
!10 = distinct !{!10, !3, !4}
!11 = !{i64 2151315965, i64 2151316001, i64 2151316025}
!12 = !{i64 2151316171, i64 2151316207, i64 2151316231}
!13 = !{i64 3820653}
!14 = !{i64 2151316381, i64 2151316417, i64 2151316441}
!15 = distinct !{!15, !3, !4}
!16 = distinct !{!16, !3, !4}
!17 = !{ptr @sha_blocks, ptr @sha_blocks_fast}
!18 = distinct !{!18, !3, !4}
!19 = distinct !{!19, !3, !4}
!20 = distinct !{!20, !3, !4}
!21 = distinct !{!21, !3, !4}
!22 = distinct !{!22, !3, !4}
!23 = distinct !{!23, !3, !4}
!24 = distinct !{!24, !3, !4}
!25 = distinct !{!25, !3, !4}
!26 = distinct !{!26, !3, !4}
!27 = distinct !{!27, !3, !4}
!28 = distinct !{!28, !3, !4}
!29 = distinct !{!29, !3, !4}
!30 = distinct !{!30, !3, !4}
!31 = distinct !{!31, !3, !4}
!32 = distinct !{!32, !3, !4}
!33 = distinct !{!33, !4}
!34 = distinct !{!34, !4}
