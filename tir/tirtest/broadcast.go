package tirtest

import (
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
)

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
