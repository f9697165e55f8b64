package dag

import (
	"slices"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
)

// maxJoined bounds the expression of a joined stage, in nodes: x*sigmoid(x), again and again, doubles it each time.
const maxJoined = 512

// join has one stage compute what several compute of a product, if all of them read element by element and all paths
// from the product lead to the one:
//
//	y(i, j) += x[i, k]*w[k, j]               y(i, j) += x[i, k]*w[k, j]
//	a(i, j) = y[i, j] + b[j]                 a(i, j) = y[i, j] + b[j]
//	s(i, j) = sigmoid(a[i, j])        =>
//	z(i, j) = a[i, j]*s[i, j]                z(i, j) = a[i, j]*sigmoid(a[i, j])
//
// AutoScheduler's rules compute the tiles of a product in a stage that reads it, if each stage up to there has one
// reader (compute.Access.ElementwiseMatch). Without this, SiLU and GELU would read the product back from memory.
func (c *composer) join(d *compute.DAG) (*compute.DAG, error) {
	a := d.Access()
	inlined := map[*tir.Buffer]*compute.Op{}
	for _, op := range d.Ops {
		if len(op.ReduceAxes) == 0 || !a.NeedsMultiLevelTiling(op) {
			continue
		}
		for at := op; at != nil && !a.IsOutput(at); {
			var between []*compute.Op
			at, between = joint(d, at)
			for _, o := range between {
				inlined[o.Results[0]] = o
			}
		}
	}
	if len(inlined) == 0 {
		return d, nil
	}
	var ops []*compute.Op
	for _, op := range d.Ops {
		op = c.through(op, inlined)
		if len(op.Results) == 1 && inlined[op.Results[0]] != nil {
			inlined[op.Results[0]] = op
			continue
		}
		ops = append(ops, op)
	}
	return compute.FromOps(d.Tensors, d.Outputs, ops)
}

// joint returns the first stage that all paths from a stage lead to, and the stages on these paths, in order. It
// returns nil if there is none, or a stage up to there reduces, reads other elements than its own, is an output, or if
// the expression would be too long.
func joint(d *compute.DAG, from *compute.Op) (to *compute.Op, between []*compute.Op) {
	a := d.Access()
	lastReader := func(op *compute.Op) int {
		readers := a.Consumers(op, nil)
		return slices.Index(d.Ops, readers[len(readers)-1])
	}
	length := map[*tir.Buffer]int{} // of the expressions of between, each inlined into the next
	reached := []*compute.Op{from}
	last := lastReader(from)
	for i := slices.Index(d.Ops, from) + 1; i <= last; i++ {
		op := d.Ops[i]
		reads := false
		for _, p := range a.DirectProducers(op) {
			if slices.Contains(reached, p) {
				if reads = true; !a.ReadsInPlace(op, p) {
					return nil, nil
				}
			}
		}
		if !reads {
			continue
		}
		n := inlinedLength(op, length)
		if len(op.ReduceAxes) > 0 || len(op.Results) > 1 || n > maxJoined {
			return nil, nil
		}
		if i == last {
			return op, between
		}
		if a.IsOutput(op) {
			return nil, nil
		}
		length[op.Results[0]] = n
		reached, between = append(reached, op), append(between, op)
		last = max(last, lastReader(op))
	}
	panic("BUG: op: stage " + from.Name + " has no last reader")
}

// inlinedLength counts the nodes of an op's expressions with others, of the lengths, in the place of what they compute.
func inlinedLength(op *compute.Op, length map[*tir.Buffer]int) int {
	n := 0
	for _, e := range op.Body {
		tir.VisitExpr(e, func(e tir.Expr) bool {
			n++
			if l, ok := e.(*tir.Load); ok {
				n += length[l.Buffer]
				return false
			}
			return true
		})
	}
	return n
}
