package compute

import (
	"errors"
	"fmt"
	"math"

	"github.com/wmtune/wmtune/tir"
)

// EvalAt returns one element of a result of d (its number among d.Results), straight
// from the definition and in float64, with elements of 16 bits rounded where they are read, like Widen.
// Inputs holds the elements of d.Inputs, row by row; those of integer types are
// whole numbers. It is written apart from the interpreter and the emitters so
// that it can witness against them. For a whole DAG in its own types see
// tir/interp.RunDAG.
//
// It panics where Evaluator.At returns an error.
func EvalAt(d *DAG, inputs [][]float64, result int, index []int64) float64 {
	v, err := NewEvaluator(d, inputs).At(result, index)
	if err != nil {
		panic(err)
	}
	return v
}

// ErrTooManyPoints is the error of At when its evaluator is at its limit.
var ErrTooManyPoints = errors.New("compute: evaluating takes more points than the limit")

// An Evaluator computes elements of a DAG and remembers those of all ops that
// it came by. It is for one goroutine.
type Evaluator struct {
	// Limit bounds the points that all calls of At together may visit, 0 means any number.
	// A point is one of the axes of an op, or of its reduce axes; the first are remembered,
	// in 150 bytes or so each.
	Limit int64

	visited int64
	d       *DAG
	inputs  map[*tir.Buffer][]float64
	maker   map[*tir.Buffer]made
	memo    map[*Op]map[int64][]scalar // by the row-major position, a value per result
}

// made says which op makes a buffer, and as which of its results.
type made struct {
	op     *Op
	result int
}

// A scalar is a value of an integer type or Bool in i, or of a float type in f.
type scalar struct {
	f float64
	i int64
}

// NewEvaluator returns an evaluator of d for given inputs, as EvalAt takes them.
// It panics if there are not as many inputs and elements as d has.
func NewEvaluator(d *DAG, inputs [][]float64) *Evaluator {
	e := &Evaluator{d: d, inputs: map[*tir.Buffer][]float64{}, maker: map[*tir.Buffer]made{}, memo: map[*Op]map[int64][]scalar{}}
	if len(inputs) != len(d.Inputs()) {
		panic(fmt.Sprintf("BUG: compute: %d inputs for a DAG of %d", len(inputs), len(d.Inputs())))
	}
	for i, b := range d.Inputs() {
		if int64(len(inputs[i])) != b.Elems() {
			panic(fmt.Sprintf("BUG: compute: %d elements for input %s of %d", len(inputs[i]), b.Name, b.Elems()))
		}
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

// At returns an element of a result. It is an error if that, or what it is
// computed from, is outside of a tensor, or divides a whole number by zero; and
// it is ErrTooManyPoints if that takes the evaluator beyond its limit.
func (e *Evaluator) At(result int, index []int64) (v float64, err error) {
	defer func() {
		if r := recover(); r != nil {
			fault, ok := r.(evalError)
			if !ok {
				panic(r)
			}
			err = fault.error
		}
	}()
	b := e.d.Results()[result]
	s := e.element(b, index)
	if b.Type.IsFloat() {
		return s.f, nil
	}
	return float64(s.i), nil
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
			return scalar{f: data[pos]}
		}
		return scalar{i: int64(data[pos])}
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
		at[a.Var] = scalar{i: index[k]}
	}
	if op.Combine == nil {
		return e.elements(op.Body, at)
	}
	acc := e.evalAll(op.Combine.Identity, nil)
	e.eachPoint(op.ReduceAxes, at, func() {
		e.visit()
		fold := env{}
		for k, v := range e.elements(op.Body, at) {
			fold[op.Combine.Acc[k]], fold[op.Combine.Src[k]] = acc[k], v
		}
		acc = e.evalAll(op.Combine.Result, fold)
	})
	return acc
}

func (e *Evaluator) eachPoint(axes []*Axis, at env, f func()) {
	if len(axes) == 0 {
		f()
		return
	}
	for i := range axes[0].Extent {
		at[axes[0].Var] = scalar{i: i}
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
			return castScalar(e.unrounded(x.X, at), x.X.DType(), tir.F64)
		}
	case *tir.Select:
		if e.eval(x.Cond, at).i != 0 {
			return e.unrounded(x.Then, at)
		}
		return e.unrounded(x.Else, at)
	case *tir.Load:
		return e.element(x.Buffer, e.indices(x, at))
	}
	return e.eval(x, at)
}

func (e *Evaluator) indices(l *tir.Load, at env) []int64 {
	index := make([]int64, len(l.Index))
	for k, i := range l.Index {
		index[k] = e.eval(i, at).i
	}
	return index
}

func (e *Evaluator) eval(x tir.Expr, at env) scalar {
	switch x := x.(type) {
	case *tir.Var:
		return at[x]
	case *tir.IntImm:
		return scalar{i: x.Value}
	case *tir.FloatImm:
		return scalar{f: rounded(x.Value, x.Type)}
	case *tir.Not:
		return scalar{i: 1 - e.eval(x.X, at).i}
	case *tir.Cast:
		return castScalar(e.eval(x.X, at), x.X.DType(), x.To)
	case *tir.Select:
		if e.eval(x.Cond, at).i != 0 {
			return e.eval(x.Then, at)
		}
		return e.eval(x.Else, at)
	case *tir.Load:
		v := e.element(x.Buffer, e.indices(x, at))
		if _, given := e.inputs[x.Buffer]; !given {
			v.f = narrowed(v.f, x.Buffer.Type)
		}
		return v
	case *tir.Call:
		args := e.evalAll(x.Args, at)
		if x.Fn == tir.Pow {
			return scalar{f: math.Pow(args[0].f, args[1].f)}
		}
		return scalar{f: unaryFunctions[x.Fn](args[0].f)}
	case *tir.Binary:
		a, b := e.eval(x.X, at), e.eval(x.Y, at)
		if x.X.DType().IsFloat() {
			return floatOp(x.Op, a.f, b.f)
		}
		return scalar{i: wrapped(intOp(x.Op, a.i, b.i), x.DType())}
	}
	panic(fmt.Sprintf("BUG: compute: evaluating a %T", x))
}

var unaryFunctions = map[tir.Intrinsic]func(float64) float64{
	tir.Exp: math.Exp, tir.Log: math.Log, tir.Sqrt: math.Sqrt, tir.Tanh: math.Tanh, tir.Erf: math.Erf,
	tir.Abs: math.Abs, tir.Floor: math.Floor, tir.Ceil: math.Ceil, tir.Round: math.Round, tir.RoundEven: math.RoundToEven,
	tir.Rsqrt:   func(v float64) float64 { return 1 / math.Sqrt(v) },
	tir.Sigmoid: func(v float64) float64 { return 1 / (1 + math.Exp(-v)) },
}

// narrowed rounds to a type of 16 bits what is computed in float32.
func narrowed(v float64, t tir.DType) float64 {
	if t == tir.F16 || t == tir.BF16 {
		return rounded(float64(float32(v)), t)
	}
	return v
}

// castScalar converts between types. What is rounded in the type of the DAG is
// not, as all floats are float64 here, unless to 16 bits.
func castScalar(v scalar, from, to tir.DType) scalar {
	switch {
	case from.IsFloat() && to.IsFloat():
		return scalar{f: narrowed(v.f, to)}
	case to == tir.Bool:
		return truthOf(v.f != 0 || v.i != 0)
	case to.IsFloat():
		return scalar{f: narrowed(float64(v.i), to)}
	case from.IsFloat():
		t := math.Trunc(v.f)
		if !(t >= -0x1p63 && t < 0x1p63) {
			evalFail("cast of %v to %s", v.f, to)
		}
		return scalar{i: wrapped(int64(t), to)}
	}
	return scalar{i: wrapped(v.i, to)}
}

func truthOf(b bool) scalar {
	if b {
		return scalar{i: 1}
	}
	return scalar{}
}

func wrapped(v int64, t tir.DType) int64 {
	switch t {
	case tir.I8:
		return int64(int8(v))
	case tir.U8:
		return int64(uint8(v))
	case tir.I32:
		return int64(int32(v))
	}
	return v
}

func floatOp(op tir.BinOp, a, b float64) scalar {
	switch op {
	case tir.Add:
		return scalar{f: a + b}
	case tir.Sub:
		return scalar{f: a - b}
	case tir.Mul:
		return scalar{f: a * b}
	case tir.Div:
		return scalar{f: a / b}
	case tir.Min: // with a NaN, the second operand, as TensorIR has it
		if a < b {
			b = a
		}
		return scalar{f: b}
	case tir.Max:
		if a > b {
			b = a
		}
		return scalar{f: b}
	}
	return compareOp(op, a, b)
}

func compareOp[T int64 | float64](op tir.BinOp, a, b T) scalar {
	switch op {
	case tir.EQ:
		return truthOf(a == b)
	case tir.NE:
		return truthOf(a != b)
	case tir.LT:
		return truthOf(a < b)
	case tir.LE:
		return truthOf(a <= b)
	case tir.GT:
		return truthOf(a > b)
	case tir.GE:
		return truthOf(a >= b)
	}
	panic(fmt.Sprintf("BUG: compute: evaluating operator %d", op))
}

func intOp(op tir.BinOp, a, b int64) int64 {
	switch op {
	case tir.Add:
		return a + b
	case tir.Sub:
		return a - b
	case tir.Mul:
		return a * b
	case tir.Min:
		return min(a, b)
	case tir.Max:
		return max(a, b)
	case tir.And:
		return a & b
	case tir.Or:
		return a | b
	case tir.Div:
		if b == 0 {
			evalFail("division by zero")
		}
		return a / b
	case tir.FloorDiv, tir.FloorMod:
		if b < 1 {
			evalFail("division by %d: the divisor must be positive", b)
		}
		q := floorDiv(a, b)
		if op == tir.FloorDiv {
			return q
		}
		return a - q*b
	}
	return compareOp(op, a, b).i
}
