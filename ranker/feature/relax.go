package feature

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/wmtune/wmtune/ranker/nest"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/tape"
)

// Relax returns the bounds of a state and its rows (Rows) as functions of the lengths of its splits. Loops stay
// that have one iteration. The curves of arithmetic intensity, columns Curve to Curve+9, are 0. The order of
// accesses, and of which loops an index is, are those of the state, whatever the lengths.
//
// Where the tape is sharp, the rows of a state whose lengths divide are those of Rows, or it is an error. The
// error says why a state cannot be relaxed.
func Relax(
	t *tape.Tape, s *schedule.State, line float64, free func(step int) bool,
) (*schedule.Relaxed, []tape.Real, error) {
	r, err := s.Relax(t, free)
	if err != nil {
		return nil, nil, err
	}
	w := &twin{r: r, loop: map[schedule.IterKey]int{}}
	p, err := outline(s, w)
	if err != nil {
		return nil, nil, err
	}
	x := &extractor[Float]{p: p, line: line}
	exact, err := x.extract()
	if err != nil {
		return nil, nil, err
	}
	list, err := (&extractor[tape.Real]{p: &w.Program, line: line, relaxed: true, order: x.ordered}).extract()
	if err == nil && t.Sharpness == 0 && !r.Uneven {
		err = agree(exact, list)
	}
	return r, list, err
}

// RelaxText returns the text of a state (Spell), and its program as a function of the lengths of the splits, with the
// same loops and statements.
func RelaxText(
	t *tape.Tape, s *schedule.State, free func(step int) bool,
) (*Text, *schedule.Relaxed, *nest.Program[tape.Real], error) {
	r, err := s.Relax(t, free)
	if err != nil {
		return nil, nil, nil, err
	}
	w := &twin{r: r, loop: map[schedule.IterKey]int{}, whole: true}
	text, err := spell(s, false, w)
	return text, r, &w.Program, err
}

// agree compares relaxed rows with those of the program.
func agree(exact []Float, relaxed []tape.Real) error {
	if len(exact) != len(relaxed) {
		return fmt.Errorf("feature: relaxed: %d columns, not %d", len(relaxed), len(exact))
	}
	for i, v := range exact {
		k := i % Columns
		got, curve := relaxed[i].Value(), k >= Curve && k < Curve+samples
		if !curve && math.Abs(got-float64(v)) > 1e-6*max(1, math.Abs(got)) {
			return fmt.Errorf("feature: relaxed: row %d: %s is %g, not %g", i/Columns, Names()[k], got, float64(v))
		}
	}
	return nil
}

// A twin is a program over real lengths, which is written beside one of a state. A nil one writes nothing.
type twin struct {
	nest.Writer[tape.Real]
	freed
	r        *schedule.Relaxed
	loop     map[schedule.IterKey]int
	accesses []nest.Access[tape.Real]
	whole    bool // loops of one iteration are there whatever the lengths
}

// enter opens a loop, unless it has one iteration whatever the lengths.
func (t *twin) enter(key schedule.IterKey, ann schedule.Annotation) (leave func()) {
	if t == nil {
		return func() {}
	}
	extent := t.r.Nests[key.Stage].Loops[key.Iter]
	unit := extent.Value() < 1+tiny && !ann.IsThread()
	if unit && extent.IsConst() && !t.whole {
		return func() {}
	}
	place := len(t.Loops)
	if !unit {
		place = t.next(place, ann)
	}
	before, had := t.loop[key]
	t.loop[key] = t.Enter(nest.Loop[tape.Real]{Extent: extent, Ann: ann, Place: place})
	return func() {
		if last := t.Leave(); ann.IsThread() {
			t.free = append(t.free, t.Loops[last].Place)
		}
		delete(t.loop, key)
		if had {
			t.loop[key] = before
		}
	}
}

// access notes an access of the next statement.
func (t *twin) access(of *tir.Buffer, mode nest.Mode, at []schedule.Form) {
	if t == nil {
		return
	}
	index := make([]nest.Index[tape.Real], len(at))
	for d, f := range at {
		index[d] = t.index(f)
	}
	t.accesses = accessed(t.accesses, t.Buffer(of), mode, index)
}

// write writes the next statement.
func (t *twin) write(o nest.Ops, unroll int) {
	if t != nil {
		t.Write(nest.Nest[tape.Real]{Ops: o, Accesses: t.accesses, Unroll: unroll})
		t.accesses = nil
	}
}

func (t *twin) alloc(stage int, b *tir.Buffer) {
	if t == nil {
		return
	}
	size := tape.Real{}.Const(1)
	for d := range t.r.State.Stages[stage].Op.Axes {
		size = size.Times(t.r.Nests[stage].Region[d])
	}
	t.Alloc(b, size)
}

// index returns a form as an Index, its terms in the order of sum.sorted.
func (t *twin) index(f schedule.Form) nest.Index[tape.Real] {
	e := nest.Index[tape.Real]{Const: f.Const}
	for _, u := range f.Terms {
		v := nest.Term[tape.Real]{Coef: u.Coef, Lower: u.Lower, Upper: u.Upper, Divided: u.Divided, Reduced: u.Reduced}
		if u.Of != nil {
			of := t.index(*u.Of)
			v.Of = &of
		} else if loop, ok := t.loop[u.Loop]; ok {
			v.Loop, v.Most, v.Bounded = loop, u.Most, true
		} else {
			continue
		}
		e.Terms = append(e.Terms, v)
	}
	slices.SortStableFunc(e.Terms, func(p, q nest.Term[tape.Real]) int {
		return cmp.Or(falls(p.Coef, q.Coef), falls(p.Lower, q.Lower), falls(p.Upper, q.Upper))
	})
	return e
}

// falls compares numbers, the larger one first.
func falls(x, y tape.Real) int {
	if math.Abs(x.Value()-y.Value()) < tiny {
		return 0
	}
	return cmp.Compare(y.Value(), x.Value())
}

// relaxed sets the values of the axes of a nest on the twin, and returns those of its own result's.
func (w *statement) relaxed(n *nester) []schedule.Form {
	if w.twin == nil {
		return nil
	}
	w.forms = map[*tir.Var]schedule.Form{}
	values := w.twin.r.Nests[n.n.Stage].Value
	for k, f := range values {
		w.forms[n.axis(k)] = f
	}
	return values[:len(n.op.Axes)]
}

// relaxedIndex returns indices on the twin.
func (w *statement) relaxedIndex(index []tir.Expr) []schedule.Form {
	if w.twin == nil {
		return nil
	}
	list := make([]schedule.Form, len(index))
	for d, e := range index {
		list[d], _ = schedule.FormOf(e, func(v *tir.Var) (schedule.Form, bool) { f, ok := w.forms[v]; return f, ok })
	}
	return list
}
