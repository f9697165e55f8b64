package dag

import (
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
)

// apart has each reduction that reads one input at several places read several inputs, which are the same value. A
// search then sees that each is read again and again, and each may be packed in its own way:
//
//	y(i, j) += x[i, k]*x[j, k]    =>    y(i, j) += x[i, k]*x2[j, k]
//
// It returns ops with the new inputs, and these.
func (c *composer) apart(ops []*compute.Op) (all []*compute.Op, added []*tir.Buffer) {
	var inputs []*compute.Op
	for i, op := range ops {
		if len(op.ReduceAxes) == 0 {
			continue
		}
		k := *op
		k.Body = nil
		type place struct {
			index []tir.Expr
			b     *tir.Buffer
		}
		places := map[*tir.Buffer][]place{}
		for _, e := range op.Body {
			k.Body = append(k.Body, tir.SubstituteLoads(e, func(l *tir.Load) tir.Expr {
				v, read := c.values[l.Buffer.Name], places[l.Buffer]
				if v == nil {
					return l
				}
				for _, p := range read {
					if slices.EqualFunc(p.index, l.Index, tir.EqualExpr) {
						return &tir.Load{Buffer: p.b, Index: l.Index}
					}
				}
				b := l.Buffer
				if len(read) > 0 {
					b = &tir.Buffer{Name: fmt.Sprintf("p%d", len(c.values)), Type: b.Type, Shape: b.Shape}
					c.values[b.Name] = v
					added = append(added, b)
					inputs = append(inputs, &compute.Op{Name: b.Name, Results: []*tir.Buffer{b}})
				}
				places[l.Buffer] = append(read, place{l.Index, b})
				return &tir.Load{Buffer: b, Index: l.Index}
			}))
		}
		ops[i] = &k
	}
	return slices.Concat(inputs, ops), added
}
