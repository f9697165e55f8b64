package onnx

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir"
)

// elementType returns the type of a number. An unsupported one is an *unsupportedError.
func elementType(id uint64) (graph.Element, error) {
	e, ok := graph.ElementOf(int64(min(id, math.MaxInt64)))
	switch {
	case !ok:
		return e, fmt.Errorf("damaged: there is no element type %d", id)
	case e.Type == tir.Invalid:
		return e, &unsupportedError{"of type " + e.Name, e.Name == "string"}
	}
	return e, nil
}

// numberField returns the field of a tensor that has the numbers of a type, where they are not raw bytes.
func numberField(t tir.DType) protowire.Number {
	switch t {
	case tir.F32:
		return tensorFloats
	case tir.F64:
		return tensorDoubles
	case tir.I64:
		return tensorInt64s
	case tir.U32, tir.U64:
		return tensorUint64s
	}
	return tensorInt32s
}

// A tensor is a TensorProto before its data is read.
type tensor struct {
	message  []byte
	element  uint64
	name     string
	shape    []int64
	raw      []byte
	hasRaw   bool
	external bool
	location []pair

	counts [tensorUint64s + 1]int // numbers in each field of data
}

type pair struct{ key, value string }

// tensorHead reads all but numbers in fields of their own.
func (d *decoder) tensorHead(b []byte) (*tensor, error) {
	t := &tensor{message: b}
	return t, d.fields(b, tensorFields, func(x field) error {
		switch x.number {
		case tensorDims:
			return x.each(numbers, func(v uint64) error {
				if len(t.shape) == graph.MaxRank {
					return fmt.Errorf("damaged: more than %d dimensions", graph.MaxRank)
				}
				t.shape = append(t.shape, int64(v))
				return nil
			})
		case tensorElement:
			t.element = x.value
		case tensorSegment:
			return &unsupportedError{what: "a tensor in segments"}
		case tensorName:
			t.name = string(x.bytes)
			return d.spend(len(t.name))
		case tensorRaw:
			if t.hasRaw {
				return errors.New("damaged: its data is there twice")
			}
			t.raw, t.hasRaw = x.bytes, true
		case tensorExternal:
			if len(t.location) == 16 {
				return errors.New("damaged: more than 16 entries say where its data is")
			}
			p, err := d.pair(x.bytes)
			t.location = append(t.location, p)
			return err
		case tensorLocation:
			t.external = x.value == 1
		default:
			n, err := x.count(tensorFields[x.number])
			t.counts[x.number] += n
			return err
		}
		return nil
	})
}

// elems checks a shape and returns the number of its elements.
func elems(shape []int64) (int64, error) {
	if err := graph.CheckShape(shape); err != nil {
		return 0, fmt.Errorf("damaged: its shape is %v: %w", shape, err)
	}
	return graph.Elems(shape), nil
}

// constant reads a TensorProto. One message is read once; the data is part of it where that is possible.
func (d *decoder) constant(b []byte) (*graph.Const, string, error) {
	t, err := d.tensorHead(b)
	if err != nil {
		return nil, t.name, err
	}
	if len(b) == 0 {
		return nil, "", errors.New("damaged: an empty tensor")
	}
	if c := d.constants[&b[0]]; c != nil {
		return c, t.name, nil
	}
	if err := d.spend(costConst); err != nil {
		return nil, t.name, err
	}
	c, err := d.contents(t)
	if err == nil {
		d.constants[&b[0]] = c
	}
	return c, t.name, err
}

func (d *decoder) contents(t *tensor) (*graph.Const, error) {
	e, err := elementType(t.element)
	if err != nil {
		return nil, err
	}
	n, err := elems(t.shape)
	if err != nil {
		return nil, err
	}
	narrow := e.Narrow()
	c := &graph.Const{Type: e.Type, Shape: t.shape, Narrow: narrow}
	elements, size := n, n*int64(e.Type.Bytes())
	if narrow != nil { // in the file they are bytes
		n = (n*e.Bits + 7) / 8
		size, e.Type = n, tir.U8
	}
	count := 0
	for id, n := range t.counts {
		if n > 0 && protowire.Number(id) != numberField(e.Type) {
			return nil, fmt.Errorf("damaged: data of another type than %s", e.Name)
		}
		count += n
	}
	switch {
	case t.external:
		if t.hasRaw || count > 0 {
			return nil, errors.New("damaged: its data is there twice, in the file and outside of it")
		}
		c.Data, err = d.externalData(t.location, size)
	case t.hasRaw && count > 0:
		return nil, errors.New("damaged: its data is there twice")
	case count > 0 || !t.hasRaw:
		if int64(count) != n {
			return nil, fmt.Errorf("damaged: the shape %v does not fit %d numbers", t.shape, count)
		}
		c.Data, err = d.numbers(t, e, int(size))
	default:
		c.Data = t.raw
	}
	if err != nil {
		return nil, err
	}
	if int64(len(c.Data)) != size {
		return nil, fmt.Errorf("damaged: the shape %v of %s does not fit %d bytes", t.shape, e.Name, len(c.Data))
	}
	if narrow != nil {
		if err := d.spend(int(elements) * c.Type.Bytes()); err != nil {
			return nil, err
		}
		c.Data = unpacked(c.Data, narrow, elements)
	}
	if c.Type == tir.Bool {
		return c, d.truth(c)
	}
	return c, nil
}

// unpacked returns the numbers of n elements that lie packed, the first in the lowest bits, as their type holds them.
func unpacked(data []byte, e *graph.Element, n int64) []byte {
	codes := make([][]byte, 1<<e.Bits)
	for code := range codes {
		codes[code] = graph.Scalar(e.Type, e.Number(int64(code))).Const().Data
	}
	list := make([]byte, 0, n*int64(e.Type.Bytes()))
	for i := range n {
		b := data[i*e.Bits/8] >> (i * e.Bits % 8)
		list = append(list, codes[int(b)&(len(codes)-1)]...)
	}
	return list
}

// truth makes each byte of a constant of bools 0 or 1.
func (d *decoder) truth(c *graph.Const) error {
	for i := range c.Data {
		if c.Data[i] > 1 {
			if err := d.spend(len(c.Data)); err != nil {
				return err
			}
			data := make([]byte, len(c.Data))
			for k, v := range c.Data {
				data[k] = min(v, 1)
			}
			c.Data = data
			return nil
		}
	}
	return nil
}

// numbers returns as bytes what a field of numbers holds. Packed floats are those bytes already.
func (d *decoder) numbers(t *tensor, e graph.Element, size int) ([]byte, error) {
	var data []byte
	from := numberField(e.Type)
	packed := tensorFields[from]
	err := d.fields(t.message, message{from: packed}, func(x field) error {
		if data == nil {
			if len(x.bytes) == size && packed != numbers {
				data = x.bytes[:size:size]
				return nil
			}
			if err := d.spend(size); err != nil {
				return err
			}
			data = make([]byte, 0, size)
		}
		return x.each(packed, func(v uint64) (err error) {
			switch packed {
			case singles:
				data = binary.LittleEndian.AppendUint32(data, uint32(v))
			case doubles:
				data = binary.LittleEndian.AppendUint64(data, v)
			default:
				data, err = appendInt(data, e, v)
			}
			return err
		})
	})
	return data, err
}

// appendInt appends an element that a field of integers holds.
func appendInt(data []byte, e graph.Element, v uint64) ([]byte, error) {
	if numberField(e.Type) == tensorInt32s {
		v = uint64(int64(int32(v))) // as protobuf reads an int32
	}
	low, high := int64(math.MinInt64), int64(math.MaxInt64)
	switch e.Type {
	case tir.I8:
		low, high = math.MinInt8, math.MaxInt8
	case tir.U8:
		low, high = 0, math.MaxUint8
	case tir.I16:
		low, high = math.MinInt16, math.MaxInt16
	case tir.U16:
		low, high = 0, math.MaxUint16
	case tir.F16, tir.BF16: // bits, which some programs write as int16
		low, high = math.MinInt16, math.MaxUint16
	case tir.U32:
		low, high = 0, math.MaxUint32
	case tir.Bool:
		if v != 0 {
			v = 1
		}
	}
	if i := int64(v); i < low || i > high {
		return data, fmt.Errorf("damaged: the number %d is no %s", i, e.Name)
	}
	for range e.Type.Bytes() {
		data = append(data, byte(v))
		v >>= 8
	}
	return data, nil
}

// DecodeTensor returns the tensor of a file that holds nothing else (a TensorProto), as ONNX's test data has them.
func DecodeTensor(b []byte) (*graph.Tensor, error) {
	d := newDecoder(b, Options{})
	c, name, err := d.constant(b)
	if err != nil {
		return nil, fmt.Errorf("onnx: tensor %q: %w", name, err)
	}
	return c.Tensor(), nil
}
