package op

import (
	"slices"

	"github.com/wmtune/wmtune/graph"
)

// Taps says which places of a convolution's window ever lie on the image: along each spatial dimension those from From
// to before To. A window of just these has paddings Pads, in the order of the attribute.
type Taps struct{ From, To, Pads []int64 }

// TapsOf returns the taps of a node of ONNX's Conv, whose inputs are known, and whether they are fewer than its window
// has.
func TapsOf(n *graph.Node) (t Taps, fewer bool, err error) {
	c, err := convOf(n, channelsFirst)
	if err != nil {
		return t, false, err
	}
	rank := len(c.windows)
	t.Pads = make([]int64, 2*rank)
	for d, w := range c.windows {
		from, to := int64(0), w.size
		for from < to-1 && (from+1)*w.dilation <= w.before && !w.meets(from, c.in[d], c.out[d]) {
			from++
		}
		for to > from+1 && (w.size-to+1)*w.dilation <= w.after && !w.meets(to-1, c.in[d], c.out[d]) {
			to--
		}
		t.From, t.To = append(t.From, from), append(t.To, to)
		t.Pads[d], t.Pads[rank+d] = w.before-from*w.dilation, w.after-(w.size-to)*w.dilation
		fewer = fewer || to-from < w.size
	}
	return t, fewer, nil
}

// meets reports whether the place at of the window lies on one of the in elements at one of its out positions.
func (w window) meets(at, in, out int64) bool {
	first, start := w.first(at)
	return first < out && start < in
}

// first returns the first output position whose place at of the window is not before the image, and where that lies.
func (w window) first(at int64) (position, start int64) {
	position = max(0, (w.before-at*w.dilation+w.stride-1)/w.stride)
	return position, position*w.stride - w.before + at*w.dilation
}

// A Part is what one place of a convolution's window adds: of the image, Shape elements along each spatial dimension
// from Start on, Step apart, multiplied by the weights at place At, are added to the outputs from First on.
type Part struct{ At, Start, Step, First, Shape []int64 }

// PartsOf returns the parts of a node of ONNX's Conv, whose inputs are known, those without elements left out.
func PartsOf(n *graph.Node) ([]Part, error) {
	c, err := convOf(n, channelsFirst)
	if err != nil {
		return nil, err
	}
	parts := []Part{{}}
	for d, w := range c.windows {
		var longer []Part
		for _, p := range parts {
			for at := range w.size {
				if !w.meets(at, c.in[d], c.out[d]) {
					continue
				}
				first, start := w.first(at)
				count := min(c.out[d]-first, (c.in[d]-start+w.stride-1)/w.stride)
				longer = append(longer, Part{
					At: with(p.At, at), Start: with(p.Start, start), Step: with(p.Step, w.stride),
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
