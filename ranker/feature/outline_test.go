package feature

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/ranker/nest"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/arith"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/tirtest"
)

// indexText writes an index.
func indexText(e nest.Index[Float]) string {
	var parts []string
	for _, t := range e.Terms {
		x := fmt.Sprintf("l%d", t.Loop)
		if t.Of != nil {
			x = "(" + indexText(*t.Of) + ")"
		}
		if t.Reduced {
			x += fmt.Sprintf("%%%v", t.Upper.Value())
		}
		if t.Divided {
			x += fmt.Sprintf("/%v", t.Lower.Value())
		}
		if c := t.Coef.Value(); c != 1 {
			x = fmt.Sprintf("%v*%s", c, x)
		}
		parts = append(parts, x)
	}
	if c := e.Const.Value(); c != 0 || len(parts) == 0 {
		parts = append(parts, fmt.Sprint(c))
	}
	return strings.Join(parts, "+")
}

// text writes a program: for each store its loops, the buffers that it accesses,
// and its operations.
func text(p *nest.Program[Float]) string {
	var b strings.Builder
	for i := range p.Nests {
		s := &p.Nests[i]
		for _, l := range s.Loops {
			fmt.Fprintf(&b, "l%d:%v ", l, p.Loops[l].Extent.Value())
		}
		for _, a := range s.Accesses {
			fmt.Fprintf(&b, "%s %s", []string{"read", "write", "update"}[a.Mode], p.Buffers[a.Buffer].Name)
			for _, at := range a.At {
				var list []string
				for _, e := range at {
					list = append(list, indexText(e))
				}
				fmt.Fprintf(&b, "[%s]", strings.Join(list, ", "))
			}
			b.WriteString("; ")
		}
		fmt.Fprintf(&b, "%+v\n", s.Ops)
	}
	return b.String()
}

func stateOf(t testing.TB, d *compute.DAG, steps string) *schedule.State {
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

func named(t testing.TB, line string) *compute.DAG {
	t.Helper()
	d, err := tirtest.Named(line)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// What is written and read, where a split divides and where it does not, for
// fused loops and for the initialisation of a reduction.
func TestOutline(t *testing.T) {
	none := "{Float:{AddSub:0 Mul:0 DivMod:0 Compare:0 Math:0} Int:{AddSub:0 Mul:0 DivMod:0 Compare:0 Math:0} Bool:0 " +
		"Select:0}"
	for _, c := range []struct{ name, dag, steps, want string }{
		{
			"a split reduction", "sum 4 8", `[["SP", 1, 1, 8, [2], 1]]`,
			"l0:4 write S[l0]; " + none + "\n" +
				"l0:4 l1:4 l2:2 update S[l0]; read X[l0, 2*l1+l2]; " +
				"{Float:{AddSub:1 Mul:0 DivMod:0 Compare:0 Math:0} Int:{AddSub:1 Mul:1 DivMod:0 Compare:0 Math:0} Bool:0 " +
				"Select:0}\n",
		},
		{
			"a fused loop", "add 4 8", `[["FU", 2, [0, 1]]]`,
			"l0:32 write C[l0/8, l0%8]; read A[l0/8, l0%8]; read B[l0/8, l0%8]; " +
				"{Float:{AddSub:1 Mul:0 DivMod:0 Compare:0 Math:0} Int:{AddSub:0 Mul:0 DivMod:4 Compare:0 Math:0} Bool:0 " +
				"Select:0}\n",
		},
		{
			"a split of a fused loop that does not divide", "add 4 8", `[["FU", 2, [0, 1]], ["SP", 2, 0, 32, [5], 1]]`,
			"l0:7 l1:5 write C[(5*l0+l1)/8, (5*l0+l1)%8]; read A[(5*l0+l1)/8, (5*l0+l1)%8]; read B[(5*l0+l1)/8, (5*l0+l1)%8]; " +
				"{Float:{AddSub:1 Mul:0 DivMod:0 Compare:0 Math:0} Int:{AddSub:4 Mul:4 DivMod:4 Compare:0 Math:0} Bool:0 " +
				"Select:0}\n",
		},
	} {
		p, err := Outline(stateOf(t, named(t, c.dag), c.steps))
		if err != nil {
			t.Fatal(err)
		}
		if got := text(p); got != c.want {
			t.Errorf("%s:\n%swant\n%s", c.name, got, c.want)
		}
	}
}

func TestOutlineRefuses(t *testing.T) {
	s := stateOf(t, named(t, "add 4 8"), `[["SP", 2, 1, 8, [0], 1]]`)
	if _, err := Outline(s); err == nil || !strings.Contains(err.Error(), "feature: ") {
		t.Errorf("open lengths: %v", err)
	}
	p := &nest.Program[Float]{Buffers: []*tir.Buffer{floats()}}
	for l := range maxDepth + 1 {
		p.Loops = append(p.Loops, nest.Loop[Float]{Extent: 2, Place: l})
	}
	one := nest.Nest[Float]{Accesses: []nest.Access[Float]{{Mode: nest.Write, At: [][]nest.Index[Float]{{}}}}}
	for l := range p.Loops {
		one.Loops = append(one.Loops, l)
	}
	p.Nests = append(p.Nests, one)
	if _, err := Rows(p, 64); err == nil || !strings.Contains(err.Error(), "at most 64") {
		t.Errorf("deep loops: %v", err)
	}
}

// Every prefix of random steps on random DAGs has rows, of finite numbers, and
// the indices that a stage stores to are those of bound inference, wherever the
// guards let it run.
func TestRandomStates(t *testing.T) {
	points := 0
	for _, random := range []func(*rand.Rand, *compute.DAG, int) []schedule.Step{tirtest.RandomSteps,
		tirtest.RandomGPUSteps} {
		for seed := range uint64(300) {
			rng := rand.New(rand.NewPCG(seed, 1))
			kind, d := tirtest.RandomDAG(rng)
			s := schedule.New(d)
			for i, step := range random(rng, d, 10) {
				next, err := s.Apply(step)
				if err != nil {
					t.Fatal(err)
				}
				s = next
				n, err := checkState(rng, s)
				if err != nil {
					t.Fatalf("seed %d, %s, after step %d of %s: %v", seed, kind, i, schedule.FormatSteps(s.Steps), err)
				}
				points += n
			}
		}
	}
	if points < 10000 {
		t.Errorf("only %d points were looked at", points)
	}
}

func checkState(rng *rand.Rand, s *schedule.State) (points int, err error) {
	nests, err := s.Nests()
	if err != nil {
		return 0, err
	}
	o := newOutliner(s, nests)
	o.program()
	rows, err := Rows(&o.Program, 64)
	if err != nil {
		return 0, err
	}
	for k, v := range rows {
		if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
			return 0, fmt.Errorf("column %s is %v", Names()[k%Columns], v)
		}
	}
	last := map[int]*nest.Nest[Float]{}
	for i := range o.Nests {
		last[o.Nests[i].Accesses[0].Buffer] = &o.Nests[i]
	}
	for b, st := range last {
		vars := varsOf(s, nests, o.stage[o.Buffers[b]])
		for range 8 {
			at := map[int]int64{}
			for _, l := range st.Loops {
				at[l] = rng.Int64N(int64(o.Loops[l].Extent))
			}
			values := func(v *tir.Var) int64 {
				if k := slices.Index(vars, v); k >= 0 {
					return at[st.Loops[k]]
				}
				return 0
			}
			ok, err := checkPoint(nests[o.stage[o.Buffers[b]]], st, at, values)
			if err != nil {
				return points, fmt.Errorf("%s: %w\n%s", o.Buffers[b].Name, err, text(&o.Program))
			}
			if ok {
				points++
			}
		}
	}
	return points, nil
}

// varsOf returns the variables of the loops that the statement of a stage is in,
// outermost first, but for those that are left out.
func varsOf(s *schedule.State, nests []*schedule.Nest, stage int) []*tir.Var {
	var vars []*tir.Var
	loops := nests[stage].Loops
	for {
		var own []*tir.Var
		for _, l := range loops {
			if l.Extent != 1 || l.Iter.Ann.IsThread() {
				own = append(own, l.Var)
			}
		}
		vars = append(own, vars...)
		at, ok := s.Attach.At(stage)
		if !ok {
			return vars
		}
		stage, loops = at.Stage, nests[at.Stage].Loops[:at.Iter+1]
	}
}

// checkPoint compares indices in one iteration. It returns false if a guard does
// not let it run, or bounds are not linear.
func checkPoint(n *schedule.Nest, st *nest.Nest[Float], at map[int]int64, values func(*tir.Var) int64) (bool, error) {
	exprs := slices.Clone(n.Value)
	for _, r := range n.Region {
		exprs = append(exprs, r.Min)
	}
	for _, e := range exprs {
		linear := true
		tir.VisitExpr(e, func(e tir.Expr) bool {
			b, ok := e.(*tir.Binary)
			linear = linear && (!ok || isIndexOp(b.Op))
			return linear
		})
		if !linear {
			return false, nil
		}
	}
	for _, g := range n.Guards {
		if evaluate(g, values) == 0 {
			return false, nil
		}
	}
	for d, e := range st.Accesses[0].At[0] {
		if got, want := valueOf(e, at), evaluate(n.Value[d], values); got != want {
			return true, fmt.Errorf("dimension %d is %d at %v, want %d: %s", d, got, at, want, n.Value[d])
		}
	}
	return true, nil
}

// valueOf returns the value of an index.
func valueOf(e nest.Index[Float], loops map[int]int64) int64 {
	v := int64(e.Const)
	for _, t := range e.Terms {
		x := loops[t.Loop]
		if t.Of != nil {
			x = valueOf(*t.Of, loops)
		}
		if t.Reduced {
			u := int64(t.Upper)
			x -= u * arith.FloorDiv(x, u)
		}
		if t.Divided {
			x = arith.FloorDiv(x, int64(t.Lower))
		}
		v += int64(t.Coef) * x
	}
	return v
}

// evaluate returns the value of an index expression or a guard.
func evaluate(e tir.Expr, values func(*tir.Var) int64) int64 {
	v, _ := arith.Eval(e, func(e tir.Expr) (int64, bool) { return values(e.(*tir.Var)), true })
	return v
}
