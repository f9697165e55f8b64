// Package pass rewrites graphs: one table of passes, in order, each from a graph to one that computes the same and is
// easier to make fast. It also divides a graph into groups, which become kernels (Partition).
//
// The package must not know schedules, code, or where graphs come from.
package pass

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	_ "github.com/wmtune/wmtune/graph/op/table" // the rows
)

// A row is a pass.
type row struct {
	name string
	run  func(ctx context.Context, g *graph.Graph) error
	must bool // later stages cannot do without it
}

// passes has all passes in the order in which they run.
var passes = []row{
	{"infer", infer, true},
	{"batchnorm", foldBatchNorm, false},
	{"gathers", gatherStored, false},
	{"decompose", decompose, true},
	{"weights", packWeights, false},
	{"empty", empty, true},
	{"unused", unused, false},
	{"same", same, false},
	{"aliases", aliases, false},
	{"integers", integers, false},
	{"taps", cutTaps, false},
	{"channels-last", channelsLast, false},
	{"winograd", winograd, false},
	{"transposes", sinkTransposes, false},
	{"channels-first", channelsFirst, false},
	{"scales", moveScales, false},
	{"heads", groupHeads, false},
	{"attention", attention, false},
	{"products", flattenProducts, false},
	{"reshapes", sinkReshapes, false},
	{"lookups", lookups, false},
	{"again", again, false},
}

// order says which pass comes before which, and why.
var order = []struct{ before, after, why string }{
	{"infer", "decompose", "decompositions depend on shapes"},
	{"decompose", "empty", "pieces of a decomposition may be empty"},
	{"decompose", "weights", "products of other operators are ONNX's only then"},
	{"infer", "gathers", "tables that nodes dequantize are constants only then"},
	{"gathers", "decompose", "a Gather becomes one of checked indices"},
	{"weights", "winograd", "the weights of a convolution are real numbers only then"},
	{"decompose", "unused", "decompositions leave constants behind"},
	{"infer", "batchnorm", "weights that nodes make are constants only then"},
	{"batchnorm", "decompose", "a norm becomes a product and a sum"},
	{"batchnorm", "channels-last", "norms are folded into weights in ONNX's order"},
	{"aliases", "integers", "it sees which nodes dequantize what a product reads"},
	{"decompose", "integers", "quantized operators become those that it moves bytes through"},
	{"integers", "taps", "a convolution of bytes is cut, too"},
	{"integers", "channels-last", "it is of ONNX's convolutions"},
	{"taps", "channels-last", "it is of ONNX's convolutions"},
	{"channels-last", "winograd", "it is of images whose channels are last"},
	{"channels-last", "transposes", "it leaves a pair of transposes around each convolution"},
	{"transposes", "channels-first", "only then a pool that stays between two transposes is seen"},
	{"transposes", "products", "a product whose operand was transposed is flattened after that"},
	{"transposes", "scales", "a transpose between a multiplication and a product sinks to the latter"},
	{"scales", "products", "a flattened product has reshapes before it"},
	{"products", "reshapes", "it leaves a pair of reshapes around each product"},
	{"reshapes", "again", "what sank may now stand beside its like"},
	{"reshapes", "lookups", "nodes that bytes pass through stand together then"},
	{"lookups", "again", "chains that tables took the place of are left behind"},
	{"transposes", "heads", "transposes of keys stand before their product only then"},
	{"heads", "attention", "a softmax is one of grouped heads before its product joins it"},
	{"scales", "attention", "a scale between scores and their operands has moved to the scores"},
	{"attention", "products", "a flattened product has reshapes before it"},
}

// Names lists the passes in order.
func Names() []string {
	names := make([]string, len(passes))
	for i, p := range passes {
		names[i] = p.name
	}
	return names
}

// Options say how passes run.
type Options struct {
	Skip  []string                          // passes that are left out, to find the one at fault
	Check bool                              // check the graph after each pass; all tests do
	Trace func(pass string, g *graph.Graph) // told after each pass; may be nil

	Precision string  // of Precisions, in which the model is rounded before all passes (Rounded); "": none
	Rate      float64 // of products of the Precision's type, beside float32's; 0: not known
	OddSums   bool    // whether its instructions make products of an odd number of steps

	// Tiles, if not nil, are those of Winograd convolutions that a run chose before for the same weights: they are taken,
	// and a run adds its own. So graphs of one model have the same constants.
	Tiles Tiles

	Limit op.Limit // of the reference; a node beyond it is an error of the first pass
}

// Run rewrites g in place. The inputs of g must be known.
func Run(ctx context.Context, g *graph.Graph, opt Options) error {
	for _, name := range opt.Skip {
		i := slices.Index(Names(), name)
		if i < 0 {
			return fmt.Errorf("no pass is called %q: there are %s", name, strings.Join(Names(), ", "))
		}
		if passes[i].must {
			return fmt.Errorf("pass %s cannot be left out: later stages need it", name)
		}
	}
	ctx = context.WithValue(op.WithLimit(ctx, opt.Limit), tilesKey{}, opt.Tiles)
	for _, p := range passes {
		if slices.Contains(opt.Skip, p.name) {
			continue
		}
		err := ctx.Err()
		if err == nil {
			err = p.run(ctx, g)
		}
		if err != nil {
			return err
		}
		if opt.Check {
			if err := graph.Check(g); err != nil {
				return fmt.Errorf("BUG: after pass %s: %w", p.name, err)
			}
		}
		if opt.Trace != nil {
			opt.Trace(p.name, g)
		}
	}
	return nil
}

// Needed reports whether a pass cannot be left out.
func Needed(name string) bool {
	i := slices.Index(Names(), name)
	return i >= 0 && passes[i].must
}
