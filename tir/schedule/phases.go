package schedule

import (
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/arith"
	"github.com/wmtune/wmtune/tir/compute"
)

// phaseStages is how many stages a Phases step puts before the one that it is about.
const phaseStages = 1

// A Spread is a sum over windows of an image between whose elements a stride has put zeros, as the gradient of a
// convolution is:
//
//	dilate(..., i, ...) = if (i - lo)%s == 0 && ...: x[..., (i - lo)/s, ...], else 0
//	y(..., o, ...)     += dilate[..., o + d*k, ...]*w[...k...]
type Spread struct {
	Op   *compute.Op // the sum
	From *compute.Op // what spreads the image

	read *tir.Load // of From, in Op
	dims []spreadDim
}

// A spreadDim is a dimension along which there are zeros.
type spreadDim struct {
	d             int // of From
	space, window *compute.Axis
	dilation      int64
	stride, lo    int64

	taps  int64   // of the phase with the most
	step  int64   // from one element of the image to the next that a phase multiplies
	first []int64 // by phase: the first tap of the window; window.Extent or more if there is none
	at    []int64 // by phase: the place in the image of output position 0 and the first tap
}

// SpreadOf returns what op, of a DAG of ops, sums over a spread image. The error says why it is no such sum.
func SpreadOf(ops []*compute.Op, op *compute.Op) (*Spread, error) {
	no := func(why string) (*Spread, error) {
		return nil, fmt.Errorf("stage %s is no sum over an image with zeros in between: %s", op.Name, why)
	}
	if op.IsPlaceholder() || op.Combine == nil || op.Combine.Kind != compute.Sum || !op.Combine.Neutral() ||
		len(op.Results) != 1 {
		return no("it is no sum from 0 on")
	}
	product, ok := op.Body[0].(*tir.Binary)
	if !ok || product.Op != tir.Mul {
		return no("it does not sum products")
	}
	why := "it multiplies inputs"
	for _, factor := range []tir.Expr{product.X, product.Y} {
		for {
			c, ok := factor.(*tir.Cast)
			if !ok {
				break
			}
			factor = c.X
		}
		l, ok := factor.(*tir.Load)
		if !ok {
			continue
		}
		i := slices.IndexFunc(ops, func(o *compute.Op) bool { return slices.Contains(o.Results, l.Buffer) })
		if i < 0 || ops[i].IsPlaceholder() {
			continue
		}
		s := &Spread{Op: op, From: ops[i], read: l}
		if why = s.find(); why == "" {
			return s, nil
		}
	}
	return no(why)
}

// find finds the dimensions with zeros, or says why there are none.
func (s *Spread) find() string {
	from := s.From
	if len(from.ReduceAxes) > 0 || len(from.Results) != 1 || len(from.Body) != 1 {
		return "it is reduced"
	}
	choice, ok := from.Body[0].(*tir.Select)
	if !ok || !tir.IsZero(choice.Else) {
		return "there are no zeros"
	}
	reads := 0
	for _, body := range s.Op.Body {
		tir.VisitExpr(body, func(e tir.Expr) bool {
			if l, ok := e.(*tir.Load); ok && l.Buffer == from.Results[0] {
				reads++
			}
			return true
		})
	}
	if reads != 1 {
		return "it is read several times"
	}
	for _, c := range tir.Conjuncts(choice.Cond) {
		dim, ok := strideOf(from.Axes, c)
		if !ok {
			continue
		}
		if !dim.slides(s.Op, s.read.Index) {
			return "it does not move by one element along a dimension with zeros"
		}
		if slices.ContainsFunc(s.dims, func(other spreadDim) bool { return other.d == dim.d }) {
			return "a dimension has two strides"
		}
		dim.phases()
		s.dims = append(s.dims, dim)
	}
	if len(s.dims) == 0 {
		return "no stride is above 1"
	}
	return ""
}

// strideOf returns the dimension with zeros of a condition (i - lo)%s == n on one axis.
func strideOf(axes []*compute.Axis, cond tir.Expr) (dim spreadDim, ok bool) {
	c, isBinary := cond.(*tir.Binary)
	if !isBinary || c.Op != tir.EQ || tir.Reads(cond) {
		return dim, false
	}
	rest, isBinary := c.X.(*tir.Binary)
	if !isBinary || rest.Op != tir.FloorMod {
		return dim, false
	}
	_, isConst := c.Y.(*tir.IntImm)
	stride, isConst2 := rest.Y.(*tir.IntImm)
	if !isConst || !isConst2 || stride.Value < 2 || stride.Value > maxStride {
		return dim, false
	}
	for d, a := range axes {
		if k, linear := arith.Coefficient(rest.X, a.Var); !linear || k != 1 {
			continue
		}
		for lo := range stride.Value {
			holds, known := arith.Eval(cond, func(x tir.Expr) (int64, bool) { return lo, x == tir.Expr(a.Var) })
			if known && holds != 0 {
				return spreadDim{d: d, stride: stride.Value, lo: lo}, true
			}
		}
	}
	return dim, false
}

// maxStride bounds the phases of a dimension.
const maxStride = 64

// slides finds the axes o and k of index o + d*k of the spread image, which has them nowhere else.
func (dim *spreadDim) slides(op *compute.Op, index []tir.Expr) bool {
	e := index[dim.d]
	only := func(axes []*compute.Axis) *compute.Axis {
		var found *compute.Axis
		for _, a := range axes {
			if tir.Uses(e, a.Var) {
				if found != nil {
					return nil
				}
				found = a
			}
		}
		return found
	}
	dim.space, dim.window = only(op.Axes), only(op.ReduceAxes)
	if dim.space == nil || dim.window == nil || tir.Reads(e) {
		return false
	}
	k, linear := arith.Coefficient(e, dim.space.Var)
	dilation, linear2 := arith.Coefficient(e, dim.window.Var)
	start, ok := arith.Eval(e, func(x tir.Expr) (int64, bool) {
		return 0, x == tir.Expr(dim.space.Var) || x == tir.Expr(dim.window.Var)
	})
	if !linear || k != 1 || !linear2 || dilation < 1 || !ok || start != 0 {
		return false
	}
	dim.dilation = dilation
	for d, other := range index {
		if d != dim.d && (tir.Uses(other, dim.space.Var) || tir.Uses(other, dim.window.Var)) {
			return false
		}
	}
	return true
}

// phases finds what each phase multiplies. At output position o = s*q + r, tap k meets an element of the image if
// o + d*k - lo is a multiple of s: those taps are first[r] + t*s/g, g the greatest common divisor of d and s, and the
// element is at q + at[r] + t*d/g.
func (dim *spreadDim) phases() {
	s, d := dim.stride, dim.dilation
	g := arith.GCD(s, d)
	apart := s / g // taps from one that meets an element to the next
	dim.step = d / g
	for r := range s {
		k := int64(0)
		for k < apart && (r+d*k-dim.lo)%s != 0 {
			k++
		}
		if k == apart { // no tap meets any
			dim.first, dim.at = append(dim.first, dim.window.Extent), append(dim.at, dim.at0())
			continue
		}
		dim.first, dim.at = append(dim.first, k), append(dim.at, (r+d*k-dim.lo)/s)
		if k < dim.window.Extent {
			dim.taps = max(dim.taps, (dim.window.Extent-1-k)/apart+1)
		}
	}
	dim.taps = max(dim.taps, 1)
}

// at0 is a place that is as good as any.
func (dim *spreadDim) at0() int64 {
	if len(dim.at) > 0 {
		return dim.at[len(dim.at)-1]
	}
	return arith.FloorDiv(-dim.lo, dim.stride)
}

// apart is how many taps of a window are from one that meets an element to the next.
func (dim *spreadDim) apart() int64 { return dim.stride / arith.GCD(dim.stride, dim.dilation) }

// uneven reports whether some phases have fewer taps than others.
func (dim *spreadDim) uneven() bool {
	return slices.ContainsFunc(dim.first, func(k int64) bool { return k+(dim.taps-1)*dim.apart() >= dim.window.Extent })
}

// PhaseWaste returns how many times as many products a sum of phases with as many taps each would have.
func (s *Spread) PhaseWaste() float64 {
	waste := 1.0
	for _, dim := range s.dims {
		taps := int64(0)
		for _, k := range dim.first {
			taps += max(0, (dim.window.Extent-k+dim.apart()-1)/dim.apart())
		}
		waste *= float64(dim.taps*dim.stride) / float64(max(taps, 1))
	}
	return waste
}

// Strides returns by which extent each axis of the sum is divided into phases: 1 for those that are not.
func (s *Spread) Strides() []int64 {
	list := make([]int64, len(s.Op.Axes))
	for i, a := range s.Op.Axes {
		list[i] = 1
		for _, dim := range s.dims {
			if dim.space == a {
				list[i] = dim.stride
			}
		}
	}
	return list
}

func (s Phases) apply(b *builder) error {
	st, err := b.computed(s.At)
	if err != nil {
		return err
	}
	ops := make([]*compute.Op, len(b.s.Stages))
	for i, st := range b.s.Stages {
		ops[i] = st.Op
	}
	sum, err := SpreadOf(ops, st.Op)
	if err != nil {
		return err
	}
	if st.At == Inlined {
		return fmt.Errorf("stage %s is inlined", st.Op.Name)
	}
	if err := b.untouched(s.At); err != nil {
		return err
	}
	from := slices.Index(ops, sum.From)
	if err := b.untouched(from); err != nil {
		return err
	}
	if b.isOutput(b.s.Stages[from]) {
		return fmt.Errorf("stage %s is an output", sum.From.Name)
	}
	for i, other := range ops {
		if i != s.At && !other.IsPlaceholder() && reads(other, sum.From.Results[0]) {
			return fmt.Errorf("stage %s reads %s, too", other.Name, sum.From.Name)
		}
	}
	image, phases, y := sum.ops()
	b.replaceOp(from, newStage(image))
	b.replaceOp(s.At, newStage(y))
	b.insert(s.At, newStage(phases))
	b.setOps(nil)
	return nil
}

// ops returns the image with margins in the place of zeros, the phases of the sum, and what puts these in order:
//
//	image(..., i, ...)     = x[..., i + start, ...], or 0 beyond it: dilate[..., (i + start)*s + lo, ...]
//	phases(..., q, r, ...) += image[..., q + at[r] + t*d/g - start, ...]*w[...k...] if k = first[r] + t*s/g < K
//	y(..., o, ...)         = phases[..., o/s, o%s, ...]
func (s *Spread) ops() (image, phases, y *compute.Op) {
	p := phasesOf{Spread: s, to: map[*tir.Var]tir.Expr{}}
	p.axes()
	image = p.image()
	var body tir.Expr = tir.SubstituteLoads(s.Op.Body[0], func(l *tir.Load) tir.Expr {
		if l.Buffer != s.From.Results[0] {
			return l
		}
		index := slices.Clone(l.Index)
		for i, dim := range s.dims {
			index[dim.d] = p.place[i]
		}
		return &tir.Load{Buffer: image.Results[0], Index: index}
	})
	body = tir.Substitute(body, p.to)
	if len(p.conds) > 0 {
		body = tir.IfThenElse(tir.AllOf(p.conds...), body, tir.Const(body.DType(), 0))
	}
	simple := arith.NewSimplifier()
	for _, a := range slices.Concat(p.space, p.reduce) {
		if a.Extent > 1 || slices.Contains(p.whole, a.Var.Name) { // an index stays an axis
			simple.Bind(a.Var, 0, a.Extent-1)
		}
	}
	body = simple.Expr(body)
	name := s.Op.Name + ".phases"
	result := s.Op.Results[0]
	attrs := s.Op.Attrs
	attrs.WholeOutside, attrs.FLOP = p.whole, 0
	phases = &compute.Op{Name: name, Axes: p.space, ReduceAxes: p.reduce, Combine: s.Op.Combine, Body: []tir.Expr{body},
		Results: []*tir.Buffer{{Name: name, Type: result.Type, Shape: extentsOf(p.space)}}, Attrs: attrs}
	o := *s.Op
	o.ReduceAxes, o.Combine, o.Attrs = nil, nil, compute.Attrs{}
	var index []tir.Expr
	for i, a := range s.Op.Axes {
		if n := s.Strides()[i]; n > 1 {
			index = append(index, tir.Bin(tir.FloorDiv, a.Var, tir.Int(n)), tir.Bin(tir.FloorMod, a.Var, tir.Int(n)))
		} else {
			index = append(index, a.Var)
		}
	}
	o.Body = []tir.Expr{&tir.Load{Buffer: phases.Results[0], Index: index}}
	return image, phases, &o
}

// phasesOf has the parts of the stage of phases.
type phasesOf struct {
	*Spread
	space, reduce []*compute.Axis
	to            map[*tir.Var]tir.Expr // the axes of the sum by those
	whole         []string
	conds         []tir.Expr // under which a tap is one of its phase

	place  []tir.Expr // by dimension with zeros: in the image
	start  []int64    // the least place in x
	extent []int64    // places from there on
}

// axes makes the axes, and finds what the sum reads by them.
func (p *phasesOf) axes() {
	phase, place := map[*compute.Axis]*compute.Axis{}, map[*compute.Axis]*compute.Axis{}
	strides := p.Strides()
	for i, a := range p.Op.Axes {
		if strides[i] == 1 {
			axis := compute.NewAxis(a.Var.Name, a.Extent)
			p.space, p.to[a.Var] = append(p.space, axis), axis.Var
			continue
		}
		q := compute.NewAxis(a.Var.Name+"_q", (a.Extent+strides[i]-1)/strides[i])
		r := compute.NewAxis(a.Var.Name+"_r", min(strides[i], a.Extent))
		place[a], phase[a] = q, r
		p.space, p.whole = append(p.space, q, r), append(p.whole, r.Var.Name)
		p.to[a.Var] = tir.Bin(tir.Add, tir.Bin(tir.Mul, q.Var, tir.Int(strides[i])), r.Var)
	}
	tap := map[*compute.Axis]*compute.Axis{}
	for _, a := range p.Op.ReduceAxes {
		i := slices.IndexFunc(p.dims, func(dim spreadDim) bool { return dim.window == a })
		axis := compute.NewAxis(a.Var.Name, a.Extent)
		if i >= 0 {
			axis = compute.NewAxis(a.Var.Name+"_t", p.dims[i].taps)
			tap[a], p.whole = axis, append(p.whole, axis.Var.Name)
		} else {
			p.to[a.Var] = axis.Var
		}
		p.reduce = append(p.reduce, axis)
	}
	for _, dim := range p.dims {
		q, r, t := place[dim.space], phase[dim.space], tap[dim.window]
		k := tir.Bin(tir.Add, valueOf(dim.first, r.Var), tir.Bin(tir.Mul, t.Var, tir.Int(dim.apart())))
		p.to[dim.window.Var] = k
		if dim.uneven() {
			p.conds = append(p.conds, tir.Bin(tir.LT, k, tir.Int(dim.window.Extent)))
		}
		lo, hi := slices.Min(dim.at), slices.Max(dim.at)
		p.start = append(p.start, lo)
		p.extent = append(p.extent, q.Extent-1+hi-lo+(dim.taps-1)*dim.step+1)
		at := make([]int64, len(dim.at))
		for i := range at {
			at[i] = dim.at[i] - lo
		}
		p.place = append(p.place, tir.Bin(tir.Add, tir.Bin(tir.Add, q.Var, valueOf(at, r.Var)),
			tir.Bin(tir.Mul, t.Var, tir.Int(dim.step))))
	}
}

// valueOf returns the element of a list at v: a multiple of v if it is one.
func valueOf(list []int64, v *tir.Var) tir.Expr {
	step := int64(0)
	if len(list) > 1 {
		step = list[1] - list[0]
	}
	steady := true
	for i, n := range list {
		steady = steady && n == list[0]+int64(i)*step
	}
	if steady {
		if step == 0 {
			return tir.Int(list[0])
		}
		return tir.Bin(tir.Add, tir.Bin(tir.Mul, v, tir.Int(step)), tir.Int(list[0]))
	}
	n := int64(len(list))
	falls, rises := true, true
	c := n // of (v + c)/n: c is the first place where it is 1 from n on
	if i := slices.Index(list, 1); i >= 0 {
		c = n - int64(i)
	}
	for i, value := range list {
		falls = falls && value == (list[0]+n-int64(i))%n
		rises = rises && value == (int64(i)+c)/n
	}
	switch {
	case falls:
		return tir.Bin(tir.FloorMod, tir.Bin(tir.Sub, tir.Int(list[0]+n), v), tir.Int(n))
	case rises:
		return tir.Bin(tir.FloorDiv, tir.Bin(tir.Add, v, tir.Int(c)), tir.Int(n))
	}
	var value tir.Expr = tir.Int(list[len(list)-1])
	for i := len(list) - 2; i >= 0; i-- {
		value = &tir.Select{Cond: tir.Bin(tir.EQ, v, tir.Int(int64(i))), Then: tir.Int(list[i]), Else: value}
	}
	return value
}

// image makes the stage of the image.
func (p *phasesOf) image() *compute.Op {
	o := *p.From
	o.Name = p.From.Name + ".image"
	axes, to := renamedAxes(p.From.Axes, func(name string) string { return name })
	for i, dim := range p.dims {
		axes[dim.d].Extent = p.extent[i]
	}
	simple := arith.NewSimplifier()
	for _, a := range axes {
		if a.Extent > 1 { // an index stays an axis
			simple.Bind(a.Var, 0, a.Extent-1)
		}
	}
	choice := p.From.Body[0].(*tir.Select)
	var inside []tir.Expr // of the spread image, which phases with fewer taps leave
	for i, dim := range p.dims {
		v, from := axes[dim.d].Var, p.From.Axes[dim.d]
		simple.Bind(v, 0, axes[dim.d].Extent-1)
		place := tir.Bin(tir.Add, v, tir.Int(p.start[i]))
		at := tir.Bin(tir.Add, tir.Bin(tir.Mul, place, tir.Int(dim.stride)), tir.Int(dim.lo))
		to[from.Var] = at
		inside = append(inside, tir.Bin(tir.GE, at, tir.Int(0)), tir.Bin(tir.LT, at, tir.Int(from.Extent)))
	}
	for _, c := range tir.Conjuncts(choice.Cond) {
		inside = append(inside, tir.Substitute(c, to))
	}
	value := simple.Expr(tir.IfThenElse(tir.AllOf(inside...), tir.Substitute(choice.Then, to), choice.Else))
	o.Axes, o.Body = axes, []tir.Expr{value}
	o.Results = []*tir.Buffer{{Name: o.Name, Type: p.From.Results[0].Type, Shape: extentsOf(axes)}}
	return &o
}
