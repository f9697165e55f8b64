package compile

import (
	"math"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir"
)

func (d *drawer) batchNorm() bool {
	x := d.pick(func(k *drawnValue) bool { return isFloat(k) && len(k.Shape) >= 2 })
	if x == nil {
		return false
	}
	c := x.Shape[1]
	variance := graph.NewTensor(tir.F32, c)
	for i := range variance.F {
		variance.F[i] = 0.5 + float64(d.r.IntN(8))/4
	}
	scale, shift, mean := d.constant(tir.F32, c), d.constant(tir.F32, c), d.constant(tir.F32, c)
	most := 2*(x.max+2)/math.Sqrt(0.5) + 2
	inputs := append(values(x, scale, shift, mean), d.initializer(variance))
	return d.apply("BatchNormalization", inputs, []bound{x.rounded(most, 4)})
}

func (d *drawer) normalize() bool {
	x := d.pick(func(k *drawnValue) bool { return isFloat(k) && len(k.Shape) >= 1 && k.err < 1e-6 })
	if x == nil {
		return false
	}
	axis := d.r.IntN(len(x.Shape))
	shape := x.Shape[axis:]
	n := float64(graph.Elems(shape))
	epsilon := graph.FloatAttr("epsilon", 0.1)
	if d.r.IntN(3) == 0 && len(x.Shape) >= 3 {
		c := x.Shape[1]
		n = float64(graph.Elems(x.Shape[2:]))
		return d.apply("InstanceNormalization", values(x, d.constant(tir.F32, c), d.constant(tir.F32, c)),
			[]bound{x.rounded(2*math.Sqrt(n)+2, 40)}, epsilon)
	}
	return d.apply("LayerNormalization", values(x, d.operand(tir.F32, shape...), d.operand(tir.F32, shape...)),
		[]bound{x.rounded(2*math.Sqrt(n)+2, 40)}, epsilon, graph.IntAttr("axis", int64(axis-len(x.Shape))))
}

func (d *drawer) softmax() bool {
	x := d.pick(func(k *drawnValue) bool { return isFloat(k) && len(k.Shape) > 0 })
	if x == nil {
		return false
	}
	axis := d.r.IntN(len(x.Shape))
	if d.r.IntN(4) == 0 {
		return d.apply("LogSoftmax", values(x), []bound{x.rounded(2*x.max+math.Log(float64(x.Shape[axis])), 2)},
			graph.IntAttr("axis", int64(axis)))
	}
	return d.apply("Softmax", values(x), []bound{x.rounded(1, 2)},
		graph.IntAttr("axis", int64(axis-len(x.Shape)*d.r.IntN(2))))
}

func (d *drawer) transpose() bool {
	x := d.pick(func(k *drawnValue) bool { return len(k.Shape) > 1 })
	if x == nil {
		return false
	}
	perm := make([]int64, len(x.Shape))
	for i, p := range d.r.Perm(len(perm)) {
		perm[i] = int64(p)
	}
	return d.apply("Transpose", values(x), []bound{x.bound}, graph.IntsAttr("perm", perm...))
}

// reshape draws another shape of as many elements.
func (d *drawer) reshape() bool {
	x := d.pick(anything)
	if x == nil {
		return false
	}
	left, shape := x.Elems(), []int64{}
	for range d.r.IntN(3) {
		var divisors []int64
		for k := int64(1); k <= min(left, 12); k++ {
			if left%k == 0 {
				divisors = append(divisors, k)
			}
		}
		k := divisors[d.r.IntN(len(divisors))]
		shape, left = append(shape, k), left/k
	}
	shape = append(shape, left)
	if d.r.IntN(3) == 0 {
		shape[d.r.IntN(len(shape))] = -1
	}
	return d.apply("Reshape", []*graph.Value{x.Value, d.ints(shape...)}, []bound{x.bound})
}

func (d *drawer) flatten() bool {
	x := d.pick(anything)
	if x == nil {
		return false
	}
	return d.apply("Flatten", values(x), []bound{x.bound}, graph.IntAttr("axis", int64(d.r.IntN(len(x.Shape)+1))))
}

func (d *drawer) unsqueeze() bool {
	x := d.pick(func(k *drawnValue) bool { return len(k.Shape) < 5 })
	if x == nil {
		return false
	}
	if i := slices.Index(x.Shape, 1); i >= 0 && d.r.IntN(2) == 0 {
		return d.apply("Squeeze", []*graph.Value{x.Value, d.ints(int64(i))}, []bound{x.bound})
	}
	return d.apply("Unsqueeze", []*graph.Value{x.Value, d.ints(int64(d.r.IntN(len(x.Shape) + 1)))}, []bound{x.bound})
}

func (d *drawer) concat() bool {
	x := d.pick(func(k *drawnValue) bool { return len(k.Shape) > 0 })
	if x == nil {
		return false
	}
	axis := d.r.IntN(len(x.Shape))
	list := []*drawnValue{x}
	for range 1 + d.r.IntN(2) {
		y := d.pick(func(k *drawnValue) bool {
			return k.Type == x.Type && len(k.Shape) == len(x.Shape) && slices.Equal(k.Shape[:axis], x.Shape[:axis]) &&
				slices.Equal(k.Shape[axis+1:], x.Shape[axis+1:])
		})
		if d.r.IntN(3) == 0 {
			shape := slices.Clone(x.Shape)
			shape[axis] = 1 + d.r.Int64N(3)
			y = d.operand(x.Type, shape...)
		}
		list = append(list, y)
	}
	var bounds []bound
	for _, k := range list {
		bounds = append(bounds, k.bound)
	}
	return d.apply("Concat", values(list...), []bound{either(bounds...)}, graph.IntAttr("axis", int64(axis)))
}

func (d *drawer) split() bool {
	x := d.pick(func(k *drawnValue) bool { return len(k.Shape) > 0 && slices.Max(k.Shape) > 1 })
	if x == nil {
		return false
	}
	axis := d.r.IntN(len(x.Shape))
	if x.Shape[axis] < 2 {
		return false
	}
	k := 1 + d.r.Int64N(x.Shape[axis]-1)
	return d.apply("Split", []*graph.Value{x.Value, d.ints(k, x.Shape[axis]-k)}, []bound{x.bound, x.bound},
		graph.IntAttr("axis", int64(axis)))
}

func (d *drawer) slice() bool {
	x := d.pick(func(k *drawnValue) bool { return len(k.Shape) > 0 })
	if x == nil {
		return false
	}
	axis := d.r.IntN(len(x.Shape))
	n := x.Shape[axis]
	from, to, step := d.r.Int64N(n), n, 1+d.r.Int64N(2)
	switch d.r.IntN(4) {
	case 0: // backwards
		to, step = -n-1, -step
	case 1:
		to = from + 1 + d.r.Int64N(n-from)
	case 2:
		to = math.MaxInt64
	}
	inputs := []*graph.Value{x.Value, d.ints(from), d.ints(to), d.ints(int64(axis)), d.ints(step)}
	return d.apply("Slice", inputs, []bound{x.bound})
}

func (d *drawer) pad() bool {
	x := d.pick(func(k *drawnValue) bool { return isFloat(k) && len(k.Shape) > 0 })
	if x == nil {
		return false
	}
	rank := len(x.Shape)
	mode := []string{"constant", "constant", "edge", "reflect"}[d.r.IntN(4)]
	pads := make([]int64, 2*rank)
	for i := range pads {
		pads[i] = d.r.Int64N(3)
		if mode == "reflect" {
			pads[i] = min(pads[i], x.Shape[i%rank]-1)
		}
	}
	inputs, b := []*graph.Value{x.Value, d.ints(pads...)}, x.bound
	if mode == "constant" && d.r.IntN(2) == 0 {
		inputs, b = append(inputs, d.initializer(graph.Scalar(tir.F32, -1))), either(b, bound{max: 1})
	}
	return d.apply("Pad", inputs, []bound{b}, graph.StrAttr("mode", mode))
}

func (d *drawer) expand() bool {
	x := d.pick(func(k *drawnValue) bool { return k.Elems() < 100 })
	if x == nil {
		return false
	}
	shape := append(d.shape(d.r.IntN(2)), x.Shape...)
	for i := range shape {
		if shape[i] == 1 {
			shape[i] = 1 + d.r.Int64N(4)
		}
	}
	return d.apply("Expand", []*graph.Value{x.Value, d.ints(shape...)}, []bound{x.bound})
}

func (d *drawer) tile() bool {
	x := d.pick(func(k *drawnValue) bool { return k.Elems() < 100 && len(k.Shape) > 0 })
	if x == nil {
		return false
	}
	repeats := make([]int64, len(x.Shape))
	for i := range repeats {
		repeats[i] = 1 + d.r.Int64N(2)
	}
	return d.apply("Tile", []*graph.Value{x.Value, d.ints(repeats...)}, []bound{x.bound})
}

func (d *drawer) depth() bool {
	x := d.pick(func(k *drawnValue) bool { return isFloat(k) && len(k.Shape) == 4 })
	switch {
	case x == nil:
		return false
	case x.Shape[1]%4 == 0:
		return d.apply("DepthToSpace", values(x), []bound{x.bound}, graph.IntAttr("blocksize", 2),
			graph.StrAttr("mode", []string{"DCR", "CRD"}[d.r.IntN(2)]))
	case x.Shape[2]%2 == 0 && x.Shape[3]%2 == 0:
		return d.apply("SpaceToDepth", values(x), []bound{x.bound}, graph.IntAttr("blocksize", 2))
	}
	return false
}

func (d *drawer) gather() bool {
	x := d.pick(func(k *drawnValue) bool { return len(k.Shape) > 0 })
	if x == nil {
		return false
	}
	axis := d.r.IntN(len(x.Shape))
	n := x.Shape[axis]
	at := d.pick(func(k *drawnValue) bool {
		return k.Type == tir.I64 && k.max < float64(n) && k.Elems() < 30 && slices.Contains(d.g.Inputs, k.Value)
	})
	shape := d.shape(d.r.IntN(3))
	if at == nil && d.r.IntN(2) == 0 && len(d.g.Inputs) < 6 {
		at = d.inputBelow(tir.I64, shape, n)
	} else if at == nil {
		t := d.quarters(tir.I64, shape, n)
		for i := range t.I {
			t.I[i] -= n * d.r.Int64N(2)
		}
		at = &drawnValue{d.initializer(t), bound{max: float64(n)}}
	}
	return d.apply("Gather", values(x, at), []bound{x.bound}, graph.IntAttr("axis", int64(axis)))
}

func (d *drawer) resize() bool {
	x := d.pick(func(k *drawnValue) bool { return isFloat(k) && len(k.Shape) == 4 })
	if x == nil {
		return false
	}
	size := slices.Clone(x.Shape)
	size[2], size[3] = 1+d.r.Int64N(8), 1+d.r.Int64N(8)
	coordinates := graph.StrAttr("coordinate_transformation_mode",
		[]string{"half_pixel", "asymmetric", "align_corners"}[d.r.IntN(3)])
	inputs := []*graph.Value{x.Value, nil, nil, d.ints(size...)}
	if d.r.IntN(2) == 0 {
		size[2], size[3] = 2*x.Shape[2], 2*x.Shape[3] // where rounding decides nothing
		inputs[3] = d.ints(size...)
		return d.apply("Resize", inputs, []bound{x.bound}, graph.StrAttr("coordinate_transformation_mode", "asymmetric"),
			graph.StrAttr("mode", "nearest"), graph.StrAttr("nearest_mode", "floor"))
	}
	return d.apply("Resize", inputs, []bound{x.rounded(x.max, 2)}, coordinates, graph.StrAttr("mode", "linear"))
}

func (d *drawer) cumsum() bool {
	x := d.pick(func(k *drawnValue) bool { return isFloat(k) && len(k.Shape) > 0 })
	if x == nil {
		return false
	}
	axis := d.r.IntN(len(x.Shape))
	n := float64(x.Shape[axis])
	return d.apply("CumSum", []*graph.Value{x.Value, d.initializer(graph.Scalar(tir.I64, float64(axis)))},
		[]bound{{n * x.max, n * x.err, x.unit}}, graph.IntAttr("exclusive", int64(d.r.IntN(2))), graph.IntAttr("reverse",
			int64(d.r.IntN(2))))
}

// constantNode adds a node that the passes fold.
func (d *drawer) constantNode() bool {
	x, y := d.constant(tir.F32, d.shape(d.r.IntN(3))...), d.constant(tir.F32)
	return d.apply("Add", values(x, y), []bound{{4, 0, 2}})
}
