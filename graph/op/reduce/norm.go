package reduce

import (
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/array"
	. "github.com/wmtune/wmtune/graph/op/expr"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
	tirop "github.com/wmtune/wmtune/tir/op"
)

// Norms has the operators that shift and scale elements to a mean of 0 and a variance of 1.
var Norms = []op.Row{
	{Op: "BatchNormalization", Since: 7, In: "T:F T:F T:F T:F T:F", Class: op.Injective, Infer: inferBatchNorm,
		Eval:      evalBatchNorm,
		Decompose: decomposeBatchNorm},
	{Op: "BatchNormalization", Since: 14, In: "T:F T:F T:F U:F U:F | 15 T:F T1:F T1:F T2:F T2:F", Class: op.Injective,
		Infer: inferBatchNorm, Eval: evalBatchNorm,
		Decompose: decomposeBatchNorm},
	groupNorming("InstanceNormalization", 1, instanceNormOf),
	groupNorming("GroupNormalization", 18, groupNormOf(false)),
	groupNorming("GroupNormalization", 21, groupNormOf(true)),
	{Op: "LayerNormalization", Since: 17, In: "T:F T:F T:F?", Class: op.Reduction,
		Infer: op.InferBy(layerNormOf, (*layerNorm).infer), Eval: op.EvalBy(layerNormOf, (*layerNorm).eval),
		Body: op.BodyBy(layerNormOf, (*layerNorm).body)},
	{Op: "RMSNormalization", Since: 23, In: "T:F V:F", Class: op.Reduction,
		Infer: op.InferBy(layerNormOf, (*layerNorm).inferRMS),
		Eval:  op.EvalBy(layerNormOf, (*layerNorm).evalRMS), Body: op.BodyBy(layerNormOf, (*layerNorm).bodyRMS)},
}

// A layerNorm normalises each row of a tensor, which is all of the dimensions from one on.
type layerNorm struct {
	tirop.Rows
	stash tir.DType // of means and standard deviations
}

func layerNormOf(n *graph.Node) (*layerNorm, error) {
	x := n.Inputs[0].Shape
	first, err := array.Axis(n.Int("axis", -1), len(x))
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
		if s, err := array.Broadcast(v.Shape, x); err != nil || !slices.Equal(s, x) {
			return nil, fmt.Errorf("input %d of shape %v does not broadcast to %v", i+1, v.Shape, x)
		}
	}
	return l, nil
}

// statistics is the shape of means.
func (l *layerNorm) statistics() []int64 { return slices.Concat(l.Rows.Rows, array.Ones(len(l.Row))) }

func (l *layerNorm) infer(n *graph.Node) ([]op.Type, error) {
	if n.Output(0) == nil {
		return nil, fmt.Errorf("output 0, the normalised tensor, is missing: give it a name")
	}
	s := l.statistics()
	return []op.Type{{DType: n.Inputs[0].Type, Shape: n.Inputs[0].Shape}, {DType: l.stash, Shape: s},
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
func (l *layerNorm) body(b *op.Body) error {
	n := b.Node
	g := b.Stages(n.Inputs[0].Type)
	mean, inv := g.Moments(l.Rows, b.Reader(0))
	s, v := g.Normalized(l.Rows, b.Reader(0), mean, inv)
	at := compute.Vars(s.Axes)
	if one, ok := b.Scalar(1); !ok || one != 1 {
		v = Mul(v, b.ReadBroadcast(1, at...))
	}
	if n.Input(2) != nil {
		v = Add(v, b.ReadBroadcast(2, at...))
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

func (l *layerNorm) inferRMS(n *graph.Node) ([]op.Type, error) {
	return []op.Type{{DType: n.Inputs[1].Type, Shape: n.Inputs[0].Shape}}, nil
}

// bodyRMS makes
//
//	sqsum(i) += (x[i, k1]*x[i, k1])
//	inv(i) = tir.rsqrt(((sqsum[i]*0.00130208f) + 1e-05f))
//	norm(i, j) = ((x[i, j]*inv[i])*scale[j])
func (l *layerNorm) bodyRMS(b *op.Body) error {
	g := b.Stages(b.Node.Inputs[0].Type)
	s, v := g.Normalized(l.Rows, b.Reader(0), compute.Tensor{}, g.Inverse(l.Rows, b.Reader(0)))
	v = Mul(v, Cast(b.ReadBroadcast(1, compute.Vars(s.Axes)...), v.DType()))
	b.Output(g.Pointwise(s, Cast(v, b.Node.Outputs[0].Type)))
	return nil
}

// channelVector turns a vector of the Decomposer's node into a tensor that broadcasts along dimension 1 of one of rank
// dimensions, of type t.
func channelVector(d *op.Decomposer, v *graph.Value, rank int, t tir.DType) *graph.Value {
	if rank > 2 {
		v = d.Reshape(v, append([]int64{v.Elems()}, array.Ones(rank-2)...)...)
	}
	return d.Cast(v, t)
}

// normalise returns x, whose rows are the last dimension, with a mean of 0 and a variance of 1.
func normalise(d *op.Decomposer, x *graph.Value, epsilon float64) *graph.Value {
	one := graph.NewTensor(x.Type, 1)
	one.F[0] = 1
	return d.Apply("LayerNormalization", []*graph.Value{x, d.Const(one)}, graph.FloatAttr("epsilon", epsilon))
}

// normaliseImage returns input 0, which has two dimensions or more behind its channels, with a mean of 0 and a variance
// of 1 in each of its groups, times a scale of each channel, plus a bias. Most such norms stand between convolutions,
// whose images have their channels last. There a group is no row, so the sum goes over places first.
func normaliseImage(d *op.Decomposer, groups int64, scale, bias *graph.Value) *graph.Value {
	x := d.Input(0)
	rank, t := len(x.Shape), Register(x.Type)
	batch, channels, over := x.Shape[0], x.Shape[1], BehindChannels(len(x.Shape))
	wide := d.Cast(x, t)
	ofGroup := func(v *graph.Value) *graph.Value { // the mean of its channels, for each of them
		if groups == channels {
			return v
		}
		split := []int64{batch, groups, channels / groups}
		v = reduce(d, "ReduceMean", d.Reshape(v, split...), 2)
		v = d.Apply("Expand", []*graph.Value{v, d.Const(graph.Ints(split...))})
		return d.Reshape(v, append([]int64{batch, channels}, array.Ones(rank-2)...)...)
	}
	// The difference to the mean is written in two ways, since a node with two readers goes through memory.
	mean := ofGroup(reduce(d, "ReduceMean", wide, over...))
	diff := d.Two("Sub", wide, mean)
	centred := d.Two("Add", wide, d.Apply("Neg", []*graph.Value{mean}))
	variance := ofGroup(reduce(d, "ReduceMean", d.Two("Mul", diff, diff), over...))
	root := d.Apply("Sqrt", []*graph.Value{d.Two("Add", variance, d.Number(variance, d.Node.Float("epsilon", 1e-5)))})
	y := d.Two("Mul", centred, d.Two("Div", channelVector(d, scale, rank, t), root))
	return d.Cast(d.Two("Add", y, channelVector(d, bias, rank, t)), x.Type)
}

func ChannelsOf(n *graph.Node) (int64, error) {
	if x := n.Inputs[0].Shape; len(x) >= 2 {
		return x[1], nil
	}
	return 0, fmt.Errorf("input 0 has shape %v: it needs 2 or more dimensions", n.Inputs[0].Shape)
}

// A groupNorm normalises groups of channels, and scales and shifts each channel, or each group.
type groupNorm struct {
	groups, channels int64
	perChannel       bool
}

func instanceNormOf(n *graph.Node) (*groupNorm, error) {
	channels, err := ChannelsOf(n)
	return &groupNorm{channels, channels, true}, err
}

func groupNormOf(perChannel bool) func(n *graph.Node) (*groupNorm, error) {
	return func(n *graph.Node) (*groupNorm, error) {
		groups := n.Int("num_groups", 0)
		channels, err := ChannelsOf(n)
		if err == nil && (groups < 1 || channels%groups != 0) {
			err = fmt.Errorf("%d groups do not divide %d channels", groups, channels)
		}
		return &groupNorm{groups, channels, perChannel}, err
	}
}

// groupNorming returns the row of an operator whose groups of finds.
func groupNorming(name string, since int, of func(n *graph.Node) (*groupNorm, error)) op.Row {
	return op.Row{
		Op: name, Since: since, In: "T:F T:F T:F", Class: op.Reduction, Infer: op.InferBy(of, (*groupNorm).infer),
		Eval: op.EvalBy(of, (*groupNorm).eval),
		Decompose: func(d *op.Decomposer) error {
			g, err := of(d.Node)
			if err == nil {
				g.decompose(d)
			}
			return err
		},
	}
}

func (g *groupNorm) infer(n *graph.Node) ([]op.Type, error) {
	length := g.groups
	if g.perChannel {
		length = g.channels
	}
	for i, v := range n.Inputs[1:] {
		if !slices.Equal(v.Shape, []int64{length}) {
			return nil, fmt.Errorf("input %d has shape %v: it must be [%d]", i+1, v.Shape, length)
		}
	}
	return op.InferSame(n)
}

func (g *groupNorm) decompose(d *op.Decomposer) {
	x, inGroup := d.Input(0), g.channels/max(g.groups, 1)
	if len(x.Shape) > 3 {
		scale, bias := d.Input(1), d.Input(2)
		if !g.perChannel {
			scale, bias = d.Repeated(scale, inGroup), d.Repeated(bias, inGroup)
		}
		d.Output(normaliseImage(d, g.groups, scale, bias))
		return
	}
	y := normalise(d, d.Reshape(x, x.Shape[0], g.groups, inGroup*graph.Elems(x.Shape[2:])), d.Node.Float("epsilon", 1e-5))
	if g.perChannel {
		y = d.Reshape(y, x.Shape...)
	}
	rank := len(y.Shape)
	y = d.Two("Add", d.Two("Mul", y, channelVector(d, d.Input(1), rank, x.Type)),
		channelVector(d, d.Input(2), rank, x.Type))
	d.Output(d.Reshape(y, x.Shape...))
}
