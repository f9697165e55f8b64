; 8924e561ceb589ceca6a39b14dedabfbf809bc9a8de1be3aafc2940238306c00 of plans.c, state.c; by runtime.sh

%struct.plans = type { ptr, ptr, ptr, i64, i32, i32, i32, i32, i32 }
%struct.states = type { ptr, i64, i64, i32, i32, i32, i32 }
%struct.tensor = type { i64, ptr, i32, i32 }
%struct.call = type { ptr, ptr, ptr }
%struct.plan = type { ptr, ptr, ptr, ptr, i64, ptr }
%struct.command = type { i32, i64, ptr, ptr, ptr, ptr, ptr }
%struct.kept = type { i64, i64, i64, i64 }

@wmtune_plans = external hidden local_unnamed_addr constant %struct.plans, align 8
@wmtune_states = external hidden local_unnamed_addr constant %struct.states, align 8

define hidden i32 @wmtune_plan_sequence(ptr noundef %0, ptr noundef %1, ptr noundef %2, ptr noundef %3, ptr noundef %4, ptr noundef %5) local_unnamed_addr #0 {
  %7 = alloca %struct.tensor, align 8
  %8 = load i32, ptr getelementptr inbounds (%struct.plans, ptr @wmtune_plans, i64 0, i32 6), align 8
  %9 = sext i32 %8 to i64
  %10 = getelementptr inbounds ptr, ptr %3, i64 %9
  %11 = load ptr, ptr %10, align 8
  %12 = load i64, ptr getelementptr inbounds (%struct.plans, ptr @wmtune_plans, i64 0, i32 3), align 8
  %13 = getelementptr inbounds i8, ptr %1, i64 %12
  %14 = getelementptr inbounds %struct.call, ptr %11, i64 0, i32 1
  %15 = load ptr, ptr %14, align 8
  %16 = load i32, ptr getelementptr inbounds (%struct.plans, ptr @wmtune_plans, i64 0, i32 5), align 4
  %17 = sext i32 %16 to i64
  %18 = shl nsw i64 %17, 3
  tail call void @llvm.memcpy.p0.p0.i64(ptr align 1 %13, ptr align 8 %15, i64 %18, i1 false)
  store ptr %13, ptr %10, align 8
  %19 = add nsw i64 %18, 63
  %20 = sdiv i64 %19, 64
  %21 = shl nsw i64 %20, 6
  %22 = getelementptr inbounds i8, ptr %13, i64 %21
  %23 = icmp sgt i32 %8, 0
  br i1 %23, label %24, label %27

24:
  %25 = load ptr, ptr getelementptr inbounds (%struct.plans, ptr @wmtune_plans, i64 0, i32 1), align 8
  %26 = zext i32 %8 to i64
  br label %39

27:
  %28 = phi ptr [ %22, %6 ], [ %60, %59 ]
  %29 = load i32, ptr getelementptr inbounds (%struct.plans, ptr @wmtune_plans, i64 0, i32 7), align 4
  %30 = icmp sgt i32 %29, 0
  br i1 %30, label %33, label %31

31:
  %32 = load ptr, ptr %11, align 8
  br label %148

33:
  %34 = icmp slt i32 %8, 1
  %35 = load ptr, ptr getelementptr inbounds (%struct.plans, ptr @wmtune_plans, i64 0, i32 1), align 8
  %36 = getelementptr inbounds %struct.call, ptr %11, i64 0, i32 2
  %37 = zext i32 %29 to i64
  %38 = load ptr, ptr %11, align 8
  br label %63

39:
  %40 = phi i64 [ 0, %24 ], [ %61, %59 ]
  %41 = phi ptr [ %22, %24 ], [ %60, %59 ]
  %42 = getelementptr inbounds %struct.tensor, ptr %25, i64 %40
  %43 = load ptr, ptr %14, align 8
  %44 = tail call fastcc i64 @bytes_of(ptr noundef byval(%struct.tensor) align 8 %42, ptr noundef %43) #10
  %45 = icmp eq i64 %44, 0
  br i1 %45, label %59, label %46

46:
  %47 = getelementptr inbounds ptr, ptr %3, i64 %40
  %48 = load ptr, ptr %47, align 8
  %49 = icmp eq ptr %48, null
  br i1 %49, label %142, label %50

50:
  %51 = ptrtoint ptr %48 to i64
  %52 = and i64 %51, 63
  %53 = icmp eq i64 %52, 0
  br i1 %53, label %59, label %54

54:
  tail call void @llvm.memcpy.p0.p0.i64(ptr align 1 %41, ptr nonnull align 1 %48, i64 %44, i1 false)
  store ptr %41, ptr %47, align 8
  %55 = add nsw i64 %44, 63
  %56 = sdiv i64 %55, 64
  %57 = shl nsw i64 %56, 6
  %58 = getelementptr inbounds i8, ptr %41, i64 %57
  br label %59

59:
  %60 = phi ptr [ %41, %50 ], [ %41, %39 ], [ %58, %54 ]
  %61 = add nuw nsw i64 %40, 1
  %62 = icmp eq i64 %61, %26
  br i1 %62, label %27, label %39

63:
  %64 = phi ptr [ %38, %33 ], [ %138, %137 ]
  %65 = phi i64 [ 0, %33 ], [ %140, %137 ]
  %66 = phi ptr [ %28, %33 ], [ %139, %137 ]
  %67 = getelementptr inbounds %struct.plan, ptr %64, i64 0, i32 2
  %68 = load ptr, ptr %67, align 8
  %69 = getelementptr inbounds %struct.tensor, ptr %68, i64 %65
  %70 = load ptr, ptr %14, align 8
  %71 = tail call fastcc i64 @bytes_of(ptr noundef byval(%struct.tensor) align 8 %69, ptr noundef %70) #10
  %72 = icmp eq i64 %71, 0
  br i1 %72, label %81, label %73

73:
  %74 = getelementptr inbounds ptr, ptr %4, i64 %65
  %75 = load ptr, ptr %74, align 8
  %76 = icmp eq ptr %75, null
  br i1 %76, label %144, label %77

77:
  %78 = ptrtoint ptr %75 to i64
  %79 = and i64 %78, 63
  %80 = icmp ne i64 %79, 0
  br label %81

81:
  %82 = phi i1 [ %80, %77 ], [ false, %63 ]
  %83 = select i1 %34, i1 true, i1 %82
  br i1 %83, label %89, label %84

84:
  %85 = getelementptr inbounds ptr, ptr %4, i64 %65
  %86 = load ptr, ptr %85, align 8
  %87 = icmp ne i64 %71, 0
  %88 = getelementptr inbounds i8, ptr %86, i64 %71
  br label %97

89:
  %90 = phi i1 [ %82, %81 ], [ %109, %97 ]
  %91 = icmp eq i64 %65, 0
  br i1 %91, label %129, label %92

92:
  %93 = getelementptr inbounds ptr, ptr %4, i64 %65
  %94 = load ptr, ptr %93, align 8
  %95 = load ptr, ptr %36, align 8
  %96 = getelementptr inbounds i8, ptr %94, i64 %71
  br label %116

97:
  %98 = phi i64 [ 0, %84 ], [ %110, %97 ]
  %99 = getelementptr inbounds ptr, ptr %3, i64 %98
  %100 = load ptr, ptr %99, align 8
  %101 = getelementptr inbounds %struct.tensor, ptr %35, i64 %98
  %102 = tail call fastcc i64 @bytes_of(ptr noundef byval(%struct.tensor) align 8 %101, ptr noundef %70) #10
  %103 = icmp ne i64 %102, 0
  %104 = and i1 %87, %103
  %105 = getelementptr inbounds i8, ptr %100, i64 %102
  %106 = icmp ugt ptr %105, %86
  %107 = select i1 %104, i1 %106, i1 false
  %108 = icmp ugt ptr %88, %100
  %109 = select i1 %107, i1 %108, i1 false
  %110 = add nuw nsw i64 %98, 1
  %111 = icmp sge i64 %110, %9
  %112 = select i1 %111, i1 true, i1 %109
  br i1 %112, label %89, label %97

113:
  %114 = add nuw nsw i64 %117, 1
  %115 = icmp eq i64 %114, %65
  br i1 %115, label %129, label %116

116:
  %117 = phi i64 [ 0, %92 ], [ %114, %113 ]
  %118 = getelementptr inbounds ptr, ptr %95, i64 %117
  %119 = load ptr, ptr %118, align 8
  %120 = getelementptr inbounds %struct.tensor, ptr %68, i64 %117
  %121 = tail call fastcc i64 @bytes_of(ptr noundef byval(%struct.tensor) align 8 %120, ptr noundef %70) #10
  %122 = icmp eq i64 %121, 0
  %123 = or i1 %72, %122
  %124 = getelementptr inbounds i8, ptr %119, i64 %121
  %125 = icmp ule ptr %124, %94
  %126 = select i1 %123, i1 true, i1 %125
  %127 = icmp ule ptr %96, %119
  %128 = select i1 %126, i1 true, i1 %127
  br i1 %128, label %113, label %144

129:
  br i1 %90, label %130, label %137

130:
  %131 = getelementptr inbounds ptr, ptr %4, i64 %65
  store ptr %66, ptr %131, align 8
  %132 = add nsw i64 %71, 63
  %133 = sdiv i64 %132, 64
  %134 = shl nsw i64 %133, 6
  %135 = getelementptr inbounds i8, ptr %66, i64 %134
  %136 = load ptr, ptr %11, align 8
  br label %137

137:
  %138 = phi ptr [ %136, %130 ], [ %64, %129 ]
  %139 = phi ptr [ %135, %130 ], [ %66, %129 ]
  %140 = add nuw nsw i64 %65, 1
  %141 = icmp eq i64 %140, %37
  br i1 %141, label %148, label %63

142:
  %143 = load i32, ptr getelementptr inbounds (%struct.plans, ptr @wmtune_plans, i64 0, i32 7), align 4
  br label %144

144:
  %145 = phi i32 [ %143, %142 ], [ %29, %116 ], [ %29, %73 ]
  %146 = phi i32 [ -9, %142 ], [ -10, %116 ], [ -9, %73 ]
  %147 = icmp sgt i32 %145, 0
  br i1 %147, label %162, label %202

148:
  %149 = phi ptr [ %32, %31 ], [ %138, %137 ]
  %150 = getelementptr inbounds %struct.plan, ptr %149, i64 0, i32 5
  %151 = load ptr, ptr %150, align 8
  %152 = tail call i32 %151(ptr noundef %0, ptr noundef %1, ptr noundef %2, ptr noundef %3, ptr noundef %4, ptr noundef %5) #11
  %153 = icmp eq i32 %152, 0
  %154 = icmp sgt i32 %29, 0
  %155 = select i1 %154, i1 %153, i1 false
  br i1 %155, label %156, label %161

156:
  %157 = getelementptr inbounds %struct.tensor, ptr %7, i64 0, i32 3
  %158 = getelementptr inbounds %struct.tensor, ptr %7, i64 0, i32 1
  %159 = getelementptr inbounds %struct.call, ptr %11, i64 0, i32 2
  %160 = zext i32 %29 to i64
  br label %167

161:
  br i1 %154, label %162, label %202

162:
  %163 = phi i32 [ %145, %144 ], [ %29, %161 ]
  %164 = phi i32 [ %146, %144 ], [ %152, %161 ]
  %165 = getelementptr inbounds %struct.call, ptr %11, i64 0, i32 2
  %166 = zext i32 %163 to i64
  br label %204

167:
  %168 = phi i64 [ 0, %156 ], [ %200, %199 ]
  %169 = load ptr, ptr %11, align 8
  %170 = getelementptr inbounds %struct.plan, ptr %169, i64 0, i32 3
  %171 = load ptr, ptr %170, align 8
  %172 = getelementptr inbounds ptr, ptr %171, i64 %168
  %173 = load ptr, ptr %172, align 8
  call void @llvm.lifetime.start.p0(i64 24, ptr nonnull %7) #12
  %174 = getelementptr inbounds %struct.plan, ptr %169, i64 0, i32 2
  %175 = load ptr, ptr %174, align 8
  %176 = getelementptr inbounds %struct.tensor, ptr %175, i64 %168
  call void @llvm.memcpy.p0.p0.i64(ptr noundef nonnull align 8 dereferenceable(24) %7, ptr noundef nonnull align 8 dereferenceable(24) %176, i64 24, i1 false)
  %177 = load i32, ptr %157, align 4
  %178 = icmp eq i32 %177, 0
  br i1 %178, label %183, label %179

179:
  %180 = add nuw nsw i64 %168, 1
  %181 = getelementptr inbounds ptr, ptr %4, i64 %180
  %182 = load ptr, ptr %181, align 8
  store ptr %182, ptr %158, align 8
  br label %183

183:
  %184 = load ptr, ptr %14, align 8
  %185 = tail call fastcc i64 @bytes_of(ptr noundef nonnull byval(%struct.tensor) align 8 %7, ptr noundef %184) #10
  %186 = icmp eq ptr %173, null
  br i1 %186, label %191, label %187

187:
  %188 = load ptr, ptr %159, align 8
  %189 = getelementptr inbounds ptr, ptr %188, i64 %168
  %190 = load ptr, ptr %189, align 8
  tail call void @llvm.memcpy.p0.p0.i64(ptr align 1 %190, ptr nonnull align 8 %173, i64 %185, i1 false)
  br label %199

191:
  %192 = getelementptr inbounds ptr, ptr %4, i64 %168
  %193 = load ptr, ptr %192, align 8
  %194 = load ptr, ptr %159, align 8
  %195 = getelementptr inbounds ptr, ptr %194, i64 %168
  %196 = load ptr, ptr %195, align 8
  %197 = icmp eq ptr %193, %196
  br i1 %197, label %199, label %198

198:
  tail call void @llvm.memcpy.p0.p0.i64(ptr align 1 %196, ptr align 1 %193, i64 %185, i1 false)
  br label %199

199:
  call void @llvm.lifetime.end.p0(i64 24, ptr nonnull %7) #12
  %200 = add nuw nsw i64 %168, 1
  %201 = icmp ult i64 %200, %160
  br i1 %201, label %167, label %161

202:
  %203 = phi i32 [ %146, %144 ], [ %152, %161 ], [ %164, %204 ]
  ret i32 %203

204:
  %205 = phi i64 [ 0, %162 ], [ %210, %204 ]
  %206 = load ptr, ptr %165, align 8
  %207 = getelementptr inbounds ptr, ptr %206, i64 %205
  %208 = load ptr, ptr %207, align 8
  %209 = getelementptr inbounds ptr, ptr %4, i64 %205
  store ptr %208, ptr %209, align 8
  %210 = add nuw nsw i64 %205, 1
  %211 = icmp eq i64 %210, %166
  br i1 %211, label %202, label %204
}

declare void @llvm.lifetime.start.p0(i64 immarg, ptr nocapture) #1

declare void @llvm.memcpy.p0.p0.i64(ptr noalias nocapture writeonly, ptr noalias nocapture readonly, i64, i1 immarg) #2

define internal fastcc i64 @bytes_of(ptr nocapture noundef readonly byval(%struct.tensor) align 8 %0, ptr nocapture noundef readonly %1) unnamed_addr #3 {
  %3 = load i64, ptr %0, align 8
  %4 = getelementptr inbounds %struct.tensor, ptr %0, i64 0, i32 2
  %5 = load i32, ptr %4, align 8
  %6 = icmp sgt i32 %5, 0
  br i1 %6, label %7, label %16

7:
  %8 = getelementptr inbounds %struct.tensor, ptr %0, i64 0, i32 1
  %9 = load ptr, ptr %8, align 8
  %10 = load i32, ptr getelementptr inbounds (%struct.plans, ptr @wmtune_plans, i64 0, i32 5), align 4
  %11 = sext i32 %10 to i64
  %12 = load ptr, ptr getelementptr inbounds (%struct.plans, ptr @wmtune_plans, i64 0, i32 2), align 8
  %13 = add nsw i64 %11, 1
  %14 = icmp sgt i32 %10, 0
  %15 = zext i32 %5 to i64
  br label %18

16:
  %17 = phi i64 [ %3, %2 ], [ %49, %47 ]
  ret i64 %17

18:
  %19 = phi i64 [ 0, %7 ], [ %50, %47 ]
  %20 = phi i64 [ %3, %7 ], [ %49, %47 ]
  %21 = getelementptr inbounds i64, ptr %9, i64 %19
  %22 = load i64, ptr %21, align 8
  %23 = icmp slt i64 %22, 0
  br i1 %23, label %24, label %47

24:
  %25 = xor i64 %22, -1
  %26 = icmp slt i64 %25, %11
  br i1 %26, label %27, label %30

27:
  %28 = getelementptr inbounds i64, ptr %1, i64 %25
  %29 = load i64, ptr %28, align 8
  br label %47

30:
  %31 = sub nsw i64 %25, %11
  %32 = mul nsw i64 %31, %13
  %33 = getelementptr inbounds i64, ptr %12, i64 %32
  %34 = getelementptr inbounds i64, ptr %33, i64 %11
  %35 = load i64, ptr %34, align 8
  br i1 %14, label %36, label %47

36:
  %37 = phi i64 [ %45, %36 ], [ 0, %30 ]
  %38 = phi i64 [ %44, %36 ], [ %35, %30 ]
  %39 = getelementptr inbounds i64, ptr %33, i64 %37
  %40 = load i64, ptr %39, align 8
  %41 = getelementptr inbounds i64, ptr %1, i64 %37
  %42 = load i64, ptr %41, align 8
  %43 = mul nsw i64 %42, %40
  %44 = add nsw i64 %43, %38
  %45 = add nuw nsw i64 %37, 1
  %46 = icmp eq i64 %45, %11
  br i1 %46, label %47, label %36

47:
  %48 = phi i64 [ %22, %18 ], [ %29, %27 ], [ %35, %30 ], [ %44, %36 ]
  %49 = mul nsw i64 %48, %20
  %50 = add nuw nsw i64 %19, 1
  %51 = icmp eq i64 %50, %15
  br i1 %51, label %16, label %18
}

declare void @llvm.lifetime.end.p0(i64 immarg, ptr nocapture) #1

define i32 @wmtune_plan_run(ptr noundef %0, ptr noundef %1, ptr noundef %2, ptr noundef %3) local_unnamed_addr #0 {
  %5 = tail call fastcc i32 @run(ptr noundef %0, ptr noundef %1, ptr noundef %2, ptr noundef %3, ptr noundef null) #10
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
  br label %50

22:
  call void @llvm.lifetime.start.p0(i64 24, ptr nonnull %6) #12
  %23 = tail call fastcc ptr @find(ptr noundef nonnull %1) #10
  store ptr %23, ptr %6, align 8
  %24 = getelementptr inbounds %struct.call, ptr %6, i64 0, i32 1
  store ptr %1, ptr %24, align 8
  %25 = getelementptr inbounds %struct.call, ptr %6, i64 0, i32 2
  store ptr %3, ptr %25, align 8
  %26 = icmp eq ptr %23, null
  br i1 %26, label %27, label %29

27:
  %28 = load i32, ptr getelementptr inbounds (%struct.plans, ptr @wmtune_plans, i64 0, i32 8), align 8
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
  call void @llvm.lifetime.end.p0(i64 24, ptr nonnull %6) #12
  br label %50

50:
  %51 = phi i32 [ %49, %48 ], [ %21, %20 ]
  ret i32 %51
}

define i32 @wmtune_plan_profile(ptr noundef %0, ptr noundef %1, ptr noundef %2, ptr noundef %3, ptr noundef %4) local_unnamed_addr #0 {
  %6 = tail call fastcc i32 @run(ptr noundef %0, ptr noundef %1, ptr noundef %2, ptr noundef %3, ptr noundef %4) #10
  ret i32 %6
}

define i64 @wmtune_plan_memory(ptr noundef readonly %0) local_unnamed_addr #3 {
  %2 = tail call fastcc ptr @find(ptr noundef %0) #10
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
  %3 = load i32, ptr getelementptr inbounds (%struct.plans, ptr @wmtune_plans, i64 0, i32 4), align 8
  %4 = icmp slt i32 %3, 1
  %5 = select i1 %2, i1 true, i1 %4
  br i1 %5, label %41, label %6

6:
  %7 = load ptr, ptr @wmtune_plans, align 8
  %8 = load i32, ptr getelementptr inbounds (%struct.plans, ptr @wmtune_plans, i64 0, i32 5), align 4
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

define i64 @wmtune_plan_bytes(ptr noundef readonly %0, i32 noundef %1) local_unnamed_addr #3 {
  %3 = tail call fastcc ptr @find(ptr noundef %0) #10
  %4 = icmp eq ptr %3, null
  %5 = icmp slt i32 %1, 0
  %6 = or i1 %5, %4
  br i1 %6, label %27, label %7

7:
  %8 = load i32, ptr getelementptr inbounds (%struct.plans, ptr @wmtune_plans, i64 0, i32 6), align 8
  %9 = load i32, ptr getelementptr inbounds (%struct.plans, ptr @wmtune_plans, i64 0, i32 7), align 4
  %10 = add nsw i32 %9, %8
  %11 = icmp sgt i32 %10, %1
  br i1 %11, label %12, label %27

12:
  %13 = icmp sgt i32 %8, %1
  br i1 %13, label %14, label %18

14:
  %15 = load ptr, ptr getelementptr inbounds (%struct.plans, ptr @wmtune_plans, i64 0, i32 1), align 8
  %16 = zext i32 %1 to i64
  %17 = getelementptr inbounds %struct.tensor, ptr %15, i64 %16
  br label %24

18:
  %19 = getelementptr inbounds %struct.plan, ptr %3, i64 0, i32 2
  %20 = load ptr, ptr %19, align 8
  %21 = sub nsw i32 %1, %8
  %22 = sext i32 %21 to i64
  %23 = getelementptr inbounds %struct.tensor, ptr %20, i64 %22
  br label %24

24:
  %25 = phi ptr [ %17, %14 ], [ %23, %18 ]
  %26 = tail call fastcc i64 @bytes_of(ptr noundef byval(%struct.tensor) align 8 %25, ptr noundef %0) #10
  br label %27

27:
  %28 = phi i64 [ -1, %7 ], [ -1, %2 ], [ %26, %24 ]
  ret i64 %28
}

define hidden i32 @wmtune_sequence(ptr noundef %0, ptr noundef %1, ptr noundef %2, ptr noundef %3, ptr noundef %4, ptr noundef %5) local_unnamed_addr #0 {
  %7 = load i32, ptr getelementptr inbounds (%struct.plans, ptr @wmtune_plans, i64 0, i32 6), align 8
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
  %13 = tail call fastcc i32 @run_on(ptr noundef %0, ptr noundef %1, ptr noundef %2, ptr noundef nonnull %3, ptr noundef %4, ptr noundef %5, ptr noundef nonnull %10) #10
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
  %30 = tail call fastcc i32 @tell(ptr noundef %29, ptr noundef nonnull %10) #10
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
  tail call fastcc void @rows(ptr noundef nonnull %1, ptr noundef nonnull %10, i64 noundef %33) #10
  br label %49

44:
  %45 = getelementptr inbounds %struct.command, ptr %10, i64 0, i32 1
  %46 = load i64, ptr %45, align 8
  store i64 %46, ptr %1, align 8
  tail call fastcc void @rows(ptr noundef nonnull %1, ptr noundef nonnull %10, i64 noundef %46) #10
  br label %49

47:
  %48 = load i64, ptr %1, align 8
  tail call fastcc void @rows(ptr noundef nonnull %1, ptr noundef nonnull %10, i64 noundef %48) #10
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
  %9 = load i32, ptr getelementptr inbounds (%struct.plans, ptr @wmtune_plans, i64 0, i32 5), align 4
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
  call void @llvm.lifetime.start.p0(i64 24, ptr nonnull %8) #12
  %29 = call fastcc ptr @find(ptr noundef nonnull %11) #10
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
  %48 = load i32, ptr getelementptr inbounds (%struct.plans, ptr @wmtune_plans, i64 0, i32 8), align 8
  br label %58

49:
  %50 = load i32, ptr getelementptr inbounds (%struct.plans, ptr @wmtune_plans, i64 0, i32 6), align 8
  %51 = sext i32 %50 to i64
  %52 = getelementptr inbounds ptr, ptr %3, i64 %51
  store ptr %8, ptr %52, align 8
  %53 = call i32 @wmtune_plan_sequence(ptr noundef %0, ptr noundef nonnull %1, ptr noundef %2, ptr noundef %3, ptr noundef %4, ptr noundef %5) #10
  %54 = icmp eq i32 %53, 0
  br i1 %54, label %55, label %58

55:
  %56 = load i64, ptr %1, align 8
  %57 = add nsw i64 %56, %39
  store i64 %57, ptr %1, align 8
  br label %58

58:
  %59 = phi i32 [ %44, %43 ], [ %48, %47 ], [ 0, %55 ], [ %53, %49 ]
  call void @llvm.lifetime.end.p0(i64 24, ptr nonnull %8) #12
  ret i32 %59
}

define internal fastcc i32 @tell(ptr noundef %0, ptr noundef %1) unnamed_addr #0 {
  %3 = load i32, ptr getelementptr inbounds (%struct.plans, ptr @wmtune_plans, i64 0, i32 6), align 8
  %4 = add nsw i32 %3, 1
  %5 = zext i32 %4 to i64
  %6 = alloca ptr, i64 %5, align 16
  %7 = load i32, ptr getelementptr inbounds (%struct.plans, ptr @wmtune_plans, i64 0, i32 7), align 4
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

define internal fastcc void @rows(ptr nocapture noundef %0, ptr nocapture noundef readonly %1, i64 noundef %2) unnamed_addr #4 {
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
  %5 = tail call fastcc i32 @state_run(ptr noundef %0, ptr noundef %1, ptr noundef %2, ptr noundef %3, ptr noundef null) #10
  ret i32 %5
}

define internal fastcc i32 @state_run(ptr noundef %0, ptr noundef %1, ptr noundef readonly %2, ptr noundef %3, ptr noundef %4) unnamed_addr #0 {
  %6 = alloca %struct.command, align 8
  %7 = icmp eq ptr %0, null
  br i1 %7, label %46, label %8

8:
  %9 = icmp eq ptr %1, null
  %10 = load i32, ptr getelementptr inbounds (%struct.plans, ptr @wmtune_plans, i64 0, i32 5), align 4
  %11 = icmp sgt i32 %10, 1
  %12 = select i1 %9, i1 %11, i1 false
  br i1 %12, label %46, label %13

13:
  %14 = icmp ne ptr %2, null
  %15 = load i32, ptr getelementptr inbounds (%struct.plans, ptr @wmtune_plans, i64 0, i32 6), align 8
  %16 = icmp eq i32 %15, 0
  %17 = select i1 %14, i1 true, i1 %16
  br i1 %17, label %18, label %46

18:
  %19 = icmp ne ptr %3, null
  %20 = load i32, ptr getelementptr inbounds (%struct.plans, ptr @wmtune_plans, i64 0, i32 7), align 4
  %21 = icmp eq i32 %20, 0
  %22 = select i1 %19, i1 true, i1 %21
  br i1 %22, label %23, label %46

23:
  call void @llvm.lifetime.start.p0(i64 56, ptr nonnull %6) #12
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
  call void @llvm.lifetime.end.p0(i64 56, ptr nonnull %6) #12
  br label %46

46:
  %47 = phi i32 [ %45, %44 ], [ -8, %5 ], [ -9, %8 ], [ -9, %13 ], [ -9, %18 ]
  ret i32 %47
}

define i32 @wmtune_profile_dims(ptr noundef %0, ptr noundef %1, ptr noundef %2, ptr noundef %3, ptr noundef %4) local_unnamed_addr #0 {
  %6 = tail call fastcc i32 @state_run(ptr noundef %0, ptr noundef %1, ptr noundef %2, ptr noundef %3, ptr noundef %4) #10
  ret i32 %6
}

define i64 @wmtune_length(ptr noundef %0) local_unnamed_addr #0 {
  %2 = alloca %struct.command, align 8
  call void @llvm.lifetime.start.p0(i64 56, ptr nonnull %2) #12
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 8 dereferenceable(56) %2, i8 0, i64 56, i1 false)
  store i32 1, ptr %2, align 8
  %3 = call fastcc i32 @tell(ptr noundef %0, ptr noundef nonnull %2) #10
  %4 = icmp eq i32 %3, 0
  %5 = sext i32 %3 to i64
  %6 = getelementptr inbounds %struct.command, ptr %2, i64 0, i32 1
  %7 = load i64, ptr %6, align 8
  %8 = select i1 %4, i64 %7, i64 %5
  call void @llvm.lifetime.end.p0(i64 56, ptr nonnull %2) #12
  ret i64 %8
}

declare void @llvm.memset.p0.i64(ptr nocapture writeonly, i8, i64, i1 immarg) #5

define i32 @wmtune_truncate(ptr noundef %0, i64 noundef %1) local_unnamed_addr #0 {
  %3 = alloca %struct.command, align 8
  call void @llvm.lifetime.start.p0(i64 56, ptr nonnull %3) #12
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 8 dereferenceable(56) %3, i8 0, i64 56, i1 false)
  store i32 2, ptr %3, align 8
  %4 = getelementptr inbounds %struct.command, ptr %3, i64 0, i32 1
  store i64 %1, ptr %4, align 8
  %5 = call fastcc i32 @tell(ptr noundef %0, ptr noundef nonnull %3) #10
  call void @llvm.lifetime.end.p0(i64 56, ptr nonnull %3) #12
  ret i32 %5
}

define i32 @wmtune_reset(ptr noundef %0) local_unnamed_addr #0 {
  %2 = alloca %struct.command, align 8
  call void @llvm.lifetime.start.p0(i64 56, ptr nonnull %2) #12
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 8 dereferenceable(56) %2, i8 0, i64 56, i1 false)
  store i32 2, ptr %2, align 8
  %3 = call fastcc i32 @tell(ptr noundef %0, ptr noundef nonnull %2) #10
  call void @llvm.lifetime.end.p0(i64 56, ptr nonnull %2) #12
  ret i32 %3
}

define i32 @wmtune_fork(ptr noundef %0, ptr noundef %1) local_unnamed_addr #0 {
  %3 = alloca %struct.command, align 8
  call void @llvm.lifetime.start.p0(i64 56, ptr nonnull %3) #12
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 8 dereferenceable(56) %3, i8 0, i64 56, i1 false)
  store i32 3, ptr %3, align 8
  %4 = getelementptr inbounds %struct.command, ptr %3, i64 0, i32 5
  store ptr %0, ptr %4, align 8
  %5 = icmp ne ptr %0, null
  %6 = icmp eq ptr %0, %1
  %7 = and i1 %5, %6
  br i1 %7, label %10, label %8

8:
  %9 = call fastcc i32 @tell(ptr noundef %1, ptr noundef nonnull %3) #10
  br label %10

10:
  %11 = phi i32 [ %9, %8 ], [ 0, %2 ]
  call void @llvm.lifetime.end.p0(i64 56, ptr nonnull %3) #12
  ret i32 %11
}

define i32 @wmtune_state(ptr noundef %0, i32 noundef %1, i64 noundef %2, ptr noundef %3) local_unnamed_addr #0 {
  %5 = alloca %struct.command, align 8
  call void @llvm.lifetime.start.p0(i64 56, ptr nonnull %5) #12
  store i32 %1, ptr %5, align 8
  %6 = getelementptr inbounds %struct.command, ptr %5, i64 0, i32 1
  store i64 %2, ptr %6, align 8
  %7 = getelementptr inbounds %struct.command, ptr %5, i64 0, i32 2
  %8 = getelementptr inbounds %struct.command, ptr %5, i64 0, i32 6
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 8 dereferenceable(32) %7, i8 0, i64 32, i1 false)
  store ptr %3, ptr %8, align 8
  %9 = call fastcc i32 @tell(ptr noundef %0, ptr noundef nonnull %5) #10
  call void @llvm.lifetime.end.p0(i64 56, ptr nonnull %5) #12
  ret i32 %9
}

define i64 @wmtune_memory(ptr noundef %0) local_unnamed_addr #6 {
  %2 = load i32, ptr getelementptr inbounds (%struct.plans, ptr @wmtune_plans, i64 0, i32 5), align 4
  %3 = zext i32 %2 to i64
  %4 = alloca i64, i64 %3, align 16
  %5 = call fastcc ptr @at_most(ptr noundef nonnull %4, ptr noundef %0) #10
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

declare ptr @llvm.stacksave() #7

define internal fastcc ptr @at_most(ptr noundef %0, ptr noundef readonly %1) unnamed_addr #6 {
  %3 = icmp eq ptr %1, null
  %4 = load i32, ptr getelementptr inbounds (%struct.plans, ptr @wmtune_plans, i64 0, i32 5), align 4
  %5 = icmp sgt i32 %4, 1
  %6 = select i1 %3, i1 %5, i1 false
  br i1 %6, label %37, label %7

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
  %21 = tail call fastcc ptr @find(ptr noundef %0) #10
  %22 = icmp eq ptr %21, null
  br i1 %22, label %37, label %23

23:
  %24 = load i64, ptr getelementptr inbounds (%struct.states, ptr @wmtune_states, i64 0, i32 1), align 8
  %25 = load i32, ptr getelementptr inbounds (%struct.states, ptr @wmtune_states, i64 0, i32 4), align 4
  %26 = icmp slt i32 %25, 0
  %27 = zext i32 %25 to i64
  %28 = getelementptr inbounds i64, ptr %0, i64 %27
  %29 = select i1 %26, ptr getelementptr inbounds (%struct.states, ptr @wmtune_states, i64 0, i32 2), ptr %28
  %30 = load i64, ptr %29, align 8
  %31 = sub nsw i64 %24, %30
  %32 = getelementptr inbounds %struct.plan, ptr %21, i64 0, i32 1
  %33 = load ptr, ptr %32, align 8
  %34 = getelementptr inbounds i64, ptr %33, i64 %19
  %35 = load i64, ptr %34, align 8
  %36 = tail call i64 @llvm.smin.i64(i64 %31, i64 %35)
  store i64 %36, ptr %20, align 8
  br label %37

37:
  %38 = phi ptr [ null, %2 ], [ %21, %23 ], [ null, %18 ]
  ret ptr %38
}

declare void @llvm.stackrestore(ptr) #7

define i64 @wmtune_bytes_dims(ptr noundef %0, i32 noundef %1) local_unnamed_addr #6 {
  %3 = load i32, ptr getelementptr inbounds (%struct.plans, ptr @wmtune_plans, i64 0, i32 5), align 4
  %4 = zext i32 %3 to i64
  %5 = alloca i64, i64 %4, align 16
  %6 = call fastcc ptr @at_most(ptr noundef nonnull %5, ptr noundef %0) #10
  %7 = icmp eq ptr %6, null
  br i1 %7, label %10, label %8

8:
  %9 = call i64 @wmtune_plan_bytes(ptr noundef nonnull %5, i32 noundef %1) #10
  br label %10

10:
  %11 = phi i64 [ %9, %8 ], [ -1, %2 ]
  ret i64 %11
}

declare hidden i32 @wmtune_profile(ptr noundef, ptr noundef, ptr noundef, ptr noundef) local_unnamed_addr #8

declare hidden i32 @wmtune_run(ptr noundef, ptr noundef, ptr noundef) local_unnamed_addr #8

declare i64 @llvm.smin.i64(i64, i64) #9

attributes #0 = { nounwind optsize "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind willreturn memory(argmem: readwrite) }
attributes #2 = { mustprogress nocallback nofree nounwind willreturn memory(argmem: readwrite) }
attributes #3 = { nofree norecurse nosync nounwind optsize memory(read, inaccessiblemem: none) "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #4 = { nofree nosync nounwind optsize memory(readwrite, inaccessiblemem: none) "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #5 = { mustprogress nocallback nofree nounwind willreturn memory(argmem: write) }
attributes #6 = { nofree nosync nounwind optsize memory(read, argmem: readwrite, inaccessiblemem: none) "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #7 = { mustprogress nocallback nofree nosync nounwind willreturn }
attributes #8 = { optsize "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #9 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #10 = { optsize }
attributes #11 = { nounwind optsize }
attributes #12 = { nounwind }


