; 38e1c3eb2d8e6a1a767a131b431edf06927c911e2c34f56f9cadb094183d131a of aarch64/cpuid.h, aarch64/immintrin.h, pool.h, processor.h, runtime.c, sha256.h; by runtime.sh

%struct.program = type { i64, i64, i64, i64, ptr, ptr, ptr, ptr, i32, i32, i32, i32, i32, i32, [32 x i8] }
%struct.pool = type { ptr, i64, i64, i64, i32, i32, i32, ptr, i32 }
%struct.thread = type { ptr, ptr, i64, i64, i32, i32, [24 x i8], i32, i32, ptr, ptr, i64, i64, i64, i32, i32, i32 }
%struct.timespec = type { i64, i64 }
%struct.context = type { %struct.pool, ptr, ptr, ptr, ptr, i32, ptr, ptr, ptr, i64, i32, ptr, ptr }
%struct.copy = type { ptr, ptr, i64 }
%struct.region = type { i64, i64 }
%struct.source = type { ptr, ptr, i64, ptr, ptr }
%struct.stat = type { i64, i64, i32, i32, i32, i32, i64, i64, i64, i32, i32, i64, %struct.timespec, %struct.timespec, %struct.timespec, [2 x i32] }
%struct.__sigset_t = type { [16 x i64] }
%union.pthread_attr_t = type { i64, [56 x i8] }

@wmtune_program = external hidden constant %struct.program, align 8
@.str = private unnamed_addr constant [9 x i8] c"no error\00", align 1
@.str.1 = private unnamed_addr constant [14 x i8] c"out of memory\00", align 1
@.str.2 = private unnamed_addr constant [29 x i8] c"cannot open the weights file\00", align 1
@.str.3 = private unnamed_addr constant [88 x i8] c"the weights have another size than this model's: they are another model's, or cut short\00", align 1
@.str.4 = private unnamed_addr constant [89 x i8] c"the weights have another content than this model's: they are another model's, or damaged\00", align 1
@.str.5 = private unnamed_addr constant [40 x i8] c"cannot map the weights file into memory\00", align 1
@.str.6 = private unnamed_addr constant [68 x i8] c"this processor lacks instructions that the library was compiled for\00", align 1
@.str.7 = private unnamed_addr constant [47 x i8] c"the number of threads is negative or above 256\00", align 1
@.str.8 = private unnamed_addr constant [20 x i8] c"the context is null\00", align 1
@.str.9 = private unnamed_addr constant [45 x i8] c"the address of an input or an output is null\00", align 1
@.str.10 = private unnamed_addr constant [30 x i8] c"two outputs overlap in memory\00", align 1
@.str.11 = private unnamed_addr constant [62 x i8] c"another thread is using the context: open one for each thread\00", align 1
@.str.12 = private unnamed_addr constant [69 x i8] c"the library has no weights inside: give the path of the weights file\00", align 1
@.str.13 = private unnamed_addr constant [90 x i8] c"the path of the weights file is that of a folder, a pipe or a device: name a regular file\00", align 1
@.str.14 = private unnamed_addr constant [61 x i8] c"the weights in memory do not start at a multiple of 64 bytes\00", align 1
@.str.15 = private unnamed_addr constant [89 x i8] c"the function that reads the weights failed, or returned more bytes than it was asked for\00", align 1
@.str.16 = private unnamed_addr constant [189 x i8] c"Linux refuses the process the tile registers (AMX) that the library needs: call open before a thread sets an alternate signal stack below 12 KB, or compile for a processor without amx-tile\00", align 1
@.str.17 = private unnamed_addr constant [19 x i8] c"unknown error code\00", align 1
@feature_list = internal unnamed_addr constant [7 x [2 x i8]] [[2 x i8] c"\00\01", [2 x i8] c"\00\14", [2 x i8] c"\00\0A", [2 x i8] c"\01\0D", [2 x i8] c"\01\0E", [2 x i8] c"\00\08", [2 x i8] c"\00\0C"], align 1
@.str.18 = private unnamed_addr constant [18 x i8] c"/proc/self/cgroup\00", align 1
@.str.19 = private unnamed_addr constant [15 x i8] c"/sys/fs/cgroup\00", align 1
@.str.20 = private unnamed_addr constant [5 x i8] c"/cpu\00", align 1
@.str.21 = private unnamed_addr constant [13 x i8] c"/cpu,cpuacct\00", align 1
@.str.22 = private unnamed_addr constant [9 x i8] c"/unified\00", align 1
@.str.23 = private unnamed_addr constant [1 x i8] zeroinitializer, align 1
@__const.quota.folders = private unnamed_addr constant [4 x ptr] [ptr @.str.20, ptr @.str.21, ptr @.str.22, ptr @.str.23], align 8
@.str.24 = private unnamed_addr constant [4 x i8] c"cpu\00", align 1
@climb.max = internal unnamed_addr constant [9 x i8] c"/cpu.max\00", align 1
@climb.quota = internal unnamed_addr constant [18 x i8] c"/cpu.cfs_quota_us\00", align 1
@climb.period = internal unnamed_addr constant [19 x i8] c"/cpu.cfs_period_us\00", align 1
@__const.sha256.h = private unnamed_addr constant [8 x i32] [i32 1779033703, i32 -1150833019, i32 1013904242, i32 -1521486534, i32 1359893119, i32 -1694144372, i32 528734635, i32 1541459225], align 4
@sha_k = internal unnamed_addr constant [64 x i32] [i32 1116352408, i32 1899447441, i32 -1245643825, i32 -373957723, i32 961987163, i32 1508970993, i32 -1841331548, i32 -1424204075, i32 -670586216, i32 310598401, i32 607225278, i32 1426881987, i32 1925078388, i32 -2132889090, i32 -1680079193, i32 -1046744716, i32 -459576895, i32 -272742522, i32 264347078, i32 604807628, i32 770255983, i32 1249150122, i32 1555081692, i32 1996064986, i32 -1740746414, i32 -1473132947, i32 -1341970488, i32 -1084653625, i32 -958395405, i32 -710438585, i32 113926993, i32 338241895, i32 666307205, i32 773529912, i32 1294757372, i32 1396182291, i32 1695183700, i32 1986661051, i32 -2117940946, i32 -1838011259, i32 -1564481375, i32 -1474664885, i32 -1035236496, i32 -949202525, i32 -778901479, i32 -694614492, i32 -200395387, i32 275423344, i32 430227734, i32 506948616, i32 659060556, i32 883997877, i32 958139571, i32 1322822218, i32 1537002063, i32 1747873779, i32 1955562222, i32 2024104815, i32 -2067236844, i32 -1933114872, i32 -1866530822, i32 -1538233109, i32 -1090935817, i32 -965641998], align 4
@__const.start.faults = private unnamed_addr constant [7 x i32] [i32 4, i32 5, i32 6, i32 7, i32 8, i32 11, i32 31], align 4
@switch.table.wmtune_error = private unnamed_addr constant [17 x ptr] [ptr @.str.16, ptr @.str.15, ptr @.str.14, ptr @.str.13, ptr @.str.12, ptr @.str.11, ptr @.str.10, ptr @.str.9, ptr @.str.8, ptr @.str.7, ptr @.str.6, ptr @.str.5, ptr @.str.4, ptr @.str.3, ptr @.str.2, ptr @.str.1, ptr @.str], align 8

define hidden void @wmtune_parallel_for(ptr noundef %0, ptr noundef %1, ptr noundef %2, i64 noundef %3) local_unnamed_addr #0 {
  %5 = load ptr, ptr %0, align 128
  tail call fastcc void @parallel_for(ptr noundef %5, ptr noundef nonnull %0, ptr noundef %1, ptr noundef %2, i64 noundef %3) #23
  ret void
}

define internal fastcc void @parallel_for(ptr nocapture noundef %0, ptr noundef %1, ptr noundef %2, ptr noundef %3, i64 noundef %4) unnamed_addr #0 {
  %6 = getelementptr inbounds %struct.pool, ptr %0, i64 0, i32 3
  %7 = load i64, ptr %6, align 8
  %8 = tail call i64 @llvm.smin.i64(i64 %7, i64 %4)
  %9 = tail call { i64, i64 } asm sideeffect "mrs $0, fpcr\0A\09mrs $1, fpsr", "=r,=r,~{memory}"() #24
  %10 = extractvalue { i64, i64 } %9, 0
  %11 = extractvalue { i64, i64 } %9, 1
  %12 = trunc i64 %10 to i32
  %13 = lshr i32 %12, 8
  %14 = and i32 %13, 16384
  %15 = lshr i32 %12, 10
  %16 = and i32 %15, 8192
  %17 = and i64 %10, 16777216
  %18 = icmp eq i64 %17, 0
  %19 = select i1 %18, i32 0, i32 32832
  %20 = trunc i64 %11 to i32
  %21 = lshr i32 %20, 6
  %22 = and i32 %21, 2
  %23 = or i32 %14, %16
  %24 = or i32 %23, %19
  %25 = or i32 %24, %22
  %26 = or i32 %25, 8064
  %27 = icmp slt i64 %4, 1
  br i1 %27, label %168, label %28

28:
  %29 = icmp slt i64 %8, 2
  br i1 %29, label %34, label %30

30:
  %31 = getelementptr inbounds %struct.pool, ptr %0, i64 0, i32 5
  %32 = atomicrmw xchg ptr %31, i32 1 acquire, align 4
  %33 = icmp eq i32 %32, 0
  br i1 %33, label %35, label %34

34:
  tail call void %2(ptr noundef %1, ptr noundef %3, i64 noundef 0, i64 noundef %4) #25
  br label %168

35:
  %36 = load ptr, ptr %0, align 8
  %37 = freeze i64 %8
  %38 = udiv i64 %4, %37
  %39 = mul i64 %38, %37
  %40 = sub i64 %4, %39
  %41 = trunc i64 %8 to i32
  br label %45

42:
  %43 = getelementptr inbounds %struct.pool, ptr %0, i64 0, i32 6
  store atomic i32 %79, ptr %43 monotonic, align 8
  %44 = icmp sgt i64 %8, 1
  br i1 %44, label %84, label %82

45:
  %46 = phi i32 [ 0, %35 ], [ %79, %78 ]
  %47 = phi i64 [ 0, %35 ], [ %80, %78 ]
  %48 = phi i64 [ 0, %35 ], [ %53, %78 ]
  %49 = icmp slt i64 %47, %40
  %50 = zext i1 %49 to i64
  %51 = add nsw i64 %38, %50
  %52 = getelementptr inbounds %struct.thread, ptr %36, i64 %47, i32 11
  store atomic i64 %48, ptr %52 monotonic, align 8
  %53 = add nsw i64 %51, %48
  %54 = getelementptr inbounds %struct.thread, ptr %36, i64 %47, i32 12
  store i64 %53, ptr %54, align 32
  %55 = add nsw i64 %51, 7
  %56 = lshr i64 %55, 3
  %57 = getelementptr inbounds %struct.thread, ptr %36, i64 %47, i32 13
  store i64 %56, ptr %57, align 8
  %58 = getelementptr inbounds %struct.thread, ptr %36, i64 %47, i32 9
  store ptr %2, ptr %58, align 8
  %59 = getelementptr inbounds %struct.thread, ptr %36, i64 %47, i32 10
  store ptr %3, ptr %59, align 16
  %60 = getelementptr inbounds %struct.thread, ptr %36, i64 %47, i32 14
  store i32 %26, ptr %60, align 16
  %61 = getelementptr inbounds %struct.thread, ptr %36, i64 %47, i32 15
  store i32 %41, ptr %61, align 4
  %62 = icmp eq i64 %47, 0
  br i1 %62, label %78, label %63

63:
  %64 = getelementptr inbounds %struct.thread, ptr %36, i64 %47, i32 8
  %65 = load atomic i32, ptr %64 monotonic, align 4
  %66 = getelementptr inbounds %struct.thread, ptr %36, i64 %47, i32 16
  %67 = icmp ne i32 %65, 0
  %68 = select i1 %67, i32 %46, i32 -1
  store atomic i32 %68, ptr %66 monotonic, align 8
  br i1 %67, label %69, label %75

69:
  %70 = sext i32 %46 to i64
  %71 = getelementptr inbounds %struct.thread, ptr %36, i64 %70, i32 5
  %72 = getelementptr inbounds %struct.thread, ptr %36, i64 %47, i32 2
  %73 = load i64, ptr %72, align 16
  %74 = trunc i64 %73 to i32
  store atomic i32 %74, ptr %71 monotonic, align 4
  br label %75

75:
  %76 = zext i1 %67 to i32
  %77 = add nsw i32 %46, %76
  br label %78

78:
  %79 = phi i32 [ %77, %75 ], [ %46, %45 ]
  %80 = add nuw nsw i64 %47, 1
  %81 = icmp eq i64 %80, %8
  br i1 %81, label %42, label %45

82:
  %83 = icmp eq i32 %79, 0
  br i1 %83, label %113, label %98

84:
  %85 = phi i64 [ %96, %95 ], [ 1, %42 ]
  %86 = getelementptr inbounds %struct.thread, ptr %36, i64 %85, i32 7
  %87 = load atomic i32, ptr %86 monotonic, align 64
  %88 = and i32 %87, -4
  %89 = add i32 %88, 4
  store atomic i32 %89, ptr %86 release, align 64
  %90 = getelementptr inbounds %struct.thread, ptr %36, i64 %85, i32 16
  %91 = load atomic i32, ptr %90 monotonic, align 8
  %92 = icmp slt i32 %91, 0
  br i1 %92, label %93, label %95

93:
  %94 = getelementptr inbounds %struct.thread, ptr %36, i64 %85
  tail call fastcc void @wake(ptr noundef nonnull %94) #23
  br label %95

95:
  %96 = add nuw nsw i64 %85, 1
  %97 = icmp eq i64 %96, %8
  br i1 %97, label %82, label %84

98:
  %99 = load atomic i32, ptr %43 monotonic, align 8
  %100 = icmp sgt i32 %99, 0
  br i1 %100, label %101, label %113

101:
  %102 = zext i32 %99 to i64
  %103 = add nsw i64 %102, -1
  %104 = tail call i64 @llvm.umin.i64(i64 %103, i64 3)
  br label %105

105:
  %106 = phi i64 [ 0, %101 ], [ %111, %105 ]
  %107 = getelementptr inbounds %struct.thread, ptr %36, i64 %106, i32 5
  %108 = load atomic i32, ptr %107 monotonic, align 4
  %109 = sext i32 %108 to i64
  %110 = getelementptr inbounds %struct.thread, ptr %36, i64 %109
  tail call fastcc void @wake(ptr noundef %110) #23
  %111 = add nuw nsw i64 %106, 1
  %112 = icmp eq i64 %106, %104
  br i1 %112, label %113, label %105

113:
  tail call fastcc void @share(ptr noundef %1, ptr noundef %2, ptr noundef %3) #23
  br i1 %44, label %115, label %114

114:
  store atomic i32 0, ptr %31 release, align 4
  br label %168

115:
  %116 = phi i64 [ %166, %165 ], [ 1, %113 ]
  %117 = getelementptr inbounds %struct.thread, ptr %36, i64 %116, i32 7
  %118 = load atomic i32, ptr %117 acquire, align 64
  %119 = and i32 %118, 3
  %120 = icmp eq i32 %119, 0
  br i1 %120, label %121, label %126

121:
  %122 = add nuw i32 %118, 2
  %123 = cmpxchg ptr %117, i32 %118, i32 %122 seq_cst seq_cst, align 4
  %124 = extractvalue { i32, i1 } %123, 1
  %125 = zext i1 %124 to i32
  br label %126

126:
  %127 = phi i32 [ 0, %115 ], [ %125, %121 ]
  %128 = getelementptr inbounds %struct.thread, ptr %36, i64 %116, i32 11
  %129 = getelementptr inbounds %struct.thread, ptr %36, i64 %116, i32 12
  %130 = load atomic i64, ptr %128 monotonic, align 8
  %131 = load i64, ptr %129, align 32
  %132 = icmp slt i64 %130, %131
  br i1 %132, label %133, label %148

133:
  %134 = getelementptr inbounds %struct.thread, ptr %36, i64 %116, i32 13
  br label %135

135:
  %136 = phi i64 [ %131, %133 ], [ %145, %144 ]
  %137 = load i64, ptr %134, align 8
  %138 = atomicrmw add ptr %128, i64 %137 monotonic, align 8
  %139 = icmp slt i64 %138, %136
  br i1 %139, label %140, label %144

140:
  %141 = add nsw i64 %138, %137
  %142 = tail call i64 @llvm.smin.i64(i64 %141, i64 %136)
  tail call void %2(ptr noundef %1, ptr noundef %3, i64 noundef %138, i64 noundef %142) #25
  %143 = load i64, ptr %129, align 32
  br label %144

144:
  %145 = phi i64 [ %143, %140 ], [ %136, %135 ]
  %146 = load atomic i64, ptr %128 monotonic, align 8
  %147 = icmp slt i64 %146, %145
  br i1 %147, label %135, label %148

148:
  %149 = icmp eq i32 %127, 0
  br i1 %149, label %150, label %165

150:
  %151 = load atomic i32, ptr %117 acquire, align 64
  %152 = and i32 %151, 3
  %153 = icmp eq i32 %152, 2
  br i1 %153, label %165, label %154

154:
  %155 = phi i32 [ %161, %160 ], [ 0, %150 ]
  %156 = icmp ult i32 %155, 2000
  br i1 %156, label %157, label %158

157:
  tail call void asm sideeffect "isb", "~{memory}"() #24
  br label %160

158:
  %159 = tail call i32 @sched_yield() #25
  br label %160

160:
  %161 = add i32 %155, 1
  %162 = load atomic i32, ptr %117 acquire, align 64
  %163 = and i32 %162, 3
  %164 = icmp eq i32 %163, 2
  br i1 %164, label %165, label %154

165:
  %166 = add nuw nsw i64 %116, 1
  %167 = icmp eq i64 %166, %8
  br i1 %167, label %114, label %115

168:
  ret void
}

define hidden ptr @wmtune_alloc(ptr nocapture noundef %0, i64 noundef %1) local_unnamed_addr #1 {
  %3 = getelementptr inbounds %struct.thread, ptr %0, i64 0, i32 1
  %4 = load ptr, ptr %3, align 8
  %5 = add nsw i64 %1, 63
  %6 = sdiv i64 %5, 64
  %7 = shl nsw i64 %6, 6
  %8 = getelementptr inbounds i8, ptr %4, i64 %7
  store ptr %8, ptr %3, align 8
  ret ptr %4
}

declare void @llvm.lifetime.start.p0(i64 immarg, ptr nocapture) #2

declare void @llvm.lifetime.end.p0(i64 immarg, ptr nocapture) #2

define hidden void @wmtune_free(ptr nocapture noundef %0, ptr noundef %1) local_unnamed_addr #1 {
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
  %3 = load ptr, ptr %0, align 128
  %4 = icmp sgt i64 %1, 0
  %5 = getelementptr inbounds %struct.pool, ptr %3, i64 0, i32 2
  %6 = load i64, ptr %5, align 8
  %7 = icmp sgt i64 %6, %1
  %8 = select i1 %4, i1 %7, i1 false
  %9 = select i1 %8, i64 %1, i64 %6
  %10 = getelementptr inbounds %struct.pool, ptr %3, i64 0, i32 3
  store i64 %9, ptr %10, align 8
  ret void
}

define hidden void @wmtune_mark(ptr nocapture noundef readonly %0, i64 noundef %1) local_unnamed_addr #0 {
  %3 = alloca %struct.timespec, align 8
  %4 = load ptr, ptr %0, align 128
  call void @llvm.lifetime.start.p0(i64 16, ptr nonnull %3) #24
  %5 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %3) #25
  %6 = load i64, ptr %3, align 8
  %7 = mul nsw i64 %6, 1000000000
  %8 = getelementptr inbounds %struct.timespec, ptr %3, i64 0, i32 1
  %9 = load i64, ptr %8, align 8
  %10 = add nsw i64 %7, %9
  call void @llvm.lifetime.end.p0(i64 16, ptr nonnull %3) #24
  %11 = icmp sgt i64 %1, -1
  br i1 %11, label %12, label %21

12:
  %13 = getelementptr inbounds %struct.context, ptr %4, i64 0, i32 9
  %14 = load i64, ptr %13, align 8
  %15 = sub i64 %10, %14
  %16 = getelementptr inbounds %struct.context, ptr %4, i64 0, i32 8
  %17 = load ptr, ptr %16, align 8
  %18 = getelementptr inbounds i64, ptr %17, i64 %1
  %19 = load i64, ptr %18, align 8
  %20 = add nsw i64 %15, %19
  store i64 %20, ptr %18, align 8
  br label %21

21:
  %22 = getelementptr inbounds %struct.context, ptr %4, i64 0, i32 9
  store i64 %10, ptr %22, align 8
  %23 = getelementptr inbounds %struct.context, ptr %4, i64 0, i32 12
  %24 = load ptr, ptr %23, align 8
  %25 = icmp eq ptr %24, null
  br i1 %25, label %33, label %26

26:
  %27 = getelementptr inbounds %struct.context, ptr %4, i64 0, i32 1
  %28 = load ptr, ptr %27, align 8
  %29 = getelementptr inbounds %struct.context, ptr %4, i64 0, i32 6
  %30 = load ptr, ptr %29, align 8
  %31 = getelementptr inbounds %struct.context, ptr %4, i64 0, i32 7
  %32 = load ptr, ptr %31, align 8
  call void %24(ptr noundef %28, ptr noundef %30, ptr noundef %32, i64 noundef %1) #25
  br label %33

33:
  ret void
}

define hidden void @wmtune_copy(ptr noundef %0, ptr noundef %1, ptr noundef %2, i64 noundef %3) local_unnamed_addr #0 {
  %5 = alloca %struct.copy, align 8
  call void @llvm.lifetime.start.p0(i64 24, ptr nonnull %5) #24
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
  br label %20

16:
  %17 = load ptr, ptr %0, align 128
  %18 = add nuw nsw i64 %3, 262143
  %19 = lshr i64 %18, 18
  call fastcc void @parallel_for(ptr noundef %17, ptr noundef nonnull %0, ptr noundef nonnull @copy_part, ptr noundef nonnull %5, i64 noundef %19) #23
  br label %20

20:
  call void @llvm.lifetime.end.p0(i64 24, ptr nonnull %5) #24
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
  br i1 %2, label %93, label %3

3:
  %4 = getelementptr inbounds %struct.pool, ptr %0, i64 0, i32 7
  %5 = load ptr, ptr %4, align 8
  %6 = icmp eq ptr %5, null
  br i1 %6, label %10, label %7

7:
  %8 = load atomic i32, ptr %5 monotonic, align 4
  %9 = icmp eq i32 %8, 0
  br i1 %9, label %49, label %15

10:
  %11 = tail call i32 @getpid() #25
  %12 = getelementptr inbounds %struct.pool, ptr %0, i64 0, i32 8
  %13 = load i32, ptr %12, align 8
  %14 = icmp eq i32 %11, %13
  br i1 %14, label %15, label %49

15:
  %16 = getelementptr inbounds %struct.pool, ptr %0, i64 0, i32 2
  %17 = load i64, ptr %16, align 8
  %18 = icmp sgt i64 %17, 1
  br i1 %18, label %21, label %49

19:
  %20 = icmp sgt i64 %38, 1
  br i1 %20, label %40, label %49

21:
  %22 = phi i64 [ %37, %33 ], [ 1, %15 ]
  %23 = load ptr, ptr %0, align 8
  %24 = getelementptr inbounds %struct.thread, ptr %23, i64 %22, i32 7
  %25 = load atomic i32, ptr %24 monotonic, align 64
  %26 = and i32 %25, -4
  %27 = add i32 %26, 7
  store atomic i32 %27, ptr %24 release, align 64
  %28 = getelementptr inbounds %struct.thread, ptr %23, i64 %22, i32 16
  %29 = load atomic i32, ptr %28 monotonic, align 8
  %30 = icmp slt i32 %29, 0
  br i1 %30, label %31, label %33

31:
  %32 = getelementptr inbounds %struct.thread, ptr %23, i64 %22
  tail call fastcc void @wake(ptr noundef nonnull %32) #23
  br label %33

33:
  %34 = load ptr, ptr %0, align 8
  %35 = getelementptr inbounds %struct.thread, ptr %34, i64 %22, i32 7
  %36 = tail call i64 (i64, ...) @syscall(i64 noundef 98, ptr noundef nonnull %35, i32 noundef 129, i32 noundef 1, ptr noundef null, ptr noundef null, i32 noundef 0) #25
  %37 = add nuw nsw i64 %22, 1
  %38 = load i64, ptr %16, align 8
  %39 = icmp slt i64 %37, %38
  br i1 %39, label %21, label %19

40:
  %41 = phi i64 [ %46, %40 ], [ 1, %19 ]
  %42 = load ptr, ptr %0, align 8
  %43 = getelementptr inbounds %struct.thread, ptr %42, i64 %41, i32 3
  %44 = load i64, ptr %43, align 8
  %45 = tail call i32 @pthread_join(i64 noundef %44, ptr noundef null) #25
  %46 = add nuw nsw i64 %41, 1
  %47 = load i64, ptr %16, align 8
  %48 = icmp slt i64 %46, %47
  br i1 %48, label %40, label %49

49:
  %50 = load ptr, ptr %4, align 8
  %51 = icmp eq ptr %50, null
  br i1 %51, label %54, label %52

52:
  %53 = tail call i32 @munmap(ptr noundef nonnull %50, i64 noundef 4096) #25
  br label %54

54:
  %55 = getelementptr inbounds %struct.context, ptr %0, i64 0, i32 1
  %56 = load ptr, ptr %55, align 8
  %57 = icmp eq ptr %56, null
  br i1 %57, label %61, label %58

58:
  %59 = load i64, ptr @wmtune_program, align 8
  %60 = tail call i32 @munmap(ptr noundef nonnull %56, i64 noundef %59) #25
  br label %61

61:
  %62 = getelementptr inbounds %struct.context, ptr %0, i64 0, i32 2
  %63 = load ptr, ptr %62, align 8
  %64 = icmp eq ptr %63, null
  br i1 %64, label %71, label %65

65:
  %66 = getelementptr inbounds %struct.pool, ptr %0, i64 0, i32 1
  %67 = load i64, ptr %66, align 8
  %68 = load i64, ptr getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 2), align 8
  %69 = mul nsw i64 %68, %67
  %70 = tail call i32 @munmap(ptr noundef nonnull %63, i64 noundef %69) #25
  br label %71

71:
  %72 = getelementptr inbounds %struct.context, ptr %0, i64 0, i32 3
  %73 = load ptr, ptr %72, align 8
  %74 = icmp eq ptr %73, null
  br i1 %74, label %78, label %75

75:
  %76 = tail call fastcc i64 @staging_bytes() #23
  %77 = tail call i32 @munmap(ptr noundef nonnull %73, i64 noundef %76) #25
  br label %78

78:
  %79 = getelementptr inbounds %struct.context, ptr %0, i64 0, i32 5
  %80 = load i32, ptr %79, align 8
  %81 = icmp eq i32 %80, 0
  br i1 %81, label %87, label %82

82:
  %83 = getelementptr inbounds %struct.context, ptr %0, i64 0, i32 4
  %84 = load ptr, ptr %83, align 8
  %85 = load i64, ptr getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 1), align 8
  %86 = tail call i32 @munmap(ptr noundef %84, i64 noundef %85) #25
  br label %87

87:
  %88 = load ptr, ptr %0, align 8
  tail call void @free(ptr noundef %88) #25
  %89 = getelementptr inbounds %struct.context, ptr %0, i64 0, i32 6
  %90 = load ptr, ptr %89, align 8
  tail call void @free(ptr noundef %90) #25
  %91 = getelementptr inbounds %struct.context, ptr %0, i64 0, i32 7
  %92 = load ptr, ptr %91, align 8
  tail call void @free(ptr noundef %92) #25
  tail call void @free(ptr noundef nonnull %0) #25
  br label %93

93:
  ret void
}

declare i32 @munmap(ptr noundef, i64 noundef) local_unnamed_addr #0

define internal fastcc i64 @staging_bytes() unnamed_addr #6 {
  %1 = load i32, ptr getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 10), align 8
  %2 = icmp sgt i32 %1, 0
  br i1 %2, label %3, label %6

3:
  %4 = load ptr, ptr getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 5), align 8
  %5 = zext i32 %1 to i64
  br label %13

6:
  %7 = phi i64 [ 0, %0 ], [ %21, %13 ]
  %8 = load i32, ptr getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 11), align 4
  %9 = icmp sgt i32 %8, 0
  br i1 %9, label %10, label %24

10:
  %11 = load ptr, ptr getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 6), align 8
  %12 = zext i32 %8 to i64
  br label %26

13:
  %14 = phi i64 [ 0, %3 ], [ %22, %13 ]
  %15 = phi i64 [ 0, %3 ], [ %21, %13 ]
  %16 = getelementptr inbounds %struct.region, ptr %4, i64 %14
  %17 = load i64, ptr %16, align 8
  %18 = add nsw i64 %17, 63
  %19 = sdiv i64 %18, 64
  %20 = shl nsw i64 %19, 6
  %21 = add nsw i64 %20, %15
  %22 = add nuw nsw i64 %14, 1
  %23 = icmp eq i64 %22, %5
  br i1 %23, label %6, label %13

24:
  %25 = phi i64 [ %7, %6 ], [ %34, %26 ]
  ret i64 %25

26:
  %27 = phi i64 [ 0, %10 ], [ %35, %26 ]
  %28 = phi i64 [ %7, %10 ], [ %34, %26 ]
  %29 = getelementptr inbounds %struct.region, ptr %11, i64 %27
  %30 = load i64, ptr %29, align 8
  %31 = add nsw i64 %30, 63
  %32 = sdiv i64 %31, 64
  %33 = shl nsw i64 %32, 6
  %34 = add nsw i64 %33, %28
  %35 = add nuw nsw i64 %27, 1
  %36 = icmp eq i64 %35, %12
  br i1 %36, label %24, label %26
}

declare void @free(ptr allocptr nocapture noundef) local_unnamed_addr #7

define i32 @wmtune_flush_denormals(ptr noundef writeonly %0, i32 noundef %1) local_unnamed_addr #8 {
  %3 = icmp eq ptr %0, null
  br i1 %3, label %8, label %4

4:
  %5 = icmp eq i32 %1, 0
  %6 = select i1 %5, i32 8064, i32 40896
  %7 = getelementptr inbounds %struct.pool, ptr %0, i64 0, i32 4
  store i32 %6, ptr %7, align 8
  br label %8

8:
  %9 = phi i32 [ 0, %4 ], [ -8, %2 ]
  ret i32 %9
}

define i32 @wmtune_open(ptr noundef %0, ptr noundef %1, i32 noundef %2) local_unnamed_addr #0 {
  %4 = alloca %struct.source, align 8
  %5 = getelementptr inbounds i8, ptr %4, i64 8
  call void @llvm.lifetime.start.p0(i64 40, ptr nonnull %4) #24
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 8 dereferenceable(32) %5, i8 0, i64 32, i1 false)
  store ptr %1, ptr %4, align 8
  %6 = call fastcc i32 @open_context(ptr noundef %0, ptr noundef nonnull %4, i32 noundef %2) #23
  call void @llvm.lifetime.end.p0(i64 40, ptr nonnull %4) #24
  ret i32 %6
}

define internal fastcc i32 @open_context(ptr noundef writeonly %0, ptr nocapture noundef readonly %1, i32 noundef %2) unnamed_addr #0 {
  %4 = alloca [8 x i32], align 4
  %5 = alloca [128 x i8], align 1
  %6 = alloca i64, align 8
  %7 = alloca %struct.stat, align 8
  %8 = alloca [32 x i8], align 1
  %9 = alloca [2 x i64], align 8
  %10 = icmp eq ptr %0, null
  br i1 %10, label %279, label %11

11:
  store ptr null, ptr %0, align 8
  %12 = icmp ugt i32 %2, 256
  br i1 %12, label %279, label %13

13:
  %14 = load i64, ptr getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 3), align 8
  call void @llvm.lifetime.start.p0(i64 16, ptr nonnull %9) #24
  %15 = tail call i64 @getauxval(i64 noundef 16) #25
  store i64 %15, ptr %9, align 8
  %16 = getelementptr inbounds i64, ptr %9, i64 1
  %17 = tail call i64 @getauxval(i64 noundef 26) #25
  store i64 %17, ptr %16, align 8
  br label %18

18:
  %19 = phi i64 [ 0, %13 ], [ %33, %18 ]
  %20 = phi i64 [ 0, %13 ], [ %32, %18 ]
  %21 = getelementptr inbounds [7 x [2 x i8]], ptr @feature_list, i64 0, i64 %19
  %22 = load i8, ptr %21, align 1
  %23 = zext i8 %22 to i64
  %24 = getelementptr inbounds [2 x i64], ptr %9, i64 0, i64 %23
  %25 = load i64, ptr %24, align 8
  %26 = getelementptr inbounds [7 x [2 x i8]], ptr @feature_list, i64 0, i64 %19, i64 1
  %27 = load i8, ptr %26, align 1
  %28 = zext i8 %27 to i64
  %29 = lshr i64 %25, %28
  %30 = and i64 %29, 1
  %31 = shl nuw nsw i64 %30, %19
  %32 = or i64 %31, %20
  %33 = add nuw nsw i64 %19, 1
  %34 = icmp eq i64 %33, 7
  br i1 %34, label %35, label %18

35:
  call void @llvm.lifetime.end.p0(i64 16, ptr nonnull %9) #24
  %36 = xor i64 %32, -1
  %37 = and i64 %14, %36
  %38 = icmp eq i64 %37, 0
  br i1 %38, label %39, label %279

39:
  %40 = tail call noalias dereferenceable_or_null(160) ptr @calloc(i64 noundef 1, i64 noundef 160) #26
  %41 = icmp eq ptr %40, null
  br i1 %41, label %279, label %42

42:
  %43 = load i32, ptr getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 9), align 4
  %44 = icmp eq i32 %43, 0
  %45 = select i1 %44, i32 8064, i32 40896
  %46 = getelementptr inbounds %struct.pool, ptr %40, i64 0, i32 4
  store i32 %45, ptr %46, align 8
  %47 = getelementptr inbounds %struct.pool, ptr %40, i64 0, i32 2
  store i64 1, ptr %47, align 8
  %48 = tail call i32 @getpid() #25
  %49 = getelementptr inbounds %struct.pool, ptr %40, i64 0, i32 8
  store i32 %48, ptr %49, align 8
  %50 = load i32, ptr getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 8), align 8
  %51 = icmp eq i32 %50, 0
  br i1 %51, label %58, label %52

52:
  %53 = icmp eq i32 %2, 0
  br i1 %53, label %56, label %54

54:
  %55 = zext i32 %2 to i64
  br label %58

56:
  %57 = tail call fastcc i64 @processors() #23
  br label %58

58:
  %59 = phi i64 [ 1, %42 ], [ %55, %54 ], [ %57, %56 ]
  %60 = getelementptr inbounds %struct.pool, ptr %40, i64 0, i32 1
  store i64 %59, ptr %60, align 8
  %61 = shl i64 %59, 7
  %62 = tail call noalias align 128 ptr @aligned_alloc(i64 noundef 128, i64 noundef %61) #27
  store ptr %62, ptr %40, align 8
  %63 = load i32, ptr getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 10), align 8
  %64 = add nsw i32 %63, 1
  %65 = sext i32 %64 to i64
  %66 = tail call noalias ptr @calloc(i64 noundef %65, i64 noundef 8) #26
  %67 = getelementptr inbounds %struct.context, ptr %40, i64 0, i32 6
  store ptr %66, ptr %67, align 8
  %68 = load i32, ptr getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 11), align 4
  %69 = add nsw i32 %68, 1
  %70 = sext i32 %69 to i64
  %71 = tail call noalias ptr @calloc(i64 noundef %70, i64 noundef 8) #26
  %72 = getelementptr inbounds %struct.context, ptr %40, i64 0, i32 7
  store ptr %71, ptr %72, align 8
  %73 = icmp eq ptr %62, null
  br i1 %73, label %271, label %74

74:
  %75 = icmp eq ptr %66, null
  %76 = icmp eq ptr %71, null
  %77 = or i1 %75, %76
  br i1 %77, label %271, label %78

78:
  %79 = tail call ptr @mmap(ptr noundef null, i64 noundef 4096, i32 noundef 3, i32 noundef 34, i32 noundef -1, i64 noundef 0) #25
  %80 = icmp eq ptr %79, inttoptr (i64 -1 to ptr)
  br i1 %80, label %271, label %81

81:
  %82 = tail call i32 @madvise(ptr noundef %79, i64 noundef 4096, i32 noundef 18) #25
  %83 = icmp eq i32 %82, 0
  br i1 %83, label %88, label %84

84:
  %85 = tail call i32 @munmap(ptr noundef %79, i64 noundef 4096) #25
  %86 = getelementptr inbounds %struct.pool, ptr %40, i64 0, i32 7
  %87 = load ptr, ptr %86, align 8
  br label %90

88:
  %89 = getelementptr inbounds %struct.pool, ptr %40, i64 0, i32 7
  store ptr %79, ptr %89, align 8
  br label %90

90:
  %91 = phi ptr [ %79, %88 ], [ %87, %84 ]
  %92 = icmp eq ptr %91, null
  %93 = getelementptr inbounds i32, ptr %91, i64 1
  %94 = getelementptr inbounds %struct.context, ptr %40, i64 0, i32 10
  %95 = select i1 %92, ptr %94, ptr %93
  %96 = getelementptr inbounds %struct.context, ptr %40, i64 0, i32 11
  store ptr %95, ptr %96, align 8
  %97 = load i64, ptr @wmtune_program, align 8
  %98 = icmp eq i64 %97, 0
  br i1 %98, label %103, label %99

99:
  %100 = tail call fastcc ptr @map(i64 noundef %97) #23
  %101 = getelementptr inbounds %struct.context, ptr %40, i64 0, i32 1
  store ptr %100, ptr %101, align 8
  %102 = icmp eq ptr %100, null
  br i1 %102, label %271, label %103

103:
  %104 = load i64, ptr getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 2), align 8
  %105 = icmp eq i64 %104, 0
  br i1 %105, label %112, label %106

106:
  %107 = load i64, ptr %60, align 8
  %108 = mul nsw i64 %107, %104
  %109 = tail call fastcc ptr @map(i64 noundef %108) #23
  %110 = getelementptr inbounds %struct.context, ptr %40, i64 0, i32 2
  store ptr %109, ptr %110, align 8
  %111 = icmp eq ptr %109, null
  br i1 %111, label %271, label %112

112:
  %113 = tail call fastcc i64 @staging_bytes() #23
  %114 = icmp eq i64 %113, 0
  br i1 %114, label %119, label %115

115:
  %116 = tail call fastcc ptr @map(i64 noundef %113) #23
  %117 = getelementptr inbounds %struct.context, ptr %40, i64 0, i32 3
  store ptr %116, ptr %117, align 8
  %118 = icmp eq ptr %116, null
  br i1 %118, label %271, label %119

119:
  %120 = load i64, ptr %60, align 8
  %121 = shl i64 %120, 7
  tail call void @llvm.memset.p0.i64(ptr nonnull align 128 %62, i8 0, i64 %121, i1 false)
  %122 = icmp sgt i64 %120, 0
  br i1 %122, label %135, label %141

123:
  %124 = getelementptr inbounds %struct.context, ptr %40, i64 0, i32 2
  br label %125

125:
  %126 = phi i64 [ 0, %123 ], [ %132, %125 ]
  %127 = load ptr, ptr %124, align 8
  %128 = mul nsw i64 %126, %104
  %129 = getelementptr inbounds i8, ptr %127, i64 %128
  %130 = load ptr, ptr %40, align 8
  %131 = getelementptr inbounds %struct.thread, ptr %130, i64 %126, i32 1
  store ptr %129, ptr %131, align 8
  %132 = add nuw nsw i64 %126, 1
  %133 = load i64, ptr %60, align 8
  %134 = icmp slt i64 %132, %133
  br i1 %134, label %125, label %141

135:
  %136 = phi i64 [ %139, %135 ], [ 0, %119 ]
  %137 = getelementptr inbounds %struct.thread, ptr %62, i64 %136
  store ptr %40, ptr %137, align 128
  %138 = getelementptr inbounds %struct.thread, ptr %62, i64 %136, i32 2
  store i64 %136, ptr %138, align 16
  %139 = add nuw nsw i64 %136, 1
  %140 = icmp eq i64 %139, %120
  br i1 %140, label %123, label %135

141:
  call void @llvm.lifetime.start.p0(i64 32, ptr nonnull %8) #24
  %142 = load i64, ptr getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 1), align 8
  %143 = icmp eq i64 %142, 0
  br i1 %143, label %273, label %144

144:
  %145 = load ptr, ptr %1, align 8
  %146 = icmp eq ptr %145, null
  br i1 %146, label %147, label %159

147:
  %148 = getelementptr inbounds %struct.source, ptr %1, i64 0, i32 1
  %149 = load ptr, ptr %148, align 8
  %150 = icmp eq ptr %149, null
  %151 = getelementptr inbounds %struct.source, ptr %1, i64 0, i32 3
  %152 = load ptr, ptr %151, align 8
  %153 = icmp eq ptr %152, null
  br i1 %150, label %154, label %198

154:
  br i1 %153, label %155, label %199

155:
  %156 = load ptr, ptr getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 4), align 8
  %157 = getelementptr inbounds %struct.context, ptr %40, i64 0, i32 4
  store ptr %156, ptr %157, align 8
  %158 = icmp eq ptr %156, null
  br i1 %158, label %269, label %273

159:
  call void @llvm.lifetime.start.p0(i64 128, ptr nonnull %7) #24
  %160 = tail call i32 (ptr, i32, ...) @open(ptr noundef nonnull %145, i32 noundef 526336) #25
  %161 = icmp slt i32 %160, 0
  br i1 %161, label %231, label %162

162:
  %163 = call i64 (i64, ...) @syscall(i64 noundef 80, i32 noundef %160, ptr noundef nonnull %7) #25
  %164 = icmp eq i64 %163, 0
  br i1 %164, label %165, label %187

165:
  %166 = getelementptr inbounds %struct.stat, ptr %7, i64 0, i32 2
  %167 = load i32, ptr %166, align 8
  %168 = and i32 %167, 61440
  %169 = icmp eq i32 %168, 32768
  br i1 %169, label %170, label %187

170:
  %171 = getelementptr inbounds %struct.stat, ptr %7, i64 0, i32 8
  %172 = load i64, ptr %171, align 8
  %173 = icmp eq i64 %172, %142
  br i1 %173, label %174, label %187

174:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %6) #24
  store i64 %142, ptr %6, align 8
  %175 = call fastcc ptr @reserve(ptr noundef nonnull %6) #23
  %176 = icmp eq ptr %175, null
  br i1 %176, label %191, label %177

177:
  %178 = call ptr @mmap(ptr noundef nonnull %175, i64 noundef %142, i32 noundef 1, i32 noundef 18, i32 noundef %160, i64 noundef 0) #25
  %179 = icmp eq ptr %178, inttoptr (i64 -1 to ptr)
  br i1 %179, label %180, label %183

180:
  %181 = load i64, ptr %6, align 8
  %182 = call i32 @munmap(ptr noundef nonnull %175, i64 noundef %181) #25
  br label %191

183:
  %184 = icmp sgt i64 %142, 2097151
  br i1 %184, label %185, label %191

185:
  %186 = call i32 @madvise(ptr noundef nonnull %175, i64 noundef %142, i32 noundef 14) #25
  br label %191

187:
  %188 = phi i32 [ -3, %170 ], [ -13, %165 ], [ -2, %162 ]
  %189 = call i32 @close(i32 noundef %160) #25
  %190 = getelementptr inbounds %struct.context, ptr %40, i64 0, i32 5
  store i32 0, ptr %190, align 8
  br label %231

191:
  %192 = phi ptr [ null, %180 ], [ null, %174 ], [ %175, %185 ], [ %175, %183 ]
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %6) #24
  %193 = getelementptr inbounds %struct.context, ptr %40, i64 0, i32 4
  store ptr %192, ptr %193, align 8
  %194 = icmp ne ptr %192, null
  %195 = call i32 @close(i32 noundef %160) #25
  %196 = zext i1 %194 to i32
  %197 = getelementptr inbounds %struct.context, ptr %40, i64 0, i32 5
  store i32 %196, ptr %197, align 8
  br i1 %194, label %233, label %231

198:
  br i1 %153, label %221, label %199

199:
  %200 = tail call fastcc ptr @map(i64 noundef %142) #23
  %201 = icmp eq ptr %200, null
  br i1 %201, label %269, label %202

202:
  %203 = getelementptr inbounds %struct.context, ptr %40, i64 0, i32 4
  store ptr %200, ptr %203, align 8
  %204 = getelementptr inbounds %struct.context, ptr %40, i64 0, i32 5
  store i32 1, ptr %204, align 8
  %205 = icmp sgt i64 %142, 0
  br i1 %205, label %206, label %236

206:
  %207 = getelementptr inbounds %struct.source, ptr %1, i64 0, i32 4
  br label %211

208:
  %209 = add nsw i64 %217, %212
  %210 = icmp sgt i64 %142, %209
  br i1 %210, label %211, label %236

211:
  %212 = phi i64 [ 0, %206 ], [ %209, %208 ]
  %213 = load ptr, ptr %151, align 8
  %214 = load ptr, ptr %207, align 8
  %215 = getelementptr inbounds i8, ptr %200, i64 %212
  %216 = sub nsw i64 %142, %212
  %217 = tail call i64 %213(ptr noundef %214, ptr noundef nonnull %215, i64 noundef %216) #25
  %218 = icmp slt i64 %217, 1
  %219 = icmp sgt i64 %217, %216
  %220 = or i1 %218, %219
  br i1 %220, label %269, label %208

221:
  %222 = getelementptr inbounds %struct.source, ptr %1, i64 0, i32 2
  %223 = load i64, ptr %222, align 8
  %224 = icmp eq i64 %223, %142
  br i1 %224, label %225, label %269

225:
  %226 = ptrtoint ptr %149 to i64
  %227 = and i64 %226, 63
  %228 = icmp eq i64 %227, 0
  br i1 %228, label %229, label %269

229:
  %230 = getelementptr inbounds %struct.context, ptr %40, i64 0, i32 4
  store ptr %149, ptr %230, align 8
  br label %236

231:
  %232 = phi i32 [ %188, %187 ], [ -5, %191 ], [ -2, %159 ]
  call void @llvm.lifetime.end.p0(i64 128, ptr nonnull %7) #24
  br label %269

233:
  %234 = load ptr, ptr %193, align 8
  %235 = call i32 @madvise(ptr noundef %234, i64 noundef %142, i32 noundef 3) #25
  call void @llvm.lifetime.end.p0(i64 128, ptr nonnull %7) #24
  br label %236

236:
  %237 = getelementptr inbounds %struct.context, ptr %40, i64 0, i32 4
  %238 = load ptr, ptr %237, align 8
  call void @llvm.lifetime.start.p0(i64 32, ptr nonnull %4) #24
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 4 dereferenceable(32) %4, ptr noundef nonnull align 4 dereferenceable(32) @__const.sha256.h, i64 32, i1 false)
  call void @llvm.lifetime.start.p0(i64 128, ptr nonnull %5) #24
  %239 = freeze i64 %142
  %240 = sdiv i64 %239, 64
  %241 = mul i64 %240, 64
  %242 = sub i64 %239, %241
  %243 = icmp slt i64 %242, 56
  %244 = select i1 %243, i64 1, i64 2
  %245 = shl i64 %142, 3
  %246 = call i64 @llvm.bswap.i64(i64 %245)
  call fastcc void @sha_blocks(ptr noundef nonnull %4, ptr noundef %238, i64 noundef %240) #23
  %247 = getelementptr inbounds i8, ptr %238, i64 %142
  %248 = sub nsw i64 0, %242
  %249 = getelementptr inbounds i8, ptr %247, i64 %248
  %250 = icmp ugt i64 %242, 127
  %251 = sub nsw i64 128, %242
  %252 = select i1 %250, i64 0, i64 %251
  %253 = getelementptr i8, ptr %5, i64 %242
  call void @llvm.memset.p0.i64(ptr align 1 %253, i8 0, i64 %252, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr nonnull align 1 %5, ptr nonnull align 1 %249, i64 %242, i1 false)
  store i8 -128, ptr %253, align 1
  %254 = shl nuw nsw i64 %244, 6
  %255 = getelementptr inbounds i8, ptr %5, i64 %254
  %256 = getelementptr inbounds i8, ptr %255, i64 -8
  store i64 %246, ptr %256, align 1
  call fastcc void @sha_blocks(ptr noundef nonnull %4, ptr noundef nonnull %5, i64 noundef %244) #23
  br label %257

257:
  %258 = phi i64 [ 0, %236 ], [ %264, %257 ]
  %259 = getelementptr inbounds [8 x i32], ptr %4, i64 0, i64 %258
  %260 = load i32, ptr %259, align 4
  %261 = call i32 @llvm.bswap.i32(i32 %260)
  %262 = shl nuw nsw i64 %258, 2
  %263 = getelementptr inbounds i8, ptr %8, i64 %262
  store i32 %261, ptr %263, align 1
  %264 = add nuw nsw i64 %258, 1
  %265 = icmp eq i64 %264, 8
  br i1 %265, label %266, label %257

266:
  call void @llvm.lifetime.end.p0(i64 128, ptr nonnull %5) #24
  call void @llvm.lifetime.end.p0(i64 32, ptr nonnull %4) #24
  %267 = call i32 @bcmp(ptr noundef nonnull dereferenceable(32) %8, ptr noundef nonnull dereferenceable(32) getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 14), i64 32)
  %268 = icmp eq i32 %267, 0
  br i1 %268, label %273, label %269

269:
  %270 = phi i32 [ -3, %221 ], [ -14, %225 ], [ -1, %199 ], [ %232, %231 ], [ -4, %266 ], [ -12, %155 ], [ -15, %211 ]
  call void @llvm.lifetime.end.p0(i64 32, ptr nonnull %8) #24
  br label %271

271:
  %272 = phi i32 [ %270, %269 ], [ -1, %78 ], [ -1, %115 ], [ -1, %106 ], [ -1, %99 ], [ -1, %58 ], [ -1, %74 ]
  call void @wmtune_close(ptr noundef nonnull %40) #23
  br label %279

273:
  call void @llvm.lifetime.end.p0(i64 32, ptr nonnull %8) #24
  call fastcc void @start(ptr noundef nonnull %40) #23
  %274 = add nsw i64 %97, 2097151
  %275 = sdiv i64 %274, 2097152
  %276 = load ptr, ptr %40, align 8
  %277 = load i64, ptr %47, align 8
  %278 = call i64 @llvm.smax.i64(i64 %275, i64 %277)
  call fastcc void @parallel_for(ptr noundef nonnull %40, ptr noundef %276, ptr noundef nonnull @touch, ptr noundef nonnull %40, i64 noundef %278) #23
  store ptr %40, ptr %0, align 8
  br label %279

279:
  %280 = phi i32 [ -8, %3 ], [ -7, %11 ], [ -6, %35 ], [ -1, %39 ], [ %272, %271 ], [ 0, %273 ]
  ret i32 %280
}

declare void @llvm.memset.p0.i64(ptr nocapture writeonly, i8, i64, i1 immarg) #9

declare void @llvm.memcpy.p0.p0.i64(ptr noalias nocapture writeonly, ptr noalias nocapture readonly, i64, i1 immarg) #4

define i32 @wmtune_open_memory(ptr noundef %0, ptr noundef %1, i64 noundef %2, i32 noundef %3) local_unnamed_addr #0 {
  %5 = alloca %struct.source, align 8
  call void @llvm.lifetime.start.p0(i64 40, ptr nonnull %5) #24
  store ptr null, ptr %5, align 8
  %6 = getelementptr inbounds i8, ptr %5, i64 8
  store ptr %1, ptr %6, align 8
  %7 = getelementptr inbounds i8, ptr %5, i64 16
  store i64 %2, ptr %7, align 8
  %8 = getelementptr inbounds i8, ptr %5, i64 24
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 8 dereferenceable(16) %8, i8 0, i64 16, i1 false)
  %9 = call fastcc i32 @open_context(ptr noundef %0, ptr noundef nonnull %5, i32 noundef %3) #23
  call void @llvm.lifetime.end.p0(i64 40, ptr nonnull %5) #24
  ret i32 %9
}

define i32 @wmtune_open_read(ptr noundef %0, ptr noundef %1, ptr noundef %2, i32 noundef %3) local_unnamed_addr #0 {
  %5 = alloca %struct.source, align 8
  call void @llvm.lifetime.start.p0(i64 40, ptr nonnull %5) #24
  %6 = getelementptr inbounds i8, ptr %5, i64 24
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 8 dereferenceable(24) %5, i8 0, i64 24, i1 false)
  store ptr %1, ptr %6, align 8
  %7 = getelementptr inbounds i8, ptr %5, i64 32
  store ptr %2, ptr %7, align 8
  %8 = call fastcc i32 @open_context(ptr noundef %0, ptr noundef nonnull %5, i32 noundef %3) #23
  call void @llvm.lifetime.end.p0(i64 40, ptr nonnull %5) #24
  ret i32 %8
}

define i32 @wmtune_denormals(ptr noundef readonly %0) local_unnamed_addr #6 {
  %2 = icmp eq ptr %0, null
  br i1 %2, label %13, label %3

3:
  %4 = getelementptr inbounds %struct.pool, ptr %0, i64 0, i32 2
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

define i64 @wmtune_bytes(i32 noundef %0) local_unnamed_addr #10 {
  %2 = icmp slt i32 %0, 0
  br i1 %2, label %19, label %3

3:
  %4 = load i32, ptr getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 10), align 8
  %5 = load i32, ptr getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 11), align 4
  %6 = add nsw i32 %5, %4
  %7 = icmp sgt i32 %6, %0
  br i1 %7, label %8, label %19

8:
  %9 = icmp sgt i32 %4, %0
  %10 = load ptr, ptr getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 5), align 8
  %11 = zext i32 %0 to i64
  %12 = getelementptr inbounds %struct.region, ptr %10, i64 %11
  %13 = load ptr, ptr getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 6), align 8
  %14 = sub nsw i32 %0, %4
  %15 = sext i32 %14 to i64
  %16 = getelementptr inbounds %struct.region, ptr %13, i64 %15
  %17 = select i1 %9, ptr %12, ptr %16
  %18 = load i64, ptr %17, align 8
  br label %19

19:
  %20 = phi i64 [ %18, %8 ], [ -1, %3 ], [ -1, %1 ]
  ret i64 %20
}

define i32 @wmtune_run(ptr noundef %0, ptr noundef %1, ptr noundef %2) local_unnamed_addr #0 {
  %4 = tail call fastcc i32 @run(ptr noundef %0, ptr noundef %1, ptr noundef %2, ptr noundef null) #23
  ret i32 %4
}

define internal fastcc i32 @run(ptr noundef %0, ptr noundef readonly %1, ptr noundef readonly %2, ptr noundef %3) unnamed_addr #0 {
  %5 = icmp eq ptr %0, null
  br i1 %5, label %358, label %6

6:
  %7 = icmp ne ptr %1, null
  %8 = load i32, ptr getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 10), align 8
  %9 = icmp eq i32 %8, 0
  %10 = select i1 %7, i1 true, i1 %9
  br i1 %10, label %11, label %358

11:
  %12 = icmp ne ptr %2, null
  %13 = load i32, ptr getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 11), align 4
  %14 = icmp eq i32 %13, 0
  %15 = select i1 %12, i1 true, i1 %14
  br i1 %15, label %16, label %358

16:
  %17 = getelementptr inbounds %struct.pool, ptr %0, i64 0, i32 7
  %18 = load ptr, ptr %17, align 8
  %19 = icmp eq ptr %18, null
  br i1 %19, label %20, label %28

20:
  %21 = tail call i32 @getpid() #25
  %22 = getelementptr inbounds %struct.pool, ptr %0, i64 0, i32 8
  %23 = load i32, ptr %22, align 8
  %24 = icmp eq i32 %21, %23
  br i1 %24, label %28, label %25

25:
  %26 = getelementptr inbounds %struct.context, ptr %0, i64 0, i32 11
  %27 = load ptr, ptr %26, align 8
  store atomic i32 0, ptr %27 seq_cst, align 4
  br label %28

28:
  %29 = getelementptr inbounds %struct.context, ptr %0, i64 0, i32 11
  %30 = load ptr, ptr %29, align 8
  %31 = atomicrmw xchg ptr %30, i32 1 seq_cst, align 4
  %32 = icmp eq i32 %31, 0
  br i1 %32, label %33, label %358

33:
  %34 = load ptr, ptr %17, align 8
  %35 = icmp eq ptr %34, null
  br i1 %35, label %39, label %36

36:
  %37 = load atomic i32, ptr %34 monotonic, align 4
  %38 = icmp eq i32 %37, 0
  br i1 %38, label %44, label %62

39:
  %40 = tail call i32 @getpid() #25
  %41 = getelementptr inbounds %struct.pool, ptr %0, i64 0, i32 8
  %42 = load i32, ptr %41, align 8
  %43 = icmp eq i32 %40, %42
  br i1 %43, label %62, label %44

44:
  %45 = getelementptr inbounds %struct.pool, ptr %0, i64 0, i32 1
  %46 = load i64, ptr %45, align 8
  %47 = icmp sgt i64 %46, 0
  br i1 %47, label %48, label %61

48:
  %49 = getelementptr inbounds %struct.context, ptr %0, i64 0, i32 2
  %50 = load i64, ptr getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 2), align 8
  br label %51

51:
  %52 = phi i64 [ 0, %48 ], [ %58, %51 ]
  %53 = load ptr, ptr %49, align 8
  %54 = mul nsw i64 %52, %50
  %55 = getelementptr inbounds i8, ptr %53, i64 %54
  %56 = load ptr, ptr %0, align 8
  %57 = getelementptr inbounds %struct.thread, ptr %56, i64 %52, i32 1
  store ptr %55, ptr %57, align 8
  %58 = add nuw nsw i64 %52, 1
  %59 = load i64, ptr %45, align 8
  %60 = icmp slt i64 %58, %59
  br i1 %60, label %51, label %61

61:
  tail call fastcc void @start(ptr noundef nonnull %0) #23
  br label %62

62:
  %63 = getelementptr inbounds %struct.pool, ptr %0, i64 0, i32 2
  %64 = load i64, ptr %63, align 8
  %65 = icmp sgt i64 %64, 1
  br i1 %65, label %73, label %66

66:
  %67 = getelementptr inbounds %struct.pool, ptr %0, i64 0, i32 6
  store atomic i32 0, ptr %67 monotonic, align 8
  br label %94

68:
  %69 = getelementptr inbounds %struct.pool, ptr %0, i64 0, i32 6
  store atomic i32 %90, ptr %69 monotonic, align 8
  %70 = icmp eq i32 %90, 0
  br i1 %70, label %94, label %71

71:
  %72 = zext i32 %90 to i64
  br label %111

73:
  %74 = phi i32 [ %90, %88 ], [ 0, %62 ]
  %75 = phi i64 [ %91, %88 ], [ 1, %62 ]
  %76 = load ptr, ptr %0, align 8
  %77 = getelementptr inbounds %struct.thread, ptr %76, i64 %75, i32 8
  %78 = load atomic i32, ptr %77 monotonic, align 4
  %79 = getelementptr inbounds %struct.thread, ptr %76, i64 %75, i32 16
  %80 = icmp ne i32 %78, 0
  %81 = select i1 %80, i32 %74, i32 -1
  store atomic i32 %81, ptr %79 monotonic, align 8
  br i1 %80, label %82, label %88

82:
  %83 = zext i32 %74 to i64
  %84 = getelementptr inbounds %struct.thread, ptr %76, i64 %83, i32 5
  %85 = getelementptr inbounds %struct.thread, ptr %76, i64 %75, i32 2
  %86 = load i64, ptr %85, align 16
  %87 = trunc i64 %86 to i32
  store atomic i32 %87, ptr %84 monotonic, align 4
  br label %88

88:
  %89 = zext i1 %80 to i32
  %90 = add nuw nsw i32 %74, %89
  %91 = add nuw nsw i64 %75, 1
  %92 = load i64, ptr %63, align 8
  %93 = icmp slt i64 %91, %92
  br i1 %93, label %73, label %68

94:
  %95 = phi ptr [ %67, %66 ], [ %69, %68 ], [ %69, %126 ]
  %96 = load ptr, ptr %0, align 8
  %97 = load atomic i32, ptr %95 monotonic, align 8
  %98 = icmp sgt i32 %97, 0
  br i1 %98, label %99, label %129

99:
  %100 = zext i32 %97 to i64
  %101 = add nsw i64 %100, -1
  %102 = tail call i64 @llvm.umin.i64(i64 %101, i64 3)
  br label %103

103:
  %104 = phi i64 [ 0, %99 ], [ %109, %103 ]
  %105 = getelementptr inbounds %struct.thread, ptr %96, i64 %104, i32 5
  %106 = load atomic i32, ptr %105 monotonic, align 4
  %107 = sext i32 %106 to i64
  %108 = getelementptr inbounds %struct.thread, ptr %96, i64 %107
  tail call fastcc void @wake(ptr noundef %108) #23
  %109 = add nuw nsw i64 %104, 1
  %110 = icmp eq i64 %104, %102
  br i1 %110, label %129, label %103

111:
  %112 = phi i64 [ 0, %71 ], [ %127, %126 ]
  %113 = load ptr, ptr %0, align 8
  %114 = getelementptr inbounds %struct.thread, ptr %113, i64 %112, i32 5
  %115 = load atomic i32, ptr %114 monotonic, align 4
  %116 = sext i32 %115 to i64
  %117 = getelementptr inbounds %struct.thread, ptr %113, i64 %116, i32 7
  %118 = load atomic i32, ptr %117 monotonic, align 64
  %119 = and i32 %118, -4
  %120 = add i32 %119, 6
  store atomic i32 %120, ptr %117 release, align 64
  %121 = getelementptr inbounds %struct.thread, ptr %113, i64 %116, i32 16
  %122 = load atomic i32, ptr %121 monotonic, align 8
  %123 = icmp slt i32 %122, 0
  br i1 %123, label %124, label %126

124:
  %125 = getelementptr inbounds %struct.thread, ptr %113, i64 %116
  tail call fastcc void @wake(ptr noundef nonnull %125) #23
  br label %126

126:
  %127 = add nuw nsw i64 %112, 1
  %128 = icmp eq i64 %127, %72
  br i1 %128, label %94, label %111

129:
  %130 = tail call { i64, i64 } asm sideeffect "mrs $0, fpcr\0A\09mrs $1, fpsr", "=r,=r,~{memory}"() #24
  %131 = extractvalue { i64, i64 } %130, 0
  %132 = extractvalue { i64, i64 } %130, 1
  %133 = getelementptr inbounds %struct.pool, ptr %0, i64 0, i32 4
  %134 = load i32, ptr %133, align 8
  %135 = shl i32 %134, 8
  %136 = and i32 %135, 4194304
  %137 = shl i32 %134, 10
  %138 = and i32 %137, 8388608
  %139 = or i32 %136, %138
  %140 = tail call i64 asm sideeffect "mrs $0, fpsr", "=r,~{memory}"() #24
  %141 = shl i32 %134, 9
  %142 = and i32 %141, 16777216
  %143 = or i32 %139, %142
  %144 = zext i32 %143 to i64
  %145 = and i64 %140, -129
  %146 = shl i32 %134, 6
  %147 = and i32 %146, 128
  %148 = zext i32 %147 to i64
  %149 = or i64 %145, %148
  tail call void asm sideeffect "msr fpcr, $0\0A\09msr fpsr, $1", "r,r,~{memory}"(i64 %144, i64 %149) #24
  %150 = load i64, ptr %63, align 8
  %151 = icmp sgt i64 %150, 0
  br i1 %151, label %288, label %152

152:
  %153 = icmp sgt i32 %8, 0
  br i1 %153, label %154, label %159

154:
  %155 = load ptr, ptr getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 5), align 8
  %156 = getelementptr inbounds %struct.context, ptr %0, i64 0, i32 6
  %157 = getelementptr inbounds %struct.context, ptr %0, i64 0, i32 3
  %158 = zext i32 %8 to i64
  br label %171

159:
  %160 = phi i64 [ 0, %152 ], [ %203, %202 ]
  %161 = icmp sgt i32 %13, 0
  br i1 %161, label %162, label %295

162:
  %163 = load ptr, ptr getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 6), align 8
  %164 = getelementptr inbounds %struct.context, ptr %0, i64 0, i32 7
  %165 = icmp slt i32 %8, 1
  %166 = getelementptr inbounds %struct.context, ptr %0, i64 0, i32 6
  %167 = load ptr, ptr getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 5), align 8
  %168 = getelementptr inbounds %struct.context, ptr %0, i64 0, i32 3
  %169 = sext i32 %8 to i64
  %170 = zext i32 %13 to i64
  br label %206

171:
  %172 = phi i64 [ 0, %154 ], [ %204, %202 ]
  %173 = phi i64 [ 0, %154 ], [ %203, %202 ]
  %174 = getelementptr inbounds %struct.region, ptr %155, i64 %172
  %175 = load i64, ptr %174, align 8
  %176 = getelementptr inbounds i8, ptr %174, i64 8
  %177 = load i64, ptr %176, align 8
  %178 = icmp eq i64 %175, 0
  %179 = getelementptr inbounds ptr, ptr %1, i64 %172
  %180 = load ptr, ptr %179, align 8
  br i1 %178, label %181, label %184

181:
  %182 = load ptr, ptr %156, align 8
  %183 = getelementptr inbounds ptr, ptr %182, i64 %172
  store ptr %180, ptr %183, align 8
  br label %202

184:
  %185 = icmp eq ptr %180, null
  br i1 %185, label %316, label %186

186:
  %187 = load ptr, ptr %156, align 8
  %188 = getelementptr inbounds ptr, ptr %187, i64 %172
  store ptr %180, ptr %188, align 8
  %189 = load ptr, ptr %179, align 8
  %190 = ptrtoint ptr %189 to i64
  %191 = urem i64 %190, %177
  %192 = icmp eq i64 %191, 0
  br i1 %192, label %202, label %193

193:
  %194 = load ptr, ptr %157, align 8
  %195 = getelementptr inbounds i8, ptr %194, i64 %173
  tail call void @llvm.memcpy.p0.p0.i64(ptr align 1 %195, ptr align 1 %189, i64 %175, i1 false)
  %196 = load ptr, ptr %156, align 8
  %197 = getelementptr inbounds ptr, ptr %196, i64 %172
  store ptr %195, ptr %197, align 8
  %198 = add nsw i64 %175, 63
  %199 = sdiv i64 %198, 64
  %200 = shl nsw i64 %199, 6
  %201 = add nsw i64 %200, %173
  br label %202

202:
  %203 = phi i64 [ %173, %181 ], [ %173, %186 ], [ %201, %193 ]
  %204 = add nuw nsw i64 %172, 1
  %205 = icmp eq i64 %204, %158
  br i1 %205, label %159, label %171

206:
  %207 = phi i64 [ 0, %162 ], [ %286, %284 ]
  %208 = phi i64 [ %160, %162 ], [ %285, %284 ]
  %209 = getelementptr inbounds %struct.region, ptr %163, i64 %207
  %210 = load i64, ptr %209, align 8
  %211 = getelementptr inbounds i8, ptr %209, i64 8
  %212 = load i64, ptr %211, align 8
  %213 = icmp eq i64 %210, 0
  %214 = getelementptr inbounds ptr, ptr %2, i64 %207
  %215 = load ptr, ptr %214, align 8
  br i1 %213, label %216, label %219

216:
  %217 = load ptr, ptr %164, align 8
  %218 = getelementptr inbounds ptr, ptr %217, i64 %207
  store ptr %215, ptr %218, align 8
  br label %228

219:
  %220 = icmp eq ptr %215, null
  br i1 %220, label %316, label %221

221:
  %222 = load ptr, ptr %164, align 8
  %223 = getelementptr inbounds ptr, ptr %222, i64 %207
  store ptr %215, ptr %223, align 8
  %224 = load ptr, ptr %214, align 8
  %225 = ptrtoint ptr %224 to i64
  %226 = urem i64 %225, %212
  %227 = icmp ne i64 %226, 0
  br label %228

228:
  %229 = phi i1 [ %227, %221 ], [ false, %216 ]
  %230 = select i1 %165, i1 true, i1 %229
  br i1 %230, label %236, label %231

231:
  %232 = load ptr, ptr %214, align 8
  %233 = load ptr, ptr %166, align 8
  %234 = icmp ne i64 %210, 0
  %235 = getelementptr inbounds i8, ptr %232, i64 %210
  br label %242

236:
  %237 = phi i1 [ %229, %228 ], [ %254, %242 ]
  %238 = icmp eq i64 %207, 0
  br i1 %238, label %274, label %239

239:
  %240 = load ptr, ptr %214, align 8
  %241 = getelementptr inbounds i8, ptr %240, i64 %210
  br label %261

242:
  %243 = phi i64 [ 0, %231 ], [ %255, %242 ]
  %244 = getelementptr inbounds ptr, ptr %233, i64 %243
  %245 = load ptr, ptr %244, align 8
  %246 = getelementptr inbounds %struct.region, ptr %167, i64 %243
  %247 = load i64, ptr %246, align 8
  %248 = icmp ne i64 %247, 0
  %249 = and i1 %234, %248
  %250 = getelementptr inbounds i8, ptr %245, i64 %247
  %251 = icmp ugt ptr %250, %232
  %252 = select i1 %249, i1 %251, i1 false
  %253 = icmp ugt ptr %235, %245
  %254 = select i1 %252, i1 %253, i1 false
  %255 = add nuw nsw i64 %243, 1
  %256 = icmp sge i64 %255, %169
  %257 = select i1 %256, i1 true, i1 %254
  br i1 %257, label %236, label %242

258:
  %259 = add nuw nsw i64 %262, 1
  %260 = icmp eq i64 %259, %207
  br i1 %260, label %274, label %261

261:
  %262 = phi i64 [ 0, %239 ], [ %259, %258 ]
  %263 = getelementptr inbounds ptr, ptr %2, i64 %262
  %264 = load ptr, ptr %263, align 8
  %265 = getelementptr inbounds %struct.region, ptr %163, i64 %262
  %266 = load i64, ptr %265, align 8
  %267 = icmp eq i64 %266, 0
  %268 = or i1 %213, %267
  %269 = getelementptr inbounds i8, ptr %264, i64 %266
  %270 = icmp ule ptr %269, %240
  %271 = select i1 %268, i1 true, i1 %270
  %272 = icmp ule ptr %241, %264
  %273 = select i1 %271, i1 true, i1 %272
  br i1 %273, label %258, label %316

274:
  br i1 %237, label %275, label %284

275:
  %276 = load ptr, ptr %168, align 8
  %277 = getelementptr inbounds i8, ptr %276, i64 %208
  %278 = load ptr, ptr %164, align 8
  %279 = getelementptr inbounds ptr, ptr %278, i64 %207
  store ptr %277, ptr %279, align 8
  %280 = add nsw i64 %210, 63
  %281 = sdiv i64 %280, 64
  %282 = shl nsw i64 %281, 6
  %283 = add nsw i64 %282, %208
  br label %284

284:
  %285 = phi i64 [ %283, %275 ], [ %208, %274 ]
  %286 = add nuw nsw i64 %207, 1
  %287 = icmp eq i64 %286, %170
  br i1 %287, label %295, label %206

288:
  %289 = phi i64 [ %292, %288 ], [ 0, %129 ]
  %290 = load ptr, ptr %0, align 8
  %291 = getelementptr inbounds %struct.thread, ptr %290, i64 %289, i32 4
  store i32 0, ptr %291, align 32
  %292 = add nuw nsw i64 %289, 1
  %293 = load i64, ptr %63, align 8
  %294 = icmp slt i64 %292, %293
  br i1 %294, label %288, label %152

295:
  %296 = load i64, ptr %63, align 8
  %297 = getelementptr inbounds %struct.pool, ptr %0, i64 0, i32 3
  store i64 %296, ptr %297, align 8
  %298 = getelementptr inbounds %struct.context, ptr %0, i64 0, i32 8
  store ptr %3, ptr %298, align 8
  %299 = load ptr, ptr %0, align 8
  %300 = getelementptr inbounds %struct.context, ptr %0, i64 0, i32 1
  %301 = load ptr, ptr %300, align 8
  %302 = getelementptr inbounds %struct.context, ptr %0, i64 0, i32 4
  %303 = load ptr, ptr %302, align 8
  %304 = getelementptr inbounds %struct.context, ptr %0, i64 0, i32 6
  %305 = load ptr, ptr %304, align 8
  %306 = getelementptr inbounds %struct.context, ptr %0, i64 0, i32 7
  %307 = load ptr, ptr %306, align 8
  %308 = tail call i32 @wmtune_sequence(ptr noundef %299, ptr noundef %301, ptr noundef %303, ptr noundef %305, ptr noundef %307, ptr noundef %3) #25
  %309 = icmp eq i32 %308, 0
  %310 = icmp sgt i32 %13, 0
  %311 = select i1 %310, i1 %309, i1 false
  br i1 %311, label %312, label %316

312:
  %313 = getelementptr inbounds %struct.context, ptr %0, i64 0, i32 7
  %314 = load ptr, ptr getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 6), align 8
  %315 = zext i32 %13 to i64
  br label %344

316:
  %317 = phi i32 [ %308, %295 ], [ %308, %355 ], [ -10, %261 ], [ -9, %219 ], [ -9, %184 ]
  %318 = tail call { i64, i64 } asm sideeffect "mrs $0, fpcr\0A\09mrs $1, fpsr", "=r,=r,~{memory}"() #24
  %319 = extractvalue { i64, i64 } %318, 0
  %320 = extractvalue { i64, i64 } %318, 1
  %321 = trunc i64 %319 to i32
  %322 = lshr i32 %321, 8
  %323 = and i32 %322, 16384
  %324 = lshr i32 %321, 10
  %325 = and i32 %324, 8192
  %326 = and i64 %319, 16777216
  %327 = icmp eq i64 %326, 0
  %328 = select i1 %327, i32 0, i32 32832
  %329 = trunc i64 %320 to i32
  %330 = lshr i32 %329, 6
  %331 = and i32 %330, 2
  %332 = or i32 %323, %325
  %333 = or i32 %332, %328
  %334 = or i32 %333, %331
  %335 = or i32 %334, 8064
  %336 = load ptr, ptr %0, align 8
  %337 = getelementptr inbounds %struct.thread, ptr %336, i64 0, i32 4
  store i32 %335, ptr %337, align 32
  %338 = tail call i64 asm sideeffect "mrs $0, fpsr", "=r,~{memory}"() #24
  %339 = and i64 %131, 29360128
  %340 = and i64 %338, -129
  %341 = and i64 %132, 128
  %342 = or i64 %340, %341
  tail call void asm sideeffect "msr fpcr, $0\0A\09msr fpsr, $1", "r,r,~{memory}"(i64 %339, i64 %342) #24
  %343 = load ptr, ptr %29, align 8
  store atomic i32 0, ptr %343 seq_cst, align 4
  br label %358

344:
  %345 = phi i64 [ 0, %312 ], [ %356, %355 ]
  %346 = load ptr, ptr %313, align 8
  %347 = getelementptr inbounds ptr, ptr %346, i64 %345
  %348 = load ptr, ptr %347, align 8
  %349 = getelementptr inbounds ptr, ptr %2, i64 %345
  %350 = load ptr, ptr %349, align 8
  %351 = icmp eq ptr %348, %350
  br i1 %351, label %355, label %352

352:
  %353 = getelementptr inbounds %struct.region, ptr %314, i64 %345
  %354 = load i64, ptr %353, align 8
  tail call void @llvm.memcpy.p0.p0.i64(ptr align 1 %350, ptr align 1 %348, i64 %354, i1 false)
  br label %355

355:
  %356 = add nuw nsw i64 %345, 1
  %357 = icmp ult i64 %356, %315
  br i1 %357, label %344, label %316

358:
  %359 = phi i32 [ -8, %4 ], [ -9, %6 ], [ -9, %11 ], [ %317, %316 ], [ -11, %28 ]
  ret i32 %359
}

define i32 @wmtune_profile(ptr noundef %0, ptr noundef %1, ptr noundef %2, ptr noundef %3) local_unnamed_addr #0 {
  %5 = tail call fastcc i32 @run(ptr noundef %0, ptr noundef %1, ptr noundef %2, ptr noundef %3) #23
  ret i32 %5
}

define void @wmtune_watch(ptr nocapture noundef writeonly %0, ptr noundef %1) local_unnamed_addr #8 {
  %3 = getelementptr inbounds %struct.context, ptr %0, i64 0, i32 12
  store ptr %1, ptr %3, align 8
  ret void
}

define i32 @wmtune_steps() local_unnamed_addr #11 {
  %1 = load i32, ptr getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 12), align 8
  ret i32 %1
}

define ptr @wmtune_error(i32 noundef %0) local_unnamed_addr #10 {
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
  %12 = add i32 %0, 16
  %13 = icmp ult i32 %12, 17
  br i1 %13, label %14, label %20

14:
  %15 = sext i32 %12 to i64
  %16 = getelementptr inbounds [17 x ptr], ptr @switch.table.wmtune_error, i64 0, i64 %15
  br label %17

17:
  %18 = phi ptr [ %16, %14 ], [ %10, %6 ]
  %19 = load ptr, ptr %18, align 8
  br label %20

20:
  %21 = phi ptr [ @.str.17, %11 ], [ %19, %17 ]
  ret ptr %21
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
  tail call fastcc void @wake(ptr noundef %22) #23
  %23 = add nsw i64 %18, 1
  %24 = icmp slt i64 %23, %15
  %25 = icmp slt i64 %23, %14
  %26 = select i1 %24, i1 %25, i1 false
  br i1 %26, label %17, label %16
}

define internal fastcc void @share(ptr noundef %0, ptr nocapture noundef readonly %1, ptr noundef %2) unnamed_addr #0 {
  %4 = getelementptr inbounds %struct.thread, ptr %0, i64 0, i32 2
  %5 = load i64, ptr %4, align 16
  %6 = sub i64 0, %5
  %7 = getelementptr inbounds %struct.thread, ptr %0, i64 %6
  %8 = tail call i64 asm sideeffect "mrs $0, cntvct_el0", "=r"() #24
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
  tail call void %1(ptr noundef nonnull %0, ptr noundef %2, i64 noundef %21, i64 noundef %28) #25
  %29 = load i64, ptr %10, align 32
  %30 = load atomic i64, ptr %9 monotonic, align 8
  %31 = icmp slt i64 %30, %29
  br i1 %31, label %16, label %33

32:
  br i1 %18, label %38, label %33

33:
  %34 = tail call i64 asm sideeffect "mrs $0, cntvct_el0", "=r"() #24
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
  tail call void %1(ptr noundef nonnull %0, ptr noundef %2, i64 noundef %62, i64 noundef %66) #25
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
  %10 = tail call i64 (i64, ...) @syscall(i64 noundef 98, ptr noundef nonnull %9, i32 noundef 129, i32 noundef 1, ptr noundef null, ptr noundef null, i32 noundef 0) #25
  br label %11

11:
  ret void
}

declare i64 @syscall(i64 noundef, ...) local_unnamed_addr #0

declare i32 @sched_yield() local_unnamed_addr #0

declare i32 @clock_gettime(i32 noundef, ptr noundef) local_unnamed_addr #0

declare i32 @getpid() local_unnamed_addr #0

declare i32 @pthread_join(i64 noundef, ptr noundef) local_unnamed_addr #12

declare noalias noundef ptr @calloc(i64 noundef, i64 noundef) local_unnamed_addr #13

define internal fastcc i64 @processors() unnamed_addr #0 {
  %1 = alloca [4096 x i8], align 1
  %2 = alloca [1024 x i8], align 1
  %3 = alloca [16 x i64], align 8
  call void @llvm.lifetime.start.p0(i64 128, ptr nonnull %3) #24
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 8 dereferenceable(128) %3, i8 0, i64 128, i1 false)
  call void @llvm.lifetime.start.p0(i64 4096, ptr nonnull %1) #24
  call void @llvm.lifetime.start.p0(i64 1024, ptr nonnull %2) #24
  %4 = tail call i32 (ptr, i32, ...) @open(ptr noundef nonnull @.str.18, i32 noundef 524288) #25
  %5 = icmp slt i32 %4, 0
  br i1 %5, label %101, label %6

6:
  %7 = phi i64 [ %12, %6 ], [ 0, %0 ]
  %8 = getelementptr inbounds i8, ptr %1, i64 %7
  %9 = sub i64 4096, %7
  %10 = call i64 @read(i32 noundef %4, ptr noundef nonnull %8, i64 noundef %9) #25
  %11 = icmp sgt i64 %10, 0
  %12 = add i64 %10, %7
  br i1 %11, label %6, label %13

13:
  %14 = tail call i32 @close(i32 noundef %4) #25
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 1 dereferenceable(14) %2, ptr noundef nonnull align 1 dereferenceable(14) @.str.19, i64 14, i1 false)
  %15 = ptrtoint ptr %8 to i64
  %16 = call ptr @memchr(ptr noundef nonnull %1, i32 noundef 10, i64 noundef %7) #28
  %17 = icmp eq ptr %16, null
  br i1 %17, label %101, label %18

18:
  %19 = ptrtoint ptr %1 to i64
  %20 = getelementptr inbounds i8, ptr %2, i64 14
  %21 = getelementptr inbounds i8, ptr %2, i64 15
  br label %22

22:
  %23 = phi ptr [ %16, %18 ], [ %99, %94 ]
  %24 = phi i64 [ %19, %18 ], [ %97, %94 ]
  %25 = phi i64 [ 256, %18 ], [ %95, %94 ]
  %26 = phi ptr [ %1, %18 ], [ %96, %94 ]
  %27 = ptrtoint ptr %23 to i64
  %28 = sub i64 %27, %24
  %29 = call ptr @memchr(ptr noundef nonnull %26, i32 noundef 58, i64 noundef %28) #28
  %30 = icmp eq ptr %29, null
  br i1 %30, label %94, label %31

31:
  %32 = getelementptr inbounds i8, ptr %29, i64 1
  %33 = ptrtoint ptr %29 to i64
  %34 = xor i64 %33, -1
  %35 = add i64 %34, %27
  %36 = call ptr @memchr(ptr noundef nonnull %32, i32 noundef 58, i64 noundef %35) #28
  %37 = getelementptr inbounds i8, ptr %36, i64 1
  %38 = icmp eq ptr %36, null
  br i1 %38, label %94, label %39

39:
  %40 = load i8, ptr %37, align 1
  %41 = icmp eq i8 %40, 47
  br i1 %41, label %42, label %94

42:
  %43 = ptrtoint ptr %37 to i64
  %44 = sub i64 %43, %33
  %45 = add nsw i64 %44, -2
  %46 = sub i64 %27, %43
  %47 = icmp eq i64 %45, 0
  br i1 %47, label %72, label %48

48:
  %49 = icmp ugt i64 %45, 2
  br i1 %49, label %50, label %94

50:
  %51 = phi i64 [ %70, %68 ], [ 3, %48 ]
  %52 = phi i64 [ %69, %68 ], [ 0, %48 ]
  %53 = getelementptr inbounds i8, ptr %32, i64 %52
  %54 = call i32 @bcmp(ptr noundef nonnull dereferenceable(3) %53, ptr noundef nonnull dereferenceable(3) @.str.24, i64 3)
  %55 = icmp eq i32 %54, 0
  br i1 %55, label %56, label %68

56:
  %57 = icmp eq i64 %52, 0
  br i1 %57, label %62, label %58

58:
  %59 = getelementptr inbounds i8, ptr %29, i64 %52
  %60 = load i8, ptr %59, align 1
  %61 = icmp eq i8 %60, 44
  br i1 %61, label %62, label %68

62:
  %63 = icmp eq i64 %51, %45
  br i1 %63, label %72, label %64

64:
  %65 = getelementptr inbounds i8, ptr %32, i64 %51
  %66 = load i8, ptr %65, align 1
  %67 = icmp eq i8 %66, 44
  br i1 %67, label %72, label %68

68:
  %69 = add i64 %52, 1
  %70 = add i64 %52, 4
  %71 = icmp ugt i64 %70, %45
  br i1 %71, label %94, label %50

72:
  %73 = phi i64 [ 4, %42 ], [ 2, %62 ], [ 2, %64 ]
  %74 = phi i64 [ 2, %42 ], [ 0, %62 ], [ 0, %64 ]
  %75 = icmp ne i64 %45, 0
  %76 = zext i1 %75 to i32
  br label %80

77:
  %78 = add i64 %44, -3
  %79 = icmp ult i64 %78, 254
  br i1 %79, label %90, label %94

80:
  %81 = phi i64 [ %74, %72 ], [ %88, %80 ]
  %82 = phi i64 [ %25, %72 ], [ %87, %80 ]
  %83 = getelementptr inbounds [4 x ptr], ptr @__const.quota.folders, i64 0, i64 %81
  %84 = load ptr, ptr %83, align 8
  %85 = call i64 @strlen(ptr noundef nonnull dereferenceable(1) %84) #28
  %86 = add i64 %85, 1
  call void @llvm.memcpy.p0.p0.i64(ptr nonnull align 1 %20, ptr align 1 %84, i64 %86, i1 false)
  %87 = call fastcc i64 @climb(ptr noundef nonnull %2, ptr noundef nonnull %37, i64 noundef %46, i32 noundef %76, i64 noundef %82) #23
  %88 = add nuw nsw i64 %81, 1
  %89 = icmp eq i64 %88, %73
  br i1 %89, label %77, label %80

90:
  store i8 47, ptr %20, align 1
  call void @llvm.memcpy.p0.p0.i64(ptr nonnull align 1 %21, ptr nonnull align 1 %32, i64 %45, i1 false)
  %91 = add nuw nsw i64 %44, 13
  %92 = getelementptr inbounds [1024 x i8], ptr %2, i64 0, i64 %91
  store i8 0, ptr %92, align 1
  %93 = call fastcc i64 @climb(ptr noundef nonnull %2, ptr noundef nonnull %37, i64 noundef %46, i32 noundef 1, i64 noundef %87) #23
  br label %94

94:
  %95 = phi i64 [ %25, %39 ], [ %25, %31 ], [ %93, %90 ], [ %87, %77 ], [ %25, %22 ], [ %25, %48 ], [ %25, %68 ]
  %96 = getelementptr inbounds i8, ptr %23, i64 1
  %97 = ptrtoint ptr %96 to i64
  %98 = sub i64 %15, %97
  %99 = call ptr @memchr(ptr noundef nonnull %96, i32 noundef 10, i64 noundef %98) #28
  %100 = icmp eq ptr %99, null
  br i1 %100, label %101, label %22

101:
  %102 = phi i64 [ 256, %0 ], [ 256, %13 ], [ %95, %94 ]
  call void @llvm.lifetime.end.p0(i64 1024, ptr nonnull %2) #24
  call void @llvm.lifetime.end.p0(i64 4096, ptr nonnull %1) #24
  %103 = call i32 @sched_getaffinity(i32 noundef 0, i64 noundef 128, ptr noundef nonnull %3) #25
  br label %108

104:
  %105 = icmp eq i64 %114, 0
  %106 = select i1 %105, i64 1, i64 %114
  %107 = call i64 @llvm.smin.i64(i64 %106, i64 %102)
  call void @llvm.lifetime.end.p0(i64 128, ptr nonnull %3) #24
  ret i64 %107

108:
  %109 = phi i64 [ 0, %101 ], [ %115, %108 ]
  %110 = phi i64 [ 0, %101 ], [ %114, %108 ]
  %111 = getelementptr inbounds [16 x i64], ptr %3, i64 0, i64 %109
  %112 = load i64, ptr %111, align 8
  %113 = call i64 @llvm.ctpop.i64(i64 %112)
  %114 = add nuw nsw i64 %113, %110
  %115 = add nuw nsw i64 %109, 1
  %116 = icmp eq i64 %115, 16
  br i1 %116, label %104, label %108
}

define internal fastcc void @start(ptr nocapture noundef %0) unnamed_addr #0 {
  %2 = alloca %struct.__sigset_t, align 8
  %3 = alloca %struct.__sigset_t, align 8
  %4 = alloca %union.pthread_attr_t, align 8
  call void @llvm.lifetime.start.p0(i64 128, ptr nonnull %2) #24
  call void @llvm.lifetime.start.p0(i64 128, ptr nonnull %3) #24
  call void @llvm.lifetime.start.p0(i64 64, ptr nonnull %4) #24
  %5 = tail call i32 @getpid() #25
  %6 = getelementptr inbounds %struct.pool, ptr %0, i64 0, i32 8
  store i32 %5, ptr %6, align 8
  %7 = getelementptr inbounds %struct.pool, ptr %0, i64 0, i32 7
  %8 = load ptr, ptr %7, align 8
  %9 = icmp eq ptr %8, null
  br i1 %9, label %11, label %10

10:
  store atomic i32 1, ptr %8 seq_cst, align 4
  br label %11

11:
  %12 = getelementptr inbounds %struct.pool, ptr %0, i64 0, i32 3
  store i64 1, ptr %12, align 8
  %13 = getelementptr inbounds %struct.pool, ptr %0, i64 0, i32 2
  store i64 1, ptr %13, align 8
  %14 = getelementptr inbounds %struct.pool, ptr %0, i64 0, i32 5
  store atomic i32 0, ptr %14 seq_cst, align 4
  %15 = getelementptr inbounds %struct.pool, ptr %0, i64 0, i32 1
  %16 = load i64, ptr %15, align 8
  %17 = icmp slt i64 %16, 2
  br i1 %17, label %54, label %18

18:
  %19 = call i32 @pthread_attr_init(ptr noundef nonnull %4) #25
  %20 = icmp eq i32 %19, 0
  br i1 %20, label %21, label %54

21:
  %22 = call i32 @pthread_attr_setstacksize(ptr noundef nonnull %4, i64 noundef 2097152) #25
  %23 = call i32 @sigfillset(ptr noundef nonnull %2) #25
  br label %29

24:
  %25 = call i32 @pthread_sigmask(i32 noundef 2, ptr noundef nonnull %2, ptr noundef nonnull %3) #25
  %26 = load i64, ptr %13, align 8
  %27 = load i64, ptr %15, align 8
  %28 = icmp slt i64 %26, %27
  br i1 %28, label %36, label %50

29:
  %30 = phi i64 [ 0, %21 ], [ %34, %29 ]
  %31 = getelementptr inbounds [7 x i32], ptr @__const.start.faults, i64 0, i64 %30
  %32 = load i32, ptr %31, align 4
  %33 = call i32 @sigdelset(ptr noundef nonnull %2, i32 noundef %32) #25
  %34 = add nuw nsw i64 %30, 1
  %35 = icmp eq i64 %34, 7
  br i1 %35, label %24, label %29

36:
  %37 = phi i64 [ %47, %46 ], [ %26, %24 ]
  %38 = load ptr, ptr %0, align 8
  %39 = getelementptr inbounds %struct.thread, ptr %38, i64 %37
  %40 = getelementptr inbounds %struct.thread, ptr %38, i64 %37, i32 7
  store atomic i32 2, ptr %40 seq_cst, align 4
  %41 = getelementptr inbounds %struct.thread, ptr %38, i64 %37, i32 8
  store atomic i32 0, ptr %41 seq_cst, align 4
  %42 = getelementptr inbounds %struct.thread, ptr %38, i64 %37, i32 3
  %43 = call i32 @pthread_create(ptr noundef nonnull %42, ptr noundef nonnull %4, ptr noundef nonnull @work, ptr noundef %39) #25
  %44 = icmp eq i32 %43, 0
  %45 = load i64, ptr %13, align 8
  br i1 %44, label %46, label %50

46:
  %47 = add nsw i64 %45, 1
  store i64 %47, ptr %13, align 8
  %48 = load i64, ptr %15, align 8
  %49 = icmp slt i64 %47, %48
  br i1 %49, label %36, label %50

50:
  %51 = phi i64 [ %26, %24 ], [ %45, %36 ], [ %47, %46 ]
  store i64 %51, ptr %12, align 8
  %52 = call i32 @pthread_sigmask(i32 noundef 2, ptr noundef nonnull %3, ptr noundef null) #25
  %53 = call i32 @pthread_attr_destroy(ptr noundef nonnull %4) #25
  br label %54

54:
  call void @llvm.lifetime.end.p0(i64 64, ptr nonnull %4) #24
  call void @llvm.lifetime.end.p0(i64 128, ptr nonnull %3) #24
  call void @llvm.lifetime.end.p0(i64 128, ptr nonnull %2) #24
  ret void
}

define internal void @touch(ptr nocapture noundef readonly %0, ptr nocapture noundef readonly %1, i64 noundef %2, i64 noundef %3) #14 {
  %5 = shl nsw i64 %2, 21
  %6 = shl nsw i64 %3, 21
  %7 = load i64, ptr @wmtune_program, align 8
  %8 = icmp slt i64 %5, %6
  %9 = icmp slt i64 %5, %7
  %10 = select i1 %8, i1 %9, i1 false
  br i1 %10, label %11, label %13

11:
  %12 = getelementptr inbounds %struct.context, ptr %1, i64 0, i32 1
  br label %18

13:
  %14 = load i64, ptr getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 2), align 8
  %15 = icmp sgt i64 %14, 0
  br i1 %15, label %16, label %26

16:
  %17 = getelementptr inbounds %struct.thread, ptr %0, i64 0, i32 1
  br label %27

18:
  %19 = phi i64 [ %5, %11 ], [ %22, %18 ]
  %20 = load ptr, ptr %12, align 8
  %21 = getelementptr inbounds i8, ptr %20, i64 %19
  store volatile i8 0, ptr %21, align 1
  %22 = add nsw i64 %19, 4096
  %23 = icmp slt i64 %22, %6
  %24 = icmp slt i64 %22, %7
  %25 = select i1 %23, i1 %24, i1 false
  br i1 %25, label %18, label %13

26:
  ret void

27:
  %28 = phi i64 [ 0, %16 ], [ %31, %27 ]
  %29 = load ptr, ptr %17, align 8
  %30 = getelementptr inbounds i8, ptr %29, i64 %28
  store volatile i8 0, ptr %30, align 1
  %31 = add nuw nsw i64 %28, 4096
  %32 = icmp slt i64 %31, %14
  br i1 %32, label %27, label %26
}

declare i64 @getauxval(i64 noundef) local_unnamed_addr #0

declare i32 @sched_getaffinity(i32 noundef, i64 noundef, ptr noundef) local_unnamed_addr #0

declare i64 @llvm.ctpop.i64(i64) #15

declare i64 @strlen(ptr nocapture noundef) local_unnamed_addr #16

declare noundef i32 @open(ptr nocapture noundef readonly, i32 noundef, ...) local_unnamed_addr #17

declare noundef i64 @read(i32 noundef, ptr nocapture noundef, i64 noundef) local_unnamed_addr #17

declare i32 @close(i32 noundef) local_unnamed_addr #12

declare ptr @memchr(ptr noundef, i32 noundef, i64 noundef) local_unnamed_addr #16

define internal fastcc i64 @climb(ptr nocapture noundef readonly %0, ptr nocapture noundef readonly %1, i64 noundef %2, i32 noundef %3, i64 noundef %4) unnamed_addr #0 {
  %6 = alloca [1024 x i8], align 1
  %7 = alloca i64, align 8
  call void @llvm.lifetime.start.p0(i64 1024, ptr nonnull %6) #24
  %8 = tail call i64 @strlen(ptr noundef nonnull dereferenceable(1) %0) #28
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
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %7) #24
  store i64 0, ptr %7, align 8
  %31 = getelementptr inbounds i8, ptr %6, i64 %30
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 1 dereferenceable(9) %31, ptr noundef nonnull align 1 dereferenceable(9) %15, i64 %16, i1 false)
  %32 = call fastcc i64 @number(ptr noundef nonnull %6, ptr noundef nonnull %7) #23
  br i1 %14, label %33, label %35

33:
  %34 = load i64, ptr %7, align 8
  br label %37

35:
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 1 dereferenceable(19) %31, ptr noundef nonnull align 1 dereferenceable(19) @climb.period, i64 19, i1 false)
  %36 = call fastcc i64 @number(ptr noundef nonnull %6, ptr noundef null) #23
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
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %7) #24
  br label %58

51:
  %52 = phi i64 [ %53, %51 ], [ %30, %44 ]
  %53 = add i64 %52, -1
  %54 = getelementptr inbounds [1024 x i8], ptr %6, i64 0, i64 %53
  %55 = load i8, ptr %54, align 1
  %56 = icmp eq i8 %55, 47
  br i1 %56, label %57, label %51

57:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %7) #24
  br label %17

58:
  %59 = phi i64 [ %4, %5 ], [ %48, %50 ]
  call void @llvm.lifetime.end.p0(i64 1024, ptr nonnull %6) #24
  ret i64 %59
}

define internal fastcc i64 @number(ptr nocapture noundef readonly %0, ptr noundef writeonly %1) unnamed_addr #0 {
  %3 = alloca [64 x i8], align 4
  %4 = alloca ptr, align 8
  call void @llvm.lifetime.start.p0(i64 64, ptr nonnull %3) #24
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %4) #24
  %5 = tail call i32 (ptr, i32, ...) @open(ptr noundef %0, i32 noundef 524288) #25
  %6 = icmp slt i32 %5, 0
  br i1 %6, label %26, label %7

7:
  %8 = call i64 @read(i32 noundef %5, ptr noundef nonnull %3, i64 noundef 63) #25
  %9 = tail call i32 @close(i32 noundef %5) #25
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
  %18 = call i64 @strtoll(ptr noundef nonnull %3, ptr noundef nonnull %4, i32 noundef 10) #25
  %19 = icmp eq ptr %1, null
  br i1 %19, label %26, label %20

20:
  %21 = load ptr, ptr %4, align 8
  %22 = load i8, ptr %21, align 1
  %23 = icmp eq i8 %22, 32
  br i1 %23, label %24, label %26

24:
  %25 = call i64 @strtoll(ptr nocapture noundef nonnull %21, ptr noundef null, i32 noundef 10) #25
  store i64 %25, ptr %1, align 8
  br label %26

26:
  %27 = phi i64 [ -1, %2 ], [ -1, %7 ], [ %18, %24 ], [ %18, %20 ], [ %18, %16 ]
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %4) #24
  call void @llvm.lifetime.end.p0(i64 64, ptr nonnull %3) #24
  ret i64 %27
}

declare i64 @strtoll(ptr noundef readonly, ptr nocapture noundef, i32 noundef) local_unnamed_addr #18

declare noalias noundef ptr @aligned_alloc(i64 allocalign noundef, i64 noundef) local_unnamed_addr #19

define internal fastcc ptr @map(i64 noundef %0) unnamed_addr #0 {
  %2 = alloca i64, align 8
  store i64 %0, ptr %2, align 8
  %3 = call fastcc ptr @reserve(ptr noundef nonnull %2) #23
  %4 = icmp ne ptr %3, null
  %5 = load i64, ptr %2, align 8
  %6 = icmp sgt i64 %5, 2097151
  %7 = select i1 %4, i1 %6, i1 false
  br i1 %7, label %8, label %10

8:
  %9 = tail call i32 @madvise(ptr noundef nonnull %3, i64 noundef %5, i32 noundef 14) #25
  br label %10

10:
  ret ptr %3
}

declare ptr @mmap(ptr noundef, i64 noundef, i32 noundef, i32 noundef, i32 noundef, i64 noundef) local_unnamed_addr #0

declare i32 @madvise(ptr noundef, i64 noundef, i32 noundef) local_unnamed_addr #0

define internal fastcc ptr @reserve(ptr nocapture noundef %0) unnamed_addr #0 {
  %2 = load i64, ptr %0, align 8
  %3 = icmp slt i64 %2, 2097152
  %4 = select i1 %3, i64 0, i64 2097152
  %5 = add nsw i64 %2, 4095
  %6 = sdiv i64 %5, 4096
  %7 = shl nsw i64 %6, 12
  store i64 %7, ptr %0, align 8
  %8 = add nsw i64 %7, %4
  %9 = tail call ptr @mmap(ptr noundef null, i64 noundef %8, i32 noundef 3, i32 noundef 34, i32 noundef -1, i64 noundef 0) #25
  %10 = icmp eq ptr %9, inttoptr (i64 -1 to ptr)
  br i1 %10, label %29, label %11

11:
  %12 = ptrtoint ptr %9 to i64
  %13 = sub i64 0, %12
  %14 = and i64 %13, 2097151
  %15 = select i1 %3, i64 0, i64 %14
  %16 = icmp eq i64 %15, 0
  br i1 %16, label %19, label %17

17:
  %18 = tail call i32 @munmap(ptr noundef %9, i64 noundef %15) #25
  br label %19

19:
  %20 = icmp eq i64 %4, %15
  br i1 %20, label %27, label %21

21:
  %22 = sub nsw i64 %4, %15
  %23 = getelementptr inbounds i8, ptr %9, i64 %15
  %24 = load i64, ptr %0, align 8
  %25 = getelementptr inbounds i8, ptr %23, i64 %24
  %26 = tail call i32 @munmap(ptr noundef %25, i64 noundef %22) #25
  br label %27

27:
  %28 = getelementptr inbounds i8, ptr %9, i64 %15
  br label %29

29:
  %30 = phi ptr [ %28, %27 ], [ null, %1 ]
  ret ptr %30
}

define internal fastcc void @sha_blocks(ptr nocapture noundef %0, ptr nocapture noundef readonly %1, i64 noundef %2) unnamed_addr #20 {
  %4 = alloca [64 x i32], align 4
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
  call void @llvm.lifetime.start.p0(i64 256, ptr nonnull %4) #24
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
  br i1 %41, label %42, label %33

42:
  %43 = load i32, ptr %4, align 4
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
  br i1 %71, label %84, label %44

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
  call void @llvm.lifetime.end.p0(i64 256, ptr nonnull %4) #24
  %81 = add nsw i64 %32, -1
  %82 = getelementptr inbounds i8, ptr %31, i64 64
  %83 = icmp sgt i64 %32, 1
  br i1 %83, label %22, label %125

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
  br i1 %124, label %72, label %84

125:
  ret void
}

declare i64 @llvm.bswap.i64(i64) #15

declare i32 @llvm.bswap.i32(i32) #15

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
  call void asm sideeffect "isb", "~{memory}"() #24
  br label %23

21:
  %22 = call i32 @sched_yield() #25
  br label %23

23:
  %24 = phi i32 [ 255, %20 ], [ 15, %21 ]
  %25 = and i32 %24, %18
  %26 = icmp eq i32 %25, 0
  br i1 %26, label %27, label %49

27:
  call void @llvm.lifetime.start.p0(i64 16, ptr nonnull %2) #24
  %28 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %2) #25
  %29 = load i64, ptr %2, align 8
  %30 = mul nsw i64 %29, 1000000000
  %31 = load i64, ptr %4, align 8
  %32 = add nsw i64 %30, %31
  call void @llvm.lifetime.end.p0(i64 16, ptr nonnull %2) #24
  %33 = icmp eq i64 %17, 0
  %34 = select i1 %33, i64 %32, i64 %17
  %35 = sub nsw i64 %32, %34
  %36 = icmp slt i64 %35, 200000
  br i1 %36, label %49, label %37

37:
  store atomic i32 1, ptr %5 seq_cst, align 4
  %38 = call i64 (i64, ...) @syscall(i64 noundef 98, ptr noundef nonnull %3, i32 noundef 128, i32 noundef %13, ptr noundef null, ptr noundef null, i32 noundef 0) #25
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
  call fastcc void @relay(ptr noundef nonnull %47, ptr noundef %48, i32 noundef %40) #23
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
  %72 = call i64 asm sideeffect "mrs $0, fpsr", "=r,~{memory}"() #24
  %73 = shl i32 %66, 9
  %74 = and i32 %73, 16777216
  %75 = or i32 %71, %74
  %76 = zext i32 %75 to i64
  %77 = and i64 %72, -129
  %78 = shl i32 %66, 6
  %79 = and i32 %78, 128
  %80 = zext i32 %79 to i64
  %81 = or i64 %77, %80
  call void asm sideeffect "msr fpcr, $0\0A\09msr fpsr, $1", "r,r,~{memory}"(i64 %76, i64 %81) #24
  %82 = load ptr, ptr %9, align 8
  %83 = load ptr, ptr %10, align 16
  call fastcc void @share(ptr noundef nonnull %0, ptr noundef %82, ptr noundef %83) #23
  %84 = call { i64, i64 } asm sideeffect "mrs $0, fpcr\0A\09mrs $1, fpsr", "=r,=r,~{memory}"() #24
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

declare hidden i32 @wmtune_sequence(ptr noundef, ptr noundef, ptr noundef, ptr noundef, ptr noundef, ptr noundef) local_unnamed_addr #12

declare i64 @llvm.smin.i64(i64, i64) #21

declare i32 @bcmp(ptr nocapture, ptr nocapture, i64) local_unnamed_addr #22

declare i64 @llvm.umin.i64(i64, i64) #21

declare i32 @llvm.fshl.i32(i32, i32, i32) #21

declare i64 @llvm.smax.i64(i64, i64) #21

attributes #0 = { nounwind optsize "frame-pointer"="non-leaf" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="generic" "target-features"="+fp-armv8,+neon,+v8a,-fmv,-outline-atomics" }
attributes #1 = { mustprogress nofree norecurse nosync nounwind optsize willreturn memory(argmem: readwrite) "frame-pointer"="non-leaf" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="generic" "target-features"="+fp-armv8,+neon,+v8a,-fmv,-outline-atomics" }
attributes #2 = { mustprogress nocallback nofree nosync nounwind willreturn memory(argmem: readwrite) }
attributes #3 = { mustprogress nofree norecurse nosync nounwind optsize willreturn memory(readwrite, inaccessiblemem: none) "frame-pointer"="non-leaf" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="generic" "target-features"="+fp-armv8,+neon,+v8a,-fmv,-outline-atomics" }
attributes #4 = { mustprogress nocallback nofree nounwind willreturn memory(argmem: readwrite) }
attributes #5 = { mustprogress nofree nosync nounwind optsize willreturn memory(readwrite, inaccessiblemem: none) "frame-pointer"="non-leaf" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="generic" "target-features"="+fp-armv8,+neon,+v8a,-fmv,-outline-atomics" }
attributes #6 = { nofree norecurse nosync nounwind optsize memory(read, inaccessiblemem: none) "frame-pointer"="non-leaf" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="generic" "target-features"="+fp-armv8,+neon,+v8a,-fmv,-outline-atomics" }
attributes #7 = { mustprogress nounwind optsize willreturn allockind("free") memory(argmem: readwrite, inaccessiblemem: readwrite) "alloc-family"="malloc" "frame-pointer"="non-leaf" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="generic" "target-features"="+fp-armv8,+neon,+v8a,-fmv,-outline-atomics" }
attributes #8 = { mustprogress nofree norecurse nosync nounwind optsize willreturn memory(argmem: write) "frame-pointer"="non-leaf" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="generic" "target-features"="+fp-armv8,+neon,+v8a,-fmv,-outline-atomics" }
attributes #9 = { mustprogress nocallback nofree nounwind willreturn memory(argmem: write) }
attributes #10 = { mustprogress nofree norecurse nosync nounwind optsize willreturn memory(read, inaccessiblemem: none) "frame-pointer"="non-leaf" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="generic" "target-features"="+fp-armv8,+neon,+v8a,-fmv,-outline-atomics" }
attributes #11 = { mustprogress nofree norecurse nosync nounwind optsize willreturn memory(none) "frame-pointer"="non-leaf" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="generic" "target-features"="+fp-armv8,+neon,+v8a,-fmv,-outline-atomics" }
attributes #12 = { optsize "frame-pointer"="non-leaf" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="generic" "target-features"="+fp-armv8,+neon,+v8a,-fmv,-outline-atomics" }
attributes #13 = { mustprogress nofree nounwind optsize willreturn allockind("alloc,zeroed") allocsize(0,1) memory(inaccessiblemem: readwrite) "alloc-family"="malloc" "frame-pointer"="non-leaf" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="generic" "target-features"="+fp-armv8,+neon,+v8a,-fmv,-outline-atomics" }
attributes #14 = { nofree norecurse nounwind optsize "frame-pointer"="non-leaf" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="generic" "target-features"="+fp-armv8,+neon,+v8a,-fmv,-outline-atomics" }
attributes #15 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #16 = { mustprogress nofree nounwind optsize willreturn memory(argmem: read) "frame-pointer"="non-leaf" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="generic" "target-features"="+fp-armv8,+neon,+v8a,-fmv,-outline-atomics" }
attributes #17 = { nofree optsize "frame-pointer"="non-leaf" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="generic" "target-features"="+fp-armv8,+neon,+v8a,-fmv,-outline-atomics" }
attributes #18 = { mustprogress nofree nounwind optsize willreturn "frame-pointer"="non-leaf" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="generic" "target-features"="+fp-armv8,+neon,+v8a,-fmv,-outline-atomics" }
attributes #19 = { mustprogress nofree nounwind optsize willreturn allockind("alloc,uninitialized,aligned") allocsize(1) memory(inaccessiblemem: readwrite) "alloc-family"="malloc" "frame-pointer"="non-leaf" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="generic" "target-features"="+fp-armv8,+neon,+v8a,-fmv,-outline-atomics" }
attributes #20 = { nofree nosync nounwind optsize memory(read, argmem: readwrite, inaccessiblemem: none) "frame-pointer"="non-leaf" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="generic" "target-features"="+fp-armv8,+neon,+v8a,-fmv,-outline-atomics" }
attributes #21 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #22 = { nofree nounwind willreturn memory(argmem: read) }
attributes #23 = { optsize }
attributes #24 = { nounwind }
attributes #25 = { nounwind optsize }
attributes #26 = { nounwind optsize allocsize(0,1) }
attributes #27 = { nounwind optsize allocsize(1) }
attributes #28 = { nounwind optsize willreturn memory(read) }


