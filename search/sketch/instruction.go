package sketch

import (
	"slices"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/arith"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/lower"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// mostWaste is how many times as many steps as the sum its groups must not have.
const mostWaste = 2

// leastLanes is how many columns a product must have: fewer lanes an emitter does not write.
const leastLanes = 4

// groupAxes returns the axes of a product whose innermost pieces an instruction takes: lanes are along the last spatial
// axis, which one operand does not depend on, and the steps of a group along the last axis of the sum, along which
// the operand that lanes share is contiguous. The other operand has steps side by side if it is packed: it is constant,
// or read often enough to be copied.
func groupAxes(d *compute.DAG, op *compute.Op, i *tir.Instruction) (steps int, ok bool) {
	x, y, _ := schedule.Multiplied(op)
	if len(op.Attrs.NoSplitAtInner) > 0 || len(op.Axes) == 0 || len(op.ReduceAxes) == 0 {
		return 0, false
	}
	lane := op.Axes[len(op.Axes)-1]
	shared := x
	if tir.Uses(x, lane.Var) {
		shared = y
	}
	if tir.Uses(shared, lane.Var) || lane.Extent < leastLanes {
		return 0, false
	}
	steps = len(op.ReduceAxes) - 1
	sum := op.ReduceAxes[steps]
	side := lastOver1(shared.Buffer.Shape)
	for at, e := range shared.Index {
		k, linear := arith.Coefficient(e, sum.Var)
		if last := at == side; !linear || last && k != 1 || !last && k != 0 {
			return 0, false
		}
	}
	own := y // of the operands, the one that each lane has elements of its own of
	if shared == y {
		own = x
	}
	if !slices.Contains(d.Constants(), own.Buffer) && !lower.WorthGrouping(reads(op, own)) {
		return 0, false
	}
	groups := (sum.Extent + i.Group() - 1) / i.Group()
	return steps, tir.Uses(x, sum.Var) && tir.Uses(y, sum.Var) && groups*i.Group() < mostWaste*sum.Extent &&
		(i.Wraps || !i.IsTile() || sum.Extent%i.Group() == 0) &&
		(!i.IsTile() || shared.Buffer.Type == i.A && own.Buffer.Type == i.B && rowsOfTile(op, i, shared, own) >= 0)
}

// lastOver1 returns the last dimension that has more than one element, along which elements lie side by side; the last
// one of all if there is none.
func lastOver1(shape []int64) int {
	for d := len(shape) - 1; d > 0; d-- {
		if shape[d] != 1 {
			return d
		}
	}
	return len(shape) - 1
}

// rowsOfTile returns the axis along which the rows of tiles are: of those that only the first operand depends on, the
// one of the fullest tiles, and the last of these. It returns -1 if all are too empty to be worth it.
func rowsOfTile(op *compute.Op, i *tir.Instruction, first, second *tir.Load) int {
	best, most := -1, 0.0
	cols, steps := op.Axes[len(op.Axes)-1].Extent, op.ReduceAxes[len(op.ReduceAxes)-1].Extent
	for at, a := range op.Axes[:len(op.Axes)-1] {
		tiles := (a.Extent + i.Rows - 1) / i.Rows
		full := float64(a.Extent) / float64(tiles*i.Rows)
		if full >= most && a.Extent > 1 && tir.Uses(first, a.Var) && !tir.Uses(second, a.Var) &&
			i.IsWorth(min(a.Extent, i.Rows)*min(cols, i.Cols)*min(steps, i.Depth)) {
			best, most = at, full
		}
	}
	return best
}

// reads returns how often a product reads elements of an operand, and how many there are.
func reads(op *compute.Op, of *tir.Load) (reads, elems int64) {
	reads, elems = 1, 1
	for _, a := range slices.Concat(op.Axes, op.ReduceAxes) {
		reads *= a.Extent
		if slices.ContainsFunc(of.Index, func(e tir.Expr) bool { return tir.Uses(e, a.Var) }) {
			elems *= a.Extent
		}
	}
	return reads, elems
}

// A rowTile is an instruction that makes the products of a stage, and which of the axes of the sum its steps are of.
type rowTile struct {
	*tir.Instruction
	steps int
}

// instructionsOf returns the instructions of the target that make the products of a stage, of those of equal tiles in
// equal memories the one that takes the least time: a group that is not whole takes as long as one that is.
func instructionsOf(g *Generator, d *compute.DAG, op *compute.Op) []rowTile {
	if g.Target.Kind != target.LLVM {
		return nil
	}
	var list []rowTile
	time := func(r rowTile) float64 { return r.Time(op.ReduceAxes[r.steps].Extent, g.Target.CPU) }
	for _, i := range tir.InstructionsOf(g.Target.CPU, g.Target.Has, g.Target.Hardware.VectorBytes) {
		if !schedule.Computes(i, op) {
			continue
		}
		steps, ok := groupAxes(d, op, i)
		if !ok {
			continue
		}
		row := rowTile{i, steps}
		at := slices.IndexFunc(list, func(r rowTile) bool { return r.Rows == i.Rows && r.Scopes == i.Scopes })
		switch {
		case at < 0:
			list = append(list, row)
		case time(row) < time(list[at]):
			list[at] = row
		}
	}
	return list
}

func hasTiles(list []rowTile) bool {
	return slices.ContainsFunc(list, func(r rowTile) bool { return r.IsTile() })
}

// FeedsInstruction reports whether a stage computes elements that an instruction multiplies: it reads them from memory,
// side by side, so they must be computed before. Elements that are only moved or padded along other axes than the last
// need not be; tiles have no padding.
func FeedsInstruction(t target.Target, s *schedule.State, stage int) bool {
	feeds, tiles := false, false
	for _, reader := range s.Readers(stage) {
		feeds = feeds || s.Stages[reader].ByInstruction()
		tiles = tiles || hasTiles(instructionsOf(&Generator{Target: t}, s.DAG, s.Stages[reader].Op))
	}
	op := s.Stages[stage].Op
	if !feeds || len(op.Axes) == 0 {
		return false
	}
	side := lastOver1(op.Results[0].Shape)
	e, last := s.InlinedBody(stage)[0], op.Axes[side].Var
	if padded, ok := e.(*tir.Select); ok && !tiles && !tir.Reads(padded.Else) && !tir.Uses(padded.Cond, last) {
		e = padded.Then
	}
	l, moves := e.(*tir.Load)
	return !moves || len(l.Index) == 0 || l.Index[lastOver1(l.Buffer.Shape)] != tir.Expr(last)
}

// whenInstruction holds for products that an instruction of the target makes, but for caches of them: registers hold
// the tile either way.
func whenInstruction(g *Generator, s *schedule.State, stage int) Verdict {
	op := s.Stages[stage].Op
	if op.Combine == nil || !NeedsTiling(s, stage) || isCacheWritten(s, stage) || len(instructionsOf(g, s.DAG, op)) == 0 {
		return Skip
	}
	if hasTiles(instructionsOf(g, s.DAG, op)) {
		return ApplyAndSkipRest
	}
	return Apply
}

// tileInstructions tiles a product as tile and tileAndFuse do, but that the innermost piece of a sum is the steps that
// an instruction makes at once, for all lanes of the vector around them:
//
//	for i, j, k             for i.0, j.0, i.1, j.1
//	  C = ...         =>      for k.0
//	                            for i.2, j.2
//	                              for k.1
//	                                for i.3
//	                                  vectorize j.3
//	                                    tensorize k.2 (0,4)
//	                                      C = ...
//
// There are such sketches for each instruction of instructionsOf, beside those without any: where few lanes or steps
// of a group work, vectors of products are faster. If there are tiles, there are sketches of these only: they make the
// products several times as fast as all else.
func tileInstructions(g *Generator, s *schedule.State, stage int) ([]Next, error) {
	var derived []Next
	rows := instructionsOf(g, s.DAG, s.Stages[stage].Op)
	tiles := hasTiles(rows)
	for _, row := range rows {
		if row.IsTile() != tiles {
			continue
		}
		list, err := tileInstruction(g, s, stage, row)
		if err != nil {
			return nil, err
		}
		derived = append(derived, list...)
	}
	return derived, nil
}

func tileInstruction(g *Generator, s *schedule.State, stage int, row rowTile) ([]Next, error) {
	op := s.Stages[stage].Op
	lengths := row.lengths(openLengths(s, stage), op)
	if row.IsTile() {
		lengths = row.tileLengths(openLengths(s, stage), op)
	}
	tiled, splits, err := multiLevelTiling(s, stage, g.Tiling+"R", lengths)
	if err != nil {
		return nil, err
	}
	e := edit{state: tiled, stage: stage}
	last := len(tiled.Stages[stage].Iters) - 1
	e.apply(schedule.Annotate{At: stage, Iter: last - len(op.ReduceAxes), Ann: schedule.Vectorize})
	e.apply(schedule.Annotate{At: stage, Iter: last, Ann: schedule.Tensorize})
	if e.err != nil {
		return nil, e.err
	}
	derived := []Next{{e.state, stage - 1}}
	reader, ok := TileReader(s, stage)
	if !ok {
		return derived, nil
	}
	fused, err := fuseTiles(g, e.state, stage, reader, splits)
	if g.Fuse == AlwaysFuse {
		return fused, err
	}
	return slices.Concat(fused, derived), err
}

// lengths leaves the pieces of all loops open but for the innermost ones of the sum, and of lanes that are no more than
// a vector has.
func (row rowTile) lengths(open func(axis, pieces int) []int64, op *compute.Op) func(axis, pieces int) []int64 {
	return func(axis, pieces int) []int64 {
		lengths := open(axis, pieces)
		switch {
		case axis == len(op.Axes)+row.steps:
			lengths[pieces-1] = row.Depth
			if sum := op.ReduceAxes[row.steps].Extent; sum%row.Depth != 0 {
				lengths[0] = (sum + row.Depth - 1) / row.Depth // the last group is peeled off one loop, see partition
			}
		case axis >= len(op.Axes):
			lengths[pieces-1] = 1
		case axis == len(op.Axes)-1 && op.Axes[axis].Extent <= row.Cols:
			lengths[pieces-1] = op.Axes[axis].Extent
		}
		return lengths
	}
}

// tileLengths leaves the outermost pieces open. Inside, there are two by two tiles of AMX, or up to four along one
// axis; of tiles in vectors, which are more registers, four by four, or eight.
func (row rowTile) tileLengths(open func(axis, pieces int) []int64, op *compute.Op) func(axis, pieces int) []int64 {
	x, y, _ := schedule.Multiplied(op)
	cols := len(op.Axes) - 1
	if tir.Uses(x, op.Axes[cols].Var) {
		x, y = y, x
	}
	rows := rowsOfTile(op, row.Instruction, x, y)
	down := (op.Axes[rows].Extent + row.Rows - 1) / row.Rows
	across := (op.Axes[cols].Extent + row.Cols - 1) / row.Cols
	side := row.side()
	mostDown, mostAcross := side, side
	if across == 1 {
		mostDown = 2 * side
	}
	if down == 1 {
		mostAcross = 2 * side
	}
	return func(axis, pieces int) []int64 {
		lengths := open(axis, pieces)
		last := pieces - 1
		switch {
		case axis == rows:
			lengths[last-1], lengths[last] = min(down, mostDown), min(row.Rows, op.Axes[rows].Extent)
		case axis == cols:
			lengths[last-1], lengths[last] = min(across, mostAcross), row.Cols
		case axis < len(op.Axes):
			lengths[last-1], lengths[last] = 1, 1
		case axis == len(op.Axes)+row.steps:
			lengths[last-1], lengths[last] = row.groups(op.ReduceAxes[row.steps].Extent), row.Group()
		default:
			lengths[last-1], lengths[last] = 1, 1
		}
		return lengths
	}
}

// side returns how many tiles a square of them has in each direction, such that registers suffice for these, for those
// of one operand and for one of the other: a power of two.
func (row rowTile) side() int64 {
	file, _ := row.TileFile()
	n := int64(1)
	for 2*n*2*n+2*n+1 <= file.Registers {
		n *= 2
	}
	return n
}

// groups returns how many groups of steps a tile has, for a sum of so many steps: as many as leave the last tile as
// full as the others where that takes no more tiles.
func (row rowTile) groups(steps int64) int64 {
	groups := (steps + row.Group() - 1) / row.Group()
	most := row.Depth / row.Group()
	tiles := (groups + most - 1) / most
	if groups%tiles == 0 {
		return groups / tiles
	}
	return most
}
