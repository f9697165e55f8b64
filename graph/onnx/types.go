package onnx

import (
	"errors"
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/wmtune/wmtune/graph"
)

// An unsupportedError says what of a file wmtune does not support.
type unsupportedError struct {
	what string
	// made says that a node may make such a value all the same: classifiers number labels that are text, and sequences are
	// folded. The operators of other nodes say what is missing.
	made bool
}

func (e *unsupportedError) Error() string { return e.what + " is not supported" }

func (e *unsupportedError) Unwrap() error { return graph.ErrUnsupported }

// otherTypes names the types of values that are no tensors.
var otherTypes = map[protowire.Number]string{typeSequence: "a sequence", typeMap: "a map",
	typeOpaque: "an opaque value", typeSparse: "a sparse tensor", typeOptional: "an optional value"}

// info reads the name and the type of a ValueInfoProto, which are bytes of b.
func (d *decoder) info(b []byte) (name, typ []byte, err error) {
	err = d.fields(b, infoFields, func(x field) error {
		if x.number == infoName {
			name = x.bytes
		} else {
			typ = x.bytes
		}
		return nil
	})
	return name, typ, err
}

// declare gives v the type of a TypeProto. What the file does not say stays as it is. Made says that a node makes v.
func (d *decoder) declare(v *graph.Value, b []byte, made bool) error {
	err := d.fields(b, typeFields, func(x field) error {
		if x.number != typeTensor {
			return &unsupportedError{otherTypes[x.number], true}
		}
		return d.fields(x.bytes, tensorTypeFields, func(x field) error {
			if x.number == typeShape {
				return d.declareShape(v, x.bytes)
			}
			if x.value == 0 {
				return nil // not said
			}
			e, err := elementType(x.value)
			v.Type, v.Narrow = e.Type, e.Narrow()
			return err
		})
	})
	var no *unsupportedError
	if errors.As(err, &no) {
		if made && no.made {
			return nil
		}
		d.unsupported("value %q is %s", v.Name, no.what)
		return nil
	}
	return within(err, "value %q", v.Name)
}

func (d *decoder) declareShape(v *graph.Value, b []byte) error {
	rank := 0
	err := d.fields(b, shapeFields, func(field) error { rank++; return nil })
	if err != nil {
		return err
	}
	if rank > graph.MaxRank {
		return fmt.Errorf("%d dimensions, more than %d", rank, graph.MaxRank)
	}
	if v.Ranked && len(v.Shape) != rank {
		return fmt.Errorf("it has %d dimensions at one place and %d at another", len(v.Shape), rank)
	}
	old := v.Shape
	v.Shape, v.Ranked = make([]int64, 0, rank), true
	names, named := make([]string, rank), false
	copy(names, v.DimNames)
	err = d.fields(b, shapeFields, func(x field) error {
		i := len(v.Shape)
		extent, name, err := d.dim(x.bytes)
		if old != nil && extent == graph.Open {
			extent = old[i]
		}
		if name != "" {
			names[i] = name
		}
		if extent != graph.Open {
			names[i] = ""
		}
		named = named || names[i] != ""
		v.Shape = append(v.Shape, extent)
		return err
	})
	v.DimNames = nil
	if named {
		v.DimNames = names
	}
	if err != nil {
		return err
	}
	known := make([]int64, 0, rank)
	for _, n := range v.Shape {
		known = append(known, max(n, 1))
	}
	_, err = elems(known)
	return err
}

// dim returns the extent of a dimension, and its name if the extent is Open.
func (d *decoder) dim(b []byte) (int64, string, error) {
	extent, name := int64(graph.Open), ""
	err := d.fields(b, dimFields, func(x field) error {
		if x.number == dimParam {
			name = string(x.bytes)
			return d.spend(len(name))
		}
		if v := int64(x.value); v >= 0 { // exporters write -1 for one that is open
			extent = v
		}
		return nil
	})
	return extent, name, err
}
