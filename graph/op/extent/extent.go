// Package extent has the operators of graphs whose true extents are known at run time only, within bounds. A value of
// such a graph has the shape of the bounds, and its true elements lie where that shape has them. What lies beyond the
// true extents may be anything.
//
// The digits of an axis are the factors of its extent, outermost first: an axis that was reshaped from [batch, seq] has
// two. A digit has an upper bound, and an entry of the vector of extents, or -1 if it is constant. Nodes have them in
// the attributes axes, uppers and entries.
package extent

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	. "github.com/wmtune/wmtune/graph/op/expr"
	"github.com/wmtune/wmtune/tir"
)

// Extents has the operators on values within bounds.
var Extents = []op.Row{
	{Op: "wmtune.Extents", In: "-:L", Class: op.Opaque, Infer: inferExtents, Eval: evalExtents,
		Opaque: &op.Function{Make: opaqueExtents, Fault: faultOfExtents}},
	{Op: "wmtune.Mask", In: "T:A -:L", Infer: op.InferSame, Eval: evalMask, Body: bodyMask},
	{Op: "wmtune.Spread", In: "T:A -:L", Class: op.Opaque, Infer: inferSpread, Eval: evalSpread,
		Opaque: &op.Function{Make: opaqueSpread}},
	{Op: "wmtune.Cut", In: "T:A -:L", Class: op.Opaque, Infer: inferCut, Eval: evalCut,
		Opaque: &op.Function{Make: opaqueCut}},
	{Op: "wmtune.Pack", In: "T:A -:L", Infer: inferPack, Eval: evalPack, Body: bodyPack},
	{Op: "wmtune.Unpack", In: "T:A -:L", Infer: inferUnpack, Eval: evalUnpack, Body: bodyUnpack},
}

// A Digit is a factor of an axis of a value.
type Digit struct {
	Axis  int
	Upper int64
	Entry int // of the vector of extents; -1: the extent is Upper
}

// Attrs returns the attributes of a node for a value of digits, in order.
func Attrs(digits []Digit) []graph.Attr {
	var axes, uppers, entries []int64
	for _, d := range digits {
		axes, uppers, entries = append(axes, int64(d.Axis)), append(uppers, d.Upper), append(entries, int64(d.Entry))
	}
	return []graph.Attr{graph.IntsAttr("axes", axes...), graph.IntsAttr("uppers", uppers...),
		graph.IntsAttr("entries", entries...)}
}

// Digits returns what Attrs was told.
func Digits(n *graph.Node) []Digit {
	axes, uppers, entries := n.Ints("axes"), n.Ints("uppers"), n.Ints("entries")
	list := make([]Digit, len(axes))
	for i := range axes {
		list[i] = Digit{int(axes[i]), uppers[i], int(entries[i])}
	}
	return list
}

// A Formula is what an entry of the vector of extents is: the sum of terms of entries before it, plus Plus, and divided
// by Over, rounded down. If Over is 0 it is the greatest of the terms.
type Formula struct {
	Plus, Over int64
	Terms      []Term
}

// Equal reports whether two formulas are the same.
func (f Formula) Equal(g Formula) bool { return slices.Equal(encode(f), encode(g)) }

// A Term of a formula is a product of entries, Times a number.
type Term struct {
	Times   int64
	Entries []int
}

// FormulaAttrs returns the attributes of a wmtune.Extents: the least and the greatest number of each dimension, which
// are the first entries, the steps between, and the formulas of the others.
func FormulaAttrs(least, most, steps []int64, list []Formula) []graph.Attr {
	return []graph.Attr{graph.IntsAttr("least", least...), graph.IntsAttr("most", most...),
		graph.IntsAttr("steps", steps...), graph.IntsAttr("formulas", encode(list...)...)}
}

// Append adds formulas to a wmtune.Extents whose type is known.
func Append(n *graph.Node, list []Formula) {
	n.SetAttr(graph.IntsAttr("formulas", append(slices.Clone(n.Ints("formulas")), encode(list...)...)...))
	n.Outputs[0].Shape = []int64{n.Outputs[0].Shape[0] + int64(len(list))}
}

func encode(list ...Formula) []int64 {
	var code []int64
	for _, f := range list {
		code = append(code, f.Over, f.Plus, int64(len(f.Terms)))
		for _, t := range f.Terms {
			code = append(code, t.Times, int64(len(t.Entries)))
			for _, e := range t.Entries {
				code = append(code, int64(e))
			}
		}
	}
	return code
}

// Formulas returns the formulas of a wmtune.Extents, in order.
func Formulas(n *graph.Node) []Formula {
	var list []Formula
	code := n.Ints("formulas")
	next := func() int64 {
		v := code[0]
		code = code[1:]
		return v
	}
	for len(code) > 0 {
		f := Formula{Over: next(), Plus: next()}
		for range next() {
			t := Term{Times: next()}
			for range next() {
				t.Entries = append(t.Entries, int(next()))
			}
			f.Terms = append(f.Terms, t)
		}
		list = append(list, f)
	}
	return list
}

// Of returns the vector of extents of dimensions. What it divides is not negative within the bounds.
func (f Formula) Of(entries []int64) int64 {
	sum := f.Plus
	for i, t := range f.Terms {
		p := t.Times
		for _, e := range t.Entries {
			p *= entries[e]
		}
		if f.Over == 0 && i > 0 {
			sum = max(sum, p)
		} else {
			sum += p
		}
	}
	if f.Over == 0 {
		return sum
	}
	if r := sum % f.Over; r < 0 {
		sum -= r + f.Over
	}
	return sum / f.Over
}

// Reader returns the node that reads an input as the true extents, or nil.
func Reader(g *graph.Graph, v *graph.Value) *graph.Node {
	for _, n := range g.Nodes {
		if n.Domain == "wmtune" && n.Op == "Extents" && n.Inputs[0] == v {
			return n
		}
	}
	return nil
}

// Draw returns extents that such a node takes.
func Draw(n *graph.Node, r *rand.Rand) *graph.Tensor {
	list := slices.Clone(n.Ints("least"))
	for i, step := range n.Ints("steps") {
		list[i] += step * r.Int64N((n.Ints("most")[i]-list[i])/step+1)
	}
	return graph.Ints(list...)
}

func inferExtents(n *graph.Node) ([]op.Type, error) {
	count := int64(len(n.Ints("least")) + len(Formulas(n)))
	return []op.Type{{DType: tir.I64, Shape: []int64{count}}}, nil
}

func evalExtents(_ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	list := append([]int64{}, in[0].I...)
	for i, v := range list {
		least, most, step := n.Ints("least")[i], n.Ints("most")[i], n.Ints("steps")[i]
		if v < least || v > most || (v-least)%step != 0 {
			return nil, fmt.Errorf("extent %d is %d: it must be from %d to %d in steps of %d", i, v, least, most, step)
		}
	}
	for _, f := range Formulas(n) {
		list = append(list, f.Of(list))
	}
	return []*graph.Tensor{graph.Ints(list...)}, nil
}

func faultOfExtents(n *graph.Node) string {
	text := fmt.Sprintf("an extent is outside of its range: extents are from %v to %v", n.Ints("least"), n.Ints("most"))
	if slices.Max(n.Ints("steps")) > 1 {
		text += fmt.Sprintf(" in steps of %v", n.Ints("steps"))
	}
	return text
}

// opaqueExtents keeps an extent that is outside of its range from others' addresses.
func opaqueExtents(n *graph.Node) (*tir.Func, error) {
	dims, out, fault := Flat("dims", n.Inputs[0]), Flat("out", n.Outputs[0]), ErrorFlag()
	stmts := []tir.Stmt{ClearFault(fault)}
	least, most := n.Ints("least"), n.Ints("most")
	for i := range least {
		at := tir.Int(int64(i))
		v := Load(dims, at)
		outside := Or(Lt(v, tir.Int(least[i])), Gt(v, tir.Int(most[i])))
		if step := n.Ints("steps")[i]; step > 1 {
			outside = Or(outside, Ne(Floormod(Sub(v, tir.Int(least[i])), step), Zero))
		}
		stmts = append(stmts, &tir.If{Cond: outside, Then: SetFault(fault)},
			Store(out, MinOf(MaxOf(v, tir.Int(least[i])), tir.Int(most[i])), at))
	}
	for i, f := range Formulas(n) {
		sum := tir.Expr(tir.Int(f.Plus))
		for k, t := range f.Terms {
			p := tir.Expr(tir.Int(t.Times))
			for _, e := range t.Entries {
				p = Mul(p, Load(out, tir.Int(int64(e))))
			}
			if f.Over == 0 && k > 0 {
				sum = MaxOf(sum, p)
			} else {
				sum = Add(sum, p)
			}
		}
		if f.Over > 1 {
			sum = Floordiv(sum, f.Over)
		}
		stmts = append(stmts, Store(out, sum, tir.Int(int64(len(least)+i))))
	}
	return NewFunc("extents", 2, Seq(stmts...), dims, out, fault), nil
}
