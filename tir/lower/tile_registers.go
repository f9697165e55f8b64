package lower

import (
	"slices"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/arith"
)

// A tileInRegisters is a tile that products add to.
type tileInRegisters struct {
	first      []tir.Expr // index of its first element
	row, col   int        // dimensions along which rows and columns are, -1 if there is only one
	rows, cols int64
	by         *tir.Instruction
}

// inRegisters returns sums in registers, with init before. There are no conditions.
func (t tiler) inRegisters(init, sums tir.Stmt, c *tir.Buffer) tir.Stmt {
	var list []tileInRegisters
	of := map[*tir.For]int{} // number of the tile of a product, by the outermost of its loops
	fits := true
	tir.Visit(sums, func(s tir.Stmt) bool {
		l, ok := s.(*tir.For)
		if !ok || !isTile(l) {
			return fits
		}
		tile, ok := t.tileOf(l, c)
		if !ok {
			fits = false
			return false
		}
		n := slices.IndexFunc(list, tile.equal)
		if n < 0 {
			fits = fits && !slices.ContainsFunc(list, func(o tileInRegisters) bool { return !t.apart(tile, o) })
			n, list = len(list), append(list, tile)
		}
		of[l] = n
		return false
	})
	if !fits || !t.fit(sums, list) {
		return nil
	}
	by := list[0].by
	b := &tir.Buffer{Name: c.Name + ".tile", Type: c.Type, Shape: []int64{int64(len(list)), by.Rows, by.Cols},
		Scope: by.Scopes[2]}
	zero := t.sets(init, list, c)
	var before, after []tir.Stmt
	if !zero && init != nil {
		before = append(before, init)
	}
	for n, tile := range list {
		n := int64(n)
		before = append(before, tile.loops(func(row, col tir.Expr) tir.Stmt {
			var value tir.Expr = &tir.Load{Buffer: c, Index: tile.at(row, col)}
			if zero {
				value = tir.Const(c.Type, 0)
			}
			return &tir.Store{Buffer: b, Index: []tir.Expr{tir.Int(n), row, col}, Value: value}
		}))
		after = append(after, tile.loops(func(row, col tir.Expr) tir.Stmt {
			value := &tir.Load{Buffer: b, Index: []tir.Expr{tir.Int(n), row, col}}
			return &tir.Store{Buffer: c, Index: tile.at(row, col), Value: value}
		}))
	}
	sums = tir.MapStmt(sums, func(s tir.Stmt) tir.Stmt {
		l, ok := s.(*tir.For)
		if !ok || !isTile(l) {
			return s
		}
		n, ok := of[l]
		if !ok {
			return s
		}
		loops, _ := tir.TileLoopsOf(l)
		return replaceBuffer(l, c, nil, b, []tir.Expr{tir.Int(int64(n)), loops.Rows.Var, loops.Cols.Var})
	}, nil)
	return &tir.Alloc{Buffer: b, Body: tir.Sequence(append(append(before, sums), after...)...)}
}

// fit reports whether registers suffice for the tiles that sums adds to and for what it multiplies. A register has
// one shape in a function. Products of whole tiles load each operand once for all that multiply it; others load the
// second one again, so that there is one of a shape.
func (t tiler) fit(sums tir.Stmt, list []tileInRegisters) bool {
	file, _ := list[0].by.TileFile()
	tiles, whole := int64(len(list)), true
	var seen [2]map[string]bool
	need := map[[2]int64]int64{}
	for o := range seen {
		seen[o] = map[string]bool{}
	}
	for l := range tir.StmtsIn[*tir.For](sums) {
		n, ok := tir.TileLoopsOf(l)
		if !ok || n.Groups == nil {
			continue
		}
		whole = whole && n.IsWhole()
		zero := map[*tir.Var]tir.Expr{}
		for _, l := range []*tir.For{n.Groups, n.Rows, n.Cols, n.Steps} {
			zero[l.Var] = tir.Int(0)
		}
		for o, e := range []*tir.Load{n.A, n.B} {
			seen[o][t.text(tir.Substitute(e, zero).(*tir.Load).Index)] = true
		}
		rows, cols, groups, _, _ := n.Extents()
		a, b := [2]int64{rows, groups}, [2]int64{groups, cols}
		need[a], need[b] = max(need[a], 1), max(need[b], 1)
		if a == b {
			need[a] = 2
		}
	}
	if whole {
		return tiles+int64(min(len(seen[0]), len(seen[1])))+1 <= file.Registers
	}
	for _, n := range need {
		tiles += n
	}
	return tiles <= file.Registers
}

// tileOf returns the tile of c that a product whose outermost loop is l adds to.
func (t tiler) tileOf(l *tir.For, c *tir.Buffer) (tile tileInRegisters, ok bool) {
	loops, ok := tir.TileLoopsOf(l)
	if !ok || loops.Groups == nil || loops.Store.Buffer != c {
		return tile, false
	}
	rows, cols, _, steps, ok := loops.Extents()
	tile = tileInRegisters{row: -1, col: -1, rows: rows, cols: cols, by: loops.By}
	for d, e := range loops.Store.Index {
		for of, v := range map[*int]*tir.Var{&tile.row: loops.Rows.Var, &tile.col: loops.Cols.Var} {
			k, linear := arith.Coefficient(e, v)
			if !linear || k != 0 && (k != 1 || *of >= 0) {
				return tile, false
			}
			if k == 1 {
				*of = d
			}
		}
		zero := map[*tir.Var]tir.Expr{loops.Rows.Var: tir.Int(0), loops.Cols.Var: tir.Int(0)}
		tile.first = append(tile.first, t.Expr(tir.Substitute(e, zero)))
	}
	apart := tile.row != tile.col || tile.row < 0 // else rows and columns have elements in common
	return tile, ok && apart && (tile.row >= 0 || rows == 1) && (tile.col >= 0 || cols == 1) &&
		(steps == loops.By.Group() || loops.By.Wraps)
}

func (x tileInRegisters) equal(y tileInRegisters) bool {
	return x.rows == y.rows && x.cols == y.cols && x.row == y.row && x.col == y.col &&
		slices.EqualFunc(x.first, y.first, tir.EqualExpr)
}

// apart reports whether two tiles have no element in common.
func (t tiler) apart(x, y tileInRegisters) bool {
	for d := range x.first {
		by, ok := t.Expr(tir.Bin(tir.Sub, y.first[d], x.first[d])).(*tir.IntImm)
		if !ok {
			continue
		}
		if by.Value >= x.along(d) || -by.Value >= y.along(d) {
			return true
		}
	}
	return false
}

// along returns how many elements a tile has along a dimension.
func (x tileInRegisters) along(d int) int64 {
	switch d {
	case x.row:
		return x.rows
	case x.col:
		return x.cols
	}
	return 1
}

// at returns the index of an element.
func (x tileInRegisters) at(row, col tir.Expr) []tir.Expr {
	index := slices.Clone(x.first)
	for d, e := range map[int]tir.Expr{x.row: row, x.col: col} {
		if d < 0 {
			continue
		}
		if index[d] = tir.Bin(tir.Add, index[d], e); tir.EqualExpr(x.first[d], tir.Int(0)) {
			index[d] = e
		}
	}
	return index
}

// loops returns the loops over the elements of a tile, by its instruction.
func (x tileInRegisters) loops(body func(row, col tir.Expr) tir.Stmt) tir.Stmt {
	i, j := tir.NewVar("i"), tir.NewVar("j")
	cols := &tir.For{Var: j, Extent: tir.Int(x.cols), Kind: tir.Vectorized, Instruction: x.by, Body: body(i, j)}
	if x.col < 0 {
		cols.Kind = tir.Tensorized // there is one, which no index depends on
	}
	return &tir.For{Var: i, Extent: tir.Int(x.rows), Kind: tir.Tensorized, Instruction: x.by, Body: cols}
}

// sets reports whether init sets all elements of the tiles to 0, and nothing else.
func (t tiler) sets(init tir.Stmt, list []tileInRegisters, c *tir.Buffer) bool {
	rows := map[string]int64{} // columns, by the index of the first element of a row
	if init == nil || !t.zeroRows(init, c, rows) {
		return false
	}
	n := 0
	for _, x := range list {
		for i := range x.rows {
			if n++; rows[t.text(x.at(tir.Int(i), tir.Int(0)))] != x.cols {
				return false
			}
		}
	}
	return n == len(rows)
}

// mostRows is how many rows all tiles in registers have at most.
const mostRows = 6 * 16

// zeroRows adds the rows that s sets to 0, and reports whether that is all that it does.
func (t tiler) zeroRows(s tir.Stmt, c *tir.Buffer, rows map[string]int64) bool {
	switch s := s.(type) {
	case *tir.Block:
		return t.zeroRows(s.Body, c, rows)
	case *tir.Pragma:
		return t.zeroRows(s.Body, c, rows)
	case *tir.Seq:
		return !slices.ContainsFunc(s.Stmts, func(u tir.Stmt) bool { return !t.zeroRows(u, c, rows) })
	case *tir.For:
		if !runs(s) {
			return false
		}
		n := s.Extent.(*tir.IntImm).Value
		at := func(i int64, body tir.Stmt) tir.Stmt {
			return tir.SubstituteStmt(body, map[*tir.Var]tir.Expr{s.Var: tir.Int(i)})
		}
		if s.Kind == tir.Vectorized {
			st, ok := inBlocks(s.Body).(*tir.Store)
			if !ok || len(st.Index) == 0 {
				return false
			}
			last := len(st.Index) - 1
			k, ok := arith.Coefficient(st.Index[last], s.Var)
			for _, e := range st.Index[:last] {
				ok = ok && !tir.Uses(e, s.Var)
			}
			return ok && k == 1 && t.zeroRow(at(0, st).(*tir.Store), n, c, rows)
		}
		for i := range n {
			if len(rows) > mostRows || !t.zeroRows(at(i, s.Body), c, rows) {
				return false
			}
		}
		return true
	case *tir.If:
		if cond, ok := t.Expr(s.Cond).(*tir.IntImm); !ok {
			return false
		} else if cond.Value != 0 {
			return t.zeroRows(s.Then, c, rows)
		}
		return s.Else == nil || t.zeroRows(s.Else, c, rows)
	case *tir.Store:
		return t.zeroRow(s, 1, c, rows)
	}
	return false
}

func (t tiler) zeroRow(s *tir.Store, cols int64, c *tir.Buffer, rows map[string]int64) bool {
	at := t.text(s.Index)
	if rows[at] != 0 || s.Buffer != c || !tir.EqualExpr(s.Value, tir.Const(c.Type, 0)) {
		return false
	}
	rows[at] = cols
	return true
}

func inBlocks(s tir.Stmt) tir.Stmt {
	for {
		b, ok := s.(*tir.Block)
		if !ok {
			return s
		}
		s = b.Body
	}
}

// text returns an index in a form that is the same for equal ones.
func (t tiler) text(index []tir.Expr) (text string) {
	for _, e := range index {
		text += t.Expr(e).String() + ", "
	}
	return text
}
