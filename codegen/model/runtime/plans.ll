; d8649da02acdd2223f3a6d1147ff93116eccc9f7888d90d652cb268d7f0090e7 of plans.c; by runtime.sh

%struct.plans = type { ptr, ptr, ptr, i64, i32, i32, i32, i32, i32 }
%struct.call = type { ptr, ptr, ptr }
%struct.tensor = type { i64, ptr, i32, i32 }
%struct.plan = type { ptr, ptr, ptr, ptr, i64, ptr }

@wmtune_plans = external hidden local_unnamed_addr constant %struct.plans, align 8

define hidden i32 @wmtune_sequence(ptr noundef %0, ptr noundef %1, ptr noundef %2, ptr noundef %3, ptr noundef %4, ptr noundef %5) local_unnamed_addr #0 {
  %7 = load i32, ptr getelementptr inbounds (%struct.plans, ptr @wmtune_plans, i64 0, i32 6), align 8
  %8 = sext i32 %7 to i64
  %9 = getelementptr inbounds ptr, ptr %3, i64 %8
  %10 = load ptr, ptr %9, align 8
  %11 = load i64, ptr getelementptr inbounds (%struct.plans, ptr @wmtune_plans, i64 0, i32 3), align 8
  %12 = getelementptr inbounds i8, ptr %1, i64 %11
  %13 = getelementptr inbounds %struct.call, ptr %10, i64 0, i32 1
  %14 = load ptr, ptr %13, align 8
  %15 = load i32, ptr getelementptr inbounds (%struct.plans, ptr @wmtune_plans, i64 0, i32 5), align 4
  %16 = sext i32 %15 to i64
  %17 = shl nsw i64 %16, 3
  tail call void @llvm.memcpy.p0.p0.i64(ptr align 1 %12, ptr align 8 %14, i64 %17, i1 false)
  store ptr %12, ptr %9, align 8
  %18 = add nsw i64 %17, 63
  %19 = sdiv i64 %18, 64
  %20 = shl nsw i64 %19, 6
  %21 = getelementptr inbounds i8, ptr %12, i64 %20
  %22 = icmp sgt i32 %7, 0
  br i1 %22, label %23, label %101

23:
  %24 = load ptr, ptr getelementptr inbounds (%struct.plans, ptr @wmtune_plans, i64 0, i32 1), align 8
  %25 = load ptr, ptr getelementptr inbounds (%struct.plans, ptr @wmtune_plans, i64 0, i32 2), align 8
  %26 = add nsw i64 %16, 1
  %27 = icmp sgt i32 %15, 0
  %28 = zext i32 %7 to i64
  br label %29

29:
  %30 = phi i64 [ 0, %23 ], [ %95, %93 ]
  %31 = phi i1 [ true, %23 ], [ %96, %93 ]
  %32 = phi ptr [ %21, %23 ], [ %94, %93 ]
  %33 = getelementptr inbounds %struct.tensor, ptr %24, i64 %30
  %34 = load ptr, ptr %13, align 8
  %35 = load i64, ptr %33, align 1
  %36 = getelementptr inbounds i8, ptr %33, i64 8
  %37 = load ptr, ptr %36, align 1
  %38 = getelementptr inbounds i8, ptr %33, i64 16
  %39 = load i32, ptr %38, align 1
  %40 = icmp sgt i32 %39, 0
  br i1 %40, label %41, label %77

41:
  %42 = zext i32 %39 to i64
  br label %43

43:
  %44 = phi i64 [ 0, %41 ], [ %75, %72 ]
  %45 = phi i64 [ %35, %41 ], [ %74, %72 ]
  %46 = getelementptr inbounds i64, ptr %37, i64 %44
  %47 = load i64, ptr %46, align 8
  %48 = icmp slt i64 %47, 0
  br i1 %48, label %49, label %72

49:
  %50 = xor i64 %47, -1
  %51 = icmp slt i64 %50, %16
  br i1 %51, label %52, label %55

52:
  %53 = getelementptr inbounds i64, ptr %34, i64 %50
  %54 = load i64, ptr %53, align 8
  br label %72

55:
  %56 = sub nsw i64 %50, %16
  %57 = mul nsw i64 %56, %26
  %58 = getelementptr inbounds i64, ptr %25, i64 %57
  %59 = getelementptr inbounds i64, ptr %58, i64 %16
  %60 = load i64, ptr %59, align 8
  br i1 %27, label %61, label %72

61:
  %62 = phi i64 [ %70, %61 ], [ 0, %55 ]
  %63 = phi i64 [ %69, %61 ], [ %60, %55 ]
  %64 = getelementptr inbounds i64, ptr %58, i64 %62
  %65 = load i64, ptr %64, align 8
  %66 = getelementptr inbounds i64, ptr %34, i64 %62
  %67 = load i64, ptr %66, align 8
  %68 = mul nsw i64 %67, %65
  %69 = add nsw i64 %68, %63
  %70 = add nuw nsw i64 %62, 1
  %71 = icmp eq i64 %70, %16
  br i1 %71, label %72, label %61, !llvm.loop !2

72:
  %73 = phi i64 [ %47, %43 ], [ %54, %52 ], [ %60, %55 ], [ %69, %61 ]
  %74 = mul nsw i64 %73, %45
  %75 = add nuw nsw i64 %44, 1
  %76 = icmp eq i64 %75, %42
  br i1 %76, label %77, label %43, !llvm.loop !5

77:
  %78 = phi i64 [ %35, %29 ], [ %74, %72 ]
  %79 = icmp eq i64 %78, 0
  br i1 %79, label %93, label %80

80:
  %81 = getelementptr inbounds ptr, ptr %3, i64 %30
  %82 = load ptr, ptr %81, align 8
  %83 = icmp eq ptr %82, null
  br i1 %83, label %98, label %84

84:
  %85 = ptrtoint ptr %82 to i64
  %86 = and i64 %85, 63
  %87 = icmp eq i64 %86, 0
  br i1 %87, label %93, label %88

88:
  tail call void @llvm.memcpy.p0.p0.i64(ptr align 1 %32, ptr nonnull align 1 %82, i64 %78, i1 false)
  store ptr %32, ptr %81, align 8
  %89 = add nsw i64 %78, 63
  %90 = sdiv i64 %89, 64
  %91 = shl nsw i64 %90, 6
  %92 = getelementptr inbounds i8, ptr %32, i64 %91
  br label %93

93:
  %94 = phi ptr [ %32, %84 ], [ %32, %77 ], [ %92, %88 ]
  %95 = add nuw nsw i64 %30, 1
  %96 = icmp ult i64 %95, %28
  %97 = icmp eq i64 %95, %28
  br i1 %97, label %101, label %29, !llvm.loop !6

98:
  br i1 %31, label %99, label %101

99:
  %100 = load i32, ptr getelementptr inbounds (%struct.plans, ptr @wmtune_plans, i64 0, i32 7), align 4
  br label %328

101:
  %102 = phi ptr [ %32, %98 ], [ %21, %6 ], [ %94, %93 ]
  %103 = load i32, ptr getelementptr inbounds (%struct.plans, ptr @wmtune_plans, i64 0, i32 7), align 4
  %104 = icmp sgt i32 %103, 0
  br i1 %104, label %107, label %105

105:
  %106 = load ptr, ptr %10, align 8
  br label %332

107:
  %108 = load ptr, ptr getelementptr inbounds (%struct.plans, ptr @wmtune_plans, i64 0, i32 2), align 8
  %109 = add nsw i64 %16, 1
  %110 = icmp sgt i32 %15, 0
  %111 = icmp slt i32 %7, 1
  %112 = load ptr, ptr getelementptr inbounds (%struct.plans, ptr @wmtune_plans, i64 0, i32 1), align 8
  %113 = getelementptr inbounds %struct.call, ptr %10, i64 0, i32 2
  %114 = zext i32 %103 to i64
  %115 = load ptr, ptr %10, align 8
  br label %116

116:
  %117 = phi ptr [ %115, %107 ], [ %324, %323 ]
  %118 = phi i64 [ 0, %107 ], [ %326, %323 ]
  %119 = phi ptr [ %102, %107 ], [ %325, %323 ]
  %120 = getelementptr inbounds %struct.plan, ptr %117, i64 0, i32 2
  %121 = load ptr, ptr %120, align 8
  %122 = getelementptr inbounds %struct.tensor, ptr %121, i64 %118
  %123 = load ptr, ptr %13, align 8
  %124 = load i64, ptr %122, align 1
  %125 = getelementptr inbounds i8, ptr %122, i64 8
  %126 = load ptr, ptr %125, align 1
  %127 = getelementptr inbounds i8, ptr %122, i64 16
  %128 = load i32, ptr %127, align 1
  %129 = icmp sgt i32 %128, 0
  br i1 %129, label %130, label %166

130:
  %131 = zext i32 %128 to i64
  br label %132

132:
  %133 = phi i64 [ 0, %130 ], [ %164, %161 ]
  %134 = phi i64 [ %124, %130 ], [ %163, %161 ]
  %135 = getelementptr inbounds i64, ptr %126, i64 %133
  %136 = load i64, ptr %135, align 8
  %137 = icmp slt i64 %136, 0
  br i1 %137, label %138, label %161

138:
  %139 = xor i64 %136, -1
  %140 = icmp slt i64 %139, %16
  br i1 %140, label %141, label %144

141:
  %142 = getelementptr inbounds i64, ptr %123, i64 %139
  %143 = load i64, ptr %142, align 8
  br label %161

144:
  %145 = sub nsw i64 %139, %16
  %146 = mul nsw i64 %145, %109
  %147 = getelementptr inbounds i64, ptr %108, i64 %146
  %148 = getelementptr inbounds i64, ptr %147, i64 %16
  %149 = load i64, ptr %148, align 8
  br i1 %110, label %150, label %161

150:
  %151 = phi i64 [ %159, %150 ], [ 0, %144 ]
  %152 = phi i64 [ %158, %150 ], [ %149, %144 ]
  %153 = getelementptr inbounds i64, ptr %147, i64 %151
  %154 = load i64, ptr %153, align 8
  %155 = getelementptr inbounds i64, ptr %123, i64 %151
  %156 = load i64, ptr %155, align 8
  %157 = mul nsw i64 %156, %154
  %158 = add nsw i64 %157, %152
  %159 = add nuw nsw i64 %151, 1
  %160 = icmp eq i64 %159, %16
  br i1 %160, label %161, label %150, !llvm.loop !2

161:
  %162 = phi i64 [ %136, %132 ], [ %143, %141 ], [ %149, %144 ], [ %158, %150 ]
  %163 = mul nsw i64 %162, %134
  %164 = add nuw nsw i64 %133, 1
  %165 = icmp eq i64 %164, %131
  br i1 %165, label %166, label %132, !llvm.loop !5

166:
  %167 = phi i64 [ %124, %116 ], [ %163, %161 ]
  %168 = icmp eq i64 %167, 0
  br i1 %168, label %177, label %169

169:
  %170 = getelementptr inbounds ptr, ptr %4, i64 %118
  %171 = load ptr, ptr %170, align 8
  %172 = icmp eq ptr %171, null
  br i1 %172, label %328, label %173

173:
  %174 = ptrtoint ptr %171 to i64
  %175 = and i64 %174, 63
  %176 = icmp ne i64 %175, 0
  br label %177

177:
  %178 = phi i1 [ %176, %173 ], [ false, %166 ]
  %179 = select i1 %111, i1 true, i1 %178
  br i1 %179, label %185, label %180

180:
  %181 = getelementptr inbounds ptr, ptr %4, i64 %118
  %182 = load ptr, ptr %181, align 8
  %183 = icmp ne i64 %167, 0
  %184 = getelementptr inbounds i8, ptr %182, i64 %167
  br label %193

185:
  %186 = phi i1 [ %178, %177 ], [ %248, %240 ]
  %187 = icmp eq i64 %118, 0
  br i1 %187, label %315, label %188

188:
  %189 = getelementptr inbounds ptr, ptr %4, i64 %118
  %190 = load ptr, ptr %189, align 8
  %191 = load ptr, ptr %113, align 8
  %192 = getelementptr inbounds i8, ptr %190, i64 %167
  br label %256

193:
  %194 = phi i64 [ 0, %180 ], [ %249, %240 ]
  %195 = getelementptr inbounds ptr, ptr %3, i64 %194
  %196 = load ptr, ptr %195, align 8
  %197 = getelementptr inbounds %struct.tensor, ptr %112, i64 %194
  %198 = load i64, ptr %197, align 1
  %199 = getelementptr inbounds i8, ptr %197, i64 8
  %200 = load ptr, ptr %199, align 1
  %201 = getelementptr inbounds i8, ptr %197, i64 16
  %202 = load i32, ptr %201, align 1
  %203 = icmp sgt i32 %202, 0
  br i1 %203, label %204, label %240

204:
  %205 = zext i32 %202 to i64
  br label %206

206:
  %207 = phi i64 [ 0, %204 ], [ %238, %235 ]
  %208 = phi i64 [ %198, %204 ], [ %237, %235 ]
  %209 = getelementptr inbounds i64, ptr %200, i64 %207
  %210 = load i64, ptr %209, align 8
  %211 = icmp slt i64 %210, 0
  br i1 %211, label %212, label %235

212:
  %213 = xor i64 %210, -1
  %214 = icmp slt i64 %213, %16
  br i1 %214, label %215, label %218

215:
  %216 = getelementptr inbounds i64, ptr %123, i64 %213
  %217 = load i64, ptr %216, align 8
  br label %235

218:
  %219 = sub nsw i64 %213, %16
  %220 = mul nsw i64 %219, %109
  %221 = getelementptr inbounds i64, ptr %108, i64 %220
  %222 = getelementptr inbounds i64, ptr %221, i64 %16
  %223 = load i64, ptr %222, align 8
  br i1 %110, label %224, label %235

224:
  %225 = phi i64 [ %233, %224 ], [ 0, %218 ]
  %226 = phi i64 [ %232, %224 ], [ %223, %218 ]
  %227 = getelementptr inbounds i64, ptr %221, i64 %225
  %228 = load i64, ptr %227, align 8
  %229 = getelementptr inbounds i64, ptr %123, i64 %225
  %230 = load i64, ptr %229, align 8
  %231 = mul nsw i64 %230, %228
  %232 = add nsw i64 %231, %226
  %233 = add nuw nsw i64 %225, 1
  %234 = icmp eq i64 %233, %16
  br i1 %234, label %235, label %224, !llvm.loop !2

235:
  %236 = phi i64 [ %210, %206 ], [ %217, %215 ], [ %223, %218 ], [ %232, %224 ]
  %237 = mul nsw i64 %236, %208
  %238 = add nuw nsw i64 %207, 1
  %239 = icmp eq i64 %238, %205
  br i1 %239, label %240, label %206, !llvm.loop !5

240:
  %241 = phi i64 [ %198, %193 ], [ %237, %235 ]
  %242 = icmp ne i64 %241, 0
  %243 = and i1 %183, %242
  %244 = getelementptr inbounds i8, ptr %196, i64 %241
  %245 = icmp ugt ptr %244, %182
  %246 = select i1 %243, i1 %245, i1 false
  %247 = icmp ugt ptr %184, %196
  %248 = select i1 %246, i1 %247, i1 false
  %249 = add nuw nsw i64 %194, 1
  %250 = icmp sge i64 %249, %8
  %251 = select i1 %250, i1 true, i1 %248
  br i1 %251, label %185, label %193, !llvm.loop !7

252:
  %253 = add nuw nsw i64 %257, 1
  %254 = icmp ult i64 %253, %118
  %255 = icmp eq i64 %253, %118
  br i1 %255, label %314, label %256, !llvm.loop !8

256:
  %257 = phi i64 [ 0, %188 ], [ %253, %252 ]
  %258 = phi i1 [ true, %188 ], [ %254, %252 ]
  %259 = getelementptr inbounds ptr, ptr %191, i64 %257
  %260 = load ptr, ptr %259, align 8
  %261 = getelementptr inbounds %struct.tensor, ptr %121, i64 %257
  %262 = load i64, ptr %261, align 1
  %263 = getelementptr inbounds i8, ptr %261, i64 8
  %264 = load ptr, ptr %263, align 1
  %265 = getelementptr inbounds i8, ptr %261, i64 16
  %266 = load i32, ptr %265, align 1
  %267 = icmp sgt i32 %266, 0
  br i1 %267, label %268, label %304

268:
  %269 = zext i32 %266 to i64
  br label %270

270:
  %271 = phi i64 [ 0, %268 ], [ %302, %299 ]
  %272 = phi i64 [ %262, %268 ], [ %301, %299 ]
  %273 = getelementptr inbounds i64, ptr %264, i64 %271
  %274 = load i64, ptr %273, align 8
  %275 = icmp slt i64 %274, 0
  br i1 %275, label %276, label %299

276:
  %277 = xor i64 %274, -1
  %278 = icmp slt i64 %277, %16
  br i1 %278, label %279, label %282

279:
  %280 = getelementptr inbounds i64, ptr %123, i64 %277
  %281 = load i64, ptr %280, align 8
  br label %299

282:
  %283 = sub nsw i64 %277, %16
  %284 = mul nsw i64 %283, %109
  %285 = getelementptr inbounds i64, ptr %108, i64 %284
  %286 = getelementptr inbounds i64, ptr %285, i64 %16
  %287 = load i64, ptr %286, align 8
  br i1 %110, label %288, label %299

288:
  %289 = phi i64 [ %297, %288 ], [ 0, %282 ]
  %290 = phi i64 [ %296, %288 ], [ %287, %282 ]
  %291 = getelementptr inbounds i64, ptr %285, i64 %289
  %292 = load i64, ptr %291, align 8
  %293 = getelementptr inbounds i64, ptr %123, i64 %289
  %294 = load i64, ptr %293, align 8
  %295 = mul nsw i64 %294, %292
  %296 = add nsw i64 %295, %290
  %297 = add nuw nsw i64 %289, 1
  %298 = icmp eq i64 %297, %16
  br i1 %298, label %299, label %288, !llvm.loop !2

299:
  %300 = phi i64 [ %274, %270 ], [ %281, %279 ], [ %287, %282 ], [ %296, %288 ]
  %301 = mul nsw i64 %300, %272
  %302 = add nuw nsw i64 %271, 1
  %303 = icmp eq i64 %302, %269
  br i1 %303, label %304, label %270, !llvm.loop !5

304:
  %305 = phi i64 [ %262, %256 ], [ %301, %299 ]
  %306 = icmp eq i64 %305, 0
  %307 = or i1 %168, %306
  %308 = getelementptr inbounds i8, ptr %260, i64 %305
  %309 = icmp ule ptr %308, %190
  %310 = select i1 %307, i1 true, i1 %309
  %311 = icmp ule ptr %192, %260
  %312 = select i1 %310, i1 true, i1 %311
  br i1 %312, label %252, label %313

313:
  br i1 %258, label %328, label %323

314:
  br i1 %186, label %316, label %323

315:
  br i1 %186, label %316, label %323

316:
  %317 = getelementptr inbounds ptr, ptr %4, i64 %118
  store ptr %119, ptr %317, align 8
  %318 = add nsw i64 %167, 63
  %319 = sdiv i64 %318, 64
  %320 = shl nsw i64 %319, 6
  %321 = getelementptr inbounds i8, ptr %119, i64 %320
  %322 = load ptr, ptr %10, align 8
  br label %323

323:
  %324 = phi ptr [ %322, %316 ], [ %117, %313 ], [ %117, %315 ], [ %117, %314 ]
  %325 = phi ptr [ %321, %316 ], [ %119, %313 ], [ %119, %315 ], [ %119, %314 ]
  %326 = add nuw nsw i64 %118, 1
  %327 = icmp eq i64 %326, %114
  br i1 %327, label %332, label %116, !llvm.loop !9

328:
  %329 = phi i32 [ %100, %99 ], [ %103, %313 ], [ %103, %169 ]
  %330 = phi i32 [ -9, %99 ], [ -9, %169 ], [ -10, %313 ]
  %331 = icmp sgt i32 %329, 0
  br i1 %331, label %347, label %428

332:
  %333 = phi ptr [ %106, %105 ], [ %324, %323 ]
  %334 = getelementptr inbounds %struct.plan, ptr %333, i64 0, i32 5
  %335 = load ptr, ptr %334, align 8
  %336 = tail call i32 %335(ptr noundef %0, ptr noundef %1, ptr noundef %2, ptr noundef %3, ptr noundef %4, ptr noundef %5) #7
  %337 = icmp eq i32 %336, 0
  %338 = icmp sgt i32 %103, 0
  %339 = select i1 %338, i1 %337, i1 false
  br i1 %339, label %340, label %346

340:
  %341 = load ptr, ptr getelementptr inbounds (%struct.plans, ptr @wmtune_plans, i64 0, i32 2), align 8
  %342 = add nsw i64 %16, 1
  %343 = icmp sgt i32 %15, 0
  %344 = getelementptr inbounds %struct.call, ptr %10, i64 0, i32 2
  %345 = zext i32 %103 to i64
  br label %352

346:
  br i1 %338, label %347, label %428

347:
  %348 = phi i32 [ %329, %328 ], [ %103, %346 ]
  %349 = phi i32 [ %330, %328 ], [ %336, %346 ]
  %350 = getelementptr inbounds %struct.call, ptr %10, i64 0, i32 2
  %351 = zext i32 %348 to i64
  br label %430

352:
  %353 = phi i64 [ 0, %340 ], [ %369, %426 ]
  %354 = load ptr, ptr %10, align 8
  %355 = getelementptr inbounds %struct.plan, ptr %354, i64 0, i32 3
  %356 = load ptr, ptr %355, align 8
  %357 = getelementptr inbounds ptr, ptr %356, i64 %353
  %358 = load ptr, ptr %357, align 8
  %359 = getelementptr inbounds %struct.plan, ptr %354, i64 0, i32 2
  %360 = load ptr, ptr %359, align 8
  %361 = getelementptr inbounds %struct.tensor, ptr %360, i64 %353
  %362 = load i64, ptr %361, align 8
  %363 = getelementptr inbounds i8, ptr %361, i64 8
  %364 = getelementptr inbounds i8, ptr %361, i64 16
  %365 = load i32, ptr %364, align 8
  %366 = getelementptr inbounds i8, ptr %361, i64 20
  %367 = load i32, ptr %366, align 4
  %368 = icmp eq i32 %367, 0
  %369 = add nuw nsw i64 %353, 1
  %370 = getelementptr inbounds ptr, ptr %4, i64 %369
  %371 = select i1 %368, ptr %363, ptr %370
  %372 = load ptr, ptr %371, align 8
  %373 = load ptr, ptr %13, align 8
  %374 = icmp sgt i32 %365, 0
  br i1 %374, label %375, label %411

375:
  %376 = zext i32 %365 to i64
  br label %377

377:
  %378 = phi i64 [ 0, %375 ], [ %409, %406 ]
  %379 = phi i64 [ %362, %375 ], [ %408, %406 ]
  %380 = getelementptr inbounds i64, ptr %372, i64 %378
  %381 = load i64, ptr %380, align 8
  %382 = icmp slt i64 %381, 0
  br i1 %382, label %383, label %406

383:
  %384 = xor i64 %381, -1
  %385 = icmp slt i64 %384, %16
  br i1 %385, label %386, label %389

386:
  %387 = getelementptr inbounds i64, ptr %373, i64 %384
  %388 = load i64, ptr %387, align 8
  br label %406

389:
  %390 = sub nsw i64 %384, %16
  %391 = mul nsw i64 %390, %342
  %392 = getelementptr inbounds i64, ptr %341, i64 %391
  %393 = getelementptr inbounds i64, ptr %392, i64 %16
  %394 = load i64, ptr %393, align 8
  br i1 %343, label %395, label %406

395:
  %396 = phi i64 [ %404, %395 ], [ 0, %389 ]
  %397 = phi i64 [ %403, %395 ], [ %394, %389 ]
  %398 = getelementptr inbounds i64, ptr %392, i64 %396
  %399 = load i64, ptr %398, align 8
  %400 = getelementptr inbounds i64, ptr %373, i64 %396
  %401 = load i64, ptr %400, align 8
  %402 = mul nsw i64 %401, %399
  %403 = add nsw i64 %402, %397
  %404 = add nuw nsw i64 %396, 1
  %405 = icmp eq i64 %404, %16
  br i1 %405, label %406, label %395, !llvm.loop !2

406:
  %407 = phi i64 [ %381, %377 ], [ %388, %386 ], [ %394, %389 ], [ %403, %395 ]
  %408 = mul nsw i64 %407, %379
  %409 = add nuw nsw i64 %378, 1
  %410 = icmp eq i64 %409, %376
  br i1 %410, label %411, label %377, !llvm.loop !5

411:
  %412 = phi i64 [ %362, %352 ], [ %408, %406 ]
  %413 = icmp eq ptr %358, null
  br i1 %413, label %418, label %414

414:
  %415 = load ptr, ptr %344, align 8
  %416 = getelementptr inbounds ptr, ptr %415, i64 %353
  %417 = load ptr, ptr %416, align 8
  tail call void @llvm.memcpy.p0.p0.i64(ptr align 1 %417, ptr nonnull align 8 %358, i64 %412, i1 false)
  br label %426

418:
  %419 = getelementptr inbounds ptr, ptr %4, i64 %353
  %420 = load ptr, ptr %419, align 8
  %421 = load ptr, ptr %344, align 8
  %422 = getelementptr inbounds ptr, ptr %421, i64 %353
  %423 = load ptr, ptr %422, align 8
  %424 = icmp eq ptr %420, %423
  br i1 %424, label %426, label %425

425:
  tail call void @llvm.memcpy.p0.p0.i64(ptr align 1 %423, ptr align 1 %420, i64 %412, i1 false)
  br label %426

426:
  %427 = icmp ult i64 %369, %345
  br i1 %427, label %352, label %346, !llvm.loop !10

428:
  %429 = phi i32 [ %330, %328 ], [ %336, %346 ], [ %349, %430 ]
  ret i32 %429

430:
  %431 = phi i64 [ 0, %347 ], [ %436, %430 ]
  %432 = load ptr, ptr %350, align 8
  %433 = getelementptr inbounds ptr, ptr %432, i64 %431
  %434 = load ptr, ptr %433, align 8
  %435 = getelementptr inbounds ptr, ptr %4, i64 %431
  store ptr %434, ptr %435, align 8
  %436 = add nuw nsw i64 %431, 1
  %437 = icmp eq i64 %436, %351
  br i1 %437, label %428, label %430, !llvm.loop !11
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
  %12 = load i32, ptr getelementptr inbounds (%struct.plans, ptr @wmtune_plans, i64 0, i32 6), align 8
  %13 = icmp eq i32 %12, 0
  %14 = select i1 %11, i1 true, i1 %13
  br i1 %14, label %15, label %20

15:
  %16 = icmp ne ptr %3, null
  %17 = load i32, ptr getelementptr inbounds (%struct.plans, ptr @wmtune_plans, i64 0, i32 7), align 4
  %18 = icmp eq i32 %17, 0
  %19 = select i1 %16, i1 true, i1 %18
  br i1 %19, label %22, label %20

20:
  %21 = select i1 %7, i32 -9, i32 -8
  br label %90

22:
  call void @llvm.lifetime.start.p0(i64 24, ptr nonnull %6) #7
  %23 = load i32, ptr getelementptr inbounds (%struct.plans, ptr @wmtune_plans, i64 0, i32 4), align 8
  %24 = icmp slt i32 %23, 1
  br i1 %24, label %67, label %25

25:
  %26 = load ptr, ptr @wmtune_plans, align 8
  %27 = load i32, ptr getelementptr inbounds (%struct.plans, ptr @wmtune_plans, i64 0, i32 5), align 4
  %28 = icmp sgt i32 %27, 0
  %29 = zext i32 %23 to i64
  %30 = zext i32 %27 to i64
  br label %34

31:
  %32 = add nuw nsw i64 %35, 1
  %33 = icmp eq i64 %32, %29
  br i1 %33, label %67, label %34, !llvm.loop !12

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
  br i1 %54, label %55, label %40, !llvm.loop !13

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
  %68 = load i32, ptr getelementptr inbounds (%struct.plans, ptr @wmtune_plans, i64 0, i32 8), align 8
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
  %3 = load i32, ptr getelementptr inbounds (%struct.plans, ptr @wmtune_plans, i64 0, i32 4), align 8
  %4 = icmp slt i32 %3, 1
  %5 = select i1 %2, i1 true, i1 %4
  br i1 %5, label %46, label %6

6:
  %7 = load ptr, ptr @wmtune_plans, align 8
  %8 = load i32, ptr getelementptr inbounds (%struct.plans, ptr @wmtune_plans, i64 0, i32 5), align 4
  %9 = icmp sgt i32 %8, 0
  %10 = zext i32 %3 to i64
  %11 = zext i32 %8 to i64
  br label %15

12:
  %13 = add nuw nsw i64 %16, 1
  %14 = icmp eq i64 %13, %10
  br i1 %14, label %46, label %15, !llvm.loop !12

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
  br i1 %35, label %43, label %21, !llvm.loop !13

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
  %4 = load i32, ptr getelementptr inbounds (%struct.plans, ptr @wmtune_plans, i64 0, i32 4), align 8
  %5 = icmp slt i32 %4, 1
  %6 = select i1 %3, i1 true, i1 %5
  br i1 %6, label %153, label %7

7:
  %8 = load ptr, ptr @wmtune_plans, align 8
  %9 = load i32, ptr getelementptr inbounds (%struct.plans, ptr @wmtune_plans, i64 0, i32 5), align 4
  %10 = icmp sgt i32 %9, 0
  %11 = zext i32 %4 to i64
  %12 = zext i32 %9 to i64
  br label %16

13:
  %14 = add nuw nsw i64 %17, 1
  %15 = icmp eq i64 %14, %11
  br i1 %15, label %153, label %16, !llvm.loop !12

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
  br i1 %36, label %42, label %22, !llvm.loop !13

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
  br i1 %45, label %153, label %46

46:
  %47 = load i32, ptr getelementptr inbounds (%struct.plans, ptr @wmtune_plans, i64 0, i32 6), align 8
  %48 = load i32, ptr getelementptr inbounds (%struct.plans, ptr @wmtune_plans, i64 0, i32 7), align 4
  %49 = add nsw i32 %48, %47
  %50 = icmp sgt i32 %49, %1
  br i1 %50, label %51, label %153

51:
  %52 = icmp sgt i32 %47, %1
  br i1 %52, label %53, label %102

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
  br i1 %62, label %63, label %153

63:
  %64 = sext i32 %9 to i64
  %65 = load ptr, ptr getelementptr inbounds (%struct.plans, ptr @wmtune_plans, i64 0, i32 2), align 8
  %66 = add nsw i64 %64, 1
  %67 = zext i32 %61 to i64
  br label %68

68:
  %69 = phi i64 [ 0, %63 ], [ %100, %97 ]
  %70 = phi i64 [ %57, %63 ], [ %99, %97 ]
  %71 = getelementptr inbounds i64, ptr %59, i64 %69
  %72 = load i64, ptr %71, align 8
  %73 = icmp slt i64 %72, 0
  br i1 %73, label %74, label %97

74:
  %75 = xor i64 %72, -1
  %76 = icmp slt i64 %75, %64
  br i1 %76, label %77, label %80

77:
  %78 = getelementptr inbounds i64, ptr %0, i64 %75
  %79 = load i64, ptr %78, align 8
  br label %97

80:
  %81 = sub nsw i64 %75, %64
  %82 = mul nsw i64 %81, %66
  %83 = getelementptr inbounds i64, ptr %65, i64 %82
  %84 = getelementptr inbounds i64, ptr %83, i64 %64
  %85 = load i64, ptr %84, align 8
  br i1 %10, label %86, label %97

86:
  %87 = phi i64 [ %95, %86 ], [ 0, %80 ]
  %88 = phi i64 [ %94, %86 ], [ %85, %80 ]
  %89 = getelementptr inbounds i64, ptr %83, i64 %87
  %90 = load i64, ptr %89, align 8
  %91 = getelementptr inbounds i64, ptr %0, i64 %87
  %92 = load i64, ptr %91, align 8
  %93 = mul nsw i64 %92, %90
  %94 = add nsw i64 %93, %88
  %95 = add nuw nsw i64 %87, 1
  %96 = icmp eq i64 %95, %64
  br i1 %96, label %97, label %86, !llvm.loop !2

97:
  %98 = phi i64 [ %72, %68 ], [ %79, %77 ], [ %85, %80 ], [ %94, %86 ]
  %99 = mul nsw i64 %98, %70
  %100 = add nuw nsw i64 %69, 1
  %101 = icmp eq i64 %100, %67
  br i1 %101, label %153, label %68, !llvm.loop !5

102:
  %103 = getelementptr inbounds %struct.plan, ptr %8, i64 %17, i32 2
  %104 = load ptr, ptr %103, align 8
  %105 = sub nsw i32 %1, %47
  %106 = sext i32 %105 to i64
  %107 = getelementptr inbounds %struct.tensor, ptr %104, i64 %106
  %108 = load i64, ptr %107, align 1
  %109 = getelementptr inbounds i8, ptr %107, i64 8
  %110 = load ptr, ptr %109, align 1
  %111 = getelementptr inbounds i8, ptr %107, i64 16
  %112 = load i32, ptr %111, align 1
  %113 = icmp sgt i32 %112, 0
  br i1 %113, label %114, label %153

114:
  %115 = sext i32 %9 to i64
  %116 = load ptr, ptr getelementptr inbounds (%struct.plans, ptr @wmtune_plans, i64 0, i32 2), align 8
  %117 = add nsw i64 %115, 1
  %118 = zext i32 %112 to i64
  br label %119

119:
  %120 = phi i64 [ 0, %114 ], [ %151, %148 ]
  %121 = phi i64 [ %108, %114 ], [ %150, %148 ]
  %122 = getelementptr inbounds i64, ptr %110, i64 %120
  %123 = load i64, ptr %122, align 8
  %124 = icmp slt i64 %123, 0
  br i1 %124, label %125, label %148

125:
  %126 = xor i64 %123, -1
  %127 = icmp slt i64 %126, %115
  br i1 %127, label %128, label %131

128:
  %129 = getelementptr inbounds i64, ptr %0, i64 %126
  %130 = load i64, ptr %129, align 8
  br label %148

131:
  %132 = sub nsw i64 %126, %115
  %133 = mul nsw i64 %132, %117
  %134 = getelementptr inbounds i64, ptr %116, i64 %133
  %135 = getelementptr inbounds i64, ptr %134, i64 %115
  %136 = load i64, ptr %135, align 8
  br i1 %10, label %137, label %148

137:
  %138 = phi i64 [ %146, %137 ], [ 0, %131 ]
  %139 = phi i64 [ %145, %137 ], [ %136, %131 ]
  %140 = getelementptr inbounds i64, ptr %134, i64 %138
  %141 = load i64, ptr %140, align 8
  %142 = getelementptr inbounds i64, ptr %0, i64 %138
  %143 = load i64, ptr %142, align 8
  %144 = mul nsw i64 %143, %141
  %145 = add nsw i64 %144, %139
  %146 = add nuw nsw i64 %138, 1
  %147 = icmp eq i64 %146, %115
  br i1 %147, label %148, label %137, !llvm.loop !2

148:
  %149 = phi i64 [ %123, %119 ], [ %130, %128 ], [ %136, %131 ], [ %145, %137 ]
  %150 = mul nsw i64 %149, %121
  %151 = add nuw nsw i64 %120, 1
  %152 = icmp eq i64 %151, %118
  br i1 %152, label %153, label %119, !llvm.loop !5

153:
  %154 = phi i64 [ -1, %46 ], [ -1, %42 ], [ %57, %53 ], [ %108, %102 ], [ -1, %2 ], [ %99, %97 ], [ %150, %148 ], [ -1, %13 ]
  ret i64 %154
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
!13 = distinct !{!13, !3, !4}
