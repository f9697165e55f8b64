package lower

import (
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/arith"
	"github.com/wmtune/wmtune/tir/schedule"
)

// A stage with a tensorized tile is computed by warps: the tile becomes one product of
// tiles (tir.MMA), and a lane has 4 elements of each tile of the result. The stage that
// reads it has a tensorized tile as well, of which a lane computes the same elements:
//
//	alloc C: float32[32, 16] local               alloc C: float32[2, 2, 4] local
//	for i in 2, j in 2:                          for i in 2, j in 2:
//	  for m in 16, n in 8:                         for e in 4:
//	    C[i*16 + m, j*8 + n] = 0                     C[i, j, e] = 0
//	for i in 2, j in 2:                   =>     for i in 2, j in 2:
//	  for m in 16, n in 8, k in 16:                mma C[i, j] += A.shared[i*16, 0] by [1, 0] and [0, 1] * ...
//	    C[i*16 + m, j*8 + n] = ...               for i in 2, j in 2:
//	for i in 2, j in 2:                            for h in 2:
//	  for m in 16, n in 8:                           vectorize w in 2:
//	    D[i*16 + m, j*8 + n] = C[...]                  D[i*16 + t/4 + h*8, j*8 + t%4*2 + w] = C[i, j, h*2 + w]
//
// A tile that cannot be so stays loops, which each lane carries out for itself: see
// untiled.

// A tile is the tensorized tile of a product, and that of the stage that reads it.
type tile struct {
	stage, reader int
	m, n          int // axes of the product along rows and columns
	product, read tileLoops
	a, b          operandTile

	lane, half, word *tir.Var // a lane's elements: 2 rows of 2 columns
}

// tileLoops are the loops of a tile in a nest.
type tileLoops struct {
	first             int // the outermost of them
	rows, cols, depth schedule.Loop
}

// An operandTile is what the product reads: an element of a stage's result, and how its
// indices move along rows and columns.
type operandTile struct {
	first    *tir.Load
	row, col []int64
}

// findTiles finds what can be computed as the annotations say. What cannot is in untiled.
func (b *builder) findTiles() {
	b.tiles = map[int]*tile{}
	for i, n := range b.nests {
		if n == nil || !b.s.Stages[i].IsTensorized() || b.s.Stages[i].Op.Combine == nil {
			continue
		}
		t, err := b.tileOf(i)
		if err != nil {
			b.untiled = append(b.untiled, fmt.Errorf("stage %s is not computed by warps: %w", b.s.Stages[i].Op.Name, err))
			continue
		}
		b.tiles[i], b.tiles[t.reader] = t, t
	}
}

// tileOf returns the tile of stage i. The error says why there is none.
func (b *builder) tileOf(i int) (*tile, error) {
	k := b.kernelOf(i)
	switch {
	case k == nil || !k.hasLanes():
		return nil, fmt.Errorf("no loop of its kernel is over %d threads along threadIdx.x", tir.WarpLanes)
	case b.boundAround(i, schedule.ThreadX):
		return nil, fmt.Errorf("it is inside of a loop bound to threadIdx.x: all lanes must carry it out together")
	case b.scopeOf(i, b.s.Stages[i].Op.Results[0].Scope) != tir.Local:
		return nil, fmt.Errorf("its result is in memory that threads share")
	}
	x, _, err := schedule.TensorOperands(b.s.Stages[i].Op)
	if err != nil {
		return nil, err
	}
	t := &tile{stage: i, lane: k.dim(schedule.ThreadX).v, half: tir.NewVar("h"), word: tir.NewVar("w")}
	if t.product, err = b.tileLoops(i, tir.MMADepth(x.Buffer.Type)); err != nil {
		return nil, err
	}
	if err := b.findAxes(t); err != nil {
		return nil, err
	}
	if err := b.findOperands(t); err != nil {
		return nil, err
	}
	return t, b.findReader(t)
}

// hasLanes reports whether threadIdx.x of the kernel is the number of a lane.
func (k *kernel) hasLanes() bool {
	return slices.ContainsFunc(k.dims,
		func(d threadDim) bool { return d.ann == schedule.ThreadX && d.extent == tir.WarpLanes })
}

// boundAround reports whether stage i is attached inside a loop with an annotation.
func (b *builder) boundAround(i int, ann schedule.Annotation) bool {
	for {
		at, ok := b.s.Attach.At(i)
		if !ok {
			return false
		}
		for _, l := range b.nests[at.Stage].Loops[:at.Iter+1] {
			if l.Iter.Ann == ann {
				return true
			}
		}
		i = at.Stage
	}
}

// tileLoops returns the loops of the tile of stage i, which are the innermost: three if it
// is of so many steps of a sum, two if that is 0.
func (b *builder) tileLoops(i int, steps int64) (tileLoops, error) {
	nest, n := b.nests[i], 3
	if steps == 0 {
		n = 2
	}
	first := slices.IndexFunc(nest.Loops, func(l schedule.Loop) bool { return l.Iter.Ann == schedule.Tensorize })
	t := tileLoops{first: first}
	if first < 0 || len(nest.Loops)-first != n {
		return t, fmt.Errorf("stage %s has no tile of %d loops", b.s.Stages[i].Op.Name, n)
	}
	if len(nest.Guards) > 0 {
		return t, fmt.Errorf("the tiles of stage %s are not whole", b.s.Stages[i].Op.Name)
	}
	for k, l := range nest.Loops[first:] {
		switch {
		case len(b.s.Attach.Inside(i, first+k)) > 0:
			return t, fmt.Errorf("something is computed inside the tile of stage %s", b.s.Stages[i].Op.Name)
		case reduces(l) && l.Extent == steps:
			t.depth = l
		case !reduces(l) && l.Extent == tir.MMARows:
			t.rows = l
		case !reduces(l) && l.Extent == tir.MMACols:
			t.cols = l
		}
	}
	if t.rows.Var == nil || t.cols.Var == nil || n == 3 && t.depth.Var == nil {
		return t, fmt.Errorf("the tile of stage %s is not of the size that tensor cores multiply", b.s.Stages[i].Op.Name)
	}
	return t, nil
}

// findAxes finds the axes of the product along which the tile's loops go.
func (b *builder) findAxes(t *tile) error {
	n := b.nests[t.stage]
	spatial := len(b.s.Stages[t.stage].Op.Axes)
	axis := func(l schedule.Loop) int {
		steps, ok := b.steps(t.stage, n.Value, l)
		d := slices.Index(steps, 1)
		if !ok || !isUnit(steps, d) {
			return -1
		}
		return d
	}
	t.m, t.n = axis(t.product.rows), axis(t.product.cols)
	if k := axis(t.product.depth); k < spatial || t.m < 0 || t.n < 0 || t.m >= spatial || t.n >= spatial || t.m == t.n {
		return fmt.Errorf("the loops of its tile do not each go along one axis")
	}
	if !b.whole(t.stage, n.Value[t.m], n.Region[t.m], t.product.rows) ||
		!b.whole(t.stage, n.Value[t.n], n.Region[t.n], t.product.cols) {
		return fmt.Errorf("its tiles do not begin at multiples of their sizes")
	}
	return nil
}

// whole reports whether a region is whole tiles along a loop, each of which begins at a value
// where the loop begins.
func (b *builder) whole(stage int, value tir.Expr, region schedule.Range, along schedule.Loop) bool {
	s := b.ranges(stage)
	first := tir.Substitute(tir.Bin(tir.Sub, value, region.Min), map[*tir.Var]tir.Expr{along.Var: tir.Int(0)})
	rest, ok := s.Expr(tir.Bin(tir.FloorMod, first, tir.Int(along.Extent))).(*tir.IntImm)
	return region.Extent%along.Extent == 0 && ok && rest.Value == 0
}

// findOperands finds what the product reads: elements of shared memory, one of which moves
// with rows and steps, the other one with steps and columns.
func (b *builder) findOperands(t *tile) error {
	op, n := b.s.Stages[t.stage].Op, b.nests[t.stage]
	x, y := schedule.Factors(b.s.InlinedBody(t.stage)[0])
	if x == nil || y == nil {
		return fmt.Errorf("what it multiplies is computed where it is read")
	}
	values := make(map[*tir.Var]tir.Expr, len(n.Value))
	for d, a := range slices.Concat(op.Axes, op.ReduceAxes) {
		values[a.Var] = n.Value[d]
	}
	var moves [2][3][]int64 // of the operands, with rows, columns and steps
	loops := []schedule.Loop{t.product.rows, t.product.cols, t.product.depth}
	both := [2]*tir.Load{x, y}
	for o, l := range both {
		if !b.isShared(l.Buffer) {
			return fmt.Errorf("operand %s is not in shared memory", l.Buffer.Name)
		}
		both[o] = tir.Substitute(l, values).(*tir.Load)
		for k, loop := range loops {
			steps, ok := b.steps(t.stage, both[o].Index, loop)
			if !ok {
				return fmt.Errorf("the indices of operand %s do not move evenly with the loops of its tile", l.Buffer.Name)
			}
			moves[o][k] = steps
		}
	}
	const rows, cols, depth = 0, 1, 2
	first, second := 0, 1
	if !moving(moves[first][rows]) {
		first, second = second, first
	}
	if !moving(moves[first][rows]) || moving(moves[first][cols]) || !moving(moves[first][depth]) ||
		moving(moves[second][rows]) || !moving(moves[second][cols]) || !moving(moves[second][depth]) {
		return fmt.Errorf("its operands do not move one with rows and steps, the other with steps and columns")
	}
	at := func(l *tir.Load) *tir.Load {
		zero := map[*tir.Var]tir.Expr{}
		for _, loop := range loops {
			zero[loop.Var] = tir.Int(0)
		}
		return tir.Substitute(l, zero).(*tir.Load)
	}
	t.a = operandTile{at(both[first]), moves[first][rows], moves[first][depth]}
	t.b = operandTile{at(both[second]), moves[second][depth], moves[second][cols]}
	return nil
}

func moving(steps []int64) bool {
	return slices.ContainsFunc(steps, func(s int64) bool { return s != 0 })
}

// isShared reports whether a stage's result is in shared memory.
func (b *builder) isShared(result *tir.Buffer) bool {
	for i, st := range b.s.Stages {
		if !st.Op.IsPlaceholder() && slices.Contains(st.Op.Results, result) {
			return b.nests[i] != nil && b.scopeOf(i, result.Scope) == tir.Shared
		}
	}
	return false
}

// findReader finds the tile of the stage that reads the product: its kernel's root, in which the
// product is computed, and which reads the elements that it is at.
func (b *builder) findReader(t *tile) error {
	product := b.s.Stages[t.stage].Op
	at, attached := b.s.Attach.At(t.stage)
	readers := b.s.Readers(t.stage)
	if !attached || len(readers) != 1 || readers[0] != at.Stage {
		return fmt.Errorf("it is not computed in the only stage that reads it")
	}
	t.reader = at.Stage
	reader := b.s.Stages[t.reader].Op
	if _, attached := b.s.Attach.At(t.reader); attached || reader.Combine != nil {
		return fmt.Errorf("stage %s, which reads it, is a sum or not the root of its kernel", reader.Name)
	}
	if b.tiles[t.reader] != nil {
		return fmt.Errorf("stage %s reads another product tile by tile", reader.Name)
	}
	for _, l := range b.nests[t.reader].Loops {
		if l.Iter.Ann == schedule.ThreadX {
			return fmt.Errorf("stage %s has a loop bound to threadIdx.x, whose threads are the lanes of its tile", reader.Name)
		}
	}
	var err error
	if t.read, err = b.tileLoops(t.reader, 0); err != nil {
		return err
	}
	values := map[*tir.Var]tir.Expr{}
	for d, a := range reader.Axes {
		values[a.Var] = b.nests[t.reader].Value[d]
	}
	region := b.nests[t.stage].Region
	for _, e := range b.s.InlinedBody(t.reader) {
		tir.VisitExpr(tir.Substitute(e, values), func(e tir.Expr) bool {
			l, ok := e.(*tir.Load)
			if !ok || l.Buffer != product.Results[0] {
				return true
			}
			rows, even := b.steps(t.reader, l.Index, t.read.rows)
			cols, too := b.steps(t.reader, l.Index, t.read.cols)
			if !even || !too || !isUnit(rows, t.m) || !isUnit(cols, t.n) ||
				!b.whole(t.reader, l.Index[t.m], region[t.m], t.read.rows) ||
				!b.whole(t.reader, l.Index[t.n], region[t.n], t.read.cols) {
				err = fmt.Errorf("stage %s does not read it tile by tile", reader.Name)
			}
			return true
		})
	}
	return err
}

// isUnit reports whether steps are 1 in dimension d, which there is, and 0 in all others.
func isUnit(steps []int64, d int) bool {
	if d < 0 {
		return false
	}
	for k, s := range steps {
		if k == d && s != 1 || k != d && s != 0 {
			return false
		}
	}
	return true
}

// ranges returns a simplifier that knows the loops of stage i and those around.
func (b *builder) ranges(i int) *arith.Simplifier {
	s := arith.NewSimplifier()
	inside := len(b.nests[i].Loops)
	for {
		for _, l := range b.nests[i].Loops[:inside] {
			s.Bind(l.Var, 0, l.Extent-1)
		}
		at, ok := b.s.Attach.At(i)
		if !ok {
			return s
		}
		i, inside = at.Stage, at.Iter+1
	}
}

// steps returns by how much each expression grows from one iteration of a loop of stage i
// to the next, and whether that is the same for all.
func (b *builder) steps(i int, list []tir.Expr, along schedule.Loop) ([]int64, bool) {
	s := b.ranges(i)
	s.Bind(along.Var, 0, along.Extent-2) // there is a next one
	steps := make([]int64, len(list))
	for d, e := range list {
		next := tir.Substitute(e, map[*tir.Var]tir.Expr{along.Var: tir.Bin(tir.Add, along.Var, tir.Int(1))})
		by, ok := s.Expr(tir.Bin(tir.Sub, next, e)).(*tir.IntImm)
		if !ok {
			return nil, false
		}
		steps[d] = by.Value
	}
	return steps, true
}

// shape returns what lanes have of a buffer of a shape: 4 elements of each tile.
func (t *tile) shape(whole []int64) []int64 {
	list := append(slices.Clone(whole), tir.MMAElems)
	list[t.m] /= tir.MMARows
	list[t.n] /= tir.MMACols
	return list
}

// tileIndex returns the indices of the tile that an element is in, of a product or of what
// reads it.
func (p placed) tileIndex(at []tir.Expr) []tir.Expr {
	t := p.tile
	zero := map[*tir.Var]tir.Expr{}
	for _, l := range []schedule.Loop{t.product.rows, t.product.cols, t.read.rows, t.read.cols} {
		zero[l.Var] = tir.Int(0)
	}
	list := substituteAll(p.index(at), zero)
	list[t.m] = tir.Bin(tir.FloorDiv, list[t.m], tir.Int(tir.MMARows))
	list[t.n] = tir.Bin(tir.FloorDiv, list[t.n], tir.Int(tir.MMACols))
	return list
}

// elem returns the number of a lane's element.
func (t *tile) elem() tir.Expr { return tir.Bin(tir.Add, tir.Bin(tir.Mul, t.half, tir.Int(2)), t.word) }

// places returns what the loops over rows and columns of the reader's tile are for a lane.
func (t *tile) places() map[*tir.Var]tir.Expr {
	row, col := tir.MMAPlace(t.lane, t.elem())
	return map[*tir.Var]tir.Expr{t.read.rows.Var: row, t.read.cols.Var: col}
}

// mma returns the statement that a tile of the product is computed by.
func (nb *nestBuilder) mma(t *tile) tir.Stmt {
	operand := func(o operandTile) tir.Operand {
		return tir.Operand{First: nb.stored(o.first).(*tir.Load), Row: o.row, Col: o.col}
	}
	p := nb.result(0)
	return &tir.Block{Name: nb.name, Body: &tir.MMA{
		Buffer: p.buffer, Index: p.tileIndex(nb.at), A: operand(t.a), B: operand(t.b), Lane: t.lane,
	}}
}

// initTile returns the loop that sets a lane's elements of a tile to 0.
func (nb *nestBuilder) initTile(at []tir.Expr) tir.Stmt {
	p, e := nb.result(0), tir.NewVar("e")
	to := element{p.buffer, append(p.tileIndex(at), e)}
	return &tir.For{Var: e, Extent: tir.Int(tir.MMAElems),
		Body: &tir.Block{Name: nb.name, Init: true, Body: nb.identityInto([]element{to})}}
}

// lanesOf returns the loops over a lane's elements of the reader's tile around s.
func lanesOf(t *tile, s tir.Stmt) tir.Stmt {
	s = &tir.For{Var: t.word, Extent: tir.Int(2), Kind: tir.Vectorized, Body: s}
	return &tir.For{Var: t.half, Extent: tir.Int(tir.MMAElems / 2), Body: s}
}

// lanes is the loop over the lanes of a warp that a tile's loops are distributed over.
var lanes = schedule.Loop{Extent: tir.WarpLanes, Iter: &schedule.Iterator{Ann: schedule.ThreadX}}
