package evolve

import (
	"testing"

	"github.com/wmtune/wmtune/search/annotate"
	"github.com/wmtune/wmtune/search/sketch"
	"github.com/wmtune/wmtune/tir/lower"
	"github.com/wmtune/wmtune/tir/op"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// edges are workloads whose extents have few divisors.
var edges = []string{
	"matmul:m=127,n=331,k=61",
	"conv2d:h=29,w=29,ci=17,co=23,k=3,s=1,p=1,epilogue=bias+relu",
	"depthwise:h=29,w=31,c=37,k=3,s=2,p=1",
	"maxpool2d:h=29,w=31,c=37,k=3,s=2,p=1",
	"softmax:m=61,n=127",
	"layernorm:m=61,n=127",
}

// Candidates of real sizes, and what mutation makes of them, lower.
func TestCandidatesLower(t *testing.T) {
	specs := edges
	suite, err := op.FindSuite("paper22")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range suite.List {
		specs = append(specs, "paper22/"+e.Name)
	}
	for _, sp := range spaces[:3] {
		t.Run(sp.name, func(t *testing.T) { candidatesLower(t, sp, specs) })
	}
}

func candidatesLower(t *testing.T, sp space, specs []string) {
	on := map[string]target.Target{"cpu": host, "gpu": gpu, "gpu with all sketches": gpu}[sp.name]
	a := annotate.New(sp.policy, on)
	for w, spec := range specs {
		wl, err := op.Parse(spec)
		if err != nil {
			t.Error(err)
			continue
		}
		sketches, err := sketch.Generate(t.Context(), sp.sketches, wl.DAG, on)
		if err != nil {
			t.Errorf("%s: %v", spec, err)
			continue
		}
		lowered := 0
		for i := range 16 {
			rng := annotate.Rand(1, uint32(w), i)
			s, err := a.Sample(sketches[i%len(sketches)], rng)
			if err != nil {
				continue
			}
			if child, err := draw(sp.mutators, rng).Apply(a, s, rng); err == nil {
				s = child
			}
			if _, err := lower.Lower(s, lower.Config{Target: on}); err != nil {
				t.Errorf("%s: %v\n%s", spec, err, schedule.FormatSteps(s.Steps))
			}
			lowered++
		}
		if lowered < 2 { // most places in a softmax compute a row anew for each of its elements
			t.Errorf("%s: only %d of 16 candidates are worth lowering", spec, lowered)
		}
	}
}
