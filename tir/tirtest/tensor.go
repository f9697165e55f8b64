package tirtest

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/interp"
)

// Args returns contents for d.Tensors: small random numbers in the inputs, and
// outputs that no program computes.
func Args(r *rand.Rand, d *compute.DAG) []*interp.Tensor {
	args := interp.NewTensors(d.Tensors)
	for i, t := range args {
		if i >= len(d.Inputs()) {
			for k := range t.Data {
				t.Data[k] = 0xa5
			}
			continue
		}
		for k := range t.Len() {
			if t.Type.IsFloat() {
				t.SetFloat(k, math.Round(r.Float64()*512-256)/128)
			} else if v := r.Int64N(13) - 6; t.Type == tir.U64 {
				t.SetInt(k, max(v, -v)) // of larger ones float64, in which references take them, lacks bits
			} else {
				t.SetInt(k, v)
			}
		}
	}
	return args
}

// Compare returns an error that shows the first element in which got differs
// from want. Integers must be equal. Floats may differ by rounding: by 8 epsilons
// of the least precise type among got and through, the other tensors of the
// computation, each of them times the largest magnitude in want, which counts as 1
// at least.
func Compare(got, want *interp.Tensor, through ...*interp.Tensor) error {
	return CompareGrown(1, got, want, through...)
}

// CompareGrown is Compare for a program whose errors are larger by a factor (tir.Func.Growth).
func CompareGrown(growth float64, got, want *interp.Tensor, through ...*interp.Tensor) error {
	if got.Type != want.Type || got.Len() != want.Len() {
		return fmt.Errorf("got %d of %s, want %d of %s", got.Len(), got.Type, want.Len(), want.Type)
	}
	eps := epsilon(got.Type)
	for _, t := range through {
		eps = max(eps, epsilon(t.Type))
	}
	scale := 1.0
	for i := range want.Len() {
		if v := math.Abs(want.Float(i)); !math.IsInf(v, 0) && v > scale {
			scale = v
		}
	}
	for i := range want.Len() {
		if !got.Type.IsFloat() {
			if g, w := got.Int(i), want.Int(i); g != w {
				return fmt.Errorf("element %d is %s, want %s", i, got.Type.FormatInt(g), got.Type.FormatInt(w))
			}
			continue
		}
		g, w := got.Float(i), want.Float(i)
		if g == w || g != g && w != w {
			continue
		}
		if math.Abs(g-w) <= 8*growth*eps*scale {
			continue
		}
		return fmt.Errorf("element %d is %v, want %v", i, g, w)
	}
	return nil
}

// epsilon is a unit of rounding of the types that are stored only. Of those that sums are computed in it is 8 units,
// for sums of a few hundred terms in another order.
func epsilon(t tir.DType) float64 {
	switch t {
	case tir.F16:
		return 0x1p-11
	case tir.BF16:
		return 0x1p-8
	case tir.F32:
		return 0x1p-21
	case tir.F64:
		return 0x1p-50
	}
	return 0
}
