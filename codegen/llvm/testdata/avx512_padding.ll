; func padding(A: float32[2, 11], out C: float32[3, 11]):
;   for j in 3:
;     vectorize l in 11:
;       C[j, l] = tir.if_then_else((j >= 1), A[(j - 1), l], 3f)

; padding
; for llvm -mcpu=skylake-avx512 -mattr=avx,avx2,fma,f16c,avx512f,avx512vl,avx512bw -cores=2

@wmtune.float.4008000000000000 = private unnamed_addr constant [16 x float] [float 0x4008000000000000, float 0x4008000000000000, float 0x4008000000000000, float 0x4008000000000000, float 0x4008000000000000, float 0x4008000000000000, float 0x4008000000000000, float 0x4008000000000000, float 0x4008000000000000, float 0x4008000000000000, float 0x4008000000000000, float 0x4008000000000000, float 0x4008000000000000, float 0x4008000000000000, float 0x4008000000000000, float 0x4008000000000000], align 64
declare <16 x float> @llvm.masked.load.v16f32.p0(ptr, i32 immarg, <16 x i1>, <16 x float>)
declare void @llvm.masked.store.v16f32.p0(<16 x float>, ptr, i32 immarg, <16 x i1>)

define internal void @kernel.main(ptr noalias readonly align 64 %A.1, ptr noalias align 64 %C.2) #0 {
entry:
  br label %loop.3
loop.3:
  %j.5 = phi i64 [ 0, %entry ], [ %j.next.6, %loop.3 ]
  %v7 = icmp sge i64 %j.5, 1
  %v8 = mul i64 %j.5, 11
  %v9 = getelementptr float, ptr %A.1, i64 %v8
  %v10 = getelementptr float, ptr %v9, i64 -11
  %v11 = select i1 %v7, ptr %v10, ptr @wmtune.float.4008000000000000
  %v12 = call <16 x float> @llvm.masked.load.v16f32.p0(ptr %v11, i32 4, <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false>, <16 x float> zeroinitializer)
  %v13 = getelementptr float, ptr %C.2, i64 %v8
  call void @llvm.masked.store.v16f32.p0(<16 x float> %v12, ptr %v13, i32 4, <16 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false, i1 false, i1 false>)
  %j.next.6 = add nuw nsw i64 %j.5, 1
  %j.next.6.more = icmp ult i64 %j.next.6, 3
  br i1 %j.next.6.more, label %loop.3, label %end.4
end.4:
  ret void
}

define void @wmtune_kernel(ptr %args) #0 {
entry:
  %v1 = getelementptr ptr, ptr %args, i64 0
  %v2 = load ptr, ptr %v1, align 8
  %v3 = getelementptr ptr, ptr %args, i64 1
  %v4 = load ptr, ptr %v3, align 8
  call void @kernel.main(ptr %v2, ptr %v4)
  ret void
}

attributes #0 = { nounwind "prefer-vector-width"="512" "min-legal-vector-width"="512" }
