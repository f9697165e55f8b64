; 759cca2361648efc14378d20a83d161418aa44ad3f75fa05a561d8f98fe34013 of pool.h, processor.h, runtime.c; by runtime.sh
target triple = "aarch64-unknown-linux-gnu"

%struct.state = type { %struct.pool, i32, i32, %struct.atomic_flag, i64, i64, [64 x %struct.kept], i32, [28 x i8], [256 x %struct.thread] }
%struct.pool = type { ptr, i64, i64, i64, i32, i32, i32, ptr, i32 }
%struct.atomic_flag = type { i8 }
%struct.kept = type { ptr, i64, i64 }
%struct.thread = type { ptr, ptr, i64, i64, i32, i32, [24 x i8], i32, i32, ptr, ptr, i64, i64, i64, i32, i32, i32 }
%struct.cpu_set_t = type { [16 x i64] }
%struct.__sigset_t = type { [16 x i64] }
%union.pthread_attr_t = type { i64, [56 x i8] }
%struct.job = type { ptr, ptr }
%struct.timespec = type { i64, i64 }

@wanted = internal unnamed_addr global i64 0, align 8
@cpus = internal unnamed_addr global [256 x i32] zeroinitializer, align 4
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
@__const.quota.folders = private unnamed_addr constant [4 x ptr] [ptr @.str.3, ptr @.str.4, ptr @.str.5, ptr @.str.6], align 8
@.str.7 = private unnamed_addr constant [4 x i8] c"cpu\00", align 1
@climb.max = internal unnamed_addr constant [9 x i8] c"/cpu.max\00", align 1
@climb.quota = internal unnamed_addr constant [18 x i8] c"/cpu.cfs_quota_us\00", align 1
@climb.period = internal unnamed_addr constant [19 x i8] c"/cpu.cfs_period_us\00", align 1
@__const.start.faults = private unnamed_addr constant [7 x i32] [i32 4, i32 5, i32 6, i32 7, i32 8, i32 11, i32 31], align 4

define void @wmtune_pool_init(i64 noundef %0, ptr noundef readonly %1) local_unnamed_addr #0 {
  %3 = tail call fastcc ptr @state() #15
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
  tail call void @llvm.memcpy.p0.p0.i64(ptr nonnull align 4 @cpus, ptr nonnull align 4 %1, i64 %15, i1 false)
  store i1 true, ptr @pinned, align 4
  br label %16

16:
  tail call fastcc void @begin(ptr noundef nonnull %3) #15
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
  %9 = tail call i32 @getpid() #16
  %10 = icmp eq i32 %6, %9
  br i1 %10, label %28, label %11

11:
  %12 = tail call ptr @mmap(ptr noundef null, i64 noundef 34432, i32 noundef 3, i32 noundef 34, i32 noundef -1, i64 noundef 0) #16
  %13 = icmp eq ptr %12, inttoptr (i64 -1 to ptr)
  br i1 %13, label %28, label %14

14:
  %15 = tail call i32 @madvise(ptr noundef %12, i64 noundef 34432, i32 noundef 18) #16
  %16 = icmp eq i32 %15, 0
  br i1 %16, label %20, label %17

17:
  %18 = tail call i32 @getpid() #16
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
  %27 = tail call i32 @munmap(ptr noundef %12, i64 noundef 34432) #16
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
  %6 = alloca [4096 x i8], align 1
  %7 = alloca [1024 x i8], align 1
  %8 = alloca [16 x i64], align 8
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
  call void @llvm.lifetime.start.p0(i64 128, ptr nonnull %8) #17
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 8 dereferenceable(128) %8, i8 0, i64 128, i1 false)
  call void @llvm.lifetime.start.p0(i64 4096, ptr nonnull %6) #17
  call void @llvm.lifetime.start.p0(i64 1024, ptr nonnull %7) #17
  %19 = tail call i32 (ptr, i32, ...) @open(ptr noundef nonnull @.str.1, i32 noundef 524288) #16
  %20 = icmp slt i32 %19, 0
  br i1 %20, label %116, label %21

21:
  %22 = phi i64 [ %27, %21 ], [ 0, %18 ]
  %23 = getelementptr inbounds i8, ptr %6, i64 %22
  %24 = sub i64 4096, %22
  %25 = call i64 @read(i32 noundef %19, ptr noundef nonnull %23, i64 noundef %24) #16
  %26 = icmp sgt i64 %25, 0
  %27 = add i64 %25, %22
  br i1 %26, label %21, label %28

28:
  %29 = tail call i32 @close(i32 noundef %19) #16
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 1 dereferenceable(14) %7, ptr noundef nonnull align 1 dereferenceable(14) @.str.2, i64 14, i1 false)
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
  br i1 %86, label %109, label %65

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
  call void @llvm.memcpy.p0.p0.i64(ptr nonnull align 1 %35, ptr align 1 %99, i64 %101, i1 false)
  %102 = call fastcc i64 @climb(ptr noundef nonnull %7, ptr noundef nonnull %52, i64 noundef %61, i32 noundef %91, i64 noundef %97) #15
  %103 = add nuw nsw i64 %96, 1
  %104 = icmp eq i64 %103, %88
  br i1 %104, label %92, label %95

105:
  store i8 47, ptr %35, align 1
  call void @llvm.memcpy.p0.p0.i64(ptr nonnull align 1 %36, ptr nonnull align 1 %47, i64 %60, i1 false)
  %106 = add nuw nsw i64 %59, 13
  %107 = getelementptr inbounds [1024 x i8], ptr %7, i64 0, i64 %106
  store i8 0, ptr %107, align 1
  %108 = call fastcc i64 @climb(ptr noundef nonnull %7, ptr noundef nonnull %52, i64 noundef %61, i32 noundef 1, i64 noundef %102) #15
  br label %109

109:
  %110 = phi i64 [ %40, %54 ], [ %40, %46 ], [ %108, %105 ], [ %102, %92 ], [ %40, %37 ], [ %40, %63 ], [ %40, %83 ]
  %111 = getelementptr inbounds i8, ptr %38, i64 1
  %112 = ptrtoint ptr %111 to i64
  %113 = sub i64 %30, %112
  %114 = call ptr @memchr(ptr noundef nonnull %111, i32 noundef 10, i64 noundef %113) #18
  %115 = icmp eq ptr %114, null
  br i1 %115, label %116, label %37

116:
  %117 = phi i64 [ 64, %18 ], [ 64, %28 ], [ %110, %109 ]
  call void @llvm.lifetime.end.p0(i64 1024, ptr nonnull %7) #17
  call void @llvm.lifetime.end.p0(i64 4096, ptr nonnull %6) #17
  %118 = call i32 @sched_getaffinity(i32 noundef 0, i64 noundef 128, ptr noundef nonnull %8) #16
  br label %119

119:
  %120 = phi i64 [ 0, %116 ], [ %126, %119 ]
  %121 = phi i64 [ 0, %116 ], [ %125, %119 ]
  %122 = getelementptr inbounds [16 x i64], ptr %8, i64 0, i64 %120
  %123 = load i64, ptr %122, align 8
  %124 = call i64 @llvm.ctpop.i64(i64 %123)
  %125 = add nuw nsw i64 %124, %121
  %126 = add nuw nsw i64 %120, 1
  %127 = icmp eq i64 %126, 16
  br i1 %127, label %128, label %119

128:
  %129 = icmp eq i64 %125, 0
  %130 = select i1 %129, i64 1, i64 %125
  %131 = call i64 @llvm.smin.i64(i64 %130, i64 %117)
  call void @llvm.lifetime.end.p0(i64 128, ptr nonnull %8) #17
  %132 = getelementptr inbounds %struct.pool, ptr %0, i64 0, i32 1
  store i64 %131, ptr %132, align 8
  %133 = icmp sgt i64 %131, 0
  br i1 %133, label %134, label %136

134:
  %135 = phi ptr [ %17, %16 ], [ %132, %128 ]
  br label %188

136:
  %137 = phi ptr [ %132, %128 ], [ %135, %188 ]
  call void @llvm.lifetime.start.p0(i64 128, ptr nonnull %3) #17
  call void @llvm.lifetime.start.p0(i64 128, ptr nonnull %4) #17
  call void @llvm.lifetime.start.p0(i64 64, ptr nonnull %5) #17
  %138 = call i32 @getpid() #16
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
  %151 = call i32 @pthread_attr_init(ptr noundef nonnull %5) #16
  %152 = icmp eq i32 %151, 0
  br i1 %152, label %153, label %186

153:
  %154 = call i32 @pthread_attr_setstacksize(ptr noundef nonnull %5, i64 noundef 2097152) #16
  %155 = call i32 @sigfillset(ptr noundef nonnull %3) #16
  br label %161

156:
  %157 = call i32 @pthread_sigmask(i32 noundef 2, ptr noundef nonnull %3, ptr noundef nonnull %4) #16
  %158 = load i64, ptr %146, align 8
  %159 = load i64, ptr %137, align 8
  %160 = icmp slt i64 %158, %159
  br i1 %160, label %168, label %182

161:
  %162 = phi i64 [ 0, %153 ], [ %166, %161 ]
  %163 = getelementptr inbounds [7 x i32], ptr @__const.start.faults, i64 0, i64 %162
  %164 = load i32, ptr %163, align 4
  %165 = call i32 @sigdelset(ptr noundef nonnull %3, i32 noundef %164) #16
  %166 = add nuw nsw i64 %162, 1
  %167 = icmp eq i64 %166, 7
  br i1 %167, label %156, label %161

168:
  %169 = phi i64 [ %179, %178 ], [ %158, %156 ]
  %170 = load ptr, ptr %0, align 8
  %171 = getelementptr inbounds %struct.thread, ptr %170, i64 %169
  %172 = getelementptr inbounds %struct.thread, ptr %170, i64 %169, i32 7
  store atomic i32 2, ptr %172 seq_cst, align 4
  %173 = getelementptr inbounds %struct.thread, ptr %170, i64 %169, i32 8
  store atomic i32 0, ptr %173 seq_cst, align 4
  %174 = getelementptr inbounds %struct.thread, ptr %170, i64 %169, i32 3
  %175 = call i32 @pthread_create(ptr noundef nonnull %174, ptr noundef nonnull %5, ptr noundef nonnull @work, ptr noundef %171) #16
  %176 = icmp eq i32 %175, 0
  %177 = load i64, ptr %146, align 8
  br i1 %176, label %178, label %182

178:
  %179 = add nsw i64 %177, 1
  store i64 %179, ptr %146, align 8
  %180 = load i64, ptr %137, align 8
  %181 = icmp slt i64 %179, %180
  br i1 %181, label %168, label %182

182:
  %183 = phi i64 [ %158, %156 ], [ %179, %178 ], [ %177, %168 ]
  store i64 %183, ptr %145, align 8
  %184 = call i32 @pthread_sigmask(i32 noundef 2, ptr noundef nonnull %4, ptr noundef null) #16
  %185 = call i32 @pthread_attr_destroy(ptr noundef nonnull %5) #16
  br label %186

186:
  call void @llvm.lifetime.end.p0(i64 64, ptr nonnull %5) #17
  call void @llvm.lifetime.end.p0(i64 128, ptr nonnull %4) #17
  call void @llvm.lifetime.end.p0(i64 128, ptr nonnull %3) #17
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
  br i1 %196, label %188, label %136

197:
  %198 = load i64, ptr %146, align 8
  %199 = icmp sgt i64 %198, 1
  br i1 %199, label %200, label %219

200:
  %201 = phi i64 [ %216, %200 ], [ 1, %197 ]
  call void @llvm.lifetime.start.p0(i64 128, ptr nonnull %2) #17
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
  %215 = call i32 @pthread_setaffinity_np(i64 noundef %214, i64 noundef 128, ptr noundef nonnull %2) #16
  call void @llvm.lifetime.end.p0(i64 128, ptr nonnull %2) #17
  %216 = add nuw nsw i64 %201, 1
  %217 = load i64, ptr %146, align 8
  %218 = icmp slt i64 %216, %217
  br i1 %218, label %200, label %219

219:
  %220 = getelementptr inbounds %struct.state, ptr %0, i64 0, i32 2
  store atomic i32 1, ptr %220 release, align 4
  br label %221

221:
  ret void
}

declare void @llvm.lifetime.end.p0(i64 immarg, ptr nocapture) #1

define hidden void @wmtune_parallel_for(ptr noundef %0, ptr noundef %1, i64 noundef %2) local_unnamed_addr #0 {
  %4 = alloca %struct.job, align 8
  call void @llvm.lifetime.start.p0(i64 16, ptr nonnull %4) #17
  store ptr %0, ptr %4, align 8
  %5 = getelementptr inbounds %struct.job, ptr %4, i64 0, i32 1
  store ptr %1, ptr %5, align 8
  %6 = icmp slt i64 %2, 1
  br i1 %6, label %187, label %7

7:
  %8 = icmp eq i64 %2, 1
  br i1 %8, label %186, label %9

9:
  %10 = tail call fastcc ptr @state() #15
  %11 = icmp eq ptr %10, null
  br i1 %11, label %186, label %12

12:
  %13 = getelementptr inbounds %struct.state, ptr %10, i64 0, i32 2
  %14 = load atomic i32, ptr %13 acquire, align 4
  %15 = icmp eq i32 %14, 0
  br i1 %15, label %16, label %17

16:
  tail call fastcc void @begin(ptr noundef nonnull %10) #15
  br label %17

17:
  %18 = load atomic i32, ptr %13 acquire, align 4
  %19 = icmp eq i32 %18, 0
  br i1 %19, label %186, label %20

20:
  %21 = getelementptr inbounds %struct.state, ptr %10, i64 0, i32 9
  %22 = getelementptr inbounds %struct.pool, ptr %10, i64 0, i32 3
  %23 = load i64, ptr %22, align 8
  %24 = tail call i64 @llvm.smin.i64(i64 %23, i64 %2)
  %25 = tail call { i64, i64 } asm sideeffect "mrs $0, fpcr\0A\09mrs $1, fpsr", "=r,=r,~{memory}"() #17
  %26 = extractvalue { i64, i64 } %25, 0
  %27 = extractvalue { i64, i64 } %25, 1
  %28 = trunc i64 %26 to i32
  %29 = lshr i32 %28, 8
  %30 = and i32 %29, 16384
  %31 = lshr i32 %28, 10
  %32 = and i32 %31, 8192
  %33 = and i64 %26, 16777216
  %34 = icmp eq i64 %33, 0
  %35 = select i1 %34, i32 0, i32 32832
  %36 = trunc i64 %27 to i32
  %37 = lshr i32 %36, 6
  %38 = and i32 %37, 2
  %39 = or i32 %32, %30
  %40 = or i32 %39, %35
  %41 = or i32 %40, %38
  %42 = or i32 %41, 8064
  %43 = icmp slt i64 %24, 2
  br i1 %43, label %48, label %44

44:
  %45 = getelementptr inbounds %struct.pool, ptr %10, i64 0, i32 5
  %46 = atomicrmw xchg ptr %45, i32 1 acquire, align 4
  %47 = icmp eq i32 %46, 0
  br i1 %47, label %51, label %48

48:
  %49 = load ptr, ptr %4, align 8
  %50 = load ptr, ptr %5, align 8
  tail call void %49(ptr noundef %50, i64 noundef 0, i64 noundef %2) #16
  br label %187

51:
  %52 = load ptr, ptr %10, align 8
  %53 = freeze i64 %24
  %54 = udiv i64 %2, %53
  %55 = mul i64 %54, %53
  %56 = sub i64 %2, %55
  %57 = trunc i64 %24 to i32
  br label %61

58:
  %59 = getelementptr inbounds %struct.pool, ptr %10, i64 0, i32 6
  store atomic i32 %95, ptr %59 monotonic, align 8
  %60 = icmp sgt i64 %24, 1
  br i1 %60, label %100, label %98

61:
  %62 = phi i32 [ 0, %51 ], [ %95, %94 ]
  %63 = phi i64 [ 0, %51 ], [ %96, %94 ]
  %64 = phi i64 [ 0, %51 ], [ %69, %94 ]
  %65 = icmp slt i64 %63, %56
  %66 = zext i1 %65 to i64
  %67 = add nsw i64 %54, %66
  %68 = getelementptr inbounds %struct.thread, ptr %52, i64 %63, i32 11
  store atomic i64 %64, ptr %68 monotonic, align 8
  %69 = add nsw i64 %67, %64
  %70 = getelementptr inbounds %struct.thread, ptr %52, i64 %63, i32 12
  store i64 %69, ptr %70, align 32
  %71 = add nsw i64 %67, 7
  %72 = lshr i64 %71, 3
  %73 = getelementptr inbounds %struct.thread, ptr %52, i64 %63, i32 13
  store i64 %72, ptr %73, align 8
  %74 = getelementptr inbounds %struct.thread, ptr %52, i64 %63, i32 9
  store ptr @run, ptr %74, align 8
  %75 = getelementptr inbounds %struct.thread, ptr %52, i64 %63, i32 10
  store ptr %4, ptr %75, align 16
  %76 = getelementptr inbounds %struct.thread, ptr %52, i64 %63, i32 14
  store i32 %42, ptr %76, align 16
  %77 = getelementptr inbounds %struct.thread, ptr %52, i64 %63, i32 15
  store i32 %57, ptr %77, align 4
  %78 = icmp eq i64 %63, 0
  br i1 %78, label %94, label %79

79:
  %80 = getelementptr inbounds %struct.thread, ptr %52, i64 %63, i32 8
  %81 = load atomic i32, ptr %80 monotonic, align 4
  %82 = getelementptr inbounds %struct.thread, ptr %52, i64 %63, i32 16
  %83 = icmp ne i32 %81, 0
  %84 = select i1 %83, i32 %62, i32 -1
  store atomic i32 %84, ptr %82 monotonic, align 8
  br i1 %83, label %85, label %91

85:
  %86 = sext i32 %62 to i64
  %87 = getelementptr inbounds %struct.thread, ptr %52, i64 %86, i32 5
  %88 = getelementptr inbounds %struct.thread, ptr %52, i64 %63, i32 2
  %89 = load i64, ptr %88, align 16
  %90 = trunc i64 %89 to i32
  store atomic i32 %90, ptr %87 monotonic, align 4
  br label %91

91:
  %92 = zext i1 %83 to i32
  %93 = add nsw i32 %62, %92
  br label %94

94:
  %95 = phi i32 [ %93, %91 ], [ %62, %61 ]
  %96 = add nuw nsw i64 %63, 1
  %97 = icmp eq i64 %96, %24
  br i1 %97, label %58, label %61

98:
  %99 = icmp eq i32 %95, 0
  br i1 %99, label %129, label %114

100:
  %101 = phi i64 [ %112, %111 ], [ 1, %58 ]
  %102 = getelementptr inbounds %struct.thread, ptr %52, i64 %101, i32 7
  %103 = load atomic i32, ptr %102 monotonic, align 64
  %104 = and i32 %103, -4
  %105 = add i32 %104, 4
  store atomic i32 %105, ptr %102 release, align 64
  %106 = getelementptr inbounds %struct.thread, ptr %52, i64 %101, i32 16
  %107 = load atomic i32, ptr %106 monotonic, align 8
  %108 = icmp slt i32 %107, 0
  br i1 %108, label %109, label %111

109:
  %110 = getelementptr inbounds %struct.thread, ptr %52, i64 %101
  call fastcc void @wake(ptr noundef nonnull %110) #15
  br label %111

111:
  %112 = add nuw nsw i64 %101, 1
  %113 = icmp eq i64 %112, %24
  br i1 %113, label %98, label %100

114:
  %115 = load atomic i32, ptr %59 monotonic, align 8
  %116 = icmp sgt i32 %115, 0
  br i1 %116, label %117, label %129

117:
  %118 = zext i32 %115 to i64
  %119 = add nsw i64 %118, -1
  %120 = call i64 @llvm.umin.i64(i64 %119, i64 3)
  br label %121

121:
  %122 = phi i64 [ 0, %117 ], [ %127, %121 ]
  %123 = getelementptr inbounds %struct.thread, ptr %52, i64 %122, i32 5
  %124 = load atomic i32, ptr %123 monotonic, align 4
  %125 = sext i32 %124 to i64
  %126 = getelementptr inbounds %struct.thread, ptr %52, i64 %125
  call fastcc void @wake(ptr noundef %126) #15
  %127 = add nuw nsw i64 %122, 1
  %128 = icmp eq i64 %122, %120
  br i1 %128, label %129, label %121

129:
  call fastcc void @share(ptr noundef nonnull %21, ptr noundef nonnull @run, ptr noundef nonnull %4) #15
  br i1 %60, label %131, label %130

130:
  store atomic i32 0, ptr %45 release, align 4
  br label %187

131:
  %132 = phi i64 [ %184, %183 ], [ 1, %129 ]
  %133 = getelementptr inbounds %struct.thread, ptr %52, i64 %132, i32 7
  %134 = load atomic i32, ptr %133 acquire, align 64
  %135 = and i32 %134, 3
  %136 = icmp eq i32 %135, 0
  br i1 %136, label %137, label %142

137:
  %138 = add nuw i32 %134, 2
  %139 = cmpxchg ptr %133, i32 %134, i32 %138 seq_cst seq_cst, align 4
  %140 = extractvalue { i32, i1 } %139, 1
  %141 = zext i1 %140 to i32
  br label %142

142:
  %143 = phi i32 [ 0, %131 ], [ %141, %137 ]
  %144 = getelementptr inbounds %struct.thread, ptr %52, i64 %132, i32 11
  %145 = getelementptr inbounds %struct.thread, ptr %52, i64 %132, i32 12
  %146 = load atomic i64, ptr %144 monotonic, align 8
  %147 = load i64, ptr %145, align 32
  %148 = icmp slt i64 %146, %147
  br i1 %148, label %149, label %166

149:
  %150 = getelementptr inbounds %struct.thread, ptr %52, i64 %132, i32 13
  br label %151

151:
  %152 = phi i64 [ %147, %149 ], [ %163, %162 ]
  %153 = load i64, ptr %150, align 8
  %154 = atomicrmw add ptr %144, i64 %153 monotonic, align 8
  %155 = icmp slt i64 %154, %152
  br i1 %155, label %156, label %162

156:
  %157 = add nsw i64 %154, %153
  %158 = call i64 @llvm.smin.i64(i64 %157, i64 %152)
  %159 = load ptr, ptr %4, align 8
  %160 = load ptr, ptr %5, align 8
  call void %159(ptr noundef %160, i64 noundef %154, i64 noundef %158) #16
  %161 = load i64, ptr %145, align 32
  br label %162

162:
  %163 = phi i64 [ %161, %156 ], [ %152, %151 ]
  %164 = load atomic i64, ptr %144 monotonic, align 8
  %165 = icmp slt i64 %164, %163
  br i1 %165, label %151, label %166

166:
  %167 = icmp eq i32 %143, 0
  br i1 %167, label %168, label %183

168:
  %169 = load atomic i32, ptr %133 acquire, align 64
  %170 = and i32 %169, 3
  %171 = icmp eq i32 %170, 2
  br i1 %171, label %183, label %172

172:
  %173 = phi i32 [ %179, %178 ], [ 0, %168 ]
  %174 = icmp ult i32 %173, 2000
  br i1 %174, label %175, label %176

175:
  call void asm sideeffect "isb", "~{memory}"() #17
  br label %178

176:
  %177 = call i32 @sched_yield() #16
  br label %178

178:
  %179 = add i32 %173, 1
  %180 = load atomic i32, ptr %133 acquire, align 64
  %181 = and i32 %180, 3
  %182 = icmp eq i32 %181, 2
  br i1 %182, label %183, label %172

183:
  %184 = add nuw nsw i64 %132, 1
  %185 = icmp eq i64 %184, %24
  br i1 %185, label %130, label %131

186:
  tail call void %0(ptr noundef %1, i64 noundef 0, i64 noundef %2) #16
  br label %187

187:
  call void @llvm.lifetime.end.p0(i64 16, ptr nonnull %4) #17
  ret void
}

define internal void @run(ptr nocapture readnone %0, ptr nocapture noundef readonly %1, i64 noundef %2, i64 noundef %3) #0 {
  %5 = load ptr, ptr %1, align 8
  %6 = getelementptr inbounds %struct.job, ptr %1, i64 0, i32 1
  %7 = load ptr, ptr %6, align 8
  tail call void %5(ptr noundef %7, i64 noundef %2, i64 noundef %3) #16
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
  %10 = tail call fastcc ptr @state() #15
  %11 = load i32, ptr @wmtune_guard_blocks, align 4
  %12 = icmp eq i32 %11, 0
  br i1 %12, label %34, label %17

13:
  %14 = tail call fastcc ptr @state() #15
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
  %25 = tail call ptr @mmap(ptr noundef null, i64 noundef %24, i32 noundef 3, i32 noundef 34, i32 noundef -1, i64 noundef 0) #16
  %26 = icmp eq ptr %25, inttoptr (i64 -1 to ptr)
  br i1 %26, label %128, label %27

27:
  %28 = getelementptr inbounds i8, ptr %25, i64 4096
  %29 = getelementptr inbounds i8, ptr %28, i64 %23
  store i64 %24, ptr %25, align 8
  tail call void @llvm.memset.p0.i64(ptr nonnull align 1 %28, i8 -1, i64 %23, i1 false)
  %30 = tail call i32 @mprotect(ptr noundef nonnull %25, i64 noundef 4096, i32 noundef 1) #16
  %31 = tail call i32 @mprotect(ptr noundef nonnull %29, i64 noundef 4096, i32 noundef 0) #16
  %32 = sub nsw i64 0, %21
  %33 = getelementptr inbounds i8, ptr %29, i64 %32
  br label %130

34:
  %35 = phi ptr [ %14, %13 ], [ %10, %5 ]
  %36 = phi i64 [ %3, %13 ], [ %9, %5 ]
  %37 = icmp eq ptr %35, null
  br i1 %37, label %125, label %38

38:
  %39 = getelementptr inbounds %struct.state, ptr %35, i64 0, i32 3
  %40 = atomicrmw xchg ptr %39, i8 1 acquire, align 1
  %41 = and i8 %40, 1
  %42 = icmp eq i8 %41, 0
  br i1 %42, label %48, label %43

43:
  %44 = tail call i32 @sched_yield() #16
  %45 = atomicrmw xchg ptr %39, i8 1 acquire, align 1
  %46 = and i8 %45, 1
  %47 = icmp eq i8 %46, 0
  br i1 %47, label %48, label %43

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
  br i1 %59, label %99, label %89

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
  br i1 %88, label %60, label %54

89:
  %90 = icmp slt i64 %51, 64
  br i1 %90, label %91, label %94

91:
  %92 = add nsw i64 %51, 1
  store i64 %92, ptr %50, align 8
  %93 = getelementptr inbounds %struct.state, ptr %35, i64 0, i32 6, i64 %51
  br label %99

94:
  %95 = tail call fastcc ptr @oldest(ptr noundef nonnull %35) #15
  %96 = icmp eq ptr %95, null
  br i1 %96, label %119, label %97

97:
  %98 = load ptr, ptr %95, align 8
  tail call void @free(ptr noundef %98) #16
  store ptr null, ptr %95, align 8
  br label %99

99:
  %100 = phi ptr [ %56, %54 ], [ %93, %91 ], [ %95, %97 ]
  %101 = icmp eq ptr %55, null
  %102 = icmp ne ptr %100, null
  %103 = select i1 %101, i1 %102, i1 false
  br i1 %103, label %104, label %118

104:
  %105 = tail call fastcc ptr @fresh(i64 noundef %36) #15
  %106 = icmp eq ptr %105, null
  br i1 %106, label %107, label %115

107:
  %108 = tail call fastcc ptr @oldest(ptr noundef nonnull %35) #15
  %109 = icmp eq ptr %108, null
  br i1 %109, label %114, label %110

110:
  %111 = load ptr, ptr %108, align 8
  tail call void @free(ptr noundef %111) #16
  store ptr null, ptr %108, align 8
  %112 = tail call fastcc ptr @fresh(i64 noundef %36) #15
  %113 = icmp eq ptr %112, null
  br i1 %113, label %107, label %115

114:
  store ptr null, ptr %100, align 8
  br label %119

115:
  %116 = phi ptr [ %105, %104 ], [ %112, %110 ]
  store ptr %116, ptr %100, align 8
  %117 = getelementptr inbounds %struct.kept, ptr %100, i64 0, i32 1
  store i64 %36, ptr %117, align 8
  br label %120

118:
  br i1 %101, label %119, label %120

119:
  store atomic i8 0, ptr %39 release, align 8
  br label %125

120:
  %121 = phi ptr [ %100, %115 ], [ %55, %118 ]
  %122 = getelementptr inbounds %struct.kept, ptr %121, i64 0, i32 2
  store i64 0, ptr %122, align 8
  store atomic i8 0, ptr %39 release, align 8
  %123 = load ptr, ptr %121, align 8
  %124 = icmp eq ptr %123, null
  br i1 %124, label %125, label %130

125:
  %126 = tail call fastcc ptr @fresh(i64 noundef %36) #15
  %127 = icmp eq ptr %126, null
  br i1 %127, label %128, label %130

128:
  %129 = tail call i32 (i32, ptr, ...) @dprintf(i32 noundef 2, ptr noundef nonnull @.str, i64 noundef %0) #16
  tail call void @abort() #19
  unreachable

130:
  %131 = phi ptr [ %126, %125 ], [ %33, %27 ], [ %123, %120 ]
  ret ptr %131
}

define internal fastcc ptr @fresh(i64 noundef %0) unnamed_addr #0 {
  %2 = icmp slt i64 %0, 2097152
  br i1 %2, label %3, label %5

3:
  %4 = tail call noalias align 64 ptr @aligned_alloc(i64 noundef 64, i64 noundef %0) #20
  br label %10

5:
  %6 = tail call noalias align 2097152 ptr @aligned_alloc(i64 noundef 2097152, i64 noundef %0) #20
  %7 = icmp eq ptr %6, null
  br i1 %7, label %10, label %8

8:
  %9 = tail call i32 @madvise(ptr noundef nonnull %6, i64 noundef %0, i32 noundef 14) #16
  br label %10

10:
  %11 = phi ptr [ %4, %3 ], [ %6, %8 ], [ null, %5 ]
  ret ptr %11
}

declare i32 @dprintf(i32 noundef, ptr noundef, ...) local_unnamed_addr #3

declare void @abort() local_unnamed_addr #4

define hidden void @wmtune_free(ptr noundef %0) local_unnamed_addr #0 {
  %2 = tail call fastcc ptr @state() #15
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
  %13 = tail call i32 @munmap(ptr noundef nonnull %11, i64 noundef %12) #16
  br label %77

14:
  %15 = icmp ne ptr %2, null
  %16 = select i1 %5, i1 %15, i1 false
  br i1 %16, label %17, label %76

17:
  %18 = getelementptr inbounds %struct.state, ptr %2, i64 0, i32 3
  %19 = atomicrmw xchg ptr %18, i8 1 acquire, align 1
  %20 = and i8 %19, 1
  %21 = icmp eq i8 %20, 0
  br i1 %21, label %27, label %22

22:
  %23 = tail call i32 @sched_yield() #16
  %24 = atomicrmw xchg ptr %18, i8 1 acquire, align 1
  %25 = and i8 %24, 1
  %26 = icmp eq i8 %25, 0
  br i1 %26, label %27, label %22

27:
  %28 = getelementptr inbounds %struct.state, ptr %2, i64 0, i32 6
  %29 = getelementptr inbounds %struct.state, ptr %2, i64 0, i32 5
  %30 = load i64, ptr %29, align 8
  %31 = icmp sgt i64 %30, 0
  br i1 %31, label %33, label %32

32:
  store atomic i8 0, ptr %18 release, align 8
  br label %76

33:
  %34 = getelementptr inbounds %struct.state, ptr %2, i64 0, i32 4
  br label %37

35:
  %36 = icmp sgt i64 %61, 268435456
  br i1 %36, label %66, label %74

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
  br i1 %65, label %37, label %35

66:
  %67 = phi i64 [ %72, %66 ], [ %61, %35 ]
  %68 = tail call fastcc ptr @oldest(ptr noundef nonnull %2) #15
  %69 = load ptr, ptr %68, align 8
  tail call void @free(ptr noundef %69) #16
  store ptr null, ptr %68, align 8
  %70 = getelementptr inbounds %struct.kept, ptr %68, i64 0, i32 1
  %71 = load i64, ptr %70, align 8
  %72 = sub nsw i64 %67, %71
  %73 = icmp sgt i64 %72, 268435456
  br i1 %73, label %66, label %74

74:
  store atomic i8 0, ptr %18 release, align 8
  %75 = icmp eq i32 %50, 0
  br i1 %75, label %76, label %77

76:
  tail call void @free(ptr noundef %0) #16
  br label %77

77:
  ret void
}

declare i32 @munmap(ptr noundef, i64 noundef) local_unnamed_addr #0

declare void @free(ptr allocptr nocapture noundef) local_unnamed_addr #5

define hidden void @wmtune_repeat(ptr nocapture noundef readonly %0, ptr noundef %1, i64 noundef %2) local_unnamed_addr #0 {
  %4 = icmp sgt i64 %2, 0
  br i1 %4, label %6, label %5

5:
  ret void

6:
  %7 = phi i64 [ %8, %6 ], [ 0, %3 ]
  tail call void %0(ptr noundef %1) #16
  %8 = add nuw nsw i64 %7, 1
  %9 = icmp eq i64 %8, %2
  br i1 %9, label %5, label %6
}

declare i32 @getpid() local_unnamed_addr #0

declare ptr @mmap(ptr noundef, i64 noundef, i32 noundef, i32 noundef, i32 noundef, i64 noundef) local_unnamed_addr #0

declare i32 @madvise(ptr noundef, i64 noundef, i32 noundef) local_unnamed_addr #0

declare void @llvm.memset.p0.i64(ptr nocapture writeonly, i8, i64, i1 immarg) #6

declare i32 @sched_getaffinity(i32 noundef, i64 noundef, ptr noundef) local_unnamed_addr #0

declare i64 @llvm.ctpop.i64(i64) #7

declare i64 @strlen(ptr nocapture noundef) local_unnamed_addr #8

declare noundef i32 @open(ptr nocapture noundef readonly, i32 noundef, ...) local_unnamed_addr #9

declare noundef i64 @read(i32 noundef, ptr nocapture noundef, i64 noundef) local_unnamed_addr #9

declare i32 @close(i32 noundef) local_unnamed_addr #3

declare ptr @memchr(ptr noundef, i32 noundef, i64 noundef) local_unnamed_addr #8

define internal fastcc i64 @climb(ptr nocapture noundef readonly %0, ptr nocapture noundef readonly %1, i64 noundef %2, i32 noundef %3, i64 noundef %4) unnamed_addr #0 {
  %6 = alloca [1024 x i8], align 1
  %7 = alloca i64, align 8
  call void @llvm.lifetime.start.p0(i64 1024, ptr nonnull %6) #17
  %8 = tail call i64 @strlen(ptr noundef nonnull dereferenceable(1) %0) #18
  %9 = add i64 %8, %2
  %10 = add i64 %9, -1006
  %11 = icmp ult i64 %10, -1025
  br i1 %11, label %58, label %12

12:
  call void @llvm.memcpy.p0.p0.i64(ptr nonnull align 1 %6, ptr align 1 %0, i64 %8, i1 false)
  %13 = getelementptr inbounds i8, ptr %6, i64 %8
  call void @llvm.memcpy.p0.p0.i64(ptr nonnull align 1 %13, ptr align 1 %1, i64 %2, i1 false)
  %14 = icmp eq i32 %3, 0
  %15 = select i1 %14, ptr @climb.max, ptr @climb.quota
  %16 = select i1 %14, i64 9, i64 18
  br label %17

17:
  %18 = phi i64 [ %4, %12 ], [ %48, %57 ]
  %19 = phi i64 [ %9, %12 ], [ %53, %57 ]
  %20 = call i64 @llvm.umin.i64(i64 %8, i64 %19)
  br label %21

21:
  %22 = phi i64 [ %19, %17 ], [ %25, %24 ]
  %23 = icmp ugt i64 %22, %8
  br i1 %23, label %24, label %29

24:
  %25 = add i64 %22, -1
  %26 = getelementptr inbounds [1024 x i8], ptr %6, i64 0, i64 %25
  %27 = load i8, ptr %26, align 1
  %28 = icmp eq i8 %27, 47
  br i1 %28, label %21, label %29

29:
  %30 = phi i64 [ %20, %21 ], [ %22, %24 ]
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %7) #17
  store i64 0, ptr %7, align 8
  %31 = getelementptr inbounds i8, ptr %6, i64 %30
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 1 dereferenceable(9) %31, ptr noundef nonnull align 1 dereferenceable(9) %15, i64 %16, i1 false)
  %32 = call fastcc i64 @number(ptr noundef nonnull %6, ptr noundef nonnull %7) #15
  br i1 %14, label %33, label %35

33:
  %34 = load i64, ptr %7, align 8
  br label %37

35:
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 1 dereferenceable(19) %31, ptr noundef nonnull align 1 dereferenceable(19) @climb.period, i64 19, i1 false)
  %36 = call fastcc i64 @number(ptr noundef nonnull %6, ptr noundef null) #15
  br label %37

37:
  %38 = phi i64 [ %34, %33 ], [ %36, %35 ]
  %39 = icmp sgt i64 %32, 0
  %40 = icmp sgt i64 %38, 0
  %41 = and i1 %39, %40
  br i1 %41, label %42, label %44

42:
  %43 = udiv i64 %32, %38
  br label %44

44:
  %45 = phi i64 [ %43, %42 ], [ %18, %37 ]
  %46 = icmp slt i64 %45, 1
  %47 = call i64 @llvm.smin.i64(i64 %45, i64 %18)
  %48 = select i1 %46, i64 1, i64 %47
  %49 = icmp eq i64 %30, %8
  br i1 %49, label %50, label %51

50:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %7) #17
  br label %58

51:
  %52 = phi i64 [ %53, %51 ], [ %30, %44 ]
  %53 = add i64 %52, -1
  %54 = getelementptr inbounds [1024 x i8], ptr %6, i64 0, i64 %53
  %55 = load i8, ptr %54, align 1
  %56 = icmp eq i8 %55, 47
  br i1 %56, label %57, label %51

57:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %7) #17
  br label %17

58:
  %59 = phi i64 [ %4, %5 ], [ %48, %50 ]
  call void @llvm.lifetime.end.p0(i64 1024, ptr nonnull %6) #17
  ret i64 %59
}

define internal fastcc i64 @number(ptr nocapture noundef readonly %0, ptr noundef writeonly %1) unnamed_addr #0 {
  %3 = alloca [64 x i8], align 4
  %4 = alloca ptr, align 8
  call void @llvm.lifetime.start.p0(i64 64, ptr nonnull %3) #17
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %4) #17
  %5 = tail call i32 (ptr, i32, ...) @open(ptr noundef %0, i32 noundef 524288) #16
  %6 = icmp slt i32 %5, 0
  br i1 %6, label %26, label %7

7:
  %8 = call i64 @read(i32 noundef %5, ptr noundef nonnull %3, i64 noundef 63) #16
  %9 = tail call i32 @close(i32 noundef %5) #16
  %10 = icmp slt i64 %8, 1
  %11 = load i8, ptr %3, align 4
  %12 = icmp ult i8 %11, 48
  %13 = select i1 %10, i1 true, i1 %12
  %14 = icmp ugt i8 %11, 57
  %15 = select i1 %13, i1 true, i1 %14
  br i1 %15, label %26, label %16

16:
  %17 = getelementptr inbounds [64 x i8], ptr %3, i64 0, i64 %8
  store i8 0, ptr %17, align 1
  %18 = call i64 @strtoll(ptr noundef nonnull %3, ptr noundef nonnull %4, i32 noundef 10) #16
  %19 = icmp eq ptr %1, null
  br i1 %19, label %26, label %20

20:
  %21 = load ptr, ptr %4, align 8
  %22 = load i8, ptr %21, align 1
  %23 = icmp eq i8 %22, 32
  br i1 %23, label %24, label %26

24:
  %25 = call i64 @strtoll(ptr nocapture noundef nonnull %21, ptr noundef null, i32 noundef 10) #16
  store i64 %25, ptr %1, align 8
  br label %26

26:
  %27 = phi i64 [ -1, %2 ], [ -1, %7 ], [ %18, %24 ], [ %18, %20 ], [ %18, %16 ]
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %4) #17
  call void @llvm.lifetime.end.p0(i64 64, ptr nonnull %3) #17
  ret i64 %27
}

declare i64 @strtoll(ptr noundef readonly, ptr nocapture noundef, i32 noundef) local_unnamed_addr #10

declare i32 @pthread_attr_init(ptr noundef) local_unnamed_addr #0

declare i32 @pthread_attr_setstacksize(ptr noundef, i64 noundef) local_unnamed_addr #0

declare i32 @sigfillset(ptr noundef) local_unnamed_addr #0

declare i32 @sigdelset(ptr noundef, i32 noundef) local_unnamed_addr #0

declare i32 @pthread_sigmask(i32 noundef, ptr noundef, ptr noundef) local_unnamed_addr #0

declare i32 @pthread_create(ptr noundef, ptr noundef, ptr noundef, ptr noundef) local_unnamed_addr #0

define internal ptr @work(ptr noundef %0) #0 {
  %2 = alloca %struct.timespec, align 8
  %3 = getelementptr inbounds %struct.thread, ptr %0, i64 0, i32 7
  %4 = getelementptr inbounds %struct.timespec, ptr %2, i64 0, i32 1
  %5 = getelementptr inbounds %struct.thread, ptr %0, i64 0, i32 8
  %6 = getelementptr inbounds %struct.thread, ptr %0, i64 0, i32 16
  %7 = getelementptr inbounds %struct.thread, ptr %0, i64 0, i32 2
  %8 = getelementptr inbounds %struct.thread, ptr %0, i64 0, i32 14
  %9 = getelementptr inbounds %struct.thread, ptr %0, i64 0, i32 9
  %10 = getelementptr inbounds %struct.thread, ptr %0, i64 0, i32 10
  %11 = getelementptr inbounds %struct.thread, ptr %0, i64 0, i32 4
  br label %12

12:
  %13 = phi i32 [ 2, %1 ], [ %59, %58 ]
  %14 = load atomic i32, ptr %3 acquire, align 64
  %15 = icmp eq i32 %14, %13
  br i1 %15, label %16, label %55

16:
  %17 = phi i64 [ %51, %49 ], [ 0, %12 ]
  %18 = phi i32 [ %52, %49 ], [ 1, %12 ]
  %19 = icmp ult i32 %18, 2000
  br i1 %19, label %20, label %21

20:
  call void asm sideeffect "isb", "~{memory}"() #17
  br label %23

21:
  %22 = call i32 @sched_yield() #16
  br label %23

23:
  %24 = phi i32 [ 255, %20 ], [ 15, %21 ]
  %25 = and i32 %24, %18
  %26 = icmp eq i32 %25, 0
  br i1 %26, label %27, label %49

27:
  call void @llvm.lifetime.start.p0(i64 16, ptr nonnull %2) #17
  %28 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %2) #16
  %29 = load i64, ptr %2, align 8
  %30 = mul nsw i64 %29, 1000000000
  %31 = load i64, ptr %4, align 8
  %32 = add nsw i64 %30, %31
  call void @llvm.lifetime.end.p0(i64 16, ptr nonnull %2) #17
  %33 = icmp eq i64 %17, 0
  %34 = select i1 %33, i64 %32, i64 %17
  %35 = sub nsw i64 %32, %34
  %36 = icmp slt i64 %35, 1000000
  br i1 %36, label %49, label %37

37:
  store atomic i32 1, ptr %5 seq_cst, align 4
  %38 = call i64 (i64, ...) @syscall(i64 noundef 98, ptr noundef nonnull %3, i32 noundef 128, i32 noundef %13, ptr noundef null, ptr noundef null, i32 noundef 0) #16
  store atomic i32 0, ptr %5 seq_cst, align 4
  %39 = load atomic i32, ptr %3 acquire, align 64
  %40 = load atomic i32, ptr %6 monotonic, align 8
  %41 = icmp ne i32 %39, %13
  %42 = icmp sgt i32 %40, -1
  %43 = select i1 %41, i1 %42, i1 false
  br i1 %43, label %44, label %49

44:
  %45 = load i64, ptr %7, align 16
  %46 = sub i64 0, %45
  %47 = getelementptr inbounds %struct.thread, ptr %0, i64 %46
  %48 = load ptr, ptr %0, align 128
  call fastcc void @relay(ptr noundef nonnull %47, ptr noundef %48, i32 noundef %40) #15
  br label %49

49:
  %50 = phi i32 [ 0, %37 ], [ 0, %44 ], [ %18, %27 ], [ %18, %23 ]
  %51 = phi i64 [ 0, %37 ], [ 0, %44 ], [ %34, %27 ], [ %17, %23 ]
  %52 = add i32 %50, 1
  %53 = load atomic i32, ptr %3 acquire, align 64
  %54 = icmp eq i32 %53, %13
  br i1 %54, label %16, label %55

55:
  %56 = phi i32 [ %14, %12 ], [ %53, %49 ]
  %57 = and i32 %56, 3
  switch i32 %57, label %58 [
    i32 3, label %60
    i32 0, label %61
  ]

58:
  %59 = phi i32 [ %104, %65 ], [ %56, %61 ], [ %56, %55 ]
  br label %12

60:
  ret ptr null

61:
  %62 = add nuw i32 %56, 1
  %63 = cmpxchg ptr %3, i32 %56, i32 %62 seq_cst seq_cst, align 4
  %64 = extractvalue { i32, i1 } %63, 1
  br i1 %64, label %65, label %58

65:
  %66 = load i32, ptr %8, align 16
  %67 = shl i32 %66, 8
  %68 = and i32 %67, 4194304
  %69 = shl i32 %66, 10
  %70 = and i32 %69, 8388608
  %71 = or i32 %68, %70
  %72 = call i64 asm sideeffect "mrs $0, fpsr", "=r,~{memory}"() #17
  %73 = shl i32 %66, 9
  %74 = and i32 %73, 16777216
  %75 = or i32 %71, %74
  %76 = zext i32 %75 to i64
  %77 = and i64 %72, -129
  %78 = shl i32 %66, 6
  %79 = and i32 %78, 128
  %80 = zext i32 %79 to i64
  %81 = or i64 %77, %80
  call void asm sideeffect "msr fpcr, $0\0A\09msr fpsr, $1", "r,r,~{memory}"(i64 %76, i64 %81) #17
  %82 = load ptr, ptr %9, align 8
  %83 = load ptr, ptr %10, align 16
  call fastcc void @share(ptr noundef nonnull %0, ptr noundef %82, ptr noundef %83) #15
  %84 = call { i64, i64 } asm sideeffect "mrs $0, fpcr\0A\09mrs $1, fpsr", "=r,=r,~{memory}"() #17
  %85 = extractvalue { i64, i64 } %84, 0
  %86 = extractvalue { i64, i64 } %84, 1
  %87 = trunc i64 %85 to i32
  %88 = lshr i32 %87, 8
  %89 = and i32 %88, 16384
  %90 = lshr i32 %87, 10
  %91 = and i32 %90, 8192
  %92 = and i64 %85, 16777216
  %93 = icmp eq i64 %92, 0
  %94 = select i1 %93, i32 0, i32 32832
  %95 = trunc i64 %86 to i32
  %96 = lshr i32 %95, 6
  %97 = and i32 %96, 2
  %98 = load i32, ptr %11, align 32
  %99 = or i32 %98, %89
  %100 = or i32 %99, %91
  %101 = or i32 %100, %94
  %102 = or i32 %101, %97
  %103 = or i32 %102, 8064
  store i32 %103, ptr %11, align 32
  %104 = add i32 %56, 2
  store atomic i32 %104, ptr %3 release, align 64
  br label %58
}

declare i32 @pthread_attr_destroy(ptr noundef) local_unnamed_addr #0

define internal fastcc void @share(ptr noundef %0, ptr nocapture noundef readonly %1, ptr noundef %2) unnamed_addr #0 {
  %4 = getelementptr inbounds %struct.thread, ptr %0, i64 0, i32 2
  %5 = load i64, ptr %4, align 16
  %6 = sub i64 0, %5
  %7 = getelementptr inbounds %struct.thread, ptr %0, i64 %6
  %8 = tail call i64 asm sideeffect "mrs $0, cntvct_el0", "=r"() #17
  %9 = getelementptr inbounds %struct.thread, ptr %0, i64 0, i32 11
  %10 = getelementptr inbounds %struct.thread, ptr %0, i64 0, i32 12
  %11 = load atomic i64, ptr %9 monotonic, align 8
  %12 = load i64, ptr %10, align 32
  %13 = icmp slt i64 %11, %12
  br i1 %13, label %14, label %38

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
  br i1 %25, label %20, label %32

26:
  %27 = add nsw i64 %21, %19
  %28 = tail call i64 @llvm.smin.i64(i64 %27, i64 %17)
  tail call void %1(ptr noundef nonnull %0, ptr noundef %2, i64 noundef %21, i64 noundef %28) #16
  %29 = load i64, ptr %10, align 32
  %30 = load atomic i64, ptr %9 monotonic, align 8
  %31 = icmp slt i64 %30, %29
  br i1 %31, label %16, label %33

32:
  br i1 %18, label %38, label %33

33:
  %34 = tail call i64 asm sideeffect "mrs $0, cntvct_el0", "=r"() #17
  %35 = sub i64 %34, %8
  %36 = shl i64 %35, 5
  %37 = icmp ult i64 %36, 10000
  br i1 %37, label %81, label %38

38:
  %39 = getelementptr inbounds %struct.thread, ptr %0, i64 0, i32 15
  %40 = load i32, ptr %39, align 4
  %41 = icmp sgt i32 %40, 1
  br i1 %41, label %42, label %81

42:
  %43 = zext i32 %40 to i64
  br label %44

44:
  %45 = phi i32 [ %75, %74 ], [ %40, %42 ]
  %46 = phi i64 [ %77, %74 ], [ %43, %42 ]
  %47 = phi i64 [ %76, %74 ], [ 1, %42 ]
  %48 = load i64, ptr %4, align 16
  %49 = add nsw i64 %48, %47
  %50 = srem i64 %49, %46
  %51 = getelementptr inbounds %struct.thread, ptr %7, i64 %50
  %52 = getelementptr inbounds %struct.thread, ptr %51, i64 0, i32 11
  %53 = getelementptr inbounds %struct.thread, ptr %51, i64 0, i32 12
  %54 = load atomic i64, ptr %52 monotonic, align 8
  %55 = load i64, ptr %53, align 32
  %56 = icmp slt i64 %54, %55
  br i1 %56, label %57, label %74

57:
  %58 = getelementptr inbounds %struct.thread, ptr %51, i64 0, i32 13
  br label %59

59:
  %60 = phi i64 [ %55, %57 ], [ %69, %68 ]
  %61 = load i64, ptr %58, align 8
  %62 = atomicrmw add ptr %52, i64 %61 monotonic, align 8
  %63 = icmp slt i64 %62, %60
  br i1 %63, label %64, label %68

64:
  %65 = add nsw i64 %62, %61
  %66 = tail call i64 @llvm.smin.i64(i64 %65, i64 %60)
  tail call void %1(ptr noundef nonnull %0, ptr noundef %2, i64 noundef %62, i64 noundef %66) #16
  %67 = load i64, ptr %53, align 32
  br label %68

68:
  %69 = phi i64 [ %67, %64 ], [ %60, %59 ]
  %70 = load atomic i64, ptr %52 monotonic, align 8
  %71 = icmp slt i64 %70, %69
  br i1 %71, label %59, label %72

72:
  %73 = load i32, ptr %39, align 4
  br label %74

74:
  %75 = phi i32 [ %73, %72 ], [ %45, %44 ]
  %76 = add nuw nsw i64 %47, 1
  %77 = sext i32 %75 to i64
  %78 = icmp slt i64 %76, %77
  %79 = icmp ult i64 %47, 4
  %80 = and i1 %79, %78
  br i1 %80, label %44, label %81

81:
  ret void
}

define internal fastcc void @relay(ptr noundef %0, ptr nocapture noundef readonly %1, i32 noundef %2) unnamed_addr #0 {
  %4 = shl i32 %2, 2
  %5 = add i32 %4, 4
  %6 = getelementptr inbounds %struct.pool, ptr %1, i64 0, i32 6
  %7 = load atomic i32, ptr %6 monotonic, align 8
  %8 = add i32 %4, 8
  %9 = icmp slt i32 %5, %8
  %10 = icmp slt i32 %5, %7
  %11 = select i1 %9, i1 %10, i1 false
  br i1 %11, label %12, label %16

12:
  %13 = sext i32 %5 to i64
  %14 = sext i32 %7 to i64
  %15 = sext i32 %8 to i64
  br label %17

16:
  ret void

17:
  %18 = phi i64 [ %13, %12 ], [ %23, %17 ]
  %19 = getelementptr inbounds %struct.thread, ptr %0, i64 %18, i32 5
  %20 = load atomic i32, ptr %19 monotonic, align 4
  %21 = sext i32 %20 to i64
  %22 = getelementptr inbounds %struct.thread, ptr %0, i64 %21
  tail call fastcc void @wake(ptr noundef %22) #15
  %23 = add nsw i64 %18, 1
  %24 = icmp slt i64 %23, %15
  %25 = icmp slt i64 %23, %14
  %26 = select i1 %24, i1 %25, i1 false
  br i1 %26, label %17, label %16
}

declare i32 @sched_yield() local_unnamed_addr #0

declare i32 @clock_gettime(i32 noundef, ptr noundef) local_unnamed_addr #0

declare i64 @syscall(i64 noundef, ...) local_unnamed_addr #0

define internal fastcc void @wake(ptr noundef %0) unnamed_addr #0 {
  %2 = getelementptr inbounds %struct.thread, ptr %0, i64 0, i32 8
  %3 = load atomic i32, ptr %2 monotonic, align 4
  %4 = icmp eq i32 %3, 0
  br i1 %4, label %11, label %5

5:
  %6 = atomicrmw xchg ptr %2, i32 0 seq_cst, align 4
  %7 = icmp eq i32 %6, 0
  br i1 %7, label %11, label %8

8:
  %9 = getelementptr inbounds %struct.thread, ptr %0, i64 0, i32 7
  %10 = tail call i64 (i64, ...) @syscall(i64 noundef 98, ptr noundef nonnull %9, i32 noundef 129, i32 noundef 1, ptr noundef null, ptr noundef null, i32 noundef 0) #16
  br label %11

11:
  ret void
}

declare i32 @pthread_setaffinity_np(i64 noundef, i64 noundef, ptr noundef) local_unnamed_addr #0

declare i32 @mprotect(ptr noundef, i64 noundef, i32 noundef) local_unnamed_addr #0

define internal fastcc ptr @oldest(ptr noundef readonly %0) unnamed_addr #11 {
  %2 = getelementptr inbounds %struct.state, ptr %0, i64 0, i32 6
  %3 = getelementptr inbounds %struct.state, ptr %0, i64 0, i32 5
  %4 = load i64, ptr %3, align 8
  %5 = getelementptr inbounds %struct.kept, ptr %2, i64 %4
  %6 = icmp sgt i64 %4, 0
  br i1 %6, label %9, label %7

7:
  %8 = phi ptr [ null, %1 ], [ %26, %25 ]
  ret ptr %8

9:
  %10 = phi ptr [ %27, %25 ], [ %2, %1 ]
  %11 = phi ptr [ %26, %25 ], [ null, %1 ]
  %12 = load ptr, ptr %10, align 8
  %13 = icmp eq ptr %12, null
  br i1 %13, label %25, label %14

14:
  %15 = getelementptr inbounds %struct.kept, ptr %10, i64 0, i32 2
  %16 = load i64, ptr %15, align 8
  %17 = icmp eq i64 %16, 0
  br i1 %17, label %25, label %18

18:
  %19 = icmp eq ptr %11, null
  br i1 %19, label %24, label %20

20:
  %21 = getelementptr inbounds %struct.kept, ptr %11, i64 0, i32 2
  %22 = load i64, ptr %21, align 8
  %23 = icmp slt i64 %16, %22
  br i1 %23, label %24, label %25

24:
  br label %25

25:
  %26 = phi ptr [ %10, %24 ], [ %11, %20 ], [ %11, %14 ], [ %11, %9 ]
  %27 = getelementptr inbounds %struct.kept, ptr %10, i64 1
  %28 = icmp ult ptr %27, %5
  br i1 %28, label %9, label %7
}

declare noalias noundef ptr @aligned_alloc(i64 allocalign noundef, i64 noundef) local_unnamed_addr #12

declare i64 @llvm.smin.i64(i64, i64) #13

declare i32 @bcmp(ptr nocapture, ptr nocapture, i64) local_unnamed_addr #14

declare i64 @llvm.umin.i64(i64, i64) #13

attributes #0 = { nounwind optsize "frame-pointer"="non-leaf" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="generic" "target-features"="+fp-armv8,+neon,+v8a,-fmv,-outline-atomics" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind willreturn memory(argmem: readwrite) }
attributes #2 = { mustprogress nocallback nofree nounwind willreturn memory(argmem: readwrite) }
attributes #3 = { optsize "frame-pointer"="non-leaf" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="generic" "target-features"="+fp-armv8,+neon,+v8a,-fmv,-outline-atomics" }
attributes #4 = { noreturn nounwind optsize "frame-pointer"="non-leaf" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="generic" "target-features"="+fp-armv8,+neon,+v8a,-fmv,-outline-atomics" }
attributes #5 = { mustprogress nounwind optsize willreturn allockind("free") memory(argmem: readwrite, inaccessiblemem: readwrite) "alloc-family"="malloc" "frame-pointer"="non-leaf" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="generic" "target-features"="+fp-armv8,+neon,+v8a,-fmv,-outline-atomics" }
attributes #6 = { mustprogress nocallback nofree nounwind willreturn memory(argmem: write) }
attributes #7 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #8 = { mustprogress nofree nounwind optsize willreturn memory(argmem: read) "frame-pointer"="non-leaf" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="generic" "target-features"="+fp-armv8,+neon,+v8a,-fmv,-outline-atomics" }
attributes #9 = { nofree optsize "frame-pointer"="non-leaf" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="generic" "target-features"="+fp-armv8,+neon,+v8a,-fmv,-outline-atomics" }
attributes #10 = { mustprogress nofree nounwind optsize willreturn "frame-pointer"="non-leaf" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="generic" "target-features"="+fp-armv8,+neon,+v8a,-fmv,-outline-atomics" }
attributes #11 = { nofree norecurse nosync nounwind optsize memory(read, inaccessiblemem: none) "frame-pointer"="non-leaf" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="generic" "target-features"="+fp-armv8,+neon,+v8a,-fmv,-outline-atomics" }
attributes #12 = { mustprogress nofree nounwind optsize willreturn allockind("alloc,uninitialized,aligned") allocsize(1) memory(inaccessiblemem: readwrite) "alloc-family"="malloc" "frame-pointer"="non-leaf" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="generic" "target-features"="+fp-armv8,+neon,+v8a,-fmv,-outline-atomics" }
attributes #13 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #14 = { nofree nounwind willreturn memory(argmem: read) }
attributes #15 = { optsize }
attributes #16 = { nounwind optsize }
attributes #17 = { nounwind }
attributes #18 = { nounwind optsize willreturn memory(read) }
attributes #19 = { noreturn nounwind optsize }
attributes #20 = { nounwind optsize allocsize(1) }


