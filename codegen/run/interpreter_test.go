package run

import (
	"strings"
	"testing"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/lower"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/tirtest"
)

// An interpretedProgram is a schedule for a GPU: shared memory, an rfactored
// sum, a reduction that crosses threads.
type interpretedProgram struct{ name, dag, steps string }

var interpretedPrograms = []interpretedProgram{
	{"shared memory", "matmul 96 64 40", `[["CHR", 1, "shared", [2]], ["CHR", 0, "shared", [3]],
		["SP", 4, 0, 96, [2, 8], 1], ["SP", 4, 3, 64, [2, 8], 1], ["SP", 4, 6, 40, [8], 1], ["RE", 4, [0, 3, 1, 4, 2, 5, 6, 7]],
		["CA", 3, 4, 6], ["CA", 1, 4, 6], ["FU", 4, [0, 1]], ["AN", 4, 0, 5], ["FU", 4, [1, 2]], ["AN", 4, 1, 4],
		["FU", 4, [2, 3]], ["AN", 4, 2, 6], ["FU", 3, [0, 1]], ["SP", 3, 0, 128, [64], 1], ["AN", 3, 1, 6],
		["FU", 1, [0, 1]], ["SP", 1, 0, 128, [64], 1], ["AN", 1, 1, 6]]`},
	{"reduction across threads", "sum 48 500", `[["SP", 1, 1, 500, [32], 1], ["AN", 1, 0, 5], ["AN", 1, 2, 6]]`},
	{"several nests", "softmax 40 96", `[["SP", 4, 0, 40, [4], 1], ["AN", 4, 0, 5], ["AN", 4, 1, 6],
		["SP", 3, 1, 96, [16], 1], ["AN", 3, 0, 5], ["AN", 3, 2, 6], ["AN", 2, 0, 5], ["AN", 1, 0, 5]]`},
	{"a CPU's", "conv 20 20 8 16 3", `[["SP", 3, 0, 20, [4], 1], ["AN", 3, 0, 3], ["CA", 1, 3, 0]]`},
	{"a stage in a loop that runs once", "conv 150 150 32 8 3", `[["SP", 3, 0, 150, [150], 1], ["CA", 1, 3, 0]]`},
	{"rows of a factored sum", "sum 8 4096", `[["SP", 1, 1, 4096, [64], 1], ["RF", 1, 1, 1], ["AN", 1, 0, 3], ["AN", 2, 0, 3]]`},
}

// lower returns the state and the program.
func (p interpretedProgram) lower(t *testing.T) (*compute.DAG, *schedule.State, *tir.Func) {
	t.Helper()
	d, err := tirtest.Named(p.dag)
	if err != nil {
		t.Fatal(err)
	}
	steps, err := schedule.ParseSteps([]byte(p.steps))
	if err != nil {
		t.Fatal(err)
	}
	s, err := schedule.Replay(d, steps)
	if err != nil {
		t.Fatal(err)
	}
	f, err := lower.Lower(s, lower.Config{Check: lower.CheckEach})
	if err != nil {
		t.Fatal(err)
	}
	return d, s, f
}

func TestInterpreter(t *testing.T) {
	for _, p := range interpretedPrograms {
		t.Run(p.name, func(t *testing.T) {
			d, s, f := p.lower(t)
			c, err := NewInterpreter(d, 1)
			if err != nil {
				t.Fatal(err)
			}
			for number := range uint64(4) {
				if bad, err := c.Check(s, f, number); bad != "" || err != nil {
					t.Errorf("number %d: %s %v\n%s", number, bad, err, f)
				}
			}
			for k, wrong := range spoiled(f) {
				if bad, err := c.Check(s, wrong, uint64(k)); bad == "" || err != nil {
					t.Errorf("store %d off: no difference found (error %v) in\n%s", k, err, wrong)
				}
			}
		})
	}
}

// TestInterpreterInTiles: what a convolution in Winograd's tiles computes on the way is compared as well, with weights
// that are prepared.
func TestInterpreterInTiles(t *testing.T) {
	d := parsed(t, `input x: float32[10, 10, 8]
input w: float32[3, 3, 8, 8]
y(h: 8, j: 8, c: 8) = sum(r: 3, s: 3, k: 8) x[h + r, j + s, k]*w[r, s, k, c]
    layout_free w
output y
`)
	s, err := schedule.Replay(d, []schedule.Step{schedule.Winograd{At: 2, Tile: 4},
		schedule.Annotate{At: 5, Iter: 0, Ann: schedule.Parallel}})
	if err != nil {
		t.Fatal(err)
	}
	f, err := lower.Lower(s, lower.Config{Check: lower.CheckEach})
	if err != nil {
		t.Fatal(err)
	}
	c, err := NewInterpreter(d, 1)
	if err != nil {
		t.Fatal(err)
	}
	if bad, err := c.Check(s, f, 1); bad != "" || err != nil {
		t.Errorf("%s %v\n%s", bad, err, f)
	}
	for k, wrong := range spoiled(f) {
		if bad, err := c.Check(s, wrong, uint64(k)); bad == "" || err != nil {
			t.Errorf("store %d off: no difference found (error %v)", k, err)
		}
	}
}

// spoiled returns a version of f for each store of something other than a
// constant, with what it stores off by one part in a thousand.
func spoiled(f *tir.Func) []*tir.Func {
	var list []*tir.Func
	count := func(s tir.Stmt) bool {
		st, ok := s.(*tir.Store)
		_, constant := tir.Expr(nil), false
		if ok {
			_, constant = st.Value.(*tir.FloatImm)
		}
		return ok && !constant
	}
	total := 0
	tir.Visit(f.Body, func(s tir.Stmt) bool {
		if count(s) {
			total++
		}
		return true
	})
	for k := range total {
		at := -1
		g := *f
		g.Body = tir.MapStmt(f.Body, func(s tir.Stmt) tir.Stmt {
			if !count(s) {
				return s
			}
			if at++; at != k {
				return s
			}
			st := s.(*tir.Store)
			return &tir.Store{Buffer: st.Buffer, Index: st.Index, Value: tir.Bin(tir.Mul, st.Value, tir.Float(st.Buffer.Type, 1.001))}
		}, nil)
		list = append(list, &g)
	}
	return list
}

// TestInterpreterMissesNoBarrier removes each barrier of a program.
func TestInterpreterMissesNoBarrier(t *testing.T) {
	for _, p := range interpretedPrograms[:2] {
		d, s, f := p.lower(t)
		c, err := NewInterpreter(d, 1)
		if err != nil {
			t.Fatal(err)
		}
		for k := range barriers(f) {
			for number := range uint64(2) { // threads from the first, and from the last
				bad, err := c.Check(s, withoutBarrier(f, k), number)
				if err != nil || !strings.Contains(bad, "race") && !strings.Contains(bad, "was not written") {
					t.Errorf("%s without barrier %d: got %q, %v, want a race\n%s", p.name, k, bad, err, f)
				}
			}
		}
		if barriers(f) == 0 {
			t.Errorf("%s: no barrier in\n%s", p.name, f)
		}
	}
}

func barriers(f *tir.Func) int {
	n := 0
	tir.Visit(f.Body, func(s tir.Stmt) bool {
		if _, ok := s.(*tir.Barrier); ok {
			n++
		}
		return true
	})
	return n
}

// withoutBarrier returns f without barrier number k.
func withoutBarrier(f *tir.Func, k int) *tir.Func {
	at := -1
	g := *f
	g.Body = tir.MapStmt(f.Body, func(s tir.Stmt) tir.Stmt {
		seq, ok := s.(*tir.Seq)
		if !ok {
			return s
		}
		var list []tir.Stmt
		for _, u := range seq.Stmts {
			if _, ok := u.(*tir.Barrier); ok {
				if at++; at == k {
					continue
				}
			}
			list = append(list, u)
		}
		return tir.Sequence(list...)
	}, nil)
	return &g
}
