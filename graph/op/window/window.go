// Package window has the operators whose windows slide over images: convolutions, pools, their inverses, and LRN.
package window

import (
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/graph"
	tirop "github.com/wmtune/wmtune/tir/op"
)

// ceilOutputs is outputs, with a last window that may end behind the padding, but does not start behind the image.
func ceilOutputs(w tirop.Window, n int64) int64 {
	room := n + w.Before + w.After - w.Span()
	if room < 0 {
		return 0
	}
	out := (room+w.Stride-1)/w.Stride + 1
	if (out-1)*w.Stride >= n+w.Before {
		out--
	}
	return out
}

// tooLarge is the error of a window without a position along the n elements of dimension d.
func tooLarge(w tirop.Window, d int, n int64) error {
	return fmt.Errorf("dimension %d: a window that spans %d does not fit into %d elements with paddings %d and %d", d,
		w.Span(), n, w.Before, w.After)
}

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

// WindowsOf returns the windows of a convolution or pool that slide over an image of the spatial extents in; size holds
// their sizes.
func WindowsOf(n *graph.Node, in, size []int64) ([]tirop.Window, error) {
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
	list := make([]tirop.Window, rank)
	padded := []int64{graph.Elems(n.Inputs[0].Shape) / max(1, graph.Elems(in))} // images, and their extents
	for d := range list {
		w := tirop.Window{Size: size[d], Stride: strides[d], Dilation: dilations[d]}
		if w.Size < 1 || w.Stride < 1 || w.Dilation < 1 {
			return nil,
				fmt.Errorf("dimension %d: a window of size %d, stride %d and dilation %d: all must be at least 1", d,
					w.Size, w.Stride, w.Dilation)
		}
		switch auto {
		case "NOTSET", "":
			w.Before, w.After = pads[d], pads[rank+d]
		case "VALID":
		case "SAME_UPPER", "SAME_LOWER":
			total := max(0, ((in[d]+w.Stride-1)/w.Stride-1)*w.Stride+w.Span()-in[d])
			w.Before, w.After = splitPads(auto, total)
		default:
			return nil, fmt.Errorf("attribute auto_pad is %q: known are NOTSET VALID SAME_UPPER SAME_LOWER", auto)
		}
		if list[d] = w; !slidable(w, in[d]) {
			return nil, fmt.Errorf("dimension %d: a window of size %d, stride %d, dilation %d and paddings %d and %d over %d "+
				"elements spans more than %d", d, w.Size, w.Stride, w.Dilation, w.Before, w.After, in[d], graph.MaxElems)
		}
		padded = append(padded, in[d]+max(w.Before, 0)+max(w.After, 0))
	}
	if err := graph.CheckShape(padded); err != nil {
		return nil, fmt.Errorf("images with their paddings have the extents %v: %w", padded[1:], err)
	}
	return list, nil
}

// slidable reports whether no place of a window over n elements, with its paddings, is beyond what a tensor has.
func slidable(w tirop.Window, n int64) bool {
	span := graph.Plus(graph.Times(w.Size-1, w.Dilation), 1)
	room := graph.Plus(n, max(w.Before, 0), max(w.After, 0))
	return max(span, room, w.Stride) <= graph.MaxElems && min(w.Before, w.After) >= -graph.MaxElems
}

// splitPads divides a padding between both ends.
func splitPads(auto string, total int64) (before, after int64) {
	if auto == "SAME_LOWER" {
		return total - total/2, total / 2
	}
	return total / 2, total - total/2
}
