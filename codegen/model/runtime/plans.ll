; 6a2317a39c50e1f7d2889f832ccc745df280de652c2a75e5ff8064b0175d380b of plans.c; by runtime.sh

%struct.plans = type { ptr, ptr, i64, i32, i32, i32, i32, i32 }
%struct.call = type { ptr, ptr, ptr }
%struct.tensor = type { i64, ptr, i32, i32 }
%struct.plan = type { ptr, ptr, ptr, ptr, i64, ptr }

@wmtune_plans = external hidden local_unnamed_addr constant %struct.plans, align 8

define hidden i32 @wmtune_sequence(ptr noundef %0, ptr noundef %1, ptr noundef %2, ptr noundef %3, ptr noundef %4, ptr noundef %5) local_unnamed_addr #0 {
  %7 = load i32, ptr getelementptr inbounds (%struct.plans, ptr @wmtune_plans, i64 0, i32 5), align 8
  %8 = sext i32 %7 to i64
  %9 = getelementptr inbounds ptr, ptr %3, i64 %8
  %10 = load ptr, ptr %9, align 8
  %11 = load i64, ptr getelementptr inbounds (%struct.plans, ptr @wmtune_plans, i64 0, i32 2), align 8
  %12 = getelementptr inbounds i8, ptr %1, i64 %11
  %13 = getelementptr inbounds %struct.call, ptr %10, i64 0, i32 1
  %14 = load ptr, ptr %13, align 8
  %15 = load i32, ptr getelementptr inbounds (%struct.plans, ptr @wmtune_plans, i64 0, i32 4), align 4
  %16 = sext i32 %15 to i64
  %17 = shl nsw i64 %16, 3
  tail call void @llvm.memcpy.p0.p0.i64(ptr align 1 %12, ptr align 8 %14, i64 %17, i1 false)
  store ptr %12, ptr %9, align 8
  %18 = add nsw i64 %17, 63
  %19 = sdiv i64 %18, 64
  %20 = shl nsw i64 %19, 6
  %21 = getelementptr inbounds i8, ptr %12, i64 %20
  %22 = icmp sgt i32 %7, 0
  br i1 %22, label %23, label %79

23:
  %24 = load ptr, ptr getelementptr inbounds (%struct.plans, ptr @wmtune_plans, i64 0, i32 1), align 8
  %25 = zext i32 %7 to i64
  br label %26

26:
  %27 = phi i64 [ 0, %23 ], [ %73, %71 ]
  %28 = phi i1 [ true, %23 ], [ %74, %71 ]
  %29 = phi ptr [ %21, %23 ], [ %72, %71 ]
  %30 = getelementptr inbounds %struct.tensor, ptr %24, i64 %27
  %31 = load ptr, ptr %13, align 8
  %32 = load i64, ptr %30, align 1
  %33 = getelementptr inbounds i8, ptr %30, i64 8
  %34 = load ptr, ptr %33, align 1
  %35 = getelementptr inbounds i8, ptr %30, i64 16
  %36 = load i32, ptr %35, align 1
  %37 = icmp sgt i32 %36, 0
  br i1 %37, label %38, label %55

38:
  %39 = zext i32 %36 to i64
  br label %40

40:
  %41 = phi i64 [ 0, %38 ], [ %53, %50 ]
  %42 = phi i64 [ %32, %38 ], [ %52, %50 ]
  %43 = getelementptr inbounds i64, ptr %34, i64 %41
  %44 = load i64, ptr %43, align 8
  %45 = icmp slt i64 %44, 0
  br i1 %45, label %46, label %50

46:
  %47 = xor i64 %44, -1
  %48 = getelementptr inbounds i64, ptr %31, i64 %47
  %49 = load i64, ptr %48, align 8
  br label %50

50:
  %51 = phi i64 [ %49, %46 ], [ %44, %40 ]
  %52 = mul nsw i64 %51, %42
  %53 = add nuw nsw i64 %41, 1
  %54 = icmp eq i64 %53, %39
  br i1 %54, label %55, label %40, !llvm.loop !2

55:
  %56 = phi i64 [ %32, %26 ], [ %52, %50 ]
  %57 = icmp eq i64 %56, 0
  br i1 %57, label %71, label %58

58:
  %59 = getelementptr inbounds ptr, ptr %3, i64 %27
  %60 = load ptr, ptr %59, align 8
  %61 = icmp eq ptr %60, null
  br i1 %61, label %76, label %62

62:
  %63 = ptrtoint ptr %60 to i64
  %64 = and i64 %63, 63
  %65 = icmp eq i64 %64, 0
  br i1 %65, label %71, label %66

66:
  tail call void @llvm.memcpy.p0.p0.i64(ptr align 1 %29, ptr nonnull align 1 %60, i64 %56, i1 false)
  store ptr %29, ptr %59, align 8
  %67 = add nsw i64 %56, 63
  %68 = sdiv i64 %67, 64
  %69 = shl nsw i64 %68, 6
  %70 = getelementptr inbounds i8, ptr %29, i64 %69
  br label %71

71:
  %72 = phi ptr [ %29, %62 ], [ %29, %55 ], [ %70, %66 ]
  %73 = add nuw nsw i64 %27, 1
  %74 = icmp ult i64 %73, %25
  %75 = icmp eq i64 %73, %25
  br i1 %75, label %79, label %26, !llvm.loop !5

76:
  br i1 %28, label %77, label %79

77:
  %78 = load i32, ptr getelementptr inbounds (%struct.plans, ptr @wmtune_plans, i64 0, i32 6), align 4
  br label %246

79:
  %80 = phi ptr [ %29, %76 ], [ %21, %6 ], [ %72, %71 ]
  %81 = load i32, ptr getelementptr inbounds (%struct.plans, ptr @wmtune_plans, i64 0, i32 6), align 4
  %82 = icmp sgt i32 %81, 0
  br i1 %82, label %85, label %83

83:
  %84 = load ptr, ptr %10, align 8
  br label %250

85:
  %86 = icmp slt i32 %7, 1
  %87 = load ptr, ptr getelementptr inbounds (%struct.plans, ptr @wmtune_plans, i64 0, i32 1), align 8
  %88 = getelementptr inbounds %struct.call, ptr %10, i64 0, i32 2
  %89 = zext i32 %81 to i64
  %90 = load ptr, ptr %10, align 8
  br label %91

91:
  %92 = phi ptr [ %90, %85 ], [ %242, %241 ]
  %93 = phi i64 [ 0, %85 ], [ %244, %241 ]
  %94 = phi ptr [ %80, %85 ], [ %243, %241 ]
  %95 = getelementptr inbounds %struct.plan, ptr %92, i64 0, i32 2
  %96 = load ptr, ptr %95, align 8
  %97 = getelementptr inbounds %struct.tensor, ptr %96, i64 %93
  %98 = load ptr, ptr %13, align 8
  %99 = load i64, ptr %97, align 1
  %100 = getelementptr inbounds i8, ptr %97, i64 8
  %101 = load ptr, ptr %100, align 1
  %102 = getelementptr inbounds i8, ptr %97, i64 16
  %103 = load i32, ptr %102, align 1
  %104 = icmp sgt i32 %103, 0
  br i1 %104, label %105, label %122

105:
  %106 = zext i32 %103 to i64
  br label %107

107:
  %108 = phi i64 [ 0, %105 ], [ %120, %117 ]
  %109 = phi i64 [ %99, %105 ], [ %119, %117 ]
  %110 = getelementptr inbounds i64, ptr %101, i64 %108
  %111 = load i64, ptr %110, align 8
  %112 = icmp slt i64 %111, 0
  br i1 %112, label %113, label %117

113:
  %114 = xor i64 %111, -1
  %115 = getelementptr inbounds i64, ptr %98, i64 %114
  %116 = load i64, ptr %115, align 8
  br label %117

117:
  %118 = phi i64 [ %116, %113 ], [ %111, %107 ]
  %119 = mul nsw i64 %118, %109
  %120 = add nuw nsw i64 %108, 1
  %121 = icmp eq i64 %120, %106
  br i1 %121, label %122, label %107, !llvm.loop !2

122:
  %123 = phi i64 [ %99, %91 ], [ %119, %117 ]
  %124 = icmp eq i64 %123, 0
  br i1 %124, label %133, label %125

125:
  %126 = getelementptr inbounds ptr, ptr %4, i64 %93
  %127 = load ptr, ptr %126, align 8
  %128 = icmp eq ptr %127, null
  br i1 %128, label %246, label %129

129:
  %130 = ptrtoint ptr %127 to i64
  %131 = and i64 %130, 63
  %132 = icmp ne i64 %131, 0
  br label %133

133:
  %134 = phi i1 [ %132, %129 ], [ false, %122 ]
  %135 = select i1 %86, i1 true, i1 %134
  br i1 %135, label %141, label %136

136:
  %137 = getelementptr inbounds ptr, ptr %4, i64 %93
  %138 = load ptr, ptr %137, align 8
  %139 = icmp ne i64 %123, 0
  %140 = getelementptr inbounds i8, ptr %138, i64 %123
  br label %149

141:
  %142 = phi i1 [ %134, %133 ], [ %185, %177 ]
  %143 = icmp eq i64 %93, 0
  br i1 %143, label %233, label %144

144:
  %145 = getelementptr inbounds ptr, ptr %4, i64 %93
  %146 = load ptr, ptr %145, align 8
  %147 = load ptr, ptr %88, align 8
  %148 = getelementptr inbounds i8, ptr %146, i64 %123
  br label %193

149:
  %150 = phi i64 [ 0, %136 ], [ %186, %177 ]
  %151 = getelementptr inbounds ptr, ptr %3, i64 %150
  %152 = load ptr, ptr %151, align 8
  %153 = getelementptr inbounds %struct.tensor, ptr %87, i64 %150
  %154 = load i64, ptr %153, align 1
  %155 = getelementptr inbounds i8, ptr %153, i64 8
  %156 = load ptr, ptr %155, align 1
  %157 = getelementptr inbounds i8, ptr %153, i64 16
  %158 = load i32, ptr %157, align 1
  %159 = icmp sgt i32 %158, 0
  br i1 %159, label %160, label %177

160:
  %161 = zext i32 %158 to i64
  br label %162

162:
  %163 = phi i64 [ 0, %160 ], [ %175, %172 ]
  %164 = phi i64 [ %154, %160 ], [ %174, %172 ]
  %165 = getelementptr inbounds i64, ptr %156, i64 %163
  %166 = load i64, ptr %165, align 8
  %167 = icmp slt i64 %166, 0
  br i1 %167, label %168, label %172

168:
  %169 = xor i64 %166, -1
  %170 = getelementptr inbounds i64, ptr %98, i64 %169
  %171 = load i64, ptr %170, align 8
  br label %172

172:
  %173 = phi i64 [ %171, %168 ], [ %166, %162 ]
  %174 = mul nsw i64 %173, %164
  %175 = add nuw nsw i64 %163, 1
  %176 = icmp eq i64 %175, %161
  br i1 %176, label %177, label %162, !llvm.loop !2

177:
  %178 = phi i64 [ %154, %149 ], [ %174, %172 ]
  %179 = icmp ne i64 %178, 0
  %180 = and i1 %139, %179
  %181 = getelementptr inbounds i8, ptr %152, i64 %178
  %182 = icmp ugt ptr %181, %138
  %183 = select i1 %180, i1 %182, i1 false
  %184 = icmp ugt ptr %140, %152
  %185 = select i1 %183, i1 %184, i1 false
  %186 = add nuw nsw i64 %150, 1
  %187 = icmp sge i64 %186, %8
  %188 = select i1 %187, i1 true, i1 %185
  br i1 %188, label %141, label %149, !llvm.loop !6

189:
  %190 = add nuw nsw i64 %194, 1
  %191 = icmp ult i64 %190, %93
  %192 = icmp eq i64 %190, %93
  br i1 %192, label %232, label %193, !llvm.loop !7

193:
  %194 = phi i64 [ 0, %144 ], [ %190, %189 ]
  %195 = phi i1 [ true, %144 ], [ %191, %189 ]
  %196 = getelementptr inbounds ptr, ptr %147, i64 %194
  %197 = load ptr, ptr %196, align 8
  %198 = getelementptr inbounds %struct.tensor, ptr %96, i64 %194
  %199 = load i64, ptr %198, align 1
  %200 = getelementptr inbounds i8, ptr %198, i64 8
  %201 = load ptr, ptr %200, align 1
  %202 = getelementptr inbounds i8, ptr %198, i64 16
  %203 = load i32, ptr %202, align 1
  %204 = icmp sgt i32 %203, 0
  br i1 %204, label %205, label %222

205:
  %206 = zext i32 %203 to i64
  br label %207

207:
  %208 = phi i64 [ 0, %205 ], [ %220, %217 ]
  %209 = phi i64 [ %199, %205 ], [ %219, %217 ]
  %210 = getelementptr inbounds i64, ptr %201, i64 %208
  %211 = load i64, ptr %210, align 8
  %212 = icmp slt i64 %211, 0
  br i1 %212, label %213, label %217

213:
  %214 = xor i64 %211, -1
  %215 = getelementptr inbounds i64, ptr %98, i64 %214
  %216 = load i64, ptr %215, align 8
  br label %217

217:
  %218 = phi i64 [ %216, %213 ], [ %211, %207 ]
  %219 = mul nsw i64 %218, %209
  %220 = add nuw nsw i64 %208, 1
  %221 = icmp eq i64 %220, %206
  br i1 %221, label %222, label %207, !llvm.loop !2

222:
  %223 = phi i64 [ %199, %193 ], [ %219, %217 ]
  %224 = icmp eq i64 %223, 0
  %225 = or i1 %124, %224
  %226 = getelementptr inbounds i8, ptr %197, i64 %223
  %227 = icmp ule ptr %226, %146
  %228 = select i1 %225, i1 true, i1 %227
  %229 = icmp ule ptr %148, %197
  %230 = select i1 %228, i1 true, i1 %229
  br i1 %230, label %189, label %231

231:
  br i1 %195, label %246, label %241

232:
  br i1 %142, label %234, label %241

233:
  br i1 %142, label %234, label %241

234:
  %235 = getelementptr inbounds ptr, ptr %4, i64 %93
  store ptr %94, ptr %235, align 8
  %236 = add nsw i64 %123, 63
  %237 = sdiv i64 %236, 64
  %238 = shl nsw i64 %237, 6
  %239 = getelementptr inbounds i8, ptr %94, i64 %238
  %240 = load ptr, ptr %10, align 8
  br label %241

241:
  %242 = phi ptr [ %240, %234 ], [ %92, %231 ], [ %92, %233 ], [ %92, %232 ]
  %243 = phi ptr [ %239, %234 ], [ %94, %231 ], [ %94, %233 ], [ %94, %232 ]
  %244 = add nuw nsw i64 %93, 1
  %245 = icmp eq i64 %244, %89
  br i1 %245, label %250, label %91, !llvm.loop !8

246:
  %247 = phi i32 [ %78, %77 ], [ %81, %231 ], [ %81, %125 ]
  %248 = phi i32 [ -9, %77 ], [ -9, %125 ], [ -10, %231 ]
  %249 = icmp sgt i32 %247, 0
  br i1 %249, label %262, label %324

250:
  %251 = phi ptr [ %84, %83 ], [ %242, %241 ]
  %252 = getelementptr inbounds %struct.plan, ptr %251, i64 0, i32 5
  %253 = load ptr, ptr %252, align 8
  %254 = tail call i32 %253(ptr noundef %0, ptr noundef %1, ptr noundef %2, ptr noundef %3, ptr noundef %4, ptr noundef %5) #7
  %255 = icmp eq i32 %254, 0
  %256 = icmp sgt i32 %81, 0
  %257 = select i1 %256, i1 %255, i1 false
  br i1 %257, label %258, label %261

258:
  %259 = getelementptr inbounds %struct.call, ptr %10, i64 0, i32 2
  %260 = zext i32 %81 to i64
  br label %267

261:
  br i1 %256, label %262, label %324

262:
  %263 = phi i32 [ %247, %246 ], [ %81, %261 ]
  %264 = phi i32 [ %248, %246 ], [ %254, %261 ]
  %265 = getelementptr inbounds %struct.call, ptr %10, i64 0, i32 2
  %266 = zext i32 %263 to i64
  br label %326

267:
  %268 = phi i64 [ 0, %258 ], [ %284, %322 ]
  %269 = load ptr, ptr %10, align 8
  %270 = getelementptr inbounds %struct.plan, ptr %269, i64 0, i32 3
  %271 = load ptr, ptr %270, align 8
  %272 = getelementptr inbounds ptr, ptr %271, i64 %268
  %273 = load ptr, ptr %272, align 8
  %274 = getelementptr inbounds %struct.plan, ptr %269, i64 0, i32 2
  %275 = load ptr, ptr %274, align 8
  %276 = getelementptr inbounds %struct.tensor, ptr %275, i64 %268
  %277 = load i64, ptr %276, align 8
  %278 = getelementptr inbounds i8, ptr %276, i64 8
  %279 = getelementptr inbounds i8, ptr %276, i64 16
  %280 = load i32, ptr %279, align 8
  %281 = getelementptr inbounds i8, ptr %276, i64 20
  %282 = load i32, ptr %281, align 4
  %283 = icmp eq i32 %282, 0
  %284 = add nuw nsw i64 %268, 1
  %285 = getelementptr inbounds ptr, ptr %4, i64 %284
  %286 = select i1 %283, ptr %278, ptr %285
  %287 = load ptr, ptr %286, align 8
  %288 = load ptr, ptr %13, align 8
  %289 = icmp sgt i32 %280, 0
  br i1 %289, label %290, label %307

290:
  %291 = zext i32 %280 to i64
  br label %292

292:
  %293 = phi i64 [ 0, %290 ], [ %305, %302 ]
  %294 = phi i64 [ %277, %290 ], [ %304, %302 ]
  %295 = getelementptr inbounds i64, ptr %287, i64 %293
  %296 = load i64, ptr %295, align 8
  %297 = icmp slt i64 %296, 0
  br i1 %297, label %298, label %302

298:
  %299 = xor i64 %296, -1
  %300 = getelementptr inbounds i64, ptr %288, i64 %299
  %301 = load i64, ptr %300, align 8
  br label %302

302:
  %303 = phi i64 [ %301, %298 ], [ %296, %292 ]
  %304 = mul nsw i64 %303, %294
  %305 = add nuw nsw i64 %293, 1
  %306 = icmp eq i64 %305, %291
  br i1 %306, label %307, label %292, !llvm.loop !2

307:
  %308 = phi i64 [ %277, %267 ], [ %304, %302 ]
  %309 = icmp eq ptr %273, null
  br i1 %309, label %314, label %310

310:
  %311 = load ptr, ptr %259, align 8
  %312 = getelementptr inbounds ptr, ptr %311, i64 %268
  %313 = load ptr, ptr %312, align 8
  tail call void @llvm.memcpy.p0.p0.i64(ptr align 1 %313, ptr nonnull align 8 %273, i64 %308, i1 false)
  br label %322

314:
  %315 = getelementptr inbounds ptr, ptr %4, i64 %268
  %316 = load ptr, ptr %315, align 8
  %317 = load ptr, ptr %259, align 8
  %318 = getelementptr inbounds ptr, ptr %317, i64 %268
  %319 = load ptr, ptr %318, align 8
  %320 = icmp eq ptr %316, %319
  br i1 %320, label %322, label %321

321:
  tail call void @llvm.memcpy.p0.p0.i64(ptr align 1 %319, ptr align 1 %316, i64 %308, i1 false)
  br label %322

322:
  %323 = icmp ult i64 %284, %260
  br i1 %323, label %267, label %261, !llvm.loop !9

324:
  %325 = phi i32 [ %248, %246 ], [ %254, %261 ], [ %264, %326 ]
  ret i32 %325

326:
  %327 = phi i64 [ 0, %262 ], [ %332, %326 ]
  %328 = load ptr, ptr %265, align 8
  %329 = getelementptr inbounds ptr, ptr %328, i64 %327
  %330 = load ptr, ptr %329, align 8
  %331 = getelementptr inbounds ptr, ptr %4, i64 %327
  store ptr %330, ptr %331, align 8
  %332 = add nuw nsw i64 %327, 1
  %333 = icmp eq i64 %332, %266
  br i1 %333, label %324, label %326, !llvm.loop !10
}

declare void @llvm.lifetime.start.p0(i64 immarg, ptr nocapture) #1

declare void @llvm.memcpy.p0.p0.i64(ptr noalias nocapture writeonly, ptr noalias nocapture readonly, i64, i1 immarg) #2

declare void @llvm.lifetime.end.p0(i64 immarg, ptr nocapture) #1

define i32 @wmtune_run_dims(ptr noundef %0, ptr noundef %1, ptr noundef %2, ptr noundef %3) local_unnamed_addr #0 {
  %5 = tail call fastcc i32 @run(ptr noundef %0, ptr noundef %1, ptr noundef %2, ptr noundef %3, ptr noundef null)
  ret i32 %5
}

define internal fastcc i32 @run(ptr noundef %0, ptr noundef %1, ptr noundef readonly %2, ptr noundef %3, ptr noundef %4) unnamed_addr #0 {
  %6 = alloca %struct.call, align 8
  %7 = icmp ne ptr %0, null
  %8 = icmp ne ptr %1, null
  %9 = and i1 %7, %8
  br i1 %9, label %10, label %20

10:
  %11 = icmp ne ptr %2, null
  %12 = load i32, ptr getelementptr inbounds (%struct.plans, ptr @wmtune_plans, i64 0, i32 5), align 8
  %13 = icmp eq i32 %12, 0
  %14 = select i1 %11, i1 true, i1 %13
  br i1 %14, label %15, label %20

15:
  %16 = icmp ne ptr %3, null
  %17 = load i32, ptr getelementptr inbounds (%struct.plans, ptr @wmtune_plans, i64 0, i32 6), align 4
  %18 = icmp eq i32 %17, 0
  %19 = select i1 %16, i1 true, i1 %18
  br i1 %19, label %22, label %20

20:
  %21 = select i1 %7, i32 -9, i32 -8
  br label %90

22:
  call void @llvm.lifetime.start.p0(i64 24, ptr nonnull %6) #7
  %23 = load i32, ptr getelementptr inbounds (%struct.plans, ptr @wmtune_plans, i64 0, i32 3), align 8
  %24 = icmp slt i32 %23, 1
  br i1 %24, label %67, label %25

25:
  %26 = load ptr, ptr @wmtune_plans, align 8
  %27 = load i32, ptr getelementptr inbounds (%struct.plans, ptr @wmtune_plans, i64 0, i32 4), align 4
  %28 = icmp sgt i32 %27, 0
  %29 = zext i32 %23 to i64
  %30 = zext i32 %27 to i64
  br label %34

31:
  %32 = add nuw nsw i64 %35, 1
  %33 = icmp eq i64 %32, %29
  br i1 %33, label %67, label %34, !llvm.loop !11

34:
  %35 = phi i64 [ 0, %25 ], [ %32, %31 ]
  %36 = getelementptr inbounds %struct.plan, ptr %26, i64 %35
  %37 = getelementptr inbounds %struct.plan, ptr %26, i64 %35, i32 1
  br i1 %28, label %38, label %60

38:
  %39 = load ptr, ptr %36, align 8
  br label %40

40:
  %41 = phi i64 [ 0, %38 ], [ %53, %52 ]
  %42 = getelementptr inbounds i64, ptr %39, i64 %41
  %43 = load i64, ptr %42, align 8
  %44 = getelementptr inbounds i64, ptr %1, i64 %41
  %45 = load i64, ptr %44, align 8
  %46 = icmp sgt i64 %43, %45
  br i1 %46, label %58, label %47

47:
  %48 = load ptr, ptr %37, align 8
  %49 = getelementptr inbounds i64, ptr %48, i64 %41
  %50 = load i64, ptr %49, align 8
  %51 = icmp sgt i64 %45, %50
  br i1 %51, label %58, label %52

52:
  %53 = add nuw nsw i64 %41, 1
  %54 = icmp eq i64 %53, %30
  br i1 %54, label %55, label %40, !llvm.loop !12

55:
  store ptr %36, ptr %6, align 8
  %56 = getelementptr inbounds %struct.call, ptr %6, i64 0, i32 1
  store ptr %1, ptr %56, align 8
  %57 = getelementptr inbounds %struct.call, ptr %6, i64 0, i32 2
  store ptr %3, ptr %57, align 8
  br label %69

58:
  %59 = trunc i64 %41 to i32
  br label %60

60:
  %61 = phi i32 [ 0, %34 ], [ %59, %58 ]
  %62 = icmp eq i32 %61, %27
  br i1 %62, label %63, label %31

63:
  store ptr %36, ptr %6, align 8
  %64 = getelementptr inbounds %struct.call, ptr %6, i64 0, i32 1
  store ptr %1, ptr %64, align 8
  %65 = getelementptr inbounds %struct.call, ptr %6, i64 0, i32 2
  store ptr %3, ptr %65, align 8
  %66 = icmp eq ptr %26, null
  br i1 %66, label %67, label %69

67:
  %68 = load i32, ptr getelementptr inbounds (%struct.plans, ptr @wmtune_plans, i64 0, i32 7), align 8
  br label %88

69:
  %70 = add nsw i32 %12, 1
  %71 = zext i32 %70 to i64
  %72 = tail call ptr @llvm.stacksave()
  %73 = alloca ptr, i64 %71, align 16
  %74 = icmp sgt i32 %12, 0
  br i1 %74, label %75, label %78

75:
  %76 = zext i32 %12 to i64
  %77 = shl nuw nsw i64 %76, 3
  call void @llvm.memcpy.p0.p0.i64(ptr nonnull align 16 %73, ptr align 8 %2, i64 %77, i1 false)
  br label %78

78:
  %79 = sext i32 %12 to i64
  %80 = getelementptr inbounds ptr, ptr %73, i64 %79
  store ptr %6, ptr %80, align 8
  %81 = icmp eq ptr %4, null
  br i1 %81, label %84, label %82

82:
  %83 = call i32 @wmtune_profile(ptr noundef nonnull %0, ptr noundef nonnull %73, ptr noundef %3, ptr noundef nonnull %4) #7
  br label %86

84:
  %85 = call i32 @wmtune_run(ptr noundef nonnull %0, ptr noundef nonnull %73, ptr noundef %3) #7
  br label %86

86:
  %87 = phi i32 [ %83, %82 ], [ %85, %84 ]
  call void @llvm.stackrestore(ptr %72)
  br label %88

88:
  %89 = phi i32 [ %87, %86 ], [ %68, %67 ]
  call void @llvm.lifetime.end.p0(i64 24, ptr nonnull %6) #7
  br label %90

90:
  %91 = phi i32 [ %89, %88 ], [ %21, %20 ]
  ret i32 %91
}

define i32 @wmtune_profile_dims(ptr noundef %0, ptr noundef %1, ptr noundef %2, ptr noundef %3, ptr noundef %4) local_unnamed_addr #0 {
  %6 = tail call fastcc i32 @run(ptr noundef %0, ptr noundef %1, ptr noundef %2, ptr noundef %3, ptr noundef %4)
  ret i32 %6
}

define i64 @wmtune_memory(ptr noundef readonly %0) local_unnamed_addr #3 {
  %2 = icmp eq ptr %0, null
  %3 = load i32, ptr getelementptr inbounds (%struct.plans, ptr @wmtune_plans, i64 0, i32 3), align 8
  %4 = icmp slt i32 %3, 1
  %5 = select i1 %2, i1 true, i1 %4
  br i1 %5, label %46, label %6

6:
  %7 = load ptr, ptr @wmtune_plans, align 8
  %8 = load i32, ptr getelementptr inbounds (%struct.plans, ptr @wmtune_plans, i64 0, i32 4), align 4
  %9 = icmp sgt i32 %8, 0
  %10 = zext i32 %3 to i64
  %11 = zext i32 %8 to i64
  br label %15

12:
  %13 = add nuw nsw i64 %16, 1
  %14 = icmp eq i64 %13, %10
  br i1 %14, label %46, label %15, !llvm.loop !11

15:
  %16 = phi i64 [ 0, %6 ], [ %13, %12 ]
  %17 = getelementptr inbounds %struct.plan, ptr %7, i64 %16, i32 1
  br i1 %9, label %18, label %38

18:
  %19 = getelementptr inbounds %struct.plan, ptr %7, i64 %16
  %20 = load ptr, ptr %19, align 8
  br label %21

21:
  %22 = phi i64 [ 0, %18 ], [ %34, %33 ]
  %23 = getelementptr inbounds i64, ptr %20, i64 %22
  %24 = load i64, ptr %23, align 8
  %25 = getelementptr inbounds i64, ptr %0, i64 %22
  %26 = load i64, ptr %25, align 8
  %27 = icmp sgt i64 %24, %26
  br i1 %27, label %36, label %28

28:
  %29 = load ptr, ptr %17, align 8
  %30 = getelementptr inbounds i64, ptr %29, i64 %22
  %31 = load i64, ptr %30, align 8
  %32 = icmp sgt i64 %26, %31
  br i1 %32, label %36, label %33

33:
  %34 = add nuw nsw i64 %22, 1
  %35 = icmp eq i64 %34, %11
  br i1 %35, label %43, label %21, !llvm.loop !12

36:
  %37 = trunc i64 %22 to i32
  br label %38

38:
  %39 = phi i32 [ 0, %15 ], [ %37, %36 ]
  %40 = icmp eq i32 %39, %8
  br i1 %40, label %41, label %12

41:
  %42 = icmp eq ptr %7, null
  br i1 %42, label %46, label %43

43:
  %44 = getelementptr inbounds %struct.plan, ptr %7, i64 %16, i32 4
  %45 = load i64, ptr %44, align 8
  br label %46

46:
  %47 = phi i64 [ %45, %43 ], [ -1, %41 ], [ -1, %1 ], [ -1, %12 ]
  ret i64 %47
}

define i64 @wmtune_bytes_dims(ptr noundef readonly %0, i32 noundef %1) local_unnamed_addr #4 {
  %3 = icmp eq ptr %0, null
  %4 = load i32, ptr getelementptr inbounds (%struct.plans, ptr @wmtune_plans, i64 0, i32 3), align 8
  %5 = icmp slt i32 %4, 1
  %6 = select i1 %3, i1 true, i1 %5
  br i1 %6, label %109, label %7

7:
  %8 = load ptr, ptr @wmtune_plans, align 8
  %9 = load i32, ptr getelementptr inbounds (%struct.plans, ptr @wmtune_plans, i64 0, i32 4), align 4
  %10 = icmp sgt i32 %9, 0
  %11 = zext i32 %4 to i64
  %12 = zext i32 %9 to i64
  br label %16

13:
  %14 = add nuw nsw i64 %17, 1
  %15 = icmp eq i64 %14, %11
  br i1 %15, label %109, label %16, !llvm.loop !11

16:
  %17 = phi i64 [ 0, %7 ], [ %14, %13 ]
  %18 = getelementptr inbounds %struct.plan, ptr %8, i64 %17, i32 1
  br i1 %10, label %19, label %39

19:
  %20 = getelementptr inbounds %struct.plan, ptr %8, i64 %17
  %21 = load ptr, ptr %20, align 8
  br label %22

22:
  %23 = phi i64 [ 0, %19 ], [ %35, %34 ]
  %24 = getelementptr inbounds i64, ptr %21, i64 %23
  %25 = load i64, ptr %24, align 8
  %26 = getelementptr inbounds i64, ptr %0, i64 %23
  %27 = load i64, ptr %26, align 8
  %28 = icmp sgt i64 %25, %27
  br i1 %28, label %37, label %29

29:
  %30 = load ptr, ptr %18, align 8
  %31 = getelementptr inbounds i64, ptr %30, i64 %23
  %32 = load i64, ptr %31, align 8
  %33 = icmp sgt i64 %27, %32
  br i1 %33, label %37, label %34

34:
  %35 = add nuw nsw i64 %23, 1
  %36 = icmp eq i64 %35, %12
  br i1 %36, label %42, label %22, !llvm.loop !12

37:
  %38 = trunc i64 %23 to i32
  br label %39

39:
  %40 = phi i32 [ 0, %16 ], [ %38, %37 ]
  %41 = icmp eq i32 %40, %9
  br i1 %41, label %42, label %13

42:
  %43 = icmp eq ptr %8, null
  %44 = icmp slt i32 %1, 0
  %45 = or i1 %44, %43
  br i1 %45, label %109, label %46

46:
  %47 = load i32, ptr getelementptr inbounds (%struct.plans, ptr @wmtune_plans, i64 0, i32 5), align 8
  %48 = load i32, ptr getelementptr inbounds (%struct.plans, ptr @wmtune_plans, i64 0, i32 6), align 4
  %49 = add nsw i32 %48, %47
  %50 = icmp sgt i32 %49, %1
  br i1 %50, label %51, label %109

51:
  %52 = icmp sgt i32 %47, %1
  br i1 %52, label %53, label %80

53:
  %54 = load ptr, ptr getelementptr inbounds (%struct.plans, ptr @wmtune_plans, i64 0, i32 1), align 8
  %55 = zext i32 %1 to i64
  %56 = getelementptr inbounds %struct.tensor, ptr %54, i64 %55
  %57 = load i64, ptr %56, align 1
  %58 = getelementptr inbounds i8, ptr %56, i64 8
  %59 = load ptr, ptr %58, align 1
  %60 = getelementptr inbounds i8, ptr %56, i64 16
  %61 = load i32, ptr %60, align 1
  %62 = icmp sgt i32 %61, 0
  br i1 %62, label %63, label %109

63:
  %64 = zext i32 %61 to i64
  br label %65

65:
  %66 = phi i64 [ 0, %63 ], [ %78, %75 ]
  %67 = phi i64 [ %57, %63 ], [ %77, %75 ]
  %68 = getelementptr inbounds i64, ptr %59, i64 %66
  %69 = load i64, ptr %68, align 8
  %70 = icmp slt i64 %69, 0
  br i1 %70, label %71, label %75

71:
  %72 = xor i64 %69, -1
  %73 = getelementptr inbounds i64, ptr %0, i64 %72
  %74 = load i64, ptr %73, align 8
  br label %75

75:
  %76 = phi i64 [ %74, %71 ], [ %69, %65 ]
  %77 = mul nsw i64 %76, %67
  %78 = add nuw nsw i64 %66, 1
  %79 = icmp eq i64 %78, %64
  br i1 %79, label %109, label %65, !llvm.loop !2

80:
  %81 = getelementptr inbounds %struct.plan, ptr %8, i64 %17, i32 2
  %82 = load ptr, ptr %81, align 8
  %83 = sub nsw i32 %1, %47
  %84 = sext i32 %83 to i64
  %85 = getelementptr inbounds %struct.tensor, ptr %82, i64 %84
  %86 = load i64, ptr %85, align 1
  %87 = getelementptr inbounds i8, ptr %85, i64 8
  %88 = load ptr, ptr %87, align 1
  %89 = getelementptr inbounds i8, ptr %85, i64 16
  %90 = load i32, ptr %89, align 1
  %91 = icmp sgt i32 %90, 0
  br i1 %91, label %92, label %109

92:
  %93 = zext i32 %90 to i64
  br label %94

94:
  %95 = phi i64 [ 0, %92 ], [ %107, %104 ]
  %96 = phi i64 [ %86, %92 ], [ %106, %104 ]
  %97 = getelementptr inbounds i64, ptr %88, i64 %95
  %98 = load i64, ptr %97, align 8
  %99 = icmp slt i64 %98, 0
  br i1 %99, label %100, label %104

100:
  %101 = xor i64 %98, -1
  %102 = getelementptr inbounds i64, ptr %0, i64 %101
  %103 = load i64, ptr %102, align 8
  br label %104

104:
  %105 = phi i64 [ %103, %100 ], [ %98, %94 ]
  %106 = mul nsw i64 %105, %96
  %107 = add nuw nsw i64 %95, 1
  %108 = icmp eq i64 %107, %93
  br i1 %108, label %109, label %94, !llvm.loop !2

109:
  %110 = phi i64 [ -1, %46 ], [ -1, %42 ], [ %57, %53 ], [ %86, %80 ], [ -1, %2 ], [ %77, %75 ], [ %106, %104 ], [ -1, %13 ]
  ret i64 %110
}

declare ptr @llvm.stacksave() #5

declare hidden i32 @wmtune_profile(ptr noundef, ptr noundef, ptr noundef, ptr noundef) local_unnamed_addr #6

declare hidden i32 @wmtune_run(ptr noundef, ptr noundef, ptr noundef) local_unnamed_addr #6

declare void @llvm.stackrestore(ptr) #5

attributes #0 = { nounwind "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind willreturn memory(argmem: readwrite) }
attributes #2 = { mustprogress nocallback nofree nounwind willreturn memory(argmem: readwrite) }
attributes #3 = { nofree norecurse nosync nounwind memory(read, inaccessiblemem: none) "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #4 = { nofree nosync nounwind memory(read, inaccessiblemem: none) "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #5 = { mustprogress nocallback nofree nosync nounwind willreturn }
attributes #6 = { "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #7 = { nounwind }

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
