package template

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/interp"
	"github.com/wmtune/wmtune/tir/lower"
	"github.com/wmtune/wmtune/tir/op"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
	"github.com/wmtune/wmtune/tir/tirtest"
)

var cpu = target.Generic(32, 2)

// open returns the template of a workload.
func open(t *testing.T, spec string, on target.Target) *source {
	t.Helper()
	w, err := op.Parse(spec)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Open(t.Context(), &search.Task{Name: spec, DAG: w.DAG, Target: on})
	if err != nil {
		t.Fatal(err)
	}
	return s.(*source)
}

// gpu is one of small blocks.
func gpu(t *testing.T) target.Target {
	t.Helper()
	on, err := target.GPU("sm_80")
	if err != nil {
		t.Fatal(err)
	}
	return on
}

// TestStates: configurations drawn from spaces of random shapes make states that replay, and programs that compute what
// the workload says.
func TestStates(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 11))
	n := func(most int) int { return 1 + rng.IntN(most) }
	for i := range 48 {
		epilogue := []string{"", ",epilogue=bias+relu", ",epilogue=relu", ",epilogue=bias"}[i%4]
		spec := []string{
			fmt.Sprintf("dense:m=%d,n=%d,k=%d", n(12), n(12), n(16)),
			fmt.Sprintf("matmul:m=%d,n=%d,k=%d,tb=%d", n(12), n(12), n(16), i/4%2),
			fmt.Sprintf("conv2d:h=%d,w=%d,ci=%d,co=%d,k=3,p=1,s=%d", n(6), n(6), n(6), n(6), n(2)),
			fmt.Sprintf("conv2d:h=%d,w=%d,ci=%d,co=%d,k=1,s=%d,batch=%d", n(6), n(6), n(8), n(6), n(2), n(2)),
			fmt.Sprintf("depthwise:h=%d,w=%d,c=%d,k=3,p=%d", 2+n(6), 2+n(6), n(8), n(2)-1),
			fmt.Sprintf("batch_matmul:b=%d,m=%d,n=%d,k=%d,tb=%d", n(3), n(8), n(8), n(12), i/4%2),
		}[i%6] + epilogue
		s := open(t, spec, cpu)
		args := tirtest.Args(rng, s.dag)
		want := cloned(args)
		if err := interp.RunDAG(s.dag, want); err != nil {
			t.Fatal(spec, err)
		}
		for range 6 {
			index := rng.Int64N(s.space.Len())
			if err := sameProgram(s, index, cpu, args, want); err != nil {
				t.Errorf("%s, configuration %d of %d: %v", spec, index, s.space.Len(), err)
			}
		}
	}
}

// TestStatesOfGPUs is TestStates of the templates of GPUs.
func TestStatesOfGPUs(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 17))
	n, on := func(most int) int { return 1 + rng.IntN(most) }, gpu(t)
	for i := range 16 {
		spec := []string{
			fmt.Sprintf("conv2d:h=%d,w=%d,ci=%d,co=%d,k=3,p=1,s=%d", n(5), n(5), n(4), n(6), n(2)),
			fmt.Sprintf("conv2d:h=%d,w=%d,ci=%d,co=%d,k=1", n(6), n(6), n(6), n(6)),
			fmt.Sprintf("batch_matmul:b=%d,m=%d,n=%d,k=%d,tb=1", n(3), n(8), n(8), n(8)),
			fmt.Sprintf("batch_matmul:b=%d,m=%d,n=%d,k=%d", n(3), n(8), n(8), n(8)),
		}[i%4] + []string{"", ",epilogue=relu"}[i/4%2]
		s := open(t, spec, on)
		args := tirtest.Args(rng, s.dag)
		want := cloned(args)
		if err := interp.RunDAG(s.dag, want); err != nil {
			t.Fatal(spec, err)
		}
		for range 4 {
			index := rng.Int64N(s.space.Len())
			if err := sameProgram(s, index, on, args, want); err != nil {
				t.Errorf("%s, configuration %d of %d: %v", spec, index, s.space.Len(), err)
			}
		}
	}
}

func cloned(args []*interp.Tensor) []*interp.Tensor {
	list := make([]*interp.Tensor, len(args))
	for i, a := range args {
		list[i] = a.Clone()
	}
	return list
}

// sameProgram compares the program of a configuration with what it should compute.
func sameProgram(s *source, index int64, on target.Target, args, want []*interp.Tensor) error {
	state, err := s.at(index)
	if err != nil {
		return err
	}
	again, err := schedule.ReplayBound(s.dag, state.Steps)
	if err != nil || again.Signature() != state.Signature() {
		return fmt.Errorf("a replay gives another state: %v\n%s", err, again)
	}
	f, err := lower.Lower(state, lower.Config{Target: on, Check: lower.CheckEach})
	if err != nil {
		return fmt.Errorf("%w\n%s", err, state)
	}
	got, opt := cloned(args), interp.Options{Shuffle: true, Seed: 1, Races: true}
	packed, err := interp.Pack(f, got, opt)
	if err == nil {
		err = interp.Run(f, packed, opt)
	}
	if err != nil {
		return fmt.Errorf("%w\n%s", err, f)
	}
	for k := len(s.dag.Inputs()); k < len(got); k++ {
		if err := tirtest.Compare(got[k], want[k], args...); err != nil {
			return fmt.Errorf("result %d: %w\n%s", k, err, f)
		}
	}
	return nil
}

// TestFound: the configuration of a state is found by its steps alone, as in a log; of a state of another space there
// is none.
func TestFound(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	for _, spec := range []string{
		"dense:m=24,n=12,k=16,epilogue=bias", "conv2d:h=8,w=8,ci=12,co=8,k=3,p=1", "conv2d:h=8,w=8,ci=12,co=8,k=1",
		"depthwise:h=8,w=8,c=16,k=3,p=1", "batch_matmul:b=2,m=8,n=12,k=16",
	} {
		s := open(t, spec, cpu)
		for range 20 {
			index := rng.Int64N(s.space.Len())
			state, err := s.at(index)
			if err != nil {
				t.Fatal(spec, err)
			}
			clear(s.known)
			if got, err := s.index(state); err != nil || got != index {
				t.Errorf("%s: configuration %d is found as %d: %v\n%s", spec, index, got, err, state)
			}
			next, err := s.Step(state, rng)
			if err != nil || next.Signature() == state.Signature() {
				t.Errorf("%s: a step from %d leads to the same program: %v", spec, index, err)
			}
			common, parts := map[uint64]bool{}, s.Parts(state)
			for _, p := range parts {
				common[p] = true
			}
			if len(parts) != len(s.space) || len(common) != len(parts) {
				t.Errorf("%s: the decisions are %d", spec, parts)
			}
		}
		if _, err := s.index(schedule.New(s.dag)); err == nil {
			t.Errorf("%s: the program without steps is a configuration", spec)
		}
	}
}

// TestRefused: what has no template is refused with what has one.
func TestRefused(t *testing.T) {
	for spec, want := range map[string]string{
		"softmax:m=8,n=8":              "it has more than one reduction; there are conv2d_NCHWc.x86, ",
		"max:m=8,n=8":                  "it has no sum",
		"elementwise:fn=exp,shape=8x8": "it has no sum",
		"sum:m=8,n=8":                  "sums no products of two tensors",
		"conv2d:h=8,w=8,ci=8,co=8,k=3,p=1,groups=2": "is neither a product nor a convolution",
		"conv3d:d=4,h=4,w=4,ci=4,co=4,k=3,p=1":      "no template fits",
		"conv1d:w=8,ci=8,co=8,k=3":                  "no template fits",
	} {
		w, err := op.Parse(spec)
		if err != nil {
			t.Fatal(err)
		}
		_, err = Open(t.Context(), &search.Task{Name: spec, DAG: w.DAG, Target: cpu})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", spec, err, want)
		}
	}
	const before = "input x: float32[8, 8]\ninput w: float32[8, 8]\ndense(i: 8, j: 8) = sum(k: 8) x[i, k]*w[j, k]\n"
	for text, want := range map[string]string{
		"y(i: 64) = dense[floordiv(i, 8), floormod(i, 8)]\noutput y\n":                  "stage y is no map over what stage dense computes",
		"y(i: 8, j: 4) = dense[i, j]\noutput y\n":                                       "stage y has another shape than stage dense",
		"z(i: 8, j: 8) = dense[i, j] + 1\ny(i: 8, j: 8) = dense[i, j]*2\noutput z, y\n": "stage y is no map over what stage z computes",
		"y(i: 8, j: 8) = sum(k: 8) dense[i, k]*w[k, j]\noutput y\n":                     "it has more than one reduction",
	} {
		d, err := compute.Parse(before + text)
		if err != nil {
			t.Fatal(text, err)
		}
		_, err = Open(t.Context(), &search.Task{DAG: d, Target: cpu})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	w, err := op.Parse("dense:m=8,n=8,k=8")
	if err != nil {
		t.Fatal(err)
	}
	chip := target.Target{Kind: target.VDLA}
	if _, err := Open(t.Context(), &search.Task{DAG: w.DAG, Target: chip}); err == nil || !strings.Contains(err.Error(), "use another --space") {
		t.Errorf("%v", err)
	}
}
