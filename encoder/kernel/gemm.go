package kernel

import (
	"fmt"
	"sync"
)

// The sizes of a register tile, and of the blocks of the operands that stay in the
// first two levels of cache while they are used.
const (
	tileRows    = 6
	tileColumns = 16
	blockRows   = 16 * tileRows
	blockDepth  = 256
)

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

// packs are the packed blocks of a multiplication.
type packs struct{ a, b []float32 }

var pool = sync.Pool{New: func() any { return new(packs) }}

// Multiply sets c, row by row, to a*b; with add it adds a*b to it. C must not
// share memory with a or b.
func Multiply(c []float32, a, b Matrix, add bool) {
	m, k := a.shape()
	depth, n := b.shape()
	if depth != k || len(c) != m*n || len(a.Data) != m*k || len(b.Data) != k*n {
		panic(fmt.Sprintf("BUG: kernel: %d x %d times %d x %d into %d values", m, k, depth, n, len(c)))
	}
	if !add {
		clear(c)
	}
	p := pool.Get().(*packs)
	defer pool.Put(p)
	strips := (n + tileColumns - 1) / tileColumns
	p.b = grown(p.b, strips*tileColumns*min(k, blockDepth))
	p.a = grown(p.a, blockRows*min(k, blockDepth))
	for k0 := 0; k0 < k; k0 += blockDepth {
		kc := min(blockDepth, k-k0)
		b.packColumns(p.b, k0, kc, n)
		for i0 := 0; i0 < m; i0 += blockRows {
			mc := min(blockRows, m-i0)
			a.packRows(p.a, i0, mc, k0, kc)
			for j0 := 0; j0 < n; j0 += tileColumns {
				strip := p.b[j0*kc:][:tileColumns*kc]
				for i := 0; i < mc; i += tileRows {
					block(c, n, i0+i, min(tileRows, mc-i), j0, min(tileColumns, n-j0), p.a[i*kc:][:tileRows*kc], strip)
				}
			}
		}
	}
}

// block adds the product of two strips to the tile of c at (i, j).
func block(c []float32, n, i, rows, j, columns int, a, b []float32) {
	if rows == tileRows && columns == tileColumns {
		tile(c[i*n+j:], n, a, b)
		return
	}
	var edge [tileRows * tileColumns]float32
	tile(edge[:], tileColumns, a, b)
	for r := range rows {
		row := c[(i+r)*n+j:][:columns]
		for k, v := range edge[r*tileColumns:][:columns] {
			row[k] += v
		}
	}
}

// packRows packs mc rows from i0, kc columns from k0, in strips of tileRows rows:
// column after column of a strip. Rows that are missing are zeros.
func (m Matrix) packRows(to []float32, i0, mc, k0, kc int) {
	for i := 0; i < mc; i += tileRows {
		strip := to[i*kc:][:tileRows*kc]
		for r := range tileRows {
			if i+r >= mc {
				for k := range kc {
					strip[k*tileRows+r] = 0
				}
				continue
			}
			if m.Transposed {
				at := k0*m.Columns + i0 + i + r
				for k := range kc {
					strip[k*tileRows+r] = m.Data[at+k*m.Columns]
				}
				continue
			}
			for k, v := range m.Data[(i0+i+r)*m.Columns+k0:][:kc] {
				strip[k*tileRows+r] = v
			}
		}
	}
}

// packColumns packs all n columns, kc rows from k0, in strips of tileColumns
// columns: row after row of a strip. Columns that are missing are zeros.
func (m Matrix) packColumns(to []float32, k0, kc, n int) {
	for j := 0; j < n; j += tileColumns {
		strip := to[j*kc:][:tileColumns*kc]
		columns := min(tileColumns, n-j)
		if columns < tileColumns {
			clear(strip)
		}
		if m.Transposed {
			for c := range columns {
				for k, v := range m.Data[(j+c)*m.Columns+k0:][:kc] {
					strip[k*tileColumns+c] = v
				}
			}
			continue
		}
		for k := range kc {
			copy(strip[k*tileColumns:][:columns], m.Data[(k0+k)*m.Columns+j:])
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

// tileGo is tile in Go.
func tileGo(c []float32, ldc int, a, b []float32) {
	var sum [tileRows * tileColumns]float32
	for len(a) >= tileRows && len(b) >= tileColumns {
		for r, x := range a[:tileRows] {
			row := sum[r*tileColumns:][:tileColumns]
			for k, y := range b[:tileColumns] {
				row[k] += x * y
			}
		}
		a, b = a[tileRows:], b[tileColumns:]
	}
	for r := range tileRows {
		row := c[r*ldc:][:tileColumns]
		for k := range row {
			row[k] += sum[r*tileColumns+k]
		}
	}
}
