package run

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/arith"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/interp"
	"github.com/wmtune/wmtune/tir/schedule"
)

// A share is what a program keeps of a result outside of all loops: an output, or
// what one loop nest leaves to the next.
type share struct {
	buffer    *tir.Buffer // of the program
	result    *tir.Buffer // of an op; the buffer holds the part of it from min on
	min       []int64
	reference *reference
	relative  float64
	excuse    func() *excuse
	rest      interp.Rest
	err       error // of the reference, while the program ran
}

// shares lists the shares of the program f of s: of outputs, of stages at the root, and of those that
// are attached in loops which run once, of which lowering leaves nothing. The copies are what else is
// allocated there: operands in another layout (target.Rewrite), which no op computes.
func (c *Interpreter) shares(s *schedule.State, f *tir.Func) (list []*share, copies []*tir.Buffer, err error) {
	relative := c.relative * max(f.Growth, 1)
	if f.Rounds() {
		relative += c.tf32
	}
	for i, b := range f.Results() {
		sh := &share{buffer: b, result: c.dag.Results()[i], min: make([]int64, len(b.Shape))}
		sh.reference, sh.relative, sh.excuse = c.reference, relative, c.excuseOf(c.dag, sh.result, arithmeticOf(f))
		list = append(list, sh)
	}
	nests, err := s.Nests()
	if err != nil {
		return nil, nil, err
	}
	allocs := outermostAllocs(f.Body)
	var current *reference
	for _, attached := range []bool{false, true} {
		for i, n := range nests {
			if _, inside := s.Attach.At(i); n == nil || inside != attached || s.IsOutput(i) {
				continue
			}
			for _, r := range s.Stages[i].Op.Results {
				k := slices.IndexFunc(allocs, func(b *tir.Buffer) bool { return b.Name == r.Name && holds(b, r, n) })
				if k < 0 {
					if !attached {
						panic("BUG: run: the program has no buffer for root stage " + r.Name)
					}
					continue // as it is inside of loops
				}
				sh := &share{buffer: allocs[k], result: r, min: origin(n, r), reference: c.reference, relative: relative}
				sh.excuse = c.excuseOf(s.Defined(), r, arithmeticOf(f))
				allocs = slices.Delete(allocs, k, k+1)
				if c.reference.wide[r] == nil { // of a stage that a step added
					if current == nil {
						if current, err = newReference(s.Defined(), c.inputs); err != nil {
							return nil, nil, err
						}
					}
					sh.reference = current
				}
				list = append(list, sh)
			}
		}
	}
	return list, allocs, nil
}

// keepWhole has a sample leave out nothing of the nests that write to the buffers.
func keepWhole(only map[*tir.For][]int64, s tir.Stmt, buffers []*tir.Buffer) {
	switch s := s.(type) {
	case *tir.Seq:
		for _, t := range s.Stmts {
			keepWhole(only, t, buffers)
		}
	case *tir.Alloc:
		keepWhole(only, s.Body, buffers)
	case *tir.Pragma:
		keepWhole(only, s.Body, buffers)
	case *tir.For:
		writes := tir.Has(s, func(t tir.Stmt) bool {
			w, ok := t.(*tir.Store)
			return ok && slices.Contains(buffers, w.Buffer)
		})
		for l, ok := s, writes; ok; l, ok = l.Body.(*tir.For) {
			delete(only, l)
		}
	}
}

// origin returns where the part of a result that a nest computes begins. A nest that is outside
// of all loops, or in loops that run once, computes one part.
func origin(n *schedule.Nest, result *tir.Buffer) []int64 {
	var list []int64
	for d := range result.Shape {
		at, ok := arith.Eval(n.Region[d].Min, func(e tir.Expr) (int64, bool) {
			_, isVar := e.(*tir.Var)
			return 0, isVar
		})
		if !ok {
			panic("BUG: run: the region of stage " + result.Name + " begins at " + n.Region[d].Min.String())
		}
		list = append(list, at)
	}
	return list
}

// holds reports whether a buffer has the shape of what a nest computes of a result.
func holds(b, result *tir.Buffer, n *schedule.Nest) bool {
	if len(b.Shape) != len(result.Shape) {
		return false
	}
	for d, size := range b.Shape {
		if size != n.Region[d].Extent {
			return false
		}
	}
	return true
}

// outermostAllocs lists the buffers that are allocated outside of all loops, in
// their order.
func outermostAllocs(s tir.Stmt) (list []*tir.Buffer) {
	tir.Visit(s, func(t tir.Stmt) bool {
		if a, ok := t.(*tir.Alloc); ok {
			list = append(list, a.Buffer)
		}
		_, loop := t.(*tir.For)
		return !loop
	})
	return list
}

// element returns the index of the element of the result that is at an offset of
// the buffer, and its number; -1 if it is outside of the result.
func (sh *share) element(at int64) (index []int64, number int64) {
	for d, stride := range sh.buffer.ElemStrides() {
		i := at/stride + sh.min[d]
		at %= stride
		if index = append(index, i); i < 0 || i >= sh.result.Shape[d] {
			return index, -1
		}
		number = number*sh.result.Shape[d] + i
	}
	return index, number
}

// fill sets an element that the sample reads but does not compute.
func (sh *share) fill(t *interp.Tensor, at int64) {
	_, number := sh.element(at)
	if number < 0 {
		return // which no reader asks for, as guards see to it
	}
	want, err := sh.reference.at(sh.result, number)
	switch {
	case err != nil:
		sh.err = err
	case t.Type.IsFloat():
		t.SetFloat(int(at), want.Float(int(number)))
	default:
		t.SetInt(int(at), want.Int(int(number)))
	}
}

// compare returns what is wrong with the elements that the sample computed, or
// "". Whole says that these must be all.
func (sh *share) compare(whole bool) (bad string, err error) {
	if sh.err != nil {
		return "", sh.err
	}
	name, t := sh.result.Name, sh.buffer.Type
	wrote := sh.rest.Wrote
	if whole && int64(len(wrote)) < sh.buffer.Elems() {
		all := sh.buffer.Elems()
		return fmt.Sprintf("%d of %d elements of %s were not written", all-int64(len(wrote)), all, name), nil
	}
	x := &expectation{tensor: tensor{Type: t}, relative: sh.relative, rounding: compute.Unit(t)}
	wants, numbers, sum := make([]float64, len(wrote)), make([]int64, len(wrote)), 0.0
	var s suspects
	for k, at := range wrote {
		index, number := sh.element(at)
		if number < 0 {
			return fmt.Sprintf("%s%v was written, which is outside of it", name, index), nil
		}
		want, err := sh.reference.at(sh.result, number)
		if err != nil {
			return "", err
		}
		wants[k], numbers[k] = valueOf(want, number), number
		if !t.IsFloat() && sh.rest.Contents.Int(int(at)) != want.Int(int(number)) {
			s.add(int64(k))
		}
		if !extreme(wants[k], t) && wants[k] == wants[k] {
			sum += wants[k] * wants[k]
		}
	}
	x.scale = math.Sqrt(sum / float64(max(len(wrote), 1)))
	for k, at := range wrote {
		if got := valueOf(sh.rest.Contents, at); t.IsFloat() && got != wants[k] && !x.near(got, wants[k]) {
			s.add(int64(k))
		}
	}
	if s.count == 0 {
		return "", nil
	}
	why, y := sh.excuse(), yardstick{x.scale, sync.OnceValue(func() float64 {
		return typicalOf(int64(len(wants)), func(i int64) float64 { return wants[i] })
	})}
	k := s.wrong(func(k int64) (bool, error) {
		return why.allows(numbers[k], valueOf(sh.rest.Contents, wrote[k]), x.tolerance(wants[k]), y)
	})
	if k < 0 {
		return "", nil
	}
	got, within := valueOf(sh.rest.Contents, wrote[k]), ""
	if t.IsFloat() {
		within = fmt.Sprintf(" within %.3g", x.tolerance(wants[k]))
	}
	where := indexText(numbers[k], sh.result.Shape)
	return fmt.Sprintf("%s[%s] is %.9g, want %.9g%s", name, where, got, wants[k], within), nil
}

// valueOf returns an element of a tensor of any type.
func valueOf(t *interp.Tensor, at int64) float64 {
	if t.Type.IsFloat() {
		return t.Float(int(at))
	}
	return float64(t.Int(int(at)))
}

// excuseOf returns what makes an excuse for a tensor of d, which has the inputs of the interpreter.
func (c *Interpreter) excuseOf(d *compute.DAG, b *tir.Buffer, a arithmetic) func() *excuse {
	return func() *excuse {
		var inputs []func(at int64) float64
		for _, t := range c.inputs {
			inputs = append(inputs, func(at int64) float64 { return valueOf(t, at) })
		}
		return newExcuse(d, b, inputs, a)
	}
}
