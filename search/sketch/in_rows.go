package sketch

import (
	"slices"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/schedule"
)

// TileRows are the stages of a convolution in Winograd's tiles that have loops of their own, and the outer loops of
// what reads it, of which one is over rows of tiles, i.0:
//
//	for ...: tiles = ...
//	for ...: product = ...
//	for d, i.0, j.0, co.0: for i.1, j.1, co.1: relu = ...
type TileRows struct {
	Tiles, Product, Reader int

	Split  int    // the stage that has the splits of the product: itself, or its cache
	Row    int    // the reader's loop i.0
	Shares []bool // by loop before it: iterations read the same tiles, as those along d do
	Across int64  // tiles of a row
	Splits []int  // numbers of the steps that split the axes of all tiles of Tiles and Split
}

// TileRowsOf returns the convolution in tiles whose reader a stage is; ok is false if it is none, or if the stages are
// placed in its loops.
func TileRowsOf(s *schedule.State, reader int) (r TileRows, ok bool) {
	if s.Stages[reader].At != schedule.AtRoot || s.Stages[reader].Op.IsPlaceholder() {
		return r, false
	}
	inverse := -1
	for stage := range reader {
		at, attached := s.Attach.At(stage)
		if _, ok := madeBy(s, stage).(schedule.Winograd); ok && attached && at.Stage == reader &&
			ComputedInTiles(s, stage) != nil {
			inverse = stage
		}
	}
	if inverse < 0 {
		return r, false
	}
	var roots []int // of what it is made of, the last first
	for _, op := range chain(s, s.Stages[inverse].Op) {
		stage := slices.IndexFunc(s.Stages, func(st *schedule.Stage) bool { return st.Op == op })
		if s.Stages[stage].At == schedule.AtRoot {
			roots = append(roots, stage)
		}
	}
	if len(roots) != 2 || !IsTiled(s.Stages[roots[1]]) {
		return r, false
	}
	r = TileRows{Tiles: roots[1], Product: roots[0], Reader: reader, Split: roots[0]}
	if r.Split > 0 && isCacheWritten(s, r.Split-1) {
		r.Split--
	}
	tiles, axes := readTiles(s, inverse)
	if len(axes) != 2 || !IsTiled(s.Stages[r.Split]) || !HasReduceIter(s.Stages[r.Split]) {
		return r, false
	}
	h, w := axes[0], axes[1]
	if h > w {
		return r, false // a row of tiles is along w
	}
	r.Row = h
	r.Across = (s.Stages[reader].Op.Axes[w].Extent + tiles[w] - 1) / tiles[w]
	return r, r.follow(s)
}

// chain returns the producers of op, each the only one that is computed of the one before, as long as Winograd's
// stages have only one.
func chain(s *schedule.State, op *compute.Op) []*compute.Op {
	var list []*compute.Op
	for {
		producers := slices.DeleteFunc(s.Current.Access().DirectProducers(op), (*compute.Op).IsPlaceholder)
		if len(producers) != 1 || len(list) == 4 { // columns, product, its cache, tiles
			return list
		}
		op = producers[0]
		list = append(list, op)
		if len(op.Attrs.SimplifyConstTensorIndices) > 0 && len(list) > 1 {
			return list
		}
	}
}

// inTile is how many axes of tiles and products are places in a tile: eps, nu.
const inTile = 2

// follow finds Shares and Splits by how the product reads the tiles. Its axes are eps, nu, and those of the
// convolution, with p in the place of both dimensions that tiles are of.
func (r *TileRows) follow(s *schedule.State) bool {
	op, from := s.Stages[r.Split].Op, s.Stages[r.Tiles].Op
	var index []tir.Expr
	for _, read := range s.Current.Access().Reads(op) {
		if read.From == from && len(read.Loads) == 1 {
			index = read.Loads[0].Index
		}
	}
	if len(op.Axes) <= inTile+r.Row {
		return false
	}
	for _, a := range op.Axes[inTile:][:r.Row] {
		r.Shares = append(r.Shares, !slices.Contains(index, tir.Expr(a.Var)))
	}
	p := op.Axes[inTile+r.Row]
	at := slices.IndexFunc(index, func(e tir.Expr) bool { return e == tir.Expr(p.Var) })
	own, theirs := SpatialSplits(s, r.Split), Splits(s, r.Tiles)
	if at < inTile || len(own) != len(op.Axes) || len(theirs) != len(from.Axes)-inTile {
		return false
	}
	r.Splits = []int{own[len(own)-1-inTile-r.Row], theirs[len(theirs)-1-(at-inTile)]} // the last is first
	return true
}
