package annotate

import (
	"slices"
	"testing"

	"github.com/wmtune/wmtune/search/sketch"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/lower"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// widthsIn returns what threads copy at once, by stage.
func widthsIn(s *schedule.State) map[string]int64 {
	m := map[string]int64{}
	for _, i := range FetchSplits(s.Steps) {
		m[s.Stages[s.Steps[i].Stage()].Op.Name] = s.Steps[i].(schedule.Split).Lengths[0]
	}
	return m
}

// Rows of x.shared have 2*2 = 4 elements of k, rows of y.shared 32 of j.
func TestFetchWidth(t *testing.T) {
	a := gpuSampler(t, GPU)
	seen := map[string]map[int64]bool{"x.shared": {}, "y.shared": {}}
	for i := range 60 {
		s, err := bindThreads(&choice{Sampler: a, rng: Rand(1, 1, i)}, tiledProduct(t, [4]int64{1, 8, 1, 2}, [4]int64{1, 8, 1, 4}, [2]int64{1, 2}))
		if err != nil {
			t.Fatal(err)
		}
		for name, w := range widthsIn(s) {
			seen[name][w] = true
		}
	}
	if len(seen["x.shared"]) != 2 || seen["x.shared"][4] || len(seen["y.shared"]) != 3 {
		t.Errorf("widths %v, want 1, 2 and 1, 2, 4", seen)
	}
	auto := gpuSampler(t, AutoSchedulerGPU)
	s, err := bindThreads(&choice{Sampler: auto, rng: Rand(1, 1, 1)}, tiledProduct(t, [4]int64{1, 8, 1, 2}, [4]int64{1, 8, 1, 4}, [2]int64{1, 2}))
	if err != nil || widthsIn(s)["y.shared"] != 1 {
		t.Errorf("AutoScheduler begins with %v, %v", widthsIn(s), err)
	}
}

// With shorter rows the width is the widest that still fits.
func TestRefit(t *testing.T) {
	a := gpuSampler(t, GPU)
	var s *schedule.State
	for i := 0; s == nil || widthsIn(s)["x.shared"] != 4; i++ {
		var err error
		s, err = bindThreads(&choice{Sampler: a, rng: Rand(1, 1, i)}, tiledProduct(t, [4]int64{1, 8, 1, 2}, [4]int64{1, 8, 1, 4}, [2]int64{2, 2}))
		if err != nil {
			t.Fatal(err)
		}
	}
	for k, want := range map[int64]int64{1: 2, 2: 4, 3: 2} {
		steps := slices.Clone(s.Steps)
		for i, step := range steps {
			if sp, ok := step.(schedule.Split); ok && len(sp.Lengths) == 2 {
				sp.Lengths = []int64{k, 2}
				steps[i] = sp
			}
		}
		other, err := schedule.ReplayBound(s.DAG, steps)
		if err != nil {
			t.Fatal(err)
		}
		fitted, err := a.Refit(other)
		if err != nil || widthsIn(fitted)["x.shared"] != want {
			t.Errorf("rows of %d: %v, %v, want %d", 2*k, widthsIn(fitted), err, want)
		}
		if same, err := gpuSampler(t, AutoSchedulerGPU).Refit(other); err != nil || same != other {
			t.Errorf("AutoScheduler's widths change: %v", err)
		}
	}
}

func TestBufferings(t *testing.T) {
	newer, err := target.GPU("sm_80")
	if err != nil {
		t.Fatal(err)
	}
	one, two, async := schedule.OneBuffer, schedule.TwoBuffers, schedule.TwoBuffersByAsync
	for _, c := range []struct {
		what string
		a    *Sampler
		k    [2]int64
		want []schedule.Buffering
	}{
		{"16 iterations", gpuSampler(t, GPU), [2]int64{2, 2}, []schedule.Buffering{one, two}},
		{"with asynchronous copies", New(GPU, newer), [2]int64{2, 2}, []schedule.Buffering{one, two, async}},
		{"one iteration", New(GPU, newer), [2]int64{8, 8}, []schedule.Buffering{one}},
	} {
		s := boundProduct(t, c.k)
		if got := c.a.Bufferings(s, stageOf(t, s, "x.shared")); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.what, got, c.want)
		}
	}
}

// A second buffer counts as shared memory, and what goes by way of registers as the
// thread's own. Taken back, the steps are those of before.
func TestBuffered(t *testing.T) {
	s := boundProduct(t, [2]int64{2, 4}) // x.shared is 16 x 8, copied by 64 threads; y.shared 8 x 32
	stage := stageOf(t, s, "x.shared")
	launch := func(s *schedule.State) lower.Launch {
		list, err := lower.Launches(s)
		if err != nil || len(list) != 1 {
			t.Fatalf("%v, %v", list, err)
		}
		return list[0]
	}
	before := launch(s)
	for how, own := range map[schedule.Buffering]int64{schedule.TwoBuffers: 16 * 8 / 64 * 4, schedule.TwoBuffersByAsync: 0} {
		with, err := schedule.ReplayBound(s.DAG, Buffered(s, stage, how))
		if err != nil {
			t.Fatal(err)
		}
		after := launch(with)
		if after.SharedBytes != before.SharedBytes+16*8*4 || after.LocalBytes != before.LocalBytes+own {
			t.Errorf("%d: %+v, before %+v", how, after, before)
		}
		if back := Buffered(with, stage, schedule.OneBuffer); string(schedule.FormatSteps(back)) != string(schedule.FormatSteps(s.Steps)) {
			t.Errorf("taken back: %s", schedule.FormatSteps(back))
		}
	}
}

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
	out, err := schedule.ReplayBound(s.DAG, steps)
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
		padded, err := schedule.ReplayBound(s.DAG, steps)
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
	padded, err := schedule.ReplayBound(s.DAG, Padded(s.Steps, stage, 1, s))
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

// Rows that neighbouring threads read are told from rows that a thread reads along, and mostly padded.
func TestReadInRows(t *testing.T) {
	a := gpuSampler(t, GPU)
	for _, c := range []struct {
		text   string
		inRows map[string]bool // by copy, of tiles whose last axis has threads
	}{
		{"input x: float32[64, 64]\ninput y: float32[64, 64]\nd(i: 64, j: 64) = sum(k: 64) x[i, k]*y[j, k]\noutput d\n",
			map[string]bool{"x.shared": false, "y.shared": true}},
		{"input x: float32[64, 64]\ninput y: float32[64, 64]\nd(i: 64, j: 64) = sum(k: 64) x[i, k]*y[k, j]\noutput d\n",
			map[string]bool{"x.shared": false, "y.shared": false}},
		{"input x: float32[64, 64]\ninput y: float32[64, 64]\nd(i: 64, j: 64) = sum(k: 64) x[j, k]*y[k, i]\noutput d\n",
			map[string]bool{"x.shared": true, "y.shared": false}},
		{"input x: float32[64, 64]\ninput y: float32[64, 127]\nd(i: 64, j: 64) = sum(k: 64) x[i, k]*y[j, j + k]\n" +
			"output d\n",
			map[string]bool{"x.shared": false, "y.shared": false}},
	} {
		d, err := compute.Parse(c.text)
		if err != nil {
			t.Fatal(err)
		}
		list, err := sketch.Generate(t.Context(), sketch.CUDA, d, a.Target)
		if err != nil {
			t.Fatal(err)
		}
		padded, may := 0, 0
		for i := range 200 {
			s, err := a.Sample(list[0], Rand(3, 1, i))
			if err != nil {
				continue
			}
			for _, stage := range copies(s.Steps) {
				at, _ := s.Attach.At(stage)
				last := s.Steps[sketch.SpatialSplits(s, at.Stage)[0]].(schedule.Split)
				want, known := c.inRows[s.Stages[stage].Op.Name]
				if !known {
					t.Fatalf("copy %s", s.Stages[stage].Op.Name)
				}
				if last.Lengths[threadLevel] == 1 {
					continue // the threads lie along i
				}
				if got := readInRows(s, stage); got != want {
					t.Errorf("%s: %s is read in rows: %v, want %v\n%s", c.text, s.Stages[stage].Op.Name, got, want,
						steps(s))
				}
				if units, err := PadUnits(s, stage); err == nil && want && (len(units) > 0 || Pad(s.Steps, stage) > 0) {
					may, padded = may+1, padded+int(min(Pad(s.Steps, stage), 1))
				}
			}
		}
		if may > 0 && (padded < may/2 || padded > may*9/10) {
			t.Errorf("%s: %d of %d are padded", c.text, padded, may)
		}
	}
}
