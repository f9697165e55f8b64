package op

// paper22 are the subgraphs that the world-model paper calls representative, in
// its order. Batch 1, float32, channels last.
var paper22 = []Entry{
	{"r3d-t1", "conv3d:d=16,h=56,w=56,ci=64,co=64,k=3,p=1,epilogue=bias+relu", 1},
	{"r3d-t15", "conv3d:d=16,h=56,w=56,ci=64,co=128,k=1,s=2", 1},
	{"bert-t2", "dense:m=128,n=3072,k=768,epilogue=bias+gelu", 1},
	{"opt-t1", "batch_matmul:b=32,m=128,n=128,k=64", 1},
	{"gpt2-t0", "variance:m=128,n=768", 1},
	{"gpt2-t8", "mean:m=128,n=768", 1},
	{"opt-t4", "dense:m=128,n=2048,k=2048,epilogue=bias", 1},
	{"opt-t3", "softmax:m=4096,n=128", 1}, // 32x128 rows
	{"r50-t0", "dense:m=1,n=1000,k=2048,epilogue=bias", 1},
	{"mbv2-t1", "global_avgpool2d:h=7,w=7,c=1280", 1},
	{"bert-t6", "batch_matmul:b=12,m=128,n=64,k=128", 1},
	{"gptneo-t0", "dense:m=128,n=2560,k=2560", 1},
	{"r50-t21", "maxpool2d:h=112,w=112,c=64,k=3,s=2,p=1", 1},
	{"r50-t6", "conv2d:h=56,w=56,ci=256,co=64,k=1,epilogue=bias+relu", 1},
	{"mbv2-t31", "conv2d:h=7,w=7,ci=320,co=1280,k=1", 1},
	{"mbv2-t4", "depthwise:h=112,w=112,c=32,k=3,p=1,epilogue=bias+relu6", 1},
	{"mbv2-t6", "conv2d:h=56,w=56,ci=144,co=24,k=1,epilogue=bias+add", 1},
	{"mbv2-t22", "depthwise:h=14,w=14,c=384,k=3,p=1", 1},
	{"r50-t7", "conv2d:h=56,w=56,ci=64,co=256,k=1,epilogue=bias+add+relu", 1},
	{"r50-t3", "conv2d:h=56,w=56,ci=64,co=64,k=3,p=1,epilogue=bias+relu", 1},
	{"r50-t5", "conv2d:h=56,w=56,ci=128,co=128,k=3,s=2,p=1,epilogue=bias+relu", 1},
	{"r50-t26", "conv2d:h=56,w=56,ci=256,co=512,k=1,s=2,epilogue=bias+add", 1},
}
