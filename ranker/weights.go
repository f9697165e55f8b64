package ranker

import (
	"encoding/binary"
	"errors"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// weights is what is read of an ONNX file. TODO: onnx.Program, when there is one.
type weights interface {
	Meta() map[string]string
	Weight(name string) (shape []int, data []float32, ok bool)
}

type initializers struct {
	meta  map[string]string
	shape map[string][]int
	data  map[string][]float32
}

func (p *initializers) Meta() map[string]string { return p.meta }
func (p *initializers) Weight(name string) ([]int, []float32, bool) {
	return p.shape[name], p.data[name], p.data[name] != nil
}

var errONNX = errors.New("it is no ONNX file, or damaged")

func fields(b []byte, f func(num protowire.Number, v []byte, n uint64) error) error {
	for len(b) > 0 {
		num, typ, n := protowire.ConsumeTag(b)
		if n < 0 {
			return errONNX
		}
		b = b[n:]
		var bytes []byte
		var number uint64
		switch typ {
		case protowire.BytesType:
			bytes, n = protowire.ConsumeBytes(b)
		case protowire.VarintType:
			number, n = protowire.ConsumeVarint(b)
		default:
			n = protowire.ConsumeFieldValue(num, typ, b)
		}
		if n < 0 {
			return errONNX
		}
		b = b[n:]
		if err := f(num, bytes, number); err != nil {
			return err
		}
	}
	return nil
}

func loadWeights(file []byte) (weights, error) {
	p := &initializers{map[string]string{}, map[string][]int{}, map[string][]float32{}}
	err := fields(file, func(num protowire.Number, v []byte, _ uint64) error {
		switch num {
		case 14:
			var key, value string
			if err := fields(v, func(num protowire.Number, v []byte, _ uint64) error {
				if num == 1 {
					key = string(v)
				} else if num == 2 {
					value = string(v)
				}
				return nil
			}); err != nil {
				return err
			}
			p.meta[key] = value
		case 7:
			return fields(v, func(num protowire.Number, v []byte, _ uint64) error {
				if num == 5 {
					return p.tensor(v)
				}
				return nil
			})
		}
		return nil
	})
	return p, err
}

func (p *initializers) tensor(b []byte) error {
	var name string
	var shape []int
	var raw []byte
	if err := fields(b, func(num protowire.Number, v []byte, n uint64) error {
		switch {
		case num == 1 && v == nil:
			shape = append(shape, int(n))
		case num == 1:
			for len(v) > 0 {
				x, k := protowire.ConsumeVarint(v)
				if k < 0 {
					return errONNX
				}
				shape, v = append(shape, int(x)), v[k:]
			}
		case num == 8:
			name = string(v)
		case num == 9:
			raw = v
		}
		return nil
	}); err != nil {
		return err
	}
	data := make([]float32, len(raw)/4)
	for i := range data {
		data[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
	}
	p.shape[name], p.data[name] = shape, data
	return nil
}
