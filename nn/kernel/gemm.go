// Package kernel multiplies matrices of float32 for the networks of wmtune, and of
// float64 for the reference evaluator. For the networks it computes what stands
// between the products: softmax, GELU, tanh, LayerNorm. It is in AVX-512 or AVX2
// assembly where the processor has it, in Go elsewhere.
//
// One call runs on one goroutine; callers that train several networks at a time
// use all cores, and so may the parts of a product of float64. Sums are in a fixed order, so results do not depend on
// anything but the operands and the path: the paths round differently.
//
// The package must not know networks: what is learned, and how layers are joined.
package kernel

import (
	"fmt"
	"sync"
)

// The sizes of the blocks of the operands that stay in the first two levels of
// cache while they are used.
const (
	blockRows  = 96 // a multiple of every path's rows
	blockDepth = 256
)

// fewRows is up to how many rows are multiplied without packing: packing b costs as
// much as it saves.
const fewRows = 3

type number interface{ float32 | float64 }

// A MatrixOf is rows of numbers, one after the other.
type MatrixOf[T number] struct {
	Data          []T
	Rows, Columns int
	Transposed    bool // what is meant is the transpose: Columns x Rows
}

// A Matrix is one of float32.
type Matrix = MatrixOf[float32]

// M returns a matrix of so many columns.
func M[T number](data []T, columns int) MatrixOf[T] {
	if columns < 1 || len(data)%columns != 0 {
		panic(fmt.Sprintf("BUG: kernel: %d values in rows of %d", len(data), columns))
	}
	return MatrixOf[T]{Data: data, Rows: len(data) / columns, Columns: columns}
}

// T returns the transpose, of the same data.
func (m MatrixOf[T]) T() MatrixOf[T] {
	m.Transposed = !m.Transposed
	return m
}

func (m MatrixOf[T]) shape() (rows, columns int) {
	if m.Transposed {
		return m.Columns, m.Rows
	}
	return m.Rows, m.Columns
}

// packs are the packed blocks of a multiplication, and a tile that c ends in.
type packs[T number] struct {
	a, b []T
	edge [maxTile]T
}

// tiles is how matrices of T are multiplied.
type tiles[T number] struct {
	rows, columns int // of a register tile

	// tile adds the product of a strip of rows and a strip of columns to the tile at
	// the beginning of c, whose rows are ldc apart.
	tile func(c []T, ldc int, a, b []T)
	pool *sync.Pool
}

func tilesOf[T number](rows, columns int, tile func(c []T, ldc int, a, b []T)) tiles[T] {
	return tiles[T]{rows, columns, tile, &sync.Pool{New: func() any { return new(packs[T]) }}}
}

// Multiply sets c, row by row, to a*b; with add it adds a*b to it. C must not
// share memory with a or b.
func Multiply(c []float32, a, b Matrix, add bool) { best.multiply(c, a, b, add) }

func (p *path) multiply(c []float32, a, b Matrix, add bool) {
	m, k := a.shape()
	depth, n := b.shape()
	check(c, m, k, a, depth, n, len(b.Data))
	if !add {
		clear(c)
	}
	if m <= fewRows {
		multiplyFew(c, a, b, p.dot, p.axpy)
		return
	}
	p.add(c, n, a, b, 0, m, 0, n)
}

// The sizes of the parts of a product of float64.
const (
	partRows    = 4 * blockRows
	partColumns = 128
)

// Doubles returns how many parts c = a*b has, row by row, and what computes a part. Parts may be computed in any order
// and at the same time. C must not share memory with a or b.
func Doubles(c []float64, a, b MatrixOf[float64]) (parts int, part func(i int)) {
	return best.doubles(c, a, b)
}

func (p *path) doubles(c []float64, a, b MatrixOf[float64]) (parts int, part func(i int)) {
	m, k := a.shape()
	depth, n := b.shape()
	check(c, m, k, a, depth, n, len(b.Data))
	if m <= fewRows {
		return 1, func(int) {
			clear(c)
			multiplyFew(c, a, b, dotGo, axpyGo)
		}
	}
	across := (n + partColumns - 1) / partColumns
	return across * ((m + partRows - 1) / partRows), func(i int) {
		i0, j0 := i/across*partRows, i%across*partColumns
		i1, j1 := min(i0+partRows, m), min(j0+partColumns, n)
		for row := i0; row < i1; row++ {
			clear(c[row*n+j0 : row*n+j1])
		}
		p.double.add(c, n, a, b, i0, i1, j0, j1)
	}
}

// add adds to c, of rows of n, the product of the rows from i0 to i1 of a, and the columns from j0 to j1 of b.
func (p *tiles[T]) add(c []T, n int, a, b MatrixOf[T], i0, i1, j0, j1 int) {
	_, k := a.shape()
	s := p.pool.Get().(*packs[T])
	defer p.pool.Put(s)
	s.b = grown(s.b, p.strips(j1-j0)*p.columns*min(k, blockDepth))
	for k0 := 0; k0 < k; k0 += blockDepth {
		kc := min(blockDepth, k-k0)
		p.packColumns(s.b, b, k0, kc, j0, j1)
		p.multiplyBlock(c, n, a, s, s.b, k0, kc, i0, i1, j0, j1)
	}
}

// check panics unless the shapes fit.
func check[T number](c []T, m, k int, a MatrixOf[T], depth, n, values int) {
	if depth != k || len(c) != m*n || len(a.Data) != m*k || values != k*n {
		panic(fmt.Sprintf("BUG: kernel: %d x %d times %d x %d into %d values", m, k, depth, n, len(c)))
	}
}

// multiplyBlock adds to the part of c the product of kc columns of a, from k0, and of packed rows.
func (p *tiles[T]) multiplyBlock(c []T, n int, a MatrixOf[T], s *packs[T], packed []T, k0, kc, i0, i1, j0, j1 int) {
	s.a = grown(s.a, blockRows*kc)
	for ; i0 < i1; i0 += blockRows {
		mc := min(blockRows, i1-i0)
		p.packRows(s.a, a, i0, mc, k0, kc)
		for j := j0; j < j1; j += p.columns {
			strip := packed[(j-j0)*kc:][:p.columns*kc]
			for i := 0; i < mc; i += p.rows {
				p.block(c, n, i0+i, min(p.rows, mc-i), j, min(p.columns, j1-j), s.a[i*kc:][:p.rows*kc], strip, &s.edge)
			}
		}
	}
}

// multiplyFew adds a*b to c, a row of b after the other, or a column.
func multiplyFew[T number](c []T, a, b MatrixOf[T], dot func(x, y []T) T, axpy func(to []T, a T, x []T)) {
	m, k := a.shape()
	_, n := b.shape()
	if a.Transposed && m > 1 {
		rows := make([]T, m*k)
		for i := range rows {
			rows[i] = a.Data[i%k*m+i/k]
		}
		a = M(rows, k)
	}
	for i := range m {
		x, y := a.Data[i*k:][:k], c[i*n:][:n]
		if b.Transposed {
			for j := range y {
				y[j] += dot(x, b.Data[j*k:][:k])
			}
			continue
		}
		for l, v := range x {
			axpy(y, v, b.Data[l*n:][:n])
		}
	}
}

// A Packed is a matrix on the right that is multiplied often: its packing is kept.
type Packed struct {
	path *path
	k, n int
	data []float32 // block after block of rows
}

// Pack packs a matrix. It reads b at once.
func Pack(b Matrix) *Packed { return best.pack(b) }

func (p *path) pack(b Matrix) *Packed {
	k, n := b.shape()
	packed := &Packed{path: p, k: k, n: n, data: make([]float32, p.strips(n)*p.columns*k)}
	for k0 := 0; k0 < k; k0 += blockDepth {
		p.packColumns(packed.data[p.strips(n)*p.columns*k0:], b, k0, min(blockDepth, k-k0), 0, n)
	}
	return packed
}

// Multiply sets c, row by row, to a*b; with add it adds a*b to it. C must not share
// memory with a. It may be called from several goroutines.
func (b *Packed) Multiply(c []float32, a Matrix, add bool) {
	m, k := a.shape()
	check(c, m, k, a, b.k, b.n, b.k*b.n)
	if !add {
		clear(c)
	}
	p := b.path
	s := p.pool.Get().(*packs[float32])
	defer p.pool.Put(s)
	for k0 := 0; k0 < k; k0 += blockDepth {
		p.multiplyBlock(c, b.n, a, s, b.data[p.strips(b.n)*p.columns*k0:], k0, min(blockDepth, k-k0), 0, m, 0, b.n)
	}
}

// strips is how many strips n columns fill.
func (p *tiles[T]) strips(n int) int { return (n + p.columns - 1) / p.columns }

// block adds the product of two strips to the tile of c at (i, j), by way of edge if c ends in it.
func (p *tiles[T]) block(c []T, n, i, rows, j, columns int, a, b []T, edge *[maxTile]T) {
	if rows == p.rows && columns == p.columns {
		p.tile(c[i*n+j:], n, a, b)
		return
	}
	clear(edge[:p.rows*p.columns])
	p.tile(edge[:p.rows*p.columns], p.columns, a, b)
	for r := range rows {
		row := c[(i+r)*n+j:][:columns]
		for k, v := range edge[r*p.columns:][:columns] {
			row[k] += v
		}
	}
}

// packRows packs mc rows from i0, kc columns from k0, in strips of p.rows rows:
// column after column of a strip. Rows that are missing are zeros.
func (p *tiles[T]) packRows(to []T, m MatrixOf[T], i0, mc, k0, kc int) {
	for i := 0; i < mc; i += p.rows {
		strip := to[i*kc:][:p.rows*kc]
		if m.Transposed { // the columns of a strip lie together
			n := min(p.rows, mc-i)
			for k := range kc {
				column := strip[k*p.rows:][:p.rows]
				copy(column, m.Data[(k0+k)*m.Columns+i0+i:][:n])
				clear(column[n:])
			}
			continue
		}
		for r := range p.rows {
			if i+r >= mc {
				for k := range kc {
					strip[k*p.rows+r] = 0
				}
				continue
			}
			for k, v := range m.Data[(i0+i+r)*m.Columns+k0:][:kc] {
				strip[k*p.rows+r] = v
			}
		}
	}
}

// packColumns packs the columns from j0 to j1, kc rows from k0, in strips of p.columns
// columns: row after row of a strip. Columns that are missing are zeros.
func (p *tiles[T]) packColumns(to []T, m MatrixOf[T], k0, kc, j0, j1 int) {
	for j := j0; j < j1; j += p.columns {
		strip := to[(j-j0)*kc:][:p.columns*kc]
		columns := min(p.columns, j1-j)
		if columns < p.columns {
			clear(strip)
		}
		if m.Transposed {
			for c := range columns {
				for k, v := range m.Data[(j+c)*m.Columns+k0:][:kc] {
					strip[k*p.columns+c] = v
				}
			}
			continue
		}
		for k := range kc {
			copy(strip[k*p.columns:][:columns], m.Data[(k0+k)*m.Columns+j:])
		}
	}
}

// grown returns a slice of n values, v if it is large enough.
func grown[T number](v []T, n int) []T {
	if cap(v) < n {
		return make([]T, n)
	}
	return v[:n]
}
