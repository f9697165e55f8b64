package lower

import (
	"slices"
	"sort"
	"strconv"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/arith"
)

// An operand is converted ahead if that saves convertReads conversions of each of its elements, or halfReads times as
// many of floats of 16 bits, and convertWork in all. A conversion of many lanes at once counts once; one of a single
// element, which all lanes are multiplied with, takes as long as two or three products of vectors.
var (
	convertReads int64 = 4
	convertWork  int64 = 1 << 16
)

// convert has the program convert operands once, at run time, that it would convert again and again:
//
//	for i in 64:                               alloc A_float32: float32[64, 64]
//	  for j0 in 8:                             for i in 64: for k in 64:
//	    for k in 64:                      =>     A_float32[i, k] = float32(A[i, k])
//	      vectorize j1 in 16:                  for i in 64: ...
//	        C[...] += float32(A[i, k])*B[...]      ... A_float32[i, k]*B[...]
//
// So it does, for each nest that stands outside of all loops, with inputs and with what other nests
// have computed, if all that the nest reads of it becomes one other type. Nothing is
// rounded on the way that was not. As repack it does nothing with layout Keep, and on a GPU.
func convert(f *tir.Func, cfg Config) (*tir.Func, error) {
	if !cfg.mayRelayout(f) {
		return f, nil
	}
	g, list := *f, cfg.instructions(func(i *tir.Instruction) bool { return true })
	g.Body = eachOperand(localWords(f.Body, list), slices.Clone(f.Params), func(nest, s tir.Stmt, b *tir.Buffer) tir.Stmt {
		s = inWords(f, list, nest, s, b)
		reads := convertReads
		if isHalf(b) {
			reads *= halfReads
		}
		if to := convertedTo(nest, b); to != tir.Invalid && conversions(nest, b) >= max(reads*b.Elems(), convertWork) {
			return converted(s, b, to, writtenOf(f, b), isParallel(nest))
		}
		return s
	})
	return &g, nil
}

// convertedTo returns the type to which all that s reads of b is converted; Invalid if it is not one.
func convertedTo(s tir.Stmt, b *tir.Buffer) tir.DType {
	if tir.Has(s, func(t tir.Stmt) bool {
		l, ok := t.(*tir.For)
		return ok && l.Kind == tir.Tensorized && readsIn(l.Body, b)
	}) {
		return tir.Invalid // an instruction converts it
	}
	to, one, loads := tir.Invalid, true, 0
	tir.VisitAllExprs(s, func(e tir.Expr) bool {
		switch e := e.(type) {
		case *tir.Load:
			if e.Buffer == b {
				loads++
			}
		case *tir.Cast:
			if l, ok := e.X.(*tir.Load); ok && l.Buffer == b {
				loads--
				one = one && (to == tir.Invalid || to == e.To)
				to = e.To
			}
		}
		return true
	})
	if !one || loads != 0 || to == b.Type || to == tir.Bool || b.Type == tir.Bool {
		return tir.Invalid
	}
	return to
}

func readsIn(s tir.Stmt, b *tir.Buffer) bool {
	found := false
	tir.Visit(s, func(t tir.Stmt) bool {
		tir.Exprs(t, func(e tir.Expr) { found = found || tir.ReadsBuffer(e, b) })
		return !found
	})
	return found
}

// conversions returns how many instructions convert elements of b in s, or 0 if the length of a loop
// varies. What does not change in inner loops is converted outside of them.
func conversions(s tir.Stmt, b *tir.Buffer) int64 {
	r := readings{buffer: b}
	r.stmt(s, nil, nil)
	total := int64(0)
	for k, index := range r.index {
		n, inner := int64(1), int64(1)
		for _, l := range r.around[k] {
			extent, ok := l.Extent.(*tir.IntImm)
			switch {
			case !ok:
				return 0
			case l.Kind == tir.Vectorized:
				continue
			}
			inner *= extent.Value
			if slices.ContainsFunc(index, func(e tir.Expr) bool { return tir.Uses(e, l.Var) }) {
				n, inner = n*inner, 1
			}
		}
		if isHalf(b) && inner >= usedOften && isVector(r.around[k], index) {
			continue
		}
		total += n
	}
	return total
}

// Floats of 16 bits take one or two instructions to convert, and half the memory. A vector of them that is used so
// often at once is converted where it is used, as that costs little beside the products.
const (
	halfReads = 2
	usedOften = 4
)

func isHalf(b *tir.Buffer) bool { return b.Type == tir.F16 || b.Type == tir.BF16 }

// isVector reports whether an index is along the lanes of a vector.
func isVector(around []*tir.For, index []tir.Expr) bool {
	return slices.ContainsFunc(around, func(l *tir.For) bool {
		return l.Kind == tir.Vectorized && slices.ContainsFunc(index, func(e tir.Expr) bool { return tir.Uses(e, l.Var) })
	})
}

// A part is the elements from first to last of one dimension of a buffer.
type part struct{ first, last int64 }

// writtenOf returns the part of each dimension of b that f writes, as far as it can tell; all of a parameter.
// Of a temporary no more is computed than what its readers need.
func writtenOf(f *tir.Func, b *tir.Buffer) []part {
	whole := make([]part, len(b.Shape))
	for d, n := range b.Shape {
		whole[d] = part{0, n - 1}
	}
	if slices.Contains(f.Params, b) {
		return whole
	}
	var parts []part
	a := arith.NewSimplifier()
	var walk func(s tir.Stmt) tir.Stmt
	walk = func(s tir.Stmt) tir.Stmt {
		switch s := s.(type) {
		case *tir.For:
			if _, n, ok := a.Bounds(s.Extent); ok {
				a.Bind(s.Var, 0, max(n-1, 0))
			}
		case *tir.If:
			m := a.Assume(s.Cond)
			walk(s.Then)
			a.Release(m)
			if s.Else != nil {
				walk(s.Else)
			}
			return s
		case *tir.Store:
			if s.Buffer == b {
				parts = widened(parts, partsOf(a, s.Index, b.Shape))
			}
		}
		return tir.MapChildren(s, walk)
	}
	walk(f.Body)
	if parts == nil {
		return whole
	}
	return parts
}

// partsOf returns where an index of a buffer of a shape can be by what a knows.
func partsOf(a *arith.Simplifier, index []tir.Expr, shape []int64) []part {
	parts := make([]part, len(shape))
	for d, n := range shape {
		holds := func(op tir.BinOp, at int) bool {
			c, ok := a.Expr(tir.Bin(op, index[d], tir.Int(int64(at)))).(*tir.IntImm)
			return ok && c.Value != 0
		}
		most := int(n - 1)
		parts[d].last = int64(sort.Search(most, func(k int) bool { return holds(tir.LE, k) }))
		parts[d].first = int64(most - sort.Search(most, func(k int) bool { return holds(tir.GE, most-k) }))
		if parts[d].first > parts[d].last { // a store that never happens
			parts[d] = part{0, n - 1}
		}
	}
	return parts
}

// widened returns parts with others added to them; the others if there are none.
func widened(parts, others []part) []part {
	for d, p := range parts {
		others[d] = part{min(p.first, others[d].first), max(p.last, others[d].last)}
	}
	return others
}

// converted has s read a copy of b in another type, which it makes first of the written parts.
func converted(s tir.Stmt, b *tir.Buffer, to tir.DType, written []part, parallel bool) tir.Stmt {
	other := &tir.Buffer{Name: b.Name + "_" + to.String(), Type: to, Shape: b.Shape}
	read := tir.MapStmt(s, nil, func(e tir.Expr) tir.Expr {
		return tir.MapExpr(e, func(x tir.Expr) tir.Expr {
			if c, ok := x.(*tir.Cast); ok {
				if l, ok := c.X.(*tir.Load); ok && l.Buffer == b {
					return &tir.Load{Buffer: other, Index: l.Index}
				}
			}
			return x
		})
	})
	return &tir.Alloc{Buffer: other, Body: tir.Sequence(convertAll(b, other, written, parallel), read)}
}

// convertAll makes the copy of the written parts, in vectors if rows are whole ones.
func convertAll(b, other *tir.Buffer, written []part, parallel bool) tir.Stmt {
	index := make([]tir.Expr, len(b.Shape))
	var loops []*tir.For
	for d, p := range written {
		n := p.last - p.first + 1
		v := tir.NewVar("c" + strconv.Itoa(d))
		index[d] = v
		lanes := int64(16)
		for ; d == len(b.Shape)-1 && lanes > 1 && n%lanes != 0; lanes /= 2 {
		}
		if d < len(b.Shape)-1 || lanes == 1 {
			loops = append(loops, &tir.For{Var: v, Extent: tir.Int(n)})
			continue
		}
		lane := tir.NewVar(v.Name + "_lane")
		index[d] = tir.Bin(tir.Add, tir.Bin(tir.Mul, v, tir.Int(lanes)), lane)
		loops = append(loops, &tir.For{Var: v, Extent: tir.Int(n / lanes)},
			&tir.For{Var: lane, Extent: tir.Int(lanes), Kind: tir.Vectorized})
	}
	for d, p := range written {
		if p.first > 0 {
			index[d] = tir.Bin(tir.Add, index[d], tir.Int(p.first))
		}
	}
	if parallel && b.Elems() >= parallelRepack {
		if i := slices.IndexFunc(loops, func(l *tir.For) bool { return l.Extent.(*tir.IntImm).Value > 1 }); i >= 0 &&
			loops[i].Kind == tir.Serial {
			loops[i].Kind = tir.Parallel
		}
	}
	var body tir.Stmt = &tir.Block{Name: "convert_" + b.Name, Body: &tir.Store{Buffer: other, Index: index,
		Value: &tir.Cast{X: &tir.Load{Buffer: b, Index: index}, To: other.Type}}}
	for _, l := range slices.Backward(loops) {
		l.Body = body
		body = l
	}
	return body
}
