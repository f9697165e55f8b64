package op

// resnet50 are the subgraphs of ResNet-50 v1.5 (the stride is in the 3×3
// convolution), with batch norms folded into weights and biases, in the order of
// the model. The first block of a stage differs from the others, which read what
// the stage makes; its shortcut is a convolution.
var resnet50 = []Entry{
	{"stem", "conv2d:h=224,w=224,ci=3,co=64,k=7,s=2,p=3,epilogue=bias+relu", 1},
	{"maxpool", "maxpool2d:h=112,w=112,c=64,k=3,s=2,p=1", 1},

	{"stage1-first-reduce", "conv2d:h=56,w=56,ci=64,co=64,k=1,epilogue=bias+relu", 1},
	{"stage1-reduce", "conv2d:h=56,w=56,ci=256,co=64,k=1,epilogue=bias+relu", 2},
	{"stage1-conv3x3", "conv2d:h=56,w=56,ci=64,co=64,k=3,p=1,epilogue=bias+relu", 3},
	{"stage1-shortcut", "conv2d:h=56,w=56,ci=64,co=256,k=1,epilogue=bias", 1},
	{"stage1-expand", "conv2d:h=56,w=56,ci=64,co=256,k=1,epilogue=bias+add+relu", 3},

	{"stage2-first-reduce", "conv2d:h=56,w=56,ci=256,co=128,k=1,epilogue=bias+relu", 1},
	{"stage2-first-conv3x3", "conv2d:h=56,w=56,ci=128,co=128,k=3,s=2,p=1,epilogue=bias+relu", 1},
	{"stage2-reduce", "conv2d:h=28,w=28,ci=512,co=128,k=1,epilogue=bias+relu", 3},
	{"stage2-conv3x3", "conv2d:h=28,w=28,ci=128,co=128,k=3,p=1,epilogue=bias+relu", 3},
	{"stage2-shortcut", "conv2d:h=56,w=56,ci=256,co=512,k=1,s=2,epilogue=bias", 1},
	{"stage2-expand", "conv2d:h=28,w=28,ci=128,co=512,k=1,epilogue=bias+add+relu", 4},

	{"stage3-first-reduce", "conv2d:h=28,w=28,ci=512,co=256,k=1,epilogue=bias+relu", 1},
	{"stage3-first-conv3x3", "conv2d:h=28,w=28,ci=256,co=256,k=3,s=2,p=1,epilogue=bias+relu", 1},
	{"stage3-reduce", "conv2d:h=14,w=14,ci=1024,co=256,k=1,epilogue=bias+relu", 5},
	{"stage3-conv3x3", "conv2d:h=14,w=14,ci=256,co=256,k=3,p=1,epilogue=bias+relu", 5},
	{"stage3-shortcut", "conv2d:h=28,w=28,ci=512,co=1024,k=1,s=2,epilogue=bias", 1},
	{"stage3-expand", "conv2d:h=14,w=14,ci=256,co=1024,k=1,epilogue=bias+add+relu", 6},

	{"stage4-first-reduce", "conv2d:h=14,w=14,ci=1024,co=512,k=1,epilogue=bias+relu", 1},
	{"stage4-first-conv3x3", "conv2d:h=14,w=14,ci=512,co=512,k=3,s=2,p=1,epilogue=bias+relu", 1},
	{"stage4-reduce", "conv2d:h=7,w=7,ci=2048,co=512,k=1,epilogue=bias+relu", 2},
	{"stage4-conv3x3", "conv2d:h=7,w=7,ci=512,co=512,k=3,p=1,epilogue=bias+relu", 2},
	{"stage4-shortcut", "conv2d:h=14,w=14,ci=1024,co=2048,k=1,s=2,epilogue=bias", 1},
	{"stage4-expand", "conv2d:h=7,w=7,ci=512,co=2048,k=1,epilogue=bias+add+relu", 3},

	{"avgpool", "global_avgpool2d:h=7,w=7,c=2048", 1},
	{"classifier", "dense:m=1,n=1000,k=2048,epilogue=bias", 1},
}

// resnet18 are the subgraphs of ResNet-18, as those of resnet50. A block's second
// convolution adds the shortcut.
var resnet18 = []Entry{
	{"stem", "conv2d:h=224,w=224,ci=3,co=64,k=7,s=2,p=3,epilogue=bias+relu", 1},
	{"maxpool", "maxpool2d:h=112,w=112,c=64,k=3,s=2,p=1", 1},

	{"stage1-conv", "conv2d:h=56,w=56,ci=64,co=64,k=3,p=1,epilogue=bias+relu", 2},
	{"stage1-conv-add", "conv2d:h=56,w=56,ci=64,co=64,k=3,p=1,epilogue=bias+add+relu", 2},

	{"stage2-first-conv", "conv2d:h=56,w=56,ci=64,co=128,k=3,s=2,p=1,epilogue=bias+relu", 1},
	{"stage2-shortcut", "conv2d:h=56,w=56,ci=64,co=128,k=1,s=2,epilogue=bias", 1},
	{"stage2-conv", "conv2d:h=28,w=28,ci=128,co=128,k=3,p=1,epilogue=bias+relu", 1},
	{"stage2-conv-add", "conv2d:h=28,w=28,ci=128,co=128,k=3,p=1,epilogue=bias+add+relu", 2},

	{"stage3-first-conv", "conv2d:h=28,w=28,ci=128,co=256,k=3,s=2,p=1,epilogue=bias+relu", 1},
	{"stage3-shortcut", "conv2d:h=28,w=28,ci=128,co=256,k=1,s=2,epilogue=bias", 1},
	{"stage3-conv", "conv2d:h=14,w=14,ci=256,co=256,k=3,p=1,epilogue=bias+relu", 1},
	{"stage3-conv-add", "conv2d:h=14,w=14,ci=256,co=256,k=3,p=1,epilogue=bias+add+relu", 2},

	{"stage4-first-conv", "conv2d:h=14,w=14,ci=256,co=512,k=3,s=2,p=1,epilogue=bias+relu", 1},
	{"stage4-shortcut", "conv2d:h=14,w=14,ci=256,co=512,k=1,s=2,epilogue=bias", 1},
	{"stage4-conv", "conv2d:h=7,w=7,ci=512,co=512,k=3,p=1,epilogue=bias+relu", 1},
	{"stage4-conv-add", "conv2d:h=7,w=7,ci=512,co=512,k=3,p=1,epilogue=bias+add+relu", 2},

	{"avgpool", "global_avgpool2d:h=7,w=7,c=512", 1},
	{"classifier", "dense:m=1,n=1000,k=512,epilogue=bias", 1},
}
