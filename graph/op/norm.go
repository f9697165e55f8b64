package op

import (
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
	tirop "github.com/wmtune/wmtune/tir/op"
)

// norms has the operators that shift and scale elements to a mean of 0 and a variance of 1.
var norms = []Row{
	{Op: "BatchNormalization", Since: 7, In: "T:F T:F T:F T:F T:F", Class: Injective, Infer: inferBatchNorm,
		Eval:      evalBatchNorm,
		Decompose: decomposeBatchNorm},
	{Op: "BatchNormalization", Since: 14, In: "T:F T:F T:F U:F U:F | 15 T:F T1:F T1:F T2:F T2:F", Class: Injective,
		Infer: inferBatchNorm, Eval: evalBatchNorm,
		Decompose: decomposeBatchNorm},
	groupNorming("InstanceNormalization", 1, instanceNormOf),
	groupNorming("GroupNormalization", 18, groupNormOf(false)),
	groupNorming("GroupNormalization", 21, groupNormOf(true)),
	{Op: "LayerNormalization", Since: 17, In: "T:F T:F T:F?", Class: Reduction,
		Infer: inferBy(layerNormOf, (*layerNorm).infer), Eval: evalBy(layerNormOf, (*layerNorm).eval),
		Body: bodyBy(layerNormOf, (*layerNorm).body)},
	{Op: "RMSNormalization", Since: 23, In: "T:F V:F", Class: Reduction,
		Infer: inferBy(layerNormOf, (*layerNorm).inferRMS),
		Eval:  evalBy(layerNormOf, (*layerNorm).evalRMS), Body: bodyBy(layerNormOf, (*layerNorm).bodyRMS)},
}

// A layerNorm normalises each row of a tensor, which is all of the dimensions from one on.
type layerNorm struct {
	tirop.Rows
	stash tir.DType // of means and standard deviations
}

func layerNormOf(n *graph.Node) (*layerNorm, error) {
	x := n.Inputs[0].Shape
	first, err := axis(n.Int("axis", -1), len(x))
	if err != nil {
		return nil, err
	}
	l := &layerNorm{tirop.Rows{Rows: x[:first], Row: x[first:], Epsilon: n.Float("epsilon", 1e-5)}, tir.F32}
	switch stash := n.Int("stash_type", 1); stash {
	case 1:
	case 11:
		l.stash = tir.F64
	case 10:
		l.stash = tir.F16
	case 16:
		l.stash = tir.BF16
	default:
		return nil, fmt.Errorf("attribute stash_type is %d, which is no type of floats", stash)
	}
	for i, v := range n.Inputs[1:] {
		if v == nil {
			continue
		}
		if s, err := broadcast(v.Shape, x); err != nil || !slices.Equal(s, x) {
			return nil, fmt.Errorf("input %d of shape %v does not broadcast to %v", i+1, v.Shape, x)
		}
	}
	return l, nil
}

// statistics is the shape of means.
func (l *layerNorm) statistics() []int64 { return slices.Concat(l.Rows.Rows, ones(len(l.Row))) }

func (l *layerNorm) infer(n *graph.Node) ([]Type, error) {
	if n.Output(0) == nil {
		return nil, fmt.Errorf("output 0, the normalised tensor, is missing: give it a name")
	}
	s := l.statistics()
	return []Type{{DType: n.Inputs[0].Type, Shape: n.Inputs[0].Shape}, {DType: l.stash, Shape: s},
		{DType: l.stash, Shape: s}}, nil
}

// body makes a layer norm. The variance is taken about the mean, which costs a second pass and
// does not cancel:
//
//	sum(i) += x[i, k1]
//	mean(i) = (sum[i]*0.00130208f)
//	sqsum(i) += ((x[i, k2] - mean[i])*(x[i, k2] - mean[i]))
//	inv(i) = tir.rsqrt(((sqsum[i]*0.00130208f) + 1e-05f))
//	norm(i, j) = ((((x[i, j] - mean[i])*inv[i])*scale[j]) + b[j])
func (l *layerNorm) body(b *Body) error {
	n := b.Node
	g := b.stages(n.Inputs[0].Type)
	mean, inv := g.Moments(l.Rows, b.Reader(0))
	s, v := g.Normalized(l.Rows, b.Reader(0), mean, inv)
	at := compute.Vars(s.Axes)
	if one, ok := b.Scalar(1); !ok || one != 1 {
		v = mul(v, b.ReadBroadcast(1, at...))
	}
	if n.Input(2) != nil {
		v = add(v, b.ReadBroadcast(2, at...))
	}
	outputs := []compute.Tensor{g.Pointwise(s, Cast(v, n.Outputs[0].Type))}
	for k, stat := range []compute.Tensor{mean, inv} {
		if n.Output(k+1) == nil {
			outputs = append(outputs, compute.Tensor{})
			continue
		}
		axes, at := b.Axes(l.statistics())
		outputs = append(outputs, b.Stage("statistic", l.stash, axes, stat.At(at[:len(l.Rows.Rows)]...)))
	}
	b.Output(outputs[:len(n.Outputs)]...)
	return nil
}

func (l *layerNorm) inferRMS(n *graph.Node) ([]Type, error) {
	return []Type{{DType: n.Inputs[1].Type, Shape: n.Inputs[0].Shape}}, nil
}

// bodyRMS makes
//
//	sqsum(i) += (x[i, k1]*x[i, k1])
//	inv(i) = tir.rsqrt(((sqsum[i]*0.00130208f) + 1e-05f))
//	norm(i, j) = ((x[i, j]*inv[i])*scale[j])
func (l *layerNorm) bodyRMS(b *Body) error {
	g := b.stages(b.Node.Inputs[0].Type)
	s, v := g.Normalized(l.Rows, b.Reader(0), compute.Tensor{}, g.Inverse(l.Rows, b.Reader(0)))
	v = mul(v, Cast(b.ReadBroadcast(1, compute.Vars(s.Axes)...), v.DType()))
	b.Output(g.Pointwise(s, Cast(v, b.Node.Outputs[0].Type)))
	return nil
}

// perChannel turns a vector of the Decomposer's node into a tensor that broadcasts along dimension 1 of one of rank
// dimensions, of type t.
func (d *Decomposer) perChannel(v *graph.Value, rank int, t tir.DType) *graph.Value {
	if rank > 2 {
		v = d.reshape(v, append([]int64{v.Elems()}, ones(rank-2)...)...)
	}
	return d.cast(v, t)
}

// reshape adds a Reshape. A zero of shape is an extent, and does not keep what stands there.
func (d *Decomposer) reshape(v *graph.Value, shape ...int64) *graph.Value {
	if slices.Equal(v.Shape, shape) {
		return v
	}
	var attrs []graph.Attr
	if slices.Contains(shape, 0) {
		attrs = append(attrs, graph.IntAttr("allowzero", 1))
	}
	return d.Apply("Reshape", []*graph.Value{v, d.Const(graph.Ints(shape...))}, attrs...)
}

func (d *Decomposer) cast(v *graph.Value, t tir.DType) *graph.Value {
	if v.Type == t {
		return v
	}
	return d.Apply("Cast", []*graph.Value{v}, graph.IntAttr("to", elementNumber(t)))
}

// two applies an operator of two operands.
func (d *Decomposer) two(op string, x, y *graph.Value) *graph.Value {
	return d.Apply(op, []*graph.Value{x, y})
}

// number returns a scalar of the type of v.
func (d *Decomposer) number(like *graph.Value, v float64) *graph.Value {
	return d.Const(graph.Scalar(like.Type, v))
}

// normalise returns x, whose rows are the last dimension, with a mean of 0 and a variance of 1.
func (d *Decomposer) normalise(x *graph.Value, epsilon float64) *graph.Value {
	one := graph.NewTensor(x.Type, 1)
	one.F[0] = 1
	return d.Apply("LayerNormalization", []*graph.Value{x, d.Const(one)}, graph.FloatAttr("epsilon", epsilon))
}

// normaliseImage returns input 0, which has two dimensions or more behind its channels, with a mean of 0 and a variance
// of 1 in each of its groups, times a scale of each channel, plus a bias. Most such norms stand between convolutions,
// whose images have their channels last. There a group is no row, so the sum goes over places first.
func (d *Decomposer) normaliseImage(groups int64, scale, bias *graph.Value) *graph.Value {
	x := d.Input(0)
	rank, t := len(x.Shape), Register(x.Type)
	batch, channels, over := x.Shape[0], x.Shape[1], behindChannels(len(x.Shape))
	wide := d.cast(x, t)
	ofGroup := func(v *graph.Value) *graph.Value { // the mean of its channels, for each of them
		if groups == channels {
			return v
		}
		split := []int64{batch, groups, channels / groups}
		v = d.reduce("ReduceMean", d.reshape(v, split...), 2)
		v = d.Apply("Expand", []*graph.Value{v, d.Const(graph.Ints(split...))})
		return d.reshape(v, append([]int64{batch, channels}, ones(rank-2)...)...)
	}
	// The difference to the mean is written in two ways, since a node with two readers goes through memory.
	mean := ofGroup(d.reduce("ReduceMean", wide, over...))
	diff := d.two("Sub", wide, mean)
	centred := d.two("Add", wide, d.Apply("Neg", []*graph.Value{mean}))
	variance := ofGroup(d.reduce("ReduceMean", d.two("Mul", diff, diff), over...))
	root := d.Apply("Sqrt", []*graph.Value{d.two("Add", variance, d.number(variance, d.Node.Float("epsilon", 1e-5)))})
	y := d.two("Mul", centred, d.two("Div", d.perChannel(scale, rank, t), root))
	return d.cast(d.two("Add", y, d.perChannel(bias, rank, t)), x.Type)
}

func channelsOf(n *graph.Node) (int64, error) {
	if x := n.Inputs[0].Shape; len(x) >= 2 {
		return x[1], nil
	}
	return 0, fmt.Errorf("input 0 has shape %v: it needs 2 or more dimensions", n.Inputs[0].Shape)
}

// repeated returns a vector with each element so many times.
func (d *Decomposer) repeated(v *graph.Value, times int64) *graph.Value {
	wide := d.Apply("Expand", []*graph.Value{d.reshape(v, v.Elems(), 1), d.Const(graph.Ints(v.Elems(), times))})
	return d.reshape(wide, v.Elems()*times)
}

// A groupNorm normalises groups of channels, and scales and shifts each channel, or each group.
type groupNorm struct {
	groups, channels int64
	perChannel       bool
}

func instanceNormOf(n *graph.Node) (*groupNorm, error) {
	channels, err := channelsOf(n)
	return &groupNorm{channels, channels, true}, err
}

func groupNormOf(perChannel bool) func(n *graph.Node) (*groupNorm, error) {
	return func(n *graph.Node) (*groupNorm, error) {
		groups := n.Int("num_groups", 0)
		channels, err := channelsOf(n)
		if err == nil && (groups < 1 || channels%groups != 0) {
			err = fmt.Errorf("%d groups do not divide %d channels", groups, channels)
		}
		return &groupNorm{groups, channels, perChannel}, err
	}
}

// groupNorming returns the row of an operator whose groups of finds.
func groupNorming(name string, since int, of func(n *graph.Node) (*groupNorm, error)) Row {
	return Row{
		Op: name, Since: since, In: "T:F T:F T:F", Class: Reduction, Infer: inferBy(of, (*groupNorm).infer),
		Eval: evalBy(of, (*groupNorm).eval),
		Decompose: func(d *Decomposer) error {
			g, err := of(d.Node)
			if err == nil {
				g.decompose(d)
			}
			return err
		},
	}
}

func (g *groupNorm) infer(n *graph.Node) ([]Type, error) {
	length := g.groups
	if g.perChannel {
		length = g.channels
	}
	for i, v := range n.Inputs[1:] {
		if !slices.Equal(v.Shape, []int64{length}) {
			return nil, fmt.Errorf("input %d has shape %v: it must be [%d]", i+1, v.Shape, length)
		}
	}
	return inferSame(n)
}

func (g *groupNorm) decompose(d *Decomposer) {
	x, inGroup := d.Input(0), g.channels/max(g.groups, 1)
	if len(x.Shape) > 3 {
		scale, bias := d.Input(1), d.Input(2)
		if !g.perChannel {
			scale, bias = d.repeated(scale, inGroup), d.repeated(bias, inGroup)
		}
		d.Output(d.normaliseImage(g.groups, scale, bias))
		return
	}
	y := d.normalise(d.reshape(x, x.Shape[0], g.groups, inGroup*graph.Elems(x.Shape[2:])), d.Node.Float("epsilon", 1e-5))
	if g.perChannel {
		y = d.reshape(y, x.Shape...)
	}
	rank := len(y.Shape)
	y = d.two("Add", d.two("Mul", y, d.perChannel(d.Input(1), rank, x.Type)), d.perChannel(d.Input(2), rank, x.Type))
	d.Output(d.reshape(y, x.Shape...))
}
