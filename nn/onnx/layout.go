package onnx

import (
	"math"
	"slices"
)

// dims returns a shape that the numbers of a tensor say.
func dims(list []int64) []int {
	out := make([]int, len(list))
	for i, d := range list {
		if d < -maxElements || d > maxElements {
			failf("a dimension of %d", d)
		}
		out[i] = int(d)
	}
	return out
}

func runConstant(m *memory, c *call, _ []Tensor) []Tensor {
	if t, ok := c.value("value"); ok {
		return []Tensor{t}
	}
	switch {
	case c.attrs["value_int"] != nil:
		return []Tensor{IntTensor([]int64{int64(c.integer("value_int", 0))})}
	case c.attrs["value_float"] != nil:
		return []Tensor{FloatTensor([]float32{c.float("value_float", 0)})}
	}
	if v, ok := c.integers("value_ints"); ok {
		return []Tensor{IntTensor(v, len(v))}
	}
	if v, ok := c.attrs["value_floats"].([]float32); ok {
		return []Tensor{FloatTensor(v, len(v))}
	}
	failf("a constant without a value that is supported")
	return nil
}

func runConstantOfShape(m *memory, c *call, in []Tensor) []Tensor {
	value, ok := c.value("value")
	if !ok {
		value = FloatTensor([]float32{0})
	}
	return []Tensor{expanded(m, value.reshaped(nil), dims(wantInts(in[0])))}
}

func runRange(m *memory, _ *call, in []Tensor) []Tensor {
	first, limit, step := wantInts(in[0])[0], wantInts(in[1])[0], wantInts(in[2])[0]
	if step == 0 {
		failf("a range in steps of 0")
	}
	n := max(math.Ceil((float64(limit)-float64(first))/float64(step)), 0)
	if n > maxElements {
		failf("a range of %v numbers", n)
	}
	out := m.ints(in[0].Type, []int{int(n)})
	for i := range out.Ints {
		out.Ints[i] = first + int64(i)*step
	}
	return []Tensor{out}
}

func runShape(m *memory, c *call, in []Tensor) []Tensor {
	rank := len(in[0].Shape)
	bound := func(name string, otherwise int) int {
		v := c.integer(name, otherwise)
		if v < 0 {
			v += rank
		}
		return min(max(v, 0), rank)
	}
	list := in[0].Shape[bound("start", 0):max(bound("end", rank), bound("start", 0))]
	out := m.ints(Int64, []int{len(list)})
	for i, d := range list {
		out.Ints[i] = int64(d)
	}
	return []Tensor{out}
}

// pieces moves runs of elements of a tensor to a new one of another shape: run i comes
// from from(i).
func pieces(m *memory, t Tensor, shape []int, run int, from func(i int) int) Tensor {
	out := m.of(t.Type, shape)
	for i := 0; i*run < len(out.Floats)+len(out.Ints); i++ { // one of them is empty
		if at := from(i) * run; t.Type == Float32 {
			copy(out.Floats[i*run:][:run], t.Floats[at:])
		} else {
			copy(out.Ints[i*run:][:run], t.Ints[at:])
		}
	}
	return out
}

func runGather(m *memory, c *call, in []Tensor) []Tensor {
	x, index := in[0], wantInts(in[1])
	along := axis(int64(c.integer("axis", 0)), len(x.Shape))
	n := x.Shape[along]
	shape := slices.Concat(x.Shape[:along], in[1].Shape, x.Shape[along+1:])
	run := elements(x.Shape[along+1:])
	if elements(shape) == 0 {
		return []Tensor{pieces(m, x, shape, 1, nil)}
	}
	return []Tensor{pieces(m, x, shape, run, func(i int) int {
		k := index[i%len(index)]
		if k < 0 {
			k += int64(n)
		}
		if k < 0 || k >= int64(n) {
			failf("index %d of %d", index[i%len(index)], n)
		}
		return i/len(index)*n + int(k)
	})}
}

func runTranspose(m *memory, c *call, in []Tensor) []Tensor {
	rank := len(in[0].Shape)
	perm := make([]int, rank)
	list, ok := c.integers("perm")
	if ok && len(list) != rank {
		failf("a permutation %v of %d dimensions", list, rank)
	}
	for i := range perm {
		perm[i] = rank - 1 - i
		if ok {
			perm[i] = axis(list[i], rank)
		}
	}
	if sorted := slices.Sorted(slices.Values(perm)); len(slices.Compact(sorted)) != rank {
		failf("a permutation %v", list)
	}
	return []Tensor{transposed(m, in[0], perm)}
}

// transposed returns a tensor whose dimension i is dimension perm[i] of t.
func transposed(m *memory, t Tensor, perm []int) Tensor {
	if slices.IsSorted(perm) {
		return t
	}
	own := strides(t.Shape, t.Shape)
	shape, from := make([]int, len(perm)), make([]int, len(perm))
	for i, p := range perm {
		shape[i], from[i] = t.Shape[p], own[p]
	}
	last := len(perm) - 1
	out := m.of(t.Type, shape)
	walk(shape, from, from, func(at, x, _ int) {
		gather(out.Floats, t.Floats, at, x, shape[last], from[last])
		gather(out.Ints, t.Ints, at, x, shape[last], from[last])
	})
	return out
}

// gather copies n numbers, every step-th from x on, to those from at on.
func gather[T any](out, in []T, at, x, n, step int) {
	if len(out) == 0 {
		return
	}
	for i := range out[at:][:n] {
		out[at+i] = in[x+i*step]
	}
}

func runReshape(m *memory, c *call, in []Tensor) []Tensor {
	x := in[0]
	shape := dims(wantInts(in[1]))
	open, rest := -1, 1
	for i, d := range shape {
		switch {
		case d == 0 && c.integer("allowzero", 0) == 0:
			if i >= len(x.Shape) {
				failf("%v in the shape %v", x.Shape, shape)
			}
			shape[i] = x.Shape[i]
		case d == -1 && open < 0:
			open = i
			continue
		}
		rest *= shape[i]
		if shape[i] < 0 || rest > maxElements {
			failf("%v in the shape %v", x.Shape, shape)
		}
	}
	n := elements(x.Shape)
	if open >= 0 && rest > 0 {
		shape[open] = n / rest
	}
	if elements(shape) != n {
		failf("%v in the shape %v", x.Shape, shape)
	}
	return []Tensor{x.reshaped(shape)}
}

func runFlatten(_ *memory, c *call, in []Tensor) []Tensor {
	at := c.integer("axis", 1)
	if at < 0 {
		at += len(in[0].Shape)
	}
	shape := []int{elements(in[0].Shape[:at]), elements(in[0].Shape[at:])}
	return []Tensor{in[0].reshaped(shape)}
}

func runUnsqueeze(_ *memory, c *call, in []Tensor) []Tensor {
	t, _ := optional(in, 1)
	rank := len(in[0].Shape) + len(t.Ints)
	axes := c.axes(in, rank)
	rest := in[0].Shape
	shape := make([]int, rank)
	for i := range shape {
		if slices.Contains(axes, i) {
			shape[i] = 1
		} else {
			shape[i], rest = rest[0], rest[1:]
		}
	}
	return []Tensor{in[0].reshaped(shape)}
}

func runSqueeze(_ *memory, c *call, in []Tensor) []Tensor {
	axes := c.axes(in, len(in[0].Shape))
	shape := []int{}
	for i, d := range in[0].Shape {
		gone := slices.Contains(axes, i) || len(axes) == 0 && d == 1
		if gone && d != 1 {
			failf("axis %d of %v is no 1", i, in[0].Shape)
		}
		if !gone {
			shape = append(shape, d)
		}
	}
	return []Tensor{in[0].reshaped(shape)}
}

func runExpand(m *memory, _ *call, in []Tensor) []Tensor {
	shape := broadcastShape(in[0].Shape, dims(wantInts(in[1])))
	return []Tensor{expanded(m, in[0], shape)}
}

func runConcat(m *memory, c *call, in []Tensor) []Tensor {
	along := axis(int64(c.integer("axis", 0)), len(in[0].Shape))
	shape := slices.Clone(in[0].Shape)
	shape[along] = 0
	for _, t := range in {
		same := len(t.Shape) == len(shape) && t.Type == in[0].Type
		for i := 0; same && i < len(shape); i++ {
			same = i == along || t.Shape[i] == shape[i]
		}
		if !same {
			failf("%v of %s beside %v of %s", t.Shape, t.Type, in[0].Shape, in[0].Type)
		}
		shape[along] += t.Shape[along]
	}
	out := m.of(in[0].Type, shape)
	at := 0
	for block := range elements(shape[:along]) {
		for _, t := range in {
			run := elements(t.Shape[along:])
			if out.Type == Float32 {
				copy(out.Floats[at:], t.Floats[block*run:][:run])
			} else {
				copy(out.Ints[at:], t.Ints[block*run:][:run])
			}
			at += run
		}
	}
	return []Tensor{out}
}

func runSplit(m *memory, c *call, in []Tensor) []Tensor {
	x := in[0]
	along := axis(int64(c.integer("axis", 0)), len(x.Shape))
	n, parts := x.Shape[along], len(c.outputs)
	size := (n + parts - 1) / parts
	var sizes []int
	if t, ok := optional(in, 1); ok {
		sizes = dims(wantInts(t))
	} else {
		for at := 0; at < n; at += size {
			sizes = append(sizes, min(size, n-at))
		}
	}
	var out []Tensor
	at := 0
	for _, d := range sizes {
		if d < 0 || at+d > n {
			failf("%d in parts of %v", n, sizes)
		}
		out = append(out, section(m, x, along, at, 1, d))
		at += d
	}
	if at != n || len(sizes) != parts {
		failf("%d in parts of %v", n, sizes)
	}
	return out
}

// section returns every step-th part of a tensor along an axis.
func section(m *memory, x Tensor, along, first, step, n int) Tensor {
	shape := slices.Clone(x.Shape)
	shape[along] = n
	if elements(shape) == 0 {
		return pieces(m, x, shape, 1, nil)
	}
	run := elements(x.Shape[along+1:])
	if step == 1 && x.Shape[along]%n == 0 && first%n == 0 { // neighbours go together
		return pieces(m, x, shape, n*run, func(i int) int { return i*(x.Shape[along]/n) + first/n })
	}
	return pieces(m, x, shape, run, func(i int) int { return i/n*x.Shape[along] + first + i%n*step })
}

func runSlice(m *memory, _ *call, in []Tensor) []Tensor {
	x := in[0]
	starts, ends := wantInts(in[1]), wantInts(in[2])
	for k, first := range starts {
		along, step := k, int64(1)
		if t, ok := optional(in, 3); ok {
			along = axis(wantInts(t)[k], len(x.Shape))
		}
		if t, ok := optional(in, 4); ok {
			step = min(max(wantInts(t)[k], -maxElements), maxElements)
		}
		n := int64(x.Shape[along])
		low, high := int64(0), n // of where a slice may begin and end
		if step < 0 {
			low, high = -1, n-1
		}
		bound := func(v int64) int64 {
			if v < 0 {
				v += n
			}
			return min(max(v, low), high)
		}
		from, to := bound(first), bound(ends[k])
		if step < 0 {
			from = max(from, 0)
		}
		if step == 0 {
			failf("a slice in steps of 0")
		}
		count := max((to-from+step-sign(step))/step, 0)
		if n == 0 {
			count = 0
		}
		x = section(m, x, along, int(from), int(step), int(count))
	}
	return []Tensor{x}
}

func sign(v int64) int64 {
	if v < 0 {
		return -1
	}
	return 1
}
