package onnx

import (
	"math"
	"slices"
)

func sumOf(x []float32, f func(v float64) float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += f(float64(v))
	}
	return sum
}

func largestOf(x []float32) float64 {
	most := math.Inf(-1)
	for _, v := range x {
		most = max(most, float64(v))
	}
	return most
}

func smallestOf(x []float32) float64 {
	least := math.Inf(1)
	for _, v := range x {
		least = min(least, float64(v))
	}
	return least
}

// axes returns the axes that an operator is about: its second input, or its attribute
// where the opset still has one. None means that there are none.
func (c *call) axes(in []Tensor, rank int) []int {
	list, _ := c.integers("axes")
	if t, ok := optional(in, 1); ok {
		list = wantInts(t)
	}
	var out []int
	for _, a := range list {
		out = append(out, axis(a, rank))
	}
	slices.Sort(out)
	if len(slices.Compact(slices.Clone(out))) < len(out) {
		failf("axes %v", list)
	}
	return out
}

// reduce returns an operator that makes one number of those along some axes.
func reduce(f func(x []float32) float64) func(*memory, *call, []Tensor) []Tensor {
	return func(m *memory, c *call, in []Tensor) []Tensor {
		x := in[0]
		wantFloats(x)
		axes := c.axes(in, len(x.Shape))
		if len(axes) == 0 {
			if c.integer("noop_with_empty_axes", 0) != 0 {
				return in[:1]
			}
			for i := range x.Shape {
				axes = append(axes, i)
			}
		}
		var perm, shape []int // the axes that stay, then those that go
		group := 1
		for i, d := range x.Shape {
			if slices.Contains(axes, i) {
				group *= d
				if c.integer("keepdims", 1) != 0 {
					shape = append(shape, 1)
				}
				continue
			}
			perm, shape = append(perm, i), append(shape, d)
		}
		x = transposed(m, x, append(perm, axes...))
		out := m.tensor(shape)
		for i := range out.Floats {
			out.Floats[i] = float32(f(x.Floats[i*group:][:group]))
		}
		return []Tensor{out}
	}
}

// lines calls f with the numbers along an axis, which it changes, in a copy of x.
func lines(m *memory, x Tensor, along int, f func(line []float64)) Tensor {
	out := m.tensor(x.Shape)
	copy(out.Floats, wantFloats(x))
	n, step := x.Shape[along], elements(x.Shape[along+1:])
	line := make([]float64, n)
	for first := range len(out.Floats) / max(n, 1) {
		at := first/step*step*n + first%step
		for i := range line {
			line[i] = float64(out.Floats[at+i*step])
		}
		f(line)
		for i, v := range line {
			out.Floats[at+i*step] = float32(v)
		}
	}
	return out
}

func runSoftmax(m *memory, c *call, in []Tensor) []Tensor {
	along := axis(int64(c.integer("axis", -1)), len(in[0].Shape))
	return []Tensor{lines(m, in[0], along, func(line []float64) {
		most, sum := slices.Max(line), 0.0
		for i, v := range line {
			line[i] = math.Exp(v - most)
			sum += line[i]
		}
		for i := range line {
			line[i] /= sum
		}
	})}
}

func runCumSum(m *memory, c *call, in []Tensor) []Tensor {
	if c.integer("exclusive", 0) != 0 || c.integer("reverse", 0) != 0 {
		failf("sums that are exclusive or from the end are not supported")
	}
	along := axis(wantInts(in[1])[0], len(in[0].Shape))
	if in[0].Type == Float32 {
		return []Tensor{lines(m, in[0], along, func(line []float64) {
			for i := 1; i < len(line); i++ {
				line[i] += line[i-1]
			}
		})}
	}
	out := m.ints(in[0].Type, in[0].Shape)
	n, step := in[0].Shape[along], elements(in[0].Shape[along+1:])
	for i, v := range in[0].Ints {
		out.Ints[i] = v
		if i/step%n > 0 {
			out.Ints[i] += out.Ints[i-step]
		}
	}
	return []Tensor{out}
}

// runLayerNormalization normalises over all dimensions from an axis on (Ba, Kiros and
// Hinton 2016).
func runLayerNormalization(m *memory, c *call, in []Tensor) []Tensor {
	x := in[0]
	wantFloats(x)
	from := axis(int64(c.integer("axis", -1)), len(x.Shape))
	epsilon := float64(c.float("epsilon", 1e-5))
	inner := x.Shape[from:]
	n := elements(inner)
	scale := expanded(m, in[1], inner)
	wantFloats(scale)
	bias, ok := optional(in, 2)
	if ok {
		bias = expanded(m, bias, inner)
		wantFloats(bias)
	}
	out := m.tensor(x.Shape)
	for at := 0; at < len(x.Floats); at += n {
		row := x.Floats[at:][:n]
		mean := sumOf(row, func(v float64) float64 { return v }) / float64(n)
		square := sumOf(row, func(v float64) float64 { return (v - mean) * (v - mean) }) / float64(n)
		for i, v := range row {
			y := (float64(v) - mean) / math.Sqrt(square+epsilon) * float64(scale.Floats[i])
			if ok {
				y += float64(bias.Floats[i])
			}
			out.Floats[at+i] = float32(y)
		}
	}
	return []Tensor{out}
}
