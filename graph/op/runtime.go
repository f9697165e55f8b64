package op

import (
	"fmt"
	"iter"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
)

// Programs of nodes that get shapes, axes and the like at run time. The file declares the shapes of outputs. Mostly the
// operands follow from these: the program is then that of a node with constant operands, and a check that the operands
// are these constants.

// A variant is one set of values that operands may have.
type variant struct {
	holds tir.Expr // whether operands have these values

	// node is the node with constant operands, if Body or Decompose reads them.
	node *graph.Node
	// body, if not nil, stands for the row's.
	body func(b *Body) error
}

// A claim returns the variants of a node: none if the operands cannot lead to the shapes that the file declares.
type claim func(d *draft) []variant

// A draft is what a claim is told, and what it adds.
type draft struct {
	*graph.Node
	in []*tir.Buffer // a parameter for each input; nil for one that is left out

	err     error
	before  []tir.Stmt // runs before the conditions of variants
	scratch []*tir.Buffer
	builder *compute.Builder
}

// input returns the parameter of an input, or nil without one.
func (d *draft) input(i int) *tir.Buffer {
	if i >= 0 && i < len(d.in) {
		return d.in[i]
	}
	return nil
}

// cells returns integers that before sets and bodies may read.
func (d *draft) cells(name string, n int) compute.Tensor {
	t := d.builder.Placeholder(name, tir.I64, int64(n))
	t.Scope = tir.Local
	d.scratch = append(d.scratch, t.Buffer)
	return t
}

// claimed returns the function of nodes that have data in inputs which Body or Decompose needs as constants.
func claimed(claim claim, inputs ...int) *Function {
	when := func(n *graph.Node) bool { return open(inputs...)(n) && n.Inputs[0].Elems() > 0 }
	return &Function{Make: claim.function, When: when}
}

// function makes the function of a node: it runs the variant that holds, and sets error if none does.
func (claim claim) function(n *graph.Node) (*tir.Func, error) {
	c := composer{b: compute.NewBuilder(), tensors: map[*graph.Value]compute.Tensor{}, names: map[string]int{}}
	d := &draft{Node: n, in: make([]*tir.Buffer, len(n.Inputs)), builder: c.b}
	var params []*tir.Buffer
	for i, v := range n.Inputs {
		if v == nil {
			continue
		}
		name := fmt.Sprintf("in%d", i)
		if _, twice := c.tensors[v]; twice || v.Elems() == 0 {
			d.in[i] = flat(name, v)
		} else {
			c.tensors[v] = c.b.Placeholder(name, v.Type, v.Shape...)
			d.in[i] = c.tensors[v].Buffer
		}
		params = append(params, d.in[i])
	}
	var out []*tir.Buffer
	for i, v := range n.Outputs {
		if v != nil {
			out = append(out, parameter(fmt.Sprintf("out%d", i), v))
		}
	}
	fault := errorFlag()
	list := claim(d)
	if d.err != nil {
		return nil, d.err
	}
	var holds tir.Expr = tir.BoolImm(false)
	var body tir.Stmt
	for i, v := range slices.Backward(list) { // the last one runs if none holds, too
		loops, err := c.loops(n, v, out)
		if err != nil {
			return nil, err
		}
		if holds = or(v.holds, holds); i < len(list)-1 {
			loops = &tir.If{Cond: v.holds, Then: loops, Else: body}
		}
		body = loops
	}
	if list == nil {
		body = cleared(out)
	}
	stmts := append(d.before, store(fault, Cast(not(holds), tir.I32), zero), body)
	params = slices.Concat(params, out, []*tir.Buffer{fault})
	return function(n.Op, len(out)+1, allocs(seq(stmts...), d.scratch...), params...), nil
}

// loops returns what computes the outputs of a node by a variant.
func (c *composer) loops(n *graph.Node, v variant, out []*tir.Buffer) (tir.Stmt, error) {
	if v.node != nil {
		n = v.node
	}
	if err := c.node(n, v.body); err != nil {
		return nil, err
	}
	if len(c.values) > 0 {
		return nil, Unsupported("%s with operands that are data: it", n.Op)
	}
	var results []compute.Tensor
	place := map[*tir.Buffer]*tir.Buffer{}
	for _, v := range n.Outputs {
		if v != nil {
			place[c.tensors[v].Buffer] = out[len(results)]
			results = append(results, c.tensors[v])
		}
	}
	dag, err := c.b.BuildNeeded(results...)
	if err != nil {
		return nil, err
	}
	var list []tir.Stmt
	var temps []*tir.Buffer
	for _, op := range dag.Ops {
		if op.IsPlaceholder() {
			continue
		}
		to := place[op.Results[0]]
		if to == nil {
			to = op.Results[0]
			temps = append(temps, to)
		}
		list = append(list, stageLoops(op, to, tir.SubstituteLoads(op.Body[0], func(l *tir.Load) tir.Expr {
			if b := place[l.Buffer]; b != nil {
				return load(b, l.Index...)
			}
			return l
		})))
	}
	return allocs(seq(list...), temps...), nil
}

// cleared sets all elements of buffers to 0.
func cleared(list []*tir.Buffer) tir.Stmt {
	var stmts []tir.Stmt
	for _, b := range list {
		stmts = append(stmts, nest(b.Shape, tir.Parallel, func(at []tir.Expr) tir.Stmt {
			return store(b, tir.Const(b.Type, 0), at...)
		}))
	}
	return seq(stmts...)
}

// stageLoops computes a stage of one result, to a buffer.
func stageLoops(op *compute.Op, to *tir.Buffer, value tir.Expr) tir.Stmt {
	at := compute.Vars(op.Axes)
	if op.Combine == nil {
		return over(op.Axes, tir.Parallel, store(to, value, at...))
	}
	acc := scratch("acc", to.Type, 1)
	sum := load(acc, zero)
	fold := tir.Substitute(op.Combine.Fold()[0], map[*tir.Var]tir.Expr{op.Combine.Acc[0]: sum, op.Combine.Src[0]: value})
	return over(op.Axes, tir.Parallel, alloc(acc, seq(store(acc, op.Combine.Start()[0], zero),
		over(op.ReduceAxes, tir.Serial, store(acc, fold, zero)), store(to, sum, at...))))
}

// over runs body for each point of axes; the outermost loop is of a kind, the others are serial.
func over(axes []*compute.Axis, kind tir.ForKind, body tir.Stmt) tir.Stmt {
	for d := len(axes) - 1; d >= 0; d-- {
		f := &tir.For{Var: axes[d].Var, Extent: tir.Int(axes[d].Extent), Body: body}
		if d == 0 {
			f.Kind = kind
		}
		body = f
	}
	return body
}

// A subset says of each dimension whether it belongs to a set.
type subset []bool

// subsets yields the sets of the dimensions of a tensor.
func subsets(rank int) iter.Seq[subset] {
	return func(yield func(subset) bool) {
		s := make(subset, rank)
		for more := true; more; {
			if !yield(s) {
				return
			}
			i := slices.Index(s, false)
			if more = i >= 0; more {
				clear(s[:i])
				s[i] = true
			}
		}
	}
}

// list returns the dimensions in a set.
func (s subset) list() []int64 {
	var list []int64
	for d, in := range s {
		if in {
			list = append(list, int64(d))
		}
	}
	return list
}

// named is the condition that a list of axes names the dimensions of a set, and no others but free ones.
func (s subset) named(axes *tir.Buffer, free func(d int) bool) tir.Expr {
	list := axisList{axes, elems(axes), len(s)}
	all := list.valid()
	for d, in := range s {
		is := tir.Expr(tir.BoolImm(false))
		for i := range list.count {
			is = or(is, list.is(i, d))
		}
		if !in {
			is = not(is)
		}
		if free == nil || !free(d) {
			all = append(all, is)
		}
	}
	return tir.AllOf(all...)
}

// An axisList is an operand of count axes of a tensor, or, without the operand, the first dimensions.
type axisList struct {
	operand     *tir.Buffer
	count, rank int
}

// is is the condition that entry i names a dimension.
func (l axisList) is(i, dim int) tir.Expr {
	if l.operand == nil {
		return tir.BoolImm(i == dim)
	}
	a := entry(l.operand, i)
	return or(eq(a, tir.Int(int64(dim))), eq(a, tir.Int(int64(dim-l.rank))))
}

// valid are the conditions that all entries name dimensions.
func (l axisList) valid() []tir.Expr {
	var all []tir.Expr
	for i := 0; l.operand != nil && i < l.count; i++ {
		a := entry(l.operand, i)
		all = append(all, ge(a, tir.Int(int64(-l.rank))), lt(a, tir.Int(int64(l.rank))))
	}
	return all
}

// holding is a claim of one variant, the node as it is, that holds where all conditions do.
func holding(all ...tir.Expr) []variant { return []variant{{holds: tir.AllOf(all...)}} }

// withInts returns n with integers as the constant input i.
func withInts(n *graph.Node, i int, list ...int64) *graph.Node {
	k, v := *n, *n.Inputs[i]
	k.Inputs = slices.Clone(n.Inputs)
	v.Shape, v.Const = []int64{int64(len(list))}, graph.Ints(list...).Const()
	v.Type = tir.I64
	k.Inputs[i] = &v
	return &k
}

// entries are the conditions that an operand holds numbers.
func entries(b *tir.Buffer, want []int64) []tir.Expr {
	if elems(b) != len(want) {
		return []tir.Expr{tir.BoolImm(false)}
	}
	var all []tir.Expr
	for i, e := range want {
		all = append(all, eq(entry(b, i), tir.Int(e)))
	}
	return all
}

// entry reads element i of a vector, or a scalar, of integers.
func entry(b *tir.Buffer, i int) tir.Expr {
	return Cast(load(b, elementOf(b, tir.Int(int64(i)))...), tir.Index)
}

// elems returns the number of elements of an operand.
func elems(b *tir.Buffer) int { return int(b.Elems()) }

// claimReshape: each dimension is the one declared, -1, or 0 where a dimension stays.
func claimReshape(d *draft) []variant {
	in, out := shapeIn(d.Node), shapeOut(d.Node)
	if elems(d.in[1]) != len(out) {
		return nil
	}
	var all []tir.Expr
	for i, e := range out {
		s := entry(d.in[1], i)
		ok := or(eq(s, tir.Int(e)), eq(s, tir.Int(-1)))
		if d.Int("allowzero", 0) == 0 && i < len(in) && in[i] == e {
			ok = or(ok, eq(s, tir.Int(0)))
		}
		all = append(all, ok)
	}
	return holding(all...)
}

// claimAxes returns the claim that one shape is the other with dimensions of 1 at the axes that input 1 names: wide is
// the longer one.
func claimAxes(wide, narrow func(n *graph.Node) []int64) claim {
	return func(d *draft) []variant {
		if len(d.in) < 2 || d.in[1] == nil {
			return holding()
		}
		w, any := wide(d.Node), tir.Expr(tir.BoolImm(false))
		for set := range subsets(len(w)) {
			var rest []int64
			for i, e := range w {
				if !set[i] || e != 1 {
					rest = append(rest, e)
				}
			}
			if slices.Equal(rest, narrow(d.Node)) && len(set.list())+len(rest) == len(w) {
				any = or(any, set.named(d.in[1], nil))
			}
		}
		return holding(any)
	}
}

func shapeIn(n *graph.Node) []int64  { return n.Inputs[0].Shape }
func shapeOut(n *graph.Node) []int64 { return n.Outputs[0].Shape }

// claimExpand: each dimension is the one declared, or 1 where that is the input's.
func claimExpand(d *draft) []variant {
	in, out, k := shapeIn(d.Node), shapeOut(d.Node), elems(d.in[1])
	if len(out) != max(len(in), k) {
		return nil
	}
	all := []tir.Expr{}
	for i, e := range out {
		old := int64(1)
		if at := i - len(out) + len(in); at >= 0 {
			old = in[at]
		}
		at := i - len(out) + k
		if at < 0 {
			all = append(all, tir.BoolImm(e == old))
			continue
		}
		s := entry(d.in[1], at)
		ok := eq(s, tir.Int(e))
		if old == e {
			ok = or(ok, eq(s, tir.Int(1)))
		}
		all = append(all, ok)
	}
	return holding(all...)
}

// claimTile: each repeat makes the dimension that is declared.
func claimTile(d *draft) []variant {
	in, out := shapeIn(d.Node), shapeOut(d.Node)
	if len(in) != len(out) || elems(d.in[1]) != len(in) {
		return nil
	}
	all := []tir.Expr{}
	for i, e := range out {
		all = append(all, eq(times(entry(d.in[1], i), in[i]), tir.Int(e)))
	}
	return holding(all...)
}

// claimCrop: the shape that is asked for is the one declared.
func claimCrop(d *draft) []variant {
	out, axes := shapeOut(d.Node), d.Ints("axes")
	if axes == nil {
		axes = upTo(int64(len(out)))
	}
	if len(axes) != elems(d.in[1]) || len(out) != len(shapeIn(d.Node)) {
		return nil
	}
	all := []tir.Expr{}
	for i, a := range axes {
		at, err := axis(a, len(out))
		if err != nil {
			return nil
		}
		all = append(all, eq(entry(d.in[1], i), tir.Int(out[at])))
	}
	return holding(all...)
}

// claimSplit: the sizes are those of the parts that are declared.
func claimSplit(d *draft) []variant {
	x := d.Inputs[0].Shape
	along, err := axis(d.Int("axis", 0), len(x))
	if d.err = err; err != nil {
		return nil
	}
	var sizes []int64
	for i, v := range d.Outputs {
		if v == nil {
			d.err = fmt.Errorf("part %d has no name, so its size is not known: give it one, or fix the sizes", i)
			return nil
		}
		sizes = append(sizes, v.Shape[along])
	}
	return []variant{{holds: tir.AllOf(entries(d.in[1], sizes)...), node: withInts(d.Node, 1, sizes...)}}
}

// claimSlice: each dimension has as many elements as are declared. What is cut is computed before.
func claimSlice(d *draft) []variant {
	x, out := shapeIn(d.Node), shapeOut(d.Node)
	if len(x) == 0 || len(x) != len(out) || elems(d.in[1]) != elems(d.in[2]) {
		return nil
	}
	list := axisList{operand: d.input(3), count: elems(d.in[1]), rank: len(x)}
	starts, steps := d.cells("starts", len(x)), d.cells("steps", len(x))
	all := list.valid()
	step := func(i int) tir.Expr {
		if by := d.input(4); by != nil {
			return entry(by, i)
		}
		return tir.Int(1)
	}
	for i := range list.count {
		all = append(all, ne(step(i), zero))
	}
	for k, n := range x {
		size, last := tir.Int(n), tir.Int(n-1)
		cut := func(i int) (start, by, count tir.Expr) {
			by = maxOf(minOf(step(i), tir.Int(n+1)), tir.Int(-n-1))
			fromEnd := func(e tir.Expr) tir.Expr { return sel(lt(e, zero), add(e, size), e) }
			start, end, forth := fromEnd(entry(d.in[1], i)), fromEnd(entry(d.in[2], i)), gt(by, zero)
			start = sel(forth, maxOf(zero, minOf(size, start)), maxOf(zero, minOf(last, start)))
			end = sel(forth, maxOf(zero, minOf(size, end)), maxOf(tir.Int(-1), minOf(last, end)))
			distance := sel(forth, sub(end, start), sub(start, end))
			length := maxOf(sel(forth, by, sub(zero, by)), tir.Int(1))
			return start, by, maxOf(zero, tir.Bin(tir.FloorDiv, plus(add(distance, length), -1), length))
		}
		start, by, count := tir.Expr(zero), tir.Expr(tir.Int(1)), tir.Expr(size)
		for i := range list.count {
			s, b, c := cut(i)
			is := list.is(i, k)
			start, by, count = sel(is, s, start), sel(is, b, by), sel(is, c, count)
		}
		at := tir.Int(int64(k))
		d.before = append(d.before, store(starts.Buffer, start, at), store(steps.Buffer, by, at))
		all = append(all, eq(count, tir.Int(out[k])))
	}
	return []variant{{holds: tir.AllOf(all...), body: func(b *Body) error {
		b.Elementwise(func(at []tir.Expr) tir.Expr {
			index := make([]tir.Expr, len(at))
			for k := range index {
				i := tir.Int(int64(k))
				index[k] = within(add(starts.At(i), mul(at[k], steps.At(i))), x[k])
			}
			return b.Read(0, index...)
		})
		return nil
	}}}
}

// claimPad: each dimension has as many elements as are declared. The margins are computed before.
func claimPad(d *draft) []variant {
	x, out := shapeIn(d.Node), shapeOut(d.Node)
	if len(x) == 0 || len(x) != len(out) {
		return nil
	}
	mode, list := d.Str("mode", "constant"), axisList{operand: d.input(3), count: elems(d.in[1]) / 2, rank: len(x)}
	margins := d.cells("margins", 2*len(x)) // before and after each dimension
	all := list.valid()
	for k, n := range x {
		m := [2]tir.Expr{zero, zero}
		for i := range list.count {
			for end := range m {
				m[end] = sel(list.is(i, k), entry(d.in[1], end*list.count+i), m[end])
			}
		}
		left := add(add(minOf(m[0], zero), minOf(m[1], zero)), tir.Int(n))
		all = append(all, eq(add(add(m[0], m[1]), tir.Int(n)), tir.Int(out[k])), ge(left, zero))
		if mode != "constant" {
			all = append(all, gt(left, zero))
		}
		for end, e := range m {
			d.before = append(d.before, store(margins.Buffer, e, tir.Int(int64(2*k+end))))
		}
	}
	return []variant{{holds: tir.AllOf(all...), body: func(b *Body) error {
		b.Elementwise(func(at []tir.Expr) tir.Expr {
			index, inside := make([]tir.Expr, len(at)), []tir.Expr(nil)
			for k, n := range x {
				before, after := margins.At(tir.Int(int64(2*k))), margins.At(tir.Int(int64(2*k+1)))
				place := sub(at[k], before)
				if mode == "constant" {
					inside = append(inside, ge(place, zero), lt(place, tir.Int(n)))
				} else {
					place = mirrored(mode, place, before, after, n)
				}
				index[k] = within(place, n)
			}
			if mode != "constant" {
				return b.Read(0, index...)
			}
			return sel(tir.AllOf(inside...), b.Read(0, index...), b.padValue())
		})
		return nil
	}}}
}

// mirrored returns what a dimension of n elements that is padded reads in a place, before the beginning if it is
// negative.
func mirrored(mode string, place, before, after tir.Expr, n int64) tir.Expr {
	low := maxOf(zero, sub(zero, before))
	left := maxOf(sub(tir.Int(n), add(low, maxOf(zero, sub(zero, after)))), tir.Int(1))
	i := sub(place, low)
	switch mode {
	case "edge":
		i = maxOf(minOf(i, plus(left, -1)), zero)
	case "wrap":
		i = tir.Bin(tir.FloorMod, i, left)
	default:
		twice := times(plus(left, -1), 2)
		i = tir.Bin(tir.FloorMod, i, maxOf(twice, tir.Int(1)))
		i = minOf(i, sub(twice, i))
	}
	return add(i, low)
}
