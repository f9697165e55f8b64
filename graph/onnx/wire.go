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

// A message is the table of the fields that are read, and their wire types.
type message map[protowire.Number]protowire.Type

// The wire types in tables. Repeated numbers are packed or not: they have a wire type of their own or are bytes.
const (
	number  = protowire.VarintType
	single  = protowire.Fixed32Type
	text    = protowire.BytesType
	numbers = repeated + protowire.VarintType
	singles = repeated + protowire.Fixed32Type
	doubles = repeated + protowire.Fixed64Type

	repeated protowire.Type = 16
)

// fields calls f for each field of b that is in the table, in order.
func (d *decoder) fields(b []byte, m message, f func(field) error) error {
	for len(b) > 0 {
		if d.steps--; d.steps < 0 {
			return &limitError{"its functions expand to more than those of a file of its size may"}
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
		if kind != want && kind+repeated != want && (kind != text || want < repeated) {
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

// count returns how many numbers a field has: one, or several, packed as numbers of a wire type.
func (x field) count(packed protowire.Type) (int, error) {
	size := 0
	switch {
	case x.kind != protowire.BytesType:
		return 1, nil
	case packed == singles:
		size = 4
	case packed == doubles:
		size = 8
	default:
		n := 0
		for _, c := range x.bytes {
			if c < 0x80 {
				n++
			}
		}
		return n, nil
	}
	if len(x.bytes)%size != 0 {
		return 0, fmt.Errorf("damaged: %d bytes of packed numbers", len(x.bytes))
	}
	return len(x.bytes) / size, nil
}

// each calls f for the numbers of such a field, which has as many as count says.
func (x field) each(packed protowire.Type, f func(uint64) error) error {
	if x.kind != protowire.BytesType {
		return f(x.value)
	}
	for b := x.bytes; len(b) > 0; {
		var v uint64
		var n int
		switch packed {
		case singles:
			var w uint32
			w, n = protowire.ConsumeFixed32(b)
			v = uint64(w)
		case doubles:
			v, n = protowire.ConsumeFixed64(b)
		default:
			v, n = protowire.ConsumeVarint(b)
		}
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
		return &limitError{fmt.Sprintf("it needs more memory than a file of %d bytes may", d.size)}
	}
	return nil
}

// A limitError says that a file asks for too much. It does not say at which node, which is by chance.
type limitError struct{ why string }

func (e *limitError) Error() string { return e.why + ": it is damaged, or made to stop its readers" }

// within says where an error was found, unless it is a limitError.
func within(err error, format string, args ...any) error {
	var limit *limitError
	if err == nil || errors.As(err, &limit) {
		return err
	}
	return fmt.Errorf(format+": %w", append(args, err)...)
}
