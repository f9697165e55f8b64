package lower_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/interp"
	"github.com/wmtune/wmtune/tir/lower"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/tirtest"
)

// asked is what a built program asks for: the shared bytes of all blocks' kinds, the
// bytes of a thread in all, and the threads of each kernel that has several.
type asked struct {
	shared, local int64
	threads       []int64
}

// buffered adds what a copy takes that is to be double-buffered: a second buffer that
// begins at a multiple of 16 bytes, and registers for what a thread copies.
func (a *asked) buffered(s *tir.Alloc) {
	stmt := s.Body
	if seq, ok := stmt.(*tir.Seq); ok {
		stmt = seq.Stmts[0]
	}
	p, ok := stmt.(*tir.Pragma)
	if !ok || p.Key != "double_buffer" {
		return
	}
	a.shared += (s.Buffer.Bytes() + 15) / 16 * 16
	if p.Value == int64(schedule.TwoBuffers) {
		own := int64(s.Buffer.Type.Bytes())
		tir.Visit(p.Body, func(s tir.Stmt) bool {
			if l, ok := s.(*tir.For); ok {
				own *= l.Extent.(*tir.IntImm).Value
			}
			return true
		})
		a.local += own
	}
}

// askedBy reads it off the program.
func askedBy(f *tir.Func) asked {
	var a asked
	var walk func(s tir.Stmt, vthreads, threads int64, inThreads bool)
	walk = func(s tir.Stmt, vthreads, threads int64, inThreads bool) {
		switch s := s.(type) {
		case *tir.For:
			n := s.Extent.(*tir.IntImm).Value
			thread := s.Kind == tir.ThreadBound && strings.HasPrefix(s.Thread, "threadIdx.")
			if s.Kind == tir.Vthread {
				vthreads *= n
			}
			if thread {
				threads *= n
				if l, ok := s.Body.(*tir.For); !ok || !strings.HasPrefix(l.Thread, "threadIdx.") {
					if threads > 1 {
						a.threads = append(a.threads, threads)
					}
				}
			}
			walk(s.Body, vthreads, threads, inThreads || thread)
		case *tir.Alloc:
			a.buffered(s)
			switch s.Buffer.Scope {
			case tir.Shared:
				a.shared += s.Buffer.Bytes()
			case tir.Local:
				a.local += vthreads * s.Buffer.Bytes()
			}
			walk(s.Body, vthreads, threads, inThreads)
		case *tir.Seq:
			for _, t := range s.Stmts {
				walk(t, vthreads, threads, inThreads)
			}
		case *tir.If:
			walk(s.Then, vthreads, threads, inThreads)
		case *tir.Pragma:
			walk(s.Body, vthreads, threads, inThreads)
		}
	}
	walk(f.Body, 1, 1, false)
	slices.Sort(a.threads)
	return a
}

// Launches of random GPU states are what the built programs ask for.
func TestLaunches(t *testing.T) {
	shared, local, several := 0, 0, 0
	for seed := *firstSeed; seed < *firstSeed+uint64(*programs); seed++ {
		r := rand.New(rand.NewPCG(seed, 0))
		kind, d := tirtest.RandomDAG(r)
		steps := tirtest.RandomGPUSteps(r, d, 1+r.IntN(*maxSteps))
		s, err := schedule.Replay(d, steps)
		if err != nil {
			t.Fatal(err)
		}
		launches, err := lower.Launches(s)
		if err != nil {
			t.Fatal(err)
		}
		var got asked
		for _, l := range launches {
			got.shared += l.SharedBytes
			got.local += l.LocalBytes
			if l.Threads > 1 {
				got.threads = append(got.threads, l.Threads)
			}
		}
		slices.Sort(got.threads)
		var want asked
		cfg := config
		cfg.Trace = func(pass string, f *tir.Func) {
			if pass == "build" {
				want = askedBy(f)
			}
		}
		if _, err := lower.Lower(s, cfg); err != nil {
			t.Fatal(err)
		}
		if len(launches) == 0 {
			continue // what a CPU's programs have for themselves is no thread's
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("seed %d, %s: %v, want %v\nsteps: %s\n%s", seed, kind, got, want, schedule.FormatSteps(steps), s)
		}
		shared, local, several = shared+min(1, int(want.shared)), local+min(1, int(want.local)), several+min(1, len(want.threads))
	}
	if t.Logf("%d with shared memory, %d with local, %d with threads", shared, local, several); shared < *programs/10 || local < *programs/40 || several < *programs/10 {
		t.Error("the test says too little")
	}
}

// Blocks, virtual threads and vectors are those of the loops.
func TestLaunchLoops(t *testing.T) {
	s := stateOf(t, "add 64 64", `[["SP", 2, 0, 64, [4, 8], 1], ["SP", 2, 3, 64, [4], 1], ["AN", 2, 0, 5], ["AN", 2, 1, 4], ["AN", 2, 2, 6], ["AN", 2, 4, 2]]`)
	list, err := lower.Launches(s)
	if err != nil || len(list) != 1 {
		t.Fatalf("%v, %v", list, err)
	}
	want := lower.Launch{Stage: list[0].Stage, Blocks: 2, Threads: 8, Vthreads: 4, VectorBytes: 16}
	if list[0] != want {
		t.Errorf("%+v, want %+v", list[0], want)
	}
	if list, err := lower.Launches(stateOf(t, "add 64 64", `[]`)); err != nil || len(list) != 0 {
		t.Errorf("a state without threads: %v, %v", list, err)
	}
	if _, err := lower.Launches(stateOf(t, "add 64 64", `[["SP", 2, 0, 64, [0], 1]]`)); err == nil {
		t.Error("a sketch has launches")
	}
}

// TestSomeBlocks: what some blocks write is right, and the first and the last block
// are among them.
func TestSomeBlocks(t *testing.T) {
	s := stateOf(t, "matmul 61 8 9", `[["SP", 2, 0, 61, [2, 3], 1], ["AN", 2, 0, 5], ["AN", 2, 1, 6]]`)
	f, err := lower.Lower(s, config)
	if err != nil {
		t.Fatal(err)
	}
	some, ok := lower.SomeBlocks(f, 4)
	if text := some.String(); !ok || !strings.Contains(text, "bind i_0.some in 4 blockIdx.x:") || !strings.Contains(text, "floordiv((i_0.some*10), 3)") {
		t.Fatalf("%v\n%s", ok, some)
	}
	args := tirtest.Args(rand.New(rand.NewPCG(1, 0)), s.DAG)
	want := clone(args)
	if err := interp.RunDAG(s.DAG, want); err != nil {
		t.Fatal(err)
	}
	c := args[2]
	for i := range c.Len() {
		c.SetFloat(i, math.NaN())
	}
	if err := interp.RunPart(some, args, interp.Options{}, interp.Part{Holes: true}); err != nil {
		t.Fatal(err)
	}
	written := 0
	for i := range c.Len() {
		if !math.IsNaN(c.Float(i)) {
			written++
			if math.Abs(c.Float(i)-want[2].Float(i)) > 1e-4 {
				t.Errorf("element %d is %g, want %g", i, c.Float(i), want[2].Float(i))
			}
		}
	}
	if first, last := c.Float(0), c.Float(c.Len()-1); written != (3*6+1)*8 || math.IsNaN(first) || math.IsNaN(last) {
		t.Errorf("%d elements written, want %d, the first and the last among them (%g, %g)", written, (3*6+1)*8, first, last)
	}
}

// TestSomeBlocksOfAll: what cannot be taken apart is left as it is.
func TestSomeBlocksOfAll(t *testing.T) {
	for _, c := range []struct{ what, dag, steps string }{
		{"few blocks", "sum 4 30", `[["SP", 1, 1, 30, [8], 1], ["AN", 1, 0, 5], ["AN", 1, 2, 6]]`},
		{"no block", "sum 40 30", `[["SP", 1, 1, 30, [8], 1], ["AN", 1, 2, 6]]`},
		{"two kernels", "chain 16 4", `[["AN", 1, 0, 5], ["AN", 2, 0, 5]]`},
	} {
		f, err := lower.Lower(stateOf(t, c.dag, c.steps), config)
		if err != nil {
			t.Fatal(err)
		}
		if some, ok := lower.SomeBlocks(f, 4); ok || some != f {
			t.Errorf("%s:\n%s", c.what, some)
		}
	}
}
