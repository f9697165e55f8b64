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

// Family names the DAGs that do the same work up to the batch: whose reductions run
// over the same extents, whatever is done before and after them, and whatever
// things are called. The batch is the first axis of the output, and what other
// tensors have because of it:
//
//	matmul x[128,64] y[64,32]   and   relu of matmul x[256,64] y[64,32]
//	                            not   matmul x[128,64] y[64,96]
//
// Of a DAG that does not reduce, the extents of the outputs count.
func Family(d *compute.DAG) string {
	batch := batchAxes(d)
	var text strings.Builder
	for _, op := range d.Ops {
		if op.Combine == nil {
			continue
		}
		text.WriteString("reduce")
		extents(&text, op, batch)
		text.WriteString(" over")
		for _, a := range op.ReduceAxes {
			if a.Extent > 1 {
				fmt.Fprintf(&text, " %d", a.Extent)
			}
		}
		text.WriteString("\n")
	}
	if text.Len() == 0 {
		for _, b := range d.Results() {
			text.WriteString("map")
			extents(&text, d.Producer(b), batch)
			text.WriteString("\n")
		}
	}
	return digest(text.String())
}

// Families returns the family of a DAG and, if it is another, that of the DAG with dimensions collapsed, as tasks of
// whole models have them: a convolution of 1x1 is a product of as many rows as its image has points.
func Families(d *compute.DAG) []string {
	list := []string{Family(d)}
	if f := Family(compute.Collapse(withoutUnits(d))); f != list[0] {
		list = append(list, f)
	}
	return list
}

// withoutUnits returns d without the reduction axes of one iteration, such as those of a kernel of 1x1, which keep
// dimensions apart that are one.
func withoutUnits(d *compute.DAG) *compute.DAG {
	n := &compute.DAG{Tensors: d.Tensors, Outputs: d.Outputs}
	for _, op := range d.Ops {
		units := map[*tir.Var]bool{}
		var rest []*compute.Axis
		for _, a := range op.ReduceAxes {
			if a.Extent == 1 {
				units[a.Var] = true
			} else {
				rest = append(rest, a)
			}
		}
		if len(units) > 0 && len(rest) > 0 {
			changed := *op
			changed.ReduceAxes, changed.Body = rest, nil
			for _, e := range op.Body {
				changed.Body = append(changed.Body, tir.MapExpr(e, func(e tir.Expr) tir.Expr { return atZero(e, units) }))
			}
			op = &changed
		}
		n.Ops = append(n.Ops, op)
	}
	return n
}

// atZero maps an expression whose operands are mapped: some variables are 0.
func atZero(e tir.Expr, vars map[*tir.Var]bool) tir.Expr {
	zero := func(e tir.Expr) bool { c, ok := e.(*tir.IntImm); return ok && c.Value == 0 }
	switch e := e.(type) {
	case *tir.Var:
		if vars[e] {
			return tir.Int(0)
		}
	case *tir.Binary:
		switch {
		case e.Op == tir.Add && zero(e.Y), e.Op == tir.Mul && zero(e.X):
			return e.X
		case e.Op == tir.Add && zero(e.X), e.Op == tir.Mul && zero(e.Y):
			return e.Y
		}
	}
	return e
}

// extents writes those of the spatial axes, without the batch.
func extents(text *strings.Builder, op *compute.Op, batch map[*tir.Buffer][]bool) {
	for axis, a := range op.Axes {
		if a.Extent > 1 && !batch[op.Results[0]][axis] {
			fmt.Fprintf(text, " %d", a.Extent)
		}
	}
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
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
