package kernel

import "golang.org/x/sys/cpu"

// paths returns the paths of this processor, the best one first.
func paths() []*path {
	list := []*path{pathGo}
	if cpu.X86.HasAVX2 && cpu.X86.HasFMA {
		list = append([]*path{pathAVX2}, list...)
	}
	if cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ && cpu.X86.HasFMA {
		list = append([]*path{pathAVX512}, list...)
	}
	return list
}

var pathAVX2 = &path{
	name: "avx2", lanes: 8,
	tiles: assembled(6, 16, tileAVX2), double: assembled(6, 8, doubleAVX2),
	expSum: func(x []float32, scale, shift float32) float32 {
		return expSumAVX2(&table, len(x), &x[0], scale, shift)
	},
	gelu: func(to, x []float32) { geluAVX2(&table, len(x), &to[:len(x)][0], &x[0]) },
	geluGrad: func(to, x, grad []float32) {
		geluGradAVX2(&table, len(x), &to[:len(x)][0], &x[0], &grad[:len(x)][0])
	},
	tanh:     func(to, x []float32) { tanhAVX2(&table, len(x), &to[:len(x)][0], &x[0]) },
	largest:  func(x []float32) float32 { return largestAVX2(len(x), &x[0]) },
	addTimes: func(to []float32, a float32, x []float32) { axpyAVX2(len(x), &to[:len(x)][0], a, &x[0]) },
	sumTimes: func(x, y []float32) float32 { return dotAVX2(len(x), &x[0], &y[:len(x)][0]) },
}

var pathAVX512 = &path{
	name: "avx512", lanes: 16,
	tiles: assembled(12, 32, tileAVX512), double: assembled(12, 16, doubleAVX512),
	expSum: func(x []float32, scale, shift float32) float32 {
		return expSumAVX512(&table, len(x), &x[0], scale, shift)
	},
	gelu: func(to, x []float32) { geluAVX512(&table, len(x), &to[:len(x)][0], &x[0]) },
	geluGrad: func(to, x, grad []float32) {
		geluGradAVX512(&table, len(x), &to[:len(x)][0], &x[0], &grad[:len(x)][0])
	},
	tanh:     func(to, x []float32) { tanhAVX512(&table, len(x), &to[:len(x)][0], &x[0]) },
	largest:  func(x []float32) float32 { return largestAVX512(len(x), &x[0]) },
	addTimes: func(to []float32, a float32, x []float32) { axpyAVX512(len(x), &to[:len(x)][0], a, &x[0]) },
	sumTimes: func(x, y []float32) float32 { return dotAVX512(len(x), &x[0], &y[:len(x)][0]) },
}

// assembled returns the tiles of a function in assembly. They panic where it would read or write beyond a slice.
func assembled[T number](rows, columns int, tile func(depth int, a, b, c *T, ldc int)) tiles[T] {
	return tilesOf(rows, columns, func(c []T, ldc int, a, b []T) {
		_ = c[(rows-1)*ldc+columns-1]
		depth := len(b) / columns
		_ = a[depth*rows-1]
		tile(depth, &a[0], &b[0], &c[0], ldc)
	})
}

//go:noescape
func tileAVX2(depth int, a, b, c *float32, ldc int)

//go:noescape
func tileAVX512(depth int, a, b, c *float32, ldc int)

//go:noescape
func doubleAVX2(depth int, a, b, c *float64, ldc int)

//go:noescape
func doubleAVX512(depth int, a, b, c *float64, ldc int)

//go:noescape
func expSumAVX2(table *[constants][16]float32, n int, x *float32, scale, shift float32) float32

//go:noescape
func expSumAVX512(table *[constants][16]float32, n int, x *float32, scale, shift float32) float32

//go:noescape
func geluAVX2(table *[constants][16]float32, n int, to, x *float32)

//go:noescape
func geluAVX512(table *[constants][16]float32, n int, to, x *float32)

//go:noescape
func geluGradAVX2(table *[constants][16]float32, n int, to, x, grad *float32)

//go:noescape
func geluGradAVX512(table *[constants][16]float32, n int, to, x, grad *float32)

//go:noescape
func tanhAVX2(table *[constants][16]float32, n int, to, x *float32)

//go:noescape
func tanhAVX512(table *[constants][16]float32, n int, to, x *float32)

//go:noescape
func largestAVX2(n int, x *float32) float32

//go:noescape
func largestAVX512(n int, x *float32) float32

//go:noescape
func axpyAVX2(n int, to *float32, a float32, x *float32)

//go:noescape
func axpyAVX512(n int, to *float32, a float32, x *float32)

//go:noescape
func dotAVX2(n int, x, y *float32) float32

//go:noescape
func dotAVX512(n int, x, y *float32) float32
