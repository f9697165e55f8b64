; c03ef50cb34dc77871b7436e3a9a16f6ce63f683a31ad8109a702802aad16c32 of pool.h, processor.h, runtime.c; by runtime.sh
target triple = "x86_64-pc-linux-gnu"

%struct.state = type { %struct.pool, i32, i32, i32, [52 x i8], [256 x %struct.thread] }
%struct.pool = type { ptr, i64, i64, i64, i64, i32, i32, ptr, i32 }
%struct.thread = type { ptr, ptr, i64, i64, i32, [28 x i8], i32, i32, ptr, ptr, i64, i64, i64, i32, [12 x i8] }
%struct.cpu_set_t = type { [16 x i64] }
%struct.__sigset_t = type { [16 x i64] }
%union.pthread_attr_t = type { i64, [48 x i8] }
%struct.job = type { ptr, ptr }
%struct.timespec = type { i64, i64 }

@wanted = internal unnamed_addr global i64 0, align 8
@cpus = internal unnamed_addr global [256 x i32] zeroinitializer, align 16
@pinned = internal unnamed_addr global i1 false, align 4
@wmtune_guard_blocks = hidden local_unnamed_addr global i32 0, align 4
@.str = private unnamed_addr constant [45 x i8] c"wmtune: out of memory: a kernel wants %ld B\0A\00", align 1
@known = internal global ptr null, align 8
@.str.1 = private unnamed_addr constant [23 x i8] c"/sys/fs/cgroup/cpu.max\00", align 1
@.str.2 = private unnamed_addr constant [36 x i8] c"/sys/fs/cgroup/cpu/cpu.cfs_quota_us\00", align 1
@.str.3 = private unnamed_addr constant [37 x i8] c"/sys/fs/cgroup/cpu/cpu.cfs_period_us\00", align 1
@__const.start.faults = private unnamed_addr constant [7 x i32] [i32 4, i32 5, i32 6, i32 7, i32 8, i32 11, i32 31], align 16

define void @wmtune_pool_init(i64 noundef %0, ptr noundef readonly %1) local_unnamed_addr #0 {
  %3 = tail call fastcc ptr @state()
  %4 = icmp eq ptr %3, null
  br i1 %4, label %17, label %5

5:
  %6 = getelementptr inbounds %struct.state, ptr %3, i64 0, i32 1
  %7 = load atomic i32, ptr %6 seq_cst, align 64
  %8 = icmp eq i32 %7, 0
  br i1 %8, label %9, label %17

9:
  %10 = tail call i64 @llvm.smin.i64(i64 %0, i64 256)
  store i64 %10, ptr @wanted, align 8
  %11 = icmp ne ptr %1, null
  %12 = icmp sgt i64 %0, 0
  %13 = and i1 %12, %11
  br i1 %13, label %14, label %16

14:
  %15 = shl i64 %10, 2
  tail call void @llvm.memcpy.p0.p0.i64(ptr nonnull align 16 @cpus, ptr nonnull align 4 %1, i64 %15, i1 false)
  store i1 true, ptr @pinned, align 4
  br label %16

16:
  tail call fastcc void @begin(ptr noundef nonnull %3)
  br label %17

17:
  ret void
}

declare void @llvm.lifetime.start.p0(i64 immarg, ptr nocapture) #1

define internal fastcc ptr @state() unnamed_addr #0 {
  %1 = load atomic i64, ptr @known acquire, align 8
  %2 = inttoptr i64 %1 to ptr
  %3 = icmp eq i64 %1, 0
  br i1 %3, label %11, label %4

4:
  %5 = getelementptr inbounds %struct.state, ptr %2, i64 0, i32 3
  %6 = load i32, ptr %5, align 8
  %7 = icmp eq i32 %6, 0
  br i1 %7, label %28, label %8

8:
  %9 = tail call i32 @getpid() #12
  %10 = icmp eq i32 %6, %9
  br i1 %10, label %28, label %11

11:
  %12 = tail call ptr @mmap(ptr noundef null, i64 noundef 32896, i32 noundef 3, i32 noundef 34, i32 noundef -1, i64 noundef 0) #12
  %13 = icmp eq ptr %12, inttoptr (i64 -1 to ptr)
  br i1 %13, label %28, label %14

14:
  %15 = tail call i32 @madvise(ptr noundef %12, i64 noundef 32896, i32 noundef 18) #12
  %16 = icmp eq i32 %15, 0
  br i1 %16, label %20, label %17

17:
  %18 = tail call i32 @getpid() #12
  %19 = getelementptr inbounds %struct.state, ptr %12, i64 0, i32 3
  store i32 %18, ptr %19, align 8
  br label %20

20:
  %21 = ptrtoint ptr %12 to i64
  %22 = cmpxchg ptr @known, i64 %1, i64 %21 seq_cst seq_cst, align 8
  %23 = extractvalue { i64, i1 } %22, 1
  br i1 %23, label %28, label %24

24:
  %25 = extractvalue { i64, i1 } %22, 0
  %26 = inttoptr i64 %25 to ptr
  %27 = tail call i32 @munmap(ptr noundef %12, i64 noundef 32896) #12
  br label %28

28:
  %29 = phi ptr [ %26, %24 ], [ %2, %8 ], [ %2, %4 ], [ null, %11 ], [ %12, %20 ]
  ret ptr %29
}

declare void @llvm.memcpy.p0.p0.i64(ptr noalias nocapture writeonly, ptr noalias nocapture readonly, i64, i1 immarg) #2

define internal fastcc void @begin(ptr noundef %0) unnamed_addr #0 {
  %2 = alloca %struct.cpu_set_t, align 8
  %3 = alloca %struct.__sigset_t, align 8
  %4 = alloca %struct.__sigset_t, align 8
  %5 = alloca %union.pthread_attr_t, align 8
  %6 = alloca [64 x i8], align 16
  %7 = alloca ptr, align 8
  %8 = alloca [64 x i8], align 16
  %9 = alloca ptr, align 8
  %10 = alloca [64 x i8], align 16
  %11 = alloca ptr, align 8
  %12 = alloca [16 x i64], align 16
  %13 = getelementptr inbounds %struct.state, ptr %0, i64 0, i32 1
  %14 = cmpxchg ptr %13, i32 0, i32 1 seq_cst seq_cst, align 4
  %15 = extractvalue { i32, i1 } %14, 1
  br i1 %15, label %16, label %198

16:
  %17 = getelementptr inbounds %struct.state, ptr %0, i64 0, i32 5
  store ptr %17, ptr %0, align 8
  %18 = load i64, ptr @wanted, align 8
  %19 = icmp sgt i64 %18, 0
  br i1 %19, label %20, label %23

20:
  %21 = getelementptr inbounds %struct.pool, ptr %0, i64 0, i32 1
  store i64 %18, ptr %21, align 8
  %22 = getelementptr inbounds %struct.pool, ptr %0, i64 0, i32 5
  store i32 8064, ptr %22, align 8
  br label %111

23:
  call void @llvm.lifetime.start.p0(i64 128, ptr nonnull %12) #12
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 16 dereferenceable(128) %12, i8 0, i64 128, i1 false)
  call void @llvm.lifetime.start.p0(i64 64, ptr nonnull %6) #12
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %7) #12
  %24 = tail call i32 (ptr, i32, ...) @open(ptr noundef nonnull @.str.1, i32 noundef 524288) #12
  %25 = icmp slt i32 %24, 0
  br i1 %25, label %43, label %26

26:
  %27 = call i64 @read(i32 noundef %24, ptr noundef nonnull %6, i64 noundef 63) #12
  %28 = tail call i32 @close(i32 noundef %24) #12
  %29 = icmp slt i64 %27, 1
  %30 = load i8, ptr %6, align 16
  %31 = icmp slt i8 %30, 48
  %32 = select i1 %29, i1 true, i1 %31
  %33 = icmp sgt i8 %30, 57
  %34 = select i1 %32, i1 true, i1 %33
  br i1 %34, label %43, label %35

35:
  %36 = getelementptr inbounds [64 x i8], ptr %6, i64 0, i64 %27
  store i8 0, ptr %36, align 1
  %37 = call i64 @strtoll(ptr noundef nonnull %6, ptr noundef nonnull %7, i32 noundef 10) #12
  %38 = load ptr, ptr %7, align 8
  %39 = load i8, ptr %38, align 1
  %40 = icmp eq i8 %39, 32
  br i1 %40, label %41, label %44

41:
  %42 = call i64 @strtoll(ptr nocapture noundef nonnull %38, ptr noundef null, i32 noundef 10) #12
  br label %44

43:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %7) #12
  call void @llvm.lifetime.end.p0(i64 64, ptr nonnull %6) #12
  br label %47

44:
  %45 = phi i64 [ %42, %41 ], [ 0, %35 ]
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %7) #12
  call void @llvm.lifetime.end.p0(i64 64, ptr nonnull %6) #12
  %46 = icmp slt i64 %37, 0
  br i1 %46, label %47, label %80

47:
  call void @llvm.lifetime.start.p0(i64 64, ptr nonnull %10) #12
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %11) #12
  %48 = call i32 (ptr, i32, ...) @open(ptr noundef nonnull @.str.2, i32 noundef 524288) #12
  %49 = icmp slt i32 %48, 0
  br i1 %49, label %62, label %50

50:
  %51 = call i64 @read(i32 noundef %48, ptr noundef nonnull %10, i64 noundef 63) #12
  %52 = call i32 @close(i32 noundef %48) #12
  %53 = icmp slt i64 %51, 1
  %54 = load i8, ptr %10, align 16
  %55 = icmp slt i8 %54, 48
  %56 = select i1 %53, i1 true, i1 %55
  %57 = icmp sgt i8 %54, 57
  %58 = select i1 %56, i1 true, i1 %57
  br i1 %58, label %62, label %59

59:
  %60 = getelementptr inbounds [64 x i8], ptr %10, i64 0, i64 %51
  store i8 0, ptr %60, align 1
  %61 = call i64 @strtoll(ptr noundef nonnull %10, ptr noundef nonnull %11, i32 noundef 10) #12
  br label %62

62:
  %63 = phi i64 [ -1, %47 ], [ -1, %50 ], [ %61, %59 ]
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %11) #12
  call void @llvm.lifetime.end.p0(i64 64, ptr nonnull %10) #12
  call void @llvm.lifetime.start.p0(i64 64, ptr nonnull %8) #12
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %9) #12
  %64 = call i32 (ptr, i32, ...) @open(ptr noundef nonnull @.str.3, i32 noundef 524288) #12
  %65 = icmp slt i32 %64, 0
  br i1 %65, label %78, label %66

66:
  %67 = call i64 @read(i32 noundef %64, ptr noundef nonnull %8, i64 noundef 63) #12
  %68 = call i32 @close(i32 noundef %64) #12
  %69 = icmp slt i64 %67, 1
  %70 = load i8, ptr %8, align 16
  %71 = icmp slt i8 %70, 48
  %72 = select i1 %69, i1 true, i1 %71
  %73 = icmp sgt i8 %70, 57
  %74 = select i1 %72, i1 true, i1 %73
  br i1 %74, label %78, label %75

75:
  %76 = getelementptr inbounds [64 x i8], ptr %8, i64 0, i64 %67
  store i8 0, ptr %76, align 1
  %77 = call i64 @strtoll(ptr noundef nonnull %8, ptr noundef nonnull %9, i32 noundef 10) #12
  br label %78

78:
  %79 = phi i64 [ -1, %62 ], [ -1, %66 ], [ %77, %75 ]
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %9) #12
  call void @llvm.lifetime.end.p0(i64 64, ptr nonnull %8) #12
  br label %80

80:
  %81 = phi i64 [ %79, %78 ], [ %45, %44 ]
  %82 = phi i64 [ %63, %78 ], [ %37, %44 ]
  %83 = icmp sgt i64 %82, 0
  %84 = icmp sgt i64 %81, 0
  %85 = select i1 %83, i1 %84, i1 false
  br i1 %85, label %86, label %92

86:
  %87 = add nsw i64 %81, -1
  %88 = add nuw i64 %87, %82
  %89 = udiv i64 %88, %81
  %90 = freeze i64 %89
  %91 = call i64 @llvm.smin.i64(i64 %90, i64 64)
  br label %92

92:
  %93 = phi i64 [ 64, %80 ], [ %91, %86 ]
  %94 = call i32 @sched_getaffinity(i32 noundef 0, i64 noundef 128, ptr noundef nonnull %12) #12
  br label %95

95:
  %96 = phi i64 [ 0, %92 ], [ %102, %95 ]
  %97 = phi i64 [ 0, %92 ], [ %101, %95 ]
  %98 = getelementptr inbounds [16 x i64], ptr %12, i64 0, i64 %96
  %99 = load i64, ptr %98, align 8
  %100 = call i64 @llvm.ctpop.i64(i64 %99), !range !2
  %101 = add nuw nsw i64 %100, %97
  %102 = add nuw nsw i64 %96, 1
  %103 = icmp eq i64 %102, 16
  br i1 %103, label %104, label %95, !llvm.loop !3

104:
  %105 = icmp eq i64 %101, 0
  %106 = select i1 %105, i64 1, i64 %101
  %107 = call i64 @llvm.smin.i64(i64 %106, i64 %93)
  call void @llvm.lifetime.end.p0(i64 128, ptr nonnull %12) #12
  %108 = getelementptr inbounds %struct.pool, ptr %0, i64 0, i32 1
  store i64 %107, ptr %108, align 8
  %109 = getelementptr inbounds %struct.pool, ptr %0, i64 0, i32 5
  store i32 8064, ptr %109, align 8
  %110 = icmp sgt i64 %107, 0
  br i1 %110, label %111, label %113

111:
  %112 = phi ptr [ %21, %20 ], [ %108, %104 ]
  br label %165

113:
  %114 = phi ptr [ %108, %104 ], [ %112, %165 ]
  call void @llvm.lifetime.start.p0(i64 128, ptr nonnull %3) #12
  call void @llvm.lifetime.start.p0(i64 128, ptr nonnull %4) #12
  call void @llvm.lifetime.start.p0(i64 56, ptr nonnull %5) #12
  %115 = call i32 @getpid() #12
  %116 = getelementptr inbounds %struct.pool, ptr %0, i64 0, i32 8
  store i32 %115, ptr %116, align 8
  %117 = getelementptr inbounds %struct.pool, ptr %0, i64 0, i32 7
  %118 = load ptr, ptr %117, align 8
  %119 = icmp eq ptr %118, null
  br i1 %119, label %121, label %120

120:
  store atomic i32 1, ptr %118 seq_cst, align 4
  br label %121

121:
  %122 = getelementptr inbounds %struct.pool, ptr %0, i64 0, i32 3
  store i64 1, ptr %122, align 8
  %123 = getelementptr inbounds %struct.pool, ptr %0, i64 0, i32 2
  store i64 1, ptr %123, align 8
  %124 = getelementptr inbounds %struct.pool, ptr %0, i64 0, i32 6
  store atomic i32 0, ptr %124 seq_cst, align 4
  %125 = load i64, ptr %114, align 8
  %126 = icmp slt i64 %125, 2
  br i1 %126, label %163, label %127

127:
  %128 = call i32 @pthread_attr_init(ptr noundef nonnull %5) #12
  %129 = icmp eq i32 %128, 0
  br i1 %129, label %130, label %163

130:
  %131 = call i32 @pthread_attr_setstacksize(ptr noundef nonnull %5, i64 noundef 2097152) #12
  %132 = call i32 @sigfillset(ptr noundef nonnull %3) #12
  br label %138

133:
  %134 = call i32 @pthread_sigmask(i32 noundef 2, ptr noundef nonnull %3, ptr noundef nonnull %4) #12
  %135 = load i64, ptr %123, align 8
  %136 = load i64, ptr %114, align 8
  %137 = icmp slt i64 %135, %136
  br i1 %137, label %145, label %159

138:
  %139 = phi i64 [ 0, %130 ], [ %143, %138 ]
  %140 = getelementptr inbounds [7 x i32], ptr @__const.start.faults, i64 0, i64 %139
  %141 = load i32, ptr %140, align 4
  %142 = call i32 @sigdelset(ptr noundef nonnull %3, i32 noundef %141) #12
  %143 = add nuw nsw i64 %139, 1
  %144 = icmp eq i64 %143, 7
  br i1 %144, label %133, label %138, !llvm.loop !6

145:
  %146 = phi i64 [ %156, %155 ], [ %135, %133 ]
  %147 = load ptr, ptr %0, align 8
  %148 = getelementptr inbounds %struct.thread, ptr %147, i64 %146
  %149 = getelementptr inbounds %struct.thread, ptr %147, i64 %146, i32 6
  store atomic i32 2, ptr %149 seq_cst, align 4
  %150 = getelementptr inbounds %struct.thread, ptr %147, i64 %146, i32 7
  store atomic i32 0, ptr %150 seq_cst, align 4
  %151 = getelementptr inbounds %struct.thread, ptr %147, i64 %146, i32 3
  %152 = call i32 @pthread_create(ptr noundef nonnull %151, ptr noundef nonnull %5, ptr noundef nonnull @work, ptr noundef %148) #12
  %153 = icmp eq i32 %152, 0
  %154 = load i64, ptr %123, align 8
  br i1 %153, label %155, label %159

155:
  %156 = add nsw i64 %154, 1
  store i64 %156, ptr %123, align 8
  %157 = load i64, ptr %114, align 8
  %158 = icmp slt i64 %156, %157
  br i1 %158, label %145, label %159, !llvm.loop !7

159:
  %160 = phi i64 [ %135, %133 ], [ %156, %155 ], [ %154, %145 ]
  store i64 %160, ptr %122, align 8
  %161 = call i32 @pthread_sigmask(i32 noundef 2, ptr noundef nonnull %4, ptr noundef null) #12
  %162 = call i32 @pthread_attr_destroy(ptr noundef nonnull %5) #12
  br label %163

163:
  call void @llvm.lifetime.end.p0(i64 56, ptr nonnull %5) #12
  call void @llvm.lifetime.end.p0(i64 128, ptr nonnull %4) #12
  call void @llvm.lifetime.end.p0(i64 128, ptr nonnull %3) #12
  %164 = load i1, ptr @pinned, align 4
  br i1 %164, label %174, label %196

165:
  %166 = phi i64 [ %171, %165 ], [ 0, %111 ]
  %167 = load ptr, ptr %0, align 8
  %168 = getelementptr inbounds %struct.thread, ptr %167, i64 %166
  store ptr %0, ptr %168, align 64
  %169 = load ptr, ptr %0, align 8
  %170 = getelementptr inbounds %struct.thread, ptr %169, i64 %166, i32 2
  store i64 %166, ptr %170, align 16
  %171 = add nuw nsw i64 %166, 1
  %172 = load i64, ptr %112, align 8
  %173 = icmp slt i64 %171, %172
  br i1 %173, label %165, label %113, !llvm.loop !8

174:
  %175 = load i64, ptr %123, align 8
  %176 = icmp sgt i64 %175, 1
  br i1 %176, label %177, label %196

177:
  %178 = phi i64 [ %193, %177 ], [ 1, %174 ]
  call void @llvm.lifetime.start.p0(i64 128, ptr nonnull %2) #12
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 8 dereferenceable(128) %2, i8 0, i64 128, i1 false)
  %179 = getelementptr inbounds [256 x i32], ptr @cpus, i64 0, i64 %178
  %180 = load i32, ptr %179, align 4
  %181 = and i32 %180, 1023
  %182 = zext i32 %181 to i64
  %183 = and i64 %182, 63
  %184 = shl nuw i64 1, %183
  %185 = lshr i64 %182, 6
  %186 = getelementptr inbounds i64, ptr %2, i64 %185
  %187 = load i64, ptr %186, align 8
  %188 = or i64 %184, %187
  store i64 %188, ptr %186, align 8
  %189 = load ptr, ptr %0, align 8
  %190 = getelementptr inbounds %struct.thread, ptr %189, i64 %178, i32 3
  %191 = load i64, ptr %190, align 8
  %192 = call i32 @pthread_setaffinity_np(i64 noundef %191, i64 noundef 128, ptr noundef nonnull %2) #12
  call void @llvm.lifetime.end.p0(i64 128, ptr nonnull %2) #12
  %193 = add nuw nsw i64 %178, 1
  %194 = load i64, ptr %123, align 8
  %195 = icmp slt i64 %193, %194
  br i1 %195, label %177, label %196, !llvm.loop !9

196:
  %197 = getelementptr inbounds %struct.state, ptr %0, i64 0, i32 2
  store atomic i32 1, ptr %197 release, align 4
  br label %198

198:
  ret void
}

declare void @llvm.lifetime.end.p0(i64 immarg, ptr nocapture) #1

define hidden void @wmtune_parallel_for(ptr noundef %0, ptr noundef %1, i64 noundef %2) local_unnamed_addr #0 {
  %4 = alloca %struct.job, align 8
  call void @llvm.lifetime.start.p0(i64 16, ptr nonnull %4) #12
  store ptr %0, ptr %4, align 8
  %5 = getelementptr inbounds %struct.job, ptr %4, i64 0, i32 1
  store ptr %1, ptr %5, align 8
  %6 = icmp slt i64 %2, 1
  br i1 %6, label %205, label %7

7:
  %8 = icmp eq i64 %2, 1
  br i1 %8, label %204, label %9

9:
  %10 = tail call fastcc ptr @state()
  %11 = icmp eq ptr %10, null
  br i1 %11, label %204, label %12

12:
  %13 = getelementptr inbounds %struct.state, ptr %10, i64 0, i32 2
  %14 = load atomic i32, ptr %13 acquire, align 4
  %15 = icmp eq i32 %14, 0
  br i1 %15, label %16, label %17

16:
  tail call fastcc void @begin(ptr noundef nonnull %10)
  br label %17

17:
  %18 = load atomic i32, ptr %13 acquire, align 4
  %19 = icmp eq i32 %18, 0
  br i1 %19, label %204, label %20

20:
  %21 = getelementptr inbounds %struct.state, ptr %10, i64 0, i32 5
  %22 = getelementptr inbounds %struct.pool, ptr %10, i64 0, i32 3
  %23 = load i64, ptr %22, align 8
  %24 = tail call i64 @llvm.smin.i64(i64 %23, i64 %2)
  %25 = icmp slt i64 %24, 2
  br i1 %25, label %30, label %26

26:
  %27 = getelementptr inbounds %struct.pool, ptr %10, i64 0, i32 6
  %28 = atomicrmw xchg ptr %27, i32 1 acquire, align 4
  %29 = icmp eq i32 %28, 0
  br i1 %29, label %33, label %30

30:
  %31 = load ptr, ptr %4, align 8
  %32 = load ptr, ptr %5, align 8
  tail call void %31(ptr noundef %32, i64 noundef 0, i64 noundef %2) #12
  br label %205

33:
  %34 = getelementptr inbounds %struct.pool, ptr %10, i64 0, i32 4
  store i64 %24, ptr %34, align 8
  %35 = udiv i64 %2, %24
  %36 = urem i64 %2, %24
  br label %41

37:
  %38 = icmp sgt i64 %24, 1
  br i1 %38, label %39, label %56

39:
  %40 = getelementptr inbounds %struct.pool, ptr %10, i64 0, i32 5
  br label %129

41:
  %42 = phi i64 [ 0, %33 ], [ %54, %41 ]
  %43 = phi i64 [ 0, %33 ], [ %49, %41 ]
  %44 = load ptr, ptr %10, align 8
  %45 = icmp slt i64 %42, %36
  %46 = zext i1 %45 to i64
  %47 = add nsw i64 %35, %46
  %48 = getelementptr inbounds %struct.thread, ptr %44, i64 %42, i32 10
  store atomic i64 %43, ptr %48 monotonic, align 8
  %49 = add nsw i64 %47, %43
  %50 = getelementptr inbounds %struct.thread, ptr %44, i64 %42, i32 11
  store i64 %49, ptr %50, align 32
  %51 = add nsw i64 %47, 7
  %52 = lshr i64 %51, 3
  %53 = getelementptr inbounds %struct.thread, ptr %44, i64 %42, i32 12
  store i64 %52, ptr %53, align 8
  %54 = add nuw nsw i64 %42, 1
  %55 = icmp eq i64 %54, %24
  br i1 %55, label %37, label %41, !llvm.loop !10

56:
  %57 = load ptr, ptr %21, align 64
  %58 = call i64 @llvm.x86.rdtsc()
  %59 = getelementptr inbounds %struct.state, ptr %10, i64 0, i32 5, i64 0, i32 10
  %60 = getelementptr inbounds %struct.state, ptr %10, i64 0, i32 5, i64 0, i32 11
  %61 = load atomic i64, ptr %59 monotonic, align 8
  %62 = load i64, ptr %60, align 32
  %63 = icmp slt i64 %61, %62
  br i1 %63, label %64, label %81

64:
  %65 = getelementptr inbounds %struct.state, ptr %10, i64 0, i32 5, i64 0, i32 12
  br label %66

66:
  %67 = phi i64 [ %62, %64 ], [ %78, %77 ]
  %68 = load i64, ptr %65, align 8
  %69 = atomicrmw add ptr %59, i64 %68 monotonic, align 8
  %70 = icmp slt i64 %69, %67
  br i1 %70, label %71, label %77

71:
  %72 = add nsw i64 %69, %68
  %73 = call i64 @llvm.smin.i64(i64 %72, i64 %67)
  %74 = load ptr, ptr %4, align 8
  %75 = load ptr, ptr %5, align 8
  call void %74(ptr noundef %75, i64 noundef %69, i64 noundef %73) #12
  %76 = load i64, ptr %60, align 32
  br label %77

77:
  %78 = phi i64 [ %76, %71 ], [ %67, %66 ]
  %79 = load atomic i64, ptr %59 monotonic, align 8
  %80 = icmp slt i64 %79, %78
  br i1 %80, label %66, label %81, !llvm.loop !11

81:
  %82 = call i64 @llvm.x86.rdtsc()
  %83 = sub i64 %82, %58
  %84 = icmp ult i64 %83, 10000
  br i1 %84, label %128, label %85

85:
  %86 = getelementptr inbounds %struct.pool, ptr %57, i64 0, i32 4
  %87 = load i64, ptr %86, align 8
  %88 = icmp sgt i64 %87, 1
  br i1 %88, label %89, label %128

89:
  %90 = getelementptr inbounds %struct.state, ptr %10, i64 0, i32 5, i64 0, i32 2
  br label %91

91:
  %92 = phi i64 [ %87, %89 ], [ %123, %122 ]
  %93 = phi i64 [ 1, %89 ], [ %124, %122 ]
  %94 = load ptr, ptr %57, align 8
  %95 = load i64, ptr %90, align 16
  %96 = add nsw i64 %95, %93
  %97 = srem i64 %96, %92
  %98 = getelementptr inbounds %struct.thread, ptr %94, i64 %97, i32 10
  %99 = getelementptr inbounds %struct.thread, ptr %94, i64 %97, i32 11
  %100 = load atomic i64, ptr %98 monotonic, align 8
  %101 = load i64, ptr %99, align 32
  %102 = icmp slt i64 %100, %101
  br i1 %102, label %103, label %122

103:
  %104 = getelementptr inbounds %struct.thread, ptr %94, i64 %97, i32 12
  br label %105

105:
  %106 = phi i64 [ %101, %103 ], [ %117, %116 ]
  %107 = load i64, ptr %104, align 8
  %108 = atomicrmw add ptr %98, i64 %107 monotonic, align 8
  %109 = icmp slt i64 %108, %106
  br i1 %109, label %110, label %116

110:
  %111 = add nsw i64 %108, %107
  %112 = call i64 @llvm.smin.i64(i64 %111, i64 %106)
  %113 = load ptr, ptr %4, align 8
  %114 = load ptr, ptr %5, align 8
  call void %113(ptr noundef %114, i64 noundef %108, i64 noundef %112) #12
  %115 = load i64, ptr %99, align 32
  br label %116

116:
  %117 = phi i64 [ %115, %110 ], [ %106, %105 ]
  %118 = load atomic i64, ptr %98 monotonic, align 8
  %119 = icmp slt i64 %118, %117
  br i1 %119, label %105, label %120, !llvm.loop !11

120:
  %121 = load i64, ptr %86, align 8
  br label %122

122:
  %123 = phi i64 [ %121, %120 ], [ %92, %91 ]
  %124 = add nuw nsw i64 %93, 1
  %125 = icmp slt i64 %124, %123
  %126 = icmp ult i64 %93, 4
  %127 = and i1 %126, %125
  br i1 %127, label %91, label %128, !llvm.loop !12

128:
  br i1 %38, label %152, label %151

129:
  %130 = phi i64 [ 1, %39 ], [ %149, %148 ]
  %131 = load ptr, ptr %10, align 8
  %132 = getelementptr inbounds %struct.thread, ptr %131, i64 %130, i32 8
  store ptr @run, ptr %132, align 8
  %133 = getelementptr inbounds %struct.thread, ptr %131, i64 %130, i32 9
  store ptr %4, ptr %133, align 16
  %134 = load i32, ptr %40, align 8
  %135 = getelementptr inbounds %struct.thread, ptr %131, i64 %130, i32 13
  store i32 %134, ptr %135, align 16
  %136 = getelementptr inbounds %struct.thread, ptr %131, i64 %130, i32 6
  %137 = load atomic i32, ptr %136 monotonic, align 64
  %138 = and i32 %137, -4
  %139 = add i32 %138, 4
  store atomic i32 %139, ptr %136 release, align 64
  %140 = getelementptr inbounds %struct.thread, ptr %131, i64 %130, i32 7
  %141 = load atomic i32, ptr %140 monotonic, align 4
  %142 = icmp eq i32 %141, 0
  br i1 %142, label %148, label %143

143:
  %144 = atomicrmw xchg ptr %140, i32 0 seq_cst, align 4
  %145 = icmp eq i32 %144, 0
  br i1 %145, label %148, label %146

146:
  %147 = call i64 (i64, ...) @syscall(i64 noundef 202, ptr noundef nonnull %136, i32 noundef 129, i32 noundef 1, ptr noundef null, ptr noundef null, i32 noundef 0) #12
  br label %148

148:
  %149 = add nuw nsw i64 %130, 1
  %150 = icmp eq i64 %149, %24
  br i1 %150, label %56, label %129, !llvm.loop !13

151:
  store atomic i32 0, ptr %27 release, align 4
  br label %205

152:
  %153 = phi i64 [ %202, %201 ], [ 1, %128 ]
  %154 = load ptr, ptr %10, align 8
  %155 = getelementptr inbounds %struct.thread, ptr %154, i64 %153, i32 6
  %156 = load atomic i32, ptr %155 acquire, align 64
  %157 = and i32 %156, 3
  %158 = icmp eq i32 %157, 0
  br i1 %158, label %163, label %159

159:
  %160 = load atomic i32, ptr %155 acquire, align 64
  %161 = and i32 %160, 3
  %162 = icmp eq i32 %161, 2
  br i1 %162, label %201, label %190

163:
  %164 = add nuw i32 %156, 2
  %165 = cmpxchg ptr %155, i32 %156, i32 %164 seq_cst seq_cst, align 4
  %166 = extractvalue { i32, i1 } %165, 1
  br i1 %166, label %167, label %159

167:
  %168 = getelementptr inbounds %struct.thread, ptr %154, i64 %153, i32 10
  %169 = getelementptr inbounds %struct.thread, ptr %154, i64 %153, i32 11
  %170 = load atomic i64, ptr %168 monotonic, align 8
  %171 = load i64, ptr %169, align 32
  %172 = icmp slt i64 %170, %171
  br i1 %172, label %173, label %201

173:
  %174 = getelementptr inbounds %struct.thread, ptr %154, i64 %153, i32 12
  br label %175

175:
  %176 = phi i64 [ %171, %173 ], [ %187, %186 ]
  %177 = load i64, ptr %174, align 8
  %178 = atomicrmw add ptr %168, i64 %177 monotonic, align 8
  %179 = icmp slt i64 %178, %176
  br i1 %179, label %180, label %186

180:
  %181 = add nsw i64 %178, %177
  %182 = call i64 @llvm.smin.i64(i64 %181, i64 %176)
  %183 = load ptr, ptr %4, align 8
  %184 = load ptr, ptr %5, align 8
  call void %183(ptr noundef %184, i64 noundef %178, i64 noundef %182) #12
  %185 = load i64, ptr %169, align 32
  br label %186

186:
  %187 = phi i64 [ %185, %180 ], [ %176, %175 ]
  %188 = load atomic i64, ptr %168 monotonic, align 8
  %189 = icmp slt i64 %188, %187
  br i1 %189, label %175, label %201, !llvm.loop !11

190:
  %191 = phi i32 [ %197, %196 ], [ 0, %159 ]
  %192 = icmp ult i32 %191, 2000
  br i1 %192, label %193, label %194

193:
  call void @llvm.x86.sse2.pause()
  br label %196

194:
  %195 = call i32 @sched_yield() #12
  br label %196

196:
  %197 = add i32 %191, 1
  %198 = load atomic i32, ptr %155 acquire, align 64
  %199 = and i32 %198, 3
  %200 = icmp eq i32 %199, 2
  br i1 %200, label %201, label %190, !llvm.loop !14

201:
  %202 = add nuw nsw i64 %153, 1
  %203 = icmp eq i64 %202, %24
  br i1 %203, label %151, label %152, !llvm.loop !15

204:
  tail call void %0(ptr noundef %1, i64 noundef 0, i64 noundef %2) #12
  br label %205

205:
  call void @llvm.lifetime.end.p0(i64 16, ptr nonnull %4) #12
  ret void
}

define internal void @run(ptr nocapture readnone %0, ptr nocapture noundef readonly %1, i64 noundef %2, i64 noundef %3) #0 {
  %5 = load ptr, ptr %1, align 8
  %6 = getelementptr inbounds %struct.job, ptr %1, i64 0, i32 1
  %7 = load ptr, ptr %6, align 8
  tail call void %5(ptr noundef %7, i64 noundef %2, i64 noundef %3) #12
  ret void
}

define hidden ptr @wmtune_alloc(i64 noundef %0) local_unnamed_addr #0 {
  %2 = icmp sgt i64 %0, 0
  %3 = add nuw nsw i64 %0, 63
  %4 = and i64 %3, -64
  %5 = select i1 %2, i64 %4, i64 64
  %6 = load i32, ptr @wmtune_guard_blocks, align 4
  %7 = icmp eq i32 %6, 0
  br i1 %7, label %21, label %8

8:
  %9 = add nuw nsw i64 %5, 4095
  %10 = and i64 %9, -4096
  %11 = add nuw nsw i64 %10, 8192
  %12 = tail call ptr @mmap(ptr noundef null, i64 noundef %11, i32 noundef 3, i32 noundef 34, i32 noundef -1, i64 noundef 0) #12
  %13 = icmp eq ptr %12, inttoptr (i64 -1 to ptr)
  br i1 %13, label %24, label %14

14:
  %15 = getelementptr inbounds i8, ptr %12, i64 4096
  %16 = getelementptr inbounds i8, ptr %15, i64 %10
  store i64 %11, ptr %12, align 8
  tail call void @llvm.memset.p0.i64(ptr nonnull align 1 %15, i8 -1, i64 %10, i1 false)
  %17 = tail call i32 @mprotect(ptr noundef nonnull %12, i64 noundef 4096, i32 noundef 1) #12
  %18 = tail call i32 @mprotect(ptr noundef nonnull %16, i64 noundef 4096, i32 noundef 0) #12
  %19 = sub nsw i64 0, %5
  %20 = getelementptr inbounds i8, ptr %16, i64 %19
  br label %26

21:
  %22 = tail call noalias align 64 ptr @aligned_alloc(i64 noundef 64, i64 noundef %5) #15
  %23 = icmp eq ptr %22, null
  br i1 %23, label %24, label %26

24:
  %25 = tail call i32 (i32, ptr, ...) @dprintf(i32 noundef 2, ptr noundef nonnull @.str, i64 noundef %0) #12
  tail call void @abort() #16
  unreachable

26:
  %27 = phi ptr [ %20, %14 ], [ %22, %21 ]
  ret ptr %27
}

declare noalias noundef ptr @aligned_alloc(i64 allocalign noundef, i64 noundef) local_unnamed_addr #3

declare i32 @dprintf(i32 noundef, ptr noundef, ...) local_unnamed_addr #4

declare void @abort() local_unnamed_addr #5

define hidden void @wmtune_free(ptr noundef %0) local_unnamed_addr #0 {
  %2 = load i32, ptr @wmtune_guard_blocks, align 4
  %3 = icmp ne i32 %2, 0
  %4 = icmp ne ptr %0, null
  %5 = and i1 %4, %3
  br i1 %5, label %7, label %6

6:
  tail call void @free(ptr noundef %0) #12
  br label %14

7:
  %8 = ptrtoint ptr %0 to i64
  %9 = and i64 %8, -4096
  %10 = inttoptr i64 %9 to ptr
  %11 = getelementptr inbounds i8, ptr %10, i64 -4096
  %12 = load i64, ptr %11, align 4096
  %13 = tail call i32 @munmap(ptr noundef nonnull %11, i64 noundef %12) #12
  br label %14

14:
  ret void
}

declare void @free(ptr allocptr nocapture noundef) local_unnamed_addr #6

declare i32 @munmap(ptr noundef, i64 noundef) local_unnamed_addr #7

define hidden void @wmtune_repeat(ptr nocapture noundef readonly %0, ptr noundef %1, i64 noundef %2) local_unnamed_addr #0 {
  %4 = icmp sgt i64 %2, 0
  br i1 %4, label %6, label %5

5:
  ret void

6:
  %7 = phi i64 [ %8, %6 ], [ 0, %3 ]
  tail call void %0(ptr noundef %1) #12
  %8 = add nuw nsw i64 %7, 1
  %9 = icmp eq i64 %8, %2
  br i1 %9, label %5, label %6, !llvm.loop !16
}

declare i32 @getpid() local_unnamed_addr #7

declare ptr @mmap(ptr noundef, i64 noundef, i32 noundef, i32 noundef, i32 noundef, i64 noundef) local_unnamed_addr #7

declare i32 @madvise(ptr noundef, i64 noundef, i32 noundef) local_unnamed_addr #7

declare void @llvm.memset.p0.i64(ptr nocapture writeonly, i8, i64, i1 immarg) #8

declare i32 @sched_getaffinity(i32 noundef, i64 noundef, ptr noundef) local_unnamed_addr #7

declare i64 @llvm.ctpop.i64(i64) #9

declare noundef i32 @open(ptr nocapture noundef readonly, i32 noundef, ...) local_unnamed_addr #10

declare noundef i64 @read(i32 noundef, ptr nocapture noundef, i64 noundef) local_unnamed_addr #10

declare i32 @close(i32 noundef) local_unnamed_addr #4

declare i64 @strtoll(ptr noundef readonly, ptr nocapture noundef, i32 noundef) local_unnamed_addr #11

declare i32 @pthread_attr_init(ptr noundef) local_unnamed_addr #7

declare i32 @pthread_attr_setstacksize(ptr noundef, i64 noundef) local_unnamed_addr #7

declare i32 @sigfillset(ptr noundef) local_unnamed_addr #7

declare i32 @sigdelset(ptr noundef, i32 noundef) local_unnamed_addr #7

declare i32 @pthread_sigmask(i32 noundef, ptr noundef, ptr noundef) local_unnamed_addr #7

declare i32 @pthread_create(ptr noundef, ptr noundef, ptr noundef, ptr noundef) local_unnamed_addr #7

define internal noalias ptr @work(ptr noundef %0) #0 {
  %2 = alloca %struct.timespec, align 8
  %3 = alloca i32, align 4
  %4 = alloca i32, align 4
  %5 = getelementptr inbounds %struct.thread, ptr %0, i64 0, i32 6
  %6 = getelementptr inbounds %struct.timespec, ptr %2, i64 0, i32 1
  %7 = getelementptr inbounds %struct.thread, ptr %0, i64 0, i32 7
  %8 = getelementptr inbounds %struct.thread, ptr %0, i64 0, i32 13
  %9 = getelementptr inbounds %struct.thread, ptr %0, i64 0, i32 8
  %10 = getelementptr inbounds %struct.thread, ptr %0, i64 0, i32 9
  %11 = getelementptr inbounds %struct.thread, ptr %0, i64 0, i32 4
  br label %12

12:
  %13 = phi i32 [ 2, %1 ], [ %49, %48 ]
  %14 = load atomic i32, ptr %5 acquire, align 64
  %15 = icmp eq i32 %14, %13
  br i1 %15, label %16, label %45

16:
  %17 = phi i64 [ %41, %39 ], [ 0, %12 ]
  %18 = phi i32 [ %42, %39 ], [ 1, %12 ]
  %19 = icmp ult i32 %18, 2000
  br i1 %19, label %20, label %21

20:
  call void @llvm.x86.sse2.pause()
  br label %23

21:
  %22 = call i32 @sched_yield() #12
  br label %23

23:
  %24 = phi i32 [ 255, %20 ], [ 15, %21 ]
  %25 = and i32 %24, %18
  %26 = icmp eq i32 %25, 0
  br i1 %26, label %27, label %39

27:
  call void @llvm.lifetime.start.p0(i64 16, ptr nonnull %2) #12
  %28 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %2) #12
  %29 = load i64, ptr %2, align 8
  %30 = mul nsw i64 %29, 1000000000
  %31 = load i64, ptr %6, align 8
  %32 = add nsw i64 %30, %31
  call void @llvm.lifetime.end.p0(i64 16, ptr nonnull %2) #12
  %33 = icmp eq i64 %17, 0
  %34 = select i1 %33, i64 %32, i64 %17
  %35 = sub nsw i64 %32, %34
  %36 = icmp slt i64 %35, 1000000
  br i1 %36, label %39, label %37

37:
  store atomic i32 1, ptr %7 seq_cst, align 4
  %38 = call i64 (i64, ...) @syscall(i64 noundef 202, ptr noundef nonnull %5, i32 noundef 128, i32 noundef %13, ptr noundef null, ptr noundef null, i32 noundef 0) #12
  store atomic i32 0, ptr %7 seq_cst, align 4
  br label %39

39:
  %40 = phi i32 [ %18, %27 ], [ 0, %37 ], [ %18, %23 ]
  %41 = phi i64 [ %34, %27 ], [ 0, %37 ], [ %17, %23 ]
  %42 = add i32 %40, 1
  %43 = load atomic i32, ptr %5 acquire, align 64
  %44 = icmp eq i32 %43, %13
  br i1 %44, label %16, label %45, !llvm.loop !17

45:
  %46 = phi i32 [ %14, %12 ], [ %43, %39 ]
  %47 = and i32 %46, 3
  switch i32 %47, label %48 [
    i32 3, label %50
    i32 0, label %51
  ]

48:
  %49 = phi i32 [ %62, %55 ], [ %46, %51 ], [ %46, %45 ]
  br label %12, !llvm.loop !18

50:
  ret ptr null

51:
  %52 = add nuw i32 %46, 1
  %53 = cmpxchg ptr %5, i32 %46, i32 %52 seq_cst seq_cst, align 4
  %54 = extractvalue { i32, i1 } %53, 1
  br i1 %54, label %55, label %48

55:
  %56 = load i32, ptr %8, align 16
  store i32 %56, ptr %3, align 4
  call void @llvm.x86.sse.ldmxcsr(ptr nonnull %3)
  %57 = load ptr, ptr %9, align 8
  %58 = load ptr, ptr %10, align 16
  call fastcc void @share(ptr noundef nonnull %0, ptr noundef %57, ptr noundef %58)
  call void @llvm.x86.sse.stmxcsr(ptr nonnull %4)
  %59 = load i32, ptr %4, align 4
  %60 = load i32, ptr %11, align 32
  %61 = or i32 %60, %59
  store i32 %61, ptr %11, align 32
  %62 = add i32 %46, 2
  store atomic i32 %62, ptr %5 release, align 64
  br label %48
}

declare i32 @pthread_attr_destroy(ptr noundef) local_unnamed_addr #7

declare void @llvm.x86.sse.ldmxcsr(ptr) #12

define internal fastcc void @share(ptr noundef %0, ptr nocapture noundef readonly %1, ptr noundef %2) unnamed_addr #0 {
  %4 = load ptr, ptr %0, align 64
  %5 = tail call i64 @llvm.x86.rdtsc()
  %6 = getelementptr inbounds %struct.thread, ptr %0, i64 0, i32 10
  %7 = getelementptr inbounds %struct.thread, ptr %0, i64 0, i32 11
  %8 = load atomic i64, ptr %6 monotonic, align 8
  %9 = load i64, ptr %7, align 32
  %10 = icmp slt i64 %8, %9
  br i1 %10, label %11, label %26

11:
  %12 = getelementptr inbounds %struct.thread, ptr %0, i64 0, i32 12
  br label %13

13:
  %14 = phi i64 [ %9, %11 ], [ %23, %22 ]
  %15 = load i64, ptr %12, align 8
  %16 = atomicrmw add ptr %6, i64 %15 monotonic, align 8
  %17 = icmp slt i64 %16, %14
  br i1 %17, label %18, label %22

18:
  %19 = add nsw i64 %16, %15
  %20 = tail call i64 @llvm.smin.i64(i64 %19, i64 %14)
  tail call void %1(ptr noundef nonnull %0, ptr noundef %2, i64 noundef %16, i64 noundef %20) #12
  %21 = load i64, ptr %7, align 32
  br label %22

22:
  %23 = phi i64 [ %21, %18 ], [ %14, %13 ]
  %24 = load atomic i64, ptr %6 monotonic, align 8
  %25 = icmp slt i64 %24, %23
  br i1 %25, label %13, label %26, !llvm.loop !11

26:
  %27 = tail call i64 @llvm.x86.rdtsc()
  %28 = sub i64 %27, %5
  %29 = icmp ult i64 %28, 10000
  br i1 %29, label %71, label %30

30:
  %31 = getelementptr inbounds %struct.pool, ptr %4, i64 0, i32 4
  %32 = load i64, ptr %31, align 8
  %33 = icmp sgt i64 %32, 1
  br i1 %33, label %34, label %71

34:
  %35 = getelementptr inbounds %struct.thread, ptr %0, i64 0, i32 2
  br label %36

36:
  %37 = phi i64 [ %32, %34 ], [ %66, %65 ]
  %38 = phi i64 [ 1, %34 ], [ %67, %65 ]
  %39 = load ptr, ptr %4, align 8
  %40 = load i64, ptr %35, align 16
  %41 = add nsw i64 %40, %38
  %42 = srem i64 %41, %37
  %43 = getelementptr inbounds %struct.thread, ptr %39, i64 %42, i32 10
  %44 = getelementptr inbounds %struct.thread, ptr %39, i64 %42, i32 11
  %45 = load atomic i64, ptr %43 monotonic, align 8
  %46 = load i64, ptr %44, align 32
  %47 = icmp slt i64 %45, %46
  br i1 %47, label %48, label %65

48:
  %49 = getelementptr inbounds %struct.thread, ptr %39, i64 %42, i32 12
  br label %50

50:
  %51 = phi i64 [ %46, %48 ], [ %60, %59 ]
  %52 = load i64, ptr %49, align 8
  %53 = atomicrmw add ptr %43, i64 %52 monotonic, align 8
  %54 = icmp slt i64 %53, %51
  br i1 %54, label %55, label %59

55:
  %56 = add nsw i64 %53, %52
  %57 = tail call i64 @llvm.smin.i64(i64 %56, i64 %51)
  tail call void %1(ptr noundef nonnull %0, ptr noundef %2, i64 noundef %53, i64 noundef %57) #12
  %58 = load i64, ptr %44, align 32
  br label %59

59:
  %60 = phi i64 [ %58, %55 ], [ %51, %50 ]
  %61 = load atomic i64, ptr %43 monotonic, align 8
  %62 = icmp slt i64 %61, %60
  br i1 %62, label %50, label %63, !llvm.loop !11

63:
  %64 = load i64, ptr %31, align 8
  br label %65

65:
  %66 = phi i64 [ %64, %63 ], [ %37, %36 ]
  %67 = add nuw nsw i64 %38, 1
  %68 = icmp slt i64 %67, %66
  %69 = icmp ult i64 %38, 4
  %70 = and i1 %69, %68
  br i1 %70, label %36, label %71, !llvm.loop !12

71:
  ret void
}

declare void @llvm.x86.sse.stmxcsr(ptr) #13

declare void @llvm.x86.sse2.pause() #12

declare i32 @sched_yield() local_unnamed_addr #7

declare i32 @clock_gettime(i32 noundef, ptr noundef) local_unnamed_addr #7

declare i64 @syscall(i64 noundef, ...) local_unnamed_addr #7

declare i64 @llvm.x86.rdtsc() #12

declare i32 @pthread_setaffinity_np(i64 noundef, i64 noundef, ptr noundef) local_unnamed_addr #7

declare i32 @mprotect(ptr noundef, i64 noundef, i32 noundef) local_unnamed_addr #7

declare i64 @llvm.smin.i64(i64, i64) #14

attributes #0 = { nounwind "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind willreturn memory(argmem: readwrite) }
attributes #2 = { mustprogress nocallback nofree nounwind willreturn memory(argmem: readwrite) }
attributes #3 = { mustprogress nofree nounwind willreturn allockind("alloc,uninitialized,aligned") allocsize(1) memory(inaccessiblemem: readwrite) "alloc-family"="malloc" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #4 = { "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #5 = { noreturn nounwind "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #6 = { mustprogress nounwind willreturn allockind("free") memory(argmem: readwrite, inaccessiblemem: readwrite) "alloc-family"="malloc" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #7 = { nounwind "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #8 = { mustprogress nocallback nofree nounwind willreturn memory(argmem: write) }
attributes #9 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #10 = { nofree "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #11 = { mustprogress nofree nounwind willreturn "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #12 = { nounwind }
attributes #13 = { nounwind memory(argmem: write) }
attributes #14 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #15 = { nounwind allocsize(1) }
attributes #16 = { noreturn nounwind }

!llvm.module.flags = !{!0, !1}

!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 8, !"PIC Level", i32 2}
!2 = !{i64 0, i64 65}
!3 = distinct !{!3, !4, !5}
!4 = !{!"llvm.loop.mustprogress"}
!5 = !{!"llvm.loop.unroll.disable"}
!6 = distinct !{!6, !4, !5}
!7 = distinct !{!7, !4, !5}
!8 = distinct !{!8, !4, !5}
!9 = distinct !{!9, !4, !5}
!10 = distinct !{!10, !4, !5}
!11 = distinct !{!11, !4, !5}
!12 = distinct !{!12, !4, !5}
!13 = distinct !{!13, !4, !5}
!14 = distinct !{!14, !4, !5}
!15 = distinct !{!15, !4, !5}
!16 = distinct !{!16, !4, !5}
!17 = distinct !{!17, !5}
!18 = distinct !{!18, !5}
