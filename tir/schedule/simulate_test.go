package schedule

import (
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/tir"
)

// A simulation runs the nests of a state and keeps book of which elements of
// each stage exist, instead of computing them. It fails if a loop body reads an
// element that was not computed for it, or lies outside a buffer; if a stage
// computes an element outside its region or its domain, or some part of a
// reduction twice or never; or if an output is not complete.
type simulation struct {
	s      *State
	nests  []*Nest
	stage  map[*tir.Buffer]int
	have   []map[string]int // by stage: element -> how many reduction steps it has seen
	env    map[*tir.Var]int64
	budget int
}

func simulate(s *State) error {
	nests, err := s.Nests()
	if err != nil {
		return err
	}
	m := &simulation{s: s, nests: nests, stage: map[*tir.Buffer]int{}, have: make([]map[string]int, len(nests)), env: map[*tir.Var]int64{}, budget: 2_000_000}
	for i, st := range s.Stages {
		for _, r := range st.Op.Results {
			m.stage[r] = i
		}
	}
	for i, n := range nests {
		if n == nil || s.Stages[i].At != AtRoot {
			continue
		}
		if err := m.instance(i); err != nil {
			return fmt.Errorf("%w\n%s", err, show(n))
		}
	}
	for i := range s.Stages {
		if !s.IsOutput(i) {
			continue
		}
		want := 1
		for _, a := range s.Stages[i].Op.Axes {
			want *= int(a.Extent)
		}
		if len(m.have[i]) != want {
			return fmt.Errorf("output %s has %d of %d elements", s.Stages[i].Op.Name, len(m.have[i]), want)
		}
	}
	return nil
}

// instance runs one execution of the nest of stage i.
func (m *simulation) instance(i int) error {
	m.have[i] = map[string]int{}
	n := m.nests[i]
	var mins []int64
	for _, r := range n.Region {
		mins = append(mins, m.eval(r.Min))
	}
	if err := m.loops(i, 0, mins); err != nil {
		return err
	}
	steps := 1
	for _, a := range m.s.Stages[i].Op.ReduceAxes {
		steps *= int(a.Extent)
	}
	for at, c := range m.have[i] {
		if c != steps {
			return fmt.Errorf("stage %s, element %s: %d of %d reduction steps", m.s.Stages[i].Op.Name, at, c, steps)
		}
	}
	return nil
}

func (m *simulation) loops(i, k int, mins []int64) error {
	n := m.nests[i]
	if k == len(n.Loops) {
		return m.body(i, mins)
	}
	for v := range n.Loops[k].Extent {
		m.env[n.Loops[k].Var] = v
		inside := slices.Clone(m.s.Attach.Inside(i, k))
		slices.Sort(inside)
		for _, p := range inside {
			if err := m.instance(p); err != nil {
				return err
			}
		}
		if err := m.loops(i, k+1, mins); err != nil {
			return err
		}
	}
	return nil
}

func (m *simulation) body(i int, mins []int64) error {
	if m.budget--; m.budget < 0 {
		return errBudget
	}
	n, st := m.nests[i], m.s.Stages[i]
	for _, g := range n.Guards {
		if m.eval(g) == 0 {
			return nil
		}
	}
	var at []int64
	for d, v := range n.Value {
		a, x := axisOf(st.Op, d), m.eval(v)
		if x < 0 || x >= a.Extent {
			return fmt.Errorf("stage %s: axis %s is %d, outside its domain", st.Op.Name, a.Var.Name, x)
		}
		if x < mins[d] || x >= mins[d]+n.Region[d].Extent {
			return fmt.Errorf("stage %s: axis %s is %d, outside the region", st.Op.Name, a.Var.Name, x)
		}
		m.env[a.Var] = x
		if d < len(st.Op.Axes) {
			at = append(at, x)
		}
	}
	for _, b := range m.s.InlinedBody(i) {
		if err := m.read(b, st.Op.Name); err != nil {
			return err
		}
	}
	m.have[i][fmt.Sprint(at)]++
	return nil
}

var errBudget = fmt.Errorf("too large to simulate")

// read checks the loads of a body that are carried out.
func (m *simulation) read(e tir.Expr, reader string) error {
	var err error
	tir.VisitExpr(e, func(e tir.Expr) bool {
		switch e := e.(type) {
		case *tir.Select:
			if !e.Lazy || err != nil {
				return err == nil
			}
			branch := e.Else
			if m.eval(e.Cond) != 0 {
				branch = e.Then
			}
			if err = m.read(e.Cond, reader); err == nil {
				err = m.read(branch, reader)
			}
			return false
		case *tir.Load:
			var at []int64
			for d, x := range e.Index {
				v := m.eval(x)
				if v < 0 || v >= e.Buffer.Shape[d] {
					err = fmt.Errorf("%s reads %s: index %d is %d", reader, e.Buffer.Name, d, v)
					return false
				}
				at = append(at, v)
			}
			p := m.stage[e.Buffer]
			if m.nests[p] != nil && m.have[p][fmt.Sprint(at)] == 0 {
				err = fmt.Errorf("%s reads %s%v, which is not computed", reader, e.Buffer.Name, at)
			}
		}
		return err == nil
	})
	return err
}

// eval computes an index expression or a condition.
func (m *simulation) eval(e tir.Expr) int64 {
	flag := func(b bool) int64 {
		if b {
			return 1
		}
		return 0
	}
	switch e := e.(type) {
	case *tir.IntImm:
		return e.Value
	case *tir.Var:
		v, ok := m.env[e]
		if !ok {
			panic("no value of " + e.Name)
		}
		return v
	case *tir.Select:
		if m.eval(e.Cond) != 0 {
			return m.eval(e.Then)
		}
		return m.eval(e.Else)
	case *tir.Binary:
		x, y := m.eval(e.X), m.eval(e.Y)
		switch e.Op {
		case tir.Add:
			return x + y
		case tir.Sub:
			return x - y
		case tir.Mul:
			return x * y
		case tir.FloorDiv:
			return (x - ((x%y)+y)%y) / y
		case tir.FloorMod:
			return ((x % y) + y) % y
		case tir.Min:
			return min(x, y)
		case tir.Max:
			return max(x, y)
		case tir.LT:
			return flag(x < y)
		case tir.LE:
			return flag(x <= y)
		case tir.GT:
			return flag(x > y)
		case tir.GE:
			return flag(x >= y)
		case tir.EQ:
			return flag(x == y)
		case tir.NE:
			return flag(x != y)
		case tir.And:
			return flag(x != 0 && y != 0)
		case tir.Or:
			return flag(x != 0 || y != 0)
		}
	}
	panic(fmt.Sprintf("simulate: %T %s", e, e))
}
