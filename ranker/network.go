package ranker

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/wmtune/wmtune/nn/kernel"
)

// A network scores features: columns are brought to one scale, then layers follow
// with negative values set to 0 between them, the last of one value.
type network struct {
	shift, factor []float32
	layers        []layer
}

// A layer multiplies rows by a matrix and adds a row.
type layer struct {
	in, out      int
	weight, bias []float32
	packed       *kernel.Packed
}

// networkBlock is how many candidates go through a network at a time: what they
// become stays in a core's own cache.
const networkBlock = 64

// ready checks the numbers and packs the matrices.
func (n *network) ready() error {
	columns := len(n.shift)
	if len(n.factor) != columns || len(n.layers) == 0 {
		return fmt.Errorf("%d layers, scales of %d and %d columns", len(n.layers), len(n.shift), len(n.factor))
	}
	for k := range n.layers {
		l := &n.layers[k]
		if l.in != columns || len(l.weight) != l.in*l.out || len(l.bias) != l.out {
			return fmt.Errorf("layer %d has %d weights and %d biases, for %d columns", k, len(l.weight), len(l.bias), columns)
		}
		columns = l.out
	}
	if columns != 1 {
		return fmt.Errorf("the last layer has %d values, not 1", columns)
	}
	lists := [][]float32{n.shift, n.factor}
	for k := range n.layers {
		lists = append(lists, n.layers[k].weight, n.layers[k].bias)
	}
	for _, list := range lists {
		if slices.ContainsFunc(list, func(v float32) bool { return math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) }) {
			return errors.New("it has weights that are no numbers")
		}
	}
	for k := range n.layers {
		l := &n.layers[k]
		l.packed = kernel.Pack(kernel.M(l.weight, l.out))
	}
	return nil
}

// score sets out to the scores of rows.
func (n *network) score(rows [][]float32, out []float64) {
	most := len(n.shift)
	for _, l := range n.layers {
		most = max(most, l.out)
	}
	x, y := make([]float32, networkBlock*most), make([]float32, networkBlock*most)
	for len(rows) > 0 {
		count := min(networkBlock, len(rows))
		at := x[:0]
		for _, row := range rows[:count] {
			for k, v := range row[:len(n.shift)] {
				at = append(at, (v-n.shift[k])*n.factor[k])
			}
		}
		from, to := x, y
		for k, l := range n.layers {
			values := to[:count*l.out]
			l.packed.Multiply(values, kernel.M(from[:count*l.in], l.in), false)
			for i := range count {
				row := values[i*l.out:][:l.out]
				for c, b := range l.bias {
					row[c] += b
					if k < len(n.layers)-1 {
						row[c] = max(row[c], 0)
					}
				}
			}
			from, to = to, from
		}
		for i := range count {
			out[i] = float64(from[i])
		}
		rows, out = rows[count:], out[count:]
	}
}
