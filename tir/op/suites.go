package op

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// A Suite is a named list of workloads.
type Suite struct {
	Name string
	What string
	List []Entry
}

// An Entry is a workload of a suite, not built yet.
type Entry struct {
	Name  string // within the suite
	Spec  string
	Count int // how often it stands in the model that the suite is of
}

// suites is the table of all suites.
var suites = []Suite{
	{"paper22", "the 22 representative subgraphs of the world-model paper", paper22},
	{"resnet50", "ResNet-50 v1.5", resnet50},
	{"resnet18", "ResNet-18", resnet18},
	{"mobilenet_v2", "MobileNet-v2", mobilenetV2},
	{"bert", "BERT-base, sequence of 128", bert},
	{"train", "other shapes of the same families, to learn from", train},
}

// Suites lists all suites.
func Suites() []Suite { return slices.Clone(suites) }

// Workload builds the DAG of an entry.
func (s Suite) Workload(e Entry) (*Workload, error) {
	w, err := Parse(e.Spec)
	if err != nil {
		return nil, fmt.Errorf("%s/%s: %w", s.Name, e.Name, err)
	}
	w.Name, w.Count = s.Name+"/"+e.Name, e.Count
	return w, nil
}

// FindSuite returns the suite with the given name.
func FindSuite(name string) (Suite, error) {
	var known []string
	for _, s := range suites {
		if s.Name == name {
			return s, nil
		}
		known = append(known, s.Name)
	}
	return Suite{}, fmt.Errorf("unknown suite %q: known are %s", name, strings.Join(known, " "))
}

// Lookup builds the workload "suite/name".
func Lookup(name string) (*Workload, error) {
	suiteName, entry, ok := strings.Cut(name, "/")
	if !ok {
		return nil, errors.New("want suite/name, such as paper22/r50-t3")
	}
	s, err := FindSuite(suiteName)
	if err != nil {
		return nil, err
	}
	var known []string
	for _, e := range s.List {
		if e.Name == entry {
			return s.Workload(e)
		}
		known = append(known, e.Name)
	}
	return nil, fmt.Errorf("unknown workload %q of suite %s: known are %s", entry, suiteName, strings.Join(known, " "))
}

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

// bert are the subgraphs of BERT-base for a sequence of 128: 12 layers of 12
// heads. The scale of the scores is folded into the weights of the queries;
// embeddings, which are looked up, are left out but for their sums.
var bert = []Entry{
	{"embedding-sum", "elementwise:fn=add,shape=128x768", 2},
	{"query-key-value", "dense:m=128,n=768,k=768,epilogue=bias", 36},
	{"scores", "batch_matmul:b=12,m=128,n=128,k=64,tb=1", 12},
	{"mask", "elementwise:fn=add,shape=12x128x128,y=1x128", 12},
	{"softmax", "softmax:m=1536,n=128", 12},
	{"context", "batch_matmul:b=12,m=128,n=64,k=128", 12},
	{"attention-output", "dense:m=128,n=768,k=768,epilogue=bias+add", 12},
	{"layernorm", "layernorm:m=128,n=768", 25},
	{"intermediate", "dense:m=128,n=3072,k=768,epilogue=bias+gelu", 12},
	{"output", "dense:m=128,n=768,k=3072,epilogue=bias+add", 12},
	{"pooler", "dense:m=1,n=768,k=768,epilogue=bias", 1},
	{"pooler-tanh", "elementwise:fn=tanh,shape=1x768", 1},
}

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

// train are workloads for collecting training data: the families of the other
// suites, in other shapes. A test holds that no other suite has the shapes of
// one of these, so that what is learned from them can be tested on those.
var train = []Entry{
	// Layers of perceptrons and transformers.
	{"dense-16x256x256", "dense:m=16,n=256,k=256,epilogue=bias+relu", 1},
	{"dense-64x512x512", "dense:m=64,n=512,k=512,epilogue=bias+relu", 1},
	{"dense-1x4096x1024", "dense:m=1,n=4096,k=1024,epilogue=bias", 1},
	{"dense-8x1024x4096", "dense:m=8,n=1024,k=4096,epilogue=bias", 1},
	{"dense-1x10x784", "dense:m=1,n=10,k=784,epilogue=bias", 1},
	{"dense-32x128x1024", "dense:m=32,n=128,k=1024", 1},
	{"dense-256x1024x256", "dense:m=256,n=1024,k=256,epilogue=bias+gelu", 1},
	{"dense-196x576x192", "dense:m=196,n=576,k=192,epilogue=bias", 1},
	{"dense-197x1536x384", "dense:m=197,n=1536,k=384,epilogue=bias+gelu", 1},
	{"dense-197x384x1536", "dense:m=197,n=384,k=1536,epilogue=bias+add", 1},
	{"dense-64x2304x768", "dense:m=64,n=2304,k=768,epilogue=bias", 1},
	{"dense-50x512x2048", "dense:m=50,n=512,k=2048,epilogue=bias+add", 1},
	{"dense-100x100x100", "dense:m=100,n=100,k=100,epilogue=relu", 1},
	{"dense-127x331x61", "dense:m=127,n=331,k=61,epilogue=bias", 1},
	{"dense-256x64x576", "dense:m=256,n=64,k=576,epilogue=bias+silu", 1},
	{"dense-77x640x512", "dense:m=77,n=640,k=512,epilogue=bias", 1},
	{"dense-384x1024x1024", "dense:m=384,n=1024,k=1024,epilogue=bias+gelu", 1},
	{"dense-20x5120x1280", "dense:m=20,n=5120,k=1280", 1},
	{"dense-4x2000x300", "dense:m=4,n=2000,k=300,epilogue=bias+sigmoid", 1},
	{"dense-333x96x240", "dense:m=333,n=96,k=240,epilogue=bn+relu", 1},

	// Products of matrices, some of odd sizes.
	{"matmul-512x512x512", "matmul:m=512,n=512,k=512", 1},
	{"matmul-256x256x1024", "matmul:m=256,n=256,k=1024", 1},
	{"matmul-1024x128x96", "matmul:m=1024,n=128,k=96", 1},
	{"matmul-64x1000x129-ta", "matmul:m=64,n=1000,k=129,ta=1", 1},
	{"matmul-384x384x64-tb", "matmul:m=384,n=384,k=64,tb=1", 1},
	{"matmul-97x101x103", "matmul:m=97,n=101,k=103", 1},
	{"matmul-48x2048x48-ta-tb", "matmul:m=48,n=2048,k=48,ta=1,tb=1", 1},
	{"matmul-640x320x160", "matmul:m=640,n=320,k=160,epilogue=relu", 1},
	{"matmul-33x65x4096", "matmul:m=33,n=65,k=4096", 1},
	{"matmul-800x24x500-tb", "matmul:m=800,n=24,k=500,tb=1,epilogue=bias", 1},

	// Attention.
	{"batch_matmul-8x128x128x96", "batch_matmul:b=8,m=128,n=128,k=96", 1},
	{"batch_matmul-16x64x64x64", "batch_matmul:b=16,m=64,n=64,k=64", 1},
	{"batch_matmul-16x256x256x64", "batch_matmul:b=16,m=256,n=256,k=64,tb=1", 1},
	{"batch_matmul-8x197x197x64", "batch_matmul:b=8,m=197,n=197,k=64,tb=1", 1},
	{"batch_matmul-6x197x64x197", "batch_matmul:b=6,m=197,n=64,k=197", 1},
	{"batch_matmul-20x77x77x64", "batch_matmul:b=20,m=77,n=77,k=64,tb=1", 1},
	{"batch_matmul-4x384x96x384", "batch_matmul:b=4,m=384,n=96,k=384", 1},
	{"batch_matmul-32x16x256x64", "batch_matmul:b=32,m=16,n=256,k=64,tb=1", 1},
	{"batch_matmul-3x333x55x77", "batch_matmul:b=3,m=333,n=55,k=77", 1},
	{"batch_matmul-24x49x32x49", "batch_matmul:b=24,m=49,n=32,k=49", 1},

	// 3x3 convolutions.
	{"conv3x3-32x64x64", "conv2d:h=32,w=32,ci=64,co=64,k=3,p=1,epilogue=bias+relu", 1},
	{"conv3x3-16x128x128", "conv2d:h=16,w=16,ci=128,co=128,k=3,p=1,epilogue=bias+relu", 1},
	{"conv3x3-28x96x96", "conv2d:h=28,w=28,ci=96,co=96,k=3,p=1,epilogue=bias+relu", 1},
	{"conv3x3-14x192x224", "conv2d:h=14,w=14,ci=192,co=224,k=3,p=1,epilogue=bias+relu", 1},
	{"conv3x3-35x64x96", "conv2d:h=35,w=35,ci=64,co=96,k=3,p=1,epilogue=bn+relu", 1},
	{"conv3x3-56x32x64", "conv2d:h=56,w=56,ci=32,co=64,k=3,p=1,epilogue=bias+silu", 1},
	{"conv3x3-80x24x48", "conv2d:h=80,w=80,ci=24,co=48,k=3,p=1,epilogue=bias+silu", 1},
	{"conv3x3-40x96x96", "conv2d:h=40,w=40,ci=96,co=96,k=3,p=1,epilogue=bias+add+relu", 1},
	{"conv3x3-20x160x192", "conv2d:h=20,w=20,ci=160,co=192,k=3,p=1,epilogue=bias+relu6", 1},
	{"conv3x3-13x384x256", "conv2d:h=13,w=13,ci=384,co=256,k=3,p=1,epilogue=bias+relu", 1},
	{"conv3x3-64x48x96-s2", "conv2d:h=64,w=64,ci=48,co=96,k=3,s=2,p=1,epilogue=bias+relu", 1},
	{"conv3x3-56x96x128-s2", "conv2d:h=56,w=56,ci=96,co=128,k=3,s=2,p=1,epilogue=bias+relu", 1},
	{"conv3x3-30x160x160-s2", "conv2d:h=30,w=30,ci=160,co=160,k=3,s=2,p=1,epilogue=bias+relu", 1},
	{"conv3x3-112x16x32-s2", "conv2d:h=112,w=112,ci=16,co=32,k=3,s=2,p=1,epilogue=bias+relu6", 1},
	{"conv3x3-160x3x24-s2", "conv2d:h=160,w=160,ci=3,co=24,k=3,s=2,p=1,epilogue=bias+silu", 1},
	{"conv3x3-29x17x23", "conv2d:h=29,w=29,ci=17,co=23,k=3,p=1,epilogue=bias", 1},

	// 1x1 convolutions.
	{"conv1x1-56x48x48", "conv2d:h=56,w=56,ci=48,co=48,k=1,epilogue=bias+relu", 1},
	{"conv1x1-28x96x384", "conv2d:h=28,w=28,ci=96,co=384,k=1,epilogue=bias+gelu", 1},
	{"conv1x1-28x384x96", "conv2d:h=28,w=28,ci=384,co=96,k=1,epilogue=bias+add", 1},
	{"conv1x1-14x112x672", "conv2d:h=14,w=14,ci=112,co=672,k=1,epilogue=bias+silu", 1},
	{"conv1x1-14x672x112", "conv2d:h=14,w=14,ci=672,co=112,k=1,epilogue=bias+add", 1},
	{"conv1x1-14x480x112", "conv2d:h=14,w=14,ci=480,co=112,k=1,epilogue=bias", 1},
	{"conv1x1-7x192x1152", "conv2d:h=7,w=7,ci=192,co=1152,k=1,epilogue=bias+silu", 1},
	{"conv1x1-7x1152x320", "conv2d:h=7,w=7,ci=1152,co=320,k=1,epilogue=bias", 1},
	{"conv1x1-35x288x64", "conv2d:h=35,w=35,ci=288,co=64,k=1,epilogue=bn+relu", 1},
	{"conv1x1-17x768x192", "conv2d:h=17,w=17,ci=768,co=192,k=1,epilogue=bias+relu", 1},
	{"conv1x1-8x1280x384", "conv2d:h=8,w=8,ci=1280,co=384,k=1,epilogue=bias+relu", 1},
	{"conv1x1-112x24x72", "conv2d:h=112,w=112,ci=24,co=72,k=1,epilogue=bias+relu", 1},
	{"conv1x1-40x120x40", "conv2d:h=40,w=40,ci=120,co=40,k=1,epilogue=bias", 1},
	{"conv1x1-20x256x255", "conv2d:h=20,w=20,ci=256,co=255,k=1,epilogue=bias", 1},
	{"conv1x1-64x128x96-s2", "conv2d:h=64,w=64,ci=128,co=96,k=1,s=2,epilogue=bias", 1},
	{"conv1x1-32x192x384-s2", "conv2d:h=32,w=32,ci=192,co=384,k=1,s=2,epilogue=bias+add+relu", 1},

	// Other convolutions of images: stems, long kernels, groups, dilation, channels first.
	{"conv7x7-128x3x32", "conv2d:h=128,w=128,ci=3,co=32,k=7,s=2,p=3,epilogue=bias+relu", 1},
	{"conv11x11-227x3x64", "conv2d:h=227,w=227,ci=3,co=64,k=11,s=4,epilogue=bias+relu", 1},
	{"conv4x4-224x3x96", "conv2d:h=224,w=224,ci=3,co=96,k=4,s=4,epilogue=bias", 1},
	{"conv5x5-27x64x192", "conv2d:h=27,w=27,ci=64,co=192,k=5,p=2,epilogue=bias+relu", 1},
	{"conv1x7-17x128x192", "conv2d:h=17,w=17,ci=128,co=192,k=1x7,p=0x3,epilogue=bias+relu", 1},
	{"conv7x1-17x160x160", "conv2d:h=17,w=17,ci=160,co=160,k=7x1,p=3x0,epilogue=bias+relu", 1},
	{"conv3x3-28x128x128-g4", "conv2d:h=28,w=28,ci=128,co=128,k=3,p=1,groups=4,epilogue=bias+relu", 1},
	{"conv3x3-14x256x256-g32", "conv2d:h=14,w=14,ci=256,co=256,k=3,p=1,groups=32,epilogue=bias+relu", 1},
	{"conv3x3-32x96x64-d2", "conv2d:h=32,w=32,ci=96,co=64,k=3,p=2,dilation=2,epilogue=bias+relu", 1},
	{"conv3x3-28x64x96-nchw", "conv2d:h=28,w=28,ci=64,co=96,k=3,p=1,layout=NCHW,epilogue=bias+relu", 1},
	{"conv1x1-20x128x96-nchw", "conv2d:h=20,w=20,ci=128,co=96,k=1,layout=NCHW,epilogue=bias", 1},

	// Depthwise convolutions.
	{"depthwise3x3-112x24", "depthwise:h=112,w=112,c=24,k=3,p=1,epilogue=bias+relu6", 1},
	{"depthwise3x3-112x16", "depthwise:h=112,w=112,c=16,k=3,p=1,epilogue=bias+relu", 1},
	{"depthwise3x3-56x72-s2", "depthwise:h=56,w=56,c=72,k=3,s=2,p=1,epilogue=bias+relu", 1},
	{"depthwise5x5-56x48", "depthwise:h=56,w=56,c=48,k=5,p=2,epilogue=bias+relu", 1},
	{"depthwise5x5-28x120", "depthwise:h=28,w=28,c=120,k=5,p=2,epilogue=bias+silu", 1},
	{"depthwise3x3-28x240-s2", "depthwise:h=28,w=28,c=240,k=3,s=2,p=1,epilogue=bias+silu", 1},
	{"depthwise3x3-14x480", "depthwise:h=14,w=14,c=480,k=3,p=1,epilogue=bias+silu", 1},
	{"depthwise5x5-14x672-s2", "depthwise:h=14,w=14,c=672,k=5,s=2,p=2,epilogue=bias+silu", 1},
	{"depthwise5x5-7x1152", "depthwise:h=7,w=7,c=1152,k=5,p=2,epilogue=bias+silu", 1},
	{"depthwise7x7-56x96", "depthwise:h=56,w=56,c=96,k=7,p=3,epilogue=bias", 1},
	{"depthwise7x7-14x384", "depthwise:h=14,w=14,c=384,k=7,p=3,epilogue=bias", 1},
	{"depthwise3x3-80x32", "depthwise:h=80,w=80,c=32,k=3,p=1,epilogue=bias+relu6", 1},
	{"depthwise3x3-40x184", "depthwise:h=40,w=40,c=184,k=3,p=1,epilogue=bias+relu6", 1},
	{"depthwise3x3-10x960", "depthwise:h=10,w=10,c=960,k=3,p=1,epilogue=bias+relu6", 1},

	// Volumes, sequences, transposed convolutions, Winograd.
	{"conv3d-8x28x28x32x32", "conv3d:d=8,h=28,w=28,ci=32,co=32,k=3,p=1,epilogue=bias+relu", 1},
	{"conv3d-8x14x14x64x96", "conv3d:d=8,h=14,w=14,ci=64,co=96,k=3,s=2,p=1,epilogue=bias+relu", 1},
	{"conv3d-16x56x56x3x24", "conv3d:d=16,h=56,w=56,ci=3,co=24,k=3x7x7,s=1x2x2,p=1x3x3,epilogue=bias+relu", 1},
	{"conv3d-4x28x28x96x48", "conv3d:d=4,h=28,w=28,ci=96,co=48,k=1,epilogue=bias+relu", 1},
	{"conv1d-256x64x128", "conv1d:w=256,ci=64,co=128,k=3,p=1,epilogue=bias+relu", 1},
	{"conv1d-1000x40x128", "conv1d:w=1000,ci=40,co=128,k=5,s=2,p=2,epilogue=bias+gelu", 1},
	{"conv1d-3000x80x192", "conv1d:w=3000,ci=80,co=192,k=3,p=1,epilogue=bias+gelu", 1},
	{"transpose-4x256x128", "conv2d_transpose:h=4,w=4,ci=256,co=128,k=4,s=2,p=1,epilogue=bias+relu", 1},
	{"transpose-14x96x64", "conv2d_transpose:h=14,w=14,ci=96,co=64,k=2,s=2,epilogue=bias", 1},
	{"transpose-28x64x32", "conv2d_transpose:h=28,w=28,ci=64,co=32,k=3,s=2,p=1,out_pad=1,epilogue=bias+relu", 1},
	{"transpose-32x32x3", "conv2d_transpose:h=32,w=32,ci=32,co=3,k=4,s=2,p=1,epilogue=sigmoid", 1},
	{"winograd-32x48x48", "conv2d_winograd:h=32,w=32,ci=48,co=48,p=1,epilogue=bias+relu", 1},
	{"winograd-14x160x160", "conv2d_winograd:h=14,w=14,ci=160,co=160,p=1,tile=2,epilogue=bias+relu", 1},
	{"winograd-26x96x128", "conv2d_winograd:h=26,w=26,ci=96,co=128,p=1,epilogue=bias+relu", 1},

	// Pooling.
	{"maxpool-56x192", "maxpool2d:h=56,w=56,c=192,k=3,s=2,p=1", 1},
	{"maxpool-32x64", "maxpool2d:h=32,w=32,c=64,k=2,s=2", 1},
	{"maxpool-13x512", "maxpool2d:h=13,w=13,c=512,k=5,p=2", 1},
	{"maxpool-27x96", "maxpool2d:h=27,w=27,c=96,k=3,s=2", 1},
	{"avgpool-28x128", "avgpool2d:h=28,w=28,c=128,k=2,s=2", 1},
	{"avgpool-35x192", "avgpool2d:h=35,w=35,c=192,k=3,p=1", 1},
	{"global-avgpool-14x672", "global_avgpool2d:h=14,w=14,c=672", 1},
	{"global-avgpool-8x384", "global_avgpool2d:h=8,w=8,c=384", 1},
	{"global-maxpool-7x768", "global_maxpool2d:h=7,w=7,c=768", 1},

	// Rows and elements.
	{"softmax-1024x64", "softmax:m=1024,n=64", 1},
	{"softmax-384x384", "softmax:m=384,n=384", 1},
	{"softmax-1x32000", "softmax:m=1,n=32000", 1},
	{"softmax-2364x197", "softmax:m=2364,n=197", 1},
	{"softmax-64x1000", "softmax:m=64,n=1000", 1},
	{"layernorm-197x384", "layernorm:m=197,n=384", 1},
	{"layernorm-64x1024", "layernorm:m=64,n=1024", 1},
	{"layernorm-3136x96", "layernorm:m=3136,n=96", 1},
	{"layernorm-1x4096", "layernorm:m=1,n=4096", 1},
	{"mean-64x1024", "mean:m=64,n=1024", 1},
	{"mean-1000x100", "mean:m=1000,n=100", 1},
	{"variance-64x1024", "variance:m=64,n=1024", 1},
	{"variance-197x384", "variance:m=197,n=384", 1},
	{"sum-1x1000000", "sum:m=1,n=1000000", 1},
	{"sum-512x512-columns", "sum:m=512,n=512,axis=0", 1},
	{"max-256x4096", "max:m=256,n=4096", 1},
	{"min-77x500", "min:m=77,n=500", 1},
	{"argmax-32x30522", "argmax:m=32,n=30522", 1},
	{"add-64x256x256", "elementwise:fn=add,shape=64x256x256", 1},
	{"mul-56x56x64", "elementwise:fn=mul,shape=56x56x64,y=64", 1},
	{"gelu-197x1536", "elementwise:fn=gelu,shape=197x1536", 1},
	{"sigmoid-32x4096", "elementwise:fn=sigmoid,shape=32x4096", 1},

	// Batches, and half precision.
	{"conv3x3-4x14x64x96", "conv2d:h=14,w=14,ci=64,co=96,k=3,p=1,batch=4,epilogue=bias+relu", 1},
	{"conv1x1-2x28x160x64", "conv2d:h=28,w=28,ci=160,co=64,k=1,batch=2,epilogue=bias+relu6", 1},
	{"depthwise3x3-3x28x96", "depthwise:h=28,w=28,c=96,k=3,p=1,batch=3,epilogue=bias+relu", 1},
	{"dense-48x384x256-f16", "dense:m=48,n=384,k=256,dtype=f16,epilogue=bias+relu", 1},
	{"batch_matmul-12x96x96x64-f16", "batch_matmul:b=12,m=96,n=96,k=64,tb=1,dtype=f16", 1},
	{"conv3x3-28x48x64-f16", "conv2d:h=28,w=28,ci=48,co=64,k=3,p=1,dtype=f16,epilogue=bias+relu", 1},
	{"softmax-600x128-f16", "softmax:m=600,n=128,dtype=f16", 1},
	{"layernorm-256x512-f16", "layernorm:m=256,n=512,dtype=f16", 1},
}
