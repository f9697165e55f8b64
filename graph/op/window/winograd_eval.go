package window

import (
	"math"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op/array"
	"github.com/wmtune/wmtune/nn/kernel"
	"github.com/wmtune/wmtune/tir/winograd"
)

// evalWinogradInput is the reference of WinogradInput.
func evalWinogradInput(_ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	t, margins, err := inputTiling(n)
	if err != nil {
		return nil, err
	}
	x := in[0]
	y := graph.NewTensor(x.Type, t.shape(t.side, t.channels)...)
	steps := array.Strides(x.Shape)
	last := len(x.Shape) - 3 // the first of the two dimensions
	t.each(func(to int64, place []int64, row, column int64) {
		from, inside := int64(0), true
		for d, p := range place {
			p -= margins[d].Before
			inside = inside && p >= 0 && p < x.Shape[d]
			from += p * steps[d]
		}
		t.apply(coefficients(n, t.set.Input), func(i, j, c int64) float64 {
			r, s := row*t.tile+i-margins[last].Before, column*t.tile+j-margins[last+1].Before
			if !inside || r < 0 || r >= x.Shape[last] || s < 0 || s >= x.Shape[last+1] {
				return 0
			}
			return x.F[from+r*steps[last]+s*steps[last+1]+c]
		}, func(i, j, c int64, v float64) {
			y.F[((i*t.side+j)*graph.Elems(t.space())+to)*t.channels+c] = v
		})
	})
	return []*graph.Tensor{y}, nil
}

// coefficients returns the matrix of a transform. With attribute magnitudes, it is that of their magnitudes: transforms
// of magnitudes are then the sums of those of all terms, by which roundings are judged.
func coefficients(n *graph.Node, m [][]float64) [][]float64 {
	if n.Int("magnitudes", 0) == 0 {
		return m
	}
	list := make([][]float64, len(m))
	for i, row := range m {
		for _, v := range row {
			list[i] = append(list[i], math.Abs(v))
		}
	}
	return list
}

// each calls do for each tile, with its number in the order of space, its place before the two dimensions (the batch
// first), and its row and column.
func (t *tiling) each(do func(to int64, place []int64, row, column int64)) {
	to := int64(0)
	array.WalkIndex(append([]int64{t.batch}, t.before...), func(place []int64) {
		for row := range t.tiles[0] {
			for column := range t.tiles[1] {
				do(to, place, row, column)
				to++
			}
		}
	})
}

// apply computes Mᵀ x M of a tile for each channel.
func (t *tiling) apply(m [][]float64, x func(i, j, c int64) float64, y func(i, j, c int64, v float64)) {
	n, size := len(m), len(m[0])
	half := make([]float64, n*size)
	for c := range t.channels {
		clear(half)
		for a := range n {
			for b := range n {
				v := x(int64(a), int64(b), c)
				for j := range size {
					half[a*size+j] += v * m[b][j]
				}
			}
		}
		for i := range size {
			for j := range size {
				v := 0.0
				for a := range n {
					v += m[a][i] * half[a*size+j]
				}
				y(int64(i), int64(j), c, v)
			}
		}
	}
}

// eval is the reference of WinogradProduct.
func (p *winogradProduct) eval(call *graph.Call, _ *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	v, u := in[0], in[1]
	y := graph.NewTensor(v.Type, p.Output()...)
	rank := len(y.Shape) - 1
	ci, co := v.Shape[rank], y.Shape[rank]
	if len(p.windows) == 0 && len(y.F) > 0 && ci > 0 { // a product of matrices for each place in a tile
		places := int(y.Shape[0] * y.Shape[1])
		matrix := func(t *graph.Tensor, i int, columns int64) kernel.MatrixOf[float64] {
			size := len(t.F) / places
			return kernel.M(t.F[i*size:(i+1)*size], int(columns))
		}
		return []*graph.Tensor{y}, array.Parallel(call.Context, places, func(i int) {
			parts, part := kernel.Doubles(matrix(y, i, co).Data, matrix(v, i, ci), matrix(u, i, co))
			for k := range parts {
				part(k)
			}
		})
	}
	vs, us := array.Strides(v.Shape), array.Strides(u.Shape)
	to := int64(0)
	array.WalkIndex(y.Shape[:rank], func(at []int64) {
		out := y.F[to : to+co]
		to += co
		array.WalkIndex(u.Shape[2:2+len(p.windows)], func(r []int64) {
			from, weight := int64(0), at[0]*us[0]+at[1]*us[1]
			for d, a := range at {
				if k := d - 3; k >= 0 && k < len(p.windows) {
					a = a*p.windows[k].Stride + r[k]*p.windows[k].Dilation
				}
				from += a * vs[d]
			}
			for k := range r {
				weight += r[k] * us[2+k]
			}
			for c := range ci {
				x := v.F[from+c]
				for o, w := range u.F[weight+c*co : weight+(c+1)*co] {
					out[o] += x * w
				}
			}
		})
	})
	return []*graph.Tensor{y}, call.Context.Err()
}

// evalWinogradOutput is the reference of WinogradOutput.
func evalWinogradOutput(_ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	t, shape, err := outputTiling(n)
	if err != nil {
		return nil, err
	}
	m := in[0]
	y := graph.NewTensor(m.Type, shape...)
	steps := array.Strides(shape)
	last := len(shape) - 3
	t.each(func(number int64, place []int64, row, column int64) {
		to := int64(0)
		for d, p := range place {
			to += p * steps[d]
		}
		t.apply(coefficients(n, t.set.Output), func(i, j, c int64) float64 {
			return m.F[((i*t.side+j)*graph.Elems(t.space())+number)*t.channels+c]
		}, func(i, j, c int64, v float64) {
			if r, s := row*t.tile+i, column*t.tile+j; r < shape[last] && s < shape[last+1] {
				if len(in) > 1 && in[1] != nil {
					v += in[1].F[c]
				}
				y.F[to+r*steps[last]+s*steps[last+1]+c] = v
			}
		})
	})
	return []*graph.Tensor{y}, nil
}

// WinogradWeights transforms constant weights of a convolution whose channels are last, [before..., 3, 3, channels in,
// channels out], for WinogradProduct: [side, side, before..., channels in, channels out].
func WinogradWeights(w *graph.Tensor, tile int64) (*graph.Tensor, error) {
	set, err := winograd.New(tile)
	if err != nil {
		return nil, err
	}
	before := len(w.Shape) - 4
	side := tile + winograd.Size - 1
	shape := append([]int64{side, side}, w.Shape[:before]...)
	u := graph.NewTensor(w.Type, append(shape, w.Shape[before+2:]...)...)
	pairs := w.Shape[before+2] * w.Shape[before+3]
	all := graph.Elems(w.Shape[:before]) * pairs
	for b := range graph.Elems(w.Shape[:before]) {
		for k := range pairs {
			var g [9]float64
			for i := range g {
				g[i] = w.F[(b*9+int64(i))*pairs+k]
			}
			for i, v := range set.Weights(g) {
				u.F[int64(i)*all+b*pairs+k] = v
			}
		}
	}
	return u, nil
}
