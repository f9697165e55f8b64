package window

import (
	"slices"

	"github.com/wmtune/wmtune/graph"
	tirop "github.com/wmtune/wmtune/tir/op"
)

// Taps says which places of a convolution's window ever lie on the image: along each spatial dimension those from From
// to before To. A window of just these has paddings Pads, in the order of the attribute.
type Taps struct{ From, To, Pads []int64 }

// TapsOf returns the taps of a node of ONNX's Conv, whose inputs are known, and whether they are fewer than its window
// has.
func TapsOf(n *graph.Node) (t Taps, fewer bool, err error) {
	c, err := convOf(n)
	if err != nil {
		return t, false, err
	}
	rank := len(c.Windows)
	t.Pads = make([]int64, 2*rank)
	for d, w := range c.Windows {
		from, to := int64(0), w.Size
		for from < to-1 && (from+1)*w.Dilation <= w.Before && !meets(w, from, c.In[d], c.Out[d]) {
			from++
		}
		for to > from+1 && (w.Size-to+1)*w.Dilation <= w.After && !meets(w, to-1, c.In[d], c.Out[d]) {
			to--
		}
		t.From, t.To = append(t.From, from), append(t.To, to)
		t.Pads[d], t.Pads[rank+d] = w.Before-from*w.Dilation, w.After-(w.Size-to)*w.Dilation
		fewer = fewer || to-from < w.Size
	}
	return t, fewer, nil
}

// meets reports whether the place at of the window lies on one of the in elements at one of its out positions.
func meets(w tirop.Window, at, in, out int64) bool {
	first, start := firstOn(w, at)
	return first < out && start < in
}

// firstOn returns the first output position whose place at of the window is not before the image, and where that lies.
func firstOn(w tirop.Window, at int64) (position, start int64) {
	position = max(0, (w.Before-at*w.Dilation+w.Stride-1)/w.Stride)
	return position, position*w.Stride - w.Before + at*w.Dilation
}

// A Part is what one place of a convolution's window adds: of the image, Shape elements along each spatial dimension
// from Start on, Step apart, multiplied by the weights at place At, are added to the outputs from First on.
type Part struct{ At, Start, Step, First, Shape []int64 }

// PartsOf returns the parts of a node of ONNX's Conv, whose inputs are known, those without elements left out.
func PartsOf(n *graph.Node) ([]Part, error) {
	c, err := convOf(n)
	if err != nil {
		return nil, err
	}
	parts := []Part{{}}
	for d, w := range c.Windows {
		var longer []Part
		for _, p := range parts {
			for at := range w.Size {
				if !meets(w, at, c.In[d], c.Out[d]) {
					continue
				}
				first, start := firstOn(w, at)
				count := min(c.Out[d]-first, (c.In[d]-start+w.Stride-1)/w.Stride)
				longer = append(longer, Part{
					At: with(p.At, at), Start: with(p.Start, start), Step: with(p.Step, w.Stride),
					First: with(p.First, first), Shape: with(p.Shape, count),
				})
			}
		}
		parts = longer
	}
	return parts, nil
}

// with is list and one more, in memory of its own.
func with(list []int64, v int64) []int64 { return append(slices.Clone(list), v) }
