package compute

import (
	"crypto/md5"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"github.com/wmtune/wmtune/tir"
)

// String returns the DAG as TVM prints a ComputeDAG: one line per op, in stage
// order, placeholders with their shapes.
//
//	A = PLACEHOLDER [512, 256]
//	B = PLACEHOLDER [256, 128]
//	C(i, j) += (A[i, k]*B[k, j])
//
// The text says neither types nor extents of axes; Text says all.
func (d *DAG) String() string { return d.print(fullText) }

// Simple returns the form of String whose md5 is the hash of public tuning
// logs: placeholders have no shapes, and a body that is a bare call prints as
// the name of the function (upstream: src/auto_scheduler/compute_dag.cc,
// PrintDAG).
//
//	A = PLACEHOLDER
//	pad(i, j) = Op(tir.if_then_else)
func (d *DAG) Simple() string { return d.print(simpleText) }

// Hash returns the md5 of Simple in hexadecimal. DAGs that differ in nothing
// but shapes have one hash.
func (d *DAG) Hash() string {
	sum := md5.Sum([]byte(d.Simple()))
	return hex.EncodeToString(sum[:])
}

// WorkloadKey returns the key of the DAG in public tuning logs of format v0.6:
// a JSON list of the hash and the shapes of Tensors.
//
//	["f3351bf9aef587a2fb1bf57b0fc78601", [128, 512], [512, 256], [128, 256]]
func (d *DAG) WorkloadKey() string {
	var b strings.Builder
	b.WriteString(`["` + d.Hash() + `"`)
	for _, t := range d.Tensors {
		b.WriteString(", " + shapeText(t.Shape))
	}
	b.WriteString("]")
	return b.String()
}

// A textForm selects one of TVM's two texts of a DAG.
type textForm uint8

const (
	fullText textForm = iota
	simpleText
)

func (d *DAG) print(form textForm) string {
	var b strings.Builder
	for _, op := range d.Ops {
		if op.IsPlaceholder() {
			b.WriteString(op.Name + " = PLACEHOLDER ")
			if form == fullText {
				b.WriteString(shapeText(op.Results[0].Shape))
			}
			b.WriteByte('\n')
			continue
		}
		for k := range op.Body {
			op.printResult(&b, k, form)
		}
	}
	return b.String()
}

// printResult writes the line of result k.
func (op *Op) printResult(b *strings.Builder, k int, form textForm) {
	names := make([]string, len(op.Axes))
	for i, a := range op.Axes {
		names[i] = a.Var.Name
	}
	b.WriteString(op.Name + "(" + strings.Join(names, ", ") + ")")
	if len(op.Body) > 1 {
		fmt.Fprintf(b, ".v%d", k)
	}
	if op.Combine != nil {
		b.WriteString(op.reductionText(k) + "\n")
		return
	}
	if name, ok := bareCall(op.Body[k]); ok && form == simpleText {
		b.WriteString(" = Op(" + name + ")\n")
		return
	}
	b.WriteString(" = " + op.Body[k].String() + "\n")
}

// reductionText returns how TVM prints the combiner and the source of result k:
// the first source for every result that is a sum, a maximum or a minimum, the
// first two for one that a select chooses. TVM refuses to print other combiners.
func (op *Op) reductionText(k int) string {
	switch e := op.Combine.Result[k].(type) {
	case *tir.Binary:
		switch e.Op {
		case tir.Add:
			return " += " + op.Body[0].String()
		case tir.Max:
			return " max= " + op.Body[0].String()
		case tir.Min:
			return " min= " + op.Body[0].String()
		}
	case *tir.Select:
		sources := op.Body[:min(2, len(op.Body))]
		return fmt.Sprintf(" select(%s, %s, %s)= (%s)", e.Cond, e.Then, e.Else, joinExprs(sources))
	}
	return fmt.Sprintf(" reduce(%s)= (%s)", op.Combine.Result[k], joinExprs(op.Body))
}

func joinExprs(exprs []tir.Expr) string {
	list := make([]string, len(exprs))
	for i, e := range exprs {
		list[i] = e.String()
	}
	return strings.Join(list, ",")
}

// bareCall returns TVM's name of the function, if e calls one.
func bareCall(e tir.Expr) (string, bool) {
	switch e := e.(type) {
	case *tir.Call:
		return "tir." + e.Fn.String(), true
	case *tir.Select:
		return "tir.if_then_else", e.Lazy
	}
	return "", false
}

func shapeText(shape []int64) string {
	list := make([]string, len(shape))
	for i, n := range shape {
		list[i] = strconv.FormatInt(n, 10)
	}
	return "[" + strings.Join(list, ", ") + "]"
}
