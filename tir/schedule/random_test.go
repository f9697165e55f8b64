package schedule

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/wmtune/wmtune/tir/compute"
)

// randomStep proposes a step that is legal more often than not.
func randomStep(r *rand.Rand, s *State) Step {
	stage := r.IntN(len(s.Stages))
	for tries := 0; s.Stages[stage].Op.IsPlaceholder() && tries < 8; tries++ {
		stage = r.IntN(len(s.Stages))
	}
	n := len(s.Stages[stage].Iters)
	iter := r.IntN(n + 1)
	if n > 0 && r.IntN(10) > 0 {
		iter = r.IntN(n)
	}
	lengths := make([]int64, 1+r.IntN(3))
	for i := range lengths {
		lengths[i] = int64(1 + r.IntN(5))
	}
	var splits []int
	for i, st := range s.Steps {
		if st.Kind() == SP {
			splits = append(splits, i)
		}
	}
	src := r.IntN(len(s.Steps) + 1)
	if len(splits) > 0 {
		src = splits[r.IntN(len(splits))]
	}
	readers := s.Readers(stage)
	switch r.IntN(22) {
	case 0, 1, 2, 3:
		return Split{At: stage, Iter: iter, Lengths: lengths, InnerToOuter: r.IntN(4) > 0}
	case 4, 5:
		return FollowSplit{At: stage, Iter: iter, Src: src, Parts: 1 + r.IntN(3)}
	case 6:
		return FollowFusedSplit{At: stage, Iter: iter, Srcs: []int{src, src}, Level: r.IntN(2), Factor: r.IntN(2) == 0}
	case 7, 8:
		var list []int
		for k := iter; k < min(n, iter+1+r.IntN(3)); k++ {
			list = append(list, k)
		}
		return Fuse{At: stage, Iters: list}
	case 9, 10:
		return Reorder{At: stage, Order: r.Perm(n)}
	case 11, 12:
		ann := Annotation(r.IntN(int(Tensorize)))
		return Annotate{At: stage, Iter: iter, Ann: ann}
	case 13, 14, 15, 16:
		target := r.IntN(len(s.Stages))
		if len(readers) > 0 && r.IntN(4) > 0 {
			target = readers[r.IntN(len(readers))]
		}
		if at, ok := s.Attach.At(target); ok && r.IntN(3) == 0 {
			target = at.Stage
		}
		return ComputeAt{At: stage, Target: target, TargetIter: r.IntN(len(s.Stages[target].Iters) + 1)}
	case 17:
		return ComputeInline{At: stage}
	case 18:
		return ComputeRoot{At: stage}
	case 19:
		scope := []string{"shared", "local", "global"}[r.IntN(3)]
		return CacheRead{At: r.IntN(len(s.Stages)), Scope: scope, Readers: slices.Clone(readers)}
	case 20:
		return CacheWrite{At: stage, Scope: "local"}
	}
	if n := len(s.Steps); n > 0 && s.Steps[n-1].Kind() == SP {
		return Rfactor{At: s.Steps[n-1].Stage(), Iter: r.IntN(4), FactorIter: r.IntN(3)}
	}
	return Pragma{At: stage, Text: UnrollPragma(16)}
}

func smallDAGs() []*compute.DAG {
	return []*compute.DAG{
		matmulRelu(7, 6, 5), matmulRelu(4, 8, 6), conv(6, 5, 2, 3, 1), conv(7, 7, 2, 3, 2), softmax(5, 6),
		tiles(4, 2), tiles(6, 2), shared(6), scalars(9), blur(5),
	}
}

// Random steps give a StepError or a state; every state has bounds and nests
// that provide what is read, and replays to the same text from its record.
func TestRandomStepsAreSound(t *testing.T) {
	dags := smallDAGs()
	accepted, refused, skipped := 0, 0, 0
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 7))
		s := New(dags[r.IntN(len(dags))])
		for range 4 + r.IntN(16) {
			step := randomStep(r, s)
			if step.Kind() == RF || r.IntN(12) > 0 {
				next, err := s.Apply(step)
				if err != nil {
					var se *StepError
					if !errors.As(err, &se) || se.Index != len(s.Steps) {
						t.Fatalf("seed %d: %v: not a StepError of step %d", seed, err, len(s.Steps))
					}
					refused++
					continue
				}
				accepted++
				s = next
			}
		}
		switch err := simulate(s); {
		case errors.Is(err, errBudget):
			skipped++
		case err != nil:
			t.Fatalf("seed %d: %v\n%s\n%s", seed, err, FormatSteps(s.Steps), describe(s))
		}
		again, err := Replay(s.DAG, s.Steps)
		if err != nil {
			t.Fatalf("seed %d: replay: %v\n%s", seed, err, FormatSteps(s.Steps))
		}
		if again.String() != s.String() || again.Signature() != s.Signature() {
			t.Fatalf("seed %d: replay differs:\n%s\n%s", seed, s, again)
		}
	}
	if accepted < 5000 || skipped > 100 {
		t.Errorf("%d steps accepted, %d refused, %d states too large: the test is too weak", accepted, refused, skipped)
	}
	t.Logf("%d steps accepted, %d refused, %d states too large", accepted, refused, skipped)
}

func describe(s *State) string {
	text := ""
	b, err := s.InferBound()
	if err != nil {
		return err.Error()
	}
	text += b.String()
	nests, _ := s.Nests()
	for i, n := range nests {
		text += fmt.Sprintf("stage %d %s\n%s", i, s.Stages[i].Op.Name, show(n))
	}
	return text
}

// flowText returns what a flow says, as text.
func flowText(f *flow) string {
	var loads []string
	for _, list := range f.loads {
		for _, l := range list {
			loads = append(loads, fmt.Sprint(l.stage, l.index))
		}
		loads = append(loads, ";")
	}
	return fmt.Sprint(f.bodies, loads, f.readers, f.inlined, f.ops.outputs)
}

// A draft that many steps are applied to is the state that each step alone leads to, and
// leaves the state that it began as alone; what was found out step by step of who reads
// whom is what would be found out anew.
func TestDraftsAndFlows(t *testing.T) {
	dags := smallDAGs()
	inlined := 0
	for seed := range uint64(600) {
		r := rand.New(rand.NewPCG(seed, 8))
		s := New(dags[r.IntN(len(dags))])
		draft := s.Draft()
		for range 6 + r.IntN(12) {
			step := randomStep(r, s)
			if r.IntN(3) == 0 {
				step = ComputeInline{At: r.IntN(len(s.Stages))}
			}
			next, err := s.Apply(step)
			if err != nil {
				continue
			}
			if step.Kind() == CI {
				inlined++
			}
			before, sig := s.String(), s.Signature()
			if draft, err = draft.Apply(step); err != nil {
				t.Fatalf("seed %d: a draft: %v", seed, err)
			}
			if s.String() != before || s.Signature() != sig {
				t.Fatalf("seed %d: %s changes the state that it is applied to", seed, step)
			}
			s = next
			anew := *s
			anew.flow = new(flow)
			want := flowText(anew.dataflow())
			if got := flowText(s.dataflow()); got != want {
				t.Fatalf("seed %d, after %s:\n%s\nwant\n%s", seed, step, got, want)
			}
			if r.IntN(3) == 0 && flowText(draft.dataflow()) != want {
				t.Fatalf("seed %d, after %s: the draft's stages are read otherwise", seed, step)
			}
		}
		if draft.String() != s.String() || draft.Signature() != s.Signature() {
			t.Fatalf("seed %d: the draft is\n%s\nwant\n%s", seed, draft, s)
		}
		bound, err := draft.InferBound()
		if err != nil {
			continue
		}
		text := bound.String()
		for range 3 {
			draft, _ = draft.Apply(randomStep(r, s)) // a state like others now
			if draft == nil {
				break
			}
		}
		if bound.String() != text {
			t.Fatalf("seed %d: the state with bounds changes with the draft", seed)
		}
	}
	if inlined < 200 {
		t.Errorf("%d stages were inlined", inlined)
	}
}
