package op

import (
	"slices"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
)

// A Place holds the axes of a stage over images as expressions.
type Place struct {
	Batch, Channel tir.Expr
	Spatial        []tir.Expr
	Window         []tir.Expr // reduced: the place in a window
	Inner          tir.Expr   // reduced: the input channel of a group; 0 if the stage has no such axis
}

// Image begins a stage over images of the given shape. It reduces over the elements of a window and, if inner is given,
// over so many input channels. The style's names are in the order of channels last; axes are in that of the layout.
func (g *Builder) Image(key string, l Layout, shape, window []int64, inner ...int64) (*Stage, Place) {
	n := g.style.names(key)
	s := &Stage{name: g.unique(n.name)}
	shape = slices.Clone(shape)
	g.checkShape("result "+s.name, shape)
	axes, numbered := axisNames(n.axes, len(shape))
	if !numbered {
		last := len(axes) - 1
		axes = Image(l, axes[0], axes[1:last], axes[last])
	}
	s.Axes = named(axes, shape)
	at := compute.Vars(s.Axes)
	p := Place{Batch: at[0], Spatial: Spatial(l, at), Channel: at[l.Channel(len(at))], Inner: tir.Int(0)}
	extents := window
	if inner != nil {
		extents = withInner(l, window, inner[0])
	}
	reduced, numbered := axisNames(n.reduce, len(extents))
	if last := len(reduced) - 1; inner != nil && !numbered {
		reduced = withInner(l, reduced[:last], reduced[last])
	}
	s.Reduce = named(reduced, extents)
	p.Window = compute.Vars(s.Reduce)
	switch last := len(p.Window) - 1; {
	case inner == nil:
	case l == ChannelsLast:
		p.Window, p.Inner = p.Window[:last], p.Window[last]
	default:
		p.Window, p.Inner = p.Window[1:], p.Window[0]
	}
	return s, p
}

// withInner is a list of what belongs to the dimensions of a window, and what belongs to input channels.
func withInner[T any](l Layout, window []T, inner T) []T {
	if l == ChannelsLast {
		return append(slices.Clone(window), inner)
	}
	return append([]T{inner}, window...)
}

// slideIndex returns the padded position of each spatial dimension.
func slideIndex(ws []Window, p Place) []tir.Expr {
	list := make([]tir.Expr, len(ws))
	for i, w := range ws {
		list[i] = w.At(p.Spatial[i], p.Window[i])
	}
	return list
}

func floordiv(x tir.Expr, n int64) tir.Expr { return tir.Bin(tir.FloorDiv, x, tir.Int(n)) }
func floormod(x tir.Expr, n int64) tir.Expr { return tir.Bin(tir.FloorMod, x, tir.Int(n)) }

// A Window slides along one dimension of an image.
type Window struct {
	Size, Stride, Dilation int64
	Before, After          int64 // padding
}

// Span is the number of elements from the first to the last of a window.
func (w Window) Span() int64 { return (w.Size-1)*w.Dilation + 1 }

// Outputs returns how many positions the window has along n elements.
func (w Window) Outputs(n int64) int64 {
	room := n + w.Before + w.After - w.Span()
	if room < 0 {
		return 0
	}
	return room/w.Stride + 1
}

// At returns the padded position that output position o reads at offset r.
func (w Window) At(o, r tir.Expr) tir.Expr {
	return add(times(o, w.Stride), times(r, w.Dilation))
}

// windowSizes are the sizes of windows.
func windowSizes(ws []Window) []int64 {
	list := make([]int64, len(ws))
	for d, w := range ws {
		list[d] = w.Size
	}
	return list
}

// slide returns the number of outputs per dimension. It refuses windows that are
// larger than the padded input.
func (g *Builder) slide(in []int64, ws []Window) []int64 {
	out := make([]int64, len(in))
	for i, w := range ws {
		out[i] = w.Outputs(in[i])
		if out[i] < 1 {
			g.refuse("a window of %d with dilation %d does not fit into %d elements with padding %d: the output would be empty",
				w.Size, w.Dilation, in[i], w.Before)
			out[i] = 1
		}
	}
	return out
}

// A Margin is what is added around one dimension.
type Margin struct{ Before, After int64 }

// PadWindows surrounds images x with the paddings of windows.
func (g *Builder) PadWindows(key string, l Layout, windows []Window, x compute.Tensor, value tir.Expr) compute.Tensor {
	list := make([]Margin, len(windows))
	for d, w := range windows {
		list[d] = Margin{w.Before, w.After}
	}
	return g.Pad(key, x, Image(l, Margin{}, list, Margin{}), value)
}

// Pad surrounds x with value, which is 0 if nil:
//
//	pad(i0, i1) = tir.if_then_else(((i1 >= 1) && (i1 < 9)), x[i0, (i1 - 1)], 0f)
//
// Without any margin it is x itself, unless the style wants a stage. The conditions of one dimension stand together
// where axes are numbered.
func (g *Builder) Pad(key string, x compute.Tensor, margins []Margin, value tir.Expr) compute.Tensor {
	if !slices.ContainsFunc(margins, func(m Margin) bool { return m != Margin{} }) && !g.style.padAlways {
		return x
	}
	shape := slices.Clone(x.Shape)
	for d, m := range margins {
		shape[d] += m.Before + m.After
	}
	s := g.stage(key, shape, nil)
	grouped := !g.style.padFlat && s.Axes[0].Var.Name == "i0"
	var inside []tir.Expr
	index := s.index()
	for d, m := range margins {
		var conds []tir.Expr
		if m.Before > 0 {
			conds = append(conds, tir.Bin(tir.GE, s.at(d), tir.Int(m.Before)))
		}
		index[d] = plus(s.at(d), -m.Before)
		if m.After > 0 {
			conds = append(conds, tir.Bin(tir.LT, s.at(d), tir.Int(m.Before+x.Shape[d])))
		}
		if len(conds) > 1 && grouped {
			conds = []tir.Expr{tir.AllOf(conds...)}
		}
		inside = append(inside, conds...)
	}
	if len(inside) == 0 {
		return g.Pointwise(s, x.At(index...))
	}
	if value == nil {
		value = g.constantOf(x.Type, 0)
	}
	return g.Pointwise(s, tir.IfThenElse(tir.AllOf(inside...), x.At(index...), value))
}

// A Layout says where the channels of images stand: before the spatial dimensions (NCHW) or after them (NHWC).
type Layout uint8

// The layouts of images.
const (
	ChannelsFirst Layout = iota // batch, channels, spatial dimensions: as ONNX has them
	ChannelsLast                // batch, spatial dimensions, channels
)

// Image orders the dimensions of an image. It returns a new list.
func Image[T any](l Layout, batch T, spatial []T, channel T) []T {
	list := []T{batch}
	if l == ChannelsFirst {
		list = append(list, channel)
	}
	list = append(list, spatial...)
	if l == ChannelsLast {
		list = append(list, channel)
	}
	return list
}

// Channel returns which dimension of an image of a rank counts channels.
func (l Layout) Channel(rank int) int {
	if l == ChannelsFirst {
		return 1
	}
	return rank - 1
}

// Spatial returns the spatial ones of the dimensions of an image.
func Spatial[T any](l Layout, list []T) []T {
	if l == ChannelsFirst {
		return list[2:]
	}
	return list[1 : len(list)-1]
}
