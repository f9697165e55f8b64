package padded

import (
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op/extent"
)

// A rowForm is a value whose outer axes are one, of rows: the true ones lie side by side. What works on each row alone
// then does no more than the true rows need. A product of 1,024 rows, which are 8 sequences of up to 128, has 8 true
// ones at 8 sequences of 1; at the places of the bounds, these are in 8 tiles.
type rowForm struct {
	v    *graph.Value // nil: of an input, not made yet
	l    layout       // of the value at the bounds
	axes int          // how many are one
	wide bool         // the value lies at the bounds, too
}

// hasRowProducts reports whether the graph has a product of rows by a matrix whose rows would lie apart: otherwise
// nothing is to be gained.
func (r *rewriter) hasRowProducts() bool {
	return slices.ContainsFunc(r.g.Nodes, func(n *graph.Node) bool {
		x := n.Input(0)
		if n.Domain != "" || n.Op != "MatMul" && n.Op != "Gemm" || x == nil || len(n.Inputs[1].Shape) != 2 {
			return false
		}
		axes := len(x.Shape) - 1
		for a := range axes {
			if before := graph.Elems(x.Shape[:a]); !constant(r.extentsOf(x, a)) && (before > 1 || axes == 1) {
				return true
			}
		}
		return false
	})
}

// outerAxes returns how many axes become rows: up to the last that varies; 0 if true rows lie side by side anyway.
func outerAxes(l layout) int {
	axes, apart, before := 0, false, false
	for a, axis := range l {
		for _, x := range axis {
			if !x.fixed() {
				axes, apart = a+1, apart || before
			}
			before = before || x.upper() > 1
		}
	}
	if !apart {
		return 0
	}
	return axes
}

// places returns the extents of the outer axes without those of one place.
func places(l layout) []*extentOf {
	var list []*extentOf
	for _, x := range slices.Concat(l...) {
		if x.upper() > 1 || !x.fixed() {
			list = append(list, x)
		}
	}
	return list
}

// rowLayout is that of a value of rows.
func (r *rewriter) rowLayout(l layout, axes int) layout {
	return append(layout{{r.space.times(slices.Concat(l[:axes]...)...)}}, l[axes:]...)
}

// rowsOf returns the form of rows that a value has, or nil.
func (r *rewriter) rowsOf(v *graph.Value) *rowForm {
	for v != nil {
		if f := r.rows[v]; f != nil {
			if f.v == nil {
				own := r.rowLayout(f.l, f.axes)
				digits, _ := r.space.digits(own)
				like := &graph.Node{Outputs: []*graph.Value{v}}
				f.v = r.apply(like, "wmtune.Spread", own, []*graph.Value{v, r.entries}, extent.Attrs(digits)...)
				r.claims[f.v] = claim{0, slices.Repeat([]bool{true}, len(own))}
			}
			return f
		}
		v = r.now[v]
	}
	return nil
}

// reshaped returns rows of another shape.
func (r *rewriter) reshaped(like *graph.Node, v *graph.Value, l layout, rows int64, rest []int64) *graph.Value {
	shape := r.constant(graph.Ints(append([]int64{rows}, rest...)...))
	return r.apply(like, "Reshape", l, []*graph.Value{v, shape})
}

// packed returns the rows of a value at the places of the bounds, which may have one place where the layout l has
// several.
func (r *rewriter) packed(like *graph.Node, v *graph.Value, l layout, axes int) *graph.Value {
	digits, _ := r.space.digits(l[:axes])
	own := append(layout{{r.space.times(slices.Concat(l[:axes]...)...)}}, r.layouts[v][axes:]...)
	return r.apply(like, "wmtune.Pack", own, []*graph.Value{v, r.entries}, extent.Attrs(digits)...)
}

// unpacked returns a value that has the form of rows where the bounds have it.
func (r *rewriter) unpacked(v *graph.Value, f *rowForm) *graph.Value {
	digits, _ := r.space.digits(f.l[:f.axes])
	rows, _ := r.space.digits(r.rowLayout(f.l, f.axes))
	return r.apply(&graph.Node{Outputs: []*graph.Value{v}}, "wmtune.Unpack", f.l, []*graph.Value{f.v, r.entries},
		append(extent.Attrs(digits), graph.IntAttr("rows", int64(rows[0].Entry)))...)
}

// inRows adds a node that works on each row alone, and reports whether it did.
func (r *rewriter) inRows(n *graph.Node) (bool, error) {
	rule := rowRules[fullName(n)]
	if !r.packs || rule == nil {
		return false, nil
	}
	return rule(r, n)
}

// keepRows adds a copy of a node that makes rows for the first output of n, whose layout at the bounds is l.
func (r *rewriter) keepRows(n *graph.Node, l layout, axes int, inputs []*graph.Value, attrs ...graph.Attr) (bool,
	error) {
	k := *n
	k.Inputs, k.Attrs = inputs, slices.Clone(n.Attrs)
	k.SetAttr(attrs...)
	r.becomesRows(n.Outputs[0], &rowForm{v: r.applied(n, &k, r.rowLayout(l, axes)), l: l, axes: axes})
	return true, nil
}

func (r *rewriter) becomesRows(y *graph.Value, f *rowForm) { r.layouts[y], r.rows[y] = f.l, f }

// cutRows returns a dense array of an output that has the form of rows, which is one but for what lies behind them.
func (r *rewriter) cutRows(v *graph.Value, f *rowForm) (*graph.Value, error) {
	y := &graph.Value{Name: v.Name}
	if slices.Contains(r.g.Inputs, v) {
		y.Name = r.free(v.Name + ".true")
	}
	digits, _ := r.space.digits(r.rowLayout(f.l, f.axes))
	return y, r.cut(f.v, f.l, y, graph.IntAttr("rows", int64(digits[0].Entry)))
}

// rowRules has the operators that work on each row alone, if what they mix is no axis of rows.
var rowRules map[string]func(r *rewriter, n *graph.Node) (bool, error)

var rowTable = []struct {
	ops   string
	apply func(r *rewriter, n *graph.Node) (bool, error)
}{
	{"Cast Identity QuantizeLinear DequantizeLinear", rowsLikeFirst},
	{"Reshape Flatten Squeeze Unsqueeze", rowsRegrouped},
	{"Transpose", rowsTransposed},
	{"Gather", rowsGathered},
	{"MatMul Gemm", rowsTimesMatrix},
	{"LayerNormalization RMSNormalization Softmax LogSoftmax", rowsMixed},
	{"ReduceSum ReduceMean ReduceMax ReduceMin ReduceL2 ReduceSumSquare", rowsReduced},
}

// rowsElementwise packs what has no form of rows.
func rowsElementwise(r *rewriter, n *graph.Node) (bool, error) {
	var first *rowForm
	var outer layout
	rank, inner := 0, 0
	for _, v := range n.Reads() {
		if f := r.rowsOf(v); f != nil && first == nil {
			first, outer, inner = f, f.l[:f.axes], len(f.v.Shape)-1
		}
		rank = max(rank, len(v.Shape))
	}
	if first == nil || rank != first.axes+inner || len(n.Outputs) != 1 {
		return false, nil
	}
	inputs, l := make([]*graph.Value, len(n.Inputs)), outer
	var rests []layout
	for i, v := range n.Inputs {
		if v == nil {
			continue
		}
		if f := r.rowsOf(v); f != nil && f.axes == first.axes && slices.Equal(places(f.l[:f.axes]), places(outer)) {
			inputs[i], rests = f.v, append(rests, f.l[f.axes:])
			continue
		}
		w, err := r.read(v)
		if err != nil {
			return false, err
		}
		own := r.layouts[w]
		skip := max(0, len(own)-inner) // so many of its axes are rows
		for a, axis := range own[:skip] {
			if to := outer[first.axes-skip+a]; !one(axis) && !alike(axis, to) {
				return false, nil
			}
		}
		rests = append(rests, own[skip:])
		if inputs[i] = w; skip > 0 && slices.ContainsFunc(own[:skip], func(axis []*extentOf) bool { return !one(axis) }) {
			if skip < first.axes {
				own = append(r.space.fixedLayout(slices.Repeat([]int64{1}, first.axes-skip)), own...)
				w = r.reshaped(n, w, own, 1, append(slices.Repeat([]int64{1}, first.axes-skip-1), w.Shape...))
			}
			inputs[i] = r.packed(n, w, slices.Concat(outer, own[first.axes:]), first.axes)
		} else if skip > 1 {
			inputs[i] = r.reshaped(n, w, append(r.space.fixedLayout([]int64{1}), own[skip:]...), 1, w.Shape[skip:])
		}
	}
	rest, ok := r.broadcast(rests...)
	if !ok {
		return false, nil
	}
	return r.keepRows(n, slices.Concat(l, rest), first.axes, inputs)
}

// rowsLikeFirst is of operators whose other operands are one element each.
func rowsLikeFirst(r *rewriter, n *graph.Node) (bool, error) {
	f := r.rowsOf(n.Inputs[0])
	if f == nil {
		return false, nil
	}
	inputs := slices.Clone(n.Inputs)
	inputs[0] = f.v
	for i, v := range n.Inputs[1:] {
		if v == nil {
			continue
		}
		w, err := r.read(v)
		if err != nil || w.Elems() != 1 || len(w.Shape) > 0 {
			return false, err
		}
		inputs[i+1] = w
	}
	return r.keepRows(n, f.l, f.axes, inputs)
}

func rowsRegrouped(r *rewriter, n *graph.Node) (bool, error) {
	y, f := n.Outputs[0], r.rowsOf(n.Inputs[0])
	if f == nil {
		return false, nil
	}
	l, _, ok := r.regroup(f.l, y)
	if !ok {
		return false, nil
	}
	want := places(f.l[:f.axes])
	for axes := 1; axes <= len(l); axes++ {
		if slices.Equal(places(l[:axes]), want) {
			own := r.rowLayout(l, axes)
			r.becomesRows(y, &rowForm{v: r.reshaped(n, f.v, own, own[0][0].upper(), y.Shape[axes:]), l: l, axes: axes})
			return true, nil
		}
	}
	return false, nil
}

func rowsTransposed(r *rewriter, n *graph.Node) (bool, error) {
	f, perm := r.rowsOf(n.Inputs[0]), n.Ints("perm")
	if f == nil || perm == nil {
		return false, nil
	}
	l, inner := layout{}, []int64{0}
	for i, p := range perm {
		if l = append(l, f.l[p]); i >= f.axes {
			inner = append(inner, p-int64(f.axes)+1)
		} else if int(p) != i {
			return false, nil
		}
	}
	return r.keepRows(n, l, f.axes, []*graph.Value{f.v}, graph.IntsAttr("perm", inner...))
}

// rowsGathered is of rows of a table.
func rowsGathered(r *rewriter, n *graph.Node) (bool, error) {
	f := r.rowsOf(n.Inputs[1])
	if f == nil || f.axes != len(n.Inputs[1].Shape) {
		return false, nil
	}
	table, err := r.read(n.Inputs[0])
	if err != nil || r.layouts[table].varies() || r.axisOf(n, 0, len(table.Shape)) != 0 {
		return false, err
	}
	k := *n
	k.Inputs = []*graph.Value{table, f.v}
	r.indices(&k, r.layouts[table][0][0])
	return r.keepRows(n, slices.Concat(f.l, r.layouts[table][1:]), f.axes, k.Inputs)
}

// rowsTimesMatrix is of products by a matrix that does not vary. They pack rows that lie apart.
func rowsTimesMatrix(r *rewriter, n *graph.Node) (bool, error) {
	inputs := slices.Clone(n.Inputs)
	for i, v := range n.Inputs[1:] {
		if v == nil {
			continue
		}
		w, err := r.read(v)
		if err != nil || r.layouts[w].varies() || i == 0 && len(w.Shape) != 2 ||
			i == 1 && len(w.Shape) == 2 && w.Shape[0] > 1 {
			return false, err
		}
		inputs[i+1] = w
	}
	f := r.rowsOf(n.Inputs[0])
	if f == nil {
		w, err := r.read(n.Inputs[0])
		if err != nil {
			return false, err
		}
		l := r.layouts[w]
		axes := outerAxes(l)
		if axes == 0 || axes >= len(l) || n.Int("transA", 0) != 0 {
			return false, nil
		}
		f = &rowForm{v: r.packed(n, w, l, axes), l: l, axes: axes, wide: true}
		r.rows[w] = f
	}
	l, column := f.l, 1
	if n.Int("transB", 0) != 0 {
		column = 0
	}
	if f.axes >= len(l) || n.Int("transA", 0) != 0 {
		return false, nil
	}
	inputs[0] = f.v
	return r.keepRows(n, append(slices.Clone(l[:len(l)-1]), r.layouts[inputs[1]][column]), f.axes, inputs)
}

// rowsMixed is of operators that mix axes behind those of rows.
func rowsMixed(r *rewriter, n *graph.Node) (bool, error) {
	f := r.rowsOf(n.Inputs[0])
	if f == nil || len(n.Outputs) != 1 || n.Version < 13 {
		return false, nil
	}
	at := r.axisOf(n, -1, len(f.l))
	if at < f.axes {
		return false, nil
	}
	inputs := slices.Clone(n.Inputs)
	inputs[0] = f.v
	for i, v := range n.Inputs[1:] {
		if v == nil {
			continue
		}
		w, err := r.read(v)
		if err != nil || r.layouts[w].varies() {
			return false, err
		}
		inputs[i+1] = w
	}
	return r.keepRows(n, f.l, f.axes, inputs, graph.IntAttr("axis", int64(at-len(f.l))))
}

// rowsReduced is of reductions of axes behind those of rows.
func rowsReduced(r *rewriter, n *graph.Node) (bool, error) {
	f := r.rowsOf(n.Inputs[0])
	if f == nil {
		return false, nil
	}
	axes, l, ok := r.reducedOf(n, f.l)
	if !ok || len(axes) == 0 || slices.Min(axes) < f.axes {
		return false, nil
	}
	var moved []int64
	for _, a := range axes {
		moved = append(moved, int64(a-f.axes+1))
	}
	if n.Input(1) != nil {
		return r.keepRows(n, l, f.axes, []*graph.Value{f.v, r.constant(graph.Ints(moved...))})
	}
	return r.keepRows(n, l, f.axes, []*graph.Value{f.v}, graph.IntsAttr("axes", moved...))
}
