package schedule

import (
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
)

// Small DAGs for tests.

func axes(list ...any) []*compute.Axis {
	var out []*compute.Axis
	for i := 0; i < len(list); i += 2 {
		out = append(out, &compute.Axis{Var: tir.NewVar(list[i].(string)), Extent: int64(list[i+1].(int))})
	}
	return out
}

func shapeOf(axes []*compute.Axis) []int64 {
	var s []int64
	for _, a := range axes {
		s = append(s, a.Extent)
	}
	return s
}

func input(name string, shape ...int64) *compute.Op {
	return &compute.Op{Name: name, Results: []*tir.Buffer{{Name: name, Type: tir.F32, Shape: shape}}}
}

func load(op *compute.Op, index ...tir.Expr) tir.Expr {
	return &tir.Load{Buffer: op.Results[0], Index: index}
}

func elementwise(name string, ax []*compute.Axis, body tir.Expr) *compute.Op {
	return &compute.Op{Name: name, Axes: ax, Body: []tir.Expr{body}, Results: []*tir.Buffer{{Name: name, Type: tir.F32, Shape: shapeOf(ax)}}}
}

func sum(name string, ax, red []*compute.Axis, body tir.Expr) *compute.Op {
	op := elementwise(name, ax, body)
	x, y := &tir.Var{Name: "x", Type: tir.F32}, &tir.Var{Name: "y", Type: tir.F32}
	op.ReduceAxes = red
	op.Combine = &compute.Combiner{
		Kind: compute.Sum, Acc: []*tir.Var{x}, Src: []*tir.Var{y},
		Result: []tir.Expr{tir.Bin(tir.Add, x, y)}, Identity: []tir.Expr{tir.Float(tir.F32, 0)},
	}
	return op
}

// dagOf makes a DAG whose output is the last op.
func dagOf(ops ...*compute.Op) *compute.DAG {
	d := &compute.DAG{Ops: ops, Outputs: 1}
	for _, op := range ops {
		if op.IsPlaceholder() {
			d.Tensors = append(d.Tensors, op.Results[0])
		}
	}
	d.Tensors = append(d.Tensors, ops[len(ops)-1].Results[0])
	return d
}

// matmulRelu is stages A 0, B 1, C 2 (i, j, k), D 3 (i, j).
func matmulRelu(m, n, k int) *compute.DAG { return matmulOf(tir.F32, m, n, k) }

// halfMatmul is matmulRelu of float16.
func halfMatmul(m, n, k int) *compute.DAG { return matmulOf(tir.F16, m, n, k) }

// started is halfMatmul with a sum that starts from 5.
func started(m, n, k int) *compute.DAG {
	d := halfMatmul(m, n, k)
	d.Ops[2].Combine.Identity[0] = tir.Float(tir.F32, 5)
	return d
}

func matmulOf(t tir.DType, m, n, k int) *compute.DAG {
	a, b := input("A", int64(m), int64(k)), input("B", int64(k), int64(n))
	a.Results[0].Type, b.Results[0].Type = t, t
	ax, red := axes("i", m, "j", n), axes("k", k)
	wide := func(e tir.Expr) tir.Expr {
		if t != tir.F32 {
			e = &tir.Cast{X: e, To: tir.F32}
		}
		return e
	}
	c := sum("C", ax, red, tir.Bin(tir.Mul, wide(load(a, ax[0].Var, red[0].Var)), wide(load(b, red[0].Var, ax[1].Var))))
	dx := axes("i", m, "j", n)
	d := elementwise("D", dx, tir.Bin(tir.Max, load(c, dx[0].Var, dx[1].Var), tir.Float(tir.F32, 0)))
	return dagOf(a, b, c, d)
}

// add returns e + c.
func add(e tir.Expr, c int64) tir.Expr { return tir.Bin(tir.Add, e, tir.Int(c)) }

func plus(x, y tir.Expr) tir.Expr         { return tir.Bin(tir.Add, x, y) }
func scaled(x tir.Expr, c int64) tir.Expr { return tir.Bin(tir.Mul, x, tir.Int(c)) }
func div(x tir.Expr, c int64) tir.Expr    { return tir.Bin(tir.FloorDiv, x, tir.Int(c)) }
func mod(x tir.Expr, c int64) tir.Expr    { return tir.Bin(tir.FloorMod, x, tir.Int(c)) }

// padded is op with p zeros around each dimension.
func padded(op *compute.Op, p int64) *compute.Op {
	shape := op.Results[0].Shape
	var ax []*compute.Axis
	var conds, index []tir.Expr
	for d, n := range shape {
		a := &compute.Axis{Var: tir.NewVar("i" + string(rune('0'+d))), Extent: n + 2*p}
		ax = append(ax, a)
		conds = append(conds, tir.Bin(tir.GE, a.Var, tir.Int(p)), tir.Bin(tir.LT, a.Var, tir.Int(n+p)))
		index = append(index, add(a.Var, -p))
	}
	return elementwise("pad", ax, tir.IfThenElse(tir.AllOf(conds...), load(op, index...), tir.Float(tir.F32, 0)))
}

// conv is stages data 0, pad 1, w 2, conv 3 (y, x, c; ry, rx), bias 4, relu 5.
func conv(h, w, c, k, stride int) *compute.DAG {
	data := input("data", int64(h), int64(w))
	pad := padded(data, int64(k/2))
	weight := input("w", int64(k), int64(k), int64(c))
	oh, ow := (h+2*(k/2)-k)/stride+1, (w+2*(k/2)-k)/stride+1
	ax, red := axes("y", oh, "x", ow, "c", c), axes("ry", k, "rx", k)
	at := func(o, r *compute.Axis) tir.Expr { return plus(scaled(o.Var, int64(stride)), r.Var) }
	cv := sum("conv", ax, red, tir.Bin(tir.Mul, load(pad, at(ax[0], red[0]), at(ax[1], red[1])), load(weight, red[0].Var, red[1].Var, ax[2].Var)))
	bias := input("bias", int64(c))
	rx := axes("a", oh, "b", ow, "c", c)
	relu := elementwise("relu", rx, plus(load(cv, rx[0].Var, rx[1].Var, rx[2].Var), load(bias, rx[2].Var)))
	return dagOf(data, pad, weight, cv, bias, relu)
}

// softmax is stages x 0, m 1 (i; k), e 2 (i, j), s 3 (i; k), norm 4 (i, j).
func softmax(n, k int) *compute.DAG {
	x := input("x", int64(n), int64(k))
	mi, mk := axes("i", n), axes("k", k)
	m := sum("m", mi, mk, load(x, mi[0].Var, mk[0].Var))
	ea := axes("i", n, "j", k)
	e := elementwise("e", ea, plus(load(x, ea[0].Var, ea[1].Var), load(m, ea[0].Var)))
	si, sk := axes("i", n), axes("k", k)
	s := sum("s", si, sk, load(e, si[0].Var, sk[0].Var))
	na := axes("i", n, "j", k)
	return dagOf(x, m, e, s, elementwise("norm", na, plus(load(e, na[0].Var, na[1].Var), load(s, na[0].Var))))
}

// tiles is stages x 0, pad 1, tile 2 (a, b, p), pack 3 (a, b, p; r), out 4 (h, w):
// indices with quotients and remainders, as in Winograd convolution.
func tiles(n, t int) *compute.DAG {
	side := int64(t)
	nt := int64(n) / side
	x := input("x", int64(n), int64(n))
	pad := padded(x, 1)
	ta := axes("a", t+2, "b", t+2, "p", int(nt*nt))
	tile := elementwise("tile", ta, load(pad,
		plus(scaled(mod(div(ta[2].Var, nt), nt), side), ta[0].Var), plus(scaled(mod(ta[2].Var, nt), side), ta[1].Var)))
	pa, pr := axes("a", t, "b", t, "p", int(nt*nt)), axes("r", 3)
	pack := sum("pack", pa, pr, load(tile, plus(pa[0].Var, pr[0].Var), pa[1].Var, pa[2].Var))
	oa := axes("h", n, "w", n)
	out := elementwise("out", oa, load(pack, mod(oa[0].Var, side), mod(oa[1].Var, side),
		plus(scaled(div(oa[0].Var, side), nt), div(oa[1].Var, side))))
	return dagOf(x, pad, tile, pack, out)
}

// shared is stages x 0, a 1, b 2, c 3, d 4: a is read by three stages at several
// offsets, transposed and reversed.
func shared(n int) *compute.DAG {
	x := input("x", int64(n), int64(n))
	aa := axes("i", n, "j", n)
	a := elementwise("a", aa, plus(load(x, aa[0].Var, aa[1].Var), tir.Float(tir.F32, 1)))
	ba := axes("i", n, "j", n)
	b := elementwise("b", ba, plus(load(a, ba[0].Var, ba[1].Var), load(a, ba[1].Var, ba[0].Var)))
	ca := axes("i", n/2, "j", n)
	c := elementwise("c", ca, plus(load(a, scaled(ca[0].Var, 2), tir.Bin(tir.Sub, tir.Int(int64(n-1)), ca[1].Var)), load(b, ca[0].Var, ca[1].Var)))
	da := axes("i", n/2, "j", n)
	return dagOf(x, a, b, c, elementwise("d", da, plus(plus(load(a, da[0].Var, da[1].Var), load(b, add(da[0].Var, 1), da[1].Var)), load(c, da[0].Var, da[1].Var))))
}

// scalars is stages x 0, total 1 (; k), out 2 (): no spatial axes.
func scalars(k int) *compute.DAG {
	x, red := input("x", int64(k)), axes("k", k)
	total := sum("total", nil, red, load(x, red[0].Var))
	return dagOf(x, total, elementwise("out", nil, plus(load(total), tir.Float(tir.F32, 1))))
}

// blur is stages x 0, a 1, pad 2, b 3 (i, j; r): a computed stage is read below
// its domain and beyond it, guarded.
func blur(n int) *compute.DAG {
	x := input("x", int64(n), int64(n))
	aa := axes("i", n, "j", n)
	a := elementwise("a", aa, plus(load(x, aa[0].Var, aa[1].Var), tir.Float(tir.F32, 1)))
	pad := padded(a, 2)
	ba, br := axes("i", n, "j", n), axes("r", 5)
	return dagOf(x, a, pad, sum("b", ba, br, load(pad, plus(ba[0].Var, br[0].Var), add(ba[1].Var, 2))))
}
