package tirtest

import "github.com/wmtune/wmtune/tir"

// Shorthands for writing programs.

// Buf is a buffer in global memory.
func Buf(name string, t tir.DType, shape ...int64) *tir.Buffer {
	return &tir.Buffer{Name: name, Type: t, Shape: shape}
}

// Local is a temporary.
func Local(name string, t tir.DType, shape ...int64) *tir.Buffer {
	return &tir.Buffer{Name: name, Type: t, Shape: shape, Scope: tir.Local}
}

// V is a variable of a loop.
func V(name string) *tir.Var { return tir.NewVar(name) }

// N is an index.
func N(c int64) tir.Expr { return tir.Int(c) }

// Add, Sub and Mul are arithmetic.
func Add(x, y tir.Expr) tir.Expr { return tir.Bin(tir.Add, x, y) }
func Sub(x, y tir.Expr) tir.Expr { return tir.Bin(tir.Sub, x, y) }
func Mul(x, y tir.Expr) tir.Expr { return tir.Bin(tir.Mul, x, y) }

// At reads an element.
func At(b *tir.Buffer, index ...tir.Expr) tir.Expr { return &tir.Load{Buffer: b, Index: index} }

// Set stores an element.
func Set(b *tir.Buffer, value tir.Expr, index ...tir.Expr) tir.Stmt {
	return &tir.Store{Buffer: b, Index: index, Value: value}
}

// Loop runs a body extent times.
func Loop(kind tir.ForKind, x *tir.Var, extent int64, body ...tir.Stmt) tir.Stmt {
	return &tir.For{Var: x, Extent: tir.Int(extent), Kind: kind, Body: Seq(body...)}
}

// Seq runs statements one after the other; of one, it is that.
func Seq(list ...tir.Stmt) tir.Stmt {
	if len(list) == 1 {
		return list[0]
	}
	return &tir.Seq{Stmts: list}
}

// Alloc allocates a temporary around statements.
func Alloc(b *tir.Buffer, body ...tir.Stmt) tir.Stmt {
	return &tir.Alloc{Buffer: b, Body: Seq(body...)}
}

// Fn is a function; its last parameters are outputs.
func Fn(name string, outputs int, body tir.Stmt, params ...*tir.Buffer) *tir.Func {
	return &tir.Func{Name: name, Params: params, Outputs: outputs, Body: body}
}
