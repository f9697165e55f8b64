package op

import (
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir"
)

// A window slides along one dimension of an image.
type window struct {
	size, stride, dilation int64
	before, after          int64 // padding
}

// span is the number of elements from the first to the last of a window.
func (w window) span() int64 { return (w.size-1)*w.dilation + 1 }

// outputs returns how many positions the window has along n elements.
func (w window) outputs(n int64) int64 {
	room := n + w.before + w.after - w.span()
	if room < 0 {
		return 0
	}
	return room/w.stride + 1
}

// ceilOutputs is outputs, with a last window that may end behind the padding, but does not start behind the image.
func (w window) ceilOutputs(n int64) int64 {
	room := n + w.before + w.after - w.span()
	if room < 0 {
		return 0
	}
	out := (room+w.stride-1)/w.stride + 1
	if (out-1)*w.stride >= n+w.before {
		out--
	}
	return out
}

// tooLarge is the error of a window without a position along the n elements of dimension d.
func (w window) tooLarge(d int, n int64) error {
	return fmt.Errorf("dimension %d: a window that spans %d does not fit into %d elements with paddings %d and %d", d,
		w.span(), n, w.before, w.after)
}

// at returns the padded position that output position o reads at offset r.
func (w window) at(o, r tir.Expr) tir.Expr { return add(times(o, w.stride), times(r, w.dilation)) }

func floordiv(x tir.Expr, n int64) tir.Expr { return tir.Bin(tir.FloorDiv, x, tir.Int(n)) }
func floormod(x tir.Expr, n int64) tir.Expr { return tir.Bin(tir.FloorMod, x, tir.Int(n)) }

// perDimension returns an attribute with a number for each of n dimensions, or n times missing without it.
func perDimension(n *graph.Node, name string, count int, missing int64) ([]int64, error) {
	list := n.Ints(name)
	switch len(list) {
	case 0:
		return slices.Repeat([]int64{missing}, count), nil
	case count:
		return list, nil
	}
	return nil, fmt.Errorf("attribute %s has %d entries, not %d", name, len(list), count)
}

// windowsOf returns the windows of a convolution or pool that slide over an image of the spatial extents in; size holds
// their sizes.
func windowsOf(n *graph.Node, in, size []int64) ([]window, error) {
	rank := len(in)
	strides, err := perDimension(n, "strides", rank, 1)
	if err != nil {
		return nil, err
	}
	dilations, err := perDimension(n, "dilations", rank, 1)
	if err != nil {
		return nil, err
	}
	pads, err := perDimension(n, "pads", 2*rank, 0)
	if err != nil {
		return nil, err
	}
	auto := n.Str("auto_pad", "NOTSET")
	list := make([]window, rank)
	for d := range list {
		w := window{size: size[d], stride: strides[d], dilation: dilations[d]}
		if w.size < 1 || w.stride < 1 || w.dilation < 1 {
			return nil,
				fmt.Errorf("dimension %d: a window of size %d, stride %d and dilation %d: all must be at least 1", d,
					w.size, w.stride, w.dilation)
		}
		switch auto {
		case "NOTSET", "":
			w.before, w.after = pads[d], pads[rank+d]
		case "VALID":
		case "SAME_UPPER", "SAME_LOWER":
			total := max(0, ((in[d]+w.stride-1)/w.stride-1)*w.stride+w.span()-in[d])
			w.before, w.after = splitPads(auto, total)
		default:
			return nil, fmt.Errorf("attribute auto_pad is %q: known are NOTSET VALID SAME_UPPER SAME_LOWER", auto)
		}
		list[d] = w
	}
	return list, nil
}

// splitPads divides a padding between both ends.
func splitPads(auto string, total int64) (before, after int64) {
	if auto == "SAME_LOWER" {
		return total - total/2, total / 2
	}
	return total / 2, total - total/2
}

// An order says where channels of images stand.
type order uint8

const (
	channelsFirst order = iota // N, C, spatial dimensions: as ONNX has them
	channelsLast               // N, spatial dimensions, C
)

// image orders the dimensions of an image. It returns a new list.
func image[T any](o order, batch T, spatial []T, channel T) []T {
	list := []T{batch}
	if o == channelsFirst {
		list = append(list, channel)
	}
	list = append(list, spatial...)
	if o == channelsLast {
		list = append(list, channel)
	}
	return list
}

// channel returns which dimension of an image of some rank counts channels.
func (o order) channel(rank int) int {
	if o == channelsFirst {
		return 1
	}
	return rank - 1
}

// spatial returns the spatial ones of the dimensions of an image.
func spatial[T any](o order, list []T) []T {
	if o == channelsFirst {
		return list[2:]
	}
	return list[1 : len(list)-1]
}
