package trajectory

import (
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/wmtune/wmtune/dataset/internal/arrowio"
)

func appendState(t *tableWriter, id []byte, text []byte) error {
	t.Field(0).(*array.FixedSizeBinaryBuilder).Append(id)
	t.Field(1).(*array.StringBuilder).BinaryBuilder.Append(text)
	return t.row()
}

func appendAction(t *tableWriter, a *Action) error {
	arrowio.Append([]any{string(a.Kind), a.Text}, t.Field)
	b := t.Field(2).(*array.FixedSizeListBuilder)
	b.Append(true)
	b.ValueBuilder().(*array.Float32Builder).AppendValues(a.Vector, nil)
	return t.row()
}

// append appends a row whose cells are given.
func (t *tableWriter) append(cells []any) error {
	arrowio.Append(cells, t.Field)
	return t.row()
}
