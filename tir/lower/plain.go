package lower

import (
	"fmt"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/schedule"
)

// plainPasses are those that only write down what the steps say. What comes after
// them depends on the target, or makes several versions of a tile.
var plainPasses = []pass{{name: "nesting", run: nesting}, {name: "simplify", run: simplify}}

// Plain returns the program of a concrete state as its steps say it, before it is
// made fast: each stage has one loop nest, each loop the annotation of its
// iterator, and pragmas stand around the nests they are about. It does not depend
// on the target. Reductions are those of TVM's text, which models have learned from: a maximum starts from the least
// finite number, and not from -inf as that of Lower. Errors are those of Lower.
func Plain(s *schedule.State) (*tir.Func, error) {
	f, err := build(s, true)
	if err != nil {
		return nil, fmt.Errorf("lower: build: %w", err)
	}
	for _, p := range plainPasses {
		if f, err = p.run(f, Config{}); err != nil {
			return nil, fmt.Errorf("lower: %s: %w", p.name, err)
		}
	}
	return f, nil
}
