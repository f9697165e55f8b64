package compile

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"unsafe"

	"github.com/wmtune/wmtune/codegen/model"
	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/spell"
)

// kinds are the kinds of Go's elements. Go has no floats of 16 bits: a uint16 has the bits of one.
var kinds = map[tir.DType]reflect.Type{
	tir.Bool: reflect.TypeFor[bool](),
	tir.I8:   reflect.TypeFor[int8](), tir.I16: reflect.TypeFor[int16](),
	tir.I32: reflect.TypeFor[int32](), tir.I64: reflect.TypeFor[int64](),
	tir.U8: reflect.TypeFor[uint8](), tir.U16: reflect.TypeFor[uint16](),
	tir.U32: reflect.TypeFor[uint32](), tir.U64: reflect.TypeFor[uint64](),
	tir.F16: reflect.TypeFor[uint16](), tir.BF16: reflect.TypeFor[uint16](),
	tir.F32: reflect.TypeFor[float32](), tir.F64: reflect.TypeFor[float64](),
}

// Run computes the outputs for inputs. Both are slices by the names of the model: []float32 for float32, []int64 for
// int64 and so on; []uint16 has the bits of float16 and bfloat16. Elements are dense and row-major, their number is
// that of the shape. Each input must be there. Run copies: the caller may change what it gave, and owns what it gets.
// An output whose length depends on data has as many elements as Shape then says.
//
// A bundle of several plans takes the one that the numbers of elements tell, or the one of SetExtents.
//
// A cancelled context ends the call and the bundle's worker: open the bundle again after it.
func (b *Bundle) Run(ctx context.Context, inputs map[string]any) (map[string]any, error) {
	if err := b.Set(inputs); err != nil {
		return nil, err
	}
	list, err := b.RunSet(ctx)
	if err != nil {
		return nil, err
	}
	outputs := map[string]any{}
	for i, c := range list {
		outputs[b.outputs[i].Name] = portValues(c)
	}
	return outputs, nil
}

// Set gives the bundle its inputs, as Run takes them. The error lists all that is wrong; then no input has changed.
func (b *Bundle) Set(inputs map[string]any) error {
	if err := b.fit(inputs); err != nil {
		return err
	}
	var wrong, names []string
	for _, p := range b.inputs {
		names = append(names, p.Name)
		if _, ok := inputs[p.Name]; !ok {
			wrong = append(wrong, fmt.Sprintf("input %s is missing: want []%v, %s%v", p.Name, kinds[p.Type], p.Type, p.Shape))
		}
	}
	data := make([][]byte, len(b.inputs))
	for _, name := range slices.Sorted(maps.Keys(inputs)) {
		i := slices.Index(names, name)
		if i < 0 {
			wrong = append(wrong, fmt.Sprintf("there is no input called %s%s", name, spell.Hint(name, names)))
			continue
		}
		var err error
		if data[i], err = portBytes(inputs[name], b.inputs[i]); err != nil {
			wrong = append(wrong, err.Error())
		}
	}
	if wrong != nil {
		return fmt.Errorf("inputs of %s: %s", b.Result.Name, strings.Join(wrong, "; "))
	}
	for i, d := range data {
		copy(b.loaded.Input(i), d)
	}
	return nil
}

// Shape returns the shape of an input or an output by its name; nil if there is none. The shape of an output that
// depends on data is that of the last run.
func (b *Bundle) Shape(name string) []int64 {
	for i, p := range b.outputs {
		if p.Name == name {
			return b.loaded.Shape(i)
		}
	}
	if i := slices.IndexFunc(b.inputs, func(p model.Port) bool { return p.Name == name }); i >= 0 {
		return slices.Clone(b.inputs[i].Shape)
	}
	return nil
}

// portBytes returns the memory of a slice that has the elements of an input.
func portBytes(value any, p model.Port) ([]byte, error) {
	v, elems := reflect.ValueOf(value), graph.Elems(p.Shape)
	switch {
	case v.Kind() != reflect.Slice || v.Type().Elem().Kind() != kinds[p.Type].Kind():
		return nil, fmt.Errorf("input %s takes []%v, since it is %s%v, not %T", p.Name, kinds[p.Type], p.Type, p.Shape, value)
	case int64(v.Len()) != elems:
		return nil, fmt.Errorf("input %s is %s%v: want %d elements, not %d", p.Name, p.Type, p.Shape, elems, v.Len())
	}
	return unsafe.Slice((*byte)(v.UnsafePointer()), v.Len()*p.Type.Bytes()), nil
}

// portValues returns the elements of a tensor as a slice.
func portValues(c *graph.Const) any {
	n := len(c.Data) / c.Type.Bytes()
	v := reflect.MakeSlice(reflect.SliceOf(kinds[c.Type]), n, n)
	copy(unsafe.Slice((*byte)(v.UnsafePointer()), len(c.Data)), c.Data)
	return v.Interface()
}
