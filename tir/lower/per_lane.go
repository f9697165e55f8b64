package lower

import "github.com/wmtune/wmtune/tir"

// perLaneProducts has each thread compute its own elements of the tiles that its warp
// multiplies:
//
//	mma C[0] += A[0, 0] by [1, 0] and [0, 1] * B[0, 0] by [1, 0] and [0, 1] in lane t
//	=>
//	for e in 4:
//	  for k in 16:
//	    C[0, e] = C[0, e] + A[t/4 + e/2*8, k]*B[k, t%4*2 + e%2]        in float32
//
// Operands of float32 are rounded to tf32 as tensor cores do.
// Nothing is lost by it: what a warp reads was there before the last barrier.
func perLaneProducts(s tir.Stmt) tir.Stmt {
	return tir.MapStmt(s, func(s tir.Stmt) tir.Stmt {
		if m, ok := s.(*tir.MMA); ok {
			return laneProduct(m)
		}
		return s
	}, nil)
}

func laneProduct(m *tir.MMA) tir.Stmt {
	e, k := tir.NewVar("e"), tir.NewVar("k")
	row, col := tir.MMAPlace(m.Lane, e)
	own := element{m.Buffer, append(m.Index[:len(m.Index):len(m.Index)], e)}
	wide := func(l *tir.Load) tir.Expr {
		if m.Rounds() {
			return &tir.Call{Fn: tir.TF32, Args: []tir.Expr{l}}
		}
		return &tir.Cast{X: l, To: tir.F32}
	}
	product := tir.Bin(tir.Mul, wide(m.A.At(row, k)), wide(m.B.At(k, col)))
	return &tir.For{Var: e, Extent: tir.Int(tir.MMAElems), Body: &tir.For{
		Var: k, Extent: tir.Int(m.Depth()), Body: own.store(tir.Bin(tir.Add, own.load(), product)),
	}}
}
