package rare

import (
	"fmt"
	"math"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/array"
	. "github.com/wmtune/wmtune/graph/op/expr"
	"github.com/wmtune/wmtune/tir"
)

// An stft is a STFT: transforms of frames of a signal.
type stft struct {
	dft
	batch, samples, frames, step int64
}

// stftOf returns the sizes of a STFT with frames of a length every step samples. A length of less than 0 is the
// window's, or the signal's.
func stftOf(n *graph.Node, step, length int64) (*stft, error) {
	x := n.Inputs[0].Shape
	if len(x) != 3 || x[2] != 1 && x[2] != 2 {
		return nil, fmt.Errorf("a signal of shape %v: it must be [batch, samples, 1 or 2]", x)
	}
	window := n.Input(2)
	if length < 0 {
		if length = x[1]; window != nil {
			length = window.Elems()
		}
	}
	if window != nil && window.Elems() != length || step < 1 || length < 1 || length > x[1] {
		return nil, fmt.Errorf("frames of %d samples every %d of %d, with a window of %v", length, step, x[1], window)
	}
	s := &stft{batch: x[0], samples: x[1], step: step, frames: (x[1]-length)/step + 1}
	s.dft = dft{in: length, out: length, length: length, parts: x[2], outParts: 2}
	if n.Int("onesided", 1) != 0 {
		s.out = length/2 + 1
	}
	return s, nil
}

func (s *stft) shape() []int64 { return []int64{s.batch, s.frames, s.out, 2} }

func stftOperands(input func(i int) *graph.Tensor) (step, length int64) {
	length = -1
	if t := input(1); t != nil {
		step = t.I[0]
	}
	if t := input(3); t != nil {
		length = t.I[0]
	}
	return step, length
}

func inferSTFT(n *graph.Node) ([]op.Type, error) {
	if err := op.Single(n, 1, 3); err != nil {
		return nil, err
	}
	for _, i := range []int{1, 3} {
		if op.Open(i)(n) {
			return nil, &op.OpenError{Input: i}
		}
	}
	step, length := stftOperands(constantInputs(n))
	s, err := stftOf(n, step, length)
	if err != nil {
		return nil, err
	}
	return []op.Type{{DType: n.Inputs[0].Type, Shape: s.shape()}}, nil
}

func evalSTFT(call *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	step, length := stftOperands(func(i int) *graph.Tensor { return array.Argument(in, i) })
	s, err := stftOf(n, step, length)
	if err != nil {
		return nil, err
	}
	y := graph.NewTensor(in[0].Type, s.shape()...)
	cos, sin := circle(s.length)
	err = array.Parallel(call.Context, int(s.batch*s.frames), func(i int) {
		begin := int64(i)/s.frames*s.samples + int64(i)%s.frames*s.step
		for k := range s.out {
			to := y.F[(int64(i)*s.out+k)*2:]
			for l := range s.length {
				weight := 1.0
				if w := array.Argument(in, 2); w != nil {
					weight = w.F[l]
				}
				for part := range s.parts {
					re, im := s.factors(cos, sin, l, k, part)
					v := weight * in[0].F[(begin+l)*s.parts+part]
					to[0] += re * v
					to[1] += im * v
				}
			}
		}
	})
	return []*graph.Tensor{y}, err
}

// decomposeSTFT makes a convolution, whose weights are the factors of the transform times the window.
func decomposeSTFT(d *op.Decomposer) error {
	step, length := stftOperands(constantInputs(d.Node))
	s, err := stftOf(d.Node, step, length)
	if err != nil {
		return err
	}
	x := d.Input(0)
	m, err := s.matrix(x.Type)
	if err != nil {
		return err
	}
	w := graph.NewTensor(x.Type, s.out*2, s.parts, s.length)
	for l := range s.length {
		for part := range s.parts {
			for k := range s.out * 2 {
				w.F[(k*s.parts+part)*s.length+l] = m.F[(l*s.parts+part)*s.out*2+k]
			}
		}
	}
	weights := d.Const(w)
	if window := d.Input(2); window != nil {
		weights = d.Two("Mul", weights, d.Reshape(window, s.length))
	}
	signal := d.Reshape(x, s.batch, s.parts, s.samples)
	if s.parts > 1 {
		signal = d.Transpose(x, []int64{0, 2, 1})
	}
	v := d.Apply("Conv", []*graph.Value{signal, weights}, graph.IntsAttr("strides", s.step))
	v = d.Reshape(v, s.batch, s.out, 2, s.frames)
	d.Output(d.Transpose(v, []int64{0, 3, 1, 2}))
	return nil
}

// A spectrum writes a function that sums a Fourier transform with sizes that are data, in float64, since it computes
// the angles from them.
type spectrum struct {
	length            tir.Expr // of the transform
	inverse, onesided bool
	parts, outParts   int64
}

// sum writes output element k: of terms elements, whose parts value gives.
func (s *spectrum) sum(k, terms tir.Expr, value func(l tir.Expr, part int64) tir.Expr,
	store2 func(part int64, v tir.Expr) tir.Stmt,
) tir.Stmt {
	acc := &tir.Buffer{Name: "acc", Type: tir.F64, Shape: []int64{2}}
	l := tir.NewVar("l")
	turns := Quo(Cast(tir.Bin(tir.FloorMod, Mul(k, l), s.length), tir.F64), Cast(s.length, tir.F64))
	angle := Mul(turns, Real(2*math.Pi))
	part := func(i int64) tir.Expr { return Cast(value(l, i), tir.F64) }
	cos, sin := Fn(tir.Cos, angle), Fn(tir.Sin, angle)
	if !s.inverse {
		sin = Neg(sin)
	}
	re, im := Mul(cos, part(0)), Mul(sin, part(0))
	if s.parts == 2 {
		re, im = Sub(re, Mul(sin, part(1))), Add(im, Mul(cos, part(1)))
	}
	if s.inverse {
		weight := Quo(Real(1), Cast(s.length, tir.F64))
		if s.onesided {
			once := Or(Eq(l, tir.Int(0)), Eq(Times(l, 2), s.length))
			weight = Sel(once, weight, Mul(weight, Real(2)))
		}
		re, im = Mul(re, weight), Mul(im, weight)
	}
	at := func(i int64) tir.Expr { return Load(acc, tir.Int(i)) }
	stmts := []tir.Stmt{Store(acc, Real(0), tir.Int(0)), Store(acc, Real(0), tir.Int(1)),
		&tir.For{Var: l, Extent: terms, Body: Seq(Store(acc, Add(at(0), re), tir.Int(0)),
			Store(acc, Add(at(1), im), tir.Int(1)))}}
	for part := range s.outParts {
		stmts = append(stmts, store2(part, at(part)))
	}
	return Alloc(acc, Seq(stmts...))
}

// scalarOf returns input i of a node, one number, as an index, and adds its parameter; nil if the node has none.
func scalarOf(n *graph.Node, params *[]*tir.Buffer, name string, i int) tir.Expr {
	v := n.Input(i)
	if v == nil {
		return nil
	}
	b := &tir.Buffer{Name: name, Type: v.Type, Shape: []int64{1}}
	*params = append(*params, b)
	return Cast(Load(b, tir.Int(0)), tir.Index)
}

// opaqueDFT sums when it runs. Its error is set unless length and axis make the shape that was known ahead of time.
func opaqueDFT(n *graph.Node) (*tir.Func, error) {
	x, y, fault := Parameter("x", n.Inputs[0]), Parameter("y", n.Outputs[0]), ErrorFlag()
	params := []*tir.Buffer{x}
	length := scalarOf(n, &params, "length", 1)
	var along tir.Expr = tir.Int(n.Int("axis", 1))
	if n.Version >= 20 {
		if along = scalarOf(n, &params, "axis", 2); along == nil {
			along = tir.Int(-2)
		}
	}
	rank := len(x.Shape)
	stmts := []tir.Stmt{SetFault(fault), // until an axis fits
		Nest(y.Shape, tir.Parallel, func(at []tir.Expr) tir.Stmt { return Store(y, tir.Const(y.Type, 0), at...) })}
	for a := range rank - 1 {
		known := int64(-1)
		if length != nil {
			known = 1 // any: it is read
		}
		f, err := dftOf(n, known, int64(a))
		if err != nil || !fitsAxis(x.Shape, y.Shape, a, f.outParts) {
			continue
		}
		this := Or(Eq(along, tir.Int(int64(a))), Eq(along, tir.Int(int64(a-rank))))
		stmts = append(stmts, &tir.If{Cond: this, Then: f.opaque(x, y, fault, length)})
	}
	return NewFunc("dft", 2, Seq(stmts...), append(params, y, fault)...), nil
}

// fitsAxis reports whether a transform along an axis may make shape y of x.
func fitsAxis(x, y []int64, axis int, parts int64) bool {
	ok := len(x) == len(y)
	for d := range x {
		switch {
		case !ok || d == axis:
		case d == len(x)-1:
			ok = y[d] == parts
		default:
			ok = x[d] == y[d]
		}
	}
	return ok
}

// opaque writes a transform, if its length makes as many elements as y has.
func (f *dft) opaque(x, y, fault *tir.Buffer, length tir.Expr) tir.Stmt {
	if length == nil {
		length = tir.Int(f.length)
	}
	s := &spectrum{length: length, inverse: f.inverse, onesided: f.onesided, parts: f.parts, outParts: f.outParts}
	made, terms := length, MinOf(length, tir.Int(f.in))
	if f.onesided {
		half := Plus(Floordiv(length, 2), 1)
		if f.inverse {
			terms = MinOf(half, tir.Int(f.in))
		} else {
			made = half
		}
	}
	last := len(y.Shape) - 1
	all := Nest(y.Shape[:last], tir.Parallel, func(at []tir.Expr) tir.Stmt {
		return s.sum(at[f.axis], terms, func(l tir.Expr, part int64) tir.Expr {
			from := append(append([]tir.Expr{}, at...), tir.Int(part))
			from[f.axis] = l
			return Load(x, from...)
		}, func(part int64, v tir.Expr) tir.Stmt {
			return Store(y, Cast(v, y.Type), append(append([]tir.Expr{}, at...), tir.Int(part))...)
		})
	})
	return &tir.If{Cond: And(Ge(length, tir.Int(1)), Eq(made, tir.Int(y.Shape[f.axis]))),
		Then: Seq(ClearFault(fault), all)}
}

// opaqueSTFT sums when it runs. Its error is set unless step and length make the shape that was known ahead of time.
func opaqueSTFT(n *graph.Node) (*tir.Func, error) {
	v, out := n.Inputs[0], n.Outputs[0]
	if len(v.Shape) != 3 || len(out.Shape) != 4 || out.Shape[3] != 2 || out.Shape[0] != v.Shape[0] || v.Shape[2] > 2 {
		return nil, fmt.Errorf("a signal of shape %v and a result of shape %v do not fit each other", v.Shape,
			out.Shape)
	}
	x, y, fault := Parameter("x", v), Parameter("y", out), ErrorFlag()
	params := []*tir.Buffer{x}
	step := scalarOf(n, &params, "step", 1)
	var window *tir.Buffer
	if w := n.Input(2); w != nil {
		window = Flat("window", w)
		params = append(params, window)
	}
	samples := v.Shape[1]
	length := scalarOf(n, &params, "length", 3)
	ok := []tir.Expr{}
	switch {
	case length != nil && window != nil:
		ok = append(ok, Eq(length, tir.Int(window.Shape[0])))
		length = tir.Int(window.Shape[0])
	case window != nil:
		length = tir.Int(window.Shape[0])
	case length == nil:
		length = tir.Int(samples)
	}
	made := length
	if n.Int("onesided", 1) != 0 {
		made = Plus(Floordiv(length, 2), 1)
	}
	room := Sub(tir.Int(samples), length)
	// The last frame ends in the signal, and another one would not.
	begin := Mul(step, tir.Int(out.Shape[1]-1))
	ok = append(ok, Ge(step, tir.Int(1)), Ge(length, tir.Int(1)), Eq(made, tir.Int(out.Shape[2])), Le(begin, room),
		Gt(Add(begin, step), room))
	s := &spectrum{length: length, parts: v.Shape[2], outParts: 2}
	all := Nest(out.Shape[:3], tir.Parallel, func(at []tir.Expr) tir.Stmt {
		return s.sum(at[2], length, func(l tir.Expr, part int64) tir.Expr {
			e := Load(x, at[0], Add(Mul(at[1], step), l), tir.Int(part))
			if window != nil {
				e = Mul(Cast(e, tir.F64), Cast(Load(window, l), tir.F64))
			}
			return e
		}, func(part int64, v tir.Expr) tir.Stmt {
			return Store(y, Cast(v, y.Type), at[0], at[1], at[2], tir.Int(part))
		})
	})
	clean := Nest(y.Shape, tir.Parallel, func(at []tir.Expr) tir.Stmt { return Store(y, tir.Const(y.Type, 0), at...) })
	return NewFunc("stft", 2, &tir.If{Cond: tir.AllOf(ok...), Then: Seq(ClearFault(fault), all),
		Else: Seq(SetFault(fault), clean)},
		append(params, y, fault)...), nil
}
