package onnx

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	onnxgo "github.com/owulveryck/onnx-go"
	"google.golang.org/protobuf/encoding/protowire"
)

// A File is the metadata and the weights of a network that Builder wrote.
type File struct {
	meta    map[string]string
	weights map[string]weight
}

// A weight is a constant tensor of floats.
type weight struct {
	shape []int
	data  []float32
}

// Load reads the bytes that Builder wrote. Whatever the bytes are, it returns an error or a file, and takes no more
// memory than a small multiple of their number. It skips the nodes: the checksum says that Builder wrote them, and the
// caller knows which network they are from the metadata.
func Load(b []byte) (*File, error) {
	if !sealed(b) {
		return nil, errors.New("onnx: the checksum is missing or wrong: the bytes are damaged, of another program or of an " +
			"older wmtune; copy the file again, or train it again")
	}
	f := &File{meta: map[string]string{}, weights: map[string]weight{}}
	err := fields(b, func(x field) error {
		switch x.number {
		case modelMeta:
			return f.readMeta(x.bytes)
		case modelGraph:
			return f.readGraph(x.bytes)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("onnx: the file is damaged: %w; copy it again, or train it again", err)
	}
	delete(f.meta, checksum)
	return f, nil
}

// sealed reports whether the bytes end with the checksum of those before it.
func sealed(b []byte) bool {
	var last message
	last.bytes(modelMeta, checksumPair(nil))
	before := len(b) - len(last)
	if before < 0 {
		return false
	}
	last = nil
	last.bytes(modelMeta, checksumPair(b[:before]))
	return bytes.Equal(last, b[before:])
}

// Meta returns the metadata of the file. The caller must not change it.
func (f *File) Meta() map[string]string { return f.meta }

// Weight returns a constant tensor of floats. The caller must not change it.
func (f *File) Weight(name string) (shape []int, data []float32, ok bool) {
	w, ok := f.weights[name]
	return w.shape, w.data, ok
}

// A Reader reads the weights of a network that its names end with a suffix. The first mistake is kept in Err, and what
// follows it reads nothing.
type Reader struct {
	File   *File
	Suffix string
	Err    error
}

// maxWeight is the largest number of a network whose training did not fail.
const maxWeight = 1e6

// Matrix returns a weight of rows x cols, where 0 means any number, and its shape. A weight of one dimension is a row.
func (r *Reader) Matrix(name string, rows, cols int) (data []float32, gotRows, gotCols int) {
	if r.Err != nil {
		return nil, 1, 1
	}
	name += r.Suffix
	shape, data, ok := r.File.Weight(name)
	if len(shape) == 1 {
		shape = []int{1, shape[0]}
	}
	switch {
	case !ok:
		r.Err = fmt.Errorf("the file has no weight %s: train it again", name)
	case len(shape) != 2 || rows > 0 && shape[0] != rows || cols > 0 && shape[1] != cols:
		r.Err = fmt.Errorf("weight %s has the shape %v, which does not fit the others: train it again", name, shape)
	default:
		if i := slices.IndexFunc(data, unusable); i >= 0 {
			r.Err = fmt.Errorf("weight %s is %v at %d: its training failed; train it again", name, data[i], i)
			break
		}
		return data, shape[0], shape[1]
	}
	return nil, 1, 1
}

func unusable(v float32) bool { return !(v >= -maxWeight && v <= maxWeight) }

// A field is one field of a message.
type field struct {
	number protowire.Number
	value  uint64 // of a number
	bytes  []byte // of a text or a message
}

// fields calls f for each field of a message that has the wire types that Builder writes.
func fields(b []byte, f func(field) error) error {
	for len(b) > 0 {
		number, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			return protowire.ParseError(n)
		}
		x := field{number: number}
		b = b[n:]
		switch kind {
		case protowire.VarintType:
			x.value, n = protowire.ConsumeVarint(b)
		case protowire.BytesType:
			x.bytes, n = protowire.ConsumeBytes(b)
		default:
			return fmt.Errorf("field %d has wire type %d", number, kind)
		}
		if n < 0 {
			return protowire.ParseError(n)
		}
		if err := f(x); err != nil {
			return err
		}
		b = b[n:]
	}
	return nil
}

func (f *File) readMeta(b []byte) error {
	var key, value string
	err := fields(b, func(x field) error {
		switch x.number {
		case pairKey:
			key = string(x.bytes)
		case pairValue:
			value = string(x.bytes)
		}
		return nil
	})
	f.meta[key] = value
	return err
}

func (f *File) readGraph(b []byte) error {
	return fields(b, func(x field) error {
		if x.number != graphInitializer {
			return nil
		}
		return f.readWeight(x.bytes)
	})
}

// maxElements bounds the elements of a weight.
const maxElements = 1 << 26

// readWeight has onnx-go decode a weight of floats, after a check that its data is what its shape says.
func (f *File) readWeight(b []byte) error {
	var w weight
	var name string
	var kind Type
	var raw []byte
	var other protowire.Number // a field that Builder does not write
	err := fields(b, func(x field) error {
		switch x.number {
		case tensorDims:
			w.shape = append(w.shape, int(min(x.value, maxElements+1)))
		case tensorType:
			kind = Type(min(x.value, 1<<16))
		case tensorName:
			name = string(x.bytes)
		case tensorRaw:
			raw = x.bytes
		default:
			other = x.number
		}
		return nil
	})
	elements := 1
	for _, d := range w.shape {
		elements = min(elements*d, maxElements+1)
	}
	switch _, twice := f.weights[name]; {
	case err != nil || kind == Int64:
		return err
	case twice:
		return fmt.Errorf("two weights are named %q", name)
	case kind != Float32 || other != 0:
		return fmt.Errorf("weight %q is of %s and has field %d", name, kind, other)
	case elements < 1 || len(raw) != 4*elements:
		return fmt.Errorf("weight %q has the shape %v and %d bytes", name, w.shape, len(raw))
	}
	t, err := onnxgo.NewTensor(b)
	if err != nil {
		return fmt.Errorf("weight %q: %w", name, err)
	}
	switch v := t.Data().(type) {
	case []float32:
		w.data = v
	case float32:
		w.data = []float32{v}
	}
	f.weights[name] = w
	return nil
}
