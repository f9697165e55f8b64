package models

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/op"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// fakeParts stand for trained ones: a state is as good as its first split is long, its
// latent is that of the task plus the number of steps, and the ranker adds features
// and value.
type fakeParts struct {
	z0   []float32
	nan  bool // the ranker says NaN
	long bool // programs are truncated
	fail bool // rollouts of states with more than one step fail

	rolls int // calls of Roll, one at a time
}

func (f *fakeParts) Encode(texts []string) ([][]float32, error) { return [][]float32{f.z0}, nil }

func (f *fakeParts) Truncated(string) bool { return f.long }

func (f *fakeParts) newRoller([]float32, workload.Task, int) roller { return f }

func (f *fakeParts) latentSize() int { return len(f.z0) }

func (f *fakeParts) contributions(_ []float32, _ workload.Task, state *schedule.State) ([]Contribution, error) {
	return make([]Contribution, len(state.Steps)), nil
}

func (f *fakeParts) Roll(states []*schedule.State, latents [][]float32, values []float32) []error {
	f.rolls++
	errs := make([]error, len(states))
	for i, s := range states {
		copy(latents[i], f.z0)
		latents[i][0] += float32(len(s.Steps))
		values[i] = float32(len(s.Steps))
		if f.fail && len(s.Steps) > 1 {
			errs[i] = errors.New("cannot be rolled out")
		}
	}
	return errs
}

// Spread is a third of the score.
func (f *fakeParts) Spread(features [][]float32, values []float32) []float64 {
	spread := f.Score(features, values)
	for i := range spread {
		spread[i] /= 3
	}
	return spread
}

func (f *fakeParts) Score(features [][]float32, values []float32) []float64 {
	scores := make([]float64, len(features))
	for i, row := range features {
		for _, v := range row {
			scores[i] += float64(v)
		}
		if values != nil {
			scores[i] += 1000 + float64(values[i])
		}
		if f.nan {
			scores[i] = math.NaN()
		}
	}
	return scores
}

func fakeModel(f *fakeParts) *Model {
	m := &Model{manifest: &Manifest{Format: Format, Kind: target.LLVM, Parts: []Part{Encoder, Transition, Ranker}},
		sessions: map[sessionKey]*session{}}
	m.parts = parts{
		encoder:    f,
		transition: f,
		valued:     true,
		rolled:     true,
		features: func(s *schedule.State, _ target.Target) ([]float32, error) {
			row := []float32{0}
			for i := len(s.Steps) - 1; i >= 0; i-- {
				sp, ok := s.Steps[i].(schedule.Split)
				if !ok {
					return nil, errors.New("no features of that")
				}
				row[0] = float32(math.Log2(float64(sp.Lengths[0])))
			}
			return row, nil
		},
		ranker: f, safe: f,
	}
	return m
}

func testTask(t testing.TB, text string) workload.Task {
	t.Helper()
	w, err := op.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return workload.Task{DAG: w.DAG, Target: target.Generic(32, 2)}
}

// splits returns states of a matmul whose first loop is split by powers of 2, and some
// also the second.
func splits(t testing.TB, task workload.Task, n int) []*schedule.State {
	t.Helper()
	var list []*schedule.State
	for i := range n {
		steps := []schedule.Step{schedule.Split{At: 2, Iter: 0, Extent: 256, Lengths: []int64{1 << (i % 8)},
			InnerToOuter: true}}
		if i%3 == 0 {
			steps = append(steps, schedule.Split{At: 2, Iter: 2, Extent: 256, Lengths: []int64{4}, InnerToOuter: true})
		}
		s, err := schedule.Replay(task.DAG, steps)
		if err == nil {
			s, err = s.InferBound()
		}
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, s)
	}
	return list
}

// TestScore: scores are those of the parts, whatever the number of workers; what has
// no features or no rollout is -Inf.
func TestScore(t *testing.T) {
	task := testTask(t, "matmul:m=256,n=256,k=64")
	states := append(splits(t, task, 100), schedule.New(task.DAG))
	bad, err := states[0].Apply(schedule.Annotate{At: 2, Iter: 0, Ann: schedule.Parallel})
	if err != nil {
		t.Fatal(err)
	}
	states = append(states, bad)
	var first []float64
	for _, workers := range []int{1, 2, 7} {
		m := fakeModel(&fakeParts{z0: make([]float32, 4), fail: true})
		m.Workers = workers
		scores, err := m.Score(t.Context(), task, states)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = scores
		}
		if !slices.Equal(first, scores) {
			t.Errorf("%d workers: other scores", workers)
		}
	}
	if !math.IsInf(first[0], -1) || !math.IsInf(first[101], -1) {
		t.Errorf("states that fail score %g and %g", first[0], first[101])
	}
	if first[1] != 1000+1+1 || first[2] != 1000+2+1 || first[100] != 1000 {
		t.Errorf("scores %g, %g, %g", first[1], first[2], first[100])
	}
}

// TestRefusals: what would give wrong scores is an error.
func TestRefusals(t *testing.T) {
	task := testTask(t, "matmul:m=256,n=256,k=64")
	states := splits(t, task, 4)
	nan := float32(math.NaN())
	for _, c := range []struct {
		name  string
		parts fakeParts
		kind  target.Kind
		want  string
	}{
		{"other target", fakeParts{z0: []float32{0}}, target.CUDA, "the model is for target llvm, the task for cuda"},
		{"a ranker of NaN", fakeParts{z0: []float32{0}, nan: true}, target.LLVM, "the model is damaged"},
		{"an encoder of NaN", fakeParts{z0: []float32{nan}}, target.LLVM, "the encoder is damaged"},
	} {
		task := task
		task.Target.Kind = c.kind
		if scores, err := fakeModel(&c.parts).Score(t.Context(), task, states); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: scores %v, %v", c.name, scores, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := fakeModel(&fakeParts{z0: []float32{0}}).Score(ctx, task, states); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestOutOfDistribution: a task with an operator never seen, or whose program is far from all that
// were, is ranked by features alone, which is said once.
func TestOutOfDistribution(t *testing.T) {
	task := testTask(t, "matmul:m=256,n=256,k=64")
	seen := NewOODDetector([]*compute.DAG{task.DAG}, nil, nil)
	softmax := NewOODDetector([]*compute.DAG{testTask(t, "softmax:m=64,n=64").DAG}, nil, nil)
	near, far := seen, seen
	near.Centroids, near.Threshold = []Embedding{{5, 0}, {1, 0}}, 0.5
	far.Centroids, far.Threshold = []Embedding{{5, 0}, {2, 0}}, 0.5
	for _, c := range []struct {
		name string
		ood  OODDetector
		want string // what is said
	}{
		{"seen", seen, ""},
		{"another operator", softmax, "the operation \"sum over 1 of 2: arithmetic\" is in no task that the model was " +
			"trained on"},
		{"near", near, ""},
		{"far", far, "the program is 1.00 from the nearest one that the model was trained on, beyond 0.50"},
	} {
		var said []string
		m := fakeModel(&fakeParts{z0: []float32{1, 0}})
		m.manifest.OOD = c.ood
		m.Tell = func(text string) { said = append(said, text) }
		var scores []float64
		for range 3 {
			var err error
			if scores, err = m.Score(t.Context(), task, splits(t, task, 2)); err != nil {
				t.Fatal(err)
			}
		}
		if safe := scores[1] < 1000; safe != (c.want != "") {
			t.Errorf("%s: scores %v", c.name, scores)
		}
		if got := strings.Join(said, "\n"); c.want == "" && got != "" || !strings.HasPrefix(got, c.want) || len(said) > 1 {
			t.Errorf("%s: said %q, want %q", c.name, said, c.want)
		}
		promise, err := m.Promise(t.Context(), task, splits(t, task, 2))
		if err != nil || math.IsInf(promise[0], -1) != (c.want != "") {
			t.Errorf("%s: promises %v, %v", c.name, promise, err)
		}
	}
}

// TestLongProgram: of a program that the encoder does not see all of it is said once,
// and it is scored like others.
func TestLongProgram(t *testing.T) {
	task := testTask(t, "matmul:m=256,n=256,k=64")
	var said []string
	m := fakeModel(&fakeParts{z0: []float32{1, 0}, long: true})
	m.Tell = func(text string) { said = append(said, text) }
	for range 2 {
		if scores, err := m.Score(t.Context(), task, splits(t, task, 2)); err != nil || scores[1] < 1000 {
			t.Errorf("scores %v, %v", scores, err)
		}
	}
	if len(said) != 1 || !strings.HasPrefix(said[0], "the program is longer than what the encoder reads") {
		t.Errorf("said %q", said)
	}
}

// TestOutOfDistributionThreshold: what is near enough follows from how far families are apart.
func TestOutOfDistributionThreshold(t *testing.T) {
	d := testTask(t, "matmul:m=256,n=256,k=64").DAG
	g := NewOODDetector([]*compute.DAG{d, d, d, d}, [][]float32{{0}, {0.1}, {1}, {3}}, []string{"a", "a", "b", "c"})
	if g.Threshold != 1 || len(g.Operators) != 1 {
		t.Errorf("threshold %g, operators %q", g.Threshold, g.Operators)
	}
}

// TestExplain: the states whose latents are nearest are named, the state itself is not
// among them, and states that score higher are counted.
func TestExplain(t *testing.T) {
	task := testTask(t, "matmul:m=256,n=256,k=64")
	states := splits(t, task, 8)
	m := fakeModel(&fakeParts{z0: make([]float32, 2)})
	e, err := m.Explain(t.Context(), task, states[1], states, 3)
	if err != nil {
		t.Fatal(err)
	}
	if !e.Latent || len(e.Actions) != 1 || len(e.Nearest) != 3 || e.Nearest[0].Distance != 0 || e.Nearest[0].Index != 2 ||
		e.Better != 6 {
		t.Errorf("%+v", e)
	}
	m.parts.valued = false
	if e, err = m.Explain(t.Context(), task, states[1], states, 3); err != nil || !e.Latent || e.Actions != nil {
		t.Errorf("without a value: %+v, %v", e, err)
	}
	m.parts.valued = true
	m.manifest.OOD = NewOODDetector([]*compute.DAG{testTask(t, "softmax:m=64,n=64").DAG}, nil, nil)
	m.Forget()
	if e, err = m.Explain(t.Context(), task, states[1], states, 3); err != nil || e.Latent || e.Actions != nil ||
		e.Nearest[0].Index != 0 || e.Nearest[0].Distance != 1 {
		t.Errorf("by features: %+v, %v", e, err)
	}
}

// TestUnused: what no score depends on is rolled out only for who asks for it.
func TestUnused(t *testing.T) {
	task := testTask(t, "matmul:m=256,n=256,k=64")
	states := splits(t, task, 4)
	f := &fakeParts{z0: []float32{1, 0}}
	m := fakeModel(f)
	m.parts.valued, m.parts.rolled = false, false
	if _, err := m.Score(t.Context(), task, states); err != nil || f.rolls != 0 {
		t.Errorf("%v, rolled out %d times", err, f.rolls)
	}
	if e, err := m.Explain(t.Context(), task, states[1], states, 3); err != nil || !e.Latent || f.rolls != 1 ||
		e.Nearest[0].Distance != 0 {
		t.Errorf("explained: %+v, %v, rolled out %d times", e, err, f.rolls)
	}
	if promise, err := m.Promise(t.Context(), task, states); err != nil || promise[1] != 1 || f.rolls != 2 {
		t.Errorf("promises %v, %v", promise, err)
	}
}

// paddedState returns a task, a state of it, and the same with a decision that no training has.
func paddedState(t *testing.T) (task workload.Task, plain, padded *schedule.State) {
	t.Helper()
	task = testTask(t, "matmul:m=256,n=256,k=64")
	plain = splits(t, task, 2)[1]
	padded, err := schedule.Replay(task.DAG,
		schedule.Insert(plain.Steps, 0, schedule.StorageAlign{At: 2, Iter: 0, Factor: 8, Offset: 4}))
	if err != nil {
		t.Fatal(err)
	}
	return task, plain, padded
}

// TestScorePassesOver: a decision that no training has does not change the score.
func TestScorePassesOver(t *testing.T) {
	task, plain, padded := paddedState(t)
	scores, err := fakeModel(&fakeParts{z0: []float32{1}, fail: true}).Score(t.Context(), task,
		[]*schedule.State{plain, padded})
	if err != nil || scores[0] != scores[1] || math.IsInf(scores[0], 0) {
		t.Errorf("%v, %v", scores, err)
	}
	e, err := fakeModel(&fakeParts{z0: []float32{1}}).Explain(t.Context(), task, padded, nil, 1)
	if err != nil || len(e.Actions) != len(plain.Steps) {
		t.Errorf("explained: %+v, %v", e, err)
	}
}

// TestMakeRoom: where there are too many tasks, the one goes that was asked for the longest time ago.
func TestMakeRoom(t *testing.T) {
	old, recent := testTask(t, "matmul:m=8,n=8,k=16"), testTask(t, "matmul:m=8,n=8,k=32")
	m := fakeModel(&fakeParts{z0: make([]float32, 2)})
	ask := func(task workload.Task) {
		if _, err := m.session(task); err != nil {
			t.Fatal(err)
		}
	}
	ask(old)
	ask(recent)
	for range maxSessions - 2 {
		ask(testTask(t, "matmul:m=8,n=8,k=8"))
	}
	ask(recent)
	for _, gone := range []bool{false, true} {
		if _, ok := m.sessions[keyOf(old)]; ok == gone || len(m.sessions) != maxSessions {
			t.Errorf("%d tasks, the oldest is there: %v", len(m.sessions), ok)
		}
		ask(testTask(t, "matmul:m=8,n=8,k=8"))
	}
	if _, ok := m.sessions[keyOf(recent)]; !ok {
		t.Error("the wrong one went")
	}
}
