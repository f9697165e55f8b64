package split

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
)

// Family names the DAGs that differ in names and in their batch only. The batch is
// the first axis of the output, and what other tensors have because of it:
//
//	matmul x[128,64] y[64,32]   and   matmul x[256,64] y[64,32]
//	                            not   matmul x[128,64] y[64,96]
func Family(d *compute.DAG) string {
	batch := batchAxes(d)
	return digest(d, func(b *tir.Buffer, axis int) bool { return batch[b][axis] }, false)
}

// Structure names the DAGs that differ in names and shapes only. The limits of
// padding are shapes too.
func Structure(d *compute.DAG) string {
	return digest(d, func(*tir.Buffer, int) bool { return true }, true)
}

// batchAxes returns which dimensions of each tensor depend on the first of the
// output.
func batchAxes(d *compute.DAG) map[*tir.Buffer][]bool {
	batch := map[*tir.Buffer][]bool{}
	for _, op := range d.Ops {
		for _, b := range op.Results {
			batch[b] = make([]bool, len(b.Shape))
		}
	}
	for _, b := range d.Results() {
		if len(b.Shape) > 0 {
			batch[b][0] = true
		}
	}
	for _, op := range slices.Backward(d.Ops) { // readers before what they read
		for axis, a := range op.Axes {
			if !slices.ContainsFunc(op.Results, func(b *tir.Buffer) bool { return batch[b][axis] }) {
				continue
			}
			for _, body := range op.Body {
				tir.VisitExpr(body, func(e tir.Expr) bool {
					if l, ok := e.(*tir.Load); ok {
						for dim, index := range l.Index {
							batch[l.Buffer][dim] = batch[l.Buffer][dim] || tir.Uses(index, a.Var)
						}
					}
					return true
				})
			}
		}
	}
	return batch
}

// digest hashes a DAG without names, and without the extents that open reports;
// with limits, also without what indices are compared with and floats.
func digest(d *compute.DAG, open func(b *tir.Buffer, axis int) bool, limits bool) string {
	n := namer{vars: map[*tir.Var]*tir.Var{}, buffers: map[*tir.Buffer]*tir.Buffer{}, limits: limits}
	var text strings.Builder
	for _, op := range d.Ops {
		for _, b := range op.Results {
			fmt.Fprintf(&text, "%s %s", n.buffer(b).Name, b.Type)
			for axis, extent := range b.Shape {
				if open(b, axis) {
					text.WriteString(" *")
				} else {
					fmt.Fprintf(&text, " %d", extent)
				}
			}
			text.WriteString("\n")
		}
		for _, a := range op.Axes {
			n.variable(a.Var)
		}
		for _, a := range op.ReduceAxes {
			if limits {
				fmt.Fprintf(&text, "over %s\n", n.variable(a.Var).Name)
			} else {
				fmt.Fprintf(&text, "over %s %d\n", n.variable(a.Var).Name, a.Extent)
			}
		}
		for _, body := range op.Body {
			fmt.Fprintf(&text, "= %s\n", n.expr(body))
		}
		if op.Combine != nil {
			for k, e := range op.Combine.Result {
				fmt.Fprintf(&text, "by %s from %s\n", n.expr(e), op.Combine.Identity[k])
			}
		}
	}
	sum := sha256.Sum256([]byte(text.String()))
	return hex.EncodeToString(sum[:8])
}

// A namer replaces names by numbers in the order of their first use.
type namer struct {
	vars    map[*tir.Var]*tir.Var
	buffers map[*tir.Buffer]*tir.Buffer
	limits  bool
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
		c.Name = fmt.Sprintf("t%d", len(n.buffers))
		n.buffers[b] = &c
	}
	return n.buffers[b]
}

func (n *namer) expr(e tir.Expr) tir.Expr {
	return tir.MapExpr(e, func(e tir.Expr) tir.Expr {
		switch e := e.(type) {
		case *tir.Var:
			return n.variable(e)
		case *tir.Load:
			return &tir.Load{Buffer: n.buffer(e.Buffer), Index: e.Index}
		case *tir.Binary:
			if _, constant := e.Y.(*tir.IntImm); constant && n.limits && limiting(e.Op) {
				return tir.Bin(e.Op, e.X, tir.NewVar("*"))
			}
		case *tir.FloatImm:
			if n.limits && e.Value != 0 {
				return &tir.Var{Name: "*", Type: e.Type}
			}
		}
		return e
	})
}

// limiting reports whether an operator's second operand, if constant, comes of a
// shape.
func limiting(op tir.BinOp) bool {
	return op.IsCompare() || op == tir.FloorDiv || op == tir.FloorMod
}
