package rare

import (
	"fmt"
	"math"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	. "github.com/wmtune/wmtune/graph/op/expr"
	"github.com/wmtune/wmtune/tir"
)

// Fast has the Fourier transform of a length that is a product of small primes, by Stockham's method: each step divides
// transforms of n elements into some of n/r, and leaves the results in order. With s transforms beside each other,
//
//	u = q + s*p, q below s, p below m = n/r
//	y[q + s*(r*p + k)] = (sum over j below r of x[u + s*m*j] * W(r)^(j*k)) * W(n)^(p*k)
//
// W(n) is exp(-2*pi*i/n), or its inverse. Input 1 has the powers of W(n), step by step: real parts, then imaginary
// ones.
var Fast = []op.Row{
	{Op: "wmtune.FFT", In: "T:F -:F", Class: op.Opaque, Infer: inferFFT, Eval: evalFFT,
		Opaque: &op.Function{Make: opaqueFFT}},
}

// Sizes of fast transforms: shorter ones are products with a matrix. A vector has 16 elements.
const (
	shortestFast = 64
	fastLanes    = 16
)

// A fastStep is a step of a transform.
type fastStep struct {
	radix, m, s int64
	table       int64 // where its powers begin: of each k from 1 on, those of its places
}

// wide reports whether vectors of a step are of one p: then there is one power for each p, else one for each u.
func (f fastStep) wide() bool { return f.s >= fastLanes }

// places returns how many powers there are of each k.
func (f fastStep) places() int64 {
	if f.wide() {
		return f.m
	}
	return f.m * f.s
}

// fastSteps returns the steps of a transform and the size of their table, or nothing if it should not be one of steps.
func fastSteps(length int64) (list []fastStep, table int64) {
	n, s := length, int64(1)
	for _, radix := range []int64{4, 2, 3, 5, 7, 11, 13} {
		for n%radix == 0 {
			n /= radix
			f := fastStep{radix: radix, m: n, s: s, table: table}
			list = append(list, f)
			table += 2 * (radix - 1) * f.places()
			s *= radix
		}
	}
	if n != 1 || length < shortestFast || length > math.MaxInt32 {
		return nil, 0
	}
	return list, table
}

// turn returns the power k of W(n).
func (f *dft) turn(k, n int64) (re, im float64) {
	im, re = math.Sincos(-2 * math.Pi * float64(k%n) / float64(n))
	if f.inverse {
		im = -im
	}
	return re, im
}

// decomposeFast makes a node of a fast transform, if there is one.
func (f *dft) decomposeFast(d *op.Decomposer) bool {
	steps, size := fastSteps(f.length)
	if steps == nil {
		return false
	}
	table := graph.NewTensor(Register(d.Input(0).Type), size)
	for _, step := range steps {
		places := step.places()
		for k := int64(1); k < step.radix; k++ {
			for u := range places {
				p := u
				if !step.wide() {
					p = u / step.s
				}
				re, im := f.turn(p*k, step.radix*step.m)
				at := step.table + (k-1)*places + u
				table.F[at], table.F[at+(step.radix-1)*places] = re, im
			}
		}
	}
	attrs := []graph.Attr{graph.IntAttr("axis", int64(f.axis)), graph.IntAttr("length", f.length)}
	for _, name := range []string{"inverse", "onesided"} {
		attrs = append(attrs, graph.IntAttr(name, d.Node.Int(name, 0)))
	}
	d.Output(d.Apply("wmtune.FFT", []*graph.Value{d.Input(0), d.Const(table)}, attrs...))
	return true
}

func fastOf(n *graph.Node) (*dft, error) { return dftOf(n, n.Int("length", 0), n.Int("axis", 0)) }

func inferFFT(n *graph.Node) ([]op.Type, error) {
	f, err := fastOf(n)
	if err != nil {
		return nil, err
	}
	return []op.Type{{DType: n.Inputs[0].Type, Shape: f.shape(n.Inputs[0].Shape)}}, nil
}

func evalFFT(call *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	f, err := fastOf(n)
	if err != nil {
		return nil, err
	}
	return f.eval(call, in[0])
}

// A fastFunc writes the function of a fast transform.
type fastFunc struct {
	*dft
	x, table, y *tir.Buffer
	t           tir.DType
	inner       int64 // elements behind the axis
}

func opaqueFFT(n *graph.Node) (*tir.Func, error) {
	f, err := fastOf(n)
	if err != nil {
		return nil, err
	}
	steps, size := fastSteps(f.length)
	if steps == nil || n.Inputs[1].Elems() != size {
		return nil, fmt.Errorf("a fast transform of length %d with a table of %d", f.length, n.Inputs[1].Elems())
	}
	x := n.Inputs[0]
	c := &fastFunc{dft: f, x: Flat("x", x), table: Flat("table", n.Inputs[1]), y: Flat("y", n.Outputs[0]),
		t: Register(x.Type), inner: graph.Elems(x.Shape[f.axis+1 : len(x.Shape)-1])}
	pair := func(name string) [2]*tir.Buffer {
		return [2]*tir.Buffer{Scratch(name+"_re", c.t, f.length), Scratch(name+"_im", c.t, f.length)}
	}
	a, b := pair("a"), pair("b")
	lines := graph.Elems(x.Shape[:f.axis]) * c.inner
	body := Nest([]int64{lines}, tir.Parallel, func(at []tir.Expr) tir.Stmt {
		list := c.load(a, at[0])
		from, to := a, b
		for _, step := range steps {
			list = append(list, c.step(step, from, to))
			from, to = to, from
		}
		return Allocs(Seq(append(list, c.store(from, at[0]))...), a[0], a[1], b[0], b[1])
	})
	return NewFunc("fft", 1, body, c.x, c.table, c.y), nil
}

// load reads a line, and fills up what it has not: with zeros, or with its mirror image.
func (c *fastFunc) load(to [2]*tir.Buffer, line tir.Expr) []tir.Stmt {
	outer, j := Floordiv(line, c.inner), Floormod(line, c.inner)
	read := func(l tir.Expr, part int64) tir.Expr {
		if part >= c.parts {
			return tir.Const(c.t, 0)
		}
		at := Add(Times(Add(Times(Add(Times(outer, c.in), l), c.inner), j), c.parts), tir.Int(part))
		return Cast(Load(c.x, at), c.t)
	}
	terms := c.terms()
	list := []tir.Stmt{Vectors("l", terms, func(l tir.Expr) tir.Stmt {
		return Seq(Store(to[0], read(l, 0), l), Store(to[1], read(l, 1), l))
	})}
	if terms == c.length {
		return list
	}
	fill := func(first, count int64, re, im func(l tir.Expr) tir.Expr) {
		if count > 0 {
			list = append(list, Vectors("l", count, func(l tir.Expr) tir.Stmt {
				l = Plus(l, first)
				return Seq(Store(to[0], re(l), l), Store(to[1], im(l), l))
			}))
		}
	}
	zero := func(tir.Expr) tir.Expr { return tir.Const(c.t, 0) }
	if !c.inverse || !c.onesided {
		fill(terms, c.length-terms, zero, zero)
		return list
	}
	half := c.length/2 + 1
	fill(terms, half-terms, zero, zero)
	mirror := func(b *tir.Buffer) func(l tir.Expr) tir.Expr {
		return func(l tir.Expr) tir.Expr { return Load(b, Sub(tir.Int(c.length), l)) }
	}
	fill(half, c.length-half, mirror(to[0]), func(l tir.Expr) tir.Expr { return Neg(mirror(to[1])(l)) })
	return list
}

// store writes a line of the result.
func (c *fastFunc) store(from [2]*tir.Buffer, line tir.Expr) tir.Stmt {
	outer, j := Floordiv(line, c.inner), Floormod(line, c.inner)
	return Vectors("k", c.out, func(k tir.Expr) tir.Stmt {
		var list []tir.Stmt
		for part := range c.outParts {
			v := Load(from[part], k)
			if c.inverse {
				v = Mul(v, Num(v, 1/float64(c.length)))
			}
			at := Add(Times(Add(Times(Add(Times(outer, c.out), k), c.inner), j), c.outParts), tir.Int(part))
			list = append(list, Store(c.y, Cast(v, c.y.Type), at))
		}
		return Seq(list...)
	})
}

// step makes a step of a transform.
func (c *fastFunc) step(f fastStep, from, to [2]*tir.Buffer) tir.Stmt {
	// of places below width from u on, whose first element goes to v; power reads the power of k
	vectors := func(width int64, u, v func(i tir.Expr) tir.Expr, power func(i tir.Expr, k int64) tir.Expr) tir.Stmt {
		return Chunks("u", width, func(base tir.Expr, count int64) tir.Stmt {
			taken, sum := Scratch("taken", c.t, 2*f.radix, count), Scratch("sum", c.t, 2, count)
			return Allocs(Vector("u", count, func(lane tir.Expr) tir.Stmt {
				i := Add(base, lane)
				var list []tir.Stmt
				for j := range f.radix {
					for part := range int64(2) {
						list = append(list, Store(taken, Load(from[part], Plus(u(i), f.s*f.m*j)), tir.Int(2*j+part), lane))
					}
				}
				b := butterfly{c, f, taken, sum, lane}
				return Seq(append(list, b.stores(to, v(i), func(k int64) tir.Expr { return power(i, k) })...)...)
			}), taken, sum)
		})
	}
	if !f.wide() {
		return vectors(f.m*f.s, func(i tir.Expr) tir.Expr { return i }, func(i tir.Expr) tir.Expr {
			return Add(Floormod(i, f.s), Times(Floordiv(i, f.s), f.s*f.radix))
		}, func(i tir.Expr, k int64) tir.Expr { return Plus(i, f.table+(k-1)*f.places()) })
	}
	return Loop("p", f.m, func(p tir.Expr) tir.Stmt {
		return vectors(f.s, func(q tir.Expr) tir.Expr { return Add(Times(p, f.s), q) },
			func(q tir.Expr) tir.Expr { return Add(Times(p, f.s*f.radix), q) },
			func(_ tir.Expr, k int64) tir.Expr { return Plus(p, f.table+(k-1)*f.places()) })
	})
}

// A butterfly transforms the elements of taken, which has real and imaginary parts in turn.
type butterfly struct {
	*fastFunc
	fastStep
	taken, sum *tir.Buffer
	lane       tir.Expr
}

// stores stores the elements from v on, s apart, each multiplied by its power.
func (b butterfly) stores(to [2]*tir.Buffer, v tir.Expr, power func(k int64) tir.Expr) []tir.Stmt {
	var list []tir.Stmt
	part := func(j, part int64) tir.Expr { return Load(b.taken, tir.Int(2*j+part), b.lane) }
	at := func(part int64) tir.Expr { return Load(b.sum, tir.Int(part), b.lane) }
	for k := range b.radix {
		re, im := part(0, 0), part(0, 1)
		for j := int64(1); j < b.radix; j++ {
			cos, sin := b.turn(j*k, b.radix)
			re = b.plus(b.plus(re, cos, part(j, 0)), -sin, part(j, 1))
			im = b.plus(b.plus(im, cos, part(j, 1)), sin, part(j, 0))
		}
		list = append(list, Store(b.sum, re, tir.Int(0), b.lane), Store(b.sum, im, tir.Int(1), b.lane))
		re, im = at(0), at(1)
		if k > 0 && b.m > 1 {
			cos, sin := Load(b.fastFunc.table, power(k)), Load(b.fastFunc.table, Plus(power(k), (b.radix-1)*b.places()))
			re, im = Sub(Mul(at(0), cos), Mul(at(1), sin)), Add(Mul(at(0), sin), Mul(at(1), cos))
		}
		place := Plus(v, b.s*k)
		list = append(list, Store(to[0], re, place), Store(to[1], im, place))
	}
	return list
}

// plus is sum + factor*x.
func (c *fastFunc) plus(sum tir.Expr, factor float64, x tir.Expr) tir.Expr {
	switch whole := math.Round(factor); {
	case math.Abs(factor-whole) > 1e-9:
		return Add(sum, Mul(x, tir.Const(c.t, factor)))
	case whole == 0:
		return sum
	case whole < 0:
		return Sub(sum, x)
	}
	return Add(sum, x)
}
