package arrowio

import (
	"fmt"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
)

// A Cell is a variable that is written into a column in a way of its own.
type Cell interface {
	Append(b array.Builder)
	Read(col arrow.Array, row int) error
}

// Append appends a row. Its cells are in the order of the columns. A cell is a pointer to a variable, which Read sets;
// a text, which it does not; a Cell; or nil for null.
func Append(cells []any, column func(i int) array.Builder) {
	for i, cell := range cells {
		b := column(i)
		switch v := cell.(type) {
		case nil:
			b.AppendNull()
		case string:
			b.(*array.StringBuilder).Append(valid(v))
		case *string:
			b.(*array.StringBuilder).Append(valid(*v))
		case *int:
			if narrow, ok := b.(*array.Int32Builder); ok {
				narrow.Append(int32(*v))
			} else {
				b.(*array.Int64Builder).Append(int64(*v))
			}
		case *int64:
			b.(*array.Int64Builder).Append(*v)
		case *uint64:
			b.(*array.Uint64Builder).Append(*v)
		case *float64:
			b.(*array.Float64Builder).Append(*v)
		case *[]string:
			texts := list(b).(*array.StringBuilder)
			for _, text := range *v {
				texts.Append(valid(text))
			}
		case *[]int32:
			list(b).(*array.Int32Builder).AppendValues(*v, nil)
		case *[]int64:
			list(b).(*array.Int64Builder).AppendValues(*v, nil)
		case *[]float64:
			list(b).(*array.Float64Builder).AppendValues(*v, nil)
		case Cell:
			v.Append(b)
		default:
			panic(fmt.Sprintf("BUG: arrowio: a cell of type %T", cell))
		}
	}
}

// valid returns a text as Arrow's strings must be.
func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// list begins a list and returns the builder of its values.
func list(b array.Builder) array.Builder {
	l := b.(*array.ListBuilder)
	l.Append(true)
	return l.ValueBuilder()
}

// Read reads a row into the cells that Append wrote. Null leaves a variable as it is. Texts share the memory of the
// column.
func Read(cells []any, column func(i int) arrow.Array, row int) error {
	for i, cell := range cells {
		col := column(i)
		if len(col.NullBitmapBytes()) > (col.Data().Offset()+row)/8 && col.IsNull(row) { // a mask may be short
			continue
		}
		switch v := cell.(type) {
		case string:
		case *string:
			*v = col.(*array.String).Value(row)
		case *int:
			if narrow, ok := col.(*array.Int32); ok {
				*v = int(narrow.Value(row))
			} else {
				*v = int(col.(*array.Int64).Value(row))
			}
		case *int64:
			*v = col.(*array.Int64).Value(row)
		case *uint64:
			*v = col.(*array.Uint64).Value(row)
		case *float64:
			*v = col.(*array.Float64).Value(row)
		case *[]string:
			values, from, to := listed[*array.String](col, row)
			*v = nil
			for k := from; k < to; k++ {
				*v = append(*v, values.Value(int(k)))
			}
		case *[]int32:
			values, from, to := listed[*array.Int32](col, row)
			*v = append([]int32(nil), values.Int32Values()[from:to]...)
		case *[]int64:
			values, from, to := listed[*array.Int64](col, row)
			*v = append([]int64(nil), values.Int64Values()[from:to]...)
		case *[]float64:
			values, from, to := listed[*array.Float64](col, row)
			*v = append([]float64(nil), values.Float64Values()[from:to]...)
		case Cell:
			if err := v.Read(col, row); err != nil {
				return err
			}
		default:
			panic(fmt.Sprintf("BUG: arrowio: a cell of type %T", cell))
		}
	}
	return nil
}

// listed returns the values of a column of lists, and which of them a row has.
func listed[T arrow.Array](col arrow.Array, row int) (values T, from, to int64) {
	l := col.(*array.List)
	from, to = l.ValueOffsets(row)
	return l.ListValues().(T), from, to
}

// Struct is the cell of a column of structs: the cells of its fields.
type Struct []any

// Append implements Cell.
func (s Struct) Append(b array.Builder) {
	of := b.(*array.StructBuilder)
	of.Append(true)
	Append(s, of.FieldBuilder)
}

// Read implements Cell.
func (s Struct) Read(col arrow.Array, row int) error { return Read(s, col.(*array.Struct).Field, row) }

// Named is the cell of a value that is written by its name.
func Named[T fmt.Stringer](value *T, parse func(string) (T, error)) Cell {
	return named[T]{value, parse}
}

type named[T fmt.Stringer] struct {
	value *T
	parse func(string) (T, error)
}

func (n named[T]) Append(b array.Builder) { b.(*array.StringBuilder).Append((*n.value).String()) }

func (n named[T]) Read(col arrow.Array, row int) (err error) {
	*n.value, err = n.parse(col.(*array.String).Value(row))
	return err
}
