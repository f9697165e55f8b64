package lower_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/interp"
	"github.com/wmtune/wmtune/tir/lower"
	"github.com/wmtune/wmtune/tir/op"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/tirtest"
)

// infinite makes infinities of what maxima and minima start from in TVM's text.
var infinite = strings.NewReplacer("3.40282e+38f", "inff", "1.79769e+308", "inf", "65504", "inf", "3.38953e+38", "inf")

// TestPlain holds Plain to the first passes of Lower, and to the interpreter. Plain leaves partial results of threads
// to one thread, and wide sums are float32.
func TestPlain(t *testing.T) {
	folded := 0
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 1))
		_, d := tirtest.RandomDAG(r)
		steps := tirtest.RandomSteps(r, d, 8)
		if seed%4 == 0 {
			steps = tirtest.RandomGPUSteps(r, d, 8)
		}
		if seed == 0 { // a sum by threads, of which random DAGs seldom have one
			d, _ = tirtest.Named("sum 7 17")
			steps = []schedule.Step{schedule.Annotate{At: 1, Iter: 1, Ann: schedule.ThreadX}}
		}
		s, err := schedule.Replay(d, steps)
		if err != nil {
			t.Fatal(err)
		}
		want := ""
		_, err = lower.Lower(s, lower.Config{Trace: func(pass string, f *tir.Func) {
			if pass == "simplify" {
				want = f.String()
			}
		}})
		if err != nil {
			t.Fatal(err)
		}
		f, err := lower.Plain(s)
		if err != nil {
			t.Fatal(err)
		}
		folds := strings.Contains(want, ".part.part")
		if folds {
			folded++
		}
		wide := strings.Contains(want, "float64") && strings.Contains(d.Text(), "wide_sum")
		if folds && strings.Contains(f.String(), ".part.part") || strings.Contains(f.String(), "term_") ||
			!folds && !wide && infinite.Replace(f.String()) != infinite.Replace(want) {
			t.Errorf("seed %d: got\n%swant\n%s", seed, f, want)
		}
		if seed%4 == 0 {
			continue // without barriers, threads of a block race
		}
		if f.String() != want && !wide {
			continue // a window of nothing but padding, which is infinite in these DAGs, has another maximum
		}
		args := tirtest.Args(r, d)
		results := clone(args)
		if err := interp.RunDAG(d, results); err != nil {
			t.Fatal(err)
		}
		if err := interp.Run(f, args, interp.Options{}); err != nil {
			t.Fatal(err)
		}
		if err := compareOutputs(d, args, results, 1); err != nil {
			t.Errorf("seed %d: %v\n%s", seed, err, f)
		}
	}
	if folded == 0 {
		t.Error("no program folds partial results")
	}
}

// TestScalarStage lowers a stage without axes: AutoScheduler's attention divides by
// one, and prefixes of its logs have it before it is inlined.
func TestScalarStage(t *testing.T) {
	d, err := op.FromHash("bc348570c541a247dd75cedb514d23c4", [][]int64{{2, 4, 3}, {2, 3, 4}, {2, 4, 4}})
	if err != nil {
		t.Fatal(err)
	}
	args := tirtest.Args(rand.New(rand.NewPCG(1, 0)), d)
	results := clone(args)
	if err := interp.RunDAG(d, results); err != nil {
		t.Fatal(err)
	}
	if err := compare(schedule.New(d), config, args, results, 1); err != nil {
		t.Error(err)
	}
}
