package winograd

import (
	"cmp"
	"slices"
)

// An Estimate says what a convolution by 3×3 weights costs, in floating-point operations.
type Estimate struct {
	Out      [2]int64 // extents of the result along the two dimensions
	In, Rest int64    // elements of the image, and of the result, at one place: batch, channels, dimensions before
	Taps     int64    // terms of a sum besides the 3×3: input channels, weights along dimensions before
	Weights  int64    // elements of the weights at one of the 3×3 places
}

// Gain is by how much an estimate must be lower than the direct one for tiles to be taken where nothing is measured.
const Gain = 1.15

// Doubt is by what factor estimates may err: what is estimated within it is tried.
const Doubt = 1.5

// What moving a byte costs, in floating-point operations: one of a value between two stages, which caches often hold,
// and one of a weight, which comes from memory. Two cores of AVX2 multiply at 200 GFLOP/s and read 20 GB/s from memory.
const valueByte, weightByte = 5, 10

// hidden is the part of the shorter of two costs, of multiplying and of reading weights, that passes beside the longer.
// Weights lie in the order in which they are read, so they are fetched ahead. Nearly all of it did on a Zen 5, whose
// memory is fast beside its arithmetic; this is less, since others were not measured.
const hidden = 0.7

// product is the cost of multiplying, and of reading weights of so many bytes.
func (e Estimate) product(multiplications float64, places int64, bytes float64) float64 {
	weights := float64(places*e.Weights) * bytes * weightByte
	return max(2*multiplications, weights) + (1-hidden)*min(2*multiplications, weights)
}

// Direct is the cost without the algorithm.
func (e Estimate) Direct() float64 { return e.DirectAt(1, 4) }

// DirectAt is Direct where a processor makes rate times as many products, of weights of so many bytes.
func (e Estimate) DirectAt(rate, bytes float64) float64 {
	return e.product(float64(e.Out[0]*e.Out[1]*Size*Size)*float64(e.Rest)*float64(e.Taps)/rate, Size*Size, bytes)
}

// InTiles is the cost with tiles of tile×tile results.
func (e Estimate) InTiles(tile int64) float64 {
	places := (tile + Size - 1) * (tile + Size - 1)
	t, side := float64(tile), float64(tile+Size-1)
	tiles := float64((e.Out[0] + tile - 1) / tile * ((e.Out[1] + tile - 1) / tile))
	in, out := tiles*float64(e.In), tiles*float64(e.Rest)
	// A transform adds 4 terms of 6 in each direction, as if in one step.
	terms := .66 * .66 * side * side * 2
	transforms := terms * (side*side*in + t*t*out)
	values := 2 * 4 * valueByte * side * side * (in + out)
	return e.product(side*side*out*float64(e.Taps), places, 4) + transforms + values
}

// Elems returns how many numbers the transformed weights are, and the tiles of the image and of the products.
func (e Estimate) Elems(tile int64) (weights, tiles int64) {
	side := tile + Size - 1
	count := (e.Out[0] + tile - 1) / tile * ((e.Out[1] + tile - 1) / tile)
	return side * side * e.Weights, side * side * count * (e.In + e.Rest)
}

// Untiled stands for no tiles, where tiles of 2 or 4 may stand.
const Untiled = 0

// Within returns the tiles, and Untiled for the direct sum, whose costs are at most factor times the lowest one, which
// comes first.
func (e Estimate) Within(factor float64) []int64 {
	cost := func(tile int64) float64 {
		if tile == Untiled {
			return e.Direct()
		}
		return e.InTiles(tile)
	}
	forms := []int64{Untiled, 2, 4}
	slices.SortStableFunc(forms, func(a, b int64) int { return cmp.Compare(cost(a), cost(b)) })
	return slices.DeleteFunc(forms, func(tile int64) bool { return cost(tile) > max(factor, 1)*cost(forms[0]) })
}

// Tile returns the tile, of 2 or 4, whose cost is lowest, and lower than the direct one by a factor of gain; else 0.
func (e Estimate) Tile(gain float64) int64 {
	best, least := int64(0), e.Direct()/gain
	for _, tile := range []int64{2, 4} {
		if c := e.InTiles(tile); c < least {
			best, least = tile, c
		}
	}
	return best
}
