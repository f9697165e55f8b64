package op

import (
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir"
)

// The functions of this file write TensorIR by hand, for Opaque.

// parameter returns a parameter for a value of a node.
func parameter(name string, v *graph.Value) *tir.Buffer {
	return &tir.Buffer{Name: name, Type: v.Type, Shape: slices.Clone(v.Shape)}
}

// function returns a function of parameters, the last outputs of which are outputs.
func function(name string, outputs int, body tir.Stmt, params ...*tir.Buffer) *tir.Func {
	return &tir.Func{Name: name, Params: params, Outputs: outputs, Body: body}
}

func load(b *tir.Buffer, at ...tir.Expr) tir.Expr { return &tir.Load{Buffer: b, Index: at} }

func store(b *tir.Buffer, v tir.Expr, at ...tir.Expr) tir.Stmt {
	return &tir.Store{Buffer: b, Index: at, Value: v}
}

func alloc(b *tir.Buffer, body tir.Stmt) tir.Stmt { return &tir.Alloc{Buffer: b, Body: body} }

// loop runs body for 0..extent-1, in order.
func loop(name string, extent int64, body func(i tir.Expr) tir.Stmt) tir.Stmt {
	v := tir.NewVar(name)
	return &tir.For{Var: v, Extent: tir.Int(extent), Body: body(v)}
}

// nest runs body for each point of a shape; the outermost loop is of a kind, the others are serial.
func nest(shape []int64, kind tir.ForKind, body func(at []tir.Expr) tir.Stmt) tir.Stmt {
	vars := make([]*tir.Var, len(shape))
	at := make([]tir.Expr, len(shape))
	for i := range shape {
		vars[i] = tir.NewVar(fmt.Sprintf("i%d", i))
		at[i] = vars[i]
	}
	s := body(at)
	for i := len(shape) - 1; i >= 0; i-- {
		f := &tir.For{Var: vars[i], Extent: tir.Int(shape[i]), Body: s}
		if i == 0 {
			f.Kind = kind
		}
		s = f
	}
	return s
}

// repeated returns where an operand of a shape that broadcasts to the point at is read.
func repeated(shape []int64, at []tir.Expr) []tir.Expr {
	index := make([]tir.Expr, len(shape))
	for d, n := range shape {
		index[d] = tir.Int(0)
		if n != 1 {
			index[d] = at[len(at)-len(shape)+d]
		}
	}
	return index
}

func seq(list ...tir.Stmt) tir.Stmt { return &tir.Seq{Stmts: list} }

// errorFlag returns the parameter that says whether a function failed.
func errorFlag() *tir.Buffer { return &tir.Buffer{Name: "error", Type: tir.I32, Shape: []int64{1}} }

// num32 returns a constant of type int32.
func num32(v int64) tir.Expr { return &tir.IntImm{Value: v, Type: tir.I32} }

// flat returns a parameter for a value as a vector. That of a value without elements has one, since a buffer must have
// some; the function must not touch it.
func flat(name string, v *graph.Value) *tir.Buffer {
	return &tir.Buffer{Name: name, Type: v.Type, Shape: []int64{max(1, v.Elems())}}
}

// elementOf returns where a tensor of at most one dimension has element i.
func elementOf(b *tir.Buffer, i tir.Expr) []tir.Expr {
	if len(b.Shape) == 0 {
		return nil
	}
	return []tir.Expr{i}
}

func setFault(flag *tir.Buffer) tir.Stmt { return store(flag, tir.Const(tir.I32, 1), tir.Int(0)) }

// clearFault must run before setFault may.
func clearFault(flag *tir.Buffer) tir.Stmt { return store(flag, tir.Const(tir.I32, 0), tir.Int(0)) }

// noFault holds unless setFault ran.
func noFault(flag *tir.Buffer) tir.Expr { return eq(load(flag, tir.Int(0)), tir.Const(tir.I32, 0)) }

// vectorLanes is how many iterations vectors has in one vector operation.
const vectorLanes = 16

// vectors runs body for 0..extent-1 in vectors of 16, and the rest in one vector. Iterations must be independent of
// each other. Body is called twice at most.
func vectors(name string, extent int64, body func(i tir.Expr) tir.Stmt) tir.Stmt {
	return chunks(name, extent, func(base tir.Expr, width int64) tir.Stmt {
		return vector(name, width, func(lane tir.Expr) tir.Stmt { return body(add(base, lane)) })
	})
}

// vector runs body for 0..width-1 as the lanes of one vector.
func vector(name string, width int64, body func(lane tir.Expr) tir.Stmt) tir.Stmt {
	lane := tir.NewVar(name + "_lane")
	return &tir.For{Var: lane, Extent: tir.Int(width), Kind: tir.Vectorized, Body: body(lane)}
}

// chunks runs body for the first of each 16 of 0..extent-1, and once for the rest, with their number. Body is called
// twice at most.
func chunks(name string, extent int64, body func(base tir.Expr, width int64) tir.Stmt) tir.Stmt {
	var list []tir.Stmt
	whole := extent / vectorLanes
	if whole > 0 {
		list = append(list, loop(name, whole, func(i tir.Expr) tir.Stmt {
			return body(times(i, vectorLanes), vectorLanes)
		}))
	}
	if rest := extent % vectorLanes; rest > 0 {
		list = append(list, body(tir.Int(whole*vectorLanes), rest))
	}
	return seq(list...)
}
