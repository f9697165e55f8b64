// Package kernel multiplies matrices of float32 for the networks of wmtune, and
// computes what stands between the products: softmax, GELU, tanh, LayerNorm. It is
// in AVX-512 or AVX2 assembly where the processor has it, in Go elsewhere.
//
// One call runs on one goroutine; callers that train several networks at a time
// use all cores. Sums are in a fixed order, so results do not depend on anything
// but the operands and the path: the paths round differently.
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

// A Matrix is rows of float32, one after the other.
type Matrix struct {
	Data          []float32
	Rows, Columns int
	Transposed    bool // what is meant is the transpose: Columns x Rows
}

// M returns a matrix of so many columns.
func M(data []float32, columns int) Matrix {
	if columns < 1 || len(data)%columns != 0 {
		panic(fmt.Sprintf("BUG: kernel: %d values in rows of %d", len(data), columns))
	}
	return Matrix{Data: data, Rows: len(data) / columns, Columns: columns}
}

// T returns the transpose, of the same data.
func (m Matrix) T() Matrix {
	m.Transposed = !m.Transposed
	return m
}

func (m Matrix) shape() (rows, columns int) {
	if m.Transposed {
		return m.Columns, m.Rows
	}
	return m.Rows, m.Columns
}

// packs are the packed blocks of a multiplication, and a tile that c ends in.
type packs struct {
	a, b []float32
	edge [maxTile]float32
}

var pool = sync.Pool{New: func() any { return new(packs) }}

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
		p.multiplyFew(c, a, b)
		return
	}
	s := pool.Get().(*packs)
	defer pool.Put(s)
	s.b = grown(s.b, p.strips(n)*p.columns*min(k, blockDepth))
	for k0 := 0; k0 < k; k0 += blockDepth {
		kc := min(blockDepth, k-k0)
		p.packColumns(s.b, b, k0, kc, n)
		p.multiplyBlock(c, a, s, s.b, k0, kc, n)
	}
}

// check panics unless the shapes fit.
func check(c []float32, m, k int, a Matrix, depth, n, values int) {
	if depth != k || len(c) != m*n || len(a.Data) != m*k || values != k*n {
		panic(fmt.Sprintf("BUG: kernel: %d x %d times %d x %d into %d values", m, k, depth, n, len(c)))
	}
}

// multiplyBlock adds to c the product of kc columns of a, from k0, and of packed rows.
func (p *path) multiplyBlock(c []float32, a Matrix, s *packs, packed []float32, k0, kc, n int) {
	m, _ := a.shape()
	s.a = grown(s.a, blockRows*kc)
	for i0 := 0; i0 < m; i0 += blockRows {
		mc := min(blockRows, m-i0)
		p.packRows(s.a, a, i0, mc, k0, kc)
		for j0 := 0; j0 < n; j0 += p.columns {
			strip := packed[j0*kc:][:p.columns*kc]
			for i := 0; i < mc; i += p.rows {
				p.block(c, n, i0+i, min(p.rows, mc-i), j0, min(p.columns, n-j0), s.a[i*kc:][:p.rows*kc], strip, &s.edge)
			}
		}
	}
}

// multiplyFew adds a*b to c, a row of b after the other, or a column.
func (p *path) multiplyFew(c []float32, a, b Matrix) {
	m, k := a.shape()
	_, n := b.shape()
	if a.Transposed && m > 1 {
		rows := make([]float32, m*k)
		for i := range rows {
			rows[i] = a.Data[i%k*m+i/k]
		}
		a = M(rows, k)
	}
	for i := range m {
		x, y := a.Data[i*k:][:k], c[i*n:][:n]
		if b.Transposed {
			for j := range y {
				y[j] += p.dot(x, b.Data[j*k:][:k])
			}
			continue
		}
		for l, v := range x {
			p.axpy(y, v, b.Data[l*n:][:n])
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
		p.packColumns(packed.data[p.strips(n)*p.columns*k0:], b, k0, min(blockDepth, k-k0), n)
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
	s := pool.Get().(*packs)
	defer pool.Put(s)
	for k0 := 0; k0 < k; k0 += blockDepth {
		b.path.multiplyBlock(c, a, s, b.data[b.path.strips(b.n)*b.path.columns*k0:], k0, min(blockDepth, k-k0), b.n)
	}
}

// strips is how many strips n columns fill.
func (p *path) strips(n int) int { return (n + p.columns - 1) / p.columns }

// block adds the product of two strips to the tile of c at (i, j), by way of edge if c ends in it.
func (p *path) block(c []float32, n, i, rows, j, columns int, a, b []float32, edge *[maxTile]float32) {
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
func (p *path) packRows(to []float32, m Matrix, i0, mc, k0, kc int) {
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

// packColumns packs all n columns, kc rows from k0, in strips of p.columns
// columns: row after row of a strip. Columns that are missing are zeros.
func (p *path) packColumns(to []float32, m Matrix, k0, kc, n int) {
	for j := 0; j < n; j += p.columns {
		strip := to[j*kc:][:p.columns*kc]
		columns := min(p.columns, n-j)
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
func grown(v []float32, n int) []float32 {
	if cap(v) < n {
		return make([]float32, n)
	}
	return v[:n]
}
