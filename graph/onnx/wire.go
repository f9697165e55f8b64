package onnx

import (
	"errors"
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
)

// A field is one field of a message.
type field struct {
	number protowire.Number
	kind   protowire.Type
	value  uint64 // of a number
	bytes  []byte // of a text, a message or packed numbers
}

// either is the wire type, in tables of fields, of repeated numbers, which are packed or not.
const either protowire.Type = -1

// What fields have in tables.
const (
	number = protowire.VarintType
	text   = protowire.BytesType
	single = protowire.Fixed32Type
)

// A message is the table of the fields that are read, and their wire types.
type message map[protowire.Number]protowire.Type

// fields calls f for each field of b that is in the table, in order.
func (d *decoder) fields(b []byte, m message, f func(field) error) error {
	for len(b) > 0 {
		if d.steps--; d.steps < 0 {
			return errors.New("its functions expand to more than a file of its size may")
		}
		id, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			return damage(n)
		}
		b = b[n:]
		x := field{number: id, kind: kind}
		switch kind {
		case protowire.VarintType:
			x.value, n = protowire.ConsumeVarint(b)
		case protowire.Fixed32Type:
			var v uint32
			v, n = protowire.ConsumeFixed32(b)
			x.value = uint64(v)
		case protowire.Fixed64Type:
			x.value, n = protowire.ConsumeFixed64(b)
		case protowire.BytesType:
			x.bytes, n = protowire.ConsumeBytes(b)
		default:
			return fmt.Errorf("damaged: field %d has wire type %d", id, kind)
		}
		if n < 0 {
			return damage(n)
		}
		b = b[n:]
		want, read := m[id]
		if !read {
			continue
		}
		if want != kind && (want != either || kind == protowire.Fixed64Type && id != tensorDoubles) {
			return fmt.Errorf("damaged: field %d has wire type %d", id, kind)
		}
		if err := f(x); err != nil {
			return err
		}
	}
	return nil
}

// errTruncated is damage of a message that ends in the middle of a field.
var errTruncated = errors.New("damaged: it ends in the middle of a field")

func damage(n int) error {
	if err := protowire.ParseError(n); err.Error() != "unexpected EOF" {
		return fmt.Errorf("damaged: %w", err)
	}
	return errTruncated
}

// count returns how many fields of a number b has.
func (d *decoder) count(b []byte, id protowire.Number) (int, error) {
	n := 0
	err := d.fields(b, message{id: text}, func(field) error { n++; return nil })
	return n, err
}

// varints returns how many numbers a field has that is one number, or several, packed.
func (x field) varints() int {
	if x.kind == protowire.VarintType {
		return 1
	}
	n := 0
	for _, c := range x.bytes {
		if c < 0x80 {
			n++
		}
	}
	return n
}

// eachVarint calls f for the numbers of such a field.
func (x field) eachVarint(f func(uint64) error) error {
	switch x.kind {
	case protowire.VarintType:
		return f(x.value)
	case protowire.BytesType:
	default:
		return fmt.Errorf("damaged: field %d has wire type %d", x.number, x.kind)
	}
	for b := x.bytes; len(b) > 0; {
		v, n := protowire.ConsumeVarint(b)
		if n < 0 {
			return damage(n)
		}
		if err := f(v); err != nil {
			return err
		}
		b = b[n:]
	}
	return nil
}

// spend accounts for n bytes of memory that are about to be allocated.
func (d *decoder) spend(n int) error {
	if d.memory -= int64(n); n < 0 || d.memory < 0 {
		return fmt.Errorf("it needs more memory once it is decoded than its %d bytes may: it is damaged, or made to do so", d.size)
	}
	return nil
}
