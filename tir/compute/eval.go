package compute

import (
	"errors"
	"fmt"
	"math"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/arith"
)

// ErrTooManyPoints is the error of At when its evaluator is at its limit.
var ErrTooManyPoints = errors.New("compute: evaluating takes more points than the limit")

// An Arithmetic says how an Evaluator computes.
type Arithmetic uint8

const (
	Exactly Arithmetic = iota // in float64, like Widen
	InTypes                   // with each result rounded to its type, in the order of the definition
	Bounded                   // in float64, with bounds of what programs that round may get; see Evaluator.Bounds
)

// An Evaluator computes elements of a DAG, straight from the definition, and remembers those of all ops that
// it came by. Elements of 16 bits are rounded where they are read, like those of Widen. It is written apart from the
// interpreter and the emitters so that it can witness against them. For a whole DAG in its own types see
// tir/interp.RunDAG. It is for one goroutine.
type Evaluator struct {
	// Arithmetic is set before the first element is computed.
	Arithmetic Arithmetic

	// Frozen leaves out of bounds what steps do: all programs take the side that the exact value is on.
	Frozen bool

	// Coarse holds tensors whose elements programs round once more where they read them, and by
	// how much of themselves at most. Only bounds know of it.
	Coarse map[*tir.Buffer]float64

	// Growth is how many times larger the errors of sums are, by the algorithm that programs compute them with. Above 1
	// no sum is exact. Only bounds know of it.
	Growth float64

	// Limit bounds the points that all calls of At together may visit, 0 means any number.
	// A point is one of the axes of an op, or of its reduce axes; the first are remembered,
	// in 150 bytes or so each.
	Limit int64

	visited int64
	d       *DAG
	inputs  map[*tir.Buffer]func(at int64) float64
	maker   map[*tir.Buffer]made
	memo    map[*Op]map[int64][]scalar // by the row-major position, a value per result
}

// made says which op makes a buffer, and as which of its results.
type made struct {
	op     *Op
	result int
}

// A scalar is a value of an integer type or Bool in i (of a U64 its bits), or of a float type in f, and
// the least and the greatest value that programs which round may have there.
type scalar struct {
	f      float64
	i      int64
	lo, hi float64
	away   float64 // what it is at least in magnitude, if lo and hi do not say so; see least
}

// NewEvaluator returns an evaluator of d for given inputs: the elements of d.Inputs, row by row. Those of integer types
// are whole numbers. It panics if there are not as many inputs and elements as d has.
func NewEvaluator(d *DAG, inputs [][]float64) *Evaluator {
	read := make([]func(at int64) float64, len(inputs))
	for i, data := range inputs {
		if b := d.Tensors[i]; int64(len(data)) != b.Elems() {
			panic(fmt.Sprintf("BUG: compute: %d elements for input %s of %d", len(data), b.Name, b.Elems()))
		}
		read[i] = func(at int64) float64 { return data[at] }
	}
	return NewEvaluatorOf(d, read)
}

// NewEvaluatorOf returns an evaluator of d for inputs of which functions return an element by its
// row-major position. It panics if there are not as many inputs as d has.
func NewEvaluatorOf(d *DAG, inputs []func(at int64) float64) *Evaluator {
	e := &Evaluator{d: d, inputs: map[*tir.Buffer]func(int64) float64{}, maker: map[*tir.Buffer]made{},
		memo: map[*Op]map[int64][]scalar{}}
	if len(inputs) != len(d.Inputs()) {
		panic(fmt.Sprintf("BUG: compute: %d inputs for a DAG of %d", len(inputs), len(d.Inputs())))
	}
	for i, b := range d.Inputs() {
		e.inputs[b] = inputs[i]
	}
	for _, op := range d.Ops {
		for k, b := range op.Results {
			e.maker[b] = made{op, k}
		}
		e.memo[op] = map[int64][]scalar{}
	}
	return e
}

// evalError carries a fault of the DAG up to At.
type evalError struct{ error }

func evalFail(format string, args ...any) {
	panic(evalError{fmt.Errorf("compute: "+format, args...)})
}

// At returns an element of a result of the DAG (its number among DAG.Results). It is an error if that, or what it is
// computed from, is outside of a tensor, or divides a whole number by zero; and
// it is ErrTooManyPoints if that takes the evaluator beyond its limit.
func (e *Evaluator) At(result int, index []int64) (v float64, err error) {
	b := e.d.Results()[result]
	s, err := e.at(b, index)
	if b.Type.IsFloat() {
		return s.f, err
	}
	return b.Type.Number(s.i), err
}

func (e *Evaluator) at(b *tir.Buffer, index []int64) (s scalar, err error) {
	defer func() {
		if r := recover(); r != nil {
			fault, ok := r.(evalError)
			if !ok {
				panic(r)
			}
			err = fault.error
		}
	}()
	return e.element(b, index), nil
}

func (e *Evaluator) element(b *tir.Buffer, index []int64) scalar {
	pos := int64(0)
	if len(index) != len(b.Shape) {
		evalFail("%d indices for %s, which has %d dimensions", len(index), b.Name, len(b.Shape))
	}
	for k, i := range index {
		if i < 0 || i >= b.Shape[k] {
			evalFail("index %d of %s is %d, but the dimension is %d", k, b.Name, i, b.Shape[k])
		}
		pos = pos*b.Shape[k] + i
	}
	if data, ok := e.inputs[b]; ok {
		if b.Type.IsFloat() {
			return sureFloat(data(pos))
		}
		return sureOf(b.Type.Truncate(data(pos)), b.Type)
	}
	m := e.maker[b]
	values, ok := e.memo[m.op][pos]
	if !ok {
		values = e.point(m.op, index)
		e.memo[m.op][pos] = values
	}
	return values[m.result]
}

// An env holds the values of variables.
type env map[*tir.Var]scalar

// visit counts a point.
func (e *Evaluator) visit() {
	if e.Limit > 0 && e.visited >= e.Limit {
		panic(evalError{ErrTooManyPoints})
	}
	e.visited++
}

// point computes the results of op at one point of its axes.
func (e *Evaluator) point(op *Op, index []int64) []scalar {
	e.visit()
	at := env{}
	for k, a := range op.Axes {
		at[a.Var] = sureInt(index[k])
	}
	if op.Combine == nil {
		return e.elements(op.Body, at)
	}
	acc := e.evalAll(op.Combine.Start(), nil)
	sum := summation{t: op.Results[0].Type}
	result := op.Combine.Fold()
	adds := e.Arithmetic == Bounded && op.Combine.Kind == Sum && sum.t.IsFloat()
	if adds {
		sum.add(acc[0])
	}
	e.eachPoint(op.ReduceAxes, at, func() {
		e.visit()
		values := e.evalAll(op.Body, at) // a fold may compare them: they are rounded
		if adds {
			sum.add(values[0])
			return
		}
		fold := env{}
		for k, v := range values {
			fold[op.Combine.Acc[k]], fold[op.Combine.Src[k]] = acc[k], v
		}
		acc = e.evalAll(result, fold)
	})
	if adds {
		sum.n = op.Combine.Roundings(sum.n)
		return []scalar{sum.total(e.Growth)}
	}
	return acc
}

func (e *Evaluator) eachPoint(axes []*Axis, at env, f func()) {
	if len(axes) == 0 {
		f()
		return
	}
	for i := range axes[0].Extent {
		at[axes[0].Var] = sureInt(i)
		e.eachPoint(axes[1:], at, f)
	}
}

func (e *Evaluator) evalAll(list []tir.Expr, at env) []scalar {
	out := make([]scalar, len(list))
	for k, x := range list {
		out[k] = e.eval(x, at)
	}
	return out
}

// elements evaluates what is stored, without the rounding of storing it.
func (e *Evaluator) elements(body []tir.Expr, at env) []scalar {
	out := make([]scalar, len(body))
	for k, x := range body {
		out[k] = e.unrounded(x, at)
	}
	return out
}

func (e *Evaluator) unrounded(x tir.Expr, at env) scalar {
	switch x := x.(type) {
	case *tir.Cast:
		if x.To == tir.F16 || x.To == tir.BF16 {
			return e.cast(e.unrounded(x.X, at), x.X.DType(), tir.F64)
		}
	case *tir.Select:
		return e.choose(x, at, e.unrounded)
	case *tir.Load:
		return e.load(x, at)
	}
	return e.eval(x, at)
}

// choose evaluates a Select: both branches where either may be taken.
func (e *Evaluator) choose(x *tir.Select, at env, eval func(tir.Expr, env) scalar) scalar {
	cond := e.eval(x.Cond, at)
	taken, other := x.Then, x.Else
	if cond.i == 0 {
		taken, other = other, taken
	}
	v := eval(taken, at)
	if !cond.isSure() {
		v = v.or(eval(other, at))
	}
	return v
}

// load returns an element, or all that an index may mean.
func (e *Evaluator) load(l *tir.Load, at env) scalar {
	index := make([]int64, len(l.Index))
	unsure := -1
	var from, to int64
	for k, i := range l.Index {
		v := e.eval(i, at)
		if index[k] = v.i; !v.isSure() {
			if unsure >= 0 || v.hi-v.lo > mostElements {
				evalFail("index of %s with too many values", l.Buffer.Name)
			}
			unsure, from, to = k, int64(max(v.lo, 0)), int64(min(v.hi, float64(l.Buffer.Shape[k]-1)))
		}
	}
	v := e.element(l.Buffer, index)
	for i := from; unsure >= 0 && i <= to; i++ {
		index[unsure] = i
		v = v.or(e.element(l.Buffer, index))
	}
	return v
}

// mostElements is how many elements an index may mean.
const mostElements = 64

func (e *Evaluator) eval(x tir.Expr, at env) scalar {
	switch x := x.(type) {
	case *tir.Var:
		return at[x]
	case *tir.IntImm:
		return sureOf(x.Value, x.Type)
	case *tir.FloatImm:
		return sureFloat(tir.Rounded(x.Type, x.Value))
	case *tir.Not:
		v := e.eval(x.X, at)
		return scalar{i: 1 - v.i, lo: 1 - v.hi, hi: 1 - v.lo}
	case *tir.Cast:
		return e.cast(e.eval(x.X, at), x.X.DType(), x.To)
	case *tir.Bitcast:
		return bitcast(e.eval(x.X, at), x.X.DType(), x.To)
	case *tir.Select:
		return e.choose(x, at, e.eval)
	case *tir.Load:
		v := e.load(x, at)
		if _, given := e.inputs[x.Buffer]; !given {
			v = v.narrowed(x.Buffer.Type)
		}
		if u := e.Coarse[x.Buffer]; u > 0 {
			v = v.widened(u, x.Buffer.Type)
		}
		return v
	case *tir.Call:
		return e.call(x, e.evalAll(x.Args, at))
	case *tir.Binary:
		a := e.eval(x.X, at)
		if x.Op == tir.And && a.hi == 0 || x.Op == tir.Or && a.lo == 1 {
			return a // y is not evaluated
		}
		b := e.eval(x.Y, at)
		switch {
		case x.Op.IsCompare():
			return e.compare(x.Op, a, b, x.X.DType())
		case x.X.DType().IsFloat():
			return e.floatOp(x.Op, a, b, x.DType())
		}
		return e.intOp(x.Op, a, b, x.DType())
	}
	panic(fmt.Sprintf("BUG: compute: evaluating a %T", x))
}

var unaryFunctions = map[tir.Intrinsic]func(float64) float64{
	tir.Exp: math.Exp, tir.Log: math.Log, tir.Sqrt: math.Sqrt, tir.Tanh: math.Tanh, tir.Erf: math.Erf,
	tir.Abs: math.Abs, tir.Floor: math.Floor, tir.Ceil: math.Ceil, tir.Round: math.Round, tir.RoundEven: math.RoundToEven,
	tir.Sin: math.Sin, tir.Cos: math.Cos, tir.Atan: math.Atan,
	tir.Rsqrt:   func(v float64) float64 { return 1 / math.Sqrt(v) },
	tir.Sigmoid: func(v float64) float64 { return 1 / (1 + math.Exp(-v)) },
}

// narrowed rounds to a type of 16 bits what is computed in float32.
func narrowed(v float64, t tir.DType) float64 {
	if t == tir.F16 || t == tir.BF16 {
		return tir.Rounded(t, float64(float32(v)))
	}
	return v
}

func floatOp(op tir.BinOp, a, b float64) float64 {
	switch op {
	case tir.Add:
		return a + b
	case tir.Sub:
		return a - b
	case tir.Mul:
		return a * b
	case tir.Div:
		return a / b
	case tir.Min: // a NaN if one is
		if a < b || a != a {
			return a
		}
		return b
	case tir.Max:
		if a > b || a != a {
			return a
		}
		return b
	}
	panic(fmt.Sprintf("BUG: compute: evaluating operator %d", op))
}

// intOp computes with integers or booleans of a type.
func intOp(op tir.BinOp, a, b int64, t tir.DType) int64 {
	v, ok := arith.Apply(op, a, b, t)
	switch {
	case !ok && b == 0 && (op == tir.Div || t == tir.U64):
		evalFail("division by zero")
	case !ok:
		evalFail("division by %d: the divisor must be positive", b)
	}
	return v
}
