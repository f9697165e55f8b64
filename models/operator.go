package models

import (
	"fmt"
	"slices"
	"strings"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
)

// Operators names the kinds of operations of a DAG, sorted and each once: how a
// reduction combines, over how many axes, what is calculated, and how many tensors
// are read. Sums, differences and products of elements are one kind of calculation.
// Shapes have no part in it, nor have names. A task with a kind that no
// training task had is one of which a model knows nothing, however near its
// embedding is.
func Operators(d *compute.DAG) []string {
	var list []string
	for _, op := range d.Ops {
		if !op.IsPlaceholder() {
			list = append(list, operatorName(op))
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// combineNames are those of the combiners, by kind.
var combineNames = map[compute.CombineKind]string{
	compute.Tuple: "tuple", compute.Sum: "sum", compute.MaxOf: "max", compute.MinOf: "min",
}

// calculation names a binary operation. What costs the same and moves the same bytes
// has one name: a difference is not strange to a model that has learned sums.
func calculation(op tir.BinOp) string {
	switch op {
	case tir.Add, tir.Sub, tir.Mul:
		return "arithmetic"
	}
	return fmt.Sprint(op)
}

func operatorName(op *compute.Op) string {
	var does []string
	for _, body := range op.Body {
		tir.VisitExpr(body, func(e tir.Expr) bool {
			switch e := e.(type) {
			case *tir.Load:
				return false // how an index is calculated is a matter of shapes
			case *tir.Binary:
				does = append(does, calculation(e.Op))
			case *tir.Call:
				does = append(does, fmt.Sprint(e.Fn))
			case *tir.Select:
				does = append(does, "select")
				return true
			case *tir.Cast:
				does = append(does, "cast")
			}
			return true
		})
	}
	slices.Sort(does)
	does = slices.Compact(does)
	name := "map"
	if op.Combine != nil {
		name = fmt.Sprintf("%s over %d", combineNames[op.Combine.Kind], len(op.ReduceAxes))
	}
	return fmt.Sprintf("%s of %d: %s", name, len(op.Reads()), strings.Join(does, " "))
}
