; 3e677fa6e425b56c160f06842b0ac0b207b12ccec64e49b2fdfbb0f295806239 of pool.h, processor.h, runtime.c, sha256.h; by runtime.sh

%struct.program = type { i64, i64, i64, i64, ptr, ptr, ptr, ptr, i32, i32, i32, i32, i32, i32, [32 x i8] }
%struct.anon = type { i32, i8, i8, i8, i32 }
%struct.pool = type { ptr, i64, i64, i64, i32, i32, i32, ptr, i32 }
%struct.thread = type { ptr, ptr, i64, i64, i32, i32, [24 x i8], i32, i32, ptr, ptr, i64, i64, i64, i32, i32, i32 }
%struct.timespec = type { i64, i64 }
%struct.context = type { %struct.pool, ptr, ptr, ptr, ptr, i32, ptr, ptr, ptr, i64, i32, ptr, ptr }
%struct.copy = type { ptr, ptr, i64 }
%struct.region = type { i64, i64 }
%struct.source = type { ptr, ptr, i64, ptr, ptr }
%struct.stat = type { i64, i64, i64, i32, i32, i32, i32, i64, i64, i64, i64, %struct.timespec, %struct.timespec, %struct.timespec, [3 x i64] }
%struct.__sigset_t = type { [16 x i64] }
%union.pthread_attr_t = type { i64, [48 x i8] }

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
@feature_list = internal unnamed_addr constant [39 x %struct.anon] [%struct.anon { i32 1, i8 0, i8 1, i8 0, i32 0 }, %struct.anon { i32 1, i8 0, i8 1, i8 9, i32 0 }, %struct.anon { i32 1, i8 0, i8 1, i8 19, i32 0 }, %struct.anon { i32 1, i8 0, i8 1, i8 20, i32 0 }, %struct.anon { i32 1, i8 0, i8 1, i8 23, i32 0 }, %struct.anon { i32 1, i8 0, i8 1, i8 22, i32 0 }, %struct.anon { i32 1, i8 0, i8 1, i8 28, i32 6 }, %struct.anon { i32 1, i8 0, i8 1, i8 12, i32 6 }, %struct.anon { i32 1, i8 0, i8 1, i8 29, i32 6 }, %struct.anon { i32 7, i8 0, i8 2, i8 5, i32 6 }, %struct.anon { i32 7, i8 0, i8 2, i8 3, i32 0 }, %struct.anon { i32 7, i8 0, i8 2, i8 8, i32 0 }, %struct.anon { i32 7, i8 0, i8 2, i8 16, i32 230 }, %struct.anon { i32 7, i8 0, i8 2, i8 28, i32 230 }, %struct.anon { i32 7, i8 0, i8 2, i8 30, i32 230 }, %struct.anon { i32 7, i8 0, i8 2, i8 17, i32 230 }, %struct.anon { i32 7, i8 0, i8 2, i8 31, i32 230 }, %struct.anon { i32 7, i8 0, i8 1, i8 11, i32 230 }, %struct.anon { i32 7, i8 1, i8 3, i8 5, i32 230 }, %struct.anon { i32 7, i8 0, i8 0, i8 23, i32 230 }, %struct.anon { i32 7, i8 1, i8 3, i8 4, i32 6 }, %struct.anon { i32 -2147483647, i8 0, i8 1, i8 5, i32 0 }, %struct.anon { i32 -2147483647, i8 0, i8 1, i8 6, i32 0 }, %struct.anon { i32 -2147483647, i8 0, i8 1, i8 11, i32 6 }, %struct.anon { i32 -2147483647, i8 0, i8 1, i8 16, i32 6 }, %struct.anon { i32 -2147483647, i8 0, i8 1, i8 21, i32 0 }, %struct.anon { i32 7, i8 0, i8 1, i8 8, i32 0 }, %struct.anon { i32 7, i8 0, i8 1, i8 1, i32 230 }, %struct.anon { i32 7, i8 0, i8 1, i8 6, i32 230 }, %struct.anon { i32 7, i8 0, i8 1, i8 12, i32 230 }, %struct.anon { i32 7, i8 0, i8 1, i8 14, i32 230 }, %struct.anon { i32 7, i8 0, i8 2, i8 21, i32 230 }, %struct.anon { i32 7, i8 1, i8 3, i8 23, i32 6 }, %struct.anon { i32 7, i8 1, i8 0, i8 4, i32 6 }, %struct.anon { i32 7, i8 1, i8 0, i8 10, i32 6 }, %struct.anon { i32 7, i8 1, i8 0, i8 5, i32 6 }, %struct.anon { i32 7, i8 0, i8 0, i8 24, i32 393216 }, %struct.anon { i32 7, i8 0, i8 0, i8 25, i32 393216 }, %struct.anon { i32 7, i8 0, i8 0, i8 22, i32 393216 }], align 16
@.str.18 = private unnamed_addr constant [18 x i8] c"/proc/self/cgroup\00", align 1
@.str.19 = private unnamed_addr constant [15 x i8] c"/sys/fs/cgroup\00", align 1
@.str.20 = private unnamed_addr constant [5 x i8] c"/cpu\00", align 1
@.str.21 = private unnamed_addr constant [13 x i8] c"/cpu,cpuacct\00", align 1
@.str.22 = private unnamed_addr constant [9 x i8] c"/unified\00", align 1
@.str.23 = private unnamed_addr constant [1 x i8] zeroinitializer, align 1
@__const.quota.folders = private unnamed_addr constant [4 x ptr] [ptr @.str.20, ptr @.str.21, ptr @.str.22, ptr @.str.23], align 16
@.str.24 = private unnamed_addr constant [4 x i8] c"cpu\00", align 1
@climb.max = internal unnamed_addr constant [9 x i8] c"/cpu.max\00", align 1
@climb.quota = internal unnamed_addr constant [18 x i8] c"/cpu.cfs_quota_us\00", align 16
@climb.period = internal unnamed_addr constant [19 x i8] c"/cpu.cfs_period_us\00", align 16
@__const.sha256.h = private unnamed_addr constant [8 x i32] [i32 1779033703, i32 -1150833019, i32 1013904242, i32 -1521486534, i32 1359893119, i32 -1694144372, i32 528734635, i32 1541459225], align 16
@sha_k = internal unnamed_addr constant [64 x i32] [i32 1116352408, i32 1899447441, i32 -1245643825, i32 -373957723, i32 961987163, i32 1508970993, i32 -1841331548, i32 -1424204075, i32 -670586216, i32 310598401, i32 607225278, i32 1426881987, i32 1925078388, i32 -2132889090, i32 -1680079193, i32 -1046744716, i32 -459576895, i32 -272742522, i32 264347078, i32 604807628, i32 770255983, i32 1249150122, i32 1555081692, i32 1996064986, i32 -1740746414, i32 -1473132947, i32 -1341970488, i32 -1084653625, i32 -958395405, i32 -710438585, i32 113926993, i32 338241895, i32 666307205, i32 773529912, i32 1294757372, i32 1396182291, i32 1695183700, i32 1986661051, i32 -2117940946, i32 -1838011259, i32 -1564481375, i32 -1474664885, i32 -1035236496, i32 -949202525, i32 -778901479, i32 -694614492, i32 -200395387, i32 275423344, i32 430227734, i32 506948616, i32 659060556, i32 883997877, i32 958139571, i32 1322822218, i32 1537002063, i32 1747873779, i32 1955562222, i32 2024104815, i32 -2067236844, i32 -1933114872, i32 -1866530822, i32 -1538233109, i32 -1090935817, i32 -965641998], align 16
@__const.start.faults = private unnamed_addr constant [7 x i32] [i32 4, i32 5, i32 6, i32 7, i32 8, i32 11, i32 31], align 16
@switch.table.wmtune_error = private unnamed_addr constant [17 x ptr] [ptr @.str.16, ptr @.str.15, ptr @.str.14, ptr @.str.13, ptr @.str.12, ptr @.str.11, ptr @.str.10, ptr @.str.9, ptr @.str.8, ptr @.str.7, ptr @.str.6, ptr @.str.5, ptr @.str.4, ptr @.str.3, ptr @.str.2, ptr @.str.1, ptr @.str], align 8

define hidden void @wmtune_parallel_for(ptr noundef %0, ptr noundef %1, ptr noundef %2, i64 noundef %3) local_unnamed_addr #0 {
  %5 = load ptr, ptr %0, align 128
  tail call fastcc void @parallel_for(ptr noundef %5, ptr noundef nonnull %0, ptr noundef %1, ptr noundef %2, i64 noundef %3)
  ret void
}

define internal fastcc void @parallel_for(ptr nocapture noundef %0, ptr noundef %1, ptr noundef %2, ptr noundef %3, i64 noundef %4) unnamed_addr #0 {
  %6 = alloca i32, align 4
  %7 = getelementptr inbounds %struct.pool, ptr %0, i64 0, i32 3
  %8 = load i64, ptr %7, align 8
  %9 = tail call i64 @llvm.smin.i64(i64 %8, i64 %4)
  call void @llvm.x86.sse.stmxcsr(ptr nonnull %6)
  %10 = load i32, ptr %6, align 4
  %11 = icmp slt i64 %4, 1
  br i1 %11, label %166, label %12

12:
  %13 = icmp slt i64 %9, 2
  br i1 %13, label %18, label %14

14:
  %15 = getelementptr inbounds %struct.pool, ptr %0, i64 0, i32 5
  %16 = atomicrmw xchg ptr %15, i32 1 acquire, align 4
  %17 = icmp eq i32 %16, 0
  br i1 %17, label %19, label %18

18:
  call void %2(ptr noundef %1, ptr noundef %3, i64 noundef 0, i64 noundef %4) #14
  br label %166

19:
  %20 = load ptr, ptr %0, align 8
  %21 = udiv i64 %4, %9
  %22 = urem i64 %4, %9
  %23 = trunc i64 %9 to i32
  br label %27

24:
  %25 = getelementptr inbounds %struct.pool, ptr %0, i64 0, i32 6
  store atomic i32 %61, ptr %25 monotonic, align 8
  %26 = icmp sgt i64 %9, 1
  br i1 %26, label %66, label %64

27:
  %28 = phi i32 [ 0, %19 ], [ %61, %60 ]
  %29 = phi i64 [ 0, %19 ], [ %62, %60 ]
  %30 = phi i64 [ 0, %19 ], [ %35, %60 ]
  %31 = icmp slt i64 %29, %22
  %32 = zext i1 %31 to i64
  %33 = add nsw i64 %21, %32
  %34 = getelementptr inbounds %struct.thread, ptr %20, i64 %29, i32 11
  store atomic i64 %30, ptr %34 monotonic, align 8
  %35 = add nsw i64 %33, %30
  %36 = getelementptr inbounds %struct.thread, ptr %20, i64 %29, i32 12
  store i64 %35, ptr %36, align 32
  %37 = add nsw i64 %33, 7
  %38 = lshr i64 %37, 3
  %39 = getelementptr inbounds %struct.thread, ptr %20, i64 %29, i32 13
  store i64 %38, ptr %39, align 8
  %40 = getelementptr inbounds %struct.thread, ptr %20, i64 %29, i32 9
  store ptr %2, ptr %40, align 8
  %41 = getelementptr inbounds %struct.thread, ptr %20, i64 %29, i32 10
  store ptr %3, ptr %41, align 16
  %42 = getelementptr inbounds %struct.thread, ptr %20, i64 %29, i32 14
  store i32 %10, ptr %42, align 16
  %43 = getelementptr inbounds %struct.thread, ptr %20, i64 %29, i32 15
  store i32 %23, ptr %43, align 4
  %44 = icmp eq i64 %29, 0
  br i1 %44, label %60, label %45

45:
  %46 = getelementptr inbounds %struct.thread, ptr %20, i64 %29, i32 8
  %47 = load atomic i32, ptr %46 monotonic, align 4
  %48 = getelementptr inbounds %struct.thread, ptr %20, i64 %29, i32 16
  %49 = icmp ne i32 %47, 0
  %50 = select i1 %49, i32 %28, i32 -1
  store atomic i32 %50, ptr %48 monotonic, align 8
  br i1 %49, label %51, label %57

51:
  %52 = sext i32 %28 to i64
  %53 = getelementptr inbounds %struct.thread, ptr %20, i64 %52, i32 5
  %54 = getelementptr inbounds %struct.thread, ptr %20, i64 %29, i32 2
  %55 = load i64, ptr %54, align 16
  %56 = trunc i64 %55 to i32
  store atomic i32 %56, ptr %53 monotonic, align 4
  br label %57

57:
  %58 = zext i1 %49 to i32
  %59 = add nsw i32 %28, %58
  br label %60

60:
  %61 = phi i32 [ %59, %57 ], [ %28, %27 ]
  %62 = add nuw nsw i64 %29, 1
  %63 = icmp eq i64 %62, %9
  br i1 %63, label %24, label %27, !llvm.loop !2

64:
  %65 = icmp eq i32 %61, 0
  br i1 %65, label %111, label %87

66:
  %67 = phi i64 [ %85, %84 ], [ 1, %24 ]
  %68 = getelementptr inbounds %struct.thread, ptr %20, i64 %67, i32 7
  %69 = load atomic i32, ptr %68 monotonic, align 64
  %70 = and i32 %69, -4
  %71 = add i32 %70, 4
  store atomic i32 %71, ptr %68 release, align 64
  %72 = getelementptr inbounds %struct.thread, ptr %20, i64 %67, i32 16
  %73 = load atomic i32, ptr %72 monotonic, align 8
  %74 = icmp slt i32 %73, 0
  br i1 %74, label %75, label %84

75:
  %76 = getelementptr inbounds %struct.thread, ptr %20, i64 %67, i32 8
  %77 = load atomic i32, ptr %76 monotonic, align 4
  %78 = icmp eq i32 %77, 0
  br i1 %78, label %84, label %79

79:
  %80 = atomicrmw xchg ptr %76, i32 0 seq_cst, align 4
  %81 = icmp eq i32 %80, 0
  br i1 %81, label %84, label %82

82:
  %83 = call i64 (i64, ...) @syscall(i64 noundef 202, ptr noundef nonnull %68, i32 noundef 129, i32 noundef 1, ptr noundef null, ptr noundef null, i32 noundef 0) #14
  br label %84

84:
  %85 = add nuw nsw i64 %67, 1
  %86 = icmp eq i64 %85, %9
  br i1 %86, label %64, label %66, !llvm.loop !5

87:
  %88 = load atomic i32, ptr %25 monotonic, align 8
  %89 = icmp sgt i32 %88, 0
  br i1 %89, label %90, label %111

90:
  %91 = zext i32 %88 to i64
  %92 = add nsw i64 %91, -1
  %93 = call i64 @llvm.umin.i64(i64 %92, i64 3)
  br label %94

94:
  %95 = phi i64 [ 0, %90 ], [ %109, %108 ]
  %96 = getelementptr inbounds %struct.thread, ptr %20, i64 %95, i32 5
  %97 = load atomic i32, ptr %96 monotonic, align 4
  %98 = sext i32 %97 to i64
  %99 = getelementptr inbounds %struct.thread, ptr %20, i64 %98, i32 8
  %100 = load atomic i32, ptr %99 monotonic, align 4
  %101 = icmp eq i32 %100, 0
  br i1 %101, label %108, label %102

102:
  %103 = atomicrmw xchg ptr %99, i32 0 seq_cst, align 4
  %104 = icmp eq i32 %103, 0
  br i1 %104, label %108, label %105

105:
  %106 = getelementptr inbounds %struct.thread, ptr %20, i64 %98, i32 7
  %107 = call i64 (i64, ...) @syscall(i64 noundef 202, ptr noundef nonnull %106, i32 noundef 129, i32 noundef 1, ptr noundef null, ptr noundef null, i32 noundef 0) #14
  br label %108

108:
  %109 = add nuw nsw i64 %95, 1
  %110 = icmp eq i64 %95, %93
  br i1 %110, label %111, label %94, !llvm.loop !6

111:
  call fastcc void @share(ptr noundef %1, ptr noundef %2, ptr noundef %3)
  br i1 %26, label %113, label %112

112:
  store atomic i32 0, ptr %15 release, align 4
  br label %166

113:
  %114 = phi i64 [ %164, %163 ], [ 1, %111 ]
  %115 = getelementptr inbounds %struct.thread, ptr %20, i64 %114, i32 7
  %116 = load atomic i32, ptr %115 acquire, align 64
  %117 = and i32 %116, 3
  %118 = icmp eq i32 %117, 0
  br i1 %118, label %119, label %124

119:
  %120 = add nuw i32 %116, 2
  %121 = cmpxchg ptr %115, i32 %116, i32 %120 seq_cst seq_cst, align 4
  %122 = extractvalue { i32, i1 } %121, 1
  %123 = zext i1 %122 to i32
  br label %124

124:
  %125 = phi i32 [ 0, %113 ], [ %123, %119 ]
  %126 = getelementptr inbounds %struct.thread, ptr %20, i64 %114, i32 11
  %127 = getelementptr inbounds %struct.thread, ptr %20, i64 %114, i32 12
  %128 = load atomic i64, ptr %126 monotonic, align 8
  %129 = load i64, ptr %127, align 32
  %130 = icmp slt i64 %128, %129
  br i1 %130, label %131, label %146

131:
  %132 = getelementptr inbounds %struct.thread, ptr %20, i64 %114, i32 13
  br label %133

133:
  %134 = phi i64 [ %129, %131 ], [ %143, %142 ]
  %135 = load i64, ptr %132, align 8
  %136 = atomicrmw add ptr %126, i64 %135 monotonic, align 8
  %137 = icmp slt i64 %136, %134
  br i1 %137, label %138, label %142

138:
  %139 = add nsw i64 %136, %135
  %140 = call i64 @llvm.smin.i64(i64 %139, i64 %134)
  call void %2(ptr noundef %1, ptr noundef %3, i64 noundef %136, i64 noundef %140) #14
  %141 = load i64, ptr %127, align 32
  br label %142

142:
  %143 = phi i64 [ %141, %138 ], [ %134, %133 ]
  %144 = load atomic i64, ptr %126 monotonic, align 8
  %145 = icmp slt i64 %144, %143
  br i1 %145, label %133, label %146, !llvm.loop !7

146:
  %147 = icmp eq i32 %125, 0
  br i1 %147, label %148, label %163

148:
  %149 = load atomic i32, ptr %115 acquire, align 64
  %150 = and i32 %149, 3
  %151 = icmp eq i32 %150, 2
  br i1 %151, label %163, label %152

152:
  %153 = phi i32 [ %159, %158 ], [ 0, %148 ]
  %154 = icmp ult i32 %153, 2000
  br i1 %154, label %155, label %156

155:
  call void @llvm.x86.sse2.pause()
  br label %158

156:
  %157 = call i32 @sched_yield() #14
  br label %158

158:
  %159 = add i32 %153, 1
  %160 = load atomic i32, ptr %115 acquire, align 64
  %161 = and i32 %160, 3
  %162 = icmp eq i32 %161, 2
  br i1 %162, label %163, label %152

163:
  %164 = add nuw nsw i64 %114, 1
  %165 = icmp eq i64 %164, %9
  br i1 %165, label %112, label %113, !llvm.loop !8

166:
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
  call void %24(ptr noundef %28, ptr noundef %30, ptr noundef %32, i64 noundef %1) #14
  br label %33

33:
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
  br label %20

16:
  %17 = load ptr, ptr %0, align 128
  %18 = add nuw nsw i64 %3, 262143
  %19 = lshr i64 %18, 18
  call fastcc void @parallel_for(ptr noundef %17, ptr noundef nonnull %0, ptr noundef nonnull @copy_part, ptr noundef nonnull %5, i64 noundef %19)
  br label %20

20:
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
  br i1 %2, label %135, label %3

3:
  %4 = getelementptr inbounds %struct.pool, ptr %0, i64 0, i32 7
  %5 = load ptr, ptr %4, align 8
  %6 = icmp eq ptr %5, null
  br i1 %6, label %10, label %7

7:
  %8 = load atomic i32, ptr %5 monotonic, align 4
  %9 = icmp eq i32 %8, 0
  br i1 %9, label %56, label %15

10:
  %11 = tail call i32 @getpid() #14
  %12 = getelementptr inbounds %struct.pool, ptr %0, i64 0, i32 8
  %13 = load i32, ptr %12, align 8
  %14 = icmp eq i32 %11, %13
  br i1 %14, label %15, label %56

15:
  %16 = getelementptr inbounds %struct.pool, ptr %0, i64 0, i32 2
  %17 = load i64, ptr %16, align 8
  %18 = icmp sgt i64 %17, 1
  br i1 %18, label %21, label %56

19:
  %20 = icmp sgt i64 %45, 1
  br i1 %20, label %47, label %56

21:
  %22 = phi i64 [ %44, %40 ], [ 1, %15 ]
  %23 = load ptr, ptr %0, align 8
  %24 = getelementptr inbounds %struct.thread, ptr %23, i64 %22, i32 7
  %25 = load atomic i32, ptr %24 monotonic, align 64
  %26 = and i32 %25, -4
  %27 = add i32 %26, 7
  store atomic i32 %27, ptr %24 release, align 64
  %28 = getelementptr inbounds %struct.thread, ptr %23, i64 %22, i32 16
  %29 = load atomic i32, ptr %28 monotonic, align 8
  %30 = icmp slt i32 %29, 0
  br i1 %30, label %31, label %40

31:
  %32 = getelementptr inbounds %struct.thread, ptr %23, i64 %22, i32 8
  %33 = load atomic i32, ptr %32 monotonic, align 4
  %34 = icmp eq i32 %33, 0
  br i1 %34, label %40, label %35

35:
  %36 = atomicrmw xchg ptr %32, i32 0 seq_cst, align 4
  %37 = icmp eq i32 %36, 0
  br i1 %37, label %40, label %38

38:
  %39 = tail call i64 (i64, ...) @syscall(i64 noundef 202, ptr noundef nonnull %24, i32 noundef 129, i32 noundef 1, ptr noundef null, ptr noundef null, i32 noundef 0) #14
  br label %40

40:
  %41 = load ptr, ptr %0, align 8
  %42 = getelementptr inbounds %struct.thread, ptr %41, i64 %22, i32 7
  %43 = tail call i64 (i64, ...) @syscall(i64 noundef 202, ptr noundef nonnull %42, i32 noundef 129, i32 noundef 1, ptr noundef null, ptr noundef null, i32 noundef 0) #14
  %44 = add nuw nsw i64 %22, 1
  %45 = load i64, ptr %16, align 8
  %46 = icmp slt i64 %44, %45
  br i1 %46, label %21, label %19, !llvm.loop !9

47:
  %48 = phi i64 [ %53, %47 ], [ 1, %19 ]
  %49 = load ptr, ptr %0, align 8
  %50 = getelementptr inbounds %struct.thread, ptr %49, i64 %48, i32 3
  %51 = load i64, ptr %50, align 8
  %52 = tail call i32 @pthread_join(i64 noundef %51, ptr noundef null) #14
  %53 = add nuw nsw i64 %48, 1
  %54 = load i64, ptr %16, align 8
  %55 = icmp slt i64 %53, %54
  br i1 %55, label %47, label %56, !llvm.loop !10

56:
  %57 = load ptr, ptr %4, align 8
  %58 = icmp eq ptr %57, null
  br i1 %58, label %61, label %59

59:
  %60 = tail call i32 @munmap(ptr noundef nonnull %57, i64 noundef 4096) #14
  br label %61

61:
  %62 = getelementptr inbounds %struct.context, ptr %0, i64 0, i32 1
  %63 = load ptr, ptr %62, align 8
  %64 = icmp eq ptr %63, null
  br i1 %64, label %68, label %65

65:
  %66 = load i64, ptr @wmtune_program, align 8
  %67 = tail call i32 @munmap(ptr noundef nonnull %63, i64 noundef %66) #14
  br label %68

68:
  %69 = getelementptr inbounds %struct.context, ptr %0, i64 0, i32 2
  %70 = load ptr, ptr %69, align 8
  %71 = icmp eq ptr %70, null
  br i1 %71, label %78, label %72

72:
  %73 = getelementptr inbounds %struct.pool, ptr %0, i64 0, i32 1
  %74 = load i64, ptr %73, align 8
  %75 = load i64, ptr getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 2), align 8
  %76 = mul nsw i64 %75, %74
  %77 = tail call i32 @munmap(ptr noundef nonnull %70, i64 noundef %76) #14
  br label %78

78:
  %79 = getelementptr inbounds %struct.context, ptr %0, i64 0, i32 3
  %80 = load ptr, ptr %79, align 8
  %81 = icmp eq ptr %80, null
  br i1 %81, label %120, label %82

82:
  %83 = load i32, ptr getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 10), align 8
  %84 = icmp sgt i32 %83, 0
  br i1 %84, label %85, label %88

85:
  %86 = load ptr, ptr getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 5), align 8
  %87 = zext i32 %83 to i64
  br label %95

88:
  %89 = phi i64 [ 0, %82 ], [ %103, %95 ]
  %90 = load i32, ptr getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 11), align 4
  %91 = icmp sgt i32 %90, 0
  br i1 %91, label %92, label %117

92:
  %93 = load ptr, ptr getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 6), align 8
  %94 = zext i32 %90 to i64
  br label %106

95:
  %96 = phi i64 [ 0, %85 ], [ %104, %95 ]
  %97 = phi i64 [ 0, %85 ], [ %103, %95 ]
  %98 = getelementptr inbounds %struct.region, ptr %86, i64 %96
  %99 = load i64, ptr %98, align 8
  %100 = add nsw i64 %99, 63
  %101 = sdiv i64 %100, 64
  %102 = shl nsw i64 %101, 6
  %103 = add nsw i64 %102, %97
  %104 = add nuw nsw i64 %96, 1
  %105 = icmp eq i64 %104, %87
  br i1 %105, label %88, label %95, !llvm.loop !11

106:
  %107 = phi i64 [ 0, %92 ], [ %115, %106 ]
  %108 = phi i64 [ %89, %92 ], [ %114, %106 ]
  %109 = getelementptr inbounds %struct.region, ptr %93, i64 %107
  %110 = load i64, ptr %109, align 8
  %111 = add nsw i64 %110, 63
  %112 = sdiv i64 %111, 64
  %113 = shl nsw i64 %112, 6
  %114 = add nsw i64 %113, %108
  %115 = add nuw nsw i64 %107, 1
  %116 = icmp eq i64 %115, %94
  br i1 %116, label %117, label %106, !llvm.loop !12

117:
  %118 = phi i64 [ %89, %88 ], [ %114, %106 ]
  %119 = tail call i32 @munmap(ptr noundef nonnull %80, i64 noundef %118) #14
  br label %120

120:
  %121 = getelementptr inbounds %struct.context, ptr %0, i64 0, i32 5
  %122 = load i32, ptr %121, align 8
  %123 = icmp eq i32 %122, 0
  br i1 %123, label %129, label %124

124:
  %125 = getelementptr inbounds %struct.context, ptr %0, i64 0, i32 4
  %126 = load ptr, ptr %125, align 8
  %127 = load i64, ptr getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 1), align 8
  %128 = tail call i32 @munmap(ptr noundef %126, i64 noundef %127) #14
  br label %129

129:
  %130 = load ptr, ptr %0, align 8
  tail call void @free(ptr noundef %130) #14
  %131 = getelementptr inbounds %struct.context, ptr %0, i64 0, i32 6
  %132 = load ptr, ptr %131, align 8
  tail call void @free(ptr noundef %132) #14
  %133 = getelementptr inbounds %struct.context, ptr %0, i64 0, i32 7
  %134 = load ptr, ptr %133, align 8
  tail call void @free(ptr noundef %134) #14
  tail call void @free(ptr noundef nonnull %0) #14
  br label %135

135:
  ret void
}

declare i32 @munmap(ptr noundef, i64 noundef) local_unnamed_addr #6

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
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 8 dereferenceable(40) %5, i8 0, i64 32, i1 false)
  store ptr %1, ptr %4, align 8
  %6 = tail call fastcc i32 @open_context(ptr noundef %0, ptr noundef nonnull byval(%struct.source) align 8 %4, i32 noundef %2)
  ret i32 %6
}

define internal fastcc i32 @open_context(ptr noundef writeonly %0, ptr nocapture noundef readonly byval(%struct.source) align 8 %1, i32 noundef %2) unnamed_addr #0 {
  %4 = alloca [8 x i32], align 16
  %5 = alloca [128 x i8], align 16
  %6 = alloca %struct.stat, align 8
  %7 = alloca [32 x i8], align 16
  %8 = alloca [4 x i32], align 16
  %9 = icmp eq ptr %0, null
  br i1 %9, label %421, label %10

10:
  store ptr null, ptr %0, align 8
  %11 = icmp ugt i32 %2, 256
  br i1 %11, label %421, label %12

12:
  %13 = load i64, ptr getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 3), align 8
  call void @llvm.lifetime.start.p0(i64 16, ptr nonnull %8) #14
  %14 = getelementptr inbounds [4 x i32], ptr %8, i64 0, i64 3
  %15 = getelementptr inbounds [4 x i32], ptr %8, i64 0, i64 2
  %16 = getelementptr inbounds [4 x i32], ptr %8, i64 0, i64 1
  %17 = tail call { i32, i32, i32, i32 } asm "  xchgq  %rbx,${1:q}\0A  cpuid\0A  xchgq  %rbx,${1:q}", "={ax},=r,={cx},={dx},0,~{dirflag},~{fpsr},~{flags}"(i32 0) #28, !srcloc !13
  %18 = extractvalue { i32, i32, i32, i32 } %17, 0
  %19 = icmp eq i32 %18, 0
  br i1 %19, label %28, label %20

20:
  %21 = tail call { i32, i32, i32, i32 } asm "  xchgq  %rbx,${1:q}\0A  cpuid\0A  xchgq  %rbx,${1:q}", "={ax},=r,={cx},={dx},0,~{dirflag},~{fpsr},~{flags}"(i32 1) #28, !srcloc !14
  %22 = extractvalue { i32, i32, i32, i32 } %21, 2
  %23 = and i32 %22, 134217728
  %24 = icmp eq i32 %23, 0
  br i1 %24, label %28, label %25

25:
  %26 = tail call { i32, i32 } asm "xgetbv", "={ax},={dx},{cx},~{dirflag},~{fpsr},~{flags}"(i32 0) #28, !srcloc !15
  %27 = extractvalue { i32, i32 } %26, 0
  br label %28

28:
  %29 = phi i32 [ %27, %25 ], [ 0, %20 ], [ 0, %12 ]
  br label %30

30:
  %31 = phi i64 [ 0, %28 ], [ %71, %69 ]
  %32 = phi i64 [ 0, %28 ], [ %70, %69 ]
  %33 = getelementptr inbounds [39 x %struct.anon], ptr @feature_list, i64 0, i64 %31
  %34 = load i32, ptr %33, align 4
  %35 = and i32 %34, -2147483648
  %36 = tail call { i32, i32, i32, i32 } asm "  xchgq  %rbx,${1:q}\0A  cpuid\0A  xchgq  %rbx,${1:q}", "={ax},=r,={cx},={dx},0,~{dirflag},~{fpsr},~{flags}"(i32 %35) #28, !srcloc !13
  %37 = extractvalue { i32, i32, i32, i32 } %36, 0
  %38 = icmp eq i32 %37, 0
  %39 = icmp ult i32 %37, %34
  %40 = or i1 %38, %39
  br i1 %40, label %69, label %41

41:
  %42 = getelementptr inbounds [39 x %struct.anon], ptr @feature_list, i64 0, i64 %31, i32 1
  %43 = load i8, ptr %42, align 4
  %44 = zext i8 %43 to i32
  %45 = tail call { i32, i32, i32, i32 } asm "  xchgq  %rbx,${1:q}\0A  cpuid\0A  xchgq  %rbx,${1:q}", "={ax},=r,={cx},={dx},0,2,~{dirflag},~{fpsr},~{flags}"(i32 %34, i32 %44) #28, !srcloc !16
  %46 = extractvalue { i32, i32, i32, i32 } %45, 0
  %47 = extractvalue { i32, i32, i32, i32 } %45, 1
  %48 = extractvalue { i32, i32, i32, i32 } %45, 2
  %49 = extractvalue { i32, i32, i32, i32 } %45, 3
  store i32 %46, ptr %14, align 4
  store i32 %47, ptr %15, align 8
  store i32 %48, ptr %16, align 4
  store i32 %49, ptr %8, align 16
  %50 = getelementptr inbounds [39 x %struct.anon], ptr @feature_list, i64 0, i64 %31, i32 2
  %51 = load i8, ptr %50, align 1
  %52 = zext i8 %51 to i64
  %53 = getelementptr inbounds [4 x i32], ptr %8, i64 0, i64 %52
  %54 = load i32, ptr %53, align 4
  %55 = getelementptr inbounds [39 x %struct.anon], ptr @feature_list, i64 0, i64 %31, i32 3
  %56 = load i8, ptr %55, align 2
  %57 = zext i8 %56 to i32
  %58 = shl nuw i32 1, %57
  %59 = and i32 %58, %54
  %60 = icmp eq i32 %59, 0
  br i1 %60, label %69, label %61

61:
  %62 = getelementptr inbounds [39 x %struct.anon], ptr @feature_list, i64 0, i64 %31, i32 4
  %63 = load i32, ptr %62, align 4
  %64 = and i32 %63, %29
  %65 = icmp eq i32 %64, %63
  br i1 %65, label %66, label %69

66:
  %67 = shl nuw nsw i64 1, %31
  %68 = or i64 %67, %32
  br label %69

69:
  %70 = phi i64 [ %68, %66 ], [ %32, %61 ], [ %32, %41 ], [ %32, %30 ]
  %71 = add nuw nsw i64 %31, 1
  %72 = icmp eq i64 %71, 39
  br i1 %72, label %73, label %30, !llvm.loop !17

73:
  call void @llvm.lifetime.end.p0(i64 16, ptr nonnull %8) #14
  %74 = xor i64 %70, -1
  %75 = and i64 %13, %74
  %76 = icmp eq i64 %75, 0
  br i1 %76, label %77, label %421

77:
  %78 = and i64 %13, 481036337152
  %79 = icmp eq i64 %78, 0
  br i1 %79, label %83, label %80

80:
  %81 = tail call i64 (i64, ...) @syscall(i64 noundef 158, i32 noundef 4131, i32 noundef 18) #14
  %82 = icmp eq i64 %81, 0
  br i1 %82, label %83, label %421

83:
  %84 = tail call noalias dereferenceable_or_null(160) ptr @calloc(i64 noundef 1, i64 noundef 160) #29
  %85 = icmp eq ptr %84, null
  br i1 %85, label %421, label %86

86:
  %87 = load i32, ptr getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 9), align 4
  %88 = icmp eq i32 %87, 0
  %89 = select i1 %88, i32 8064, i32 40896
  %90 = getelementptr inbounds %struct.pool, ptr %84, i64 0, i32 4
  store i32 %89, ptr %90, align 8
  %91 = getelementptr inbounds %struct.pool, ptr %84, i64 0, i32 2
  store i64 1, ptr %91, align 8
  %92 = tail call i32 @getpid() #14
  %93 = getelementptr inbounds %struct.pool, ptr %84, i64 0, i32 8
  store i32 %92, ptr %93, align 8
  %94 = load i32, ptr getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 8), align 8
  %95 = icmp eq i32 %94, 0
  br i1 %95, label %102, label %96

96:
  %97 = icmp eq i32 %2, 0
  br i1 %97, label %100, label %98

98:
  %99 = zext i32 %2 to i64
  br label %102

100:
  %101 = tail call fastcc i64 @processors()
  br label %102

102:
  %103 = phi i64 [ 1, %86 ], [ %99, %98 ], [ %101, %100 ]
  %104 = getelementptr inbounds %struct.pool, ptr %84, i64 0, i32 1
  store i64 %103, ptr %104, align 8
  %105 = shl i64 %103, 7
  %106 = tail call noalias align 128 ptr @aligned_alloc(i64 noundef 128, i64 noundef %105) #30
  store ptr %106, ptr %84, align 8
  %107 = load i32, ptr getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 10), align 8
  %108 = add nsw i32 %107, 1
  %109 = sext i32 %108 to i64
  %110 = tail call noalias ptr @calloc(i64 noundef %109, i64 noundef 8) #29
  %111 = getelementptr inbounds %struct.context, ptr %84, i64 0, i32 6
  store ptr %110, ptr %111, align 8
  %112 = load i32, ptr getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 11), align 4
  %113 = add nsw i32 %112, 1
  %114 = sext i32 %113 to i64
  %115 = tail call noalias ptr @calloc(i64 noundef %114, i64 noundef 8) #29
  %116 = getelementptr inbounds %struct.context, ptr %84, i64 0, i32 7
  store ptr %115, ptr %116, align 8
  %117 = icmp eq ptr %106, null
  br i1 %117, label %413, label %118

118:
  %119 = icmp eq ptr %110, null
  %120 = icmp eq ptr %115, null
  %121 = or i1 %119, %120
  br i1 %121, label %413, label %122

122:
  %123 = tail call ptr @mmap(ptr noundef null, i64 noundef 4096, i32 noundef 3, i32 noundef 34, i32 noundef -1, i64 noundef 0) #14
  %124 = icmp eq ptr %123, inttoptr (i64 -1 to ptr)
  br i1 %124, label %413, label %125

125:
  %126 = tail call i32 @madvise(ptr noundef %123, i64 noundef 4096, i32 noundef 18) #14
  %127 = icmp eq i32 %126, 0
  br i1 %127, label %132, label %128

128:
  %129 = tail call i32 @munmap(ptr noundef %123, i64 noundef 4096) #14
  %130 = getelementptr inbounds %struct.pool, ptr %84, i64 0, i32 7
  %131 = load ptr, ptr %130, align 8
  br label %134

132:
  %133 = getelementptr inbounds %struct.pool, ptr %84, i64 0, i32 7
  store ptr %123, ptr %133, align 8
  br label %134

134:
  %135 = phi ptr [ %123, %132 ], [ %131, %128 ]
  %136 = icmp eq ptr %135, null
  %137 = getelementptr inbounds i32, ptr %135, i64 1
  %138 = getelementptr inbounds %struct.context, ptr %84, i64 0, i32 10
  %139 = select i1 %136, ptr %138, ptr %137
  %140 = getelementptr inbounds %struct.context, ptr %84, i64 0, i32 11
  store ptr %139, ptr %140, align 8
  %141 = load i64, ptr @wmtune_program, align 8
  %142 = icmp eq i64 %141, 0
  br i1 %142, label %147, label %143

143:
  %144 = tail call fastcc ptr @map(i64 noundef %141)
  %145 = getelementptr inbounds %struct.context, ptr %84, i64 0, i32 1
  store ptr %144, ptr %145, align 8
  %146 = icmp eq ptr %144, null
  br i1 %146, label %413, label %147

147:
  %148 = load i64, ptr getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 2), align 8
  %149 = icmp eq i64 %148, 0
  br i1 %149, label %156, label %150

150:
  %151 = load i64, ptr %104, align 8
  %152 = mul nsw i64 %151, %148
  %153 = tail call fastcc ptr @map(i64 noundef %152)
  %154 = getelementptr inbounds %struct.context, ptr %84, i64 0, i32 2
  store ptr %153, ptr %154, align 8
  %155 = icmp eq ptr %153, null
  br i1 %155, label %413, label %156

156:
  %157 = icmp sgt i32 %107, 0
  br i1 %157, label %158, label %161

158:
  %159 = load ptr, ptr getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 5), align 8
  %160 = zext i32 %107 to i64
  br label %167

161:
  %162 = phi i64 [ 0, %156 ], [ %175, %167 ]
  %163 = icmp sgt i32 %112, 0
  br i1 %163, label %164, label %189

164:
  %165 = load ptr, ptr getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 6), align 8
  %166 = zext i32 %112 to i64
  br label %178

167:
  %168 = phi i64 [ 0, %158 ], [ %176, %167 ]
  %169 = phi i64 [ 0, %158 ], [ %175, %167 ]
  %170 = getelementptr inbounds %struct.region, ptr %159, i64 %168
  %171 = load i64, ptr %170, align 8
  %172 = add nsw i64 %171, 63
  %173 = sdiv i64 %172, 64
  %174 = shl nsw i64 %173, 6
  %175 = add nsw i64 %174, %169
  %176 = add nuw nsw i64 %168, 1
  %177 = icmp eq i64 %176, %160
  br i1 %177, label %161, label %167, !llvm.loop !11

178:
  %179 = phi i64 [ 0, %164 ], [ %187, %178 ]
  %180 = phi i64 [ %162, %164 ], [ %186, %178 ]
  %181 = getelementptr inbounds %struct.region, ptr %165, i64 %179
  %182 = load i64, ptr %181, align 8
  %183 = add nsw i64 %182, 63
  %184 = sdiv i64 %183, 64
  %185 = shl nsw i64 %184, 6
  %186 = add nsw i64 %185, %180
  %187 = add nuw nsw i64 %179, 1
  %188 = icmp eq i64 %187, %166
  br i1 %188, label %189, label %178, !llvm.loop !12

189:
  %190 = phi i64 [ %162, %161 ], [ %186, %178 ]
  %191 = icmp eq i64 %190, 0
  br i1 %191, label %228, label %192

192:
  br i1 %157, label %193, label %196

193:
  %194 = load ptr, ptr getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 5), align 8
  %195 = zext i32 %107 to i64
  br label %201

196:
  %197 = phi i64 [ 0, %192 ], [ %209, %201 ]
  br i1 %163, label %198, label %223

198:
  %199 = load ptr, ptr getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 6), align 8
  %200 = zext i32 %112 to i64
  br label %212

201:
  %202 = phi i64 [ 0, %193 ], [ %210, %201 ]
  %203 = phi i64 [ 0, %193 ], [ %209, %201 ]
  %204 = getelementptr inbounds %struct.region, ptr %194, i64 %202
  %205 = load i64, ptr %204, align 8
  %206 = add nsw i64 %205, 63
  %207 = sdiv i64 %206, 64
  %208 = shl nsw i64 %207, 6
  %209 = add nsw i64 %208, %203
  %210 = add nuw nsw i64 %202, 1
  %211 = icmp eq i64 %210, %195
  br i1 %211, label %196, label %201, !llvm.loop !11

212:
  %213 = phi i64 [ 0, %198 ], [ %221, %212 ]
  %214 = phi i64 [ %197, %198 ], [ %220, %212 ]
  %215 = getelementptr inbounds %struct.region, ptr %199, i64 %213
  %216 = load i64, ptr %215, align 8
  %217 = add nsw i64 %216, 63
  %218 = sdiv i64 %217, 64
  %219 = shl nsw i64 %218, 6
  %220 = add nsw i64 %219, %214
  %221 = add nuw nsw i64 %213, 1
  %222 = icmp eq i64 %221, %200
  br i1 %222, label %223, label %212, !llvm.loop !12

223:
  %224 = phi i64 [ %197, %196 ], [ %220, %212 ]
  %225 = tail call fastcc ptr @map(i64 noundef %224)
  %226 = getelementptr inbounds %struct.context, ptr %84, i64 0, i32 3
  store ptr %225, ptr %226, align 8
  %227 = icmp eq ptr %225, null
  br i1 %227, label %413, label %228

228:
  %229 = load i64, ptr %104, align 8
  %230 = shl i64 %229, 7
  tail call void @llvm.memset.p0.i64(ptr nonnull align 128 %106, i8 0, i64 %230, i1 false)
  %231 = icmp sgt i64 %229, 0
  br i1 %231, label %244, label %250

232:
  %233 = getelementptr inbounds %struct.context, ptr %84, i64 0, i32 2
  br label %234

234:
  %235 = phi i64 [ 0, %232 ], [ %241, %234 ]
  %236 = load ptr, ptr %233, align 8
  %237 = mul nsw i64 %235, %148
  %238 = getelementptr inbounds i8, ptr %236, i64 %237
  %239 = load ptr, ptr %84, align 8
  %240 = getelementptr inbounds %struct.thread, ptr %239, i64 %235, i32 1
  store ptr %238, ptr %240, align 8
  %241 = add nuw nsw i64 %235, 1
  %242 = load i64, ptr %104, align 8
  %243 = icmp slt i64 %241, %242
  br i1 %243, label %234, label %250, !llvm.loop !18

244:
  %245 = phi i64 [ %248, %244 ], [ 0, %228 ]
  %246 = getelementptr inbounds %struct.thread, ptr %106, i64 %245
  store ptr %84, ptr %246, align 128
  %247 = getelementptr inbounds %struct.thread, ptr %106, i64 %245, i32 2
  store i64 %245, ptr %247, align 16
  %248 = add nuw nsw i64 %245, 1
  %249 = icmp eq i64 %248, %229
  br i1 %249, label %232, label %244, !llvm.loop !19

250:
  call void @llvm.lifetime.start.p0(i64 32, ptr nonnull %7) #14
  %251 = load i64, ptr getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 1), align 8
  %252 = icmp eq i64 %251, 0
  br i1 %252, label %415, label %253

253:
  %254 = load ptr, ptr %1, align 8
  %255 = icmp eq ptr %254, null
  br i1 %255, label %256, label %268

256:
  %257 = getelementptr inbounds %struct.source, ptr %1, i64 0, i32 1
  %258 = load ptr, ptr %257, align 8
  %259 = icmp eq ptr %258, null
  %260 = getelementptr inbounds %struct.source, ptr %1, i64 0, i32 3
  %261 = load ptr, ptr %260, align 8
  %262 = icmp eq ptr %261, null
  br i1 %259, label %263, label %330

263:
  br i1 %262, label %264, label %331

264:
  %265 = load ptr, ptr getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 4), align 8
  %266 = getelementptr inbounds %struct.context, ptr %84, i64 0, i32 4
  store ptr %265, ptr %266, align 8
  %267 = icmp eq ptr %265, null
  br i1 %267, label %411, label %415

268:
  call void @llvm.lifetime.start.p0(i64 144, ptr nonnull %6) #14
  %269 = tail call i32 (ptr, i32, ...) @open(ptr noundef nonnull %254, i32 noundef 526336) #14
  %270 = icmp slt i32 %269, 0
  br i1 %270, label %362, label %271

271:
  %272 = call i64 (i64, ...) @syscall(i64 noundef 5, i32 noundef %269, ptr noundef nonnull %6) #14
  %273 = icmp eq i64 %272, 0
  br i1 %273, label %274, label %319

274:
  %275 = getelementptr inbounds %struct.stat, ptr %6, i64 0, i32 3
  %276 = load i32, ptr %275, align 8
  %277 = and i32 %276, 61440
  %278 = icmp eq i32 %277, 32768
  br i1 %278, label %279, label %319

279:
  %280 = getelementptr inbounds %struct.stat, ptr %6, i64 0, i32 8
  %281 = load i64, ptr %280, align 8
  %282 = icmp eq i64 %281, %251
  br i1 %282, label %283, label %319

283:
  %284 = icmp slt i64 %251, 2097152
  %285 = select i1 %284, i64 0, i64 2097152
  %286 = add nsw i64 %251, 4095
  %287 = sdiv i64 %286, 4096
  %288 = shl nsw i64 %287, 12
  %289 = add nsw i64 %288, %285
  %290 = call ptr @mmap(ptr noundef null, i64 noundef %289, i32 noundef 3, i32 noundef 34, i32 noundef -1, i64 noundef 0) #14
  %291 = icmp eq ptr %290, inttoptr (i64 -1 to ptr)
  br i1 %291, label %323, label %292

292:
  %293 = ptrtoint ptr %290 to i64
  %294 = sub i64 0, %293
  %295 = and i64 %294, 2097151
  %296 = select i1 %284, i64 0, i64 %295
  %297 = icmp eq i64 %296, 0
  br i1 %297, label %300, label %298

298:
  %299 = call i32 @munmap(ptr noundef %290, i64 noundef %296) #14
  br label %300

300:
  %301 = icmp eq i64 %285, %296
  br i1 %301, label %307, label %302

302:
  %303 = sub nsw i64 %285, %296
  %304 = getelementptr inbounds i8, ptr %290, i64 %296
  %305 = getelementptr inbounds i8, ptr %304, i64 %288
  %306 = call i32 @munmap(ptr noundef %305, i64 noundef %303) #14
  br label %307

307:
  %308 = getelementptr inbounds i8, ptr %290, i64 %296
  %309 = icmp eq ptr %290, null
  br i1 %309, label %323, label %310

310:
  %311 = call ptr @mmap(ptr noundef nonnull %308, i64 noundef %251, i32 noundef 1, i32 noundef 18, i32 noundef %269, i64 noundef 0) #14
  %312 = icmp eq ptr %311, inttoptr (i64 -1 to ptr)
  br i1 %312, label %313, label %315

313:
  %314 = call i32 @munmap(ptr noundef nonnull %308, i64 noundef %288) #14
  br label %323

315:
  %316 = icmp sgt i64 %251, 2097151
  br i1 %316, label %317, label %323

317:
  %318 = call i32 @madvise(ptr noundef nonnull %308, i64 noundef %251, i32 noundef 14) #14
  br label %323

319:
  %320 = phi i32 [ -3, %279 ], [ -13, %274 ], [ -2, %271 ]
  %321 = call i32 @close(i32 noundef %269) #14
  %322 = getelementptr inbounds %struct.context, ptr %84, i64 0, i32 5
  store i32 0, ptr %322, align 8
  br label %362

323:
  %324 = phi ptr [ null, %313 ], [ null, %307 ], [ %308, %317 ], [ %308, %315 ], [ null, %283 ]
  %325 = getelementptr inbounds %struct.context, ptr %84, i64 0, i32 4
  store ptr %324, ptr %325, align 8
  %326 = icmp ne ptr %324, null
  %327 = call i32 @close(i32 noundef %269) #14
  %328 = zext i1 %326 to i32
  %329 = getelementptr inbounds %struct.context, ptr %84, i64 0, i32 5
  store i32 %328, ptr %329, align 8
  br i1 %326, label %364, label %362

330:
  br i1 %262, label %352, label %331

331:
  %332 = tail call fastcc ptr @map(i64 noundef %251)
  %333 = icmp eq ptr %332, null
  br i1 %333, label %411, label %334

334:
  %335 = getelementptr inbounds %struct.context, ptr %84, i64 0, i32 4
  store ptr %332, ptr %335, align 8
  %336 = getelementptr inbounds %struct.context, ptr %84, i64 0, i32 5
  store i32 1, ptr %336, align 8
  %337 = icmp sgt i64 %251, 0
  br i1 %337, label %338, label %367

338:
  %339 = getelementptr inbounds %struct.source, ptr %1, i64 0, i32 4
  %340 = load ptr, ptr %339, align 8
  br label %344

341:
  %342 = add nsw i64 %348, %345
  %343 = icmp sgt i64 %251, %342
  br i1 %343, label %344, label %367, !llvm.loop !20

344:
  %345 = phi i64 [ 0, %338 ], [ %342, %341 ]
  %346 = getelementptr inbounds i8, ptr %332, i64 %345
  %347 = sub nsw i64 %251, %345
  %348 = tail call i64 %261(ptr noundef %340, ptr noundef nonnull %346, i64 noundef %347) #14
  %349 = icmp slt i64 %348, 1
  %350 = icmp sgt i64 %348, %347
  %351 = or i1 %349, %350
  br i1 %351, label %411, label %341

352:
  %353 = getelementptr inbounds %struct.source, ptr %1, i64 0, i32 2
  %354 = load i64, ptr %353, align 8
  %355 = icmp eq i64 %354, %251
  br i1 %355, label %356, label %411

356:
  %357 = ptrtoint ptr %258 to i64
  %358 = and i64 %357, 63
  %359 = icmp eq i64 %358, 0
  br i1 %359, label %360, label %411

360:
  %361 = getelementptr inbounds %struct.context, ptr %84, i64 0, i32 4
  store ptr %258, ptr %361, align 8
  br label %367

362:
  %363 = phi i32 [ %320, %319 ], [ -5, %323 ], [ -2, %268 ]
  call void @llvm.lifetime.end.p0(i64 144, ptr nonnull %6) #14
  br label %411

364:
  %365 = load ptr, ptr %325, align 8
  %366 = call i32 @madvise(ptr noundef %365, i64 noundef %251, i32 noundef 3) #14
  call void @llvm.lifetime.end.p0(i64 144, ptr nonnull %6) #14
  br label %367

367:
  %368 = getelementptr inbounds %struct.context, ptr %84, i64 0, i32 4
  %369 = load ptr, ptr %368, align 8
  call void @llvm.lifetime.start.p0(i64 32, ptr nonnull %4) #14
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 16 dereferenceable(32) %4, ptr noundef nonnull align 16 dereferenceable(32) @__const.sha256.h, i64 32, i1 false)
  br i1 %19, label %383, label %370

370:
  %371 = call { i32, i32, i32, i32 } asm "  xchgq  %rbx,${1:q}\0A  cpuid\0A  xchgq  %rbx,${1:q}", "={ax},=r,={cx},={dx},0,~{dirflag},~{fpsr},~{flags}"(i32 1) #28, !srcloc !14
  %372 = extractvalue { i32, i32, i32, i32 } %371, 2
  %373 = and i32 %372, 524288
  %374 = icmp eq i32 %373, 0
  %375 = icmp ult i32 %18, 7
  %376 = select i1 %374, i1 true, i1 %375
  br i1 %376, label %383, label %377

377:
  %378 = call { i32, i32, i32, i32 } asm "  xchgq  %rbx,${1:q}\0A  cpuid\0A  xchgq  %rbx,${1:q}", "={ax},=r,={cx},={dx},0,2,~{dirflag},~{fpsr},~{flags}"(i32 7, i32 0) #28, !srcloc !16
  %379 = freeze { i32, i32, i32, i32 } %378
  %380 = extractvalue { i32, i32, i32, i32 } %379, 1
  %381 = and i32 %380, 536870912
  %382 = icmp eq i32 %381, 0
  br i1 %382, label %383, label %384

383:
  br label %384

384:
  %385 = phi ptr [ @sha_blocks, %383 ], [ @sha_blocks_fast, %377 ]
  call void @llvm.lifetime.start.p0(i64 128, ptr nonnull %5) #14
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 16 dereferenceable(128) %5, i8 0, i64 128, i1 false)
  %386 = srem i64 %251, 64
  %387 = icmp slt i64 %386, 56
  %388 = select i1 %387, i64 1, i64 2
  %389 = shl i64 %251, 3
  %390 = call i64 @llvm.bswap.i64(i64 %389)
  %391 = sdiv i64 %251, 64
  call void %385(ptr noundef nonnull %4, ptr noundef %369, i64 noundef %391) #14, !callees !21
  %392 = getelementptr inbounds i8, ptr %369, i64 %251
  %393 = sub nsw i64 0, %386
  %394 = getelementptr inbounds i8, ptr %392, i64 %393
  call void @llvm.memcpy.p0.p0.i64(ptr nonnull align 16 %5, ptr nonnull align 1 %394, i64 %386, i1 false)
  %395 = getelementptr inbounds [128 x i8], ptr %5, i64 0, i64 %386
  store i8 -128, ptr %395, align 1
  %396 = shl nuw nsw i64 %388, 6
  %397 = getelementptr inbounds i8, ptr %5, i64 %396
  %398 = getelementptr inbounds i8, ptr %397, i64 -8
  store i64 %390, ptr %398, align 8
  call void %385(ptr noundef nonnull %4, ptr noundef nonnull %5, i64 noundef %388) #14, !callees !21
  br label %399

399:
  %400 = phi i64 [ 0, %384 ], [ %406, %399 ]
  %401 = getelementptr inbounds [8 x i32], ptr %4, i64 0, i64 %400
  %402 = load i32, ptr %401, align 4
  %403 = call i32 @llvm.bswap.i32(i32 %402)
  %404 = shl nuw nsw i64 %400, 2
  %405 = getelementptr inbounds i8, ptr %7, i64 %404
  store i32 %403, ptr %405, align 4
  %406 = add nuw nsw i64 %400, 1
  %407 = icmp eq i64 %406, 8
  br i1 %407, label %408, label %399, !llvm.loop !22

408:
  call void @llvm.lifetime.end.p0(i64 128, ptr nonnull %5) #14
  call void @llvm.lifetime.end.p0(i64 32, ptr nonnull %4) #14
  %409 = call i32 @bcmp(ptr noundef nonnull dereferenceable(32) %7, ptr noundef nonnull dereferenceable(32) getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 14), i64 32)
  %410 = icmp eq i32 %409, 0
  br i1 %410, label %415, label %411

411:
  %412 = phi i32 [ -3, %352 ], [ -14, %356 ], [ -1, %331 ], [ %363, %362 ], [ -4, %408 ], [ -12, %264 ], [ -15, %344 ]
  call void @llvm.lifetime.end.p0(i64 32, ptr nonnull %7) #14
  br label %413

413:
  %414 = phi i32 [ %412, %411 ], [ -1, %122 ], [ -1, %223 ], [ -1, %150 ], [ -1, %143 ], [ -1, %102 ], [ -1, %118 ]
  call void @wmtune_close(ptr noundef nonnull %84)
  br label %421

415:
  call void @llvm.lifetime.end.p0(i64 32, ptr nonnull %7) #14
  call fastcc void @start(ptr noundef nonnull %84)
  %416 = add nsw i64 %141, 2097151
  %417 = sdiv i64 %416, 2097152
  %418 = load ptr, ptr %84, align 8
  %419 = load i64, ptr %91, align 8
  %420 = call i64 @llvm.smax.i64(i64 %417, i64 %419)
  call fastcc void @parallel_for(ptr noundef nonnull %84, ptr noundef %418, ptr noundef nonnull @touch, ptr noundef nonnull %84, i64 noundef %420)
  store ptr %84, ptr %0, align 8
  br label %421

421:
  %422 = phi i32 [ -8, %3 ], [ -7, %10 ], [ -6, %73 ], [ -16, %80 ], [ -1, %83 ], [ %414, %413 ], [ 0, %415 ]
  ret i32 %422
}

declare void @llvm.memset.p0.i64(ptr nocapture writeonly, i8, i64, i1 immarg) #9

define i32 @wmtune_open_memory(ptr noundef %0, ptr noundef %1, i64 noundef %2, i32 noundef %3) local_unnamed_addr #0 {
  %5 = alloca %struct.source, align 8
  store ptr null, ptr %5, align 8
  %6 = getelementptr inbounds %struct.source, ptr %5, i64 0, i32 1
  store ptr %1, ptr %6, align 8
  %7 = getelementptr inbounds %struct.source, ptr %5, i64 0, i32 2
  store i64 %2, ptr %7, align 8
  %8 = getelementptr inbounds %struct.source, ptr %5, i64 0, i32 3
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 8 dereferenceable(16) %8, i8 0, i64 16, i1 false)
  %9 = tail call fastcc i32 @open_context(ptr noundef %0, ptr noundef nonnull byval(%struct.source) align 8 %5, i32 noundef %3)
  ret i32 %9
}

define i32 @wmtune_open_read(ptr noundef %0, ptr noundef %1, ptr noundef %2, i32 noundef %3) local_unnamed_addr #0 {
  %5 = alloca %struct.source, align 8
  %6 = getelementptr inbounds %struct.source, ptr %5, i64 0, i32 3
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 8 dereferenceable(24) %5, i8 0, i64 24, i1 false)
  store ptr %1, ptr %6, align 8
  %7 = getelementptr inbounds %struct.source, ptr %5, i64 0, i32 4
  store ptr %2, ptr %7, align 8
  %8 = tail call fastcc i32 @open_context(ptr noundef %0, ptr noundef nonnull byval(%struct.source) align 8 %5, i32 noundef %3)
  ret i32 %8
}

define i32 @wmtune_denormals(ptr noundef readonly %0) local_unnamed_addr #10 {
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

define i64 @wmtune_bytes(i32 noundef %0) local_unnamed_addr #11 {
  %2 = icmp slt i32 %0, 0
  br i1 %2, label %22, label %3

3:
  %4 = load i32, ptr getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 10), align 8
  %5 = load i32, ptr getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 11), align 4
  %6 = add nsw i32 %5, %4
  %7 = icmp sgt i32 %6, %0
  br i1 %7, label %8, label %22

8:
  %9 = icmp sgt i32 %4, %0
  br i1 %9, label %10, label %14

10:
  %11 = load ptr, ptr getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 5), align 8
  %12 = zext i32 %0 to i64
  %13 = getelementptr inbounds %struct.region, ptr %11, i64 %12
  br label %19

14:
  %15 = load ptr, ptr getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 6), align 8
  %16 = sub nsw i32 %0, %4
  %17 = sext i32 %16 to i64
  %18 = getelementptr inbounds %struct.region, ptr %15, i64 %17
  br label %19

19:
  %20 = phi ptr [ %13, %10 ], [ %18, %14 ]
  %21 = load i64, ptr %20, align 8
  br label %22

22:
  %23 = phi i64 [ %21, %19 ], [ -1, %3 ], [ -1, %1 ]
  ret i64 %23
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
  br i1 %9, label %339, label %10

10:
  %11 = icmp ne ptr %1, null
  %12 = load i32, ptr getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 10), align 8
  %13 = icmp eq i32 %12, 0
  %14 = select i1 %11, i1 true, i1 %13
  br i1 %14, label %15, label %339

15:
  %16 = icmp ne ptr %2, null
  %17 = load i32, ptr getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 11), align 4
  %18 = icmp eq i32 %17, 0
  %19 = select i1 %16, i1 true, i1 %18
  br i1 %19, label %20, label %339

20:
  %21 = getelementptr inbounds %struct.pool, ptr %0, i64 0, i32 7
  %22 = load ptr, ptr %21, align 8
  %23 = icmp eq ptr %22, null
  br i1 %23, label %24, label %32

24:
  %25 = tail call i32 @getpid() #14
  %26 = getelementptr inbounds %struct.pool, ptr %0, i64 0, i32 8
  %27 = load i32, ptr %26, align 8
  %28 = icmp eq i32 %25, %27
  br i1 %28, label %32, label %29

29:
  %30 = getelementptr inbounds %struct.context, ptr %0, i64 0, i32 11
  %31 = load ptr, ptr %30, align 8
  store atomic i32 0, ptr %31 seq_cst, align 4
  br label %32

32:
  %33 = getelementptr inbounds %struct.context, ptr %0, i64 0, i32 11
  %34 = load ptr, ptr %33, align 8
  %35 = atomicrmw xchg ptr %34, i32 1 seq_cst, align 4
  %36 = icmp eq i32 %35, 0
  br i1 %36, label %37, label %339

37:
  %38 = load ptr, ptr %21, align 8
  %39 = icmp eq ptr %38, null
  br i1 %39, label %43, label %40

40:
  %41 = load atomic i32, ptr %38 monotonic, align 4
  %42 = icmp eq i32 %41, 0
  br i1 %42, label %48, label %66

43:
  %44 = tail call i32 @getpid() #14
  %45 = getelementptr inbounds %struct.pool, ptr %0, i64 0, i32 8
  %46 = load i32, ptr %45, align 8
  %47 = icmp eq i32 %44, %46
  br i1 %47, label %66, label %48

48:
  %49 = getelementptr inbounds %struct.pool, ptr %0, i64 0, i32 1
  %50 = load i64, ptr %49, align 8
  %51 = icmp sgt i64 %50, 0
  br i1 %51, label %52, label %65

52:
  %53 = getelementptr inbounds %struct.context, ptr %0, i64 0, i32 2
  %54 = load i64, ptr getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 2), align 8
  br label %55

55:
  %56 = phi i64 [ 0, %52 ], [ %62, %55 ]
  %57 = load ptr, ptr %53, align 8
  %58 = mul nsw i64 %56, %54
  %59 = getelementptr inbounds i8, ptr %57, i64 %58
  %60 = load ptr, ptr %0, align 8
  %61 = getelementptr inbounds %struct.thread, ptr %60, i64 %56, i32 1
  store ptr %59, ptr %61, align 8
  %62 = add nuw nsw i64 %56, 1
  %63 = load i64, ptr %49, align 8
  %64 = icmp slt i64 %62, %63
  br i1 %64, label %55, label %65, !llvm.loop !18

65:
  tail call fastcc void @start(ptr noundef nonnull %0)
  br label %66

66:
  %67 = getelementptr inbounds %struct.pool, ptr %0, i64 0, i32 2
  %68 = load i64, ptr %67, align 8
  %69 = icmp sgt i64 %68, 1
  br i1 %69, label %77, label %70

70:
  %71 = getelementptr inbounds %struct.pool, ptr %0, i64 0, i32 6
  store atomic i32 0, ptr %71 monotonic, align 8
  br label %98

72:
  %73 = getelementptr inbounds %struct.pool, ptr %0, i64 0, i32 6
  store atomic i32 %94, ptr %73 monotonic, align 8
  %74 = icmp eq i32 %94, 0
  br i1 %74, label %98, label %75

75:
  %76 = zext i32 %94 to i64
  br label %124

77:
  %78 = phi i32 [ %94, %92 ], [ 0, %66 ]
  %79 = phi i64 [ %95, %92 ], [ 1, %66 ]
  %80 = load ptr, ptr %0, align 8
  %81 = getelementptr inbounds %struct.thread, ptr %80, i64 %79, i32 8
  %82 = load atomic i32, ptr %81 monotonic, align 4
  %83 = getelementptr inbounds %struct.thread, ptr %80, i64 %79, i32 16
  %84 = icmp ne i32 %82, 0
  %85 = select i1 %84, i32 %78, i32 -1
  store atomic i32 %85, ptr %83 monotonic, align 8
  br i1 %84, label %86, label %92

86:
  %87 = zext i32 %78 to i64
  %88 = getelementptr inbounds %struct.thread, ptr %80, i64 %87, i32 5
  %89 = getelementptr inbounds %struct.thread, ptr %80, i64 %79, i32 2
  %90 = load i64, ptr %89, align 16
  %91 = trunc i64 %90 to i32
  store atomic i32 %91, ptr %88 monotonic, align 4
  br label %92

92:
  %93 = zext i1 %84 to i32
  %94 = add nuw nsw i32 %78, %93
  %95 = add nuw nsw i64 %79, 1
  %96 = load i64, ptr %67, align 8
  %97 = icmp slt i64 %95, %96
  br i1 %97, label %77, label %72, !llvm.loop !23

98:
  %99 = phi ptr [ %71, %70 ], [ %73, %72 ], [ %73, %146 ]
  %100 = load ptr, ptr %0, align 8
  %101 = load atomic i32, ptr %99 monotonic, align 8
  %102 = icmp sgt i32 %101, 0
  br i1 %102, label %103, label %149

103:
  %104 = zext i32 %101 to i64
  %105 = add nsw i64 %104, -1
  %106 = tail call i64 @llvm.umin.i64(i64 %105, i64 3)
  br label %107

107:
  %108 = phi i64 [ 0, %103 ], [ %122, %121 ]
  %109 = getelementptr inbounds %struct.thread, ptr %100, i64 %108, i32 5
  %110 = load atomic i32, ptr %109 monotonic, align 4
  %111 = sext i32 %110 to i64
  %112 = getelementptr inbounds %struct.thread, ptr %100, i64 %111, i32 8
  %113 = load atomic i32, ptr %112 monotonic, align 4
  %114 = icmp eq i32 %113, 0
  br i1 %114, label %121, label %115

115:
  %116 = atomicrmw xchg ptr %112, i32 0 seq_cst, align 4
  %117 = icmp eq i32 %116, 0
  br i1 %117, label %121, label %118

118:
  %119 = getelementptr inbounds %struct.thread, ptr %100, i64 %111, i32 7
  %120 = tail call i64 (i64, ...) @syscall(i64 noundef 202, ptr noundef nonnull %119, i32 noundef 129, i32 noundef 1, ptr noundef null, ptr noundef null, i32 noundef 0) #14
  br label %121

121:
  %122 = add nuw nsw i64 %108, 1
  %123 = icmp eq i64 %108, %106
  br i1 %123, label %149, label %107, !llvm.loop !6

124:
  %125 = phi i64 [ 0, %75 ], [ %147, %146 ]
  %126 = load ptr, ptr %0, align 8
  %127 = getelementptr inbounds %struct.thread, ptr %126, i64 %125, i32 5
  %128 = load atomic i32, ptr %127 monotonic, align 4
  %129 = sext i32 %128 to i64
  %130 = getelementptr inbounds %struct.thread, ptr %126, i64 %129, i32 7
  %131 = load atomic i32, ptr %130 monotonic, align 64
  %132 = and i32 %131, -4
  %133 = add i32 %132, 6
  store atomic i32 %133, ptr %130 release, align 64
  %134 = getelementptr inbounds %struct.thread, ptr %126, i64 %129, i32 16
  %135 = load atomic i32, ptr %134 monotonic, align 8
  %136 = icmp slt i32 %135, 0
  br i1 %136, label %137, label %146

137:
  %138 = getelementptr inbounds %struct.thread, ptr %126, i64 %129, i32 8
  %139 = load atomic i32, ptr %138 monotonic, align 4
  %140 = icmp eq i32 %139, 0
  br i1 %140, label %146, label %141

141:
  %142 = atomicrmw xchg ptr %138, i32 0 seq_cst, align 4
  %143 = icmp eq i32 %142, 0
  br i1 %143, label %146, label %144

144:
  %145 = tail call i64 (i64, ...) @syscall(i64 noundef 202, ptr noundef nonnull %130, i32 noundef 129, i32 noundef 1, ptr noundef null, ptr noundef null, i32 noundef 0) #14
  br label %146

146:
  %147 = add nuw nsw i64 %125, 1
  %148 = icmp eq i64 %147, %76
  br i1 %148, label %98, label %124, !llvm.loop !24

149:
  call void @llvm.x86.sse.stmxcsr(ptr nonnull %5)
  %150 = load i32, ptr %5, align 4
  %151 = getelementptr inbounds %struct.pool, ptr %0, i64 0, i32 4
  %152 = load i32, ptr %151, align 8
  store i32 %152, ptr %6, align 4
  call void @llvm.x86.sse.ldmxcsr(ptr nonnull %6)
  %153 = load i64, ptr %67, align 8
  %154 = icmp sgt i64 %153, 0
  br i1 %154, label %291, label %155

155:
  %156 = icmp sgt i32 %12, 0
  br i1 %156, label %157, label %162

157:
  %158 = load ptr, ptr getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 5), align 8
  %159 = getelementptr inbounds %struct.context, ptr %0, i64 0, i32 6
  %160 = getelementptr inbounds %struct.context, ptr %0, i64 0, i32 3
  %161 = zext i32 %12 to i64
  br label %174

162:
  %163 = phi i64 [ 0, %155 ], [ %206, %205 ]
  %164 = icmp sgt i32 %17, 0
  br i1 %164, label %165, label %298

165:
  %166 = load ptr, ptr getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 6), align 8
  %167 = getelementptr inbounds %struct.context, ptr %0, i64 0, i32 7
  %168 = icmp slt i32 %12, 1
  %169 = getelementptr inbounds %struct.context, ptr %0, i64 0, i32 6
  %170 = load ptr, ptr getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 5), align 8
  %171 = getelementptr inbounds %struct.context, ptr %0, i64 0, i32 3
  %172 = sext i32 %12 to i64
  %173 = zext i32 %17 to i64
  br label %209

174:
  %175 = phi i64 [ 0, %157 ], [ %207, %205 ]
  %176 = phi i64 [ 0, %157 ], [ %206, %205 ]
  %177 = getelementptr inbounds %struct.region, ptr %158, i64 %175
  %178 = load i64, ptr %177, align 8
  %179 = getelementptr inbounds i8, ptr %177, i64 8
  %180 = load i64, ptr %179, align 8
  %181 = icmp eq i64 %178, 0
  %182 = getelementptr inbounds ptr, ptr %1, i64 %175
  %183 = load ptr, ptr %182, align 8
  br i1 %181, label %184, label %187

184:
  %185 = load ptr, ptr %159, align 8
  %186 = getelementptr inbounds ptr, ptr %185, i64 %175
  store ptr %183, ptr %186, align 8
  br label %205

187:
  %188 = icmp eq ptr %183, null
  br i1 %188, label %319, label %189

189:
  %190 = load ptr, ptr %159, align 8
  %191 = getelementptr inbounds ptr, ptr %190, i64 %175
  store ptr %183, ptr %191, align 8
  %192 = load ptr, ptr %182, align 8
  %193 = ptrtoint ptr %192 to i64
  %194 = urem i64 %193, %180
  %195 = icmp eq i64 %194, 0
  br i1 %195, label %205, label %196

196:
  %197 = load ptr, ptr %160, align 8
  %198 = getelementptr inbounds i8, ptr %197, i64 %176
  call void @llvm.memcpy.p0.p0.i64(ptr align 1 %198, ptr align 1 %192, i64 %178, i1 false)
  %199 = load ptr, ptr %159, align 8
  %200 = getelementptr inbounds ptr, ptr %199, i64 %175
  store ptr %198, ptr %200, align 8
  %201 = add nsw i64 %178, 63
  %202 = sdiv i64 %201, 64
  %203 = shl nsw i64 %202, 6
  %204 = add nsw i64 %203, %176
  br label %205

205:
  %206 = phi i64 [ %176, %184 ], [ %176, %189 ], [ %204, %196 ]
  %207 = add nuw nsw i64 %175, 1
  %208 = icmp eq i64 %207, %161
  br i1 %208, label %162, label %174, !llvm.loop !25

209:
  %210 = phi i64 [ 0, %165 ], [ %289, %287 ]
  %211 = phi i64 [ %163, %165 ], [ %288, %287 ]
  %212 = getelementptr inbounds %struct.region, ptr %166, i64 %210
  %213 = load i64, ptr %212, align 8
  %214 = getelementptr inbounds i8, ptr %212, i64 8
  %215 = load i64, ptr %214, align 8
  %216 = icmp eq i64 %213, 0
  %217 = getelementptr inbounds ptr, ptr %2, i64 %210
  %218 = load ptr, ptr %217, align 8
  br i1 %216, label %219, label %222

219:
  %220 = load ptr, ptr %167, align 8
  %221 = getelementptr inbounds ptr, ptr %220, i64 %210
  store ptr %218, ptr %221, align 8
  br label %231

222:
  %223 = icmp eq ptr %218, null
  br i1 %223, label %319, label %224

224:
  %225 = load ptr, ptr %167, align 8
  %226 = getelementptr inbounds ptr, ptr %225, i64 %210
  store ptr %218, ptr %226, align 8
  %227 = load ptr, ptr %217, align 8
  %228 = ptrtoint ptr %227 to i64
  %229 = urem i64 %228, %215
  %230 = icmp ne i64 %229, 0
  br label %231

231:
  %232 = phi i1 [ %230, %224 ], [ false, %219 ]
  %233 = select i1 %168, i1 true, i1 %232
  br i1 %233, label %239, label %234

234:
  %235 = load ptr, ptr %217, align 8
  %236 = load ptr, ptr %169, align 8
  %237 = icmp ne i64 %213, 0
  %238 = getelementptr inbounds i8, ptr %235, i64 %213
  br label %245

239:
  %240 = phi i1 [ %232, %231 ], [ %257, %245 ]
  %241 = icmp eq i64 %210, 0
  br i1 %241, label %277, label %242

242:
  %243 = load ptr, ptr %217, align 8
  %244 = getelementptr inbounds i8, ptr %243, i64 %213
  br label %264

245:
  %246 = phi i64 [ 0, %234 ], [ %258, %245 ]
  %247 = getelementptr inbounds ptr, ptr %236, i64 %246
  %248 = load ptr, ptr %247, align 8
  %249 = getelementptr inbounds %struct.region, ptr %170, i64 %246
  %250 = load i64, ptr %249, align 8
  %251 = icmp ne i64 %250, 0
  %252 = and i1 %237, %251
  %253 = getelementptr inbounds i8, ptr %248, i64 %250
  %254 = icmp ugt ptr %253, %235
  %255 = select i1 %252, i1 %254, i1 false
  %256 = icmp ugt ptr %238, %248
  %257 = select i1 %255, i1 %256, i1 false
  %258 = add nuw nsw i64 %246, 1
  %259 = icmp sge i64 %258, %172
  %260 = select i1 %259, i1 true, i1 %257
  br i1 %260, label %239, label %245, !llvm.loop !26

261:
  %262 = add nuw nsw i64 %265, 1
  %263 = icmp eq i64 %262, %210
  br i1 %263, label %277, label %264, !llvm.loop !27

264:
  %265 = phi i64 [ 0, %242 ], [ %262, %261 ]
  %266 = getelementptr inbounds ptr, ptr %2, i64 %265
  %267 = load ptr, ptr %266, align 8
  %268 = getelementptr inbounds %struct.region, ptr %166, i64 %265
  %269 = load i64, ptr %268, align 8
  %270 = icmp eq i64 %269, 0
  %271 = or i1 %216, %270
  %272 = getelementptr inbounds i8, ptr %267, i64 %269
  %273 = icmp ule ptr %272, %243
  %274 = select i1 %271, i1 true, i1 %273
  %275 = icmp ule ptr %244, %267
  %276 = select i1 %274, i1 true, i1 %275
  br i1 %276, label %261, label %319

277:
  br i1 %240, label %278, label %287

278:
  %279 = load ptr, ptr %171, align 8
  %280 = getelementptr inbounds i8, ptr %279, i64 %211
  %281 = load ptr, ptr %167, align 8
  %282 = getelementptr inbounds ptr, ptr %281, i64 %210
  store ptr %280, ptr %282, align 8
  %283 = add nsw i64 %213, 63
  %284 = sdiv i64 %283, 64
  %285 = shl nsw i64 %284, 6
  %286 = add nsw i64 %285, %211
  br label %287

287:
  %288 = phi i64 [ %286, %278 ], [ %211, %277 ]
  %289 = add nuw nsw i64 %210, 1
  %290 = icmp eq i64 %289, %173
  br i1 %290, label %298, label %209, !llvm.loop !28

291:
  %292 = phi i64 [ %295, %291 ], [ 0, %149 ]
  %293 = load ptr, ptr %0, align 8
  %294 = getelementptr inbounds %struct.thread, ptr %293, i64 %292, i32 4
  store i32 0, ptr %294, align 32
  %295 = add nuw nsw i64 %292, 1
  %296 = load i64, ptr %67, align 8
  %297 = icmp slt i64 %295, %296
  br i1 %297, label %291, label %155, !llvm.loop !29

298:
  %299 = load i64, ptr %67, align 8
  %300 = getelementptr inbounds %struct.pool, ptr %0, i64 0, i32 3
  store i64 %299, ptr %300, align 8
  %301 = getelementptr inbounds %struct.context, ptr %0, i64 0, i32 8
  store ptr %3, ptr %301, align 8
  %302 = load ptr, ptr %0, align 8
  %303 = getelementptr inbounds %struct.context, ptr %0, i64 0, i32 1
  %304 = load ptr, ptr %303, align 8
  %305 = getelementptr inbounds %struct.context, ptr %0, i64 0, i32 4
  %306 = load ptr, ptr %305, align 8
  %307 = getelementptr inbounds %struct.context, ptr %0, i64 0, i32 6
  %308 = load ptr, ptr %307, align 8
  %309 = getelementptr inbounds %struct.context, ptr %0, i64 0, i32 7
  %310 = load ptr, ptr %309, align 8
  %311 = call i32 @wmtune_sequence(ptr noundef %302, ptr noundef %304, ptr noundef %306, ptr noundef %308, ptr noundef %310, ptr noundef %3) #14
  %312 = icmp eq i32 %311, 0
  %313 = icmp sgt i32 %17, 0
  %314 = select i1 %313, i1 %312, i1 false
  br i1 %314, label %315, label %319

315:
  %316 = getelementptr inbounds %struct.context, ptr %0, i64 0, i32 7
  %317 = load ptr, ptr getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 6), align 8
  %318 = zext i32 %17 to i64
  br label %325

319:
  %320 = phi i32 [ %311, %298 ], [ %311, %336 ], [ -10, %264 ], [ -9, %222 ], [ -9, %187 ]
  call void @llvm.x86.sse.stmxcsr(ptr nonnull %7)
  %321 = load i32, ptr %7, align 4
  %322 = load ptr, ptr %0, align 8
  %323 = getelementptr inbounds %struct.thread, ptr %322, i64 0, i32 4
  store i32 %321, ptr %323, align 32
  store i32 %150, ptr %8, align 4
  call void @llvm.x86.sse.ldmxcsr(ptr nonnull %8)
  %324 = load ptr, ptr %33, align 8
  store atomic i32 0, ptr %324 seq_cst, align 4
  br label %339

325:
  %326 = phi i64 [ 0, %315 ], [ %337, %336 ]
  %327 = load ptr, ptr %316, align 8
  %328 = getelementptr inbounds ptr, ptr %327, i64 %326
  %329 = load ptr, ptr %328, align 8
  %330 = getelementptr inbounds ptr, ptr %2, i64 %326
  %331 = load ptr, ptr %330, align 8
  %332 = icmp eq ptr %329, %331
  br i1 %332, label %336, label %333

333:
  %334 = getelementptr inbounds %struct.region, ptr %317, i64 %326
  %335 = load i64, ptr %334, align 8
  call void @llvm.memcpy.p0.p0.i64(ptr align 1 %331, ptr align 1 %329, i64 %335, i1 false)
  br label %336

336:
  %337 = add nuw nsw i64 %326, 1
  %338 = icmp ult i64 %337, %318
  br i1 %338, label %325, label %319, !llvm.loop !30

339:
  %340 = phi i32 [ -8, %4 ], [ -9, %10 ], [ -9, %15 ], [ %320, %319 ], [ -11, %32 ]
  ret i32 %340
}

define i32 @wmtune_profile(ptr noundef %0, ptr noundef %1, ptr noundef %2, ptr noundef %3) local_unnamed_addr #0 {
  %5 = tail call fastcc i32 @run(ptr noundef %0, ptr noundef %1, ptr noundef %2, ptr noundef %3)
  ret i32 %5
}

define void @wmtune_watch(ptr nocapture noundef writeonly %0, ptr noundef %1) local_unnamed_addr #8 {
  %3 = getelementptr inbounds %struct.context, ptr %0, i64 0, i32 12
  store ptr %1, ptr %3, align 8
  ret void
}

define i32 @wmtune_steps() local_unnamed_addr #12 {
  %1 = load i32, ptr getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 12), align 8
  ret i32 %1
}

define ptr @wmtune_error(i32 noundef %0) local_unnamed_addr #11 {
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

declare void @llvm.x86.sse.stmxcsr(ptr) #13

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
  br i1 %25, label %20, label %32, !llvm.loop !7

26:
  %27 = add nsw i64 %21, %19
  %28 = tail call i64 @llvm.smin.i64(i64 %27, i64 %17)
  tail call void %1(ptr noundef nonnull %0, ptr noundef %2, i64 noundef %21, i64 noundef %28) #14
  %29 = load i64, ptr %10, align 32
  %30 = load atomic i64, ptr %9 monotonic, align 8
  %31 = icmp slt i64 %30, %29
  br i1 %31, label %16, label %33, !llvm.loop !7

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
  tail call void %1(ptr noundef nonnull %0, ptr noundef %2, i64 noundef %61, i64 noundef %65) #14
  %66 = load i64, ptr %52, align 32
  br label %67

67:
  %68 = phi i64 [ %66, %63 ], [ %59, %58 ]
  %69 = load atomic i64, ptr %51 monotonic, align 8
  %70 = icmp slt i64 %69, %68
  br i1 %70, label %58, label %71, !llvm.loop !7

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
  br i1 %79, label %43, label %80, !llvm.loop !31

80:
  ret void
}

declare i64 @syscall(i64 noundef, ...) local_unnamed_addr #6

declare i64 @llvm.x86.rdtsc() #14

declare void @llvm.x86.sse2.pause() #14

declare i32 @sched_yield() local_unnamed_addr #6

declare i32 @clock_gettime(i32 noundef, ptr noundef) local_unnamed_addr #6

declare void @llvm.memcpy.p0.p0.i64(ptr noalias nocapture writeonly, ptr noalias nocapture readonly, i64, i1 immarg) #4

declare i32 @getpid() local_unnamed_addr #6

declare i32 @pthread_join(i64 noundef, ptr noundef) local_unnamed_addr #15

declare noalias noundef ptr @calloc(i64 noundef, i64 noundef) local_unnamed_addr #16

define internal fastcc i64 @processors() unnamed_addr #0 {
  %1 = alloca [4096 x i8], align 16
  %2 = alloca [1024 x i8], align 16
  %3 = alloca [16 x i64], align 16
  call void @llvm.lifetime.start.p0(i64 128, ptr nonnull %3) #14
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 16 dereferenceable(128) %3, i8 0, i64 128, i1 false)
  call void @llvm.lifetime.start.p0(i64 4096, ptr nonnull %1) #14
  call void @llvm.lifetime.start.p0(i64 1024, ptr nonnull %2) #14
  %4 = tail call i32 (ptr, i32, ...) @open(ptr noundef nonnull @.str.18, i32 noundef 524288) #14
  %5 = icmp slt i32 %4, 0
  br i1 %5, label %101, label %6

6:
  %7 = phi i64 [ %12, %6 ], [ 0, %0 ]
  %8 = getelementptr inbounds i8, ptr %1, i64 %7
  %9 = sub i64 4096, %7
  %10 = call i64 @read(i32 noundef %4, ptr noundef nonnull %8, i64 noundef %9) #14
  %11 = icmp sgt i64 %10, 0
  %12 = add i64 %10, %7
  br i1 %11, label %6, label %13, !llvm.loop !32

13:
  %14 = tail call i32 @close(i32 noundef %4) #14
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 16 dereferenceable(14) %2, ptr noundef nonnull align 1 dereferenceable(14) @.str.19, i64 14, i1 false)
  %15 = ptrtoint ptr %8 to i64
  %16 = call ptr @memchr(ptr noundef nonnull %1, i32 noundef 10, i64 noundef %7) #31
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
  %29 = call ptr @memchr(ptr noundef nonnull %26, i32 noundef 58, i64 noundef %28) #31
  %30 = icmp eq ptr %29, null
  br i1 %30, label %94, label %31

31:
  %32 = getelementptr inbounds i8, ptr %29, i64 1
  %33 = ptrtoint ptr %29 to i64
  %34 = xor i64 %33, -1
  %35 = add i64 %34, %27
  %36 = call ptr @memchr(ptr noundef nonnull %32, i32 noundef 58, i64 noundef %35) #31
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
  br i1 %71, label %94, label %50, !llvm.loop !33

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
  %85 = call i64 @strlen(ptr noundef nonnull dereferenceable(1) %84) #31
  %86 = add i64 %85, 1
  call void @llvm.memcpy.p0.p0.i64(ptr nonnull align 2 %20, ptr align 1 %84, i64 %86, i1 false)
  %87 = call fastcc i64 @climb(ptr noundef nonnull %2, ptr noundef nonnull %37, i64 noundef %46, i32 noundef %76, i64 noundef %82)
  %88 = add nuw nsw i64 %81, 1
  %89 = icmp eq i64 %88, %73
  br i1 %89, label %77, label %80, !llvm.loop !34

90:
  store i8 47, ptr %20, align 2
  call void @llvm.memcpy.p0.p0.i64(ptr nonnull align 1 %21, ptr nonnull align 1 %32, i64 %45, i1 false)
  %91 = add nuw nsw i64 %44, 13
  %92 = getelementptr inbounds [1024 x i8], ptr %2, i64 0, i64 %91
  store i8 0, ptr %92, align 1
  %93 = call fastcc i64 @climb(ptr noundef nonnull %2, ptr noundef nonnull %37, i64 noundef %46, i32 noundef 1, i64 noundef %87)
  br label %94

94:
  %95 = phi i64 [ %25, %39 ], [ %25, %31 ], [ %93, %90 ], [ %87, %77 ], [ %25, %22 ], [ %25, %48 ], [ %25, %68 ]
  %96 = getelementptr inbounds i8, ptr %23, i64 1
  %97 = ptrtoint ptr %96 to i64
  %98 = sub i64 %15, %97
  %99 = call ptr @memchr(ptr noundef nonnull %96, i32 noundef 10, i64 noundef %98) #31
  %100 = icmp eq ptr %99, null
  br i1 %100, label %101, label %22, !llvm.loop !35

101:
  %102 = phi i64 [ 256, %0 ], [ 256, %13 ], [ %95, %94 ]
  call void @llvm.lifetime.end.p0(i64 1024, ptr nonnull %2) #14
  call void @llvm.lifetime.end.p0(i64 4096, ptr nonnull %1) #14
  %103 = call i32 @sched_getaffinity(i32 noundef 0, i64 noundef 128, ptr noundef nonnull %3) #14
  br label %108

104:
  %105 = icmp eq i64 %114, 0
  %106 = select i1 %105, i64 1, i64 %114
  %107 = call i64 @llvm.smin.i64(i64 %106, i64 %102)
  call void @llvm.lifetime.end.p0(i64 128, ptr nonnull %3) #14
  ret i64 %107

108:
  %109 = phi i64 [ 0, %101 ], [ %115, %108 ]
  %110 = phi i64 [ 0, %101 ], [ %114, %108 ]
  %111 = getelementptr inbounds [16 x i64], ptr %3, i64 0, i64 %109
  %112 = load i64, ptr %111, align 8
  %113 = call i64 @llvm.ctpop.i64(i64 %112), !range !36
  %114 = add nuw nsw i64 %113, %110
  %115 = add nuw nsw i64 %109, 1
  %116 = icmp eq i64 %115, 16
  br i1 %116, label %104, label %108, !llvm.loop !37
}

define internal fastcc void @start(ptr nocapture noundef %0) unnamed_addr #0 {
  %2 = alloca %struct.__sigset_t, align 8
  %3 = alloca %struct.__sigset_t, align 8
  %4 = alloca %union.pthread_attr_t, align 8
  call void @llvm.lifetime.start.p0(i64 128, ptr nonnull %2) #14
  call void @llvm.lifetime.start.p0(i64 128, ptr nonnull %3) #14
  call void @llvm.lifetime.start.p0(i64 56, ptr nonnull %4) #14
  %5 = tail call i32 @getpid() #14
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
  %19 = call i32 @pthread_attr_init(ptr noundef nonnull %4) #14
  %20 = icmp eq i32 %19, 0
  br i1 %20, label %21, label %54

21:
  %22 = call i32 @pthread_attr_setstacksize(ptr noundef nonnull %4, i64 noundef 2097152) #14
  %23 = call i32 @sigfillset(ptr noundef nonnull %2) #14
  br label %29

24:
  %25 = call i32 @pthread_sigmask(i32 noundef 2, ptr noundef nonnull %2, ptr noundef nonnull %3) #14
  %26 = load i64, ptr %13, align 8
  %27 = load i64, ptr %15, align 8
  %28 = icmp slt i64 %26, %27
  br i1 %28, label %36, label %50

29:
  %30 = phi i64 [ 0, %21 ], [ %34, %29 ]
  %31 = getelementptr inbounds [7 x i32], ptr @__const.start.faults, i64 0, i64 %30
  %32 = load i32, ptr %31, align 4
  %33 = call i32 @sigdelset(ptr noundef nonnull %2, i32 noundef %32) #14
  %34 = add nuw nsw i64 %30, 1
  %35 = icmp eq i64 %34, 7
  br i1 %35, label %24, label %29, !llvm.loop !38

36:
  %37 = phi i64 [ %47, %46 ], [ %26, %24 ]
  %38 = load ptr, ptr %0, align 8
  %39 = getelementptr inbounds %struct.thread, ptr %38, i64 %37
  %40 = getelementptr inbounds %struct.thread, ptr %38, i64 %37, i32 7
  store atomic i32 2, ptr %40 seq_cst, align 4
  %41 = getelementptr inbounds %struct.thread, ptr %38, i64 %37, i32 8
  store atomic i32 0, ptr %41 seq_cst, align 4
  %42 = getelementptr inbounds %struct.thread, ptr %38, i64 %37, i32 3
  %43 = call i32 @pthread_create(ptr noundef nonnull %42, ptr noundef nonnull %4, ptr noundef nonnull @work, ptr noundef %39) #14
  %44 = icmp eq i32 %43, 0
  %45 = load i64, ptr %13, align 8
  br i1 %44, label %46, label %50

46:
  %47 = add nsw i64 %45, 1
  store i64 %47, ptr %13, align 8
  %48 = load i64, ptr %15, align 8
  %49 = icmp slt i64 %47, %48
  br i1 %49, label %36, label %50, !llvm.loop !39

50:
  %51 = phi i64 [ %26, %24 ], [ %45, %36 ], [ %47, %46 ]
  store i64 %51, ptr %12, align 8
  %52 = call i32 @pthread_sigmask(i32 noundef 2, ptr noundef nonnull %3, ptr noundef null) #14
  %53 = call i32 @pthread_attr_destroy(ptr noundef nonnull %4) #14
  br label %54

54:
  call void @llvm.lifetime.end.p0(i64 56, ptr nonnull %4) #14
  call void @llvm.lifetime.end.p0(i64 128, ptr nonnull %3) #14
  call void @llvm.lifetime.end.p0(i64 128, ptr nonnull %2) #14
  ret void
}

define internal void @touch(ptr nocapture noundef readonly %0, ptr nocapture noundef readonly %1, i64 noundef %2, i64 noundef %3) #17 {
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
  br i1 %25, label %18, label %13, !llvm.loop !40

26:
  ret void

27:
  %28 = phi i64 [ 0, %16 ], [ %31, %27 ]
  %29 = load ptr, ptr %17, align 8
  %30 = getelementptr inbounds i8, ptr %29, i64 %28
  store volatile i8 0, ptr %30, align 1
  %31 = add nuw nsw i64 %28, 4096
  %32 = icmp slt i64 %31, %14
  br i1 %32, label %27, label %26, !llvm.loop !41
}

declare i32 @sched_getaffinity(i32 noundef, i64 noundef, ptr noundef) local_unnamed_addr #6

declare i64 @llvm.ctpop.i64(i64) #18

declare i64 @strlen(ptr nocapture noundef) local_unnamed_addr #19

declare noundef i32 @open(ptr nocapture noundef readonly, i32 noundef, ...) local_unnamed_addr #20

declare noundef i64 @read(i32 noundef, ptr nocapture noundef, i64 noundef) local_unnamed_addr #20

declare i32 @close(i32 noundef) local_unnamed_addr #15

declare ptr @memchr(ptr noundef, i32 noundef, i64 noundef) local_unnamed_addr #19

define internal fastcc i64 @climb(ptr nocapture noundef readonly %0, ptr nocapture noundef readonly %1, i64 noundef %2, i32 noundef %3, i64 noundef %4) unnamed_addr #0 {
  %6 = alloca [64 x i8], align 16
  %7 = alloca ptr, align 8
  %8 = alloca [1024 x i8], align 16
  %9 = alloca i64, align 8
  call void @llvm.lifetime.start.p0(i64 1024, ptr nonnull %8) #14
  %10 = tail call i64 @strlen(ptr noundef nonnull dereferenceable(1) %0) #31
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
  br i1 %30, label %23, label %31, !llvm.loop !42

31:
  %32 = phi i64 [ %22, %23 ], [ %24, %26 ]
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %9) #14
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
  call void @llvm.lifetime.start.p0(i64 64, ptr nonnull %6) #14
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %7) #14
  %38 = call i32 (ptr, i32, ...) @open(ptr noundef nonnull %8, i32 noundef 524288) #14
  %39 = icmp slt i32 %38, 0
  br i1 %39, label %52, label %40

40:
  %41 = call i64 @read(i32 noundef %38, ptr noundef nonnull %6, i64 noundef 63) #14
  %42 = call i32 @close(i32 noundef %38) #14
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
  %51 = call i64 @strtoll(ptr noundef nonnull %6, ptr noundef nonnull %7, i32 noundef 10) #14
  br label %52

52:
  %53 = phi i64 [ -1, %37 ], [ -1, %40 ], [ %51, %49 ]
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %7) #14
  call void @llvm.lifetime.end.p0(i64 64, ptr nonnull %6) #14
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
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %9) #14
  br label %75

68:
  %69 = phi i64 [ %70, %68 ], [ %32, %61 ]
  %70 = add i64 %69, -1
  %71 = getelementptr inbounds [1024 x i8], ptr %8, i64 0, i64 %70
  %72 = load i8, ptr %71, align 1
  %73 = icmp eq i8 %72, 47
  br i1 %73, label %74, label %68, !llvm.loop !43

74:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %9) #14
  br label %19

75:
  %76 = phi i64 [ %4, %5 ], [ %65, %67 ]
  call void @llvm.lifetime.end.p0(i64 1024, ptr nonnull %8) #14
  ret i64 %76
}

define internal fastcc i64 @number(ptr nocapture noundef readonly %0, ptr noundef writeonly %1) unnamed_addr #0 {
  %3 = alloca [64 x i8], align 16
  %4 = alloca ptr, align 8
  call void @llvm.lifetime.start.p0(i64 64, ptr nonnull %3) #14
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %4) #14
  %5 = tail call i32 (ptr, i32, ...) @open(ptr noundef %0, i32 noundef 524288) #14
  %6 = icmp slt i32 %5, 0
  br i1 %6, label %26, label %7

7:
  %8 = call i64 @read(i32 noundef %5, ptr noundef nonnull %3, i64 noundef 63) #14
  %9 = tail call i32 @close(i32 noundef %5) #14
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
  %18 = call i64 @strtoll(ptr noundef nonnull %3, ptr noundef nonnull %4, i32 noundef 10) #14
  %19 = icmp eq ptr %1, null
  br i1 %19, label %26, label %20

20:
  %21 = load ptr, ptr %4, align 8
  %22 = load i8, ptr %21, align 1
  %23 = icmp eq i8 %22, 32
  br i1 %23, label %24, label %26

24:
  %25 = call i64 @strtoll(ptr nocapture noundef nonnull %21, ptr noundef null, i32 noundef 10) #14
  store i64 %25, ptr %1, align 8
  br label %26

26:
  %27 = phi i64 [ -1, %2 ], [ -1, %7 ], [ %18, %24 ], [ %18, %20 ], [ %18, %16 ]
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %4) #14
  call void @llvm.lifetime.end.p0(i64 64, ptr nonnull %3) #14
  ret i64 %27
}

declare i64 @strtoll(ptr noundef readonly, ptr nocapture noundef, i32 noundef) local_unnamed_addr #21

declare noalias noundef ptr @aligned_alloc(i64 allocalign noundef, i64 noundef) local_unnamed_addr #22

define internal fastcc ptr @map(i64 noundef %0) unnamed_addr #0 {
  %2 = icmp slt i64 %0, 2097152
  %3 = select i1 %2, i64 0, i64 2097152
  %4 = add nsw i64 %0, 4095
  %5 = sdiv i64 %4, 4096
  %6 = shl nsw i64 %5, 12
  %7 = add nsw i64 %6, %3
  %8 = tail call ptr @mmap(ptr noundef null, i64 noundef %7, i32 noundef 3, i32 noundef 34, i32 noundef -1, i64 noundef 0) #14
  %9 = icmp eq ptr %8, inttoptr (i64 -1 to ptr)
  br i1 %9, label %32, label %10

10:
  %11 = ptrtoint ptr %8 to i64
  %12 = sub i64 0, %11
  %13 = and i64 %12, 2097151
  %14 = select i1 %2, i64 0, i64 %13
  %15 = icmp eq i64 %14, 0
  br i1 %15, label %18, label %16

16:
  %17 = tail call i32 @munmap(ptr noundef %8, i64 noundef %14) #14
  br label %18

18:
  %19 = icmp eq i64 %3, %14
  br i1 %19, label %25, label %20

20:
  %21 = sub nsw i64 %3, %14
  %22 = getelementptr inbounds i8, ptr %8, i64 %14
  %23 = getelementptr inbounds i8, ptr %22, i64 %6
  %24 = tail call i32 @munmap(ptr noundef %23, i64 noundef %21) #14
  br label %25

25:
  %26 = getelementptr inbounds i8, ptr %8, i64 %14
  %27 = icmp ne ptr %8, null
  %28 = icmp sgt i64 %0, 2093056
  %29 = and i1 %28, %27
  br i1 %29, label %30, label %32

30:
  %31 = tail call i32 @madvise(ptr noundef nonnull %26, i64 noundef %6, i32 noundef 14) #14
  br label %32

32:
  %33 = phi ptr [ %26, %30 ], [ %26, %25 ], [ null, %1 ]
  ret ptr %33
}

declare ptr @mmap(ptr noundef, i64 noundef, i32 noundef, i32 noundef, i32 noundef, i64 noundef) local_unnamed_addr #6

declare i32 @madvise(ptr noundef, i64 noundef, i32 noundef) local_unnamed_addr #6

define internal void @sha_blocks_fast(ptr nocapture noundef %0, ptr nocapture noundef readonly %1, i64 noundef %2) unnamed_addr #23 {
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
  br i1 %46, label %47, label %38, !llvm.loop !44

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
  br i1 %210, label %33, label %211, !llvm.loop !45

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

define internal void @sha_blocks(ptr nocapture noundef %0, ptr nocapture noundef readonly %1, i64 noundef %2) unnamed_addr #24 {
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
  br i1 %41, label %42, label %33, !llvm.loop !46

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
  br i1 %71, label %84, label %44, !llvm.loop !47

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
  br i1 %83, label %22, label %125, !llvm.loop !48

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
  br i1 %124, label %72, label %84, !llvm.loop !49

125:
  ret void
}

declare i64 @llvm.bswap.i64(i64) #18

declare i32 @llvm.bswap.i32(i32) #18

declare <4 x i32> @llvm.x86.sha256msg1(<4 x i32>, <4 x i32>) #25

declare <4 x i32> @llvm.x86.sha256msg2(<4 x i32>, <4 x i32>) #25

declare <4 x i32> @llvm.x86.sha256rnds2(<4 x i32>, <4 x i32>, <4 x i32>) #25

declare i32 @pthread_attr_init(ptr noundef) local_unnamed_addr #6

declare i32 @pthread_attr_setstacksize(ptr noundef, i64 noundef) local_unnamed_addr #6

declare i32 @sigfillset(ptr noundef) local_unnamed_addr #6

declare i32 @sigdelset(ptr noundef, i32 noundef) local_unnamed_addr #6

declare i32 @pthread_sigmask(i32 noundef, ptr noundef, ptr noundef) local_unnamed_addr #6

declare i32 @pthread_create(ptr noundef, ptr noundef, ptr noundef, ptr noundef) local_unnamed_addr #6

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
  %24 = call i32 @sched_yield() #14
  br label %25

25:
  %26 = phi i32 [ 255, %22 ], [ 15, %23 ]
  %27 = and i32 %26, %20
  %28 = icmp eq i32 %27, 0
  br i1 %28, label %29, label %82

29:
  call void @llvm.lifetime.start.p0(i64 16, ptr nonnull %2) #14
  %30 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %2) #14
  %31 = load i64, ptr %2, align 8
  %32 = mul nsw i64 %31, 1000000000
  %33 = load i64, ptr %6, align 8
  %34 = add nsw i64 %32, %33
  call void @llvm.lifetime.end.p0(i64 16, ptr nonnull %2) #14
  %35 = icmp eq i64 %19, 0
  %36 = select i1 %35, i64 %34, i64 %19
  %37 = sub nsw i64 %34, %36
  %38 = icmp slt i64 %37, 200000
  br i1 %38, label %82, label %39

39:
  store atomic i32 1, ptr %7 seq_cst, align 4
  %40 = call i64 (i64, ...) @syscall(i64 noundef 202, ptr noundef nonnull %5, i32 noundef 128, i32 noundef %15, ptr noundef null, ptr noundef null, i32 noundef 0) #14
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
  %76 = call i64 (i64, ...) @syscall(i64 noundef 202, ptr noundef nonnull %75, i32 noundef 129, i32 noundef 1, ptr noundef null, ptr noundef null, i32 noundef 0) #14
  br label %77

77:
  %78 = add nsw i64 %64, 1
  %79 = icmp slt i64 %78, %62
  %80 = icmp slt i64 %78, %61
  %81 = select i1 %79, i1 %80, i1 false
  br i1 %81, label %63, label %82, !llvm.loop !6

82:
  %83 = phi i32 [ 0, %46 ], [ 0, %39 ], [ %20, %29 ], [ %20, %25 ], [ 0, %77 ]
  %84 = phi i64 [ 0, %46 ], [ 0, %39 ], [ %36, %29 ], [ %19, %25 ], [ 0, %77 ]
  %85 = add i32 %83, 1
  %86 = load atomic i32, ptr %5 acquire, align 64
  %87 = icmp eq i32 %86, %15
  br i1 %87, label %18, label %88, !llvm.loop !50

88:
  %89 = phi i32 [ %16, %14 ], [ %86, %82 ]
  %90 = and i32 %89, 3
  switch i32 %90, label %91 [
    i32 3, label %93
    i32 0, label %94
  ]

91:
  %92 = phi i32 [ %105, %98 ], [ %89, %94 ], [ %89, %88 ]
  br label %14, !llvm.loop !51

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

declare i32 @pthread_attr_destroy(ptr noundef) local_unnamed_addr #6

declare void @llvm.x86.sse.ldmxcsr(ptr) #14

declare hidden i32 @wmtune_sequence(ptr noundef, ptr noundef, ptr noundef, ptr noundef, ptr noundef, ptr noundef) local_unnamed_addr #15

declare i64 @llvm.smin.i64(i64, i64) #26

declare i32 @bcmp(ptr nocapture, ptr nocapture, i64) local_unnamed_addr #27

declare i64 @llvm.umin.i64(i64, i64) #26

declare i32 @llvm.fshl.i32(i32, i32, i32) #26

declare i64 @llvm.smax.i64(i64, i64) #26

attributes #0 = { nounwind "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #1 = { mustprogress nofree norecurse nosync nounwind willreturn memory(argmem: readwrite) "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #2 = { mustprogress nocallback nofree nosync nounwind willreturn memory(argmem: readwrite) }
attributes #3 = { mustprogress nofree norecurse nosync nounwind willreturn memory(readwrite, inaccessiblemem: none) "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #4 = { mustprogress nocallback nofree nounwind willreturn memory(argmem: readwrite) }
attributes #5 = { mustprogress nofree nosync nounwind willreturn memory(readwrite, inaccessiblemem: none) "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #6 = { nounwind "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #7 = { mustprogress nounwind willreturn allockind("free") memory(argmem: readwrite, inaccessiblemem: readwrite) "alloc-family"="malloc" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #8 = { mustprogress nofree norecurse nosync nounwind willreturn memory(argmem: write) "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #9 = { mustprogress nocallback nofree nounwind willreturn memory(argmem: write) }
attributes #10 = { nofree norecurse nosync nounwind memory(read, inaccessiblemem: none) "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #11 = { mustprogress nofree norecurse nosync nounwind willreturn memory(read, inaccessiblemem: none) "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #12 = { mustprogress nofree norecurse nosync nounwind willreturn memory(none) "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #13 = { nounwind memory(argmem: write) }
attributes #14 = { nounwind }
attributes #15 = { "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #16 = { mustprogress nofree nounwind willreturn allockind("alloc,zeroed") allocsize(0,1) memory(inaccessiblemem: readwrite) "alloc-family"="malloc" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #17 = { nofree norecurse nounwind "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #18 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #19 = { mustprogress nofree nounwind willreturn memory(argmem: read) "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #20 = { nofree "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #21 = { mustprogress nofree nounwind willreturn "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #22 = { mustprogress nofree nounwind willreturn allockind("alloc,uninitialized,aligned") allocsize(1) memory(inaccessiblemem: readwrite) "alloc-family"="malloc" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #23 = { nofree nosync nounwind memory(read, argmem: readwrite, inaccessiblemem: none) "min-legal-vector-width"="128" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sha,+sse,+sse2,+sse3,+sse4.1,+ssse3,+x87" "tune-cpu"="generic" }
attributes #24 = { nofree nosync nounwind memory(read, argmem: readwrite, inaccessiblemem: none) "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #25 = { mustprogress nocallback nofree nosync nounwind willreturn memory(none) }
attributes #26 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #27 = { nofree nounwind willreturn memory(argmem: read) }
attributes #28 = { nounwind memory(none) }
attributes #29 = { nounwind allocsize(0,1) }
attributes #30 = { nounwind allocsize(1) }
attributes #31 = { nounwind willreturn memory(read) }

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
!11 = distinct !{!11, !3, !4}
!12 = distinct !{!12, !3, !4}
!13 = !{i64 2151365896, i64 2151365932, i64 2151365956}
!14 = !{i64 2151366102, i64 2151366138, i64 2151366162}
!15 = !{i64 3869865}
!16 = !{i64 2151366312, i64 2151366348, i64 2151366372}
!17 = distinct !{!17, !3, !4}
!18 = distinct !{!18, !3, !4}
!19 = distinct !{!19, !3, !4}
!20 = distinct !{!20, !3, !4}
!21 = !{ptr @sha_blocks, ptr @sha_blocks_fast}
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
!33 = distinct !{!33, !3, !4}
!34 = distinct !{!34, !3, !4}
!35 = distinct !{!35, !3, !4}
!36 = !{i64 0, i64 65}
!37 = distinct !{!37, !3, !4}
!38 = distinct !{!38, !3, !4}
!39 = distinct !{!39, !3, !4}
!40 = distinct !{!40, !3, !4}
!41 = distinct !{!41, !3, !4}
!42 = distinct !{!42, !3, !4}
!43 = distinct !{!43, !3, !4}
!44 = distinct !{!44, !3, !4}
!45 = distinct !{!45, !3, !4}
!46 = distinct !{!46, !3, !4}
!47 = distinct !{!47, !3, !4}
!48 = distinct !{!48, !3, !4}
!49 = distinct !{!49, !3, !4}
!50 = distinct !{!50, !4}
!51 = distinct !{!51, !4}
