// Package arrowio keeps Arrow's readers from harm: they allocate, index and slice by
// numbers that they read from a file. It must not know what the files hold.
package arrowio

import (
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// MaxExpanded bounds the bytes of a compressed batch once it is expanded.
const MaxExpanded = 256 << 20

// An Allocator gives Arrow so many bytes: memory that is not there cannot be recovered
// from.
type Allocator struct{ Left int }

// Allocate implements memory.Allocator. It panics when too much is asked for.
func (a *Allocator) Allocate(size int) []byte {
	if size < 0 || size > a.Left {
		panic(fmt.Sprintf("a buffer of %d bytes, where %d are left of what it may take", size, a.Left))
	}
	a.Left -= size
	return memory.DefaultAllocator.Allocate(size)
}

// Reallocate implements memory.Allocator.
func (a *Allocator) Reallocate(size int, b []byte) []byte {
	if size <= len(b) {
		return b[:size]
	}
	n := a.Allocate(size)
	copy(n, b)
	return n
}

// Free implements memory.Allocator.
func (a *Allocator) Free([]byte) {}

// Recover turns a panic of Arrow's into an error.
func Recover(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("it does not decode: %v", p)
	}
}

// CheckBatch checks that what the arrays of a batch refer to is there, so that reading
// their values cannot panic, and that lists do not overlap, so that all values of all
// rows are no more than the batch holds.
func CheckBatch(batch arrow.Record) error {
	for i, col := range batch.Columns() {
		if int64(col.Len()) != batch.NumRows() {
			return fmt.Errorf("column %s has %d rows of %d", batch.ColumnName(i), col.Len(), batch.NumRows())
		}
		if err := check(col.Data()); err != nil {
			return fmt.Errorf("column %s: %w", batch.ColumnName(i), err)
		}
	}
	return nil
}

func check(d arrow.ArrayData) error {
	end := d.Offset() + d.Len()
	if d.Len() < 0 || d.Offset() < 0 || end < 0 {
		return fmt.Errorf("it has %d values from %d on", d.Len(), d.Offset())
	}
	if bits := buffer(d, 0); d.NullN() != 0 && bits != nil && len(bits) < (end+7)/8 {
		return fmt.Errorf("the mask of %d values has %d bytes", end, len(bits))
	}
	var child int64 = -1 // how many values a child must have
	switch t := d.DataType().(type) {
	case *arrow.StringType, *arrow.ListType:
		last, err := checkOffsets(buffer(d, 1), d.Offset(), d.Len())
		if err != nil {
			return err
		}
		if child = last; t.ID() == arrow.STRING {
			child = -1
			if text := buffer(d, 2); last > int64(len(text)) {
				return fmt.Errorf("texts end at byte %d of %d", last, len(text))
			}
		}
	case *arrow.FixedSizeListType:
		child = int64(end) * int64(t.Len())
	case *arrow.StructType:
		child = int64(end)
	case arrow.FixedWidthDataType:
		if have := buffer(d, 1); int64(len(have))*8 < int64(end)*int64(t.BitWidth()) {
			return fmt.Errorf("%d values in %d bytes", end, len(have))
		}
	default:
		return fmt.Errorf("it is of type %s", t)
	}
	for _, c := range d.Children() {
		if int64(c.Len()) < child {
			return fmt.Errorf("it refers to %d values of %d", child, c.Len())
		}
		if err := check(c); err != nil {
			return err
		}
	}
	return nil
}

func buffer(d arrow.ArrayData, i int) []byte {
	if b := d.Buffers(); i < len(b) && b[i] != nil {
		return b[i].Bytes()
	}
	return nil
}

// checkOffsets checks that offsets do not go back, and returns the last.
func checkOffsets(raw []byte, from, n int) (last int64, err error) {
	if n == 0 {
		return 0, nil
	}
	offsets := arrow.Int32Traits.CastFromBytes(raw[:len(raw)/4*4])
	if len(offsets) < from+n+1 {
		return 0, fmt.Errorf("%d offsets of %d rows", len(offsets), from+n)
	}
	for _, o := range offsets[from : from+n+1] {
		if int64(o) < last {
			return 0, fmt.Errorf("offset %d follows offset %d", o, last)
		}
		last = int64(o)
	}
	return last, nil
}
