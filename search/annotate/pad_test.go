package annotate

import (
	"slices"
	"testing"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/lower"
	"github.com/wmtune/wmtune/tir/schedule"
)

// boundProduct is tiledProduct with its threads bound: x.shared has rows of k, y.shared
// rows of 32 elements of j.
func boundProduct(t *testing.T, k [2]int64) *schedule.State {
	t.Helper()
	s, err := bindThreads(&choice{Sampler: gpuSampler(t, AutoSchedulerGPU), rng: Rand(1, 1, 1)}, tiledProduct(t, [4]int64{1, 8, 1, 2}, [4]int64{1, 8, 1, 4}, k))
	if err == nil {
		s, err = s.InferBound()
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// stageOf returns the number of a stage.
func stageOf(t *testing.T, s *schedule.State, name string) int {
	t.Helper()
	i := slices.IndexFunc(s.Stages, func(st *schedule.Stage) bool { return st.Op.Name == name })
	if i < 0 {
		t.Fatalf("no stage %s", name)
	}
	return i
}

// withWidth has threads copy other numbers of elements at once.
func withWidth(t *testing.T, s *schedule.State, width int64) *schedule.State {
	t.Helper()
	steps := slices.Clone(s.Steps)
	for _, i := range FetchSplits(steps) {
		sp := steps[i].(schedule.Split)
		sp.Lengths = []int64{width}
		steps[i] = sp
	}
	out, err := replayed(s, steps)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestPadUnits(t *testing.T) {
	for _, c := range []struct {
		what  string
		k     [2]int64 // rows of x.shared have as many elements as these multiply to
		width int64
		want  []int64
	}{
		{"rows of 8", [2]int64{2, 4}, 1, []int64{1, 2, 4}},
		{"of which four are copied at once", [2]int64{2, 4}, 4, []int64{4}},
		{"rows of 4: an odd multiple of 4 as they are", [2]int64{2, 2}, 1, []int64{1, 2}},
		{"copied at once", [2]int64{2, 2}, 4, nil},
		{"rows of 1", [2]int64{1, 1}, 1, nil},
	} {
		s := withWidth(t, boundProduct(t, c.k), c.width)
		if got, err := PadUnits(s, stageOf(t, s, "x.shared")); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, %v, want %v", c.what, got, err, c.want)
		}
	}
	one := boundProduct(t, [2]int64{1, 1})
	if got, err := PadUnits(one, stageOf(t, one, "y.shared")); err != nil || got != nil {
		t.Errorf("one row: %v, %v", got, err)
	}
}

// The program's rows are as far apart as the unit says: threads that read 32/unit
// elements of a column find them in different banks, and what they copy at once is
// aligned.
func TestPaddedRows(t *testing.T) {
	s := boundProduct(t, [2]int64{2, 8})
	stage := stageOf(t, s, "x.shared")
	for _, unit := range []int64{1, 2, 4} {
		steps := Padded(s.Steps, stage, unit, s)
		if Pad(steps, stage) != unit || Pad(s.Steps, stage) != 0 {
			t.Errorf("unit %d: padded by %d, before by %d", unit, Pad(steps, stage), Pad(s.Steps, stage))
		}
		padded, err := replayed(s, steps)
		if err != nil {
			t.Fatal(err)
		}
		stride := rowStride(t, padded)
		banks := map[int64]bool{}
		for row := range 32 / unit {
			banks[row*stride%32/unit] = true
		}
		if stride%unit != 0 || int64(len(banks)) != 32/unit {
			t.Errorf("unit %d: rows are %d apart, %d banks of %d", unit, stride, len(banks), 32/unit)
		}
		if again := Padded(steps, stage, 2, s); Pad(again, stage) != 2 || len(again) != len(steps) {
			t.Errorf("unit %d to 2: %s", unit, schedule.FormatSteps(again))
		}
		if off := Padded(steps, stage, 0, s); string(schedule.FormatSteps(off)) != string(schedule.FormatSteps(s.Steps)) {
			t.Errorf("unit %d taken back: %s", unit, schedule.FormatSteps(off))
		}
	}
	if rowStride(t, s) != 16 {
		t.Errorf("rows are %d apart without padding", rowStride(t, s))
	}
}

// rowStride returns the distance of two rows of x.shared in the lowered program.
func rowStride(t *testing.T, s *schedule.State) int64 {
	t.Helper()
	f, err := lower.Lower(s, lower.Config{Target: gpuSampler(t, GPU).Target, Check: lower.CheckEach})
	if err != nil {
		t.Fatal(err)
	}
	var stride int64
	tir.Visit(f.Body, func(s tir.Stmt) bool {
		if a, ok := s.(*tir.Alloc); ok && a.Buffer.Name == "x.shared" {
			stride = a.Buffer.ElemStrides()[0]
		}
		return true
	})
	return stride
}

// Wider copies widen the padding that they would not be aligned with.
func TestRepad(t *testing.T) {
	s := boundProduct(t, [2]int64{2, 4})
	stage := stageOf(t, s, "x.shared")
	padded, err := replayed(s, Padded(s.Steps, stage, 1, s))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ width, want int64 }{{1, 1}, {2, 2}, {4, 4}} {
		if got := Pad(Repad(withWidth(t, padded, c.width).Steps), stage); got != c.want {
			t.Errorf("%d at once: an odd multiple of %d, want %d", c.width, got, c.want)
		}
	}
}

// A small share of candidates is padded, and none of AutoScheduler's.
func TestPadShare(t *testing.T) {
	count := func(p Policy) (padded, all int) {
		a, bound := gpuSampler(t, p), boundProduct(t, [2]int64{2, 4})
		for i := range 1000 {
			c, s := &choice{Sampler: a, rng: Rand(1, 2, i)}, bound
			for _, r := range p.Loops {
				if r.Name == "pad" || r.Name == "double buffer" {
					var err error
					if s, err = r.Apply(c, s); err != nil {
						t.Fatal(err)
					}
				}
			}
			all, padded = all+1, padded+min(1, schedule.Extras(s.Steps))
		}
		return padded, all
	}
	if n, all := count(GPU); n < all/20 || n > all/6 {
		t.Errorf("%d of %d are padded", n, all)
	}
	if n, _ := count(AutoSchedulerGPU); n != 0 {
		t.Errorf("AutoScheduler pads %d", n)
	}
	never := GPU
	never.Beyond = 0
	if n, _ := count(never); n != 0 {
		t.Errorf("a policy that stays with AutoScheduler's decisions pads %d", n)
	}
}
