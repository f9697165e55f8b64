package lower

import "github.com/wmtune/wmtune/tir"

// An operand of an instruction is widened ahead if each of its elements is read by widenReads of them, on average, and
// by convertWork in all: an instruction of a shared operand takes one to spread it and one to widen it, and a vector of
// words is spread from memory at once.
var widenReads int64 = 2

// inWords has the program widen an operand once, at run time, that an instruction would widen again and again, if there
// is an instruction that does the rest:
//
//	for i in 64: ...                                alloc A_int16: int16[64, 64]
//	  vectorize j in 8:                             for i in 64: for k in 64: A_int16[i, k] = int16(A[i, k])
//	    tensorize k in 2 by vpmaddwd.256:      =>   for i in 64: ... vectorize j in 8:
//	      C[i, j] += int32(A[i, 2*k0+k])*...          tensorize k in 2 by vpmaddwd.256.words:
//	                                                    C[i, j] += int32(A_int16[i, 2*k0+k])*...
//
// Whatever else reads the operand reads it as it was.
func inWords(f *tir.Func, list []*tir.Instruction, nest, s tir.Stmt, b *tir.Buffer) tir.Stmt {
	reads := int64(0)
	wide, _ := widerOf(nest, list, b, func(l *tir.For, around []*tir.For) {
		n := int64(1)
		for _, k := range around {
			if extent, ok := k.Extent.(*tir.IntImm); !ok {
				n = 0
			} else if k.Kind != tir.Vectorized {
				n *= extent.Value
			}
		}
		reads += n * l.Instruction.Depth
	})
	_, loops := widerOf(s, list, b, nil)
	if wide == nil || reads < max(widenReads*b.Elems(), convertWork) {
		return s
	}
	other := &tir.Buffer{Name: b.Name + "_" + wide.A.String(), Type: wide.A, Shape: b.Shape}
	return &tir.Alloc{Buffer: other, Body: tir.Sequence(convertAll(b, other, writtenOf(f, b), isParallel(nest)),
		readWords(s, loops, wide, b, other))}
}

// widerOf returns the loops in s by instructions of elements of b, and the one instruction that does the rest of all of
// them; nil if there is none. It calls each, if not nil, for each loop.
func widerOf(s tir.Stmt, list []*tir.Instruction, b *tir.Buffer, each func(l *tir.For, around []*tir.For),
) (wide *tir.Instruction, loops map[*tir.For]bool) {
	loops = map[*tir.For]bool{}
	one := true
	tensorized(s, b, nil, func(l *tir.For, around []*tir.For) {
		w := l.Instruction.Wider(list)
		one = one && (wide == w || len(loops) == 0)
		wide, loops[l] = w, true
		if each != nil {
			each(l, around)
		}
	})
	if !one {
		return nil, loops
	}
	return wide, loops
}

// localWords has each temporary that one part of a parallel loop makes of an operand, such as a padded image, hold
// words, if it is read by nothing but such instructions.
func localWords(s tir.Stmt, list []*tir.Instruction) tir.Stmt {
	a, ok := s.(*tir.Alloc)
	if !ok {
		return tir.MapChildren(s, func(t tir.Stmt) tir.Stmt { return localWords(t, list) })
	}
	body, b := localWords(a.Body, list), a.Buffer
	wide, loops := widerOf(body, list, b, nil)
	other := false // another reader
	tir.Visit(body, func(t tir.Stmt) bool {
		if l, ok := t.(*tir.For); ok && loops[l] {
			return false
		}
		tir.Exprs(t, func(e tir.Expr) { other = other || tir.ReadsBuffer(e, b) })
		return true
	})
	if wide == nil || other {
		return &tir.Alloc{Buffer: b, Body: body}
	}
	words := new(tir.Buffer)
	*words = *b
	words.Type = wide.A
	return &tir.Alloc{Buffer: words, Body: tir.MapStmt(readWords(body, loops, wide, b, words), func(t tir.Stmt) tir.Stmt {
		if w, ok := t.(*tir.Store); ok && w.Buffer == b {
			return &tir.Store{Buffer: words, Index: w.Index, Value: inWord(w.Value, wide.A)}
		}
		return t
	}, nil)}
}

// inWord returns e in a wider type. What is padded is widened where it is not.
func inWord(e tir.Expr, to tir.DType) tir.Expr {
	if s, ok := e.(*tir.Select); ok {
		return &tir.Select{Cond: s.Cond, Then: inWord(s.Then, to), Else: inWord(s.Else, to), Lazy: s.Lazy}
	}
	if c, ok := e.(*tir.IntImm); ok {
		return &tir.IntImm{Value: c.Value, Type: to}
	}
	return &tir.Cast{X: e, To: to}
}

// readWords has loops read other in place of b, by an instruction for that.
func readWords(s tir.Stmt, loops map[*tir.For]bool, by *tir.Instruction, b, other *tir.Buffer) tir.Stmt {
	l, ok := s.(*tir.For)
	if !ok || !loops[l] {
		return tir.MapChildren(s, func(t tir.Stmt) tir.Stmt { return readWords(t, loops, by, b, other) })
	}
	k := *l
	k.Instruction = by
	k.Body = tir.MapStmt(l.Body, nil, func(e tir.Expr) tir.Expr { return wordsOf(e, b, other) })
	return &k
}

// tensorized calls do for each loop in s that an instruction makes of elements of b, its operand A, with the loops
// around.
func tensorized(s tir.Stmt, b *tir.Buffer, around []*tir.For, do func(l *tir.For, around []*tir.For)) {
	l, ok := s.(*tir.For)
	if ok && l.Kind == tir.Tensorized && l.Instruction != nil && !l.Instruction.IsTile() {
		if st := tir.Accumulated(l, true); st != nil {
			x, y, _ := tir.Factors(st.Value.(*tir.Binary).Y)
			for _, e := range []tir.Factor{x, y} {
				if e.Load != nil && e.Buffer == b && e.Mask == 0 && b.Type == l.Instruction.A {
					do(l, around)
				}
			}
		}
		return
	}
	if ok {
		around = append(around[:len(around):len(around)], l)
	}
	tir.MapChildren(s, func(t tir.Stmt) tir.Stmt {
		tensorized(t, b, around, do)
		return t
	})
}

// wordsOf has e read other in place of b. What stands for an element where there is none is of its type.
func wordsOf(e tir.Expr, b, other *tir.Buffer) tir.Expr {
	return tir.MapExpr(e, func(x tir.Expr) tir.Expr {
		switch x := x.(type) {
		case *tir.Load:
			if x.Buffer == b {
				return &tir.Load{Buffer: other, Index: x.Index}
			}
		case *tir.Select:
			if c, ok := x.Else.(*tir.IntImm); ok && c.Type == b.Type && x.Then.DType() == other.Type {
				return &tir.Select{Cond: x.Cond, Then: x.Then, Else: inWord(c, other.Type), Lazy: x.Lazy}
			}
		}
		return x
	})
}
