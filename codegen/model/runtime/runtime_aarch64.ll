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
  tail call fastcc void @parallel_for(ptr noundef %5, ptr noundef nonnull %0, ptr noundef %1, ptr noundef %2, i64 noundef %3)
  ret void
}

define internal fastcc void @parallel_for(ptr nocapture noundef %0, ptr noundef %1, ptr noundef %2, ptr noundef %3, i64 noundef %4) unnamed_addr #0 {
  %6 = getelementptr inbounds %struct.pool, ptr %0, i64 0, i32 3
  %7 = load i64, ptr %6, align 8
  %8 = tail call i64 @llvm.smin.i64(i64 %7, i64 %4)
  %9 = tail call { i64, i64 } asm sideeffect "mrs $0, fpcr\0A\09mrs $1, fpsr", "=r,=r,~{memory}"() #23, !srcloc !3
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
  br i1 %27, label %184, label %28

28:
  %29 = icmp slt i64 %8, 2
  br i1 %29, label %34, label %30

30:
  %31 = getelementptr inbounds %struct.pool, ptr %0, i64 0, i32 5
  %32 = atomicrmw xchg ptr %31, i32 1 acquire, align 4
  %33 = icmp eq i32 %32, 0
  br i1 %33, label %35, label %34

34:
  tail call void %2(ptr noundef %1, ptr noundef %3, i64 noundef 0, i64 noundef %4) #23
  br label %184

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
  br i1 %81, label %42, label %45, !llvm.loop !4

82:
  %83 = icmp eq i32 %79, 0
  br i1 %83, label %129, label %105

84:
  %85 = phi i64 [ %103, %102 ], [ 1, %42 ]
  %86 = getelementptr inbounds %struct.thread, ptr %36, i64 %85, i32 7
  %87 = load atomic i32, ptr %86 monotonic, align 64
  %88 = and i32 %87, -4
  %89 = add i32 %88, 4
  store atomic i32 %89, ptr %86 release, align 64
  %90 = getelementptr inbounds %struct.thread, ptr %36, i64 %85, i32 16
  %91 = load atomic i32, ptr %90 monotonic, align 8
  %92 = icmp slt i32 %91, 0
  br i1 %92, label %93, label %102

93:
  %94 = getelementptr inbounds %struct.thread, ptr %36, i64 %85, i32 8
  %95 = load atomic i32, ptr %94 monotonic, align 4
  %96 = icmp eq i32 %95, 0
  br i1 %96, label %102, label %97

97:
  %98 = atomicrmw xchg ptr %94, i32 0 seq_cst, align 4
  %99 = icmp eq i32 %98, 0
  br i1 %99, label %102, label %100

100:
  %101 = tail call i64 (i64, ...) @syscall(i64 noundef 98, ptr noundef nonnull %86, i32 noundef 129, i32 noundef 1, ptr noundef null, ptr noundef null, i32 noundef 0) #23
  br label %102

102:
  %103 = add nuw nsw i64 %85, 1
  %104 = icmp eq i64 %103, %8
  br i1 %104, label %82, label %84, !llvm.loop !7

105:
  %106 = load atomic i32, ptr %43 monotonic, align 8
  %107 = icmp sgt i32 %106, 0
  br i1 %107, label %108, label %129

108:
  %109 = zext i32 %106 to i64
  %110 = add nsw i64 %109, -1
  %111 = tail call i64 @llvm.umin.i64(i64 %110, i64 3)
  br label %112

112:
  %113 = phi i64 [ 0, %108 ], [ %127, %126 ]
  %114 = getelementptr inbounds %struct.thread, ptr %36, i64 %113, i32 5
  %115 = load atomic i32, ptr %114 monotonic, align 4
  %116 = sext i32 %115 to i64
  %117 = getelementptr inbounds %struct.thread, ptr %36, i64 %116, i32 8
  %118 = load atomic i32, ptr %117 monotonic, align 4
  %119 = icmp eq i32 %118, 0
  br i1 %119, label %126, label %120

120:
  %121 = atomicrmw xchg ptr %117, i32 0 seq_cst, align 4
  %122 = icmp eq i32 %121, 0
  br i1 %122, label %126, label %123

123:
  %124 = getelementptr inbounds %struct.thread, ptr %36, i64 %116, i32 7
  %125 = tail call i64 (i64, ...) @syscall(i64 noundef 98, ptr noundef nonnull %124, i32 noundef 129, i32 noundef 1, ptr noundef null, ptr noundef null, i32 noundef 0) #23
  br label %126

126:
  %127 = add nuw nsw i64 %113, 1
  %128 = icmp eq i64 %113, %111
  br i1 %128, label %129, label %112, !llvm.loop !8

129:
  tail call fastcc void @share(ptr noundef %1, ptr noundef %2, ptr noundef %3)
  br i1 %44, label %131, label %130

130:
  store atomic i32 0, ptr %31 release, align 4
  br label %184

131:
  %132 = phi i64 [ %182, %181 ], [ 1, %129 ]
  %133 = getelementptr inbounds %struct.thread, ptr %36, i64 %132, i32 7
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
  %144 = getelementptr inbounds %struct.thread, ptr %36, i64 %132, i32 11
  %145 = getelementptr inbounds %struct.thread, ptr %36, i64 %132, i32 12
  %146 = load atomic i64, ptr %144 monotonic, align 8
  %147 = load i64, ptr %145, align 32
  %148 = icmp slt i64 %146, %147
  br i1 %148, label %149, label %164

149:
  %150 = getelementptr inbounds %struct.thread, ptr %36, i64 %132, i32 13
  br label %151

151:
  %152 = phi i64 [ %147, %149 ], [ %161, %160 ]
  %153 = load i64, ptr %150, align 8
  %154 = atomicrmw add ptr %144, i64 %153 monotonic, align 8
  %155 = icmp slt i64 %154, %152
  br i1 %155, label %156, label %160

156:
  %157 = add nsw i64 %154, %153
  %158 = tail call i64 @llvm.smin.i64(i64 %157, i64 %152)
  tail call void %2(ptr noundef %1, ptr noundef %3, i64 noundef %154, i64 noundef %158) #23
  %159 = load i64, ptr %145, align 32
  br label %160

160:
  %161 = phi i64 [ %159, %156 ], [ %152, %151 ]
  %162 = load atomic i64, ptr %144 monotonic, align 8
  %163 = icmp slt i64 %162, %161
  br i1 %163, label %151, label %164, !llvm.loop !9

164:
  %165 = icmp eq i32 %143, 0
  br i1 %165, label %166, label %181

166:
  %167 = load atomic i32, ptr %133 acquire, align 64
  %168 = and i32 %167, 3
  %169 = icmp eq i32 %168, 2
  br i1 %169, label %181, label %170

170:
  %171 = phi i32 [ %177, %176 ], [ 0, %166 ]
  %172 = icmp ult i32 %171, 2000
  br i1 %172, label %173, label %174

173:
  tail call void asm sideeffect "isb", "~{memory}"() #23, !srcloc !10
  br label %176

174:
  %175 = tail call i32 @sched_yield() #23
  br label %176

176:
  %177 = add i32 %171, 1
  %178 = load atomic i32, ptr %133 acquire, align 64
  %179 = and i32 %178, 3
  %180 = icmp eq i32 %179, 2
  br i1 %180, label %181, label %170

181:
  %182 = add nuw nsw i64 %132, 1
  %183 = icmp eq i64 %182, %8
  br i1 %183, label %130, label %131, !llvm.loop !11

184:
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
  call void @llvm.lifetime.start.p0(i64 16, ptr nonnull %3) #23
  %5 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %3) #23
  %6 = load i64, ptr %3, align 8
  %7 = mul nsw i64 %6, 1000000000
  %8 = getelementptr inbounds %struct.timespec, ptr %3, i64 0, i32 1
  %9 = load i64, ptr %8, align 8
  %10 = add nsw i64 %7, %9
  call void @llvm.lifetime.end.p0(i64 16, ptr nonnull %3) #23
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
  call void %24(ptr noundef %28, ptr noundef %30, ptr noundef %32, i64 noundef %1) #23
  br label %33

33:
  ret void
}

define hidden void @wmtune_copy(ptr noundef %0, ptr noundef %1, ptr noundef %2, i64 noundef %3) local_unnamed_addr #0 {
  %5 = alloca %struct.copy, align 8
  call void @llvm.lifetime.start.p0(i64 24, ptr nonnull %5) #23
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
  call void @llvm.lifetime.end.p0(i64 24, ptr nonnull %5) #23
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
  %11 = tail call i32 @getpid() #23
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
  %39 = tail call i64 (i64, ...) @syscall(i64 noundef 98, ptr noundef nonnull %24, i32 noundef 129, i32 noundef 1, ptr noundef null, ptr noundef null, i32 noundef 0) #23
  br label %40

40:
  %41 = load ptr, ptr %0, align 8
  %42 = getelementptr inbounds %struct.thread, ptr %41, i64 %22, i32 7
  %43 = tail call i64 (i64, ...) @syscall(i64 noundef 98, ptr noundef nonnull %42, i32 noundef 129, i32 noundef 1, ptr noundef null, ptr noundef null, i32 noundef 0) #23
  %44 = add nuw nsw i64 %22, 1
  %45 = load i64, ptr %16, align 8
  %46 = icmp slt i64 %44, %45
  br i1 %46, label %21, label %19, !llvm.loop !12

47:
  %48 = phi i64 [ %53, %47 ], [ 1, %19 ]
  %49 = load ptr, ptr %0, align 8
  %50 = getelementptr inbounds %struct.thread, ptr %49, i64 %48, i32 3
  %51 = load i64, ptr %50, align 8
  %52 = tail call i32 @pthread_join(i64 noundef %51, ptr noundef null) #23
  %53 = add nuw nsw i64 %48, 1
  %54 = load i64, ptr %16, align 8
  %55 = icmp slt i64 %53, %54
  br i1 %55, label %47, label %56, !llvm.loop !13

56:
  %57 = load ptr, ptr %4, align 8
  %58 = icmp eq ptr %57, null
  br i1 %58, label %61, label %59

59:
  %60 = tail call i32 @munmap(ptr noundef nonnull %57, i64 noundef 4096) #23
  br label %61

61:
  %62 = getelementptr inbounds %struct.context, ptr %0, i64 0, i32 1
  %63 = load ptr, ptr %62, align 8
  %64 = icmp eq ptr %63, null
  br i1 %64, label %68, label %65

65:
  %66 = load i64, ptr @wmtune_program, align 8
  %67 = tail call i32 @munmap(ptr noundef nonnull %63, i64 noundef %66) #23
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
  %77 = tail call i32 @munmap(ptr noundef nonnull %70, i64 noundef %76) #23
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
  br i1 %105, label %88, label %95, !llvm.loop !14

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
  br i1 %116, label %117, label %106, !llvm.loop !15

117:
  %118 = phi i64 [ %89, %88 ], [ %114, %106 ]
  %119 = tail call i32 @munmap(ptr noundef nonnull %80, i64 noundef %118) #23
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
  %128 = tail call i32 @munmap(ptr noundef %126, i64 noundef %127) #23
  br label %129

129:
  %130 = load ptr, ptr %0, align 8
  tail call void @free(ptr noundef %130) #23
  %131 = getelementptr inbounds %struct.context, ptr %0, i64 0, i32 6
  %132 = load ptr, ptr %131, align 8
  tail call void @free(ptr noundef %132) #23
  %133 = getelementptr inbounds %struct.context, ptr %0, i64 0, i32 7
  %134 = load ptr, ptr %133, align 8
  tail call void @free(ptr noundef %134) #23
  tail call void @free(ptr noundef nonnull %0) #23
  br label %135

135:
  ret void
}

declare i32 @munmap(ptr noundef, i64 noundef) local_unnamed_addr #0

declare void @free(ptr allocptr nocapture noundef) local_unnamed_addr #6

define i32 @wmtune_flush_denormals(ptr noundef writeonly %0, i32 noundef %1) local_unnamed_addr #7 {
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
  call void @llvm.lifetime.start.p0(i64 40, ptr nonnull %4) #23
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 8 dereferenceable(32) %5, i8 0, i64 32, i1 false)
  store ptr %1, ptr %4, align 8
  %6 = call fastcc i32 @open_context(ptr noundef %0, ptr noundef nonnull %4, i32 noundef %2)
  call void @llvm.lifetime.end.p0(i64 40, ptr nonnull %4) #23
  ret i32 %6
}

define internal fastcc i32 @open_context(ptr noundef writeonly %0, ptr nocapture noundef readonly %1, i32 noundef %2) unnamed_addr #0 {
  %4 = alloca [8 x i32], align 4
  %5 = alloca [128 x i8], align 1
  %6 = alloca %struct.stat, align 8
  %7 = alloca [32 x i8], align 1
  %8 = alloca [2 x i64], align 8
  %9 = icmp eq ptr %0, null
  br i1 %9, label %366, label %10

10:
  store ptr null, ptr %0, align 8
  %11 = icmp ugt i32 %2, 256
  br i1 %11, label %366, label %12

12:
  %13 = load i64, ptr getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 3), align 8
  call void @llvm.lifetime.start.p0(i64 16, ptr nonnull %8) #23
  %14 = tail call i64 @getauxval(i64 noundef 16) #23
  store i64 %14, ptr %8, align 8
  %15 = getelementptr inbounds i64, ptr %8, i64 1
  %16 = tail call i64 @getauxval(i64 noundef 26) #23
  store i64 %16, ptr %15, align 8
  br label %17

17:
  %18 = phi i64 [ 0, %12 ], [ %32, %17 ]
  %19 = phi i64 [ 0, %12 ], [ %31, %17 ]
  %20 = getelementptr inbounds [7 x [2 x i8]], ptr @feature_list, i64 0, i64 %18
  %21 = load i8, ptr %20, align 1
  %22 = zext i8 %21 to i64
  %23 = getelementptr inbounds [2 x i64], ptr %8, i64 0, i64 %22
  %24 = load i64, ptr %23, align 8
  %25 = getelementptr inbounds [7 x [2 x i8]], ptr @feature_list, i64 0, i64 %18, i64 1
  %26 = load i8, ptr %25, align 1
  %27 = zext i8 %26 to i64
  %28 = lshr i64 %24, %27
  %29 = and i64 %28, 1
  %30 = shl nuw nsw i64 %29, %18
  %31 = or i64 %30, %19
  %32 = add nuw nsw i64 %18, 1
  %33 = icmp eq i64 %32, 7
  br i1 %33, label %34, label %17, !llvm.loop !16

34:
  call void @llvm.lifetime.end.p0(i64 16, ptr nonnull %8) #23
  %35 = xor i64 %31, -1
  %36 = and i64 %13, %35
  %37 = icmp eq i64 %36, 0
  br i1 %37, label %38, label %366

38:
  %39 = tail call noalias dereferenceable_or_null(160) ptr @calloc(i64 noundef 1, i64 noundef 160) #24
  %40 = icmp eq ptr %39, null
  br i1 %40, label %366, label %41

41:
  %42 = load i32, ptr getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 9), align 4
  %43 = icmp eq i32 %42, 0
  %44 = select i1 %43, i32 8064, i32 40896
  %45 = getelementptr inbounds %struct.pool, ptr %39, i64 0, i32 4
  store i32 %44, ptr %45, align 8
  %46 = getelementptr inbounds %struct.pool, ptr %39, i64 0, i32 2
  store i64 1, ptr %46, align 8
  %47 = tail call i32 @getpid() #23
  %48 = getelementptr inbounds %struct.pool, ptr %39, i64 0, i32 8
  store i32 %47, ptr %48, align 8
  %49 = load i32, ptr getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 8), align 8
  %50 = icmp eq i32 %49, 0
  br i1 %50, label %57, label %51

51:
  %52 = icmp eq i32 %2, 0
  br i1 %52, label %55, label %53

53:
  %54 = zext i32 %2 to i64
  br label %57

55:
  %56 = tail call fastcc i64 @processors()
  br label %57

57:
  %58 = phi i64 [ 1, %41 ], [ %54, %53 ], [ %56, %55 ]
  %59 = getelementptr inbounds %struct.pool, ptr %39, i64 0, i32 1
  store i64 %58, ptr %59, align 8
  %60 = shl i64 %58, 7
  %61 = tail call noalias align 128 ptr @aligned_alloc(i64 noundef 128, i64 noundef %60) #25
  store ptr %61, ptr %39, align 8
  %62 = load i32, ptr getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 10), align 8
  %63 = add nsw i32 %62, 1
  %64 = sext i32 %63 to i64
  %65 = tail call noalias ptr @calloc(i64 noundef %64, i64 noundef 8) #24
  %66 = getelementptr inbounds %struct.context, ptr %39, i64 0, i32 6
  store ptr %65, ptr %66, align 8
  %67 = load i32, ptr getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 11), align 4
  %68 = add nsw i32 %67, 1
  %69 = sext i32 %68 to i64
  %70 = tail call noalias ptr @calloc(i64 noundef %69, i64 noundef 8) #24
  %71 = getelementptr inbounds %struct.context, ptr %39, i64 0, i32 7
  store ptr %70, ptr %71, align 8
  %72 = icmp eq ptr %61, null
  br i1 %72, label %358, label %73

73:
  %74 = icmp eq ptr %65, null
  %75 = icmp eq ptr %70, null
  %76 = or i1 %74, %75
  br i1 %76, label %358, label %77

77:
  %78 = tail call ptr @mmap(ptr noundef null, i64 noundef 4096, i32 noundef 3, i32 noundef 34, i32 noundef -1, i64 noundef 0) #23
  %79 = icmp eq ptr %78, inttoptr (i64 -1 to ptr)
  br i1 %79, label %358, label %80

80:
  %81 = tail call i32 @madvise(ptr noundef %78, i64 noundef 4096, i32 noundef 18) #23
  %82 = icmp eq i32 %81, 0
  br i1 %82, label %87, label %83

83:
  %84 = tail call i32 @munmap(ptr noundef %78, i64 noundef 4096) #23
  %85 = getelementptr inbounds %struct.pool, ptr %39, i64 0, i32 7
  %86 = load ptr, ptr %85, align 8
  br label %89

87:
  %88 = getelementptr inbounds %struct.pool, ptr %39, i64 0, i32 7
  store ptr %78, ptr %88, align 8
  br label %89

89:
  %90 = phi ptr [ %78, %87 ], [ %86, %83 ]
  %91 = icmp eq ptr %90, null
  %92 = getelementptr inbounds i32, ptr %90, i64 1
  %93 = getelementptr inbounds %struct.context, ptr %39, i64 0, i32 10
  %94 = select i1 %91, ptr %93, ptr %92
  %95 = getelementptr inbounds %struct.context, ptr %39, i64 0, i32 11
  store ptr %94, ptr %95, align 8
  %96 = load i64, ptr @wmtune_program, align 8
  %97 = icmp eq i64 %96, 0
  br i1 %97, label %102, label %98

98:
  %99 = tail call fastcc ptr @map(i64 noundef %96)
  %100 = getelementptr inbounds %struct.context, ptr %39, i64 0, i32 1
  store ptr %99, ptr %100, align 8
  %101 = icmp eq ptr %99, null
  br i1 %101, label %358, label %102

102:
  %103 = load i64, ptr getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 2), align 8
  %104 = icmp eq i64 %103, 0
  br i1 %104, label %111, label %105

105:
  %106 = load i64, ptr %59, align 8
  %107 = mul nsw i64 %106, %103
  %108 = tail call fastcc ptr @map(i64 noundef %107)
  %109 = getelementptr inbounds %struct.context, ptr %39, i64 0, i32 2
  store ptr %108, ptr %109, align 8
  %110 = icmp eq ptr %108, null
  br i1 %110, label %358, label %111

111:
  %112 = icmp sgt i32 %62, 0
  br i1 %112, label %113, label %116

113:
  %114 = load ptr, ptr getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 5), align 8
  %115 = zext i32 %62 to i64
  br label %122

116:
  %117 = phi i64 [ 0, %111 ], [ %130, %122 ]
  %118 = icmp sgt i32 %67, 0
  br i1 %118, label %119, label %144

119:
  %120 = load ptr, ptr getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 6), align 8
  %121 = zext i32 %67 to i64
  br label %133

122:
  %123 = phi i64 [ 0, %113 ], [ %131, %122 ]
  %124 = phi i64 [ 0, %113 ], [ %130, %122 ]
  %125 = getelementptr inbounds %struct.region, ptr %114, i64 %123
  %126 = load i64, ptr %125, align 8
  %127 = add nsw i64 %126, 63
  %128 = sdiv i64 %127, 64
  %129 = shl nsw i64 %128, 6
  %130 = add nsw i64 %129, %124
  %131 = add nuw nsw i64 %123, 1
  %132 = icmp eq i64 %131, %115
  br i1 %132, label %116, label %122, !llvm.loop !14

133:
  %134 = phi i64 [ 0, %119 ], [ %142, %133 ]
  %135 = phi i64 [ %117, %119 ], [ %141, %133 ]
  %136 = getelementptr inbounds %struct.region, ptr %120, i64 %134
  %137 = load i64, ptr %136, align 8
  %138 = add nsw i64 %137, 63
  %139 = sdiv i64 %138, 64
  %140 = shl nsw i64 %139, 6
  %141 = add nsw i64 %140, %135
  %142 = add nuw nsw i64 %134, 1
  %143 = icmp eq i64 %142, %121
  br i1 %143, label %144, label %133, !llvm.loop !15

144:
  %145 = phi i64 [ %117, %116 ], [ %141, %133 ]
  %146 = icmp eq i64 %145, 0
  br i1 %146, label %183, label %147

147:
  br i1 %112, label %148, label %151

148:
  %149 = load ptr, ptr getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 5), align 8
  %150 = zext i32 %62 to i64
  br label %156

151:
  %152 = phi i64 [ 0, %147 ], [ %164, %156 ]
  br i1 %118, label %153, label %178

153:
  %154 = load ptr, ptr getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 6), align 8
  %155 = zext i32 %67 to i64
  br label %167

156:
  %157 = phi i64 [ 0, %148 ], [ %165, %156 ]
  %158 = phi i64 [ 0, %148 ], [ %164, %156 ]
  %159 = getelementptr inbounds %struct.region, ptr %149, i64 %157
  %160 = load i64, ptr %159, align 8
  %161 = add nsw i64 %160, 63
  %162 = sdiv i64 %161, 64
  %163 = shl nsw i64 %162, 6
  %164 = add nsw i64 %163, %158
  %165 = add nuw nsw i64 %157, 1
  %166 = icmp eq i64 %165, %150
  br i1 %166, label %151, label %156, !llvm.loop !14

167:
  %168 = phi i64 [ 0, %153 ], [ %176, %167 ]
  %169 = phi i64 [ %152, %153 ], [ %175, %167 ]
  %170 = getelementptr inbounds %struct.region, ptr %154, i64 %168
  %171 = load i64, ptr %170, align 8
  %172 = add nsw i64 %171, 63
  %173 = sdiv i64 %172, 64
  %174 = shl nsw i64 %173, 6
  %175 = add nsw i64 %174, %169
  %176 = add nuw nsw i64 %168, 1
  %177 = icmp eq i64 %176, %155
  br i1 %177, label %178, label %167, !llvm.loop !15

178:
  %179 = phi i64 [ %152, %151 ], [ %175, %167 ]
  %180 = tail call fastcc ptr @map(i64 noundef %179)
  %181 = getelementptr inbounds %struct.context, ptr %39, i64 0, i32 3
  store ptr %180, ptr %181, align 8
  %182 = icmp eq ptr %180, null
  br i1 %182, label %358, label %183

183:
  %184 = load i64, ptr %59, align 8
  %185 = shl i64 %184, 7
  tail call void @llvm.memset.p0.i64(ptr nonnull align 128 %61, i8 0, i64 %185, i1 false)
  %186 = icmp sgt i64 %184, 0
  br i1 %186, label %199, label %205

187:
  %188 = getelementptr inbounds %struct.context, ptr %39, i64 0, i32 2
  br label %189

189:
  %190 = phi i64 [ 0, %187 ], [ %196, %189 ]
  %191 = load ptr, ptr %188, align 8
  %192 = mul nsw i64 %190, %103
  %193 = getelementptr inbounds i8, ptr %191, i64 %192
  %194 = load ptr, ptr %39, align 8
  %195 = getelementptr inbounds %struct.thread, ptr %194, i64 %190, i32 1
  store ptr %193, ptr %195, align 8
  %196 = add nuw nsw i64 %190, 1
  %197 = load i64, ptr %59, align 8
  %198 = icmp slt i64 %196, %197
  br i1 %198, label %189, label %205, !llvm.loop !17

199:
  %200 = phi i64 [ %203, %199 ], [ 0, %183 ]
  %201 = getelementptr inbounds %struct.thread, ptr %61, i64 %200
  store ptr %39, ptr %201, align 128
  %202 = getelementptr inbounds %struct.thread, ptr %61, i64 %200, i32 2
  store i64 %200, ptr %202, align 16
  %203 = add nuw nsw i64 %200, 1
  %204 = icmp eq i64 %203, %184
  br i1 %204, label %187, label %199, !llvm.loop !18

205:
  call void @llvm.lifetime.start.p0(i64 32, ptr nonnull %7) #23
  %206 = load i64, ptr getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 1), align 8
  %207 = icmp eq i64 %206, 0
  br i1 %207, label %360, label %208

208:
  %209 = load ptr, ptr %1, align 8
  %210 = icmp eq ptr %209, null
  br i1 %210, label %211, label %223

211:
  %212 = getelementptr inbounds %struct.source, ptr %1, i64 0, i32 1
  %213 = load ptr, ptr %212, align 8
  %214 = icmp eq ptr %213, null
  %215 = getelementptr inbounds %struct.source, ptr %1, i64 0, i32 3
  %216 = load ptr, ptr %215, align 8
  %217 = icmp eq ptr %216, null
  br i1 %214, label %218, label %285

218:
  br i1 %217, label %219, label %286

219:
  %220 = load ptr, ptr getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 4), align 8
  %221 = getelementptr inbounds %struct.context, ptr %39, i64 0, i32 4
  store ptr %220, ptr %221, align 8
  %222 = icmp eq ptr %220, null
  br i1 %222, label %356, label %360

223:
  call void @llvm.lifetime.start.p0(i64 128, ptr nonnull %6) #23
  %224 = tail call i32 (ptr, i32, ...) @open(ptr noundef nonnull %209, i32 noundef 526336) #23
  %225 = icmp slt i32 %224, 0
  br i1 %225, label %318, label %226

226:
  %227 = call i64 (i64, ...) @syscall(i64 noundef 80, i32 noundef %224, ptr noundef nonnull %6) #23
  %228 = icmp eq i64 %227, 0
  br i1 %228, label %229, label %274

229:
  %230 = getelementptr inbounds %struct.stat, ptr %6, i64 0, i32 2
  %231 = load i32, ptr %230, align 8
  %232 = and i32 %231, 61440
  %233 = icmp eq i32 %232, 32768
  br i1 %233, label %234, label %274

234:
  %235 = getelementptr inbounds %struct.stat, ptr %6, i64 0, i32 8
  %236 = load i64, ptr %235, align 8
  %237 = icmp eq i64 %236, %206
  br i1 %237, label %238, label %274

238:
  %239 = icmp slt i64 %206, 2097152
  %240 = select i1 %239, i64 0, i64 2097152
  %241 = add nsw i64 %206, 4095
  %242 = sdiv i64 %241, 4096
  %243 = shl nsw i64 %242, 12
  %244 = add nsw i64 %243, %240
  %245 = call ptr @mmap(ptr noundef null, i64 noundef %244, i32 noundef 3, i32 noundef 34, i32 noundef -1, i64 noundef 0) #23
  %246 = icmp eq ptr %245, inttoptr (i64 -1 to ptr)
  br i1 %246, label %278, label %247

247:
  %248 = ptrtoint ptr %245 to i64
  %249 = sub i64 0, %248
  %250 = and i64 %249, 2097151
  %251 = select i1 %239, i64 0, i64 %250
  %252 = icmp eq i64 %251, 0
  br i1 %252, label %255, label %253

253:
  %254 = call i32 @munmap(ptr noundef %245, i64 noundef %251) #23
  br label %255

255:
  %256 = icmp eq i64 %240, %251
  br i1 %256, label %262, label %257

257:
  %258 = sub nsw i64 %240, %251
  %259 = getelementptr inbounds i8, ptr %245, i64 %251
  %260 = getelementptr inbounds i8, ptr %259, i64 %243
  %261 = call i32 @munmap(ptr noundef %260, i64 noundef %258) #23
  br label %262

262:
  %263 = getelementptr inbounds i8, ptr %245, i64 %251
  %264 = icmp eq ptr %245, null
  br i1 %264, label %278, label %265

265:
  %266 = call ptr @mmap(ptr noundef nonnull %263, i64 noundef %206, i32 noundef 1, i32 noundef 18, i32 noundef %224, i64 noundef 0) #23
  %267 = icmp eq ptr %266, inttoptr (i64 -1 to ptr)
  br i1 %267, label %268, label %270

268:
  %269 = call i32 @munmap(ptr noundef nonnull %263, i64 noundef %243) #23
  br label %278

270:
  %271 = icmp sgt i64 %206, 2097151
  br i1 %271, label %272, label %278

272:
  %273 = call i32 @madvise(ptr noundef nonnull %263, i64 noundef %206, i32 noundef 14) #23
  br label %278

274:
  %275 = phi i32 [ -3, %234 ], [ -13, %229 ], [ -2, %226 ]
  %276 = call i32 @close(i32 noundef %224) #23
  %277 = getelementptr inbounds %struct.context, ptr %39, i64 0, i32 5
  store i32 0, ptr %277, align 8
  br label %318

278:
  %279 = phi ptr [ null, %268 ], [ null, %262 ], [ %263, %272 ], [ %263, %270 ], [ null, %238 ]
  %280 = getelementptr inbounds %struct.context, ptr %39, i64 0, i32 4
  store ptr %279, ptr %280, align 8
  %281 = icmp ne ptr %279, null
  %282 = call i32 @close(i32 noundef %224) #23
  %283 = zext i1 %281 to i32
  %284 = getelementptr inbounds %struct.context, ptr %39, i64 0, i32 5
  store i32 %283, ptr %284, align 8
  br i1 %281, label %320, label %318

285:
  br i1 %217, label %308, label %286

286:
  %287 = tail call fastcc ptr @map(i64 noundef %206)
  %288 = icmp eq ptr %287, null
  br i1 %288, label %356, label %289

289:
  %290 = getelementptr inbounds %struct.context, ptr %39, i64 0, i32 4
  store ptr %287, ptr %290, align 8
  %291 = getelementptr inbounds %struct.context, ptr %39, i64 0, i32 5
  store i32 1, ptr %291, align 8
  %292 = icmp sgt i64 %206, 0
  br i1 %292, label %293, label %323

293:
  %294 = getelementptr inbounds %struct.source, ptr %1, i64 0, i32 4
  br label %298

295:
  %296 = add nsw i64 %304, %299
  %297 = icmp sgt i64 %206, %296
  br i1 %297, label %298, label %323, !llvm.loop !19

298:
  %299 = phi i64 [ 0, %293 ], [ %296, %295 ]
  %300 = load ptr, ptr %215, align 8
  %301 = load ptr, ptr %294, align 8
  %302 = getelementptr inbounds i8, ptr %287, i64 %299
  %303 = sub nsw i64 %206, %299
  %304 = tail call i64 %300(ptr noundef %301, ptr noundef nonnull %302, i64 noundef %303) #23
  %305 = icmp slt i64 %304, 1
  %306 = icmp sgt i64 %304, %303
  %307 = or i1 %305, %306
  br i1 %307, label %356, label %295

308:
  %309 = getelementptr inbounds %struct.source, ptr %1, i64 0, i32 2
  %310 = load i64, ptr %309, align 8
  %311 = icmp eq i64 %310, %206
  br i1 %311, label %312, label %356

312:
  %313 = ptrtoint ptr %213 to i64
  %314 = and i64 %313, 63
  %315 = icmp eq i64 %314, 0
  br i1 %315, label %316, label %356

316:
  %317 = getelementptr inbounds %struct.context, ptr %39, i64 0, i32 4
  store ptr %213, ptr %317, align 8
  br label %323

318:
  %319 = phi i32 [ %275, %274 ], [ -5, %278 ], [ -2, %223 ]
  call void @llvm.lifetime.end.p0(i64 128, ptr nonnull %6) #23
  br label %356

320:
  %321 = load ptr, ptr %280, align 8
  %322 = call i32 @madvise(ptr noundef %321, i64 noundef %206, i32 noundef 3) #23
  call void @llvm.lifetime.end.p0(i64 128, ptr nonnull %6) #23
  br label %323

323:
  %324 = getelementptr inbounds %struct.context, ptr %39, i64 0, i32 4
  %325 = load ptr, ptr %324, align 8
  call void @llvm.lifetime.start.p0(i64 32, ptr nonnull %4) #23
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 4 dereferenceable(32) %4, ptr noundef nonnull align 4 dereferenceable(32) @__const.sha256.h, i64 32, i1 false)
  call void @llvm.lifetime.start.p0(i64 128, ptr nonnull %5) #23
  %326 = freeze i64 %206
  %327 = sdiv i64 %326, 64
  %328 = mul i64 %327, 64
  %329 = sub i64 %326, %328
  %330 = icmp slt i64 %329, 56
  %331 = select i1 %330, i64 1, i64 2
  %332 = shl i64 %206, 3
  %333 = call i64 @llvm.bswap.i64(i64 %332)
  call fastcc void @sha_blocks(ptr noundef nonnull %4, ptr noundef %325, i64 noundef %327)
  %334 = getelementptr inbounds i8, ptr %325, i64 %206
  %335 = sub nsw i64 0, %329
  %336 = getelementptr inbounds i8, ptr %334, i64 %335
  %337 = icmp ugt i64 %329, 127
  %338 = sub nsw i64 128, %329
  %339 = select i1 %337, i64 0, i64 %338
  %340 = getelementptr i8, ptr %5, i64 %329
  call void @llvm.memset.p0.i64(ptr align 1 %340, i8 0, i64 %339, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr nonnull align 1 %5, ptr nonnull align 1 %336, i64 %329, i1 false)
  store i8 -128, ptr %340, align 1
  %341 = shl nuw nsw i64 %331, 6
  %342 = getelementptr inbounds i8, ptr %5, i64 %341
  %343 = getelementptr inbounds i8, ptr %342, i64 -8
  store i64 %333, ptr %343, align 1
  call fastcc void @sha_blocks(ptr noundef nonnull %4, ptr noundef nonnull %5, i64 noundef %331)
  br label %344

344:
  %345 = phi i64 [ 0, %323 ], [ %351, %344 ]
  %346 = getelementptr inbounds [8 x i32], ptr %4, i64 0, i64 %345
  %347 = load i32, ptr %346, align 4
  %348 = call i32 @llvm.bswap.i32(i32 %347)
  %349 = shl nuw nsw i64 %345, 2
  %350 = getelementptr inbounds i8, ptr %7, i64 %349
  store i32 %348, ptr %350, align 1
  %351 = add nuw nsw i64 %345, 1
  %352 = icmp eq i64 %351, 8
  br i1 %352, label %353, label %344, !llvm.loop !20

353:
  call void @llvm.lifetime.end.p0(i64 128, ptr nonnull %5) #23
  call void @llvm.lifetime.end.p0(i64 32, ptr nonnull %4) #23
  %354 = call i32 @bcmp(ptr noundef nonnull dereferenceable(32) %7, ptr noundef nonnull dereferenceable(32) getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 14), i64 32)
  %355 = icmp eq i32 %354, 0
  br i1 %355, label %360, label %356

356:
  %357 = phi i32 [ -3, %308 ], [ -14, %312 ], [ -1, %286 ], [ %319, %318 ], [ -4, %353 ], [ -12, %219 ], [ -15, %298 ]
  call void @llvm.lifetime.end.p0(i64 32, ptr nonnull %7) #23
  br label %358

358:
  %359 = phi i32 [ %357, %356 ], [ -1, %77 ], [ -1, %178 ], [ -1, %105 ], [ -1, %98 ], [ -1, %57 ], [ -1, %73 ]
  call void @wmtune_close(ptr noundef nonnull %39)
  br label %366

360:
  call void @llvm.lifetime.end.p0(i64 32, ptr nonnull %7) #23
  call fastcc void @start(ptr noundef nonnull %39)
  %361 = add nsw i64 %96, 2097151
  %362 = sdiv i64 %361, 2097152
  %363 = load ptr, ptr %39, align 8
  %364 = load i64, ptr %46, align 8
  %365 = call i64 @llvm.smax.i64(i64 %362, i64 %364)
  call fastcc void @parallel_for(ptr noundef nonnull %39, ptr noundef %363, ptr noundef nonnull @touch, ptr noundef nonnull %39, i64 noundef %365)
  store ptr %39, ptr %0, align 8
  br label %366

366:
  %367 = phi i32 [ -8, %3 ], [ -7, %10 ], [ -6, %34 ], [ -1, %38 ], [ %359, %358 ], [ 0, %360 ]
  ret i32 %367
}

declare void @llvm.memset.p0.i64(ptr nocapture writeonly, i8, i64, i1 immarg) #8

declare void @llvm.memcpy.p0.p0.i64(ptr noalias nocapture writeonly, ptr noalias nocapture readonly, i64, i1 immarg) #4

define i32 @wmtune_open_memory(ptr noundef %0, ptr noundef %1, i64 noundef %2, i32 noundef %3) local_unnamed_addr #0 {
  %5 = alloca %struct.source, align 8
  call void @llvm.lifetime.start.p0(i64 40, ptr nonnull %5) #23
  store ptr null, ptr %5, align 8
  %6 = getelementptr inbounds i8, ptr %5, i64 8
  store ptr %1, ptr %6, align 8
  %7 = getelementptr inbounds i8, ptr %5, i64 16
  store i64 %2, ptr %7, align 8
  %8 = getelementptr inbounds i8, ptr %5, i64 24
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 8 dereferenceable(16) %8, i8 0, i64 16, i1 false)
  %9 = call fastcc i32 @open_context(ptr noundef %0, ptr noundef nonnull %5, i32 noundef %3)
  call void @llvm.lifetime.end.p0(i64 40, ptr nonnull %5) #23
  ret i32 %9
}

define i32 @wmtune_open_read(ptr noundef %0, ptr noundef %1, ptr noundef %2, i32 noundef %3) local_unnamed_addr #0 {
  %5 = alloca %struct.source, align 8
  call void @llvm.lifetime.start.p0(i64 40, ptr nonnull %5) #23
  %6 = getelementptr inbounds i8, ptr %5, i64 24
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 8 dereferenceable(24) %5, i8 0, i64 24, i1 false)
  store ptr %1, ptr %6, align 8
  %7 = getelementptr inbounds i8, ptr %5, i64 32
  store ptr %2, ptr %7, align 8
  %8 = call fastcc i32 @open_context(ptr noundef %0, ptr noundef nonnull %5, i32 noundef %3)
  call void @llvm.lifetime.end.p0(i64 40, ptr nonnull %5) #23
  ret i32 %8
}

define i32 @wmtune_denormals(ptr noundef readonly %0) local_unnamed_addr #9 {
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
  %4 = tail call fastcc i32 @run(ptr noundef %0, ptr noundef %1, ptr noundef %2, ptr noundef null)
  ret i32 %4
}

define internal fastcc i32 @run(ptr noundef %0, ptr noundef readonly %1, ptr noundef readonly %2, ptr noundef %3) unnamed_addr #0 {
  %5 = icmp eq ptr %0, null
  br i1 %5, label %374, label %6

6:
  %7 = icmp ne ptr %1, null
  %8 = load i32, ptr getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 10), align 8
  %9 = icmp eq i32 %8, 0
  %10 = select i1 %7, i1 true, i1 %9
  br i1 %10, label %11, label %374

11:
  %12 = icmp ne ptr %2, null
  %13 = load i32, ptr getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 11), align 4
  %14 = icmp eq i32 %13, 0
  %15 = select i1 %12, i1 true, i1 %14
  br i1 %15, label %16, label %374

16:
  %17 = getelementptr inbounds %struct.pool, ptr %0, i64 0, i32 7
  %18 = load ptr, ptr %17, align 8
  %19 = icmp eq ptr %18, null
  br i1 %19, label %20, label %28

20:
  %21 = tail call i32 @getpid() #23
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
  br i1 %32, label %33, label %374

33:
  %34 = load ptr, ptr %17, align 8
  %35 = icmp eq ptr %34, null
  br i1 %35, label %39, label %36

36:
  %37 = load atomic i32, ptr %34 monotonic, align 4
  %38 = icmp eq i32 %37, 0
  br i1 %38, label %44, label %62

39:
  %40 = tail call i32 @getpid() #23
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
  br i1 %60, label %51, label %61, !llvm.loop !17

61:
  tail call fastcc void @start(ptr noundef nonnull %0)
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
  br label %120

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
  br i1 %93, label %73, label %68, !llvm.loop !21

94:
  %95 = phi ptr [ %67, %66 ], [ %69, %68 ], [ %69, %142 ]
  %96 = load ptr, ptr %0, align 8
  %97 = load atomic i32, ptr %95 monotonic, align 8
  %98 = icmp sgt i32 %97, 0
  br i1 %98, label %99, label %145

99:
  %100 = zext i32 %97 to i64
  %101 = add nsw i64 %100, -1
  %102 = tail call i64 @llvm.umin.i64(i64 %101, i64 3)
  br label %103

103:
  %104 = phi i64 [ 0, %99 ], [ %118, %117 ]
  %105 = getelementptr inbounds %struct.thread, ptr %96, i64 %104, i32 5
  %106 = load atomic i32, ptr %105 monotonic, align 4
  %107 = sext i32 %106 to i64
  %108 = getelementptr inbounds %struct.thread, ptr %96, i64 %107, i32 8
  %109 = load atomic i32, ptr %108 monotonic, align 4
  %110 = icmp eq i32 %109, 0
  br i1 %110, label %117, label %111

111:
  %112 = atomicrmw xchg ptr %108, i32 0 seq_cst, align 4
  %113 = icmp eq i32 %112, 0
  br i1 %113, label %117, label %114

114:
  %115 = getelementptr inbounds %struct.thread, ptr %96, i64 %107, i32 7
  %116 = tail call i64 (i64, ...) @syscall(i64 noundef 98, ptr noundef nonnull %115, i32 noundef 129, i32 noundef 1, ptr noundef null, ptr noundef null, i32 noundef 0) #23
  br label %117

117:
  %118 = add nuw nsw i64 %104, 1
  %119 = icmp eq i64 %104, %102
  br i1 %119, label %145, label %103, !llvm.loop !8

120:
  %121 = phi i64 [ 0, %71 ], [ %143, %142 ]
  %122 = load ptr, ptr %0, align 8
  %123 = getelementptr inbounds %struct.thread, ptr %122, i64 %121, i32 5
  %124 = load atomic i32, ptr %123 monotonic, align 4
  %125 = sext i32 %124 to i64
  %126 = getelementptr inbounds %struct.thread, ptr %122, i64 %125, i32 7
  %127 = load atomic i32, ptr %126 monotonic, align 64
  %128 = and i32 %127, -4
  %129 = add i32 %128, 6
  store atomic i32 %129, ptr %126 release, align 64
  %130 = getelementptr inbounds %struct.thread, ptr %122, i64 %125, i32 16
  %131 = load atomic i32, ptr %130 monotonic, align 8
  %132 = icmp slt i32 %131, 0
  br i1 %132, label %133, label %142

133:
  %134 = getelementptr inbounds %struct.thread, ptr %122, i64 %125, i32 8
  %135 = load atomic i32, ptr %134 monotonic, align 4
  %136 = icmp eq i32 %135, 0
  br i1 %136, label %142, label %137

137:
  %138 = atomicrmw xchg ptr %134, i32 0 seq_cst, align 4
  %139 = icmp eq i32 %138, 0
  br i1 %139, label %142, label %140

140:
  %141 = tail call i64 (i64, ...) @syscall(i64 noundef 98, ptr noundef nonnull %126, i32 noundef 129, i32 noundef 1, ptr noundef null, ptr noundef null, i32 noundef 0) #23
  br label %142

142:
  %143 = add nuw nsw i64 %121, 1
  %144 = icmp eq i64 %143, %72
  br i1 %144, label %94, label %120, !llvm.loop !22

145:
  %146 = tail call { i64, i64 } asm sideeffect "mrs $0, fpcr\0A\09mrs $1, fpsr", "=r,=r,~{memory}"() #23, !srcloc !3
  %147 = extractvalue { i64, i64 } %146, 0
  %148 = extractvalue { i64, i64 } %146, 1
  %149 = getelementptr inbounds %struct.pool, ptr %0, i64 0, i32 4
  %150 = load i32, ptr %149, align 8
  %151 = shl i32 %150, 8
  %152 = and i32 %151, 4194304
  %153 = shl i32 %150, 10
  %154 = and i32 %153, 8388608
  %155 = or i32 %152, %154
  %156 = tail call i64 asm sideeffect "mrs $0, fpsr", "=r,~{memory}"() #23, !srcloc !23
  %157 = shl i32 %150, 9
  %158 = and i32 %157, 16777216
  %159 = or i32 %155, %158
  %160 = zext i32 %159 to i64
  %161 = and i64 %156, -129
  %162 = shl i32 %150, 6
  %163 = and i32 %162, 128
  %164 = zext i32 %163 to i64
  %165 = or i64 %161, %164
  tail call void asm sideeffect "msr fpcr, $0\0A\09msr fpsr, $1", "r,r,~{memory}"(i64 %160, i64 %165) #23, !srcloc !24
  %166 = load i64, ptr %63, align 8
  %167 = icmp sgt i64 %166, 0
  br i1 %167, label %304, label %168

168:
  %169 = icmp sgt i32 %8, 0
  br i1 %169, label %170, label %175

170:
  %171 = load ptr, ptr getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 5), align 8
  %172 = getelementptr inbounds %struct.context, ptr %0, i64 0, i32 6
  %173 = getelementptr inbounds %struct.context, ptr %0, i64 0, i32 3
  %174 = zext i32 %8 to i64
  br label %187

175:
  %176 = phi i64 [ 0, %168 ], [ %219, %218 ]
  %177 = icmp sgt i32 %13, 0
  br i1 %177, label %178, label %311

178:
  %179 = load ptr, ptr getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 6), align 8
  %180 = getelementptr inbounds %struct.context, ptr %0, i64 0, i32 7
  %181 = icmp slt i32 %8, 1
  %182 = getelementptr inbounds %struct.context, ptr %0, i64 0, i32 6
  %183 = load ptr, ptr getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 5), align 8
  %184 = getelementptr inbounds %struct.context, ptr %0, i64 0, i32 3
  %185 = sext i32 %8 to i64
  %186 = zext i32 %13 to i64
  br label %222

187:
  %188 = phi i64 [ 0, %170 ], [ %220, %218 ]
  %189 = phi i64 [ 0, %170 ], [ %219, %218 ]
  %190 = getelementptr inbounds %struct.region, ptr %171, i64 %188
  %191 = load i64, ptr %190, align 8
  %192 = getelementptr inbounds i8, ptr %190, i64 8
  %193 = load i64, ptr %192, align 8
  %194 = icmp eq i64 %191, 0
  %195 = getelementptr inbounds ptr, ptr %1, i64 %188
  %196 = load ptr, ptr %195, align 8
  br i1 %194, label %197, label %200

197:
  %198 = load ptr, ptr %172, align 8
  %199 = getelementptr inbounds ptr, ptr %198, i64 %188
  store ptr %196, ptr %199, align 8
  br label %218

200:
  %201 = icmp eq ptr %196, null
  br i1 %201, label %332, label %202

202:
  %203 = load ptr, ptr %172, align 8
  %204 = getelementptr inbounds ptr, ptr %203, i64 %188
  store ptr %196, ptr %204, align 8
  %205 = load ptr, ptr %195, align 8
  %206 = ptrtoint ptr %205 to i64
  %207 = urem i64 %206, %193
  %208 = icmp eq i64 %207, 0
  br i1 %208, label %218, label %209

209:
  %210 = load ptr, ptr %173, align 8
  %211 = getelementptr inbounds i8, ptr %210, i64 %189
  tail call void @llvm.memcpy.p0.p0.i64(ptr align 1 %211, ptr align 1 %205, i64 %191, i1 false)
  %212 = load ptr, ptr %172, align 8
  %213 = getelementptr inbounds ptr, ptr %212, i64 %188
  store ptr %211, ptr %213, align 8
  %214 = add nsw i64 %191, 63
  %215 = sdiv i64 %214, 64
  %216 = shl nsw i64 %215, 6
  %217 = add nsw i64 %216, %189
  br label %218

218:
  %219 = phi i64 [ %189, %197 ], [ %189, %202 ], [ %217, %209 ]
  %220 = add nuw nsw i64 %188, 1
  %221 = icmp eq i64 %220, %174
  br i1 %221, label %175, label %187, !llvm.loop !25

222:
  %223 = phi i64 [ 0, %178 ], [ %302, %300 ]
  %224 = phi i64 [ %176, %178 ], [ %301, %300 ]
  %225 = getelementptr inbounds %struct.region, ptr %179, i64 %223
  %226 = load i64, ptr %225, align 8
  %227 = getelementptr inbounds i8, ptr %225, i64 8
  %228 = load i64, ptr %227, align 8
  %229 = icmp eq i64 %226, 0
  %230 = getelementptr inbounds ptr, ptr %2, i64 %223
  %231 = load ptr, ptr %230, align 8
  br i1 %229, label %232, label %235

232:
  %233 = load ptr, ptr %180, align 8
  %234 = getelementptr inbounds ptr, ptr %233, i64 %223
  store ptr %231, ptr %234, align 8
  br label %244

235:
  %236 = icmp eq ptr %231, null
  br i1 %236, label %332, label %237

237:
  %238 = load ptr, ptr %180, align 8
  %239 = getelementptr inbounds ptr, ptr %238, i64 %223
  store ptr %231, ptr %239, align 8
  %240 = load ptr, ptr %230, align 8
  %241 = ptrtoint ptr %240 to i64
  %242 = urem i64 %241, %228
  %243 = icmp ne i64 %242, 0
  br label %244

244:
  %245 = phi i1 [ %243, %237 ], [ false, %232 ]
  %246 = select i1 %181, i1 true, i1 %245
  br i1 %246, label %252, label %247

247:
  %248 = load ptr, ptr %230, align 8
  %249 = load ptr, ptr %182, align 8
  %250 = icmp ne i64 %226, 0
  %251 = getelementptr inbounds i8, ptr %248, i64 %226
  br label %258

252:
  %253 = phi i1 [ %245, %244 ], [ %270, %258 ]
  %254 = icmp eq i64 %223, 0
  br i1 %254, label %290, label %255

255:
  %256 = load ptr, ptr %230, align 8
  %257 = getelementptr inbounds i8, ptr %256, i64 %226
  br label %277

258:
  %259 = phi i64 [ 0, %247 ], [ %271, %258 ]
  %260 = getelementptr inbounds ptr, ptr %249, i64 %259
  %261 = load ptr, ptr %260, align 8
  %262 = getelementptr inbounds %struct.region, ptr %183, i64 %259
  %263 = load i64, ptr %262, align 8
  %264 = icmp ne i64 %263, 0
  %265 = and i1 %250, %264
  %266 = getelementptr inbounds i8, ptr %261, i64 %263
  %267 = icmp ugt ptr %266, %248
  %268 = select i1 %265, i1 %267, i1 false
  %269 = icmp ugt ptr %251, %261
  %270 = select i1 %268, i1 %269, i1 false
  %271 = add nuw nsw i64 %259, 1
  %272 = icmp sge i64 %271, %185
  %273 = select i1 %272, i1 true, i1 %270
  br i1 %273, label %252, label %258, !llvm.loop !26

274:
  %275 = add nuw nsw i64 %278, 1
  %276 = icmp eq i64 %275, %223
  br i1 %276, label %290, label %277, !llvm.loop !27

277:
  %278 = phi i64 [ 0, %255 ], [ %275, %274 ]
  %279 = getelementptr inbounds ptr, ptr %2, i64 %278
  %280 = load ptr, ptr %279, align 8
  %281 = getelementptr inbounds %struct.region, ptr %179, i64 %278
  %282 = load i64, ptr %281, align 8
  %283 = icmp eq i64 %282, 0
  %284 = or i1 %229, %283
  %285 = getelementptr inbounds i8, ptr %280, i64 %282
  %286 = icmp ule ptr %285, %256
  %287 = select i1 %284, i1 true, i1 %286
  %288 = icmp ule ptr %257, %280
  %289 = select i1 %287, i1 true, i1 %288
  br i1 %289, label %274, label %332

290:
  br i1 %253, label %291, label %300

291:
  %292 = load ptr, ptr %184, align 8
  %293 = getelementptr inbounds i8, ptr %292, i64 %224
  %294 = load ptr, ptr %180, align 8
  %295 = getelementptr inbounds ptr, ptr %294, i64 %223
  store ptr %293, ptr %295, align 8
  %296 = add nsw i64 %226, 63
  %297 = sdiv i64 %296, 64
  %298 = shl nsw i64 %297, 6
  %299 = add nsw i64 %298, %224
  br label %300

300:
  %301 = phi i64 [ %299, %291 ], [ %224, %290 ]
  %302 = add nuw nsw i64 %223, 1
  %303 = icmp eq i64 %302, %186
  br i1 %303, label %311, label %222, !llvm.loop !28

304:
  %305 = phi i64 [ %308, %304 ], [ 0, %145 ]
  %306 = load ptr, ptr %0, align 8
  %307 = getelementptr inbounds %struct.thread, ptr %306, i64 %305, i32 4
  store i32 0, ptr %307, align 32
  %308 = add nuw nsw i64 %305, 1
  %309 = load i64, ptr %63, align 8
  %310 = icmp slt i64 %308, %309
  br i1 %310, label %304, label %168, !llvm.loop !29

311:
  %312 = load i64, ptr %63, align 8
  %313 = getelementptr inbounds %struct.pool, ptr %0, i64 0, i32 3
  store i64 %312, ptr %313, align 8
  %314 = getelementptr inbounds %struct.context, ptr %0, i64 0, i32 8
  store ptr %3, ptr %314, align 8
  %315 = load ptr, ptr %0, align 8
  %316 = getelementptr inbounds %struct.context, ptr %0, i64 0, i32 1
  %317 = load ptr, ptr %316, align 8
  %318 = getelementptr inbounds %struct.context, ptr %0, i64 0, i32 4
  %319 = load ptr, ptr %318, align 8
  %320 = getelementptr inbounds %struct.context, ptr %0, i64 0, i32 6
  %321 = load ptr, ptr %320, align 8
  %322 = getelementptr inbounds %struct.context, ptr %0, i64 0, i32 7
  %323 = load ptr, ptr %322, align 8
  %324 = tail call i32 @wmtune_sequence(ptr noundef %315, ptr noundef %317, ptr noundef %319, ptr noundef %321, ptr noundef %323, ptr noundef %3) #23
  %325 = icmp eq i32 %324, 0
  %326 = icmp sgt i32 %13, 0
  %327 = select i1 %326, i1 %325, i1 false
  br i1 %327, label %328, label %332

328:
  %329 = getelementptr inbounds %struct.context, ptr %0, i64 0, i32 7
  %330 = load ptr, ptr getelementptr inbounds (%struct.program, ptr @wmtune_program, i64 0, i32 6), align 8
  %331 = zext i32 %13 to i64
  br label %360

332:
  %333 = phi i32 [ %324, %311 ], [ %324, %371 ], [ -10, %277 ], [ -9, %235 ], [ -9, %200 ]
  %334 = tail call { i64, i64 } asm sideeffect "mrs $0, fpcr\0A\09mrs $1, fpsr", "=r,=r,~{memory}"() #23, !srcloc !3
  %335 = extractvalue { i64, i64 } %334, 0
  %336 = extractvalue { i64, i64 } %334, 1
  %337 = trunc i64 %335 to i32
  %338 = lshr i32 %337, 8
  %339 = and i32 %338, 16384
  %340 = lshr i32 %337, 10
  %341 = and i32 %340, 8192
  %342 = and i64 %335, 16777216
  %343 = icmp eq i64 %342, 0
  %344 = select i1 %343, i32 0, i32 32832
  %345 = trunc i64 %336 to i32
  %346 = lshr i32 %345, 6
  %347 = and i32 %346, 2
  %348 = or i32 %339, %341
  %349 = or i32 %348, %344
  %350 = or i32 %349, %347
  %351 = or i32 %350, 8064
  %352 = load ptr, ptr %0, align 8
  %353 = getelementptr inbounds %struct.thread, ptr %352, i64 0, i32 4
  store i32 %351, ptr %353, align 32
  %354 = tail call i64 asm sideeffect "mrs $0, fpsr", "=r,~{memory}"() #23, !srcloc !23
  %355 = and i64 %147, 29360128
  %356 = and i64 %354, -129
  %357 = and i64 %148, 128
  %358 = or i64 %356, %357
  tail call void asm sideeffect "msr fpcr, $0\0A\09msr fpsr, $1", "r,r,~{memory}"(i64 %355, i64 %358) #23, !srcloc !24
  %359 = load ptr, ptr %29, align 8
  store atomic i32 0, ptr %359 seq_cst, align 4
  br label %374

360:
  %361 = phi i64 [ 0, %328 ], [ %372, %371 ]
  %362 = load ptr, ptr %329, align 8
  %363 = getelementptr inbounds ptr, ptr %362, i64 %361
  %364 = load ptr, ptr %363, align 8
  %365 = getelementptr inbounds ptr, ptr %2, i64 %361
  %366 = load ptr, ptr %365, align 8
  %367 = icmp eq ptr %364, %366
  br i1 %367, label %371, label %368

368:
  %369 = getelementptr inbounds %struct.region, ptr %330, i64 %361
  %370 = load i64, ptr %369, align 8
  tail call void @llvm.memcpy.p0.p0.i64(ptr align 1 %366, ptr align 1 %364, i64 %370, i1 false)
  br label %371

371:
  %372 = add nuw nsw i64 %361, 1
  %373 = icmp ult i64 %372, %331
  br i1 %373, label %360, label %332, !llvm.loop !30

374:
  %375 = phi i32 [ -8, %4 ], [ -9, %6 ], [ -9, %11 ], [ %333, %332 ], [ -11, %28 ]
  ret i32 %375
}

define i32 @wmtune_profile(ptr noundef %0, ptr noundef %1, ptr noundef %2, ptr noundef %3) local_unnamed_addr #0 {
  %5 = tail call fastcc i32 @run(ptr noundef %0, ptr noundef %1, ptr noundef %2, ptr noundef %3)
  ret i32 %5
}

define void @wmtune_watch(ptr nocapture noundef writeonly %0, ptr noundef %1) local_unnamed_addr #7 {
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

define internal fastcc void @share(ptr noundef %0, ptr nocapture noundef readonly %1, ptr noundef %2) unnamed_addr #0 {
  %4 = getelementptr inbounds %struct.thread, ptr %0, i64 0, i32 2
  %5 = load i64, ptr %4, align 16
  %6 = sub i64 0, %5
  %7 = getelementptr inbounds %struct.thread, ptr %0, i64 %6
  %8 = tail call i64 asm sideeffect "mrs $0, cntvct_el0", "=r"() #23, !srcloc !31
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
  br i1 %25, label %20, label %32, !llvm.loop !9

26:
  %27 = add nsw i64 %21, %19
  %28 = tail call i64 @llvm.smin.i64(i64 %27, i64 %17)
  tail call void %1(ptr noundef nonnull %0, ptr noundef %2, i64 noundef %21, i64 noundef %28) #23
  %29 = load i64, ptr %10, align 32
  %30 = load atomic i64, ptr %9 monotonic, align 8
  %31 = icmp slt i64 %30, %29
  br i1 %31, label %16, label %33, !llvm.loop !9

32:
  br i1 %18, label %38, label %33

33:
  %34 = tail call i64 asm sideeffect "mrs $0, cntvct_el0", "=r"() #23, !srcloc !31
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
  tail call void %1(ptr noundef nonnull %0, ptr noundef %2, i64 noundef %62, i64 noundef %66) #23
  %67 = load i64, ptr %53, align 32
  br label %68

68:
  %69 = phi i64 [ %67, %64 ], [ %60, %59 ]
  %70 = load atomic i64, ptr %52 monotonic, align 8
  %71 = icmp slt i64 %70, %69
  br i1 %71, label %59, label %72, !llvm.loop !9

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
  br i1 %80, label %44, label %81, !llvm.loop !32

81:
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
  call void @llvm.lifetime.start.p0(i64 128, ptr nonnull %3) #23
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 8 dereferenceable(128) %3, i8 0, i64 128, i1 false)
  call void @llvm.lifetime.start.p0(i64 4096, ptr nonnull %1) #23
  call void @llvm.lifetime.start.p0(i64 1024, ptr nonnull %2) #23
  %4 = tail call i32 (ptr, i32, ...) @open(ptr noundef nonnull @.str.18, i32 noundef 524288) #23
  %5 = icmp slt i32 %4, 0
  br i1 %5, label %101, label %6

6:
  %7 = phi i64 [ %12, %6 ], [ 0, %0 ]
  %8 = getelementptr inbounds i8, ptr %1, i64 %7
  %9 = sub i64 4096, %7
  %10 = call i64 @read(i32 noundef %4, ptr noundef nonnull %8, i64 noundef %9) #23
  %11 = icmp sgt i64 %10, 0
  %12 = add i64 %10, %7
  br i1 %11, label %6, label %13, !llvm.loop !33

13:
  %14 = tail call i32 @close(i32 noundef %4) #23
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 1 dereferenceable(14) %2, ptr noundef nonnull align 1 dereferenceable(14) @.str.19, i64 14, i1 false)
  %15 = ptrtoint ptr %8 to i64
  %16 = call ptr @memchr(ptr noundef nonnull %1, i32 noundef 10, i64 noundef %7) #26
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
  %29 = call ptr @memchr(ptr noundef nonnull %26, i32 noundef 58, i64 noundef %28) #26
  %30 = icmp eq ptr %29, null
  br i1 %30, label %94, label %31

31:
  %32 = getelementptr inbounds i8, ptr %29, i64 1
  %33 = ptrtoint ptr %29 to i64
  %34 = xor i64 %33, -1
  %35 = add i64 %34, %27
  %36 = call ptr @memchr(ptr noundef nonnull %32, i32 noundef 58, i64 noundef %35) #26
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
  br i1 %71, label %94, label %50, !llvm.loop !34

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
  %85 = call i64 @strlen(ptr noundef nonnull dereferenceable(1) %84) #26
  %86 = add i64 %85, 1
  call void @llvm.memcpy.p0.p0.i64(ptr nonnull align 1 %20, ptr align 1 %84, i64 %86, i1 false)
  %87 = call fastcc i64 @climb(ptr noundef nonnull %2, ptr noundef nonnull %37, i64 noundef %46, i32 noundef %76, i64 noundef %82)
  %88 = add nuw nsw i64 %81, 1
  %89 = icmp eq i64 %88, %73
  br i1 %89, label %77, label %80, !llvm.loop !35

90:
  store i8 47, ptr %20, align 1
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
  %99 = call ptr @memchr(ptr noundef nonnull %96, i32 noundef 10, i64 noundef %98) #26
  %100 = icmp eq ptr %99, null
  br i1 %100, label %101, label %22, !llvm.loop !36

101:
  %102 = phi i64 [ 256, %0 ], [ 256, %13 ], [ %95, %94 ]
  call void @llvm.lifetime.end.p0(i64 1024, ptr nonnull %2) #23
  call void @llvm.lifetime.end.p0(i64 4096, ptr nonnull %1) #23
  %103 = call i32 @sched_getaffinity(i32 noundef 0, i64 noundef 128, ptr noundef nonnull %3) #23
  br label %108

104:
  %105 = icmp eq i64 %114, 0
  %106 = select i1 %105, i64 1, i64 %114
  %107 = call i64 @llvm.smin.i64(i64 %106, i64 %102)
  call void @llvm.lifetime.end.p0(i64 128, ptr nonnull %3) #23
  ret i64 %107

108:
  %109 = phi i64 [ 0, %101 ], [ %115, %108 ]
  %110 = phi i64 [ 0, %101 ], [ %114, %108 ]
  %111 = getelementptr inbounds [16 x i64], ptr %3, i64 0, i64 %109
  %112 = load i64, ptr %111, align 8
  %113 = call i64 @llvm.ctpop.i64(i64 %112), !range !37
  %114 = add nuw nsw i64 %113, %110
  %115 = add nuw nsw i64 %109, 1
  %116 = icmp eq i64 %115, 16
  br i1 %116, label %104, label %108, !llvm.loop !38
}

define internal fastcc void @start(ptr nocapture noundef %0) unnamed_addr #0 {
  %2 = alloca %struct.__sigset_t, align 8
  %3 = alloca %struct.__sigset_t, align 8
  %4 = alloca %union.pthread_attr_t, align 8
  call void @llvm.lifetime.start.p0(i64 128, ptr nonnull %2) #23
  call void @llvm.lifetime.start.p0(i64 128, ptr nonnull %3) #23
  call void @llvm.lifetime.start.p0(i64 64, ptr nonnull %4) #23
  %5 = tail call i32 @getpid() #23
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
  %19 = call i32 @pthread_attr_init(ptr noundef nonnull %4) #23
  %20 = icmp eq i32 %19, 0
  br i1 %20, label %21, label %54

21:
  %22 = call i32 @pthread_attr_setstacksize(ptr noundef nonnull %4, i64 noundef 2097152) #23
  %23 = call i32 @sigfillset(ptr noundef nonnull %2) #23
  br label %29

24:
  %25 = call i32 @pthread_sigmask(i32 noundef 2, ptr noundef nonnull %2, ptr noundef nonnull %3) #23
  %26 = load i64, ptr %13, align 8
  %27 = load i64, ptr %15, align 8
  %28 = icmp slt i64 %26, %27
  br i1 %28, label %36, label %50

29:
  %30 = phi i64 [ 0, %21 ], [ %34, %29 ]
  %31 = getelementptr inbounds [7 x i32], ptr @__const.start.faults, i64 0, i64 %30
  %32 = load i32, ptr %31, align 4
  %33 = call i32 @sigdelset(ptr noundef nonnull %2, i32 noundef %32) #23
  %34 = add nuw nsw i64 %30, 1
  %35 = icmp eq i64 %34, 7
  br i1 %35, label %24, label %29, !llvm.loop !39

36:
  %37 = phi i64 [ %47, %46 ], [ %26, %24 ]
  %38 = load ptr, ptr %0, align 8
  %39 = getelementptr inbounds %struct.thread, ptr %38, i64 %37
  %40 = getelementptr inbounds %struct.thread, ptr %38, i64 %37, i32 7
  store atomic i32 2, ptr %40 seq_cst, align 4
  %41 = getelementptr inbounds %struct.thread, ptr %38, i64 %37, i32 8
  store atomic i32 0, ptr %41 seq_cst, align 4
  %42 = getelementptr inbounds %struct.thread, ptr %38, i64 %37, i32 3
  %43 = call i32 @pthread_create(ptr noundef nonnull %42, ptr noundef nonnull %4, ptr noundef nonnull @work, ptr noundef %39) #23
  %44 = icmp eq i32 %43, 0
  %45 = load i64, ptr %13, align 8
  br i1 %44, label %46, label %50

46:
  %47 = add nsw i64 %45, 1
  store i64 %47, ptr %13, align 8
  %48 = load i64, ptr %15, align 8
  %49 = icmp slt i64 %47, %48
  br i1 %49, label %36, label %50, !llvm.loop !40

50:
  %51 = phi i64 [ %26, %24 ], [ %45, %36 ], [ %47, %46 ]
  store i64 %51, ptr %12, align 8
  %52 = call i32 @pthread_sigmask(i32 noundef 2, ptr noundef nonnull %3, ptr noundef null) #23
  %53 = call i32 @pthread_attr_destroy(ptr noundef nonnull %4) #23
  br label %54

54:
  call void @llvm.lifetime.end.p0(i64 64, ptr nonnull %4) #23
  call void @llvm.lifetime.end.p0(i64 128, ptr nonnull %3) #23
  call void @llvm.lifetime.end.p0(i64 128, ptr nonnull %2) #23
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
  br i1 %25, label %18, label %13, !llvm.loop !41

26:
  ret void

27:
  %28 = phi i64 [ 0, %16 ], [ %31, %27 ]
  %29 = load ptr, ptr %17, align 8
  %30 = getelementptr inbounds i8, ptr %29, i64 %28
  store volatile i8 0, ptr %30, align 1
  %31 = add nuw nsw i64 %28, 4096
  %32 = icmp slt i64 %31, %14
  br i1 %32, label %27, label %26, !llvm.loop !42
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
  %6 = alloca [64 x i8], align 4
  %7 = alloca ptr, align 8
  %8 = alloca [1024 x i8], align 1
  %9 = alloca i64, align 8
  call void @llvm.lifetime.start.p0(i64 1024, ptr nonnull %8) #23
  %10 = tail call i64 @strlen(ptr noundef nonnull dereferenceable(1) %0) #26
  %11 = add i64 %10, %2
  %12 = add i64 %11, -1006
  %13 = icmp ult i64 %12, -1025
  br i1 %13, label %75, label %14

14:
  call void @llvm.memcpy.p0.p0.i64(ptr nonnull align 1 %8, ptr align 1 %0, i64 %10, i1 false)
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
  br i1 %30, label %23, label %31, !llvm.loop !43

31:
  %32 = phi i64 [ %22, %23 ], [ %24, %26 ]
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %9) #23
  store i64 0, ptr %9, align 8
  %33 = getelementptr inbounds i8, ptr %8, i64 %32
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 1 dereferenceable(9) %33, ptr noundef nonnull align 1 dereferenceable(9) %17, i64 %18, i1 false)
  %34 = call fastcc i64 @number(ptr noundef nonnull %8, ptr noundef nonnull %9)
  br i1 %16, label %35, label %37

35:
  %36 = load i64, ptr %9, align 8
  br label %54

37:
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 1 dereferenceable(19) %33, ptr noundef nonnull align 1 dereferenceable(19) @climb.period, i64 19, i1 false)
  call void @llvm.lifetime.start.p0(i64 64, ptr nonnull %6) #23
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %7) #23
  %38 = call i32 (ptr, i32, ...) @open(ptr noundef nonnull %8, i32 noundef 524288) #23
  %39 = icmp slt i32 %38, 0
  br i1 %39, label %52, label %40

40:
  %41 = call i64 @read(i32 noundef %38, ptr noundef nonnull %6, i64 noundef 63) #23
  %42 = call i32 @close(i32 noundef %38) #23
  %43 = icmp slt i64 %41, 1
  %44 = load i8, ptr %6, align 4
  %45 = icmp ult i8 %44, 48
  %46 = select i1 %43, i1 true, i1 %45
  %47 = icmp ugt i8 %44, 57
  %48 = select i1 %46, i1 true, i1 %47
  br i1 %48, label %52, label %49

49:
  %50 = getelementptr inbounds [64 x i8], ptr %6, i64 0, i64 %41
  store i8 0, ptr %50, align 1
  %51 = call i64 @strtoll(ptr noundef nonnull %6, ptr noundef nonnull %7, i32 noundef 10) #23
  br label %52

52:
  %53 = phi i64 [ -1, %37 ], [ -1, %40 ], [ %51, %49 ]
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %7) #23
  call void @llvm.lifetime.end.p0(i64 64, ptr nonnull %6) #23
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
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %9) #23
  br label %75

68:
  %69 = phi i64 [ %70, %68 ], [ %32, %61 ]
  %70 = add i64 %69, -1
  %71 = getelementptr inbounds [1024 x i8], ptr %8, i64 0, i64 %70
  %72 = load i8, ptr %71, align 1
  %73 = icmp eq i8 %72, 47
  br i1 %73, label %74, label %68, !llvm.loop !44

74:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %9) #23
  br label %19

75:
  %76 = phi i64 [ %4, %5 ], [ %65, %67 ]
  call void @llvm.lifetime.end.p0(i64 1024, ptr nonnull %8) #23
  ret i64 %76
}

define internal fastcc i64 @number(ptr nocapture noundef readonly %0, ptr noundef writeonly %1) unnamed_addr #0 {
  %3 = alloca [64 x i8], align 4
  %4 = alloca ptr, align 8
  call void @llvm.lifetime.start.p0(i64 64, ptr nonnull %3) #23
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %4) #23
  %5 = tail call i32 (ptr, i32, ...) @open(ptr noundef %0, i32 noundef 524288) #23
  %6 = icmp slt i32 %5, 0
  br i1 %6, label %26, label %7

7:
  %8 = call i64 @read(i32 noundef %5, ptr noundef nonnull %3, i64 noundef 63) #23
  %9 = tail call i32 @close(i32 noundef %5) #23
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
  %18 = call i64 @strtoll(ptr noundef nonnull %3, ptr noundef nonnull %4, i32 noundef 10) #23
  %19 = icmp eq ptr %1, null
  br i1 %19, label %26, label %20

20:
  %21 = load ptr, ptr %4, align 8
  %22 = load i8, ptr %21, align 1
  %23 = icmp eq i8 %22, 32
  br i1 %23, label %24, label %26

24:
  %25 = call i64 @strtoll(ptr nocapture noundef nonnull %21, ptr noundef null, i32 noundef 10) #23
  store i64 %25, ptr %1, align 8
  br label %26

26:
  %27 = phi i64 [ -1, %2 ], [ -1, %7 ], [ %18, %24 ], [ %18, %20 ], [ %18, %16 ]
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %4) #23
  call void @llvm.lifetime.end.p0(i64 64, ptr nonnull %3) #23
  ret i64 %27
}

declare i64 @strtoll(ptr noundef readonly, ptr nocapture noundef, i32 noundef) local_unnamed_addr #18

declare noalias noundef ptr @aligned_alloc(i64 allocalign noundef, i64 noundef) local_unnamed_addr #19

define internal fastcc ptr @map(i64 noundef %0) unnamed_addr #0 {
  %2 = icmp slt i64 %0, 2097152
  %3 = select i1 %2, i64 0, i64 2097152
  %4 = add nsw i64 %0, 4095
  %5 = sdiv i64 %4, 4096
  %6 = shl nsw i64 %5, 12
  %7 = add nsw i64 %6, %3
  %8 = tail call ptr @mmap(ptr noundef null, i64 noundef %7, i32 noundef 3, i32 noundef 34, i32 noundef -1, i64 noundef 0) #23
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
  %17 = tail call i32 @munmap(ptr noundef %8, i64 noundef %14) #23
  br label %18

18:
  %19 = icmp eq i64 %3, %14
  br i1 %19, label %25, label %20

20:
  %21 = sub nsw i64 %3, %14
  %22 = getelementptr inbounds i8, ptr %8, i64 %14
  %23 = getelementptr inbounds i8, ptr %22, i64 %6
  %24 = tail call i32 @munmap(ptr noundef %23, i64 noundef %21) #23
  br label %25

25:
  %26 = getelementptr inbounds i8, ptr %8, i64 %14
  %27 = icmp ne ptr %8, null
  %28 = icmp sgt i64 %0, 2093056
  %29 = and i1 %28, %27
  br i1 %29, label %30, label %32

30:
  %31 = tail call i32 @madvise(ptr noundef nonnull %26, i64 noundef %6, i32 noundef 14) #23
  br label %32

32:
  %33 = phi ptr [ %26, %30 ], [ %26, %25 ], [ null, %1 ]
  ret ptr %33
}

declare ptr @mmap(ptr noundef, i64 noundef, i32 noundef, i32 noundef, i32 noundef, i64 noundef) local_unnamed_addr #0

declare i32 @madvise(ptr noundef, i64 noundef, i32 noundef) local_unnamed_addr #0

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
  call void @llvm.lifetime.start.p0(i64 256, ptr nonnull %4) #23
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
  br i1 %41, label %42, label %33, !llvm.loop !45

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
  br i1 %71, label %84, label %44, !llvm.loop !46

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
  call void @llvm.lifetime.end.p0(i64 256, ptr nonnull %4) #23
  %81 = add nsw i64 %32, -1
  %82 = getelementptr inbounds i8, ptr %31, i64 64
  %83 = icmp sgt i64 %32, 1
  br i1 %83, label %22, label %125, !llvm.loop !47

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
  br i1 %124, label %72, label %84, !llvm.loop !48

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
  %13 = phi i32 [ 2, %1 ], [ %90, %89 ]
  %14 = load atomic i32, ptr %3 acquire, align 64
  %15 = icmp eq i32 %14, %13
  br i1 %15, label %16, label %86

16:
  %17 = phi i64 [ %82, %80 ], [ 0, %12 ]
  %18 = phi i32 [ %83, %80 ], [ 1, %12 ]
  %19 = icmp ult i32 %18, 2000
  br i1 %19, label %20, label %21

20:
  call void asm sideeffect "isb", "~{memory}"() #23, !srcloc !10
  br label %23

21:
  %22 = call i32 @sched_yield() #23
  br label %23

23:
  %24 = phi i32 [ 255, %20 ], [ 15, %21 ]
  %25 = and i32 %24, %18
  %26 = icmp eq i32 %25, 0
  br i1 %26, label %27, label %80

27:
  call void @llvm.lifetime.start.p0(i64 16, ptr nonnull %2) #23
  %28 = call i32 @clock_gettime(i32 noundef 1, ptr noundef nonnull %2) #23
  %29 = load i64, ptr %2, align 8
  %30 = mul nsw i64 %29, 1000000000
  %31 = load i64, ptr %4, align 8
  %32 = add nsw i64 %30, %31
  call void @llvm.lifetime.end.p0(i64 16, ptr nonnull %2) #23
  %33 = icmp eq i64 %17, 0
  %34 = select i1 %33, i64 %32, i64 %17
  %35 = sub nsw i64 %32, %34
  %36 = icmp slt i64 %35, 200000
  br i1 %36, label %80, label %37

37:
  store atomic i32 1, ptr %5 seq_cst, align 4
  %38 = call i64 (i64, ...) @syscall(i64 noundef 98, ptr noundef nonnull %3, i32 noundef 128, i32 noundef %13, ptr noundef null, ptr noundef null, i32 noundef 0) #23
  store atomic i32 0, ptr %5 seq_cst, align 4
  %39 = load atomic i32, ptr %3 acquire, align 64
  %40 = load atomic i32, ptr %6 monotonic, align 8
  %41 = icmp ne i32 %39, %13
  %42 = icmp sgt i32 %40, -1
  %43 = select i1 %41, i1 %42, i1 false
  br i1 %43, label %44, label %80

44:
  %45 = load i64, ptr %7, align 16
  %46 = sub i64 0, %45
  %47 = getelementptr inbounds %struct.thread, ptr %0, i64 %46
  %48 = load ptr, ptr %0, align 128
  %49 = shl i32 %40, 2
  %50 = add i32 %49, 4
  %51 = getelementptr inbounds %struct.pool, ptr %48, i64 0, i32 6
  %52 = load atomic i32, ptr %51 monotonic, align 8
  %53 = add i32 %49, 8
  %54 = icmp slt i32 %50, %53
  %55 = icmp slt i32 %50, %52
  %56 = select i1 %54, i1 %55, i1 false
  br i1 %56, label %57, label %80

57:
  %58 = sext i32 %50 to i64
  %59 = sext i32 %52 to i64
  %60 = sext i32 %53 to i64
  br label %61

61:
  %62 = phi i64 [ %58, %57 ], [ %76, %75 ]
  %63 = getelementptr inbounds %struct.thread, ptr %47, i64 %62, i32 5
  %64 = load atomic i32, ptr %63 monotonic, align 4
  %65 = sext i32 %64 to i64
  %66 = getelementptr inbounds %struct.thread, ptr %47, i64 %65, i32 8
  %67 = load atomic i32, ptr %66 monotonic, align 4
  %68 = icmp eq i32 %67, 0
  br i1 %68, label %75, label %69

69:
  %70 = atomicrmw xchg ptr %66, i32 0 seq_cst, align 4
  %71 = icmp eq i32 %70, 0
  br i1 %71, label %75, label %72

72:
  %73 = getelementptr inbounds %struct.thread, ptr %47, i64 %65, i32 7
  %74 = call i64 (i64, ...) @syscall(i64 noundef 98, ptr noundef nonnull %73, i32 noundef 129, i32 noundef 1, ptr noundef null, ptr noundef null, i32 noundef 0) #23
  br label %75

75:
  %76 = add nsw i64 %62, 1
  %77 = icmp slt i64 %76, %60
  %78 = icmp slt i64 %76, %59
  %79 = select i1 %77, i1 %78, i1 false
  br i1 %79, label %61, label %80, !llvm.loop !8

80:
  %81 = phi i32 [ 0, %44 ], [ 0, %37 ], [ %18, %27 ], [ %18, %23 ], [ 0, %75 ]
  %82 = phi i64 [ 0, %44 ], [ 0, %37 ], [ %34, %27 ], [ %17, %23 ], [ 0, %75 ]
  %83 = add i32 %81, 1
  %84 = load atomic i32, ptr %3 acquire, align 64
  %85 = icmp eq i32 %84, %13
  br i1 %85, label %16, label %86, !llvm.loop !49

86:
  %87 = phi i32 [ %14, %12 ], [ %84, %80 ]
  %88 = and i32 %87, 3
  switch i32 %88, label %89 [
    i32 3, label %91
    i32 0, label %92
  ]

89:
  %90 = phi i32 [ %135, %96 ], [ %87, %92 ], [ %87, %86 ]
  br label %12, !llvm.loop !50

91:
  ret ptr null

92:
  %93 = add nuw i32 %87, 1
  %94 = cmpxchg ptr %3, i32 %87, i32 %93 seq_cst seq_cst, align 4
  %95 = extractvalue { i32, i1 } %94, 1
  br i1 %95, label %96, label %89

96:
  %97 = load i32, ptr %8, align 16
  %98 = shl i32 %97, 8
  %99 = and i32 %98, 4194304
  %100 = shl i32 %97, 10
  %101 = and i32 %100, 8388608
  %102 = or i32 %99, %101
  %103 = call i64 asm sideeffect "mrs $0, fpsr", "=r,~{memory}"() #23, !srcloc !23
  %104 = shl i32 %97, 9
  %105 = and i32 %104, 16777216
  %106 = or i32 %102, %105
  %107 = zext i32 %106 to i64
  %108 = and i64 %103, -129
  %109 = shl i32 %97, 6
  %110 = and i32 %109, 128
  %111 = zext i32 %110 to i64
  %112 = or i64 %108, %111
  call void asm sideeffect "msr fpcr, $0\0A\09msr fpsr, $1", "r,r,~{memory}"(i64 %107, i64 %112) #23, !srcloc !24
  %113 = load ptr, ptr %9, align 8
  %114 = load ptr, ptr %10, align 16
  call fastcc void @share(ptr noundef nonnull %0, ptr noundef %113, ptr noundef %114)
  %115 = call { i64, i64 } asm sideeffect "mrs $0, fpcr\0A\09mrs $1, fpsr", "=r,=r,~{memory}"() #23, !srcloc !3
  %116 = extractvalue { i64, i64 } %115, 0
  %117 = extractvalue { i64, i64 } %115, 1
  %118 = trunc i64 %116 to i32
  %119 = lshr i32 %118, 8
  %120 = and i32 %119, 16384
  %121 = lshr i32 %118, 10
  %122 = and i32 %121, 8192
  %123 = and i64 %116, 16777216
  %124 = icmp eq i64 %123, 0
  %125 = select i1 %124, i32 0, i32 32832
  %126 = trunc i64 %117 to i32
  %127 = lshr i32 %126, 6
  %128 = and i32 %127, 2
  %129 = load i32, ptr %11, align 32
  %130 = or i32 %129, %120
  %131 = or i32 %130, %122
  %132 = or i32 %131, %125
  %133 = or i32 %132, %128
  %134 = or i32 %133, 8064
  store i32 %134, ptr %11, align 32
  %135 = add i32 %87, 2
  store atomic i32 %135, ptr %3 release, align 64
  br label %89
}

declare i32 @pthread_attr_destroy(ptr noundef) local_unnamed_addr #0

declare hidden i32 @wmtune_sequence(ptr noundef, ptr noundef, ptr noundef, ptr noundef, ptr noundef, ptr noundef) local_unnamed_addr #12

declare i64 @llvm.smin.i64(i64, i64) #21

declare i32 @bcmp(ptr nocapture, ptr nocapture, i64) local_unnamed_addr #22

declare i64 @llvm.umin.i64(i64, i64) #21

declare i32 @llvm.fshl.i32(i32, i32, i32) #21

declare i64 @llvm.smax.i64(i64, i64) #21

attributes #0 = { nounwind "frame-pointer"="non-leaf" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="generic" "target-features"="+fp-armv8,+neon,+v8a,-fmv,-outline-atomics" }
attributes #1 = { mustprogress nofree norecurse nosync nounwind willreturn memory(argmem: readwrite) "frame-pointer"="non-leaf" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="generic" "target-features"="+fp-armv8,+neon,+v8a,-fmv,-outline-atomics" }
attributes #2 = { mustprogress nocallback nofree nosync nounwind willreturn memory(argmem: readwrite) }
attributes #3 = { mustprogress nofree norecurse nosync nounwind willreturn memory(readwrite, inaccessiblemem: none) "frame-pointer"="non-leaf" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="generic" "target-features"="+fp-armv8,+neon,+v8a,-fmv,-outline-atomics" }
attributes #4 = { mustprogress nocallback nofree nounwind willreturn memory(argmem: readwrite) }
attributes #5 = { mustprogress nofree nosync nounwind willreturn memory(readwrite, inaccessiblemem: none) "frame-pointer"="non-leaf" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="generic" "target-features"="+fp-armv8,+neon,+v8a,-fmv,-outline-atomics" }
attributes #6 = { mustprogress nounwind willreturn allockind("free") memory(argmem: readwrite, inaccessiblemem: readwrite) "alloc-family"="malloc" "frame-pointer"="non-leaf" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="generic" "target-features"="+fp-armv8,+neon,+v8a,-fmv,-outline-atomics" }
attributes #7 = { mustprogress nofree norecurse nosync nounwind willreturn memory(argmem: write) "frame-pointer"="non-leaf" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="generic" "target-features"="+fp-armv8,+neon,+v8a,-fmv,-outline-atomics" }
attributes #8 = { mustprogress nocallback nofree nounwind willreturn memory(argmem: write) }
attributes #9 = { nofree norecurse nosync nounwind memory(read, inaccessiblemem: none) "frame-pointer"="non-leaf" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="generic" "target-features"="+fp-armv8,+neon,+v8a,-fmv,-outline-atomics" }
attributes #10 = { mustprogress nofree norecurse nosync nounwind willreturn memory(read, inaccessiblemem: none) "frame-pointer"="non-leaf" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="generic" "target-features"="+fp-armv8,+neon,+v8a,-fmv,-outline-atomics" }
attributes #11 = { mustprogress nofree norecurse nosync nounwind willreturn memory(none) "frame-pointer"="non-leaf" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="generic" "target-features"="+fp-armv8,+neon,+v8a,-fmv,-outline-atomics" }
attributes #12 = { "frame-pointer"="non-leaf" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="generic" "target-features"="+fp-armv8,+neon,+v8a,-fmv,-outline-atomics" }
attributes #13 = { mustprogress nofree nounwind willreturn allockind("alloc,zeroed") allocsize(0,1) memory(inaccessiblemem: readwrite) "alloc-family"="malloc" "frame-pointer"="non-leaf" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="generic" "target-features"="+fp-armv8,+neon,+v8a,-fmv,-outline-atomics" }
attributes #14 = { nofree norecurse nounwind "frame-pointer"="non-leaf" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="generic" "target-features"="+fp-armv8,+neon,+v8a,-fmv,-outline-atomics" }
attributes #15 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #16 = { mustprogress nofree nounwind willreturn memory(argmem: read) "frame-pointer"="non-leaf" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="generic" "target-features"="+fp-armv8,+neon,+v8a,-fmv,-outline-atomics" }
attributes #17 = { nofree "frame-pointer"="non-leaf" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="generic" "target-features"="+fp-armv8,+neon,+v8a,-fmv,-outline-atomics" }
attributes #18 = { mustprogress nofree nounwind willreturn "frame-pointer"="non-leaf" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="generic" "target-features"="+fp-armv8,+neon,+v8a,-fmv,-outline-atomics" }
attributes #19 = { mustprogress nofree nounwind willreturn allockind("alloc,uninitialized,aligned") allocsize(1) memory(inaccessiblemem: readwrite) "alloc-family"="malloc" "frame-pointer"="non-leaf" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="generic" "target-features"="+fp-armv8,+neon,+v8a,-fmv,-outline-atomics" }
attributes #20 = { nofree nosync nounwind memory(read, argmem: readwrite, inaccessiblemem: none) "frame-pointer"="non-leaf" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="generic" "target-features"="+fp-armv8,+neon,+v8a,-fmv,-outline-atomics" }
attributes #21 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #22 = { nofree nounwind willreturn memory(argmem: read) }
attributes #23 = { nounwind }
attributes #24 = { nounwind allocsize(0,1) }
attributes #25 = { nounwind allocsize(1) }
attributes #26 = { nounwind willreturn memory(read) }

!llvm.module.flags = !{!0, !1, !2}

!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 8, !"PIC Level", i32 2}
!2 = !{i32 7, !"frame-pointer", i32 1}
!3 = !{i64 158971, i64 158986}
!4 = distinct !{!4, !5, !6}
!5 = !{!"llvm.loop.mustprogress"}
!6 = !{!"llvm.loop.unroll.disable"}
!7 = distinct !{!7, !5, !6}
!8 = distinct !{!8, !5, !6}
!9 = distinct !{!9, !5, !6}
!10 = !{i64 158546}
!11 = distinct !{!11, !5, !6}
!12 = distinct !{!12, !5, !6}
!13 = distinct !{!13, !5, !6}
!14 = distinct !{!14, !5, !6}
!15 = distinct !{!15, !5, !6}
!16 = distinct !{!16, !5, !6}
!17 = distinct !{!17, !5, !6}
!18 = distinct !{!18, !5, !6}
!19 = distinct !{!19, !5, !6}
!20 = distinct !{!20, !5, !6}
!21 = distinct !{!21, !5, !6}
!22 = distinct !{!22, !5, !6}
!23 = !{i64 159382}
!24 = !{i64 159567, i64 159582}
!25 = distinct !{!25, !5, !6}
!26 = distinct !{!26, !5, !6}
!27 = distinct !{!27, !5, !6}
!28 = distinct !{!28, !5, !6}
!29 = distinct !{!29, !5, !6}
!30 = distinct !{!30, !5, !6}
!31 = !{i64 158768}
!32 = distinct !{!32, !5, !6}
!33 = distinct !{!33, !5, !6}
!34 = distinct !{!34, !5, !6}
!35 = distinct !{!35, !5, !6}
!36 = distinct !{!36, !5, !6}
!37 = !{i64 0, i64 65}
!38 = distinct !{!38, !5, !6}
!39 = distinct !{!39, !5, !6}
!40 = distinct !{!40, !5, !6}
!41 = distinct !{!41, !5, !6}
!42 = distinct !{!42, !5, !6}
!43 = distinct !{!43, !5, !6}
!44 = distinct !{!44, !5, !6}
!45 = distinct !{!45, !5, !6}
!46 = distinct !{!46, !5, !6}
!47 = distinct !{!47, !5, !6}
!48 = distinct !{!48, !5, !6}
!49 = distinct !{!49, !6}
!50 = distinct !{!50, !6}
