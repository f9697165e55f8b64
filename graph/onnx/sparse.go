package onnx

import (
	"errors"
	"fmt"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir"
)

// maxDense bounds the bytes of all sparse tensors with their zeros: a file of a few bytes may ask for any number of
// them.
const maxDense = 1 << 30

// sparse reads a SparseTensorProto: the elements that are not 0, and where they are, as places in the dense tensor or
// as an index for each dimension. The result is dense.
func (d *decoder) sparse(b []byte) (c *graph.Const, name string, err error) {
	var values, places *graph.Const
	var shape []int64
	err = d.fields(b, sparseFields, func(x field) (err error) {
		switch x.number {
		case sparseValues:
			values, name, err = d.constant(x.bytes)
		case sparseIndices:
			places, _, err = d.constant(x.bytes)
		case sparseDims:
			err = x.each(numbers, func(v uint64) error {
				if shape = append(shape, int64(v)); len(shape) > graph.MaxRank {
					return fmt.Errorf("damaged: more than %d dimensions", graph.MaxRank)
				}
				return nil
			})
		}
		return err
	})
	if err != nil {
		return nil, name, err
	}
	if values == nil || places == nil || len(values.Shape) != 1 {
		return nil, name, errors.New("damaged: a sparse tensor without a list of values or their places")
	}
	n, err := elems(shape)
	if err != nil {
		return nil, name, err
	}
	size := int64(values.Type.Bytes())
	if n > (maxDense-d.dense)/size {
		return nil, name, &unsupportedError{what: fmt.Sprintf("a sparse tensor of shape %v: with zeros, those of the "+
			"file have more than %d MB", shape, maxDense>>20)}
	}
	d.dense += n * size
	count, limits := values.Shape[0], []int64{n}
	if len(places.Shape) == 2 {
		limits = shape
	}
	rank := int64(len(limits))
	if p := places.Shape; places.Type != tir.I64 || len(p) == 0 || p[0] != count || graph.Elems(p) != count*rank {
		return nil, name, fmt.Errorf("damaged: places %s%v of %d elements of %v", places.Type, p, count, shape)
	}
	c = &graph.Const{Type: values.Type, Shape: shape, Data: make([]byte, n*size)}
	list := places.Tensor().I
	for i := range count {
		place := int64(0)
		for k, at := range list[i*rank : (i+1)*rank] {
			if at < 0 || at >= limits[k] {
				return nil, name, fmt.Errorf("damaged: place %d of a sparse tensor of shape %v", at, shape)
			}
			place = place*limits[k] + at
		}
		copy(c.Data[place*size:], values.Data[i*size:(i+1)*size])
	}
	return c, name, nil
}
