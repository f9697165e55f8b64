package expr

import (
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir"
)

// The functions of this file write TensorIR by hand, for Opaque.

// Parameter returns a parameter for a value of a node.
func Parameter(name string, v *graph.Value) *tir.Buffer {
	return &tir.Buffer{Name: name, Type: v.Type, Shape: slices.Clone(v.Shape)}
}

// NewFunc returns a function of parameters, the last outputs of which are outputs.
func NewFunc(name string, outputs int, body tir.Stmt, params ...*tir.Buffer) *tir.Func {
	return &tir.Func{Name: name, Params: params, Outputs: outputs, Body: body}
}

func Load(b *tir.Buffer, at ...tir.Expr) tir.Expr { return &tir.Load{Buffer: b, Index: at} }

func Store(b *tir.Buffer, v tir.Expr, at ...tir.Expr) tir.Stmt {
	return &tir.Store{Buffer: b, Index: at, Value: v}
}

func Alloc(b *tir.Buffer, body tir.Stmt) tir.Stmt { return &tir.Alloc{Buffer: b, Body: body} }

// Loop runs body for 0..extent-1, in order.
func Loop(name string, extent int64, body func(i tir.Expr) tir.Stmt) tir.Stmt {
	v := tir.NewVar(name)
	return &tir.For{Var: v, Extent: tir.Int(extent), Body: body(v)}
}

// Nest runs body for each point of a shape; the outermost loop is of a kind, the others are serial.
func Nest(shape []int64, kind tir.ForKind, body func(at []tir.Expr) tir.Stmt) tir.Stmt {
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

// Rows is Nest with the last dimension in vectors of 16, as Vectors has them. Of one dimension of a parallel nest,
// blocks of a row are parallel.
func Rows(shape []int64, kind tir.ForKind, body func(at []tir.Expr) tir.Stmt) tir.Stmt {
	d := len(shape) - 1
	switch {
	case d < 0:
		return body(nil)
	case d == 0 && kind == tir.Parallel && shape[0] >= 2*rowBlock:
		blocks := shape[0] / rowBlock
		all := Nest([]int64{blocks}, kind, func(at []tir.Expr) tir.Stmt {
			return Vectors("v", rowBlock, func(i tir.Expr) tir.Stmt {
				return body([]tir.Expr{Add(Times(at[0], rowBlock), i)})
			})
		})
		rest := shape[0] - blocks*rowBlock
		if rest == 0 {
			return all
		}
		return Seq(all, Vectors("v", rest, func(i tir.Expr) tir.Stmt { return body([]tir.Expr{Plus(i, blocks*rowBlock)}) }))
	case d == 0:
		return Vectors("v", shape[0], func(i tir.Expr) tir.Stmt { return body([]tir.Expr{i}) })
	}
	return Nest(shape[:d], kind, func(at []tir.Expr) tir.Stmt {
		return Vectors("v", shape[d], func(i tir.Expr) tir.Stmt { return body(slices.Concat(at, []tir.Expr{i})) })
	})
}

// rowBlock is how many elements of one long row a thread takes at a time.
const rowBlock = 1024

// Repeated returns where an operand of a shape that broadcasts to the point at is read.
func Repeated(shape []int64, at []tir.Expr) []tir.Expr {
	index := make([]tir.Expr, len(shape))
	for d, n := range shape {
		index[d] = tir.Int(0)
		if n != 1 {
			index[d] = at[len(at)-len(shape)+d]
		}
	}
	return index
}

func Seq(list ...tir.Stmt) tir.Stmt { return &tir.Seq{Stmts: list} }

// ErrorFlag returns the parameter that says whether a function failed.
func ErrorFlag() *tir.Buffer { return &tir.Buffer{Name: "error", Type: tir.I32, Shape: []int64{1}} }

// Num32 returns a constant of type int32.
func Num32(v int64) tir.Expr { return &tir.IntImm{Value: v, Type: tir.I32} }

// Flat returns a parameter for a value as a vector. That of a value without elements has one, since a buffer must have
// some; the function must not touch it.
func Flat(name string, v *graph.Value) *tir.Buffer {
	return &tir.Buffer{Name: name, Type: v.Type, Shape: []int64{max(1, v.Elems())}}
}

// ElementOf returns where a tensor of at most one dimension has element i.
func ElementOf(b *tir.Buffer, i tir.Expr) []tir.Expr {
	if len(b.Shape) == 0 {
		return nil
	}
	return []tir.Expr{i}
}

func SetFault(flag *tir.Buffer) tir.Stmt { return Store(flag, tir.Const(tir.I32, 1), tir.Int(0)) }

// ClearFault must run before setFault may.
func ClearFault(flag *tir.Buffer) tir.Stmt { return Store(flag, tir.Const(tir.I32, 0), tir.Int(0)) }

// NoFault holds unless setFault ran.
func NoFault(flag *tir.Buffer) tir.Expr { return Eq(Load(flag, tir.Int(0)), tir.Const(tir.I32, 0)) }

// vectorLanes is how many iterations vectors has in one vector operation.
const vectorLanes = 16

// Vectors runs body for 0..extent-1 in vectors of 16, and the rest in one vector. Iterations must be independent of
// each other. Body is called twice at most.
func Vectors(name string, extent int64, body func(i tir.Expr) tir.Stmt) tir.Stmt {
	return Chunks(name, extent, func(base tir.Expr, width int64) tir.Stmt {
		return Vector(name, width, func(lane tir.Expr) tir.Stmt { return body(Add(base, lane)) })
	})
}

// Vector runs body for 0..width-1 as the lanes of one vector.
func Vector(name string, width int64, body func(lane tir.Expr) tir.Stmt) tir.Stmt {
	lane := tir.NewVar(name + "_lane")
	return &tir.For{Var: lane, Extent: tir.Int(width), Kind: tir.Vectorized, Body: body(lane)}
}

// Chunks runs body for the first of each 16 of 0..extent-1, and once for the rest, with their number. Body is called
// twice at most. Of nothing there is a loop that runs never.
func Chunks(name string, extent int64, body func(base tir.Expr, width int64) tir.Stmt) tir.Stmt {
	var list []tir.Stmt
	whole := extent / vectorLanes
	if whole > 0 || extent == 0 {
		list = append(list, Loop(name, whole, func(i tir.Expr) tir.Stmt {
			return body(Times(i, vectorLanes), vectorLanes)
		}))
	}
	if rest := extent % vectorLanes; rest > 0 {
		list = append(list, body(tir.Int(whole*vectorLanes), rest))
	}
	return Seq(list...)
}

// ExtentsOf returns the parameter for the extents of a value that depend on data.
func ExtentsOf(v *graph.Value) *tir.Buffer {
	return &tir.Buffer{Name: "extents", Type: tir.I64, Shape: []int64{int64(len(v.Shape))}}
}

// Cleared sets all elements of buffers to 0.
func Cleared(list []*tir.Buffer) tir.Stmt {
	var stmts []tir.Stmt
	for _, b := range list {
		stmts = append(stmts, Nest(b.Shape, tir.Parallel, func(at []tir.Expr) tir.Stmt {
			return Store(b, tir.Const(b.Type, 0), at...)
		}))
	}
	return Seq(stmts...)
}

// Entry reads element i of a vector, or a scalar, of integers.
func Entry(b *tir.Buffer, i int) tir.Expr {
	return Cast(Load(b, ElementOf(b, tir.Int(int64(i)))...), tir.Index)
}

// Elems returns the number of elements of an operand.
func Elems(b *tir.Buffer) int { return int(b.Elems()) }

// Scratch returns a buffer of a function's own.
func Scratch(name string, t tir.DType, shape ...int64) *tir.Buffer {
	return &tir.Buffer{Name: name, Type: t, Shape: shape, Scope: tir.Local}
}

// Allocs gives a statement several buffers.
func Allocs(body tir.Stmt, buffers ...*tir.Buffer) tir.Stmt {
	for _, b := range buffers {
		body = Alloc(b, body)
	}
	return body
}

// UpToExpr runs body for 0..extent-1, in order.
func UpToExpr(name string, extent tir.Expr, body func(i tir.Expr) tir.Stmt) tir.Stmt {
	v := tir.NewVar(name)
	return &tir.For{Var: v, Extent: extent, Body: body(v)}
}

// WantShape sets fault unless a vector of int64 is a shape.
func WantShape(v *tir.Buffer, shape []int64, fault *tir.Buffer) tir.Stmt {
	var list []tir.Stmt
	for d, extent := range shape {
		list = append(list, &tir.If{Cond: Ne(Load(v, tir.Int(int64(d))), tir.Int(extent)), Then: SetFault(fault)})
	}
	return Seq(list...)
}

// Unrolled runs body for 0..extent-1, with no loop around 8 of them.
func Unrolled(name string, extent int64, body func(i tir.Expr) tir.Stmt) tir.Stmt {
	const step = 8
	some := func(first tir.Expr, count int64) tir.Stmt {
		v := tir.NewVar(name + "_step")
		return &tir.For{Var: v, Extent: tir.Int(count), Kind: tir.Unrolled, Body: body(Add(first, v))}
	}
	whole := Loop(name, extent/step, func(i tir.Expr) tir.Stmt { return some(Times(i, step), step) })
	if rest := extent % step; rest > 0 {
		return Seq(whole, some(tir.Int(extent-rest), rest))
	}
	return whole
}
