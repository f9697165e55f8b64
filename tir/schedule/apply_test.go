package schedule

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/wmtune/wmtune/tir/compute"
)

func mustReplay(t testing.TB, s *State, steps string) *State {
	t.Helper()
	list, err := ParseSteps([]byte(steps))
	if err != nil {
		t.Fatal(err)
	}
	out, err := Replay(s.DAG, list)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

const tiledMatmul = `[["SP", 2, 0, 10, [4], 1], ["SP", 2, 2, 16, [2, 4], 1], ["SP", 2, 5, 8, [4], 1], ["RE", 2, [0, 2, 5, 1, 3, 6, 4]], ` +
	`["FSP", 3, 0, 0, 1], ["FSP", 3, 2, 1, 1], ["RE", 3, [0, 2, 1, 3]], ["CA", 2, 3, 1], ["FU", 3, [0, 1]], ["AN", 3, 0, 3], ["PR", 2, 0, "auto_unroll_max_step$16"]]`

func TestApplyLeavesItsStateAlone(t *testing.T) {
	s := mustReplay(t, New(matmulRelu(10, 16, 8)), tiledMatmul)
	text, sig, steps := s.String(), s.Signature(), string(FormatSteps(s.Steps))
	var wg sync.WaitGroup
	for seed := range uint64(4) {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(seed, 3))
			for range 200 {
				if next, err := s.Apply(randomStep(r, s)); err == nil {
					_, _ = next.Apply(randomStep(r, next))
					_, _ = next.InferBound()
				}
			}
		})
	}
	wg.Wait()
	if s.String() != text || s.Signature() != sig || string(FormatSteps(s.Steps)) != steps {
		t.Error("applying steps changed the state that they were applied to")
	}
}

func TestStepErrorNamesTheStep(t *testing.T) {
	steps := []Step{ComputeRoot{At: 2}, Fuse{At: 3, Iters: []int{0, 5}}, ComputeRoot{At: 2}}
	_, err := Replay(matmulRelu(4, 4, 4), steps)
	var se *StepError
	if !errors.As(err, &se) || se.Index != 1 || se.Step.String() != steps[1].String() || se.Why != "no iterator 5: stage D has 2" {
		t.Errorf("got %v", err)
	}
}

// A follower reads its source's lengths when the list is replayed, so changing
// the source changes it.
func TestFollowersFollow(t *testing.T) {
	s := mustReplay(t, New(matmulRelu(8, 8, 8)), `[["SP", 2, 0, 8, [2, 2], 1], ["FSP", 3, 0, 0, 1]]`)
	steps := append([]Step(nil), s.Steps...)
	sp := steps[0].(Split)
	sp.Lengths = []int64{4, 2}
	steps[0] = sp
	next, err := Replay(s.DAG, steps)
	if err != nil {
		t.Fatal(err)
	}
	if s.Stages[3].Iters[1].Extent != 4 || next.Stages[3].Iters[1].Extent != 8 {
		t.Errorf("extents %d and %d, want 4 and 8", s.Stages[3].Iters[1].Extent, next.Stages[3].Iters[1].Extent)
	}
}

// TestComputeAtEarlierStage: a stage that nobody reads, as its index is dropped, is computed in no earlier stage.
func TestComputeAtEarlierStage(t *testing.T) {
	d, err := compute.Parse(`input x: float32[8]
input w: int64[8]
t(i: 8) = x[i]*2
q(i: 8) = floormod(w[i], 4)
p(j: 4) = 5f32
c(i: 8) = t[i] + p[q[i]]
output c
`)
	if err != nil {
		t.Fatal(err)
	}
	number := func(name string) int {
		return slices.IndexFunc(d.Ops, func(op *compute.Op) bool { return op.Name == name })
	}
	at := ComputeAt{At: number("q"), Target: number("t"), TargetIter: 0}
	if at.At < at.Target {
		t.Fatalf("q is stage %d, before t", at.At)
	}
	const want = "stage q comes after t: it must be computed in a later stage"
	s, err := Replay(d, []Step{ComputeInline{number("p")}, at})
	var se *StepError
	if !errors.As(err, &se) || se.Index != 1 || se.Why != want {
		t.Errorf("got %v, want %q", err, want)
	}
	if err == nil {
		_, _ = s.InferBound()
	}
}

func TestConcrete(t *testing.T) {
	s := New(matmulRelu(8, 8, 8))
	if !s.Concrete() {
		t.Error("no steps: not concrete")
	}
	s = mustReplay(t, s, `[["SP", 2, 2, 8, [0], 1], ["RF", 2, 2, 2]]`)
	if s.Concrete() {
		t.Error("an open length: concrete")
	}
	if _, err := s.InferBound(); err == nil {
		t.Error("bounds of a sketch")
	}
	if _, err := s.Nests(); err == nil {
		t.Error("nests of a sketch")
	}
}

func TestFusedIterator(t *testing.T) {
	s := mustReplay(t, New(matmulRelu(8, 8, 8)), `[["FU", 3, [0, 1]], ["AN", 3, 0, 3]]`)
	it := s.Stages[3].Iters[0]
	if it.Name != "i@j@" || it.Ann != Parallel {
		t.Errorf("got %+v", it)
	}
}

// A loop of one iteration fuses with an axis to an axis, and with a reduction to a reduction.
func TestFusedWithUnitLoop(t *testing.T) {
	for _, test := range []struct {
		steps string
		stage int
		want  IterKind
	}{
		{`[["FU", 3, []], ["FU", 3, [0, 1]]]`, 3, Spatial},
		{`[["FU", 2, []], ["RE", 2, [1, 2, 0, 3]], ["FU", 2, [2, 3]]]`, 2, Reduction},
		{`[["FU", 2, []], ["FU", 2, [0, 1, 2, 3]]]`, 2, Mixed},
		{`[["FU", 2, []], ["FU", 2, []], ["FU", 2, [0, 1]]]`, 2, Special},
	} {
		s := mustReplay(t, New(matmulRelu(8, 8, 8)), test.steps)
		iters := s.Stages[test.stage].Iters
		i := slices.IndexFunc(iters, func(it *Iterator) bool { return strings.HasSuffix(it.Name, "@") })
		if got := iters[i].Kind; got != test.want {
			t.Errorf("%s: kind %v, want %v", test.steps, got, test.want)
		}
		for _, ann := range []Annotation{Parallel, ThreadX} {
			_, err := s.Apply(Annotate{At: test.stage, Iter: i, Ann: ann})
			if shared := test.want == Reduction || test.want == Mixed; (err != nil) != (shared && ann == Parallel) {
				t.Errorf("%s, %s: %v", test.steps, ann, err)
			}
		}
	}
}

func benchState(b *testing.B) *State {
	b.Helper()
	return mustReplay(b, New(conv(28, 28, 32, 3, 1)), `[["SP", 3, 0, 28, [1, 7, 2], 1], ["SP", 3, 4, 28, [2, 2, 7], 1], ["SP", 3, 8, 32, [1, 2, 8], 1], `+
		`["SP", 3, 12, 3, [3], 1], ["SP", 3, 14, 3, [1], 1], ["RE", 3, [0, 4, 8, 1, 5, 9, 12, 14, 2, 6, 10, 13, 15, 3, 7, 11]], `+
		`["FSP", 5, 0, 0, 2], ["FSP", 5, 3, 1, 2], ["FSP", 5, 6, 2, 2], ["RE", 5, [0, 3, 6, 1, 4, 7, 2, 5, 8]], ["CA", 3, 5, 5], ["CA", 1, 3, 7], `+
		`["FU", 5, [0, 1, 2, 3]], ["AN", 5, 0, 3], ["AN", 3, 15, 2], ["AN", 5, 5, 2], ["PR", 3, 0, "auto_unroll_max_step$64"]]`)
}

func BenchmarkApply(b *testing.B) {
	s := benchState(b)
	for b.Loop() {
		if _, err := s.Apply(Split{At: 5, Iter: 4, Lengths: []int64{2}, InnerToOuter: true}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkReplay(b *testing.B) {
	s := benchState(b)
	for b.Loop() {
		if _, err := Replay(s.DAG, s.Steps); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkInferBound(b *testing.B) {
	s := benchState(b)
	for b.Loop() {
		if _, err := s.InferBound(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkNests(b *testing.B) {
	s := benchState(b)
	for b.Loop() {
		if _, err := s.Nests(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkString(b *testing.B) {
	s := benchState(b)
	for b.Loop() {
		_ = s.String()
	}
}

func BenchmarkSignature(b *testing.B) {
	s := benchState(b)
	for b.Loop() {
		s.Signature()
	}
}
