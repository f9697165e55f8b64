package arrowio

import (
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

func ints(list ...int32) *memory.Buffer {
	return memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(list))
}

// Arrays whose parts do not fit are found before they are read: lists that overlap,
// so that few bytes are many values, and references to what is not there.
func TestCheckBatch(t *testing.T) {
	int32s := func(n int, list ...int32) arrow.ArrayData {
		return array.NewData(arrow.PrimitiveTypes.Int32, n, []*memory.Buffer{nil, ints(list...)}, nil, 0, 0)
	}
	lists := func(child arrow.ArrayData, offsets ...int32) arrow.ArrayData {
		return array.NewData(arrow.ListOf(arrow.PrimitiveTypes.Int32), len(offsets)-1, []*memory.Buffer{nil, ints(offsets...)},
			[]arrow.ArrayData{child}, 0, 0)
	}
	pairs := arrow.FixedSizeListOf(2, arrow.PrimitiveTypes.Int32)
	pair := arrow.StructOf(arrow.Field{Name: "a", Type: arrow.PrimitiveTypes.Int32})
	for name, c := range map[string]struct {
		data arrow.ArrayData
		want string
	}{
		"good":           {lists(int32s(3, 1, 2, 3), 0, 0, 2, 3), ""},
		"overlap":        {lists(int32s(3, 1, 2, 3), 0, 3, 0, 3), "offset 0 follows offset 3"},
		"negative":       {lists(int32s(3, 1, 2, 3), -5, 0, 3), "offset -5 follows offset 0"},
		"behind the end": {lists(int32s(3, 1, 2, 3), 0, 3, 4), "it refers to 4 values of 3"},
		"few values":     {int32s(3, 1, 2), "3 values in 8 bytes"},
		"deep":           {lists(int32s(3, 1, 2), 0, 3), "3 values in 8 bytes"},
		"few pairs": {array.NewData(pairs, 2, []*memory.Buffer{nil}, []arrow.ArrayData{int32s(3, 1, 2, 3)}, 0, 0),
			"it refers to 4 values of 3"},
		"few fields": {array.NewData(pair, 2, []*memory.Buffer{nil}, []arrow.ArrayData{int32s(1, 1)}, 0, 0), "it refers to 2 values of 1"},
		"few offsets": {array.NewData(arrow.BinaryTypes.String, 3, []*memory.Buffer{nil, ints(0, 1, 2), memory.NewBufferBytes([]byte("abc"))}, nil, 0, 0),
			"3 offsets of 3 rows"},
		"text": {array.NewData(arrow.BinaryTypes.String, 2, []*memory.Buffer{nil, ints(0, 1, 9), memory.NewBufferBytes([]byte("abc"))}, nil, 0, 0),
			"texts end at byte 9 of 3"},
		"mask": {array.NewData(arrow.PrimitiveTypes.Int32, 9, []*memory.Buffer{memory.NewBufferBytes([]byte{1}), ints(make([]int32, 9)...)}, nil, 1, 0),
			"the mask of 9 values has 1 bytes"},
		"slice": {array.NewData(arrow.PrimitiveTypes.Int32, 2, []*memory.Buffer{nil, ints(1, 2)}, nil, 0, 1), "3 values in 8 bytes"},
	} {
		err := check(c.data)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}
