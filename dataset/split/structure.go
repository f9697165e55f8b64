package split

import (
	"fmt"
	"strings"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
)

// Structure names the DAGs that differ in names and shapes only. The limits of
// padding are shapes, too, and so are its amounts and how far the steps of a reduction
// are apart, as a dilation says; copies count for nothing, nor do dimensions of one
// element that are always read at 0.
func Structure(d *compute.DAG) string {
	n := namer{
		vars: map[*tir.Var]*tir.Var{}, buffers: map[*tir.Buffer]*tir.Buffer{}, batch: batchAxes(d),
		reduced: map[*tir.Var]bool{},
	}
	for _, op := range d.Ops {
		for _, a := range op.ReduceAxes {
			n.reduced[a.Var] = true
		}
	}
	var text strings.Builder
	for _, op := range d.Ops {
		if op.IsPlaceholder() {
			continue
		}
		if from, ok := copied(op); ok {
			n.buffers[op.Results[0]] = n.buffer(from)
			continue
		}
		for _, body := range op.Body {
			fmt.Fprintf(&text, "= %s\n", n.expr(body))
		}
		if op.Combine != nil {
			for k, e := range op.Combine.Result {
				fmt.Fprintf(&text, "by %s from %s\n", n.expr(e), op.Combine.Identity[k])
			}
		}
		for _, b := range op.Results {
			fmt.Fprintf(&text, "is %s %s\n", n.buffer(b).Name, b.Type)
		}
	}
	return digest(text.String())
}

// copied returns what an op copies, if it does nothing else.
func copied(op *compute.Op) (*tir.Buffer, bool) {
	if len(op.Body) != 1 || op.Combine != nil {
		return nil, false
	}
	l, ok := op.Body[0].(*tir.Load)
	if !ok || len(l.Index) != len(op.Axes) {
		return nil, false
	}
	for i, a := range op.Axes {
		if l.Index[i] != tir.Expr(a.Var) {
			return nil, false
		}
	}
	return l.Buffer, true
}

// A namer replaces names by numbers in the order of their first use.
type namer struct {
	vars    map[*tir.Var]*tir.Var
	buffers map[*tir.Buffer]*tir.Buffer // copies to what they copy
	tensors int
	batch   map[*tir.Buffer][]bool
	reduced map[*tir.Var]bool // the variables of reductions
}

func (n *namer) variable(v *tir.Var) *tir.Var {
	if _, ok := n.vars[v]; !ok {
		n.vars[v] = &tir.Var{Name: fmt.Sprintf("a%d", len(n.vars)), Type: v.Type}
	}
	return n.vars[v]
}

func (n *namer) buffer(b *tir.Buffer) *tir.Buffer {
	if _, ok := n.buffers[b]; !ok {
		c := *b
		c.Name = fmt.Sprintf("t%d", n.tensors)
		n.buffers[b] = &c
		n.tensors++
	}
	return n.buffers[b]
}

// expr returns e without names, without the batch, and with * for what comes of
// shapes.
func (n *namer) expr(e tir.Expr) tir.Expr {
	switch e := e.(type) {
	case *tir.Load:
		l := &tir.Load{Buffer: n.buffer(e.Buffer)}
		for dim, index := range e.Index {
			c, constant := index.(*tir.IntImm)
			if !n.batch[e.Buffer][dim] && !(constant && c.Value == 0) {
				l.Index = append(l.Index, n.expr(index))
			}
		}
		return l
	case *tir.Var:
		return n.variable(e)
	case *tir.Binary:
		if _, constant := e.Y.(*tir.IntImm); constant && (limiting(e.Op) || n.shifts(e)) {
			return tir.Bin(e.Op, n.expr(e.X), tir.NewVar("*"))
		}
	case *tir.FloatImm:
		if e.Value != 0 {
			return &tir.Var{Name: "*", Type: e.Type}
		}
	}
	return tir.MapOperands(e, n.expr)
}

// shifts reports whether e, of two operands of which the second is constant, moves a variable, or spreads that of a
// reduction.
func (n *namer) shifts(e *tir.Binary) bool {
	v, ok := e.X.(*tir.Var)
	return ok && (e.Op == tir.Add || e.Op == tir.Sub || e.Op == tir.Mul && n.reduced[v])
}

// limiting reports whether an operator's second operand, if constant, comes of a
// shape.
func limiting(op tir.BinOp) bool {
	return op.IsCompare() || op == tir.FloorDiv || op == tir.FloorMod
}
