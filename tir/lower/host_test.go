package lower_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/interp"
	"github.com/wmtune/wmtune/tir/lower"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/tirtest"
)

// orders are those in which a host runs threads.
var orders = []lower.Order{lower.Forward, lower.Backward}

// TestRandomOnHost has random GPU programs split for a CPU, and compares what they
// compute with the DAG's definition.
func TestRandomOnHost(t *testing.T) {
	var seen struct{ barriers, loops, without, waits int }
	failed := 0
	for seed := *firstSeed; seed < *firstSeed+uint64(*programs); seed++ {
		f, err := tryOnHost(seed)
		if err != nil {
			t.Errorf("seed %d: %v", seed, err)
			if failed++; failed >= 5 {
				t.Fatal("too many failures")
			}
			continue
		}
		barriers, inLoops := barriersOf(f)
		seen.barriers += min(1, barriers)
		seen.loops += min(1, inLoops)
		if waits(f) {
			seen.waits++
			continue // without its barrier, what a thread has waited for never lands
		}
		if barriers == 0 {
			continue
		}
		ran, err := tryWithout(f, seed)
		if err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
		seen.without += ran
	}
	t.Logf("%d programs, %d with barriers, %d with barriers in loops, %d with waits; %d runs with too few", *programs, seen.barriers, seen.loops, seen.waits, seen.without)
	if seen.waits < *programs/80 {
		t.Errorf("%d of %d programs wait for asynchronous stores: the test says too little of that", seen.waits, *programs)
	}
	if seen.barriers < *programs/10 || seen.loops < *programs/20 || seen.without < *programs/20 {
		t.Errorf("of %d programs %d have barriers, %d in loops, and %d runs were with too few: the test says too little of them",
			*programs, seen.barriers, seen.loops, seen.without)
	}
}

// waits reports whether f stores asynchronously.
func waits(f *tir.Func) bool {
	found := false
	tir.Visit(f.Body, func(s tir.Stmt) bool {
		_, ok := s.(*tir.Wait)
		found = found || ok
		return true
	})
	return found
}

// tryWithout takes some barriers out of f. What threads do then depends on their
// order, and must be what the interpreter's do, which wait at barriers only. It
// returns how often it could compare: no thread may read what is not written yet.
func tryWithout(f *tir.Func, seed uint64) (ran int, err error) {
	r := rand.New(rand.NewPCG(seed, 2))
	f = withoutBarriers(f, func() bool { return r.IntN(2) == 0 })
	args := interp.NewTensors(f.Params)
	for i := range f.Inputs() {
		for k := range args[i].Len() {
			if args[i].Type.IsFloat() {
				args[i].SetFloat(k, float64(r.IntN(64))/8)
			} else {
				args[i].SetInt(k, r.Int64N(4))
			}
		}
	}
	for _, order := range orders {
		want := clone(args)
		if interp.Run(f, want, interp.Options{Reverse: order == lower.Backward}) != nil {
			continue
		}
		g, err := lower.OnHost(f, order)
		if err == nil {
			err = tir.Check(g)
		}
		got := clone(args)
		if err == nil {
			err = interp.Run(g, got, interp.Options{Reverse: order == lower.Backward})
		}
		for i := len(f.Inputs()); err == nil && i < len(got); i++ {
			if !bytes.Equal(got[i].Data, want[i].Data) {
				err = fmt.Errorf("%s is another one", f.Params[i].Name)
			}
		}
		if err != nil {
			return ran, fmt.Errorf("order %d: %w\n%s\n%s", order, err, f, g)
		}
		ran++
	}
	return ran, nil
}

// withoutBarriers returns f without the barriers for which gone holds.
func withoutBarriers(f *tir.Func, gone func() bool) *tir.Func {
	g := *f
	g.Body = tir.MapStmt(f.Body, func(s tir.Stmt) tir.Stmt {
		if _, ok := s.(*tir.Barrier); ok && gone() {
			return nil
		}
		return s
	}, nil)
	return &g
}

// TestMissingBarrier takes out each barrier of programs in which it is needed: in
// one order of threads or the other the result is wrong.
func TestMissingBarrier(t *testing.T) {
	for _, c := range []struct{ dag, steps string }{
		{"matmul 16 8 8", `[["CHR", 0, "shared", [2]], ["SP", 3, 0, 16, [4], 1], ["SP", 3, 3, 8, [4], 1], ["CA", 1, 3, 3], ["AN", 3, 0, 5], ["AN", 3, 1, 6],
			["FU", 1, [0, 1]], ["SP", 1, 0, 0, [4], 1], ["AN", 1, 1, 6]]`},
		{"sum 4 30", `[["SP", 1, 1, 30, [8], 1], ["AN", 1, 2, 6]]`},
		{"matmul 16 8 12", refilled + `["PR", 1, 0, "double_buffer$1"]]`},
		{"matmul 16 8 12", refilled + `["PR", 1, 0, "double_buffer$2"]]`},
	} {
		s := stateOf(t, c.dag, c.steps)
		f, err := lower.Lower(s, gpuConfig)
		if err != nil {
			t.Fatal(err)
		}
		args := tirtest.Args(rand.New(rand.NewPCG(1, 0)), s.DAG)
		want := clone(args)
		if err := interp.RunDAG(s.DAG, want); err != nil {
			t.Fatal(err)
		}
		barriers, _ := barriersOf(f)
		if want := 2 - strings.Count(c.steps, "double_buffer"); barriers < want {
			t.Fatalf("%s has %d barriers, want %d at least\n%s", c.dag, barriers, want, f)
		}
		for k := range barriers {
			g := withoutBarriers(f, func() bool {
				k--
				return k == -1
			})
			if compareOnHost(g, s, args, want) == nil {
				t.Errorf("%s: nothing shows without a barrier\n%s", c.dag, g)
			}
		}
	}
}

// refilled are the steps of a product up to how its copy is refilled.
const refilled = `[["CHR", 0, "shared", [2]], ["SP", 3, 0, 16, [4], 1], ["SP", 3, 3, 12, [4], 1], ["RE", 3, [0, 1, 3, 2, 4]], ["CA", 1, 3, 2], ["AN", 3, 0, 5], ["AN", 3, 1, 6],
	["FU", 1, [0, 1]], ["SP", 1, 0, 0, [4, 2], 1], ["AN", 1, 1, 6], ["AN", 1, 2, 2], `

// TestMissingWait takes out the wait of a program that stores asynchronously, and puts it
// behind the barrier: the program split for a CPU is wrong, and the interpreter says
// that an element is not there.
func TestMissingWait(t *testing.T) {
	s := stateOf(t, "matmul 16 8 12", refilled+`["PR", 1, 0, "double_buffer$2"]]`)
	f, err := lower.Lower(s, gpuConfig)
	if err != nil {
		t.Fatal(err)
	}
	args := tirtest.Args(rand.New(rand.NewPCG(1, 0)), s.DAG)
	want := clone(args)
	if err := interp.RunDAG(s.DAG, want); err != nil {
		t.Fatal(err)
	}
	without := func(s tir.Stmt) tir.Stmt {
		if _, ok := s.(*tir.Wait); ok {
			return nil
		}
		return s
	}
	behind := func(s tir.Stmt) tir.Stmt {
		if b, ok := s.(*tir.Barrier); ok {
			return tir.Sequence(b, &tir.Wait{})
		}
		return without(s)
	}
	for name, change := range map[string]func(tir.Stmt) tir.Stmt{"none": without, "behind the barrier": behind, "": nil} {
		g := *f
		if change != nil {
			g.Body = tir.MapStmt(f.Body, change, nil)
		}
		onHost, blocks := compareOnHost(&g, s, args, want), interp.CheckBlocks(t.Context(), &g)
		run := interp.Run(&g, clone(args), interp.Options{Reverse: true})
		if change == nil {
			if onHost != nil || blocks != nil || run != nil {
				t.Errorf("%v, %v, %v", onHost, blocks, run)
			}
			continue
		}
		if onHost == nil || blocks == nil || run == nil && name == "none" {
			t.Errorf("wait %s: split %v, blocks %v, run %v", name, onHost, blocks, run)
		}
	}
}

// TestOnHostRefuses has a program for each of its conditions.
func TestOnHostRefuses(t *testing.T) {
	out := &tir.Buffer{Name: "C", Type: tir.F32, Shape: []int64{4}}
	bound := func(thread string, body tir.Stmt) *tir.For {
		return &tir.For{Var: tir.NewVar("t"), Extent: tir.Int(4), Kind: tir.ThreadBound, Thread: thread, Body: body}
	}
	v, barrier := tir.NewVar("k"), &tir.Barrier{Scope: tir.Shared}
	store := &tir.Store{Buffer: out, Index: []tir.Expr{tir.Int(0)}, Value: tir.Float(tir.F32, 1)}
	for _, c := range []struct {
		want string
		body tir.Stmt // inside threadIdx.x
	}{
		{"barrier under condition (t < 2): some threads may not come by", &tir.If{Cond: tir.Bin(tir.LT, &tir.Var{Name: "t", Type: tir.Index}, tir.Int(2)), Then: barrier}},
		{"barrier in loop k of length (t + 1): only if it is a constant do all threads come by as often",
			&tir.For{Var: v, Extent: tir.Bin(tir.Add, &tir.Var{Name: "t", Type: tir.Index}, tir.Int(1)), Body: barrier}},
		{"barrier in loop k of length 0: only if", &tir.For{Var: v, Extent: tir.Int(0), Body: barrier}},
		{"barrier in vectorize loop k", &tir.For{Var: v, Extent: tir.Int(4), Kind: tir.Vectorized, Body: barrier}},
		{"loop t over threadIdx.y is not directly inside the other thread loops", tir.Sequence(store, bound("threadIdx.y", store))},
		{"two loops in each other are bound to threadIdx.x", bound("threadIdx.x", store)},
		{"buffer W is shared by the threads of a warp, which are not told apart",
			&tir.Alloc{Buffer: &tir.Buffer{Name: "W", Type: tir.F32, Scope: tir.Warp}, Body: store}},
	} {
		f := &tir.Func{Name: "main", Params: []*tir.Buffer{out}, Outputs: 1, Body: bound("threadIdx.x", c.body)}
		if _, err := lower.OnHost(f, lower.Forward); err == nil || !strings.HasPrefix(err.Error(), "lower: on host: main: "+c.want) {
			t.Errorf("error %v, want %s", err, c.want)
		}
	}
}

func stateOf(t *testing.T, dag, steps string) *schedule.State {
	t.Helper()
	d, err := tirtest.Named(dag)
	if err != nil {
		t.Fatal(err)
	}
	return replayed(t, d, steps)
}

// replayed returns the state of a DAG after the steps.
func replayed(t *testing.T, d *compute.DAG, steps string) *schedule.State {
	t.Helper()
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

// barriersOf counts the barriers of f, and those in loops of a thread.
func barriersOf(f *tir.Func) (all, inLoops int) {
	tir.Visit(f.Body, func(s tir.Stmt) bool {
		if _, ok := s.(*tir.Barrier); ok {
			all++
		}
		if l, ok := s.(*tir.For); ok && l.Kind != tir.ThreadBound {
			n, _ := barriersOf(&tir.Func{Body: l.Body})
			inLoops += n
		}
		return true
	})
	return all, inLoops
}

func tryOnHost(seed uint64) (*tir.Func, error) {
	r := rand.New(rand.NewPCG(seed, 1))
	kind, d := tirtest.RandomDAG(r)
	args := tirtest.Args(r, d)
	want := clone(args)
	if err := interp.RunDAG(d, want); err != nil {
		return nil, fmt.Errorf("%s: %w", kind, err)
	}
	steps := tirtest.RandomGPUSteps(r, d, 1+r.IntN(*maxSteps))
	s, err := schedule.Replay(d, steps)
	if err != nil {
		return nil, err
	}
	f, err := lower.Lower(s, gpuConfig)
	if err != nil {
		return nil, err
	}
	if err := compareOnHost(f, s, args, want); err != nil {
		return nil, fmt.Errorf("%s, steps %s: %w\n%s", kind, schedule.FormatSteps(steps), err, f)
	}
	return f, nil
}

// compareOnHost runs what OnHost makes of f in both orders.
func compareOnHost(f *tir.Func, s *schedule.State, args, want []*interp.Tensor) error {
	for _, order := range orders {
		g, err := lower.OnHost(f, order)
		if err != nil {
			return err
		}
		got := clone(args)
		err = tir.Check(g)
		if err == nil {
			err = tir.CheckLoops(g)
		}
		if err == nil {
			err = interp.Run(g, got, interp.Options{Races: true})
		}
		if err == nil {
			err = compareOutputs(s.DAG, got, want, 1)
		}
		if err != nil {
			return fmt.Errorf("order %d: %w\n%s", order, err, g)
		}
	}
	return nil
}
