package transition

import (
	"math"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/target"
)

// EncodedSize is how many numbers the encoder's vector of a program has.
const EncodedSize = 128

// StartSize is how many numbers a task begins with.
const StartSize = EncodedSize + hardwareSize + workloadSize

const (
	hardwareSize = 10
	workloadSize = 22
)

// Start returns the numbers that tell tasks apart, from which the first state is
// made: the encoder's vector of the program without steps (zeros if it is nil), the
// target's hardware, and what is computed. All are in the order of 1.
func Start(encoded []float32, d *compute.DAG, t target.Target) []float32 {
	v := make([]float32, EncodedSize, StartSize)
	copy(v, encoded)
	v = append(v, hardware(t)...)
	return append(v, workload(d)...)
}

// hardware returns logarithms of the target's numbers.
func hardware(t target.Target) []float32 {
	h := t.Hardware
	gpu := t.Kind == target.CUDA
	return []float32{
		bit(gpu), log2(int64(h.Cores)) / 8, log2(int64(h.VectorBytes)) / 8, log2(int64(h.VectorRegisters)) / 8,
		log2(int64(h.CacheLineBytes)) / 8, log2(int64(h.SharedBytes)) / 20, log2(int64(h.MaxThreads)) / 12,
		log2(int64(h.WarpSize)) / 8, log2(int64(h.MaxVthread)) / 8, 1,
	}
}

// workload describes the op with most iterations, its axes from inside to outside,
// and the sizes of what is read and written.
func workload(d *compute.DAG) []float32 {
	main, most, reductions := d.Ops[0], -1.0, 0
	for _, op := range d.Ops {
		if op.IsPlaceholder() {
			continue
		}
		points := 0.0
		for _, a := range op.Axes {
			points += math.Log2(float64(max(a.Extent, 1)))
		}
		for _, a := range op.ReduceAxes {
			points += math.Log2(float64(max(a.Extent, 1)))
		}
		if op.Combine != nil {
			reductions++
			points++ // of two ops with as many iterations, the one that reduces
		}
		if points > most {
			main, most = op, points
		}
	}
	v := []float32{float32(len(d.Ops)) / 16, float32(reductions) / 4, float32(most) / 32}
	v = append(v, extents(main.Axes, 5)...)
	v = append(v, extents(main.ReduceAxes, 4)...)
	v = append(v, tensorSizes(d.Inputs(), 4)...)
	v = append(v, tensorSizes(d.Results(), 2)...)
	return append(v, make([]float32, workloadSize-len(v))...)
}

// extents returns the logarithms of the last n axes, the innermost first.
func extents(axes []*compute.Axis, n int) []float32 {
	v := make([]float32, n)
	for k := range min(n, len(axes)) {
		v[k] = log2(axes[len(axes)-1-k].Extent) / 16
	}
	return v
}

// tensorSizes returns the logarithms of the sizes of the first n tensors.
func tensorSizes(list []*tir.Buffer, n int) []float32 {
	v := make([]float32, n)
	for k := range min(n, len(list)) {
		size := 0.0
		for _, extent := range list[k].Shape {
			size += math.Log2(float64(max(extent, 1)))
		}
		v[k] = float32(size) / 32
	}
	return v
}
