package op

// mobilenetV2 are the subgraphs of MobileNet-v2, with batch norms folded into
// weights and biases, by the size of the image. A block expands the channels,
// convolves each and projects them; the projection of a block that keeps the
// size adds the block's input. The number is that of expanded channels.
var mobilenetV2 = []Entry{
	{"stem", "conv2d:h=224,w=224,ci=3,co=32,k=3,s=2,p=1,epilogue=bias+relu6", 1},
	{"depthwise-32", "depthwise:h=112,w=112,c=32,k=3,p=1,epilogue=bias+relu6", 1},
	{"project-32", "conv2d:h=112,w=112,ci=32,co=16,k=1,epilogue=bias", 1},
	{"expand-96", "conv2d:h=112,w=112,ci=16,co=96,k=1,epilogue=bias+relu6", 1},

	{"depthwise-96-s2", "depthwise:h=112,w=112,c=96,k=3,s=2,p=1,epilogue=bias+relu6", 1},
	{"project-96", "conv2d:h=56,w=56,ci=96,co=24,k=1,epilogue=bias", 1},
	{"expand-144", "conv2d:h=56,w=56,ci=24,co=144,k=1,epilogue=bias+relu6", 2},
	{"depthwise-144", "depthwise:h=56,w=56,c=144,k=3,p=1,epilogue=bias+relu6", 1},
	{"project-144-add", "conv2d:h=56,w=56,ci=144,co=24,k=1,epilogue=bias+add", 1},

	{"depthwise-144-s2", "depthwise:h=56,w=56,c=144,k=3,s=2,p=1,epilogue=bias+relu6", 1},
	{"project-144", "conv2d:h=28,w=28,ci=144,co=32,k=1,epilogue=bias", 1},
	{"expand-192", "conv2d:h=28,w=28,ci=32,co=192,k=1,epilogue=bias+relu6", 3},
	{"depthwise-192", "depthwise:h=28,w=28,c=192,k=3,p=1,epilogue=bias+relu6", 2},
	{"project-192-add", "conv2d:h=28,w=28,ci=192,co=32,k=1,epilogue=bias+add", 2},

	{"depthwise-192-s2", "depthwise:h=28,w=28,c=192,k=3,s=2,p=1,epilogue=bias+relu6", 1},
	{"project-192", "conv2d:h=14,w=14,ci=192,co=64,k=1,epilogue=bias", 1},
	{"expand-384", "conv2d:h=14,w=14,ci=64,co=384,k=1,epilogue=bias+relu6", 4},
	{"depthwise-384", "depthwise:h=14,w=14,c=384,k=3,p=1,epilogue=bias+relu6", 4},
	{"project-384-add", "conv2d:h=14,w=14,ci=384,co=64,k=1,epilogue=bias+add", 3},
	{"project-384", "conv2d:h=14,w=14,ci=384,co=96,k=1,epilogue=bias", 1},
	{"expand-576", "conv2d:h=14,w=14,ci=96,co=576,k=1,epilogue=bias+relu6", 3},
	{"depthwise-576", "depthwise:h=14,w=14,c=576,k=3,p=1,epilogue=bias+relu6", 2},
	{"project-576-add", "conv2d:h=14,w=14,ci=576,co=96,k=1,epilogue=bias+add", 2},

	{"depthwise-576-s2", "depthwise:h=14,w=14,c=576,k=3,s=2,p=1,epilogue=bias+relu6", 1},
	{"project-576", "conv2d:h=7,w=7,ci=576,co=160,k=1,epilogue=bias", 1},
	{"expand-960", "conv2d:h=7,w=7,ci=160,co=960,k=1,epilogue=bias+relu6", 3},
	{"depthwise-960", "depthwise:h=7,w=7,c=960,k=3,p=1,epilogue=bias+relu6", 3},
	{"project-960-add", "conv2d:h=7,w=7,ci=960,co=160,k=1,epilogue=bias+add", 2},
	{"project-960", "conv2d:h=7,w=7,ci=960,co=320,k=1,epilogue=bias", 1},

	{"head", "conv2d:h=7,w=7,ci=320,co=1280,k=1,epilogue=bias+relu6", 1},
	{"avgpool", "global_avgpool2d:h=7,w=7,c=1280", 1},
	{"classifier", "dense:m=1,n=1000,k=1280,epilogue=bias", 1},
}
