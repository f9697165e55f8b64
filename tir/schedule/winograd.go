package schedule

import (
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/winograd"
)

// winogradStages is how many stages a Winograd step puts before the one that it is about.
const winogradStages = 6

// A Convolution is a sum that Winograd's algorithm can compute: of a float32 tensor by constant weights, which moves by
// one element along two dimensions and has three weights along each,
//
//	y[..., h, ..., w, ..., co] += x[..., h + rh, ..., w + rw, ...]*weights[...rh...rw...]
//
// where the other indices are whatever they are.
type Convolution struct {
	Op         *compute.Op
	X, Weights *tir.Load

	Dims   [2]int           // of X.Index that are h + rh and w + rw
	Space  [2]*compute.Axis // h and w
	Window [2]*compute.Axis // rh and rw
}

// ConvolutionOf returns what op convolves. The error says why Winograd's algorithm does not compute it.
func ConvolutionOf(op *compute.Op) (*Convolution, error) {
	no := func(why string) (*Convolution, error) {
		return nil, fmt.Errorf("stage %s is no convolution that Winograd's algorithm computes: %s", op.Name, why)
	}
	if op.IsPlaceholder() || op.Combine == nil || op.Combine.Kind != compute.Sum || !op.Combine.Neutral() ||
		len(op.Results) != 1 {
		return no("it is no sum from 0 on")
	}
	product, ok := op.Body[0].(*tir.Binary)
	if !ok || product.Op != tir.Mul {
		return no("it does not sum products")
	}
	x, isX := product.X.(*tir.Load)
	w, isW := product.Y.(*tir.Load)
	if !isX || !isW || x.Buffer.Type != tir.F32 || w.Buffer.Type != tir.F32 || op.Results[0].Type != tir.F32 {
		return no("it does not multiply two float32 elements")
	}
	if slices.Contains(op.Attrs.LayoutFree, x.Buffer) {
		x, w = w, x
	}
	if !slices.Contains(op.Attrs.LayoutFree, w.Buffer) || x.Buffer == w.Buffer {
		return no("the weights are not constant")
	}
	if slices.ContainsFunc(slices.Concat(x.Index, w.Index), tir.Reads) {
		return no("an index is read from a tensor")
	}
	c := &Convolution{Op: op, X: x, Weights: w}
	for n, d := 2, len(x.Index)-1; n > 0; d-- {
		if d < 0 {
			return no("it does not move by one element along two dimensions, with three weights along each")
		}
		if space, window, ok := c.slides(d); ok {
			n--
			c.Dims[n], c.Space[n], c.Window[n] = d, space, window
		}
	}
	if len(op.ReduceAxes) < 3 {
		return no("it sums over no channels")
	}
	return c, nil
}

// slides returns the axes h and rh of dimension d of x, if its index is their sum, x has them nowhere else, the weights
// are indexed by rh and not by h, and there are three of them.
func (c *Convolution) slides(d int) (space, window *compute.Axis, ok bool) {
	sum, ok := c.X.Index[d].(*tir.Binary)
	if !ok || sum.Op != tir.Add {
		return nil, nil, false
	}
	find := func(axes []*compute.Axis) *compute.Axis {
		for _, a := range axes {
			if sum.X == tir.Expr(a.Var) || sum.Y == tir.Expr(a.Var) {
				return a
			}
		}
		return nil
	}
	space, window = find(c.Op.Axes), find(c.Op.ReduceAxes)
	if space == nil || window == nil || window.Extent != winograd.Size {
		return nil, nil, false
	}
	for k, e := range c.X.Index {
		if k != d && (tir.Uses(e, space.Var) || tir.Uses(e, window.Var)) {
			return nil, nil, false
		}
	}
	weights := 0
	for _, e := range c.Weights.Index {
		if tir.Uses(e, space.Var) || e != tir.Expr(window.Var) && tir.Uses(e, window.Var) {
			return nil, nil, false
		}
		if e == tir.Expr(window.Var) {
			weights++
		}
	}
	return space, window, weights == 1
}

// Estimate says what the convolution costs.
func (c *Convolution) Estimate() winograd.Estimate {
	e := winograd.Estimate{Out: [2]int64{c.Space[0].Extent, c.Space[1].Extent}, In: 1, Rest: 1, Taps: 1}
	for d, n := range c.X.Buffer.Shape {
		if d != c.Dims[0] && d != c.Dims[1] {
			e.In *= n
		}
	}
	for _, a := range c.Op.Axes {
		if a != c.Space[0] && a != c.Space[1] {
			e.Rest *= a.Extent
		}
	}
	for _, a := range c.Op.ReduceAxes {
		if a != c.Window[0] && a != c.Window[1] {
			e.Taps *= a.Extent
		}
	}
	e.Weights = c.Weights.Buffer.Elems() / (winograd.Size * winograd.Size)
	return e
}

func (s Winograd) apply(b *builder) error {
	st, err := b.computed(s.At)
	if err != nil {
		return err
	}
	c, err := ConvolutionOf(st.Op)
	if err != nil {
		return err
	}
	if st.At == Inlined {
		return fmt.Errorf("stage %s is inlined", st.Op.Name)
	}
	if err := b.untouched(s.At); err != nil {
		return err
	}
	for _, p := range b.s.Prepared {
		if p.From == c.Weights.Buffer {
			return fmt.Errorf("%s is prepared for another stage", p.From.Name)
		}
	}
	if !slices.Contains(b.s.DAG.Inputs(), c.Weights.Buffer) {
		return fmt.Errorf("%s is no input of the program", c.Weights.Buffer.Name)
	}
	for i, other := range b.s.Stages {
		if i != s.At && !other.Op.IsPlaceholder() && reads(other.Op, c.Weights.Buffer) {
			return fmt.Errorf("stage %s reads the weights %s, too", other.Op.Name, c.Weights.Buffer.Name)
		}
	}
	t, err := newWinogradTiles(c, s.Tile)
	if err != nil {
		return err
	}
	ops, prepared := t.ops()
	b.s.Prepared = append(slices.Clip(b.s.Prepared), prepared)
	b.replaceOp(s.At, newStage(ops[winogradStages]))
	for i, op := range ops[:winogradStages] {
		b.insert(s.At+i, newStage(op))
	}
	b.setOps(nil)
	return nil
}

// A Prepared input takes the place of one that is constant: whoever calls the program computes it once.
//
//	To[Axes...] = Value, which reads From only
type Prepared struct {
	From, To *tir.Buffer
	Axes     []*compute.Axis
	Value    tir.Expr
	Note     string  // what it is, in a few words
	growth   float64 // of errors
}

// Defined returns the current DAG with inputs that are prepared computed in it.
func (s *State) Defined() *compute.DAG {
	if len(s.Prepared) == 0 {
		return s.Current
	}
	ops := slices.Clone(s.Current.Ops)
	for _, p := range s.Prepared {
		i := slices.IndexFunc(ops, func(op *compute.Op) bool { return op.Results[0] == p.To })
		op := *ops[i]
		op.Axes, op.Body = p.Axes, []tir.Expr{p.Value}
		ops[i] = &op
	}
	return newDAG(s.DAG, ops)
}

// Growth returns how many times larger the rounding errors may be than those of the sums that the DAG defines, at
// least 1.
func (s *State) Growth() float64 {
	g := 1.0
	for _, p := range s.Prepared {
		g = max(g, p.growth)
	}
	return g
}

// Constants returns the inputs whose layout may be chosen, with those that are prepared in the place of what they are
// made of.
func (s *State) Constants() []*tir.Buffer {
	list := s.DAG.Constants()
	for _, p := range s.Prepared {
		list[slices.Index(list, p.From)] = p.To
	}
	return list
}

// winogradTiles are the ops that a convolution becomes.
type winogradTiles struct {
	*Convolution
	set        winograd.Set
	tile, side int64
	across     int64 // tiles along w
	count      int64 // tiles of all
}

func newWinogradTiles(c *Convolution, tile int64) (*winogradTiles, error) {
	set, err := winograd.New(tile)
	if err != nil {
		return nil, err
	}
	t := &winogradTiles{Convolution: c, set: set, tile: tile, side: tile + winograd.Size - 1}
	t.across = (c.Space[1].Extent + tile - 1) / tile
	t.count = (c.Space[0].Extent + tile - 1) / tile * t.across
	return t, nil
}

// ops returns the ops, the last of which has the result of the convolution, and how the weights are prepared. With
// matrices A, B and G of package winograd, tiles p and images of one dimension more than the two:
//
//	rows(a, nu, d, p, ci) += x[d, p/across*tile + a, p%across*tile + r_b, ci]*B[r_b, nu]
//	tiles(eps, nu, d, p, ci) += rows[r_a, nu, d, p, ci]*B[r_a, eps]
//	product(eps, nu, d, p, co) += tiles[eps, nu, d + rd, p, ci]*u[eps, nu, rd, ci, co]
//	columns(eps, vw, d, p, co) += product[eps, r_b, d, p, co]*A[r_b, vw]
//	inverse(vh, vw, d, p, co) += columns[r_a, vw, d, p, co]*A[r_a, vh]
//	y(d, h, w, co) = inverse[h%tile, w%tile, d, h/tile*across + w/tile, co]
func (t *winogradTiles) ops() ([]*compute.Op, Prepared) {
	name := t.Op.Name
	prepared := t.prepare()
	u := &compute.Op{Name: prepared.To.Name, Results: []*tir.Buffer{prepared.To}}

	in := t.inner("x", t.X.Buffer.Shape, t.Dims)
	rows := t.transform(name+".rows", "a", "nu", in, true, t.set.Input, t.pixel)
	image := t.transform(name+".tiles", "eps", "nu", in, false, t.set.Input, loads(rows))

	product := t.product(image, prepared)
	out := t.inner("y", t.Op.Results[0].Shape, t.places())
	columns := t.transform(name+".columns", "eps", "vw", out, true, t.set.Output, loads(product))
	inverse := t.transform(name+".inverse", "vh", "vw", out, false, t.set.Output, loads(columns))

	y := *t.Op
	y.ReduceAxes, y.Combine, y.Attrs = nil, nil, compute.Attrs{}
	h, w := tir.Expr(t.Space[0].Var), tir.Expr(t.Space[1].Var)
	tile := tir.Int(t.tile)
	index := []tir.Expr{tir.Bin(tir.FloorMod, h, tile), tir.Bin(tir.FloorMod, w, tile)}
	row, column := tir.Bin(tir.FloorDiv, h, tile), tir.Bin(tir.FloorDiv, w, tile)
	p := tir.Bin(tir.Add, tir.Bin(tir.Mul, row, tir.Int(t.across)), column)
	for _, a := range t.Op.Axes {
		switch a {
		case t.Space[0]:
			index = append(index, p)
		case t.Space[1]:
		default:
			index = append(index, a.Var)
		}
	}
	y.Body = []tir.Expr{&tir.Load{Buffer: inverse.Results[0], Index: index}}
	return []*compute.Op{u, rows, image, product, columns, inverse, &y}, prepared
}

// places returns which axes of the convolution are h and w.
func (t *winogradTiles) places() [2]int {
	return [2]int{slices.Index(t.Op.Axes, t.Space[0]), slices.Index(t.Op.Axes, t.Space[1])}
}

// inner returns the extents of the dimensions behind the place in a tile: those of a shape, with tiles in the place of
// the first of the two dimensions that the tiles are of, and without the second.
func (t *winogradTiles) inner(name string, shape []int64, dims [2]int) []*compute.Axis {
	var list []*compute.Axis
	for d, n := range shape {
		switch d {
		case dims[0]:
			list = append(list, compute.NewAxis("p", t.count))
		case dims[1]:
		default:
			list = append(list, compute.NewAxis(fmt.Sprintf("%s%d", name, d), n))
		}
	}
	return list
}

// transform makes a stage that multiplies each tile by a matrix: from the right, as step 1 does, or from the left.
// What it computes is x(place in the tile, rest) times the matrix.
func (t *winogradTiles) transform(name, row, column string, inner []*compute.Axis, right bool, m [][]float64,
	x func(i, j tir.Expr, rest []tir.Expr) tir.Expr) *compute.Op {
	from, to := int64(len(m)), int64(len(m[0]))
	sizes := [2]int64{from, to} // the first transform leaves the rows as they are
	if !right {
		sizes = [2]int64{to, to}
	}
	rest, _ := renamedAxes(inner, func(name string) string { return name })
	axes := append([]*compute.Axis{compute.NewAxis(row, sizes[0]), compute.NewAxis(column, sizes[1])}, rest...)
	i, j := tir.Expr(axes[0].Var), tir.Expr(axes[1].Var)
	r := compute.NewAxis("r", from)
	value := func() tir.Expr { return x(r.Var, j, compute.Vars(rest)) }
	k := i
	if right {
		value, k = func() tir.Expr { return x(i, r.Var, compute.Vars(rest)) }, j
	}
	op := &compute.Op{
		Name: name, Axes: axes, ReduceAxes: []*compute.Axis{r}, Combine: t.Op.Combine,
		Body:  []tir.Expr{tir.Bin(tir.Mul, value(), winograd.Element(m, tir.F32, r.Var, k))},
		Attrs: compute.Attrs{SimplifyConstTensorIndices: []string{row, column, "r"}},
	}
	op.Results = []*tir.Buffer{{Name: name, Type: tir.F32, Shape: extentsOf(axes)}}
	return op
}

func extentsOf(axes []*compute.Axis) []int64 {
	shape := make([]int64, len(axes))
	for d, a := range axes {
		shape[d] = a.Extent
	}
	return shape
}

// loads returns the elements of a stage of which the first two indices are the place in a tile.
func loads(op *compute.Op) func(i, j tir.Expr, rest []tir.Expr) tir.Expr {
	return func(i, j tir.Expr, rest []tir.Expr) tir.Expr {
		return &tir.Load{Buffer: op.Results[0], Index: append([]tir.Expr{i, j}, rest...)}
	}
}

// pixel returns element (i, j) of a tile of the image, 0 beyond it: the last tiles may stick out.
func (t *winogradTiles) pixel(i, j tir.Expr, rest []tir.Expr) tir.Expr {
	index := make([]tir.Expr, len(t.X.Index))
	at := 0
	var p tir.Expr
	for d := range index {
		if d == t.Dims[1] {
			continue
		}
		if d == t.Dims[0] {
			p = rest[at]
		} else {
			index[d] = rest[at]
		}
		at++
	}
	place := func(tile, i tir.Expr) tir.Expr { return tir.Bin(tir.Add, tir.Bin(tir.Mul, tile, tir.Int(t.tile)), i) }
	index[t.Dims[0]] = place(tir.Bin(tir.FloorDiv, p, tir.Int(t.across)), i)
	index[t.Dims[1]] = place(tir.Bin(tir.FloorMod, p, tir.Int(t.across)), j)
	tilesOf := [2]int64{t.count / t.across, t.across}
	var inside []tir.Expr
	for k, d := range t.Dims {
		if n := t.X.Buffer.Shape[d]; tilesOf[k]*t.tile+winograd.Size-1 > n {
			inside = append(inside, tir.Bin(tir.LT, index[d], tir.Int(n)))
		}
	}
	var value tir.Expr = &tir.Load{Buffer: t.X.Buffer, Index: index}
	if len(inside) > 0 {
		value = tir.IfThenElse(tir.AllOf(inside...), value, tir.Const(tir.F32, 0))
	}
	return value
}

// product makes the stage that sums over what is no place in a window.
func (t *winogradTiles) product(image *compute.Op, prepared Prepared) *compute.Op {
	name := t.Op.Name + ".product"
	axes := []*compute.Axis{compute.NewAxis("eps", t.side), compute.NewAxis("nu", t.side)}
	to := map[*tir.Var]tir.Expr{}
	var p tir.Expr
	for _, a := range t.Op.Axes {
		switch a {
		case t.Space[0]:
			axis := compute.NewAxis("p", t.count)
			axes, p = append(axes, axis), axis.Var
		case t.Space[1]:
		default:
			axis := compute.NewAxis(a.Var.Name, a.Extent)
			axes, to[a.Var] = append(axes, axis), axis.Var
		}
	}
	var reduce []*compute.Axis
	for _, a := range t.Op.ReduceAxes {
		if a != t.Window[0] && a != t.Window[1] {
			axis := compute.NewAxis(a.Var.Name, a.Extent)
			reduce, to[a.Var] = append(reduce, axis), axis.Var
		}
	}
	at := []tir.Expr{axes[0].Var, axes[1].Var}
	x := slices.Clone(at)
	for d, e := range t.X.Index {
		switch d {
		case t.Dims[0]:
			x = append(x, p)
		case t.Dims[1]:
		default:
			x = append(x, tir.Substitute(e, to))
		}
	}
	u := slices.Clone(at)
	for _, e := range t.Weights.Index {
		if e != tir.Expr(t.Window[0].Var) && e != tir.Expr(t.Window[1].Var) {
			u = append(u, tir.Substitute(e, to))
		}
	}
	return &compute.Op{
		Name: name, Axes: axes, ReduceAxes: reduce, Combine: t.Op.Combine,
		Results: []*tir.Buffer{{Name: name, Type: tir.F32, Shape: extentsOf(axes)}},
		Body: []tir.Expr{tir.Bin(tir.Mul, &tir.Load{Buffer: image.Results[0], Index: x},
			&tir.Load{Buffer: prepared.To, Index: u})},
		Attrs: compute.Attrs{LayoutFree: []*tir.Buffer{prepared.To}},
	}
}

// prepare returns how the weights are transformed: G g Gᵀ, written out.
func (t *winogradTiles) prepare() Prepared {
	w := t.Weights.Buffer
	axes := []*compute.Axis{compute.NewAxis("eps", t.side), compute.NewAxis("nu", t.side)}
	at := make([]tir.Expr, len(w.Shape))
	for d, n := range w.Shape {
		if t.Weights.Index[d] != tir.Expr(t.Window[0].Var) && t.Weights.Index[d] != tir.Expr(t.Window[1].Var) {
			axis := compute.NewAxis(fmt.Sprintf("w%d", d), n)
			axes, at[d] = append(axes, axis), axis.Var
		}
	}
	var value tir.Expr
	for i := range int64(winograd.Size) {
		for j := range int64(winograd.Size) {
			index := slices.Clone(at)
			for d, e := range t.Weights.Index {
				switch e {
				case tir.Expr(t.Window[0].Var):
					index[d] = tir.Int(i)
				case tir.Expr(t.Window[1].Var):
					index[d] = tir.Int(j)
				}
			}
			row, column := coefficient(t.set.Kernel, axes[0], i), coefficient(t.set.Kernel, axes[1], j)
			term := tir.Bin(tir.Mul, tir.Bin(tir.Mul, &tir.Load{Buffer: w, Index: index}, row), column)
			if value == nil {
				value = term
			} else {
				value = tir.Bin(tir.Add, value, term)
			}
		}
	}
	to := &tir.Buffer{Name: w.Name + ".winograd", Type: tir.F32, Shape: extentsOf(axes)}
	return Prepared{From: w, To: to, Axes: axes, Value: value, growth: t.set.Growth(),
		Note: fmt.Sprintf("%s is %s for Winograd's algorithm (Lavin and Gray, 2015) in tiles of %dx%d. Rounding "+
			"errors are up to %.1f times those of the direct sum, and a pixel that is infinite or NaN spreads to its "+
			"tiles.",
			to.Name, w.Name, t.tile, t.tile, t.set.Growth())}
}

// coefficient returns the element of a matrix in row a and a column.
func coefficient(m [][]float64, a *compute.Axis, column int64) tir.Expr {
	value := tir.Const(tir.F32, m[0][column])
	for i, row := range m[1:] {
		value = &tir.Select{Cond: tir.Bin(tir.EQ, a.Var, tir.Int(int64(i+1))), Then: tir.Const(tir.F32, row[column]),
			Else: value}
	}
	return value
}
