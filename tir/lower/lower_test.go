package lower

import (
	"fmt"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
	"github.com/wmtune/wmtune/tir/tirtest"
)

// TestPassOrder holds the constraints on the pipeline.
func TestPassOrder(t *testing.T) {
	at := map[string]int{}
	for i, p := range passes {
		if _, ok := at[p.name]; ok {
			t.Errorf("two passes are named %s", p.name)
		}
		at[p.name] = i
	}
	for _, c := range order {
		before, ok := at[c.before]
		after, ok2 := at[c.after]
		switch {
		case !ok || !ok2:
			t.Errorf("%q before %q: no such pass", c.before, c.after)
		case before >= after:
			t.Errorf("%s comes after %s: %s", c.before, c.after, c.why)
		case c.why == "":
			t.Errorf("%s before %s: no reason", c.before, c.after)
		}
	}
}

func stateOf(t *testing.T, dag, steps string) *schedule.State {
	t.Helper()
	d, err := tirtest.Named(dag)
	if err != nil {
		t.Fatal(err)
	}
	list, err := schedule.ParseSteps([]byte(steps))
	if err != nil {
		t.Fatal(err)
	}
	s, err := schedule.Replay(d, list)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestRefusesIndependentReductions annotates a reduce loop behind the back of
// schedule, which refuses it already.
func TestRefusesIndependentReductions(t *testing.T) {
	for _, ann := range []schedule.Annotation{schedule.Parallel, schedule.Vectorize, schedule.VThread, schedule.BlockX, schedule.BlockY, schedule.BlockZ} {
		s := stateOf(t, "sum 4 8", `[["SP", 1, 1, 8, [2], 1]]`)
		it := *s.Stages[1].Iters[2]
		it.Ann = ann
		s.Stages[1].Iters[2] = &it
		_, err := Lower(s, Config{})
		want := "lower: build: " + ann.String() + " loop over iterator ri.1 of stage S, whose iterations share a reduction"
		if err == nil || err.Error() != want {
			t.Errorf("got error %v, want %s", err, want)
		}
	}
}

// TestRefusesWarpMemoryOfRows: B.warp has what one row of threads needs, one after the other would fill it.
func TestRefusesWarpMemoryOfRows(t *testing.T) {
	const steps = `[["AN", 2, 0, %s], ["AN", 2, 1, %s], ["CHR", 1, "%s", [2]], ["CA", 2, 3, 2]]`
	for _, c := range []struct{ i, j, scope, want string }{
		{"6", "8", "warp", "lower: build: stage B.warp is in warp memory and attached inside iterator j of stage C, " +
			"which is bound to threadIdx.y: cache it in shared memory, or attach it outside"},
		{"10", "6", "warp", "lower: build: stage B.warp is in warp memory and attached inside iterator i of stage C, " +
			"which is bound to threadIdx.z: cache it in shared memory, or attach it outside"},
		{"5", "6", "warp", ""},
		{"6", "8", "shared", ""},
	} {
		s := stateOf(t, "matmul 8 12 16", fmt.Sprintf(steps, c.i, c.j, c.scope))
		got := ""
		if _, err := Lower(s, Config{Target: target.Target{Kind: target.CUDA, Arch: "sm_80"}}); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%v: got error %q, want %q", c, got, c.want)
		}
	}
}

// TestRefusesOtherThreads: each of the first 5 threads has y for itself, and the copy y.shared has a loop over 9
// threads.
func TestRefusesOtherThreads(t *testing.T) {
	const steps = `[["CHR",1,"shared",[2]],["SP",3,0,9,[%d],1],["AN",3,0,6],["CA",2,3,1],["AN",2,0,6],["CA",1,3,0]]`
	d, err := compute.Parse("input x: float32[9]\ny(i: 9) = x[i] + 1\nz(i: 9) = y[8 - i]*2\noutput z\n")
	if err != nil {
		t.Fatal(err)
	}
	for length, want := range map[int]string{
		1: "",
		2: "lower: build: stage y.shared reads stage y, which only the first 5 threads along threadIdx.x compute for " +
			"themselves, in more threads: attach y outside of the loops bound to threads, or bind loops of equal lengths",
	} {
		list, err := schedule.ParseSteps(fmt.Appendf(nil, steps, length))
		if err != nil {
			t.Fatal(err)
		}
		s, err := schedule.Replay(d, list)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if _, err := Lower(s, Config{Target: target.Target{Kind: target.CUDA, Arch: "sm_80"}}); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("length %d: got error %q, want %q", length, got, want)
		}
	}
}

func TestRefusesOpenLengths(t *testing.T) {
	s := stateOf(t, "add 4 8", `[["SP", 2, 1, 8, [0], 1]]`)
	if _, err := Lower(s, Config{}); err == nil || !strings.Contains(err.Error(), "open split lengths") {
		t.Errorf("got error %v", err)
	}
}

// TestCheckNamesThePass has a pass that breaks the function.
func TestCheckNamesThePass(t *testing.T) {
	saved := passes
	defer func() { passes = saved }()
	passes = []pass{{name: "break", run: func(f *tir.Func, _ Config) (*tir.Func, error) {
		g := *f
		g.Outputs = 9
		return &g, nil
	}}}
	s := stateOf(t, "add 4 8", "[]")
	if _, err := Lower(s, Config{Check: CheckEach}); err == nil || err.Error() != "lower: after break: tir: main: 9 outputs of 3 parameters" {
		t.Errorf("got error %v", err)
	}
	if _, err := Lower(s, Config{}); err != nil {
		t.Errorf("without checks: %v", err)
	}
}

// TestDeterministic lowers twice, with other addresses and so another order of
// maps.
func TestDeterministic(t *testing.T) {
	for _, steps := range []string{tiled, gpuTiled} {
		a, err := Lower(stateOf(t, "matmul 61 59 31", steps), Config{})
		if err != nil {
			t.Fatal(err)
		}
		b, err := Lower(stateOf(t, "matmul 61 59 31", steps), Config{})
		if err != nil {
			t.Fatal(err)
		}
		if a.String() != b.String() || a.Hash() != b.Hash() {
			t.Errorf("two programs of one state:\n%s\n%s", a, b)
		}
	}
}

// The steps of a good matmul: two levels of tiles, the accumulators in a cache.
const tiled = `[["CHW", 2, "local"], ["SP", 2, 0, 0, [4, 2, 8], 1], ["SP", 2, 4, 0, [4, 1, 32], 1], ["SP", 2, 8, 0, [8], 1],
	["RE", 2, [0, 4, 1, 5, 8, 2, 6, 9, 3, 7]], ["FSP", 3, 0, 1, 2], ["FSP", 3, 3, 2, 2], ["RE", 3, [0, 3, 1, 4, 2, 5]], ["CA", 2, 3, 3],
	["FU", 3, [0, 1]], ["AN", 3, 0, 3], ["AN", 2, 9, 2], ["AN", 3, 4, 2], ["PR", 2, 0, "auto_unroll_max_step$64"]]`

const gpuTiled = `[["CHR", 0, "shared", [2]], ["SP", 3, 0, 0, [4], 1], ["SP", 3, 3, 0, [4], 1], ["CA", 1, 3, 3], ["AN", 3, 0, 5], ["AN", 3, 1, 6],
	["FU", 1, [0, 1]], ["SP", 1, 0, 0, [4], 1], ["AN", 1, 1, 6]]`

func BenchmarkLower(b *testing.B) {
	for _, bm := range []struct{ name, dag string }{{"divides", "matmul 512 512 512"}, {"edges", "matmul 127 331 61"}} {
		d, err := tirtest.Named(bm.dag)
		if err != nil {
			b.Fatal(err)
		}
		steps, err := schedule.ParseSteps([]byte(tiled))
		if err != nil {
			b.Fatal(err)
		}
		s, err := schedule.Replay(d, steps)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(bm.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Lower(s, Config{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
