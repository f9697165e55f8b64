; 759cca2361648efc14378d20a83d161418aa44ad3f75fa05a561d8f98fe34013 of pool.h, processor.h, runtime.c; by runtime.sh
target triple = "x86_64-pc-linux-gnu"

%struct.state = type { %struct.pool, i32, i32, %struct.atomic_flag, i64, i64, [64 x %struct.kept], i32, [28 x i8], [256 x %struct.thread] }
%struct.pool = type { ptr, i64, i64, i64, i32, i32, i32, ptr, i32 }
%struct.atomic_flag = type { i8 }
%struct.kept = type { ptr, i64, i64 }
%struct.thread = type { ptr, ptr, i64, i64, i32, i32, [24 x i8], i32, i32, ptr, ptr, i64, i64, i64, i32, i32, i32 }
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
@.str.1 = private unnamed_addr constant [18 x i8] c"/proc/self/cgroup\00", align 1
@.str.2 = private unnamed_addr constant [15 x i8] c"/sys/fs/cgroup\00", align 1
@.str.3 = private unnamed_addr constant [5 x i8] c"/cpu\00", align 1
@.str.4 = private unnamed_addr constant [13 x i8] c"/cpu,cpuacct\00", align 1
@.str.5 = private unnamed_addr constant [9 x i8] c"/unified\00", align 1
@.str.6 = private unnamed_addr constant [1 x i8] zeroinitializer, align 1
@__const.quota.folders = private unnamed_addr constant [4 x ptr] [ptr @.str.3, ptr @.str.4, ptr @.str.5, ptr @.str.6], align 16
@.str.7 = private unnamed_addr constant [4 x i8] c"cpu\00", align 1
@climb.max = internal unnamed_addr constant [9 x i8] c"/cpu.max\00", align 1
@climb.quota = internal unnamed_addr constant [18 x i8] c"/cpu.cfs_quota_us\00", align 16
@climb.period = internal unnamed_addr constant [19 x i8] c"/cpu.cfs_period_us\00", align 16
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
  %5 = getelementptr inbounds %struct.state, ptr %2, i64 0, i32 7
  %6 = load i32, ptr %5, align 32
  %7 = icmp eq i32 %6, 0
  br i1 %7, label %28, label %8

8:
  %9 = tail call i32 @getpid() #12
  %10 = icmp eq i32 %6, %9
  br i1 %10, label %28, label %11

11:
  %12 = tail call ptr @mmap(ptr noundef null, i64 noundef 34432, i32 noundef 3, i32 noundef 34, i32 noundef -1, i64 noundef 0) #12
  %13 = icmp eq ptr %12, inttoptr (i64 -1 to ptr)
  br i1 %13, label %28, label %14

14:
  %15 = tail call i32 @madvise(ptr noundef %12, i64 noundef 34432, i32 noundef 18) #12
  %16 = icmp eq i32 %15, 0
  br i1 %16, label %20, label %17

17:
  %18 = tail call i32 @getpid() #12
  %19 = getelementptr inbounds %struct.state, ptr %12, i64 0, i32 7
  store i32 %18, ptr %19, align 32
  br label %20

20:
  %21 = ptrtoint ptr %12 to i64
  %22 = cmpxchg ptr @known, i64 %1, i64 %21 seq_cst seq_cst, align 8
  %23 = extractvalue { i64, i1 } %22, 1
  br i1 %23, label %28, label %24

24:
  %25 = extractvalue { i64, i1 } %22, 0
  %26 = inttoptr i64 %25 to ptr
  %27 = tail call i32 @munmap(ptr noundef %12, i64 noundef 34432) #12
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
  %6 = alloca [4096 x i8], align 16
  %7 = alloca [1024 x i8], align 16
  %8 = alloca [16 x i64], align 16
  %9 = getelementptr inbounds %struct.state, ptr %0, i64 0, i32 1
  %10 = cmpxchg ptr %9, i32 0, i32 1 seq_cst seq_cst, align 4
  %11 = extractvalue { i32, i1 } %10, 1
  br i1 %11, label %12, label %221

12:
  %13 = getelementptr inbounds %struct.state, ptr %0, i64 0, i32 9
  store ptr %13, ptr %0, align 8
  %14 = load i64, ptr @wanted, align 8
  %15 = icmp sgt i64 %14, 0
  br i1 %15, label %16, label %18

16:
  %17 = getelementptr inbounds %struct.pool, ptr %0, i64 0, i32 1
  store i64 %14, ptr %17, align 8
  br label %134

18:
  call void @llvm.lifetime.start.p0(i64 128, ptr nonnull %8) #12
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 16 dereferenceable(128) %8, i8 0, i64 128, i1 false)
  call void @llvm.lifetime.start.p0(i64 4096, ptr nonnull %6) #12
  call void @llvm.lifetime.start.p0(i64 1024, ptr nonnull %7) #12
  %19 = tail call i32 (ptr, i32, ...) @open(ptr noundef nonnull @.str.1, i32 noundef 524288) #12
  %20 = icmp slt i32 %19, 0
  br i1 %20, label %116, label %21

21:
  %22 = phi i64 [ %27, %21 ], [ 0, %18 ]
  %23 = getelementptr inbounds i8, ptr %6, i64 %22
  %24 = sub i64 4096, %22
  %25 = call i64 @read(i32 noundef %19, ptr noundef nonnull %23, i64 noundef %24) #12
  %26 = icmp sgt i64 %25, 0
  %27 = add i64 %25, %22
  br i1 %26, label %21, label %28, !llvm.loop !2

28:
  %29 = tail call i32 @close(i32 noundef %19) #12
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 16 dereferenceable(14) %7, ptr noundef nonnull align 1 dereferenceable(14) @.str.2, i64 14, i1 false)
  %30 = ptrtoint ptr %23 to i64
  %31 = call ptr @memchr(ptr noundef nonnull %6, i32 noundef 10, i64 noundef %22) #18
  %32 = icmp eq ptr %31, null
  br i1 %32, label %116, label %33

33:
  %34 = ptrtoint ptr %6 to i64
  %35 = getelementptr inbounds i8, ptr %7, i64 14
  %36 = getelementptr inbounds i8, ptr %7, i64 15
  br label %37

37:
  %38 = phi ptr [ %31, %33 ], [ %114, %109 ]
  %39 = phi i64 [ %34, %33 ], [ %112, %109 ]
  %40 = phi i64 [ 64, %33 ], [ %110, %109 ]
  %41 = phi ptr [ %6, %33 ], [ %111, %109 ]
  %42 = ptrtoint ptr %38 to i64
  %43 = sub i64 %42, %39
  %44 = call ptr @memchr(ptr noundef nonnull %41, i32 noundef 58, i64 noundef %43) #18
  %45 = icmp eq ptr %44, null
  br i1 %45, label %109, label %46

46:
  %47 = getelementptr inbounds i8, ptr %44, i64 1
  %48 = ptrtoint ptr %44 to i64
  %49 = xor i64 %48, -1
  %50 = add i64 %49, %42
  %51 = call ptr @memchr(ptr noundef nonnull %47, i32 noundef 58, i64 noundef %50) #18
  %52 = getelementptr inbounds i8, ptr %51, i64 1
  %53 = icmp eq ptr %51, null
  br i1 %53, label %109, label %54

54:
  %55 = load i8, ptr %52, align 1
  %56 = icmp eq i8 %55, 47
  br i1 %56, label %57, label %109

57:
  %58 = ptrtoint ptr %52 to i64
  %59 = sub i64 %58, %48
  %60 = add nsw i64 %59, -2
  %61 = sub i64 %42, %58
  %62 = icmp eq i64 %60, 0
  br i1 %62, label %87, label %63

63:
  %64 = icmp ugt i64 %60, 2
  br i1 %64, label %65, label %109

65:
  %66 = phi i64 [ %85, %83 ], [ 3, %63 ]
  %67 = phi i64 [ %84, %83 ], [ 0, %63 ]
  %68 = getelementptr inbounds i8, ptr %47, i64 %67
  %69 = call i32 @bcmp(ptr noundef nonnull dereferenceable(3) %68, ptr noundef nonnull dereferenceable(3) @.str.7, i64 3)
  %70 = icmp eq i32 %69, 0
  br i1 %70, label %71, label %83

71:
  %72 = icmp eq i64 %67, 0
  br i1 %72, label %77, label %73

73:
  %74 = getelementptr inbounds i8, ptr %44, i64 %67
  %75 = load i8, ptr %74, align 1
  %76 = icmp eq i8 %75, 44
  br i1 %76, label %77, label %83

77:
  %78 = icmp eq i64 %66, %60
  br i1 %78, label %87, label %79

79:
  %80 = getelementptr inbounds i8, ptr %47, i64 %66
  %81 = load i8, ptr %80, align 1
  %82 = icmp eq i8 %81, 44
  br i1 %82, label %87, label %83

83:
  %84 = add i64 %67, 1
  %85 = add i64 %67, 4
  %86 = icmp ugt i64 %85, %60
  br i1 %86, label %109, label %65, !llvm.loop !5

87:
  %88 = phi i64 [ 4, %57 ], [ 2, %77 ], [ 2, %79 ]
  %89 = phi i64 [ 2, %57 ], [ 0, %77 ], [ 0, %79 ]
  %90 = icmp ne i64 %60, 0
  %91 = zext i1 %90 to i32
  br label %95

92:
  %93 = add i64 %59, -3
  %94 = icmp ult i64 %93, 254
  br i1 %94, label %105, label %109

95:
  %96 = phi i64 [ %89, %87 ], [ %103, %95 ]
  %97 = phi i64 [ %40, %87 ], [ %102, %95 ]
  %98 = getelementptr inbounds [4 x ptr], ptr @__const.quota.folders, i64 0, i64 %96
  %99 = load ptr, ptr %98, align 8
  %100 = call i64 @strlen(ptr noundef nonnull dereferenceable(1) %99) #18
  %101 = add i64 %100, 1
  call void @llvm.memcpy.p0.p0.i64(ptr nonnull align 2 %35, ptr align 1 %99, i64 %101, i1 false)
  %102 = call fastcc i64 @climb(ptr noundef nonnull %7, ptr noundef nonnull %52, i64 noundef %61, i32 noundef %91, i64 noundef %97)
  %103 = add nuw nsw i64 %96, 1
  %104 = icmp eq i64 %103, %88
  br i1 %104, label %92, label %95, !llvm.loop !6

105:
  store i8 47, ptr %35, align 2
  call void @llvm.memcpy.p0.p0.i64(ptr nonnull align 1 %36, ptr nonnull align 1 %47, i64 %60, i1 false)
  %106 = add nuw nsw i64 %59, 13
  %107 = getelementptr inbounds [1024 x i8], ptr %7, i64 0, i64 %106
  store i8 0, ptr %107, align 1
  %108 = call fastcc i64 @climb(ptr noundef nonnull %7, ptr noundef nonnull %52, i64 noundef %61, i32 noundef 1, i64 noundef %102)
  br label %109

109:
  %110 = phi i64 [ %40, %54 ], [ %40, %46 ], [ %108, %105 ], [ %102, %92 ], [ %40, %37 ], [ %40, %63 ], [ %40, %83 ]
  %111 = getelementptr inbounds i8, ptr %38, i64 1
  %112 = ptrtoint ptr %111 to i64
  %113 = sub i64 %30, %112
  %114 = call ptr @memchr(ptr noundef nonnull %111, i32 noundef 10, i64 noundef %113) #18
  %115 = icmp eq ptr %114, null
  br i1 %115, label %116, label %37, !llvm.loop !7

116:
  %117 = phi i64 [ 64, %18 ], [ 64, %28 ], [ %110, %109 ]
  call void @llvm.lifetime.end.p0(i64 1024, ptr nonnull %7) #12
  call void @llvm.lifetime.end.p0(i64 4096, ptr nonnull %6) #12
  %118 = call i32 @sched_getaffinity(i32 noundef 0, i64 noundef 128, ptr noundef nonnull %8) #12
  br label %119

119:
  %120 = phi i64 [ 0, %116 ], [ %126, %119 ]
  %121 = phi i64 [ 0, %116 ], [ %125, %119 ]
  %122 = getelementptr inbounds [16 x i64], ptr %8, i64 0, i64 %120
  %123 = load i64, ptr %122, align 8
  %124 = call i64 @llvm.ctpop.i64(i64 %123), !range !8
  %125 = add nuw nsw i64 %124, %121
  %126 = add nuw nsw i64 %120, 1
  %127 = icmp eq i64 %126, 16
  br i1 %127, label %128, label %119, !llvm.loop !9

128:
  %129 = icmp eq i64 %125, 0
  %130 = select i1 %129, i64 1, i64 %125
  %131 = call i64 @llvm.smin.i64(i64 %130, i64 %117)
  call void @llvm.lifetime.end.p0(i64 128, ptr nonnull %8) #12
  %132 = getelementptr inbounds %struct.pool, ptr %0, i64 0, i32 1
  store i64 %131, ptr %132, align 8
  %133 = icmp sgt i64 %131, 0
  br i1 %133, label %134, label %136

134:
  %135 = phi ptr [ %17, %16 ], [ %132, %128 ]
  br label %188

136:
  %137 = phi ptr [ %132, %128 ], [ %135, %188 ]
  call void @llvm.lifetime.start.p0(i64 128, ptr nonnull %3) #12
  call void @llvm.lifetime.start.p0(i64 128, ptr nonnull %4) #12
  call void @llvm.lifetime.start.p0(i64 56, ptr nonnull %5) #12
  %138 = call i32 @getpid() #12
  %139 = getelementptr inbounds %struct.pool, ptr %0, i64 0, i32 8
  store i32 %138, ptr %139, align 8
  %140 = getelementptr inbounds %struct.pool, ptr %0, i64 0, i32 7
  %141 = load ptr, ptr %140, align 8
  %142 = icmp eq ptr %141, null
  br i1 %142, label %144, label %143

143:
  store atomic i32 1, ptr %141 seq_cst, align 4
  br label %144

144:
  %145 = getelementptr inbounds %struct.pool, ptr %0, i64 0, i32 3
  store i64 1, ptr %145, align 8
  %146 = getelementptr inbounds %struct.pool, ptr %0, i64 0, i32 2
  store i64 1, ptr %146, align 8
  %147 = getelementptr inbounds %struct.pool, ptr %0, i64 0, i32 5
  store atomic i32 0, ptr %147 seq_cst, align 4
  %148 = load i64, ptr %137, align 8
  %149 = icmp slt i64 %148, 2
  br i1 %149, label %186, label %150

150:
  %151 = call i32 @pthread_attr_init(ptr noundef nonnull %5) #12
  %152 = icmp eq i32 %151, 0
  br i1 %152, label %153, label %186

153:
  %154 = call i32 @pthread_attr_setstacksize(ptr noundef nonnull %5, i64 noundef 2097152) #12
  %155 = call i32 @sigfillset(ptr noundef nonnull %3) #12
  br label %161

156:
  %157 = call i32 @pthread_sigmask(i32 noundef 2, ptr noundef nonnull %3, ptr noundef nonnull %4) #12
  %158 = load i64, ptr %146, align 8
  %159 = load i64, ptr %137, align 8
  %160 = icmp slt i64 %158, %159
  br i1 %160, label %168, label %182

161:
  %162 = phi i64 [ 0, %153 ], [ %166, %161 ]
  %163 = getelementptr inbounds [7 x i32], ptr @__const.start.faults, i64 0, i64 %162
  %164 = load i32, ptr %163, align 4
  %165 = call i32 @sigdelset(ptr noundef nonnull %3, i32 noundef %164) #12
  %166 = add nuw nsw i64 %162, 1
  %167 = icmp eq i64 %166, 7
  br i1 %167, label %156, label %161, !llvm.loop !10

168:
  %169 = phi i64 [ %179, %178 ], [ %158, %156 ]
  %170 = load ptr, ptr %0, align 8
  %171 = getelementptr inbounds %struct.thread, ptr %170, i64 %169
  %172 = getelementptr inbounds %struct.thread, ptr %170, i64 %169, i32 7
  store atomic i32 2, ptr %172 seq_cst, align 4
  %173 = getelementptr inbounds %struct.thread, ptr %170, i64 %169, i32 8
  store atomic i32 0, ptr %173 seq_cst, align 4
  %174 = getelementptr inbounds %struct.thread, ptr %170, i64 %169, i32 3
  %175 = call i32 @pthread_create(ptr noundef nonnull %174, ptr noundef nonnull %5, ptr noundef nonnull @work, ptr noundef %171) #12
  %176 = icmp eq i32 %175, 0
  %177 = load i64, ptr %146, align 8
  br i1 %176, label %178, label %182

178:
  %179 = add nsw i64 %177, 1
  store i64 %179, ptr %146, align 8
  %180 = load i64, ptr %137, align 8
  %181 = icmp slt i64 %179, %180
  br i1 %181, label %168, label %182, !llvm.loop !11

182:
  %183 = phi i64 [ %158, %156 ], [ %179, %178 ], [ %177, %168 ]
  store i64 %183, ptr %145, align 8
  %184 = call i32 @pthread_sigmask(i32 noundef 2, ptr noundef nonnull %4, ptr noundef null) #12
  %185 = call i32 @pthread_attr_destroy(ptr noundef nonnull %5) #12
  br label %186

186:
  call void @llvm.lifetime.end.p0(i64 56, ptr nonnull %5) #12
  call void @llvm.lifetime.end.p0(i64 128, ptr nonnull %4) #12
  call void @llvm.lifetime.end.p0(i64 128, ptr nonnull %3) #12
  %187 = load i1, ptr @pinned, align 4
  br i1 %187, label %197, label %219

188:
  %189 = phi i64 [ %194, %188 ], [ 0, %134 ]
  %190 = load ptr, ptr %0, align 8
  %191 = getelementptr inbounds %struct.thread, ptr %190, i64 %189
  store ptr %0, ptr %191, align 128
  %192 = load ptr, ptr %0, align 8
  %193 = getelementptr inbounds %struct.thread, ptr %192, i64 %189, i32 2
  store i64 %189, ptr %193, align 16
  %194 = add nuw nsw i64 %189, 1
  %195 = load i64, ptr %135, align 8
  %196 = icmp slt i64 %194, %195
  br i1 %196, label %188, label %136, !llvm.loop !12

197:
  %198 = load i64, ptr %146, align 8
  %199 = icmp sgt i64 %198, 1
  br i1 %199, label %200, label %219

200:
  %201 = phi i64 [ %216, %200 ], [ 1, %197 ]
  call void @llvm.lifetime.start.p0(i64 128, ptr nonnull %2) #12
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 8 dereferenceable(128) %2, i8 0, i64 128, i1 false)
  %202 = getelementptr inbounds [256 x i32], ptr @cpus, i64 0, i64 %201
  %203 = load i32, ptr %202, align 4
  %204 = and i32 %203, 1023
  %205 = zext i32 %204 to i64
  %206 = and i64 %205, 63
  %207 = shl nuw i64 1, %206
  %208 = lshr i64 %205, 6
  %209 = getelementptr inbounds i64, ptr %2, i64 %208
  %210 = load i64, ptr %209, align 8
  %211 = or i64 %207, %210
  store i64 %211, ptr %209, align 8
  %212 = load ptr, ptr %0, align 8
  %213 = getelementptr inbounds %struct.thread, ptr %212, i64 %201, i32 3
  %214 = load i64, ptr %213, align 8
  %215 = call i32 @pthread_setaffinity_np(i64 noundef %214, i64 noundef 128, ptr noundef nonnull %2) #12
  call void @llvm.lifetime.end.p0(i64 128, ptr nonnull %2) #12
  %216 = add nuw nsw i64 %201, 1
  %217 = load i64, ptr %146, align 8
  %218 = icmp slt i64 %216, %217
  br i1 %218, label %200, label %219, !llvm.loop !13

219:
  %220 = getelementptr inbounds %struct.state, ptr %0, i64 0, i32 2
  store atomic i32 1, ptr %220 release, align 4
  br label %221

221:
  ret void
}

declare void @llvm.lifetime.end.p0(i64 immarg, ptr nocapture) #1

define hidden void @wmtune_parallel_for(ptr noundef %0, ptr noundef %1, i64 noundef %2) local_unnamed_addr #0 {
  %4 = alloca i32, align 4
  %5 = alloca %struct.job, align 8
  call void @llvm.lifetime.start.p0(i64 16, ptr nonnull %5) #12
  store ptr %0, ptr %5, align 8
  %6 = getelementptr inbounds %struct.job, ptr %5, i64 0, i32 1
  store ptr %1, ptr %6, align 8
  %7 = icmp slt i64 %2, 1
  br i1 %7, label %267, label %8

8:
  %9 = icmp eq i64 %2, 1
  br i1 %9, label %266, label %10

10:
  %11 = tail call fastcc ptr @state()
  %12 = icmp eq ptr %11, null
  br i1 %12, label %266, label %13

13:
  %14 = getelementptr inbounds %struct.state, ptr %11, i64 0, i32 2
  %15 = load atomic i32, ptr %14 acquire, align 4
  %16 = icmp eq i32 %15, 0
  br i1 %16, label %17, label %18

17:
  tail call fastcc void @begin(ptr noundef nonnull %11)
  br label %18

18:
  %19 = load atomic i32, ptr %14 acquire, align 4
  %20 = icmp eq i32 %19, 0
  br i1 %20, label %266, label %21

21:
  %22 = getelementptr inbounds %struct.state, ptr %11, i64 0, i32 9
  call void @llvm.lifetime.start.p0(i64 4, ptr nonnull %4)
  %23 = getelementptr inbounds %struct.pool, ptr %11, i64 0, i32 3
  %24 = load i64, ptr %23, align 8
  %25 = tail call i64 @llvm.smin.i64(i64 %24, i64 %2)
  call void @llvm.x86.sse.stmxcsr(ptr nonnull %4)
  %26 = load i32, ptr %4, align 4
  %27 = icmp slt i64 %25, 2
  br i1 %27, label %32, label %28

28:
  %29 = getelementptr inbounds %struct.pool, ptr %11, i64 0, i32 5
  %30 = atomicrmw xchg ptr %29, i32 1 acquire, align 4
  %31 = icmp eq i32 %30, 0
  br i1 %31, label %35, label %32

32:
  %33 = load ptr, ptr %5, align 8
  %34 = load ptr, ptr %6, align 8
  call void %33(ptr noundef %34, i64 noundef 0, i64 noundef %2) #12
  br label %265

35:
  %36 = load ptr, ptr %11, align 8
  %37 = udiv i64 %2, %25
  %38 = urem i64 %2, %25
  %39 = trunc i64 %25 to i32
  br label %43

40:
  %41 = getelementptr inbounds %struct.pool, ptr %11, i64 0, i32 6
  store atomic i32 %77, ptr %41 monotonic, align 8
  %42 = icmp sgt i64 %25, 1
  br i1 %42, label %82, label %80

43:
  %44 = phi i32 [ 0, %35 ], [ %77, %76 ]
  %45 = phi i64 [ 0, %35 ], [ %78, %76 ]
  %46 = phi i64 [ 0, %35 ], [ %51, %76 ]
  %47 = icmp slt i64 %45, %38
  %48 = zext i1 %47 to i64
  %49 = add nsw i64 %37, %48
  %50 = getelementptr inbounds %struct.thread, ptr %36, i64 %45, i32 11
  store atomic i64 %46, ptr %50 monotonic, align 8
  %51 = add nsw i64 %49, %46
  %52 = getelementptr inbounds %struct.thread, ptr %36, i64 %45, i32 12
  store i64 %51, ptr %52, align 32
  %53 = add nsw i64 %49, 7
  %54 = lshr i64 %53, 3
  %55 = getelementptr inbounds %struct.thread, ptr %36, i64 %45, i32 13
  store i64 %54, ptr %55, align 8
  %56 = getelementptr inbounds %struct.thread, ptr %36, i64 %45, i32 9
  store ptr @run, ptr %56, align 8
  %57 = getelementptr inbounds %struct.thread, ptr %36, i64 %45, i32 10
  store ptr %5, ptr %57, align 16
  %58 = getelementptr inbounds %struct.thread, ptr %36, i64 %45, i32 14
  store i32 %26, ptr %58, align 16
  %59 = getelementptr inbounds %struct.thread, ptr %36, i64 %45, i32 15
  store i32 %39, ptr %59, align 4
  %60 = icmp eq i64 %45, 0
  br i1 %60, label %76, label %61

61:
  %62 = getelementptr inbounds %struct.thread, ptr %36, i64 %45, i32 8
  %63 = load atomic i32, ptr %62 monotonic, align 4
  %64 = getelementptr inbounds %struct.thread, ptr %36, i64 %45, i32 16
  %65 = icmp ne i32 %63, 0
  %66 = select i1 %65, i32 %44, i32 -1
  store atomic i32 %66, ptr %64 monotonic, align 8
  br i1 %65, label %67, label %73

67:
  %68 = sext i32 %44 to i64
  %69 = getelementptr inbounds %struct.thread, ptr %36, i64 %68, i32 5
  %70 = getelementptr inbounds %struct.thread, ptr %36, i64 %45, i32 2
  %71 = load i64, ptr %70, align 16
  %72 = trunc i64 %71 to i32
  store atomic i32 %72, ptr %69 monotonic, align 4
  br label %73

73:
  %74 = zext i1 %65 to i32
  %75 = add nsw i32 %44, %74
  br label %76

76:
  %77 = phi i32 [ %75, %73 ], [ %44, %43 ]
  %78 = add nuw nsw i64 %45, 1
  %79 = icmp eq i64 %78, %25
  br i1 %79, label %40, label %43, !llvm.loop !14

80:
  %81 = icmp eq i32 %77, 0
  br i1 %81, label %127, label %103

82:
  %83 = phi i64 [ %101, %100 ], [ 1, %40 ]
  %84 = getelementptr inbounds %struct.thread, ptr %36, i64 %83, i32 7
  %85 = load atomic i32, ptr %84 monotonic, align 64
  %86 = and i32 %85, -4
  %87 = add i32 %86, 4
  store atomic i32 %87, ptr %84 release, align 64
  %88 = getelementptr inbounds %struct.thread, ptr %36, i64 %83, i32 16
  %89 = load atomic i32, ptr %88 monotonic, align 8
  %90 = icmp slt i32 %89, 0
  br i1 %90, label %91, label %100

91:
  %92 = getelementptr inbounds %struct.thread, ptr %36, i64 %83, i32 8
  %93 = load atomic i32, ptr %92 monotonic, align 4
  %94 = icmp eq i32 %93, 0
  br i1 %94, label %100, label %95

95:
  %96 = atomicrmw xchg ptr %92, i32 0 seq_cst, align 4
  %97 = icmp eq i32 %96, 0
  br i1 %97, label %100, label %98

98:
  %99 = call i64 (i64, ...) @syscall(i64 noundef 202, ptr noundef nonnull %84, i32 noundef 129, i32 noundef 1, ptr noundef null, ptr noundef null, i32 noundef 0) #12
  br label %100

100:
  %101 = add nuw nsw i64 %83, 1
  %102 = icmp eq i64 %101, %25
  br i1 %102, label %80, label %82, !llvm.loop !15

103:
  %104 = load atomic i32, ptr %41 monotonic, align 8
  %105 = icmp sgt i32 %104, 0
  br i1 %105, label %106, label %127

106:
  %107 = zext i32 %104 to i64
  %108 = add nsw i64 %107, -1
  %109 = call i64 @llvm.umin.i64(i64 %108, i64 3)
  br label %110

110:
  %111 = phi i64 [ 0, %106 ], [ %125, %124 ]
  %112 = getelementptr inbounds %struct.thread, ptr %36, i64 %111, i32 5
  %113 = load atomic i32, ptr %112 monotonic, align 4
  %114 = sext i32 %113 to i64
  %115 = getelementptr inbounds %struct.thread, ptr %36, i64 %114, i32 8
  %116 = load atomic i32, ptr %115 monotonic, align 4
  %117 = icmp eq i32 %116, 0
  br i1 %117, label %124, label %118

118:
  %119 = atomicrmw xchg ptr %115, i32 0 seq_cst, align 4
  %120 = icmp eq i32 %119, 0
  br i1 %120, label %124, label %121

121:
  %122 = getelementptr inbounds %struct.thread, ptr %36, i64 %114, i32 7
  %123 = call i64 (i64, ...) @syscall(i64 noundef 202, ptr noundef nonnull %122, i32 noundef 129, i32 noundef 1, ptr noundef null, ptr noundef null, i32 noundef 0) #12
  br label %124

124:
  %125 = add nuw nsw i64 %111, 1
  %126 = icmp eq i64 %111, %109
  br i1 %126, label %127, label %110, !llvm.loop !16

127:
  %128 = getelementptr inbounds %struct.state, ptr %11, i64 0, i32 9, i64 0, i32 2
  %129 = load i64, ptr %128, align 16
  %130 = sub i64 0, %129
  %131 = getelementptr inbounds %struct.thread, ptr %22, i64 %130
  %132 = call i64 @llvm.x86.rdtsc()
  %133 = getelementptr inbounds %struct.state, ptr %11, i64 0, i32 9, i64 0, i32 11
  %134 = getelementptr inbounds %struct.state, ptr %11, i64 0, i32 9, i64 0, i32 12
  %135 = load atomic i64, ptr %133 monotonic, align 8
  %136 = load i64, ptr %134, align 32
  %137 = icmp slt i64 %135, %136
  br i1 %137, label %138, label %163

138:
  %139 = getelementptr inbounds %struct.state, ptr %11, i64 0, i32 9, i64 0, i32 13
  br label %140

140:
  %141 = phi i64 [ %155, %150 ], [ %136, %138 ]
  %142 = phi i1 [ false, %150 ], [ true, %138 ]
  %143 = load i64, ptr %139, align 8
  br label %144

144:
  %145 = atomicrmw add ptr %133, i64 %143 monotonic, align 8
  %146 = icmp slt i64 %145, %141
  br i1 %146, label %150, label %147

147:
  %148 = load atomic i64, ptr %133 monotonic, align 8
  %149 = icmp slt i64 %148, %141
  br i1 %149, label %144, label %158, !llvm.loop !17

150:
  %151 = add nsw i64 %145, %143
  %152 = call i64 @llvm.smin.i64(i64 %151, i64 %141)
  %153 = load ptr, ptr %5, align 8
  %154 = load ptr, ptr %6, align 8
  call void %153(ptr noundef %154, i64 noundef %145, i64 noundef %152) #12
  %155 = load i64, ptr %134, align 32
  %156 = load atomic i64, ptr %133 monotonic, align 8
  %157 = icmp slt i64 %156, %155
  br i1 %157, label %140, label %159, !llvm.loop !17

158:
  br i1 %142, label %163, label %159

159:
  %160 = call i64 @llvm.x86.rdtsc()
  %161 = sub i64 %160, %132
  %162 = icmp ult i64 %161, 10000
  br i1 %162, label %208, label %163

163:
  %164 = getelementptr inbounds %struct.state, ptr %11, i64 0, i32 9, i64 0, i32 15
  %165 = load i32, ptr %164, align 4
  %166 = icmp sgt i32 %165, 1
  br i1 %166, label %167, label %208

167:
  %168 = zext i32 %165 to i64
  br label %169

169:
  %170 = phi i32 [ %202, %201 ], [ %165, %167 ]
  %171 = phi i64 [ %204, %201 ], [ %168, %167 ]
  %172 = phi i64 [ %203, %201 ], [ 1, %167 ]
  %173 = load i64, ptr %128, align 16
  %174 = add nsw i64 %173, %172
  %175 = srem i64 %174, %171
  %176 = getelementptr inbounds %struct.thread, ptr %131, i64 %175
  %177 = getelementptr inbounds %struct.thread, ptr %176, i64 0, i32 11
  %178 = getelementptr inbounds %struct.thread, ptr %176, i64 0, i32 12
  %179 = load atomic i64, ptr %177 monotonic, align 8
  %180 = load i64, ptr %178, align 32
  %181 = icmp slt i64 %179, %180
  br i1 %181, label %182, label %201

182:
  %183 = getelementptr inbounds %struct.thread, ptr %176, i64 0, i32 13
  br label %184

184:
  %185 = phi i64 [ %180, %182 ], [ %196, %195 ]
  %186 = load i64, ptr %183, align 8
  %187 = atomicrmw add ptr %177, i64 %186 monotonic, align 8
  %188 = icmp slt i64 %187, %185
  br i1 %188, label %189, label %195

189:
  %190 = add nsw i64 %187, %186
  %191 = call i64 @llvm.smin.i64(i64 %190, i64 %185)
  %192 = load ptr, ptr %5, align 8
  %193 = load ptr, ptr %6, align 8
  call void %192(ptr noundef %193, i64 noundef %187, i64 noundef %191) #12
  %194 = load i64, ptr %178, align 32
  br label %195

195:
  %196 = phi i64 [ %194, %189 ], [ %185, %184 ]
  %197 = load atomic i64, ptr %177 monotonic, align 8
  %198 = icmp slt i64 %197, %196
  br i1 %198, label %184, label %199, !llvm.loop !17

199:
  %200 = load i32, ptr %164, align 4
  br label %201

201:
  %202 = phi i32 [ %200, %199 ], [ %170, %169 ]
  %203 = add nuw nsw i64 %172, 1
  %204 = sext i32 %202 to i64
  %205 = icmp slt i64 %203, %204
  %206 = icmp ult i64 %172, 4
  %207 = and i1 %206, %205
  br i1 %207, label %169, label %208, !llvm.loop !18

208:
  br i1 %42, label %210, label %209

209:
  store atomic i32 0, ptr %29 release, align 4
  br label %265

210:
  %211 = phi i64 [ %263, %262 ], [ 1, %208 ]
  %212 = getelementptr inbounds %struct.thread, ptr %36, i64 %211, i32 7
  %213 = load atomic i32, ptr %212 acquire, align 64
  %214 = and i32 %213, 3
  %215 = icmp eq i32 %214, 0
  br i1 %215, label %216, label %221

216:
  %217 = add nuw i32 %213, 2
  %218 = cmpxchg ptr %212, i32 %213, i32 %217 seq_cst seq_cst, align 4
  %219 = extractvalue { i32, i1 } %218, 1
  %220 = zext i1 %219 to i32
  br label %221

221:
  %222 = phi i32 [ 0, %210 ], [ %220, %216 ]
  %223 = getelementptr inbounds %struct.thread, ptr %36, i64 %211, i32 11
  %224 = getelementptr inbounds %struct.thread, ptr %36, i64 %211, i32 12
  %225 = load atomic i64, ptr %223 monotonic, align 8
  %226 = load i64, ptr %224, align 32
  %227 = icmp slt i64 %225, %226
  br i1 %227, label %228, label %245

228:
  %229 = getelementptr inbounds %struct.thread, ptr %36, i64 %211, i32 13
  br label %230

230:
  %231 = phi i64 [ %226, %228 ], [ %242, %241 ]
  %232 = load i64, ptr %229, align 8
  %233 = atomicrmw add ptr %223, i64 %232 monotonic, align 8
  %234 = icmp slt i64 %233, %231
  br i1 %234, label %235, label %241

235:
  %236 = add nsw i64 %233, %232
  %237 = call i64 @llvm.smin.i64(i64 %236, i64 %231)
  %238 = load ptr, ptr %5, align 8
  %239 = load ptr, ptr %6, align 8
  call void %238(ptr noundef %239, i64 noundef %233, i64 noundef %237) #12
  %240 = load i64, ptr %224, align 32
  br label %241

241:
  %242 = phi i64 [ %240, %235 ], [ %231, %230 ]
  %243 = load atomic i64, ptr %223 monotonic, align 8
  %244 = icmp slt i64 %243, %242
  br i1 %244, label %230, label %245, !llvm.loop !17

245:
  %246 = icmp eq i32 %222, 0
  br i1 %246, label %247, label %262

247:
  %248 = load atomic i32, ptr %212 acquire, align 64
  %249 = and i32 %248, 3
  %250 = icmp eq i32 %249, 2
  br i1 %250, label %262, label %251

251:
  %252 = phi i32 [ %258, %257 ], [ 0, %247 ]
  %253 = icmp ult i32 %252, 2000
  br i1 %253, label %254, label %255

254:
  call void @llvm.x86.sse2.pause()
  br label %257

255:
  %256 = call i32 @sched_yield() #12
  br label %257

257:
  %258 = add i32 %252, 1
  %259 = load atomic i32, ptr %212 acquire, align 64
  %260 = and i32 %259, 3
  %261 = icmp eq i32 %260, 2
  br i1 %261, label %262, label %251

262:
  %263 = add nuw nsw i64 %211, 1
  %264 = icmp eq i64 %263, %25
  br i1 %264, label %209, label %210, !llvm.loop !19

265:
  call void @llvm.lifetime.end.p0(i64 4, ptr nonnull %4)
  br label %267

266:
  tail call void %0(ptr noundef %1, i64 noundef 0, i64 noundef %2) #12
  br label %267

267:
  call void @llvm.lifetime.end.p0(i64 16, ptr nonnull %5) #12
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
  %2 = icmp slt i64 %0, 2097152
  %3 = select i1 %2, i64 64, i64 2097152
  %4 = icmp sgt i64 %0, 0
  br i1 %4, label %5, label %13

5:
  %6 = add nsw i64 %0, -1
  %7 = add nuw i64 %6, %3
  %8 = srem i64 %7, %3
  %9 = sub nsw i64 %7, %8
  %10 = tail call fastcc ptr @state()
  %11 = load i32, ptr @wmtune_guard_blocks, align 4
  %12 = icmp eq i32 %11, 0
  br i1 %12, label %34, label %17

13:
  %14 = tail call fastcc ptr @state()
  %15 = load i32, ptr @wmtune_guard_blocks, align 4
  %16 = icmp eq i32 %15, 0
  br i1 %16, label %34, label %20

17:
  %18 = add nuw nsw i64 %0, 63
  %19 = and i64 %18, -64
  br label %20

20:
  %21 = phi i64 [ %19, %17 ], [ 64, %13 ]
  %22 = add nuw nsw i64 %21, 4095
  %23 = and i64 %22, -4096
  %24 = add nuw nsw i64 %23, 8192
  %25 = tail call ptr @mmap(ptr noundef null, i64 noundef %24, i32 noundef 3, i32 noundef 34, i32 noundef -1, i64 noundef 0) #12
  %26 = icmp eq ptr %25, inttoptr (i64 -1 to ptr)
  br i1 %26, label %193, label %27

27:
  %28 = getelementptr inbounds i8, ptr %25, i64 4096
  %29 = getelementptr inbounds i8, ptr %28, i64 %23
  store i64 %24, ptr %25, align 8
  tail call void @llvm.memset.p0.i64(ptr nonnull align 1 %28, i8 -1, i64 %23, i1 false)
  %30 = tail call i32 @mprotect(ptr noundef nonnull %25, i64 noundef 4096, i32 noundef 1) #12
  %31 = tail call i32 @mprotect(ptr noundef nonnull %29, i64 noundef 4096, i32 noundef 0) #12
  %32 = sub nsw i64 0, %21
  %33 = getelementptr inbounds i8, ptr %29, i64 %32
  br label %195

34:
  %35 = phi ptr [ %14, %13 ], [ %10, %5 ]
  %36 = phi i64 [ %3, %13 ], [ %9, %5 ]
  %37 = icmp eq ptr %35, null
  br i1 %37, label %183, label %38

38:
  %39 = getelementptr inbounds %struct.state, ptr %35, i64 0, i32 3
  %40 = atomicrmw xchg ptr %39, i8 1 acquire, align 1
  %41 = and i8 %40, 1
  %42 = icmp eq i8 %41, 0
  br i1 %42, label %48, label %43

43:
  %44 = tail call i32 @sched_yield() #12
  %45 = atomicrmw xchg ptr %39, i8 1 acquire, align 1
  %46 = and i8 %45, 1
  %47 = icmp eq i8 %46, 0
  br i1 %47, label %48, label %43, !llvm.loop !20

48:
  %49 = getelementptr inbounds %struct.state, ptr %35, i64 0, i32 6
  %50 = getelementptr inbounds %struct.state, ptr %35, i64 0, i32 5
  %51 = load i64, ptr %50, align 8
  %52 = getelementptr inbounds %struct.kept, ptr %49, i64 %51
  %53 = icmp sgt i64 %51, 0
  br i1 %53, label %60, label %54

54:
  %55 = phi ptr [ null, %48 ], [ %85, %84 ]
  %56 = phi ptr [ null, %48 ], [ %86, %84 ]
  %57 = icmp ne ptr %55, null
  %58 = icmp ne ptr %56, null
  %59 = select i1 %57, i1 true, i1 %58
  br i1 %59, label %118, label %89

60:
  %61 = phi ptr [ %87, %84 ], [ %49, %48 ]
  %62 = phi ptr [ %86, %84 ], [ null, %48 ]
  %63 = phi ptr [ %85, %84 ], [ null, %48 ]
  %64 = load ptr, ptr %61, align 8
  %65 = icmp eq ptr %64, null
  br i1 %65, label %84, label %66

66:
  %67 = getelementptr inbounds %struct.kept, ptr %61, i64 0, i32 2
  %68 = load i64, ptr %67, align 8
  %69 = icmp eq i64 %68, 0
  br i1 %69, label %84, label %70

70:
  %71 = getelementptr inbounds %struct.kept, ptr %61, i64 0, i32 1
  %72 = load i64, ptr %71, align 8
  %73 = icmp slt i64 %72, %36
  %74 = sdiv i64 %72, 2
  %75 = icmp sgt i64 %74, %36
  %76 = or i1 %73, %75
  br i1 %76, label %84, label %77

77:
  %78 = icmp eq ptr %63, null
  br i1 %78, label %83, label %79

79:
  %80 = getelementptr inbounds %struct.kept, ptr %63, i64 0, i32 1
  %81 = load i64, ptr %80, align 8
  %82 = icmp slt i64 %72, %81
  br i1 %82, label %83, label %84

83:
  br label %84

84:
  %85 = phi ptr [ %61, %83 ], [ %63, %79 ], [ %63, %70 ], [ %63, %66 ], [ %63, %60 ]
  %86 = phi ptr [ %62, %83 ], [ %62, %79 ], [ %62, %70 ], [ %62, %66 ], [ %61, %60 ]
  %87 = getelementptr inbounds %struct.kept, ptr %61, i64 1
  %88 = icmp ult ptr %87, %52
  br i1 %88, label %60, label %54, !llvm.loop !21

89:
  %90 = icmp slt i64 %51, 64
  br i1 %90, label %91, label %94

91:
  %92 = add nsw i64 %51, 1
  store i64 %92, ptr %50, align 8
  %93 = getelementptr inbounds %struct.state, ptr %35, i64 0, i32 6, i64 %51
  br label %118

94:
  %95 = phi ptr [ %112, %110 ], [ %49, %89 ]
  %96 = phi ptr [ %111, %110 ], [ null, %89 ]
  %97 = load ptr, ptr %95, align 8
  %98 = icmp eq ptr %97, null
  br i1 %98, label %110, label %99

99:
  %100 = getelementptr inbounds %struct.kept, ptr %95, i64 0, i32 2
  %101 = load i64, ptr %100, align 8
  %102 = icmp eq i64 %101, 0
  br i1 %102, label %110, label %103

103:
  %104 = icmp eq ptr %96, null
  br i1 %104, label %109, label %105

105:
  %106 = getelementptr inbounds %struct.kept, ptr %96, i64 0, i32 2
  %107 = load i64, ptr %106, align 8
  %108 = icmp slt i64 %101, %107
  br i1 %108, label %109, label %110

109:
  br label %110

110:
  %111 = phi ptr [ %95, %109 ], [ %96, %105 ], [ %96, %99 ], [ %96, %94 ]
  %112 = getelementptr inbounds %struct.kept, ptr %95, i64 1
  %113 = icmp ult ptr %112, %52
  br i1 %113, label %94, label %114, !llvm.loop !22

114:
  %115 = icmp eq ptr %111, null
  br i1 %115, label %175, label %116

116:
  %117 = load ptr, ptr %111, align 8
  tail call void @free(ptr noundef %117) #12
  store ptr null, ptr %111, align 8
  br label %118

118:
  %119 = phi ptr [ %56, %54 ], [ %93, %91 ], [ %111, %116 ]
  %120 = icmp eq ptr %55, null
  %121 = icmp ne ptr %119, null
  %122 = select i1 %120, i1 %121, i1 false
  br i1 %122, label %123, label %175

123:
  %124 = icmp slt i64 %36, 2097152
  br i1 %124, label %128, label %125

125:
  %126 = tail call noalias align 2097152 ptr @aligned_alloc(i64 noundef 2097152, i64 noundef %36) #19
  %127 = icmp eq ptr %126, null
  br i1 %127, label %131, label %158

128:
  %129 = tail call noalias align 64 ptr @aligned_alloc(i64 noundef 64, i64 noundef %36) #19
  %130 = icmp eq ptr %129, null
  br i1 %130, label %131, label %172

131:
  br label %132

132:
  %133 = load i64, ptr %50, align 8
  %134 = getelementptr inbounds %struct.kept, ptr %49, i64 %133
  %135 = icmp sgt i64 %133, 0
  br i1 %135, label %136, label %171

136:
  %137 = phi ptr [ %154, %152 ], [ %49, %132 ]
  %138 = phi ptr [ %153, %152 ], [ null, %132 ]
  %139 = load ptr, ptr %137, align 8
  %140 = icmp eq ptr %139, null
  br i1 %140, label %152, label %141

141:
  %142 = getelementptr inbounds %struct.kept, ptr %137, i64 0, i32 2
  %143 = load i64, ptr %142, align 8
  %144 = icmp eq i64 %143, 0
  br i1 %144, label %152, label %145

145:
  %146 = icmp eq ptr %138, null
  br i1 %146, label %151, label %147

147:
  %148 = getelementptr inbounds %struct.kept, ptr %138, i64 0, i32 2
  %149 = load i64, ptr %148, align 8
  %150 = icmp slt i64 %143, %149
  br i1 %150, label %151, label %152

151:
  br label %152

152:
  %153 = phi ptr [ %137, %151 ], [ %138, %147 ], [ %138, %141 ], [ %138, %136 ]
  %154 = getelementptr inbounds %struct.kept, ptr %137, i64 1
  %155 = icmp ult ptr %154, %134
  br i1 %155, label %136, label %156, !llvm.loop !22

156:
  %157 = icmp eq ptr %153, null
  br i1 %157, label %171, label %161

158:
  %159 = phi ptr [ %126, %125 ], [ %166, %165 ]
  %160 = tail call i32 @madvise(ptr noundef nonnull %159, i64 noundef %36, i32 noundef 14) #12
  br label %172

161:
  %162 = load ptr, ptr %153, align 8
  tail call void @free(ptr noundef %162) #12
  store ptr null, ptr %153, align 8
  br i1 %124, label %163, label %165

163:
  %164 = tail call noalias align 64 ptr @aligned_alloc(i64 noundef 64, i64 noundef %36) #19
  br label %168

165:
  %166 = tail call noalias align 2097152 ptr @aligned_alloc(i64 noundef 2097152, i64 noundef %36) #19
  %167 = icmp eq ptr %166, null
  br i1 %167, label %168, label %158

168:
  %169 = phi ptr [ %164, %163 ], [ null, %165 ]
  %170 = icmp eq ptr %169, null
  br i1 %170, label %132, label %172, !llvm.loop !23

171:
  store ptr null, ptr %119, align 8
  br label %177

172:
  %173 = phi ptr [ %159, %158 ], [ %129, %128 ], [ %169, %168 ]
  store ptr %173, ptr %119, align 8
  %174 = getelementptr inbounds %struct.kept, ptr %119, i64 0, i32 1
  store i64 %36, ptr %174, align 8
  br label %178

175:
  %176 = icmp eq ptr %55, null
  br i1 %176, label %177, label %178

177:
  store atomic i8 0, ptr %39 release, align 8
  br label %183

178:
  %179 = phi ptr [ %119, %172 ], [ %55, %175 ]
  %180 = getelementptr inbounds %struct.kept, ptr %179, i64 0, i32 2
  store i64 0, ptr %180, align 8
  store atomic i8 0, ptr %39 release, align 8
  %181 = load ptr, ptr %179, align 8
  %182 = icmp eq ptr %181, null
  br i1 %182, label %183, label %195

183:
  %184 = icmp slt i64 %36, 2097152
  br i1 %184, label %190, label %185

185:
  %186 = tail call noalias align 2097152 ptr @aligned_alloc(i64 noundef 2097152, i64 noundef %36) #19
  %187 = icmp eq ptr %186, null
  br i1 %187, label %193, label %188

188:
  %189 = tail call i32 @madvise(ptr noundef nonnull %186, i64 noundef %36, i32 noundef 14) #12
  br label %195

190:
  %191 = tail call noalias align 64 ptr @aligned_alloc(i64 noundef 64, i64 noundef %36) #19
  %192 = icmp eq ptr %191, null
  br i1 %192, label %193, label %195

193:
  %194 = tail call i32 (i32, ptr, ...) @dprintf(i32 noundef 2, ptr noundef nonnull @.str, i64 noundef %0) #12
  tail call void @abort() #20
  unreachable

195:
  %196 = phi ptr [ %191, %190 ], [ %186, %188 ], [ %33, %27 ], [ %181, %178 ]
  ret ptr %196
}

declare i32 @dprintf(i32 noundef, ptr noundef, ...) local_unnamed_addr #3

declare void @abort() local_unnamed_addr #4

define hidden void @wmtune_free(ptr noundef %0) local_unnamed_addr #0 {
  %2 = tail call fastcc ptr @state()
  %3 = load i32, ptr @wmtune_guard_blocks, align 4
  %4 = icmp ne i32 %3, 0
  %5 = icmp ne ptr %0, null
  %6 = and i1 %5, %4
  br i1 %6, label %7, label %14

7:
  %8 = ptrtoint ptr %0 to i64
  %9 = and i64 %8, -4096
  %10 = inttoptr i64 %9 to ptr
  %11 = getelementptr inbounds i8, ptr %10, i64 -4096
  %12 = load i64, ptr %11, align 4096
  %13 = tail call i32 @munmap(ptr noundef nonnull %11, i64 noundef %12) #12
  br label %100

14:
  %15 = icmp ne ptr %2, null
  %16 = select i1 %5, i1 %15, i1 false
  br i1 %16, label %17, label %99

17:
  %18 = getelementptr inbounds %struct.state, ptr %2, i64 0, i32 3
  %19 = atomicrmw xchg ptr %18, i8 1 acquire, align 1
  %20 = and i8 %19, 1
  %21 = icmp eq i8 %20, 0
  br i1 %21, label %27, label %22

22:
  %23 = tail call i32 @sched_yield() #12
  %24 = atomicrmw xchg ptr %18, i8 1 acquire, align 1
  %25 = and i8 %24, 1
  %26 = icmp eq i8 %25, 0
  br i1 %26, label %27, label %22, !llvm.loop !20

27:
  %28 = getelementptr inbounds %struct.state, ptr %2, i64 0, i32 6
  %29 = getelementptr inbounds %struct.state, ptr %2, i64 0, i32 5
  %30 = load i64, ptr %29, align 8
  %31 = icmp sgt i64 %30, 0
  br i1 %31, label %33, label %32

32:
  store atomic i8 0, ptr %18 release, align 8
  br label %99

33:
  %34 = getelementptr inbounds %struct.state, ptr %2, i64 0, i32 4
  br label %37

35:
  %36 = icmp sgt i64 %61, 268435456
  br i1 %36, label %66, label %97

37:
  %38 = phi ptr [ %28, %33 ], [ %62, %59 ]
  %39 = phi i32 [ 0, %33 ], [ %50, %59 ]
  %40 = phi i64 [ 0, %33 ], [ %61, %59 ]
  %41 = load ptr, ptr %38, align 8
  %42 = icmp eq ptr %41, %0
  br i1 %42, label %43, label %48

43:
  %44 = load i64, ptr %34, align 16
  %45 = add nsw i64 %44, 1
  store i64 %45, ptr %34, align 16
  %46 = getelementptr inbounds %struct.kept, ptr %38, i64 0, i32 2
  store i64 %45, ptr %46, align 8
  %47 = load ptr, ptr %38, align 8
  br label %48

48:
  %49 = phi ptr [ %47, %43 ], [ %41, %37 ]
  %50 = phi i32 [ 1, %43 ], [ %39, %37 ]
  %51 = icmp eq ptr %49, null
  br i1 %51, label %59, label %52

52:
  %53 = getelementptr inbounds %struct.kept, ptr %38, i64 0, i32 2
  %54 = load i64, ptr %53, align 8
  %55 = icmp eq i64 %54, 0
  br i1 %55, label %59, label %56

56:
  %57 = getelementptr inbounds %struct.kept, ptr %38, i64 0, i32 1
  %58 = load i64, ptr %57, align 8
  br label %59

59:
  %60 = phi i64 [ %58, %56 ], [ 0, %52 ], [ 0, %48 ]
  %61 = add nsw i64 %60, %40
  %62 = getelementptr inbounds %struct.kept, ptr %38, i64 1
  %63 = load i64, ptr %29, align 8
  %64 = getelementptr inbounds %struct.kept, ptr %28, i64 %63
  %65 = icmp ult ptr %62, %64
  br i1 %65, label %37, label %35, !llvm.loop !24

66:
  %67 = phi i64 [ %95, %91 ], [ %61, %35 ]
  %68 = load i64, ptr %29, align 8
  %69 = getelementptr inbounds %struct.kept, ptr %28, i64 %68
  %70 = icmp sgt i64 %68, 0
  tail call void @llvm.assume(i1 %70)
  br label %71

71:
  %72 = phi ptr [ %89, %87 ], [ %28, %66 ]
  %73 = phi ptr [ %88, %87 ], [ null, %66 ]
  %74 = load ptr, ptr %72, align 8
  %75 = icmp eq ptr %74, null
  br i1 %75, label %87, label %76

76:
  %77 = getelementptr inbounds %struct.kept, ptr %72, i64 0, i32 2
  %78 = load i64, ptr %77, align 8
  %79 = icmp eq i64 %78, 0
  br i1 %79, label %87, label %80

80:
  %81 = icmp eq ptr %73, null
  br i1 %81, label %86, label %82

82:
  %83 = getelementptr inbounds %struct.kept, ptr %73, i64 0, i32 2
  %84 = load i64, ptr %83, align 8
  %85 = icmp slt i64 %78, %84
  br i1 %85, label %86, label %87

86:
  br label %87

87:
  %88 = phi ptr [ %72, %86 ], [ %73, %82 ], [ %73, %76 ], [ %73, %71 ]
  %89 = getelementptr inbounds %struct.kept, ptr %72, i64 1
  %90 = icmp ult ptr %89, %69
  br i1 %90, label %71, label %91, !llvm.loop !22

91:
  %92 = load ptr, ptr %88, align 8
  tail call void @free(ptr noundef %92) #12
  store ptr null, ptr %88, align 8
  %93 = getelementptr inbounds %struct.kept, ptr %88, i64 0, i32 1
  %94 = load i64, ptr %93, align 8
  %95 = sub nsw i64 %67, %94
  %96 = icmp sgt i64 %95, 268435456
  br i1 %96, label %66, label %97, !llvm.loop !25

97:
  store atomic i8 0, ptr %18 release, align 8
  %98 = icmp eq i32 %50, 0
  br i1 %98, label %99, label %100

99:
  tail call void @free(ptr noundef %0) #12
  br label %100

100:
  ret void
}

declare i32 @munmap(ptr noundef, i64 noundef) local_unnamed_addr #5

declare void @free(ptr allocptr nocapture noundef) local_unnamed_addr #6

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
  br i1 %9, label %5, label %6, !llvm.loop !26
}

declare i32 @getpid() local_unnamed_addr #5

declare ptr @mmap(ptr noundef, i64 noundef, i32 noundef, i32 noundef, i32 noundef, i64 noundef) local_unnamed_addr #5

declare i32 @madvise(ptr noundef, i64 noundef, i32 noundef) local_unnamed_addr #5

declare void @llvm.memset.p0.i64(ptr nocapture writeonly, i8, i64, i1 immarg) #7

declare i32 @sched_getaffinity(i32 noundef, i64 noundef, ptr noundef) local_unnamed_addr #5

declare i64 @llvm.ctpop.i64(i64) #8

declare i64 @strlen(ptr nocapture noundef) local_unnamed_addr #9

declare noundef i32 @open(ptr nocapture noundef readonly, i32 noundef, ...) local_unnamed_addr #10

declare noundef i64 @read(i32 noundef, ptr nocapture noundef, i64 noundef) local_unnamed_addr #10

declare i32 @close(i32 noundef) local_unnamed_addr #3

declare ptr @memchr(ptr noundef, i32 noundef, i64 noundef) local_unnamed_addr #9

define internal fastcc i64 @climb(ptr nocapture noundef readonly %0, ptr nocapture noundef readonly %1, i64 noundef %2, i32 noundef %3, i64 noundef %4) unnamed_addr #0 {
  %6 = alloca [64 x i8], align 16
  %7 = alloca ptr, align 8
  %8 = alloca [1024 x i8], align 16
  %9 = alloca i64, align 8
  call void @llvm.lifetime.start.p0(i64 1024, ptr nonnull %8) #12
  %10 = tail call i64 @strlen(ptr noundef nonnull dereferenceable(1) %0) #18
  %11 = add i64 %10, %2
  %12 = add i64 %11, -1006
  %13 = icmp ult i64 %12, -1025
  br i1 %13, label %75, label %14

14:
  call void @llvm.memcpy.p0.p0.i64(ptr nonnull align 16 %8, ptr align 1 %0, i64 %10, i1 false)
  %15 = getelementptr inbounds i8, ptr %8, i64 %10
  call void @llvm.memcpy.p0.p0.i64(ptr nonnull align 1 %15, ptr align 1 %1, i64 %2, i1 false)
  %16 = icmp eq i32 %3, 0
  %17 = select i1 %16, ptr @climb.max, ptr @climb.quota
  %18 = select i1 %16, i64 9, i64 18
  br label %19

19:
  %20 = phi i64 [ %4, %14 ], [ %65, %74 ]
  %21 = phi i64 [ %11, %14 ], [ %70, %74 ]
  %22 = call i64 @llvm.umin.i64(i64 %10, i64 %21)
  br label %23

23:
  %24 = phi i64 [ %21, %19 ], [ %27, %26 ]
  %25 = icmp ugt i64 %24, %10
  br i1 %25, label %26, label %31

26:
  %27 = add i64 %24, -1
  %28 = getelementptr inbounds [1024 x i8], ptr %8, i64 0, i64 %27
  %29 = load i8, ptr %28, align 1
  %30 = icmp eq i8 %29, 47
  br i1 %30, label %23, label %31, !llvm.loop !27

31:
  %32 = phi i64 [ %22, %23 ], [ %24, %26 ]
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %9) #12
  store i64 0, ptr %9, align 8
  %33 = getelementptr inbounds i8, ptr %8, i64 %32
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 1 dereferenceable(9) %33, ptr noundef nonnull align 1 dereferenceable(9) %17, i64 %18, i1 false)
  %34 = call fastcc i64 @number(ptr noundef nonnull %8, ptr noundef nonnull %9)
  br i1 %16, label %35, label %37

35:
  %36 = load i64, ptr %9, align 8
  br label %54

37:
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 1 dereferenceable(19) %33, ptr noundef nonnull align 16 dereferenceable(19) @climb.period, i64 19, i1 false)
  call void @llvm.lifetime.start.p0(i64 64, ptr nonnull %6) #12
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %7) #12
  %38 = call i32 (ptr, i32, ...) @open(ptr noundef nonnull %8, i32 noundef 524288) #12
  %39 = icmp slt i32 %38, 0
  br i1 %39, label %52, label %40

40:
  %41 = call i64 @read(i32 noundef %38, ptr noundef nonnull %6, i64 noundef 63) #12
  %42 = call i32 @close(i32 noundef %38) #12
  %43 = icmp slt i64 %41, 1
  %44 = load i8, ptr %6, align 16
  %45 = icmp slt i8 %44, 48
  %46 = select i1 %43, i1 true, i1 %45
  %47 = icmp sgt i8 %44, 57
  %48 = select i1 %46, i1 true, i1 %47
  br i1 %48, label %52, label %49

49:
  %50 = getelementptr inbounds [64 x i8], ptr %6, i64 0, i64 %41
  store i8 0, ptr %50, align 1
  %51 = call i64 @strtoll(ptr noundef nonnull %6, ptr noundef nonnull %7, i32 noundef 10) #12
  br label %52

52:
  %53 = phi i64 [ -1, %37 ], [ -1, %40 ], [ %51, %49 ]
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %7) #12
  call void @llvm.lifetime.end.p0(i64 64, ptr nonnull %6) #12
  br label %54

54:
  %55 = phi i64 [ %36, %35 ], [ %53, %52 ]
  %56 = icmp sgt i64 %34, 0
  %57 = icmp sgt i64 %55, 0
  %58 = and i1 %56, %57
  br i1 %58, label %59, label %61

59:
  %60 = udiv i64 %34, %55
  br label %61

61:
  %62 = phi i64 [ %60, %59 ], [ %20, %54 ]
  %63 = icmp slt i64 %62, 1
  %64 = call i64 @llvm.smin.i64(i64 %62, i64 %20)
  %65 = select i1 %63, i64 1, i64 %64
  %66 = icmp eq i64 %32, %10
  br i1 %66, label %67, label %68

67:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %9) #12
  br label %75

68:
  %69 = phi i64 [ %70, %68 ], [ %32, %61 ]
  %70 = add i64 %69, -1
  %71 = getelementptr inbounds [1024 x i8], ptr %8, i64 0, i64 %70
  %72 = load i8, ptr %71, align 1
  %73 = icmp eq i8 %72, 47
  br i1 %73, label %74, label %68, !llvm.loop !28

74:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %9) #12
  br label %19

75:
  %76 = phi i64 [ %4, %5 ], [ %65, %67 ]
  call void @llvm.lifetime.end.p0(i64 1024, ptr nonnull %8) #12
  ret i64 %76
}

define internal fastcc i64 @number(ptr nocapture noundef readonly %0, ptr noundef writeonly %1) unnamed_addr #0 {
  %3 = alloca [64 x i8], align 16
  %4 = alloca ptr, align 8
  call void @llvm.lifetime.start.p0(i64 64, ptr nonnull %3) #12
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %4) #12
  %5 = tail call i32 (ptr, i32, ...) @open(ptr noundef %0, i32 noundef 524288) #12
  %6 = icmp slt i32 %5, 0
  br i1 %6, label %26, label %7

7:
  %8 = call i64 @read(i32 noundef %5, ptr noundef nonnull %3, i64 noundef 63) #12
  %9 = tail call i32 @close(i32 noundef %5) #12
  %10 = icmp slt i64 %8, 1
  %11 = load i8, ptr %3, align 16
  %12 = icmp slt i8 %11, 48
  %13 = select i1 %10, i1 true, i1 %12
  %14 = icmp sgt i8 %11, 57
  %15 = select i1 %13, i1 true, i1 %14
  br i1 %15, label %26, label %16

16:
  %17 = getelementptr inbounds [64 x i8], ptr %3, i64 0, i64 %8
  store i8 0, ptr %17, align 1
  %18 = call i64 @strtoll(ptr noundef nonnull %3, ptr noundef nonnull %4, i32 noundef 10) #12
  %19 = icmp eq ptr %1, null
  br i1 %19, label %26, label %20

20:
  %21 = load ptr, ptr %4, align 8
  %22 = load i8, ptr %21, align 1
  %23 = icmp eq i8 %22, 32
  br i1 %23, label %24, label %26

24:
  %25 = call i64 @strtoll(ptr nocapture noundef nonnull %21, ptr noundef null, i32 noundef 10) #12
  store i64 %25, ptr %1, align 8
  br label %26

26:
  %27 = phi i64 [ -1, %2 ], [ -1, %7 ], [ %18, %24 ], [ %18, %20 ], [ %18, %16 ]
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %4) #12
  call void @llvm.lifetime.end.p0(i64 64, ptr nonnull %3) #12
  ret i64 %27
}

declare i64 @strtoll(ptr noundef readonly, ptr nocapture noundef, i32 noundef) local_unnamed_addr #11

declare i32 @pthread_attr_init(ptr noundef) local_unnamed_addr #5

declare i32 @pthread_attr_setstacksize(ptr noundef, i64 noundef) local_unnamed_addr #5

declare i32 @sigfillset(ptr noundef) local_unnamed_addr #5

declare i32 @sigdelset(ptr noundef, i32 noundef) local_unnamed_addr #5

declare i32 @pthread_sigmask(i32 noundef, ptr noundef, ptr noundef) local_unnamed_addr #5

declare i32 @pthread_create(ptr noundef, ptr noundef, ptr noundef, ptr noundef) local_unnamed_addr #5

define internal noalias ptr @work(ptr noundef %0) #0 {
  %2 = alloca %struct.timespec, align 8
  %3 = alloca i32, align 4
  %4 = alloca i32, align 4
  %5 = getelementptr inbounds %struct.thread, ptr %0, i64 0, i32 7
  %6 = getelementptr inbounds %struct.timespec, ptr %2, i64 0, i32 1
  %7 = getelementptr inbounds %struct.thread, ptr %0, i64 0, i32 8
  %8 = getelementptr inbounds %struct.thread, ptr %0, i64 0, i32 16
  %9 = getelementptr inbounds %struct.thread, ptr %0, i64 0, i32 2
  %10 = getelementptr inbounds %struct.thread, ptr %0, i64 0, i32 14
  %11 = getelementptr inbounds %struct.thread, ptr %0, i64 0, i32 9
  %12 = getelementptr inbounds %struct.thread, ptr %0, i64 0, i32 10
  %13 = getelementptr inbounds %struct.thread, ptr %0, i64 0, i32 4
  br label %14

14:
  %15 = phi i32 [ 2, %1 ], [ %92, %91 ]
  %16 = load atomic i32, ptr %5 acquire, align 64
  %17 = icmp eq i32 %16, %15
  br i1 %17, label %18, label %88

18:
  %19 = phi i64 [ %84, %82 ], [ 0, %14 ]
  %20 = phi i32 [ %85, %82 ], [ 1, %14 ]
  %21 = icmp ult i32 %20, 2000
  br i1 %21, label %22, label %23

22:
  call void @llvm.x86.sse2.pause()
  br label %25

23:
  %24 = call i32 @sched_yield() #12
  br label %25

25:
  %26 = phi i32 [ 255, %22 ], [ 15, %23 ]
  %27 = and i32 %26, %20
  %28 = icmp eq i32 %27, 0
  br i1 %28, label %29, label %82

29:
  call void @llvm.lifetime.start.p0(i64 16, ptr nonnull %2) #12
  %30 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %2) #12
  %31 = load i64, ptr %2, align 8
  %32 = mul nsw i64 %31, 1000000000
  %33 = load i64, ptr %6, align 8
  %34 = add nsw i64 %32, %33
  call void @llvm.lifetime.end.p0(i64 16, ptr nonnull %2) #12
  %35 = icmp eq i64 %19, 0
  %36 = select i1 %35, i64 %34, i64 %19
  %37 = sub nsw i64 %34, %36
  %38 = icmp slt i64 %37, 1000000
  br i1 %38, label %82, label %39

39:
  store atomic i32 1, ptr %7 seq_cst, align 4
  %40 = call i64 (i64, ...) @syscall(i64 noundef 202, ptr noundef nonnull %5, i32 noundef 128, i32 noundef %15, ptr noundef null, ptr noundef null, i32 noundef 0) #12
  store atomic i32 0, ptr %7 seq_cst, align 4
  %41 = load atomic i32, ptr %5 acquire, align 64
  %42 = load atomic i32, ptr %8 monotonic, align 8
  %43 = icmp ne i32 %41, %15
  %44 = icmp sgt i32 %42, -1
  %45 = select i1 %43, i1 %44, i1 false
  br i1 %45, label %46, label %82

46:
  %47 = load i64, ptr %9, align 16
  %48 = sub i64 0, %47
  %49 = getelementptr inbounds %struct.thread, ptr %0, i64 %48
  %50 = load ptr, ptr %0, align 128
  %51 = shl i32 %42, 2
  %52 = add i32 %51, 4
  %53 = getelementptr inbounds %struct.pool, ptr %50, i64 0, i32 6
  %54 = load atomic i32, ptr %53 monotonic, align 8
  %55 = add i32 %51, 8
  %56 = icmp slt i32 %52, %55
  %57 = icmp slt i32 %52, %54
  %58 = select i1 %56, i1 %57, i1 false
  br i1 %58, label %59, label %82

59:
  %60 = sext i32 %52 to i64
  %61 = sext i32 %54 to i64
  %62 = sext i32 %55 to i64
  br label %63

63:
  %64 = phi i64 [ %60, %59 ], [ %78, %77 ]
  %65 = getelementptr inbounds %struct.thread, ptr %49, i64 %64, i32 5
  %66 = load atomic i32, ptr %65 monotonic, align 4
  %67 = sext i32 %66 to i64
  %68 = getelementptr inbounds %struct.thread, ptr %49, i64 %67, i32 8
  %69 = load atomic i32, ptr %68 monotonic, align 4
  %70 = icmp eq i32 %69, 0
  br i1 %70, label %77, label %71

71:
  %72 = atomicrmw xchg ptr %68, i32 0 seq_cst, align 4
  %73 = icmp eq i32 %72, 0
  br i1 %73, label %77, label %74

74:
  %75 = getelementptr inbounds %struct.thread, ptr %49, i64 %67, i32 7
  %76 = call i64 (i64, ...) @syscall(i64 noundef 202, ptr noundef nonnull %75, i32 noundef 129, i32 noundef 1, ptr noundef null, ptr noundef null, i32 noundef 0) #12
  br label %77

77:
  %78 = add nsw i64 %64, 1
  %79 = icmp slt i64 %78, %62
  %80 = icmp slt i64 %78, %61
  %81 = select i1 %79, i1 %80, i1 false
  br i1 %81, label %63, label %82, !llvm.loop !16

82:
  %83 = phi i32 [ 0, %46 ], [ 0, %39 ], [ %20, %29 ], [ %20, %25 ], [ 0, %77 ]
  %84 = phi i64 [ 0, %46 ], [ 0, %39 ], [ %36, %29 ], [ %19, %25 ], [ 0, %77 ]
  %85 = add i32 %83, 1
  %86 = load atomic i32, ptr %5 acquire, align 64
  %87 = icmp eq i32 %86, %15
  br i1 %87, label %18, label %88, !llvm.loop !29

88:
  %89 = phi i32 [ %16, %14 ], [ %86, %82 ]
  %90 = and i32 %89, 3
  switch i32 %90, label %91 [
    i32 3, label %93
    i32 0, label %94
  ]

91:
  %92 = phi i32 [ %105, %98 ], [ %89, %94 ], [ %89, %88 ]
  br label %14, !llvm.loop !30

93:
  ret ptr null

94:
  %95 = add nuw i32 %89, 1
  %96 = cmpxchg ptr %5, i32 %89, i32 %95 seq_cst seq_cst, align 4
  %97 = extractvalue { i32, i1 } %96, 1
  br i1 %97, label %98, label %91

98:
  %99 = load i32, ptr %10, align 16
  store i32 %99, ptr %3, align 4
  call void @llvm.x86.sse.ldmxcsr(ptr nonnull %3)
  %100 = load ptr, ptr %11, align 8
  %101 = load ptr, ptr %12, align 16
  call fastcc void @share(ptr noundef nonnull %0, ptr noundef %100, ptr noundef %101)
  call void @llvm.x86.sse.stmxcsr(ptr nonnull %4)
  %102 = load i32, ptr %4, align 4
  %103 = load i32, ptr %13, align 32
  %104 = or i32 %103, %102
  store i32 %104, ptr %13, align 32
  %105 = add i32 %89, 2
  store atomic i32 %105, ptr %5 release, align 64
  br label %91
}

declare i32 @pthread_attr_destroy(ptr noundef) local_unnamed_addr #5

declare void @llvm.x86.sse.ldmxcsr(ptr) #12

define internal fastcc void @share(ptr noundef %0, ptr nocapture noundef readonly %1, ptr noundef %2) unnamed_addr #0 {
  %4 = getelementptr inbounds %struct.thread, ptr %0, i64 0, i32 2
  %5 = load i64, ptr %4, align 16
  %6 = sub i64 0, %5
  %7 = getelementptr inbounds %struct.thread, ptr %0, i64 %6
  %8 = tail call i64 @llvm.x86.rdtsc()
  %9 = getelementptr inbounds %struct.thread, ptr %0, i64 0, i32 11
  %10 = getelementptr inbounds %struct.thread, ptr %0, i64 0, i32 12
  %11 = load atomic i64, ptr %9 monotonic, align 8
  %12 = load i64, ptr %10, align 32
  %13 = icmp slt i64 %11, %12
  br i1 %13, label %14, label %37

14:
  %15 = getelementptr inbounds %struct.thread, ptr %0, i64 0, i32 13
  br label %16

16:
  %17 = phi i64 [ %29, %26 ], [ %12, %14 ]
  %18 = phi i1 [ false, %26 ], [ true, %14 ]
  %19 = load i64, ptr %15, align 8
  br label %20

20:
  %21 = atomicrmw add ptr %9, i64 %19 monotonic, align 8
  %22 = icmp slt i64 %21, %17
  br i1 %22, label %26, label %23

23:
  %24 = load atomic i64, ptr %9 monotonic, align 8
  %25 = icmp slt i64 %24, %17
  br i1 %25, label %20, label %32, !llvm.loop !17

26:
  %27 = add nsw i64 %21, %19
  %28 = tail call i64 @llvm.smin.i64(i64 %27, i64 %17)
  tail call void %1(ptr noundef nonnull %0, ptr noundef %2, i64 noundef %21, i64 noundef %28) #12
  %29 = load i64, ptr %10, align 32
  %30 = load atomic i64, ptr %9 monotonic, align 8
  %31 = icmp slt i64 %30, %29
  br i1 %31, label %16, label %33, !llvm.loop !17

32:
  br i1 %18, label %37, label %33

33:
  %34 = tail call i64 @llvm.x86.rdtsc()
  %35 = sub i64 %34, %8
  %36 = icmp ult i64 %35, 10000
  br i1 %36, label %80, label %37

37:
  %38 = getelementptr inbounds %struct.thread, ptr %0, i64 0, i32 15
  %39 = load i32, ptr %38, align 4
  %40 = icmp sgt i32 %39, 1
  br i1 %40, label %41, label %80

41:
  %42 = zext i32 %39 to i64
  br label %43

43:
  %44 = phi i32 [ %74, %73 ], [ %39, %41 ]
  %45 = phi i64 [ %76, %73 ], [ %42, %41 ]
  %46 = phi i64 [ %75, %73 ], [ 1, %41 ]
  %47 = load i64, ptr %4, align 16
  %48 = add nsw i64 %47, %46
  %49 = srem i64 %48, %45
  %50 = getelementptr inbounds %struct.thread, ptr %7, i64 %49
  %51 = getelementptr inbounds %struct.thread, ptr %50, i64 0, i32 11
  %52 = getelementptr inbounds %struct.thread, ptr %50, i64 0, i32 12
  %53 = load atomic i64, ptr %51 monotonic, align 8
  %54 = load i64, ptr %52, align 32
  %55 = icmp slt i64 %53, %54
  br i1 %55, label %56, label %73

56:
  %57 = getelementptr inbounds %struct.thread, ptr %50, i64 0, i32 13
  br label %58

58:
  %59 = phi i64 [ %54, %56 ], [ %68, %67 ]
  %60 = load i64, ptr %57, align 8
  %61 = atomicrmw add ptr %51, i64 %60 monotonic, align 8
  %62 = icmp slt i64 %61, %59
  br i1 %62, label %63, label %67

63:
  %64 = add nsw i64 %61, %60
  %65 = tail call i64 @llvm.smin.i64(i64 %64, i64 %59)
  tail call void %1(ptr noundef nonnull %0, ptr noundef %2, i64 noundef %61, i64 noundef %65) #12
  %66 = load i64, ptr %52, align 32
  br label %67

67:
  %68 = phi i64 [ %66, %63 ], [ %59, %58 ]
  %69 = load atomic i64, ptr %51 monotonic, align 8
  %70 = icmp slt i64 %69, %68
  br i1 %70, label %58, label %71, !llvm.loop !17

71:
  %72 = load i32, ptr %38, align 4
  br label %73

73:
  %74 = phi i32 [ %72, %71 ], [ %44, %43 ]
  %75 = add nuw nsw i64 %46, 1
  %76 = sext i32 %74 to i64
  %77 = icmp slt i64 %75, %76
  %78 = icmp ult i64 %46, 4
  %79 = and i1 %78, %77
  br i1 %79, label %43, label %80, !llvm.loop !18

80:
  ret void
}

declare void @llvm.x86.sse.stmxcsr(ptr) #13

declare void @llvm.x86.sse2.pause() #12

declare i32 @sched_yield() local_unnamed_addr #5

declare i32 @clock_gettime(i32 noundef, ptr noundef) local_unnamed_addr #5

declare i64 @syscall(i64 noundef, ...) local_unnamed_addr #5

declare i64 @llvm.x86.rdtsc() #12

declare i32 @pthread_setaffinity_np(i64 noundef, i64 noundef, ptr noundef) local_unnamed_addr #5

declare i32 @mprotect(ptr noundef, i64 noundef, i32 noundef) local_unnamed_addr #5

declare noalias noundef ptr @aligned_alloc(i64 allocalign noundef, i64 noundef) local_unnamed_addr #14

declare i64 @llvm.smin.i64(i64, i64) #15

declare i32 @bcmp(ptr nocapture, ptr nocapture, i64) local_unnamed_addr #16

declare i64 @llvm.umin.i64(i64, i64) #15

declare void @llvm.assume(i1 noundef) #17

attributes #0 = { nounwind "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind willreturn memory(argmem: readwrite) }
attributes #2 = { mustprogress nocallback nofree nounwind willreturn memory(argmem: readwrite) }
attributes #3 = { "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #4 = { noreturn nounwind "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #5 = { nounwind "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #6 = { mustprogress nounwind willreturn allockind("free") memory(argmem: readwrite, inaccessiblemem: readwrite) "alloc-family"="malloc" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #7 = { mustprogress nocallback nofree nounwind willreturn memory(argmem: write) }
attributes #8 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #9 = { mustprogress nofree nounwind willreturn memory(argmem: read) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #10 = { nofree "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #11 = { mustprogress nofree nounwind willreturn "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #12 = { nounwind }
attributes #13 = { nounwind memory(argmem: write) }
attributes #14 = { mustprogress nofree nounwind willreturn allockind("alloc,uninitialized,aligned") allocsize(1) memory(inaccessiblemem: readwrite) "alloc-family"="malloc" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #15 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #16 = { nofree nounwind willreturn memory(argmem: read) }
attributes #17 = { nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: readwrite) }
attributes #18 = { nounwind willreturn memory(read) }
attributes #19 = { nounwind allocsize(1) }
attributes #20 = { noreturn nounwind }

!llvm.module.flags = !{!0, !1}

!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 8, !"PIC Level", i32 2}
!2 = distinct !{!2, !3, !4}
!3 = !{!"llvm.loop.mustprogress"}
!4 = !{!"llvm.loop.unroll.disable"}
!5 = distinct !{!5, !3, !4}
!6 = distinct !{!6, !3, !4}
!7 = distinct !{!7, !3, !4}
!8 = !{i64 0, i64 65}
!9 = distinct !{!9, !3, !4}
!10 = distinct !{!10, !3, !4}
!11 = distinct !{!11, !3, !4}
!12 = distinct !{!12, !3, !4}
!13 = distinct !{!13, !3, !4}
!14 = distinct !{!14, !3, !4}
!15 = distinct !{!15, !3, !4}
!16 = distinct !{!16, !3, !4}
!17 = distinct !{!17, !3, !4}
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
!29 = distinct !{!29, !4}
!30 = distinct !{!30, !4}
