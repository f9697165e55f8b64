package tirtest

import (
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
)

// product adds C = A*B for the given shape and reduction, either operand
// transposed or not.
func (g *gen) product(name string, a, b *tir.Buffer, m, n, k int64, transA, transB bool) *tir.Buffer {
	return g.fold(compute.Sum, name, []int64{m, n}, []int64{k}, func(at, r []tir.Expr) tir.Expr {
		return mul(loadMatrix(a, at[0], r[0], transA), loadMatrix(b, r[0], at[1], transB))
	})
}

func loadMatrix(b *tir.Buffer, i, j tir.Expr, trans bool) tir.Expr {
	if trans {
		i, j = j, i
	}
	return load(b, i, j)
}

func (g *gen) matrix(name string, m, n int64, trans bool) *tir.Buffer {
	if trans {
		m, n = n, m
	}
	return g.input(name, m, n)
}

func (g *gen) matmul() {
	d := g.dims(3, 1200)
	ta, tb := g.coin(), g.coin()
	a, b := g.matrix("A", d[0], d[2], ta), g.matrix("B", d[2], d[1], tb)
	g.epilogue(g.product("C", a, b, d[0], d[1], d[2], ta, tb))
}

func (g *gen) batchMatmul() {
	d := g.dims(4, 1500)
	a, b := g.input("A", d[0], d[1], d[3]), g.input("B", d[0], d[2], d[3])
	c := g.fold(compute.Sum, "C", d[:3], d[3:], func(at, r []tir.Expr) tir.Expr {
		return mul(load(a, at[0], at[1], r[0]), load(b, at[0], at[2], r[0]))
	})
	g.epilogue(c)
}

func (g *gen) chainedMatmul() {
	d := g.dims(4, 1000)
	a, b, c := g.input("A", d[0], d[1]), g.input("B", d[1], d[2]), g.input("C", d[2], d[3])
	x := g.product("X", a, b, d[0], d[2], d[1], false, false)
	g.epilogue(g.product("Y", x, c, d[0], d[3], d[2], false, false))
}

// pad adds zeros around the listed dimensions of b.
func (g *gen) pad(b *tir.Buffer, by map[int]int64, fill tir.Expr) *tir.Buffer {
	shape := append([]int64(nil), b.Shape...)
	total := int64(0)
	for d, p := range by {
		shape[d] += 2 * p
		total += p
	}
	if total == 0 {
		return b
	}
	return g.compute("pad", shape, func(at []tir.Expr) tir.Expr {
		var conds []tir.Expr
		index := append([]tir.Expr(nil), at...)
		for d := range shape {
			if p := by[d]; p > 0 {
				conds = append(conds, tir.Bin(tir.GE, at[d], tir.Int(p)), tir.Bin(tir.LT, at[d], tir.Int(p+b.Shape[d])))
				index[d] = sub(at[d], tir.Int(p))
			}
		}
		return tir.IfThenElse(tir.AllOf(conds...), load(b, index...), fill)
	})
}

// window is a random one-dimensional window: kernel size, stride, dilation, padding and the
// resulting output extent for an input of n.
type window struct{ k, stride, dilation, pad, out int64 }

func (g *gen) window(n int64) window {
	for {
		w := window{k: 1 + g.r.Int64N(3), stride: 1 + g.r.Int64N(2), dilation: 1, pad: g.r.Int64N(2)}
		if g.r.IntN(4) == 0 {
			w.dilation = 2
		}
		if span := n + 2*w.pad - w.dilation*(w.k-1); span >= 1 {
			w.out = (span-1)/w.stride + 1
			return w
		}
	}
}

// at returns the padded input position of output o and kernel position k.
func (w window) at(o, k tir.Expr) tir.Expr { return add(times(o, w.stride), times(k, w.dilation)) }

func (g *gen) conv1d() {
	d := g.dims(3, 200) // length, channels in, out
	w := g.window(d[0])
	x, k := g.input("X", d[0], d[1]), g.input("W", w.k, d[1], d[2])
	p := g.pad(x, map[int]int64{0: w.pad}, tir.Const(g.t, 0))
	c := g.fold(compute.Sum, "C", []int64{w.out, d[2]}, []int64{w.k, d[1]}, func(at, r []tir.Expr) tir.Expr {
		return mul(load(p, w.at(at[0], r[0]), r[1]), load(k, r[0], r[1], at[1]))
	})
	g.epilogue(c)
}

func (g *gen) conv2d() {
	d := g.dims(4, 200) // height, width, channels in, out
	h, w := g.window(d[0]), g.window(d[1])
	x, k := g.input("X", 1, d[0], d[1], d[2]), g.input("W", h.k, w.k, d[2], d[3])
	p := g.pad(x, map[int]int64{1: h.pad, 2: w.pad}, tir.Const(g.t, 0))
	c := g.fold(compute.Sum, "C", []int64{1, h.out, w.out, d[3]}, []int64{h.k, w.k, d[2]},
		func(at, r []tir.Expr) tir.Expr {
			return mul(load(p, at[0], h.at(at[1], r[0]), w.at(at[2], r[1]), r[2]), load(k, r[0], r[1], r[2], at[3]))
		})
	g.epilogue(c)
}

func (g *gen) depthwise() {
	d := g.dims(3, 300)
	h, w := g.window(d[0]), g.window(d[1])
	x, k := g.input("X", d[0], d[1], d[2]), g.input("W", h.k, w.k, d[2])
	p := g.pad(x, map[int]int64{0: h.pad, 1: w.pad}, tir.Const(g.t, 0))
	c := g.fold(compute.Sum, "C", []int64{h.out, w.out, d[2]}, []int64{h.k, w.k}, func(at, r []tir.Expr) tir.Expr {
		return mul(load(p, h.at(at[0], r[0]), w.at(at[1], r[1]), at[2]), load(k, r[0], r[1], at[2]))
	})
	g.epilogue(c)
}

func (g *gen) pool() {
	d := g.dims(3, 300)
	h, w := g.window(d[0]), g.window(d[1])
	x := g.input("X", d[0], d[1], d[2])
	kind, fill := compute.MaxOf, lowest(g.t)
	if g.coin() {
		kind, fill = compute.MinOf, highest(g.t)
	}
	p := g.pad(x, map[int]int64{0: h.pad, 1: w.pad}, fill)
	c := g.fold(kind, "C", []int64{h.out, w.out, d[2]}, []int64{h.k, w.k}, func(at, r []tir.Expr) tir.Expr {
		return load(p, h.at(at[0], r[0]), w.at(at[1], r[1]), at[2])
	})
	g.epilogue(c)
}

func (g *gen) reduce() {
	d := g.dims(3, 1000)
	x := g.input("X", d...)
	kind := []compute.CombineKind{compute.Sum, compute.MaxOf, compute.MinOf}[g.r.IntN(3)]
	var c *tir.Buffer
	switch g.r.IntN(4) {
	case 0: // over the last
		c = g.fold(kind, "C", d[:2], d[2:], func(at, r []tir.Expr) tir.Expr { return load(x, at[0], at[1], r[0]) })
	case 1: // over the first
		c = g.fold(kind, "C", d[1:], d[:1], func(at, r []tir.Expr) tir.Expr { return load(x, r[0], at[0], at[1]) })
	case 2: // over two
		c = g.fold(kind, "C", d[1:2], []int64{d[0], d[2]},
			func(at, r []tir.Expr) tir.Expr { return load(x, r[0], at[0], r[1]) })
	case 3: // over all
		c = g.fold(kind, "C", []int64{1}, d, func(at, r []tir.Expr) tir.Expr { return load(x, r...) })
	}
	g.epilogue(c)
}

func (g *gen) softmax() { g.softmaxOf(g.dims(2, 300)) }

func (g *gen) softmaxOf(d []int64) {
	x := g.input("X", d...)
	top := g.fold(compute.MaxOf, "max", d[:1], d[1:], func(at, r []tir.Expr) tir.Expr { return load(x, at[0], r[0]) })
	exp := g.compute("exp", d, func(at []tir.Expr) tir.Expr {
		return &tir.Call{Fn: tir.Exp, Args: []tir.Expr{sub(load(x, at...), load(top, at[0]))}}
	})
	sum := g.fold(compute.Sum, "sum", d[:1], d[1:], func(at, r []tir.Expr) tir.Expr { return load(exp, at[0], r[0]) })
	g.output(g.compute("softmax", d, func(at []tir.Expr) tir.Expr {
		return tir.Bin(tir.Div, load(exp, at...), load(sum, at[0]))
	}))
}

func (g *gen) elementwise() {
	d := g.dims(3, 600)
	x, y := g.input("X", d...), g.input("Y", d[2])
	c := g.compute("C", d, func(at []tir.Expr) tir.Expr {
		return add(mul(load(x, at...), load(y, at[2])), load(y, at[2]))
	})
	if g.coin() { // a flag that picks
		flag := g.compute("flag", d, func(at []tir.Expr) tir.Expr {
			return tir.Bin(tir.LT, load(c, at...), tir.Const(g.t, 2))
		})
		c = g.compute("picked", d, func(at []tir.Expr) tir.Expr {
			return &tir.Select{Cond: load(flag, at...), Then: load(c, at...), Else: load(x, at...)}
		})
	}
	g.epilogue(c)
}

func (g *gen) argmax() { g.argmaxOf(g.dims(2, 400)) }

func (g *gen) argmaxOf(d []int64) {
	x := g.input("X", d...)
	axes, vars := axesOf("", d[:1])
	red, redVars := axesOf("r", d[1:])
	accI, srcI := &tir.Var{Name: "xi", Type: tir.I32}, &tir.Var{Name: "yi", Type: tir.I32}
	acc, src := &tir.Var{Name: "x", Type: g.t}, &tir.Var{Name: "y", Type: g.t}
	// The lower index wins a tie, so that the order of the reduction does not matter.
	keep := tir.Bin(tir.Or, tir.Bin(tir.GT, acc, src),
		tir.Bin(tir.And, tir.Bin(tir.EQ, acc, src), tir.Bin(tir.LT, accI, srcI)))
	combine := &compute.Combiner{
		Acc: []*tir.Var{accI, acc}, Src: []*tir.Var{srcI, src},
		Result: []tir.Expr{
			&tir.Select{Cond: keep, Then: accI, Else: srcI},
			&tir.Select{Cond: keep, Then: acc, Else: src},
		},
		Identity: []tir.Expr{tir.Const(tir.I32, 1<<20), lowest(g.t)},
	}
	bodies := []tir.Expr{&tir.Cast{X: redVars[0], To: tir.I32}, load(x, vars[0], redVars[0])}
	g.outputs = append(g.outputs, g.Reduce("argmax", axes, red, combine, bodies, compute.Attrs{})...)
}

// reindex copies a tensor with its elements in another place.
func (g *gen) reindex() {
	d := g.dims(3, 600)
	x := g.input("X", d...)
	one := g.compute("one", d, func(at []tir.Expr) tir.Expr { return add(load(x, at...), tir.Const(g.t, 1)) })
	var c *tir.Buffer
	switch g.r.IntN(5) {
	case 0: // transpose
		c = g.compute("C", []int64{d[2], d[0], d[1]}, func(at []tir.Expr) tir.Expr { return load(one, at[1], at[2], at[0]) })
	case 1: // flatten
		c = g.compute("C", []int64{d[0] * d[1], d[2]}, func(at []tir.Expr) tir.Expr {
			return load(one, tir.Bin(tir.FloorDiv, at[0], tir.Int(d[1])), tir.Bin(tir.FloorMod, at[0], tir.Int(d[1])), at[1])
		})
	case 2: // reverse
		c = g.compute("C", d, func(at []tir.Expr) tir.Expr { return load(one, at[0], sub(tir.Int(d[1]-1), at[1]), at[2]) })
	case 3: // upsample
		c = g.compute("C", []int64{d[0], 2 * d[1], d[2]}, func(at []tir.Expr) tir.Expr {
			return load(one, at[0], tir.Bin(tir.FloorDiv, at[1], tir.Int(2)), at[2])
		})
	case 4: // concatenate with itself
		c = g.compute("C", []int64{d[0], d[1], 2 * d[2]}, func(at []tir.Expr) tir.Expr {
			return tir.IfThenElse(tir.Bin(tir.LT, at[2], tir.Int(d[2])), load(one, at...),
				load(x, at[0], at[1], sub(at[2], tir.Int(d[2]))))
		})
	}
	g.epilogue(c)
}

// gather reads where another tensor says.
func (g *gen) gather() {
	d := g.dims(3, 600)
	x, where := g.input("X", d[0], d[1]), g.typedInput("I", tir.I32, d[2])
	row := g.compute("row", d[:2], func(at []tir.Expr) tir.Expr { return mul(load(x, at...), tir.Const(g.t, 2)) })
	g.epilogue(g.compute("C", []int64{d[2], d[1]}, func(at []tir.Expr) tir.Expr {
		i := tir.Bin(tir.FloorMod, &tir.Cast{X: load(where, at[0]), To: tir.Index}, tir.Int(d[0]))
		return load(row, i, at[1])
	}))
}

// twoOutputs has an output that another stage reads.
func (g *gen) twoOutputs() {
	d := g.dims(3, 800)
	a, b := g.input("A", d[0], d[2]), g.input("B", d[2], d[1])
	c := g.product("C", a, b, d[0], d[1], d[2], false, false)
	g.output(c)
	t := c.Type
	e := g.compute("D", d[:2], func(at []tir.Expr) tir.Expr { return tir.Bin(tir.Max, load(c, at...), tir.Const(t, 1)) })
	s := g.fold(compute.Sum, "S", d[:1], d[1:2],
		func(at, r []tir.Expr) tir.Expr { return add(load(c, at[0], r[0]), load(e, at[0], r[0])) })
	g.output(s)
}

// A part is a tensor, and the axes of the iteration space that its dimensions are along.
type part struct {
	buffer *tir.Buffer
	along  []int
}

// broadcasts combines tensors that lie along some of three axes, each in any order, in two to
// five ops: outer products, scales of rows and columns, sums over what an op's result does not
// have, and functions that are dear to compute again. What no op reads is an output.
func (g *gen) broadcasts() {
	size := g.dims(3, 400)
	var parts []part
	unread := map[*tir.Buffer]bool{}
	inputs := 0
	fresh := func() part {
		along := g.someAxes()
		inputs++
		p := part{g.input(fmt.Sprintf("X%d", inputs), sizesOf(size, along)...), along}
		parts = append(parts, p)
		return p
	}
	last := fresh()
	for i := range 2 + g.r.IntN(4) {
		read := []part{last} // so that chains are common
		for range g.r.IntN(3) {
			if g.coin() {
				read = append(read, fresh())
			} else {
				read = append(read, parts[g.r.IntN(len(parts))])
			}
		}
		last = g.combined(fmt.Sprintf("Y%d", i+1), size, read)
		for _, p := range read {
			delete(unread, p.buffer)
		}
		unread[last.buffer] = true
		parts = append(parts, last)
	}
	for _, p := range parts {
		if unread[p.buffer] {
			g.output(p.buffer)
		}
	}
}

// someAxes returns one to three of the numbers 0 to 2, mostly in order.
func (g *gen) someAxes() []int {
	along := g.r.Perm(3)[:1+g.r.IntN(3)]
	if g.r.IntN(4) > 0 {
		slices.Sort(along)
	}
	return along
}

func sizesOf(size []int64, along []int) []int64 {
	list := make([]int64, len(along))
	for d, a := range along {
		list[d] = size[a]
	}
	return list
}

// combined adds an op over the axes of the first part, or over some; the axes of the parts that it
// has not are reduced, or only their first element is read.
func (g *gen) combined(name string, size []int64, read []part) part {
	along := read[0].along
	if g.coin() {
		along = g.someAxes()
	}
	var over []int
	if g.coin() {
		for _, p := range read {
			for _, a := range p.along {
				if !slices.Contains(along, a) && !slices.Contains(over, a) {
					over = append(over, a)
				}
			}
		}
	}
	kind := g.r.IntN(3)
	body := func(at, red []tir.Expr) tir.Expr {
		var e tir.Expr
		for _, p := range read {
			x := loadAlong(p, along, over, at, red)
			switch {
			case e == nil:
				e = x
			case kind == 0 && (x.DType().IsFloat() || g.inputs[p.buffer]):
				e = mul(e, tir.Bin(tir.Min, x, tir.Const(x.DType(), 2))) // so that chains stay small
			case kind == 1:
				e = tir.Bin(tir.Max, e, x)
			default:
				e = add(e, x)
			}
		}
		if e.DType().IsFloat() && kind == 0 && g.coin() {
			e = &tir.Call{Fn: tir.Exp, Args: []tir.Expr{tir.Bin(tir.Min, e, tir.Const(e.DType(), 1))}}
		}
		return e
	}
	if len(over) == 0 {
		return part{g.compute(name, sizesOf(size, along), func(at []tir.Expr) tir.Expr { return body(at, nil) }), along}
	}
	fold := []compute.CombineKind{compute.Sum, compute.Sum, compute.MaxOf}[g.r.IntN(3)]
	return part{g.fold(fold, name, sizesOf(size, along), sizesOf(size, over), body), along}
}

// loadAlong reads the element of p where the loops along and over are; the first along others.
func loadAlong(p part, along, over []int, at, red []tir.Expr) tir.Expr {
	var index []tir.Expr
	for _, a := range p.along {
		switch d, r := slices.Index(along, a), slices.Index(over, a); {
		case d >= 0:
			index = append(index, at[d])
		case r >= 0:
			index = append(index, red[r])
		default:
			index = append(index, tir.Int(0))
		}
	}
	return load(p.buffer, index...)
}
