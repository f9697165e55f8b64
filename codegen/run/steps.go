package run

import (
	"slices"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
)

// Integers that are made of floats, as round(float32(sum)*0.01) of a quantized product, step
// where the float is near a boundary. There the float64 reference and a right program, which
// computes in float32, may come out on different sides: 50*0.01 is a half in float32, and less in
// float64, since 0.01 as a float32 is less than a hundredth. So such results may be off by one, of
// at most a quarter of the elements, if they are large on the whole: what a wrong program
// computes lies beside what it should for few elements only, and its others give it away.

// stepScale is the root mean square from which on integers are large.
const stepScale = 16

// isBeside reports whether an integer of type t is off by one. Integers wrap around: 127.5
// becomes an int8 of 127 or -128.
func isBeside(got, want int64, t tir.DType) bool {
	unused := 64 - 8*t.Bytes()
	off := (got - want) << unused >> unused
	return off == 1 || off == -1
}

// allowsSteps reports whether boundaries explain that so many of n elements are off by one.
func (x *expectation) allowsSteps(beside int, n int64) bool {
	return x.Steps && x.scale >= stepScale && int64(beside) <= n/4
}

// makesSteps reports whether the elements of b are integers made of floats, which no
// reduction adds up.
func makesSteps(d *compute.DAG, b *tir.Buffer) bool {
	if !b.Type.IsInt() || b.Type == tir.Bool {
		return false
	}
	i := slices.IndexFunc(d.Ops, func(op *compute.Op) bool { return slices.Contains(op.Results, b) })
	op := d.Ops[i]
	if op.IsPlaceholder() || op.Combine != nil {
		return false
	}
	steps := false
	for _, e := range op.Body {
		tir.VisitExpr(e, func(e tir.Expr) bool {
			c, ok := e.(*tir.Cast)
			steps = steps || ok && c.X.DType().IsFloat() && c.To.IsInt()
			return true
		})
	}
	return steps || slices.ContainsFunc(op.Reads(), func(r *tir.Buffer) bool { return makesSteps(d, r) })
}
