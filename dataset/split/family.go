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
// Dimensions are collapsed first, as in tasks of whole models: a convolution of 1x1 is
// a product of as many rows as its image has points. Of a DAG that does not reduce, the
// extents of the outputs count, as they are.
func Family(d *compute.DAG) string {
	if slices.ContainsFunc(d.Ops, func(op *compute.Op) bool { return op.Combine != nil }) {
		d = compute.Collapse(d)
	}
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
