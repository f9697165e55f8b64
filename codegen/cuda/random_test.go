package cuda_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/tir/interp"
	"github.com/wmtune/wmtune/tir/lower"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
	"github.com/wmtune/wmtune/tir/tirtest"
)

var (
	programs  = flag.Int("programs", 60, "number of random programs")
	firstSeed = flag.Uint64("seed", 1, "seed of the first random program")
)

// features are what the random programs must have, in one of a hundred at least.
var features = []string{"= threadIdx.", "= blockIdx.", "__shared__", "__syncthreads", "#pragma unroll", "reinterpret_cast", "half_to_float", "wait_async"}

// perShim is how many programs are compiled at once.
const perShim = 60

// TestRandomPrograms compiles the text of random GPU schedules of random DAGs
// as C++ and compares what they compute with the DAG's definition.
func TestRandomPrograms(t *testing.T) {
	var list []shimProgram
	var want [][]*interp.Tensor
	var about []string
	seen := make([]int, len(features))
	flush := func() {
		s := newShim(t, list)
		for _, backwards := range []bool{false, true} {
			got, err := s.run(t, backwards)
			if err != nil {
				t.Fatalf("programs from %s: %v", about[0], err)
			}
			for i := range got {
				if err := compareOutputs(list[i].fn, got[i], want[i]); err != nil {
					t.Errorf("%s: threads backwards %v: %v\n%s\n%s", about[i], backwards, err, list[i].fn, emit(t, list[i].fn))
				}
			}
		}
		list, want, about = nil, nil, nil
	}
	for seed := *firstSeed; seed < *firstSeed+uint64(*programs); seed++ {
		p, results, kind := randomProgram(t, seed)
		list, want, about = append(list, p), append(want, results), append(about, fmt.Sprintf("seed %d: %s", seed, kind))
		text := emit(t, p.fn)
		for i, word := range features {
			if strings.Contains(text, word) {
				seen[i]++
			}
		}
		if len(list) == perShim {
			flush()
		}
	}
	if list != nil {
		flush()
	}
	t.Logf("of %d programs have %q: %d", *programs, features, seen)
	for i, word := range features {
		if seen[i] < *programs/100 {
			t.Errorf("%d of %d programs have %s: the test says too little of that", seen[i], *programs, word)
		}
	}
}

// randomProgram returns a program, and what its arguments are to become.
func randomProgram(t *testing.T, seed uint64) (p shimProgram, want []*interp.Tensor, kind string) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 0))
	kind, d := tirtest.RandomDAG(r)
	p.args = tirtest.Args(r, d)
	for _, a := range p.args {
		want = append(want, a.Clone())
	}
	if err := interp.RunDAG(d, want); err != nil {
		t.Fatal(err)
	}
	s, err := schedule.Replay(d, tirtest.RandomGPUSteps(r, d, 1+r.IntN(12)))
	if err != nil {
		t.Fatal(err)
	}
	if p.fn, err = lower.Lower(s, lower.Config{Target: []target.Target{gpu, ampere}[seed%2]}); err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	return p, want, kind
}
