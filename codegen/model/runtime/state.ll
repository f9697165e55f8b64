; 074783b8035165dd6d74c9c394d3123606ed7e5e61e8abcba9ed5fe540116dc3 of plans.c, state.c; by runtime.sh

%struct.plans = type { ptr, ptr, i64, i32, i32, i32, i32, i32 }
%struct.states = type { ptr, i64, i64, i32, i32, i32, i32 }
%struct.call = type { ptr, ptr, ptr }
%struct.tensor = type { i64, ptr, i32, i32 }
%struct.plan = type { ptr, ptr, ptr, ptr, i64, ptr }
%struct.command = type { i32, i64, ptr, ptr, ptr, ptr, ptr }
%struct.kept = type { i64, i64, i64, i64 }

@wmtune_plans = external hidden local_unnamed_addr constant %struct.plans, align 8
@wmtune_states = external hidden local_unnamed_addr constant %struct.states, align 8

define hidden i32 @wmtune_plan_sequence(ptr noundef %0, ptr noundef %1, ptr noundef %2, ptr noundef %3, ptr noundef %4, ptr noundef %5) local_unnamed_addr #0 {
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
  br i1 %54, label %55, label %40

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
  br i1 %75, label %79, label %26

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
  br i1 %121, label %122, label %107

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
  br i1 %176, label %177, label %162

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
  br i1 %188, label %141, label %149

189:
  %190 = add nuw nsw i64 %194, 1
  %191 = icmp ult i64 %190, %93
  %192 = icmp eq i64 %190, %93
  br i1 %192, label %232, label %193

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
  br i1 %221, label %222, label %207

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
  br i1 %245, label %250, label %91

246:
  %247 = phi i32 [ %78, %77 ], [ %81, %231 ], [ %81, %125 ]
  %248 = phi i32 [ -9, %77 ], [ -9, %125 ], [ -10, %231 ]
  %249 = icmp sgt i32 %247, 0
  br i1 %249, label %262, label %324

250:
  %251 = phi ptr [ %84, %83 ], [ %242, %241 ]
  %252 = getelementptr inbounds %struct.plan, ptr %251, i64 0, i32 5
  %253 = load ptr, ptr %252, align 8
  %254 = tail call i32 %253(ptr noundef %0, ptr noundef %1, ptr noundef %2, ptr noundef %3, ptr noundef %4, ptr noundef %5) #11
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
  br i1 %306, label %307, label %292

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
  br i1 %323, label %267, label %261

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
  br i1 %333, label %324, label %326
}

declare void @llvm.lifetime.start.p0(i64 immarg, ptr nocapture) #1

declare void @llvm.memcpy.p0.p0.i64(ptr noalias nocapture writeonly, ptr noalias nocapture readonly, i64, i1 immarg) #2

declare void @llvm.lifetime.end.p0(i64 immarg, ptr nocapture) #1

define i32 @wmtune_plan_run(ptr noundef %0, ptr noundef %1, ptr noundef %2, ptr noundef %3) local_unnamed_addr #0 {
  %5 = tail call fastcc i32 @run(ptr noundef %0, ptr noundef %1, ptr noundef %2, ptr noundef %3, ptr noundef null) #12
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
  br label %50

22:
  call void @llvm.lifetime.start.p0(i64 24, ptr nonnull %6) #13
  %23 = tail call fastcc ptr @find(ptr noundef nonnull %1) #12
  store ptr %23, ptr %6, align 8
  %24 = getelementptr inbounds %struct.call, ptr %6, i64 0, i32 1
  store ptr %1, ptr %24, align 8
  %25 = getelementptr inbounds %struct.call, ptr %6, i64 0, i32 2
  store ptr %3, ptr %25, align 8
  %26 = icmp eq ptr %23, null
  br i1 %26, label %27, label %29

27:
  %28 = load i32, ptr getelementptr inbounds (%struct.plans, ptr @wmtune_plans, i64 0, i32 7), align 8
  br label %48

29:
  %30 = add nsw i32 %12, 1
  %31 = zext i32 %30 to i64
  %32 = tail call ptr @llvm.stacksave()
  %33 = alloca ptr, i64 %31, align 16
  %34 = icmp sgt i32 %12, 0
  br i1 %34, label %35, label %38

35:
  %36 = zext i32 %12 to i64
  %37 = shl nuw nsw i64 %36, 3
  call void @llvm.memcpy.p0.p0.i64(ptr nonnull align 16 %33, ptr align 8 %2, i64 %37, i1 false)
  br label %38

38:
  %39 = sext i32 %12 to i64
  %40 = getelementptr inbounds ptr, ptr %33, i64 %39
  store ptr %6, ptr %40, align 8
  %41 = icmp eq ptr %4, null
  br i1 %41, label %44, label %42

42:
  %43 = call i32 @wmtune_profile(ptr noundef nonnull %0, ptr noundef nonnull %33, ptr noundef %3, ptr noundef nonnull %4) #11
  br label %46

44:
  %45 = call i32 @wmtune_run(ptr noundef nonnull %0, ptr noundef nonnull %33, ptr noundef %3) #11
  br label %46

46:
  %47 = phi i32 [ %43, %42 ], [ %45, %44 ]
  call void @llvm.stackrestore(ptr %32)
  br label %48

48:
  %49 = phi i32 [ %47, %46 ], [ %28, %27 ]
  call void @llvm.lifetime.end.p0(i64 24, ptr nonnull %6) #13
  br label %50

50:
  %51 = phi i32 [ %49, %48 ], [ %21, %20 ]
  ret i32 %51
}

define i32 @wmtune_plan_profile(ptr noundef %0, ptr noundef %1, ptr noundef %2, ptr noundef %3, ptr noundef %4) local_unnamed_addr #0 {
  %6 = tail call fastcc i32 @run(ptr noundef %0, ptr noundef %1, ptr noundef %2, ptr noundef %3, ptr noundef %4) #12
  ret i32 %6
}

define i64 @wmtune_plan_memory(ptr noundef readonly %0) local_unnamed_addr #3 {
  %2 = tail call fastcc ptr @find(ptr noundef %0) #12
  %3 = icmp eq ptr %2, null
  br i1 %3, label %7, label %4

4:
  %5 = getelementptr inbounds %struct.plan, ptr %2, i64 0, i32 4
  %6 = load i64, ptr %5, align 8
  br label %7

7:
  %8 = phi i64 [ %6, %4 ], [ -1, %1 ]
  ret i64 %8
}

define internal fastcc ptr @find(ptr noundef readonly %0) unnamed_addr #3 {
  %2 = icmp eq ptr %0, null
  %3 = load i32, ptr getelementptr inbounds (%struct.plans, ptr @wmtune_plans, i64 0, i32 3), align 8
  %4 = icmp slt i32 %3, 1
  %5 = select i1 %2, i1 true, i1 %4
  br i1 %5, label %41, label %6

6:
  %7 = load ptr, ptr @wmtune_plans, align 8
  %8 = load i32, ptr getelementptr inbounds (%struct.plans, ptr @wmtune_plans, i64 0, i32 4), align 4
  %9 = icmp sgt i32 %8, 0
  %10 = zext i32 %3 to i64
  %11 = zext i32 %8 to i64
  br label %15

12:
  %13 = add nuw nsw i64 %16, 1
  %14 = icmp ult i64 %13, %10
  br i1 %14, label %15, label %41

15:
  %16 = phi i64 [ 0, %6 ], [ %13, %12 ]
  %17 = getelementptr inbounds %struct.plan, ptr %7, i64 %16
  %18 = getelementptr inbounds %struct.plan, ptr %7, i64 %16, i32 1
  br i1 %9, label %19, label %38

19:
  %20 = load ptr, ptr %17, align 8
  br label %21

21:
  %22 = phi i64 [ 0, %19 ], [ %34, %33 ]
  %23 = getelementptr inbounds i64, ptr %20, i64 %22
  %24 = load i64, ptr %23, align 8
  %25 = getelementptr inbounds i64, ptr %0, i64 %22
  %26 = load i64, ptr %25, align 8
  %27 = icmp sgt i64 %24, %26
  br i1 %27, label %36, label %28

28:
  %29 = load ptr, ptr %18, align 8
  %30 = getelementptr inbounds i64, ptr %29, i64 %22
  %31 = load i64, ptr %30, align 8
  %32 = icmp sgt i64 %26, %31
  br i1 %32, label %36, label %33

33:
  %34 = add nuw nsw i64 %22, 1
  %35 = icmp eq i64 %34, %11
  br i1 %35, label %41, label %21

36:
  %37 = trunc i64 %22 to i32
  br label %38

38:
  %39 = phi i32 [ 0, %15 ], [ %37, %36 ]
  %40 = icmp eq i32 %39, %8
  br i1 %40, label %41, label %12

41:
  %42 = phi ptr [ null, %1 ], [ %17, %33 ], [ null, %12 ], [ %17, %38 ]
  ret ptr %42
}

define i64 @wmtune_plan_bytes(ptr noundef readonly %0, i32 noundef %1) local_unnamed_addr #4 {
  %3 = tail call fastcc ptr @find(ptr noundef %0) #12
  %4 = icmp eq ptr %3, null
  %5 = icmp slt i32 %1, 0
  %6 = or i1 %5, %4
  br i1 %6, label %70, label %7

7:
  %8 = load i32, ptr getelementptr inbounds (%struct.plans, ptr @wmtune_plans, i64 0, i32 5), align 8
  %9 = load i32, ptr getelementptr inbounds (%struct.plans, ptr @wmtune_plans, i64 0, i32 6), align 4
  %10 = add nsw i32 %9, %8
  %11 = icmp sgt i32 %10, %1
  br i1 %11, label %12, label %70

12:
  %13 = icmp sgt i32 %8, %1
  br i1 %13, label %14, label %41

14:
  %15 = load ptr, ptr getelementptr inbounds (%struct.plans, ptr @wmtune_plans, i64 0, i32 1), align 8
  %16 = zext i32 %1 to i64
  %17 = getelementptr inbounds %struct.tensor, ptr %15, i64 %16
  %18 = load i64, ptr %17, align 1
  %19 = getelementptr inbounds i8, ptr %17, i64 8
  %20 = load ptr, ptr %19, align 1
  %21 = getelementptr inbounds i8, ptr %17, i64 16
  %22 = load i32, ptr %21, align 1
  %23 = icmp sgt i32 %22, 0
  br i1 %23, label %24, label %70

24:
  %25 = zext i32 %22 to i64
  br label %26

26:
  %27 = phi i64 [ 0, %24 ], [ %39, %36 ]
  %28 = phi i64 [ %18, %24 ], [ %38, %36 ]
  %29 = getelementptr inbounds i64, ptr %20, i64 %27
  %30 = load i64, ptr %29, align 8
  %31 = icmp slt i64 %30, 0
  br i1 %31, label %32, label %36

32:
  %33 = xor i64 %30, -1
  %34 = getelementptr inbounds i64, ptr %0, i64 %33
  %35 = load i64, ptr %34, align 8
  br label %36

36:
  %37 = phi i64 [ %35, %32 ], [ %30, %26 ]
  %38 = mul nsw i64 %37, %28
  %39 = add nuw nsw i64 %27, 1
  %40 = icmp eq i64 %39, %25
  br i1 %40, label %70, label %26

41:
  %42 = getelementptr inbounds %struct.plan, ptr %3, i64 0, i32 2
  %43 = load ptr, ptr %42, align 8
  %44 = sub nsw i32 %1, %8
  %45 = sext i32 %44 to i64
  %46 = getelementptr inbounds %struct.tensor, ptr %43, i64 %45
  %47 = load i64, ptr %46, align 1
  %48 = getelementptr inbounds i8, ptr %46, i64 8
  %49 = load ptr, ptr %48, align 1
  %50 = getelementptr inbounds i8, ptr %46, i64 16
  %51 = load i32, ptr %50, align 1
  %52 = icmp sgt i32 %51, 0
  br i1 %52, label %53, label %70

53:
  %54 = zext i32 %51 to i64
  br label %55

55:
  %56 = phi i64 [ 0, %53 ], [ %68, %65 ]
  %57 = phi i64 [ %47, %53 ], [ %67, %65 ]
  %58 = getelementptr inbounds i64, ptr %49, i64 %56
  %59 = load i64, ptr %58, align 8
  %60 = icmp slt i64 %59, 0
  br i1 %60, label %61, label %65

61:
  %62 = xor i64 %59, -1
  %63 = getelementptr inbounds i64, ptr %0, i64 %62
  %64 = load i64, ptr %63, align 8
  br label %65

65:
  %66 = phi i64 [ %64, %61 ], [ %59, %55 ]
  %67 = mul nsw i64 %66, %57
  %68 = add nuw nsw i64 %56, 1
  %69 = icmp eq i64 %68, %54
  br i1 %69, label %70, label %55

70:
  %71 = phi i64 [ -1, %7 ], [ -1, %2 ], [ %18, %14 ], [ %47, %41 ], [ %38, %36 ], [ %67, %65 ]
  ret i64 %71
}

define hidden i32 @wmtune_sequence(ptr noundef %0, ptr noundef %1, ptr noundef %2, ptr noundef %3, ptr noundef %4, ptr noundef %5) local_unnamed_addr #0 {
  %7 = load i32, ptr getelementptr inbounds (%struct.plans, ptr @wmtune_plans, i64 0, i32 5), align 8
  %8 = sext i32 %7 to i64
  %9 = getelementptr inbounds ptr, ptr %3, i64 %8
  %10 = load ptr, ptr %9, align 8
  %11 = load i32, ptr %10, align 8
  switch i32 %11, label %49 [
    i32 0, label %12
    i32 2, label %14
    i32 3, label %24
    i32 10, label %31
    i32 11, label %31
    i32 4, label %44
    i32 12, label %47
  ]

12:
  %13 = tail call fastcc i32 @run_on(ptr noundef %0, ptr noundef %1, ptr noundef %2, ptr noundef nonnull %3, ptr noundef %4, ptr noundef %5, ptr noundef nonnull %10) #12
  br label %52

14:
  %15 = getelementptr inbounds %struct.command, ptr %10, i64 0, i32 1
  %16 = load i64, ptr %15, align 8
  %17 = icmp slt i64 %16, 0
  br i1 %17, label %21, label %18

18:
  %19 = load i64, ptr %1, align 8
  %20 = icmp sgt i64 %16, %19
  br i1 %20, label %21, label %23

21:
  %22 = load i32, ptr getelementptr inbounds (%struct.states, ptr @wmtune_states, i64 0, i32 6), align 4
  br label %52

23:
  store i64 %16, ptr %1, align 8
  br label %49

24:
  store i32 4, ptr %10, align 8
  %25 = load i64, ptr %1, align 8
  %26 = getelementptr inbounds %struct.command, ptr %10, i64 0, i32 1
  store i64 %25, ptr %26, align 8
  %27 = getelementptr inbounds %struct.command, ptr %10, i64 0, i32 4
  store ptr %1, ptr %27, align 8
  %28 = getelementptr inbounds %struct.command, ptr %10, i64 0, i32 5
  %29 = load ptr, ptr %28, align 8
  %30 = tail call fastcc i32 @tell(ptr noundef %29, ptr noundef nonnull %10) #12
  br label %52

31:
  %32 = getelementptr inbounds %struct.command, ptr %10, i64 0, i32 1
  %33 = load i64, ptr %32, align 8
  %34 = icmp slt i64 %33, 0
  %35 = load i64, ptr getelementptr inbounds (%struct.states, ptr @wmtune_states, i64 0, i32 1), align 8
  %36 = icmp sgt i64 %33, %35
  %37 = select i1 %34, i1 true, i1 %36
  br i1 %37, label %38, label %40

38:
  %39 = load i32, ptr getelementptr inbounds (%struct.states, ptr @wmtune_states, i64 0, i32 5), align 8
  br label %52

40:
  store i64 %33, ptr %1, align 8
  %41 = load i32, ptr %10, align 8
  %42 = icmp eq i32 %41, 11
  br i1 %42, label %43, label %49

43:
  tail call fastcc void @rows(ptr noundef nonnull %1, ptr noundef nonnull %10, i64 noundef %33) #12
  br label %49

44:
  %45 = getelementptr inbounds %struct.command, ptr %10, i64 0, i32 1
  %46 = load i64, ptr %45, align 8
  store i64 %46, ptr %1, align 8
  tail call fastcc void @rows(ptr noundef nonnull %1, ptr noundef nonnull %10, i64 noundef %46) #12
  br label %49

47:
  %48 = load i64, ptr %1, align 8
  tail call fastcc void @rows(ptr noundef nonnull %1, ptr noundef nonnull %10, i64 noundef %48) #12
  br label %49

49:
  %50 = load i64, ptr %1, align 8
  %51 = getelementptr inbounds %struct.command, ptr %10, i64 0, i32 1
  store i64 %50, ptr %51, align 8
  br label %52

52:
  %53 = phi i32 [ 0, %49 ], [ %39, %38 ], [ %30, %24 ], [ %22, %21 ], [ %13, %12 ]
  ret i32 %53
}

define internal fastcc i32 @run_on(ptr noundef %0, ptr noundef %1, ptr noundef %2, ptr noundef %3, ptr noundef %4, ptr noundef %5, ptr nocapture noundef readonly %6) unnamed_addr #0 {
  %8 = alloca %struct.call, align 8
  %9 = load i32, ptr getelementptr inbounds (%struct.plans, ptr @wmtune_plans, i64 0, i32 4), align 4
  %10 = zext i32 %9 to i64
  %11 = alloca i64, i64 %10, align 16
  %12 = getelementptr inbounds %struct.command, ptr %6, i64 0, i32 2
  %13 = load ptr, ptr %12, align 8
  %14 = load i64, ptr %1, align 8
  %15 = add i32 %9, -1
  %16 = icmp sgt i32 %9, 1
  br i1 %16, label %17, label %26

17:
  %18 = zext i32 %15 to i64
  br label %19

19:
  %20 = phi i64 [ 0, %17 ], [ %24, %19 ]
  %21 = getelementptr inbounds i64, ptr %13, i64 %20
  %22 = load i64, ptr %21, align 8
  %23 = getelementptr inbounds i64, ptr %11, i64 %20
  store i64 %22, ptr %23, align 8
  %24 = add nuw nsw i64 %20, 1
  %25 = icmp eq i64 %24, %18
  br i1 %25, label %26, label %19

26:
  %27 = sext i32 %15 to i64
  %28 = getelementptr inbounds i64, ptr %11, i64 %27
  store i64 %14, ptr %28, align 8
  call void @llvm.lifetime.start.p0(i64 24, ptr nonnull %8) #13
  %29 = call fastcc ptr @find(ptr noundef nonnull %11) #12
  store ptr %29, ptr %8, align 8
  %30 = getelementptr inbounds %struct.call, ptr %8, i64 0, i32 1
  store ptr %11, ptr %30, align 8
  %31 = getelementptr inbounds %struct.call, ptr %8, i64 0, i32 2
  %32 = getelementptr inbounds %struct.command, ptr %6, i64 0, i32 3
  %33 = load ptr, ptr %32, align 8
  store ptr %33, ptr %31, align 8
  %34 = load i32, ptr getelementptr inbounds (%struct.states, ptr @wmtune_states, i64 0, i32 4), align 4
  %35 = icmp slt i32 %34, 0
  %36 = zext i32 %34 to i64
  %37 = getelementptr inbounds i64, ptr %11, i64 %36
  %38 = select i1 %35, ptr getelementptr inbounds (%struct.states, ptr @wmtune_states, i64 0, i32 2), ptr %37
  %39 = load i64, ptr %38, align 8
  %40 = load i64, ptr getelementptr inbounds (%struct.states, ptr @wmtune_states, i64 0, i32 1), align 8
  %41 = sub nsw i64 %40, %14
  %42 = icmp sgt i64 %39, %41
  br i1 %42, label %43, label %45

43:
  %44 = load i32, ptr getelementptr inbounds (%struct.states, ptr @wmtune_states, i64 0, i32 5), align 8
  br label %58

45:
  %46 = icmp eq ptr %29, null
  br i1 %46, label %47, label %49

47:
  %48 = load i32, ptr getelementptr inbounds (%struct.plans, ptr @wmtune_plans, i64 0, i32 7), align 8
  br label %58

49:
  %50 = load i32, ptr getelementptr inbounds (%struct.plans, ptr @wmtune_plans, i64 0, i32 5), align 8
  %51 = sext i32 %50 to i64
  %52 = getelementptr inbounds ptr, ptr %3, i64 %51
  store ptr %8, ptr %52, align 8
  %53 = call i32 @wmtune_plan_sequence(ptr noundef %0, ptr noundef nonnull %1, ptr noundef %2, ptr noundef %3, ptr noundef %4, ptr noundef %5) #12
  %54 = icmp eq i32 %53, 0
  br i1 %54, label %55, label %58

55:
  %56 = load i64, ptr %1, align 8
  %57 = add nsw i64 %56, %39
  store i64 %57, ptr %1, align 8
  br label %58

58:
  %59 = phi i32 [ %44, %43 ], [ %48, %47 ], [ 0, %55 ], [ %53, %49 ]
  call void @llvm.lifetime.end.p0(i64 24, ptr nonnull %8) #13
  ret i32 %59
}

define internal fastcc i32 @tell(ptr noundef %0, ptr noundef %1) unnamed_addr #0 {
  %3 = load i32, ptr getelementptr inbounds (%struct.plans, ptr @wmtune_plans, i64 0, i32 5), align 8
  %4 = add nsw i32 %3, 1
  %5 = zext i32 %4 to i64
  %6 = alloca ptr, i64 %5, align 16
  %7 = load i32, ptr getelementptr inbounds (%struct.plans, ptr @wmtune_plans, i64 0, i32 6), align 4
  %8 = add nsw i32 %7, 1
  %9 = zext i32 %8 to i64
  %10 = alloca ptr, i64 %9, align 16
  %11 = shl nuw nsw i64 %5, 3
  call void @llvm.memset.p0.i64(ptr nonnull align 16 %6, i8 0, i64 %11, i1 false)
  %12 = shl nuw nsw i64 %9, 3
  call void @llvm.memset.p0.i64(ptr nonnull align 16 %10, i8 0, i64 %12, i1 false)
  %13 = sext i32 %3 to i64
  %14 = getelementptr inbounds ptr, ptr %6, i64 %13
  store ptr %1, ptr %14, align 8
  %15 = call i32 @wmtune_run(ptr noundef %0, ptr noundef nonnull %6, ptr noundef nonnull %10) #11
  ret i32 %15
}

define internal fastcc void @rows(ptr nocapture noundef %0, ptr nocapture noundef readonly %1, i64 noundef %2) unnamed_addr #5 {
  %4 = load i32, ptr getelementptr inbounds (%struct.states, ptr @wmtune_states, i64 0, i32 3), align 8
  %5 = icmp sgt i32 %4, 0
  br i1 %5, label %6, label %11

6:
  %7 = load ptr, ptr @wmtune_states, align 8
  %8 = getelementptr inbounds %struct.command, ptr %1, i64 0, i32 6
  %9 = getelementptr inbounds %struct.command, ptr %1, i64 0, i32 4
  %10 = zext i32 %4 to i64
  br label %12

11:
  ret void

12:
  %13 = phi i64 [ 0, %6 ], [ %24, %23 ]
  %14 = getelementptr inbounds %struct.kept, ptr %7, i64 %13
  %15 = getelementptr inbounds %struct.kept, ptr %7, i64 %13, i32 3
  %16 = load i64, ptr %15, align 8
  %17 = mul nsw i64 %16, %2
  %18 = getelementptr inbounds %struct.kept, ptr %7, i64 %13, i32 1
  %19 = load i64, ptr %18, align 8
  %20 = icmp sgt i64 %19, 0
  br i1 %20, label %21, label %23

21:
  %22 = getelementptr inbounds %struct.kept, ptr %7, i64 %13, i32 2
  br label %26

23:
  %24 = add nuw nsw i64 %13, 1
  %25 = icmp eq i64 %24, %10
  br i1 %25, label %11, label %12

26:
  %27 = phi i64 [ 0, %21 ], [ %51, %50 ]
  %28 = load i64, ptr %14, align 8
  %29 = getelementptr inbounds i8, ptr %0, i64 %28
  %30 = load i64, ptr %22, align 8
  %31 = mul nsw i64 %30, %27
  %32 = getelementptr inbounds i8, ptr %29, i64 %31
  %33 = load i32, ptr %1, align 8
  switch i32 %33, label %44 [
    i32 4, label %34
    i32 11, label %38
  ]

34:
  %35 = load ptr, ptr %9, align 8
  %36 = getelementptr inbounds i8, ptr %35, i64 %28
  %37 = getelementptr inbounds i8, ptr %36, i64 %31
  tail call void @llvm.memcpy.p0.p0.i64(ptr align 1 %32, ptr align 1 %37, i64 %17, i1 false)
  br label %50

38:
  %39 = load ptr, ptr %8, align 8
  %40 = getelementptr inbounds ptr, ptr %39, i64 %13
  %41 = load ptr, ptr %40, align 8
  %42 = mul nsw i64 %27, %17
  %43 = getelementptr inbounds i8, ptr %41, i64 %42
  tail call void @llvm.memcpy.p0.p0.i64(ptr align 1 %32, ptr align 1 %43, i64 %17, i1 false)
  br label %50

44:
  %45 = load ptr, ptr %8, align 8
  %46 = getelementptr inbounds ptr, ptr %45, i64 %13
  %47 = load ptr, ptr %46, align 8
  %48 = mul nsw i64 %27, %17
  %49 = getelementptr inbounds i8, ptr %47, i64 %48
  tail call void @llvm.memcpy.p0.p0.i64(ptr align 1 %49, ptr align 1 %32, i64 %17, i1 false)
  br label %50

50:
  %51 = add nuw nsw i64 %27, 1
  %52 = load i64, ptr %18, align 8
  %53 = icmp slt i64 %51, %52
  br i1 %53, label %26, label %23
}

define i32 @wmtune_run_dims(ptr noundef %0, ptr noundef %1, ptr noundef %2, ptr noundef %3) local_unnamed_addr #0 {
  %5 = tail call fastcc i32 @state_run(ptr noundef %0, ptr noundef %1, ptr noundef %2, ptr noundef %3, ptr noundef null) #12
  ret i32 %5
}

define internal fastcc i32 @state_run(ptr noundef %0, ptr noundef %1, ptr noundef readonly %2, ptr noundef %3, ptr noundef %4) unnamed_addr #0 {
  %6 = alloca %struct.command, align 8
  %7 = icmp eq ptr %0, null
  br i1 %7, label %46, label %8

8:
  %9 = icmp eq ptr %1, null
  %10 = load i32, ptr getelementptr inbounds (%struct.plans, ptr @wmtune_plans, i64 0, i32 4), align 4
  %11 = icmp sgt i32 %10, 1
  %12 = select i1 %9, i1 %11, i1 false
  br i1 %12, label %46, label %13

13:
  %14 = icmp ne ptr %2, null
  %15 = load i32, ptr getelementptr inbounds (%struct.plans, ptr @wmtune_plans, i64 0, i32 5), align 8
  %16 = icmp eq i32 %15, 0
  %17 = select i1 %14, i1 true, i1 %16
  br i1 %17, label %18, label %46

18:
  %19 = icmp ne ptr %3, null
  %20 = load i32, ptr getelementptr inbounds (%struct.plans, ptr @wmtune_plans, i64 0, i32 6), align 4
  %21 = icmp eq i32 %20, 0
  %22 = select i1 %19, i1 true, i1 %21
  br i1 %22, label %23, label %46

23:
  call void @llvm.lifetime.start.p0(i64 56, ptr nonnull %6) #13
  store i32 0, ptr %6, align 8
  %24 = getelementptr inbounds %struct.command, ptr %6, i64 0, i32 1
  store i64 0, ptr %24, align 8
  %25 = getelementptr inbounds %struct.command, ptr %6, i64 0, i32 2
  store ptr %1, ptr %25, align 8
  %26 = getelementptr inbounds %struct.command, ptr %6, i64 0, i32 3
  store ptr %3, ptr %26, align 8
  %27 = getelementptr inbounds %struct.command, ptr %6, i64 0, i32 4
  %28 = add nsw i32 %15, 1
  %29 = zext i32 %28 to i64
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 8 dereferenceable(24) %27, i8 0, i64 24, i1 false)
  %30 = tail call ptr @llvm.stacksave()
  %31 = alloca ptr, i64 %29, align 16
  %32 = icmp sgt i32 %15, 0
  br i1 %32, label %33, label %36

33:
  %34 = zext i32 %15 to i64
  %35 = shl nuw nsw i64 %34, 3
  call void @llvm.memcpy.p0.p0.i64(ptr nonnull align 16 %31, ptr align 8 %2, i64 %35, i1 false)
  br label %36

36:
  %37 = sext i32 %15 to i64
  %38 = getelementptr inbounds ptr, ptr %31, i64 %37
  store ptr %6, ptr %38, align 8
  %39 = icmp eq ptr %4, null
  br i1 %39, label %42, label %40

40:
  %41 = call i32 @wmtune_profile(ptr noundef nonnull %0, ptr noundef nonnull %31, ptr noundef %3, ptr noundef nonnull %4) #11
  br label %44

42:
  %43 = call i32 @wmtune_run(ptr noundef nonnull %0, ptr noundef nonnull %31, ptr noundef %3) #11
  br label %44

44:
  %45 = phi i32 [ %41, %40 ], [ %43, %42 ]
  call void @llvm.stackrestore(ptr %30)
  call void @llvm.lifetime.end.p0(i64 56, ptr nonnull %6) #13
  br label %46

46:
  %47 = phi i32 [ %45, %44 ], [ -8, %5 ], [ -9, %8 ], [ -9, %13 ], [ -9, %18 ]
  ret i32 %47
}

define i32 @wmtune_profile_dims(ptr noundef %0, ptr noundef %1, ptr noundef %2, ptr noundef %3, ptr noundef %4) local_unnamed_addr #0 {
  %6 = tail call fastcc i32 @state_run(ptr noundef %0, ptr noundef %1, ptr noundef %2, ptr noundef %3, ptr noundef %4) #12
  ret i32 %6
}

define i64 @wmtune_length(ptr noundef %0) local_unnamed_addr #0 {
  %2 = alloca %struct.command, align 8
  call void @llvm.lifetime.start.p0(i64 56, ptr nonnull %2) #13
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 8 dereferenceable(56) %2, i8 0, i64 56, i1 false)
  store i32 1, ptr %2, align 8
  %3 = call fastcc i32 @tell(ptr noundef %0, ptr noundef nonnull %2) #12
  %4 = icmp eq i32 %3, 0
  %5 = sext i32 %3 to i64
  %6 = getelementptr inbounds %struct.command, ptr %2, i64 0, i32 1
  %7 = load i64, ptr %6, align 8
  %8 = select i1 %4, i64 %7, i64 %5
  call void @llvm.lifetime.end.p0(i64 56, ptr nonnull %2) #13
  ret i64 %8
}

declare void @llvm.memset.p0.i64(ptr nocapture writeonly, i8, i64, i1 immarg) #6

define i32 @wmtune_truncate(ptr noundef %0, i64 noundef %1) local_unnamed_addr #0 {
  %3 = alloca %struct.command, align 8
  call void @llvm.lifetime.start.p0(i64 56, ptr nonnull %3) #13
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 8 dereferenceable(56) %3, i8 0, i64 56, i1 false)
  store i32 2, ptr %3, align 8
  %4 = getelementptr inbounds %struct.command, ptr %3, i64 0, i32 1
  store i64 %1, ptr %4, align 8
  %5 = call fastcc i32 @tell(ptr noundef %0, ptr noundef nonnull %3) #12
  call void @llvm.lifetime.end.p0(i64 56, ptr nonnull %3) #13
  ret i32 %5
}

define i32 @wmtune_reset(ptr noundef %0) local_unnamed_addr #0 {
  %2 = alloca %struct.command, align 8
  call void @llvm.lifetime.start.p0(i64 56, ptr nonnull %2) #13
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 8 dereferenceable(56) %2, i8 0, i64 56, i1 false)
  store i32 2, ptr %2, align 8
  %3 = call fastcc i32 @tell(ptr noundef %0, ptr noundef nonnull %2) #12
  call void @llvm.lifetime.end.p0(i64 56, ptr nonnull %2) #13
  ret i32 %3
}

define i32 @wmtune_fork(ptr noundef %0, ptr noundef %1) local_unnamed_addr #0 {
  %3 = alloca %struct.command, align 8
  call void @llvm.lifetime.start.p0(i64 56, ptr nonnull %3) #13
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 8 dereferenceable(56) %3, i8 0, i64 56, i1 false)
  store i32 3, ptr %3, align 8
  %4 = getelementptr inbounds %struct.command, ptr %3, i64 0, i32 5
  store ptr %0, ptr %4, align 8
  %5 = icmp ne ptr %0, null
  %6 = icmp eq ptr %0, %1
  %7 = and i1 %5, %6
  br i1 %7, label %10, label %8

8:
  %9 = call fastcc i32 @tell(ptr noundef %1, ptr noundef nonnull %3) #12
  br label %10

10:
  %11 = phi i32 [ %9, %8 ], [ 0, %2 ]
  call void @llvm.lifetime.end.p0(i64 56, ptr nonnull %3) #13
  ret i32 %11
}

define i32 @wmtune_state(ptr noundef %0, i32 noundef %1, i64 noundef %2, ptr noundef %3) local_unnamed_addr #0 {
  %5 = alloca %struct.command, align 8
  call void @llvm.lifetime.start.p0(i64 56, ptr nonnull %5) #13
  store i32 %1, ptr %5, align 8
  %6 = getelementptr inbounds %struct.command, ptr %5, i64 0, i32 1
  store i64 %2, ptr %6, align 8
  %7 = getelementptr inbounds %struct.command, ptr %5, i64 0, i32 2
  %8 = getelementptr inbounds %struct.command, ptr %5, i64 0, i32 6
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 8 dereferenceable(32) %7, i8 0, i64 32, i1 false)
  store ptr %3, ptr %8, align 8
  %9 = call fastcc i32 @tell(ptr noundef %0, ptr noundef nonnull %5) #12
  call void @llvm.lifetime.end.p0(i64 56, ptr nonnull %5) #13
  ret i32 %9
}

define i64 @wmtune_memory(ptr noundef %0) local_unnamed_addr #7 {
  %2 = load i32, ptr getelementptr inbounds (%struct.plans, ptr @wmtune_plans, i64 0, i32 4), align 4
  %3 = zext i32 %2 to i64
  %4 = alloca i64, i64 %3, align 16
  %5 = call fastcc ptr @at_most(ptr noundef nonnull %4, ptr noundef %0) #12
  %6 = icmp eq ptr %5, null
  br i1 %6, label %10, label %7

7:
  %8 = getelementptr inbounds %struct.plan, ptr %5, i64 0, i32 4
  %9 = load i64, ptr %8, align 8
  br label %10

10:
  %11 = phi i64 [ %9, %7 ], [ -1, %1 ]
  ret i64 %11
}

declare ptr @llvm.stacksave() #8

define internal fastcc ptr @at_most(ptr noundef %0, ptr noundef readonly %1) unnamed_addr #7 {
  %3 = icmp eq ptr %1, null
  %4 = load i32, ptr getelementptr inbounds (%struct.plans, ptr @wmtune_plans, i64 0, i32 4), align 4
  %5 = icmp sgt i32 %4, 1
  %6 = select i1 %3, i1 %5, i1 false
  br i1 %6, label %28, label %7

7:
  %8 = add i32 %4, -1
  br i1 %5, label %9, label %18

9:
  %10 = zext i32 %8 to i64
  br label %11

11:
  %12 = phi i64 [ 0, %9 ], [ %16, %11 ]
  %13 = getelementptr inbounds i64, ptr %1, i64 %12
  %14 = load i64, ptr %13, align 8
  %15 = getelementptr inbounds i64, ptr %0, i64 %12
  store i64 %14, ptr %15, align 8
  %16 = add nuw nsw i64 %12, 1
  %17 = icmp eq i64 %16, %10
  br i1 %17, label %18, label %11

18:
  %19 = sext i32 %8 to i64
  %20 = getelementptr inbounds i64, ptr %0, i64 %19
  store i64 0, ptr %20, align 8
  %21 = tail call fastcc ptr @find(ptr noundef %0) #12
  %22 = icmp eq ptr %21, null
  br i1 %22, label %28, label %23

23:
  %24 = getelementptr inbounds %struct.plan, ptr %21, i64 0, i32 1
  %25 = load ptr, ptr %24, align 8
  %26 = getelementptr inbounds i64, ptr %25, i64 %19
  %27 = load i64, ptr %26, align 8
  store i64 %27, ptr %20, align 8
  br label %28

28:
  %29 = phi ptr [ null, %2 ], [ %21, %23 ], [ null, %18 ]
  ret ptr %29
}

declare void @llvm.stackrestore(ptr) #8

define i64 @wmtune_bytes_dims(ptr noundef %0, i32 noundef %1) local_unnamed_addr #9 {
  %3 = load i32, ptr getelementptr inbounds (%struct.plans, ptr @wmtune_plans, i64 0, i32 4), align 4
  %4 = zext i32 %3 to i64
  %5 = alloca i64, i64 %4, align 16
  %6 = call fastcc ptr @at_most(ptr noundef nonnull %5, ptr noundef %0) #12
  %7 = icmp eq ptr %6, null
  br i1 %7, label %10, label %8

8:
  %9 = call i64 @wmtune_plan_bytes(ptr noundef nonnull %5, i32 noundef %1) #12
  br label %10

10:
  %11 = phi i64 [ %9, %8 ], [ -1, %2 ]
  ret i64 %11
}

declare hidden i32 @wmtune_profile(ptr noundef, ptr noundef, ptr noundef, ptr noundef) local_unnamed_addr #10

declare hidden i32 @wmtune_run(ptr noundef, ptr noundef, ptr noundef) local_unnamed_addr #10

attributes #0 = { nounwind optsize "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind willreturn memory(argmem: readwrite) }
attributes #2 = { mustprogress nocallback nofree nounwind willreturn memory(argmem: readwrite) }
attributes #3 = { nofree norecurse nosync nounwind optsize memory(read, inaccessiblemem: none) "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #4 = { nofree nosync nounwind optsize memory(read, inaccessiblemem: none) "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #5 = { nofree nosync nounwind optsize memory(readwrite, inaccessiblemem: none) "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #6 = { mustprogress nocallback nofree nounwind willreturn memory(argmem: write) }
attributes #7 = { nofree norecurse nosync nounwind optsize memory(read, argmem: readwrite, inaccessiblemem: none) "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #8 = { mustprogress nocallback nofree nosync nounwind willreturn }
attributes #9 = { nofree nosync nounwind optsize memory(read, argmem: readwrite, inaccessiblemem: none) "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #10 = { optsize "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #11 = { nounwind optsize }
attributes #12 = { optsize }
attributes #13 = { nounwind }


