package annotate

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/search/sketch"
	"github.com/wmtune/wmtune/tir/compute"
	ops "github.com/wmtune/wmtune/tir/op"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

func TestThreadCounts(t *testing.T) {
	a, auto := gpuSampler(t, GPU), gpuSampler(t, AutoSchedulerGPU)
	for extent, want := range map[int64][]int64{33: {32, 8, 16}, 64: {32, 8, 16, 64}, 4096: {32, 8, 16, 64, 128, 256, 512, 1024}, 1 << 20: {32, 64, 128, 256, 512, 1024}} {
		if got := a.ThreadCounts(extent); !slices.Equal(got, want) {
			t.Errorf("%d: %v, want %v", extent, got, want)
		}
		if got := auto.ThreadCounts(extent); !slices.Equal(got, want[:1]) {
			t.Errorf("%d: AutoScheduler draws from %v", extent, got)
		}
	}
}

// A sum of 768 elements in each of 128 rows: with a warp, or more, on a row.
func TestDrawThreads(t *testing.T) {
	a := gpuSampler(t, GPU)
	w, err := ops.Parse("sum:m=128,n=768")
	if err != nil {
		t.Fatal(err)
	}
	list, err := sketch.Generate(t.Context(), sketch.CUDA, w.DAG, a.Target)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[int64]bool{}
	for i := range 60 {
		s, err := a.Sample(list[0], Rand(1, 1, i))
		if err != nil {
			t.Fatal(err)
		}
		at := slices.IndexFunc(s.Steps, func(step schedule.Step) bool { _, ok := step.(schedule.Split); return ok })
		if !IsThreadSplit(s.Steps, at) {
			t.Fatalf("no threads: %s", steps(s))
		}
		seen[s.Steps[at].(schedule.Split).Lengths[0]] = true
	}
	for _, n := range []int64{8, 16, 32, 64, 128, 256, 512} {
		if !seen[n] {
			t.Errorf("never %d threads", n)
		}
	}
	if len(seen) != 7 {
		t.Errorf("numbers of threads: %v", seen)
	}
}

// Blocks have several rows of a softmax, each with threads of one warp, where no more than a warp's share a row. Stages
// that each thread would have to compute for itself keep a block to its row, and so does AutoScheduler's policy.
func TestRowsOfBlock(t *testing.T) {
	rows := func(p Policy, spec string) map[[2]int64]int {
		a := gpuSampler(t, p)
		w, err := ops.Parse(spec)
		if err != nil {
			t.Fatal(err)
		}
		rules := sketch.GPU
		if p.Beyond == 0 {
			rules = sketch.CUDA
		}
		list, err := sketch.Generate(t.Context(), rules, w.DAG, a.Target)
		if err != nil {
			t.Fatal(err)
		}
		seen := map[[2]int64]int{} // threads of a row, rows
		for i := range 600 {
			s, err := a.Sample(list[i%len(list)], Rand(1, 1, i))
			if err != nil {
				continue
			}
			for _, st := range s.Stages {
				threads, n := int64(1), int64(1)
				for _, it := range st.Iters {
					switch {
					case it.Ann == schedule.ThreadY:
						n = it.Extent
					case it.Ann == schedule.ThreadX:
						threads = it.Extent
					}
				}
				if n > 1 || threads > 1 {
					seen[[2]int64{threads, n}]++
				}
			}
		}
		return seen
	}
	got := rows(GPU, "softmax:m=48,n=128")
	for _, want := range [][2]int64{{32, 2}, {32, 4}, {32, 8}, {16, 16}, {8, 16}, {8, 2}} {
		if got[want] == 0 {
			t.Errorf("never %d rows of %d threads", want[1], want[0])
		}
	}
	for at := range got {
		if at[1] > 1 && (at[0] > 32 || at[0]*at[1] > 256 || 48%at[1] != 0) {
			t.Errorf("%d rows of %d threads", at[1], at[0])
		}
	}
	for at := range rows(AutoSchedulerGPU, "softmax:m=48,n=128") {
		if at[1] > 1 {
			t.Errorf("AutoScheduler's policy has %d rows", at[1])
		}
	}
	start := parsed(t, "input x: float32[48, 64]\nm(i: 48) = max(k: 64) x[i, k]\ns(i: 48) = sum(k: 64) x[i, k]\n"+
		"e(i: 48, j: 64) = x[i, j]*m[i]/s[i]\noutput e\n")
	const sums = `["SP", 3, 1, 64, [8], 1], ["AN", 3, 2, 6], ["FSP", 2, 1, 0, 1], ["AN", 2, 2, 6], ["CA", 2, 3, 0]`
	for text, several := range map[string]bool{"[" + sums + "]": true, "[" + sums + `, ["CA", 1, 3, 0]]`: false} {
		steps, err := schedule.ParseSteps([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		s, err := applied(start, steps...)
		if err != nil {
			t.Fatal(err)
		}
		most := int64(0)
		for i := range 50 {
			most = max(most, (&choice{Sampler: gpuSampler(t, GPU), rng: Rand(1, 1, i)}).rowsOfBlock(s, 3))
		}
		if (most > 1) != several {
			t.Errorf("%s: up to %d rows", text, most)
		}
	}
}

func TestIsThreadSplit(t *testing.T) {
	sp := schedule.Split{At: 1, Iter: 0, Extent: 64, Lengths: []int64{32}, InnerToOuter: true}
	ann := func(iter int, a schedule.Annotation) schedule.Step {
		return schedule.Annotate{At: 1, Iter: iter, Ann: a}
	}
	for _, c := range []struct {
		steps []schedule.Step
		want  bool
	}{
		{[]schedule.Step{sp, ann(1, schedule.ThreadX)}, true},
		{[]schedule.Step{sp, ann(0, schedule.BlockX), ann(1, schedule.ThreadX)}, true},
		{[]schedule.Step{sp, ann(1, schedule.Vectorize), schedule.FollowFusedSplit{At: 1}, ann(1, schedule.ThreadX)}, false},
		{[]schedule.Step{sp, ann(0, schedule.ThreadX)}, false},
		{[]schedule.Step{sp}, false},
		{[]schedule.Step{ann(1, schedule.ThreadX)}, false},
		{[]schedule.Step{sp, schedule.ComputeRoot{At: 1}, ann(1, schedule.ThreadX)}, false},
	} {
		if got := IsThreadSplit(c.steps, 0); got != c.want {
			t.Errorf("%v: %v", c.steps, got)
		}
	}
}

func gpuSampler(t *testing.T, p Policy) *Sampler {
	t.Helper()
	on, err := target.GPU("sm_75")
	if err != nil {
		t.Fatal(err)
	}
	return New(p, on)
}

// publicRecords returns every n-th record of AutoScheduler's logs of an RTX 2080 Ti.
func publicRecords(t *testing.T, n int) []dataset.Record {
	t.Helper()
	all, err := publicLog()
	if err != nil {
		t.Fatal(err)
	}
	var list []dataset.Record
	for i := 0; i < len(all); i += n {
		list = append(list, all[i])
	}
	return list
}

var publicLog = sync.OnceValues(func() ([]dataset.Record, error) {
	all, _, err := dataset.ReadLog("../../lab/models/rtx2080ti.arrow.zst")
	return all, err
})

// dagOfKey returns the DAG of a workload key of public logs.
func dagOfKey(t *testing.T, key string) *compute.DAG {
	t.Helper()
	var parts []json.RawMessage
	var hash string
	if err := json.Unmarshal([]byte(key), &parts); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(parts[0], &hash); err != nil {
		t.Fatal(err)
	}
	shapes := make([][]int64, len(parts)-1)
	for i := range shapes {
		if err := json.Unmarshal(parts[i+1], &shapes[i]); err != nil {
			t.Fatal(err)
		}
	}
	d, err := ops.FromHash(hash, shapes)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// anyWidth returns the steps with what mutation may have changed since the threads
// were bound left out: how many threads a plain loop has and what threads copy at once.
func anyWidth(steps []schedule.Step) string {
	list := slices.Clone(steps)
	for i := range list {
		if isFetchSplit(list, i) || IsThreadSplit(list, i) {
			sp := list[i].(schedule.Split)
			sp.Extent, sp.Lengths = 0, []int64{1}
			list[i] = sp
		}
	}
	return string(schedule.FormatSteps(list))
}

// Bound to threads, the tiles of public records have AutoScheduler's own steps.
func TestBindThreadsAsAutoScheduler(t *testing.T) {
	a := gpuSampler(t, AutoSchedulerGPU)
	dags, equal, invalid := map[string]*compute.DAG{}, 0, 0
	for _, r := range publicRecords(t, 80) {
		d := dags[r.WorkloadKey]
		if d == nil {
			d = dagOfKey(t, r.WorkloadKey)
			dags[r.WorkloadKey] = d
		}
		// The sketch that the record is of has the longest common beginning; what follows
		// is the binding, and then the unroll limits.
		sketches, err := sketch.Generate(t.Context(), sketch.CUDA, d, a.Target)
		if err != nil {
			t.Fatal(err)
		}
		from := 0
		for _, s := range sketches {
			if n := len(s.Steps); n <= len(r.Steps) && n >= from && sameKinds(s.Steps, r.Steps[:n]) {
				from = n
			}
		}
		end := slices.IndexFunc(r.Steps, func(s schedule.Step) bool { _, ok := s.(schedule.Pragma); return ok })
		if end < 0 {
			end = len(r.Steps)
		}
		sk, err := schedule.Replay(d, r.Steps[:from])
		if err != nil {
			t.Fatal(err)
		}
		got, err := bindThreads(&choice{Sampler: a, rng: Rand(1, 1, 1)}, sk)
		if err != nil {
			invalid++ // mutation goes beyond the limits
			continue
		}
		if g, w := anyWidth(got.Steps), anyWidth(r.Steps[:end]); g != w {
			t.Fatalf("%s\n%s\nwant\n%s", r.WorkloadKey, g, w)
		}
		equal++
	}
	if t.Logf("%d equal, %d not valid", equal, invalid); equal < 4*invalid || len(dags) < 50 {
		t.Errorf("%d records of %d tasks are equal, %d are not valid", equal, len(dags), invalid)
	}
}

// sameKinds reports whether two lists have steps of the same kinds, on the same stages.
func sameKinds(a, b []schedule.Step) bool {
	kind := func(s schedule.Step) string { return s.String()[:5] }
	return slices.EqualFunc(a, b, func(x, y schedule.Step) bool { return kind(x) == kind(y) && x.Stage() == y.Stage() })
}

// tiledProduct is a product of 64 x 64 tiled and cached for a GPU; lengths are those of
// the splits of i, j and k.
func tiledProduct(t *testing.T, i, j [4]int64, k [2]int64) *schedule.State {
	t.Helper()
	w, err := ops.Parse("matmul:m=64,n=64,k=64")
	if err != nil {
		t.Fatal(err)
	}
	list, err := sketch.Generate(t.Context(), sketch.CUDA, w.DAG, gpuSampler(t, GPU).Target)
	if err != nil || len(list) != 1 {
		t.Fatalf("%d sketches, %v", len(list), err)
	}
	lengths := [][]int64{i[:], j[:], k[:]}
	all := slices.Clone(list[0].Steps)
	for n, step := range all {
		if sp, ok := step.(schedule.Split); ok {
			sp.Lengths, lengths = lengths[0], lengths[1:]
			all[n] = sp
		}
	}
	return apply1(t, schedule.New(w.DAG), all...)
}

func TestBindThreadsRefuses(t *testing.T) {
	a := gpuSampler(t, AutoSchedulerGPU)
	for _, c := range []struct {
		i, j [4]int64
		want string
	}{
		{[4]int64{2, 4, 1, 1}, [4]int64{4, 8, 1, 1}, ""},
		{[4]int64{4, 4, 1, 1}, [4]int64{4, 8, 1, 1}, "16 virtual threads are more than 8"},
		{[4]int64{1, 2, 1, 1}, [4]int64{1, 8, 1, 1}, "16 threads are less than a warp"},
	} {
		_, err := bindThreads(&choice{Sampler: a, rng: Rand(1, 1, 1)}, tiledProduct(t, c.i, c.j, [2]int64{2, 2}))
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%v %v: %v, want %s", c.i, c.j, err, c.want)
		}
	}
	small, err := ops.Parse("matmul:m=4,n=4,k=4")
	if err != nil {
		t.Fatal(err)
	}
	list, err := sketch.Generate(t.Context(), sketch.CUDA, small.DAG, a.Target)
	if err != nil {
		t.Fatal(err)
	}
	if p, err := a.Population(t.Context(), list, 64, 1, 1, 1); err != nil || len(p) == 0 {
		t.Errorf("%d states of a stage smaller than a warp, %v", len(p), err)
	}
}

func TestSuitsThreads(t *testing.T) {
	a := gpuSampler(t, GPU)
	for _, c := range []struct {
		name   string
		extent int64
		i, j   []int64
		want   suit
	}{
		{"two warps, 16 accumulators", 512, []int64{1, 8, 1, 4}, []int64{1, 8, 1, 4}, balanced},
		{"with virtual threads", 512, []int64{2, 8, 1, 2}, []int64{1, 16, 1, 4}, balanced},
		{"no whole warps", 512, []int64{1, 7, 1, 4}, []int64{1, 8, 1, 4}, fits},
		{"many accumulators", 512, []int64{1, 8, 1, 8}, []int64{1, 8, 1, 8}, fits},
		{"many threads", 512, []int64{1, 16, 1, 2}, []int64{1, 32, 1, 2}, fits},
		{"too many accumulators", 512, []int64{2, 8, 1, 8}, []int64{1, 8, 1, 8}, misfit},
		{"less than a warp", 512, []int64{1, 4, 1, 4}, []int64{1, 4, 1, 4}, misfit},
		{"less than a warp of few", 4, []int64{1, 4, 1, 1}, []int64{1, 4, 1, 1}, fits},
		{"too many threads", 512, []int64{1, 32, 1, 1}, []int64{1, 64, 1, 1}, misfit},
		{"too many virtual threads", 512, []int64{4, 8, 1, 1}, []int64{4, 8, 1, 1}, misfit},
	} {
		group := []schedule.Step{
			schedule.Split{Extent: c.extent, Lengths: c.i}, schedule.Split{Iter: 5, Extent: c.extent, Lengths: c.j},
			schedule.Split{Iter: 10, Extent: min(c.extent, 4), Lengths: []int64{1, 1}},
		}
		if got := a.suitsThreads(group, nil); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

// Most tiles drawn for a product are balanced; as they fall hardly one in fifty is.
func TestGPUTilesAreBalanced(t *testing.T) {
	count := func(p Policy) (good int) {
		a := gpuSampler(t, p)
		a.Tiles.Handy = false
		for i := range 200 {
			group := []schedule.Step{
				schedule.Split{Extent: 512, Lengths: make([]int64, 4)}, schedule.Split{Iter: 5, Extent: 512, Lengths: make([]int64, 4)},
				schedule.Split{Iter: 10, Extent: 512, Lengths: make([]int64, 2)},
			}
			(&choice{Sampler: a, rng: Rand(1, 1, i)}).fillTile(group, len(group), nil, []int64{1, 1, 1, 1, 1, 1})
			if a.suitsThreads(group, nil) == balanced {
				good++
			}
		}
		return good
	}
	if n := count(GPU); n < 120 {
		t.Errorf("%d of 200 tiles are balanced", n)
	}
	if n := count(AutoSchedulerGPU); n > 20 {
		t.Errorf("%d of 200 of AutoScheduler's tiles are balanced", n)
	}
}

// A convolution of 3 x 3 copies its halo once; what is beyond shared memory is a misfit.
func TestCopied(t *testing.T) {
	split := func(iter int, lengths ...int64) schedule.Step {
		return schedule.Split{Iter: iter, Extent: 64, Lengths: lengths, InnerToOuter: true}
	}
	s := conv(64, 64)
	group := []schedule.Step{split(0, 1, 8, 1, 2), split(5, 1, 16, 1, 2), split(10, 1, 3), split(13, 4, 2)}
	operands := operandsOf(s.Stages[3].Op, 0, group)
	// pad: (16 + 3 - 1) * 8, W: 3 * 8 * 32
	if got := copied(group, operands); got != 18*8+3*8*32 {
		t.Errorf("%d elements are copied", got)
	}
	a := gpuSampler(t, GPU)
	if got := a.suitsThreads(group, operands); got != balanced {
		t.Errorf("suits %d", got)
	}
	a.Target.Hardware.SharedBytes = 4*(18*8+3*8*32) - 1
	if got := a.suitsThreads(group, operands); got != misfit {
		t.Errorf("with too little shared memory: suits %d", got)
	}
}
