// Planes writes the networks of models as they ship: NAME.planes, which compresses better, in place of NAME.
// FromPlanes of nn/onnx reads the form and explains it.
//
//	go run ./models/planes ../models/cpu/*.onnx && zstd -19 --rm ../models/cpu/*.planes
//
// The loader of models reads NAME, NAME.zst and NAME.planes.zst alike.
package main

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"os"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
)

func main() {
	for _, name := range os.Args[1:] {
		if err := rewrite(name); err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
			os.Exit(1)
		}
	}
}

func rewrite(name string) error {
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	planes, err := inPlanes(data)
	if err != nil {
		return err
	}
	if err := os.WriteFile(name+".planes", planes, 0o666); err != nil {
		return err
	}
	return os.Remove(name)
}

// inPlanes returns an ONNX file with its weights in planes.
func inPlanes(b []byte) ([]byte, error) {
	raw, err := fields(b, 7, 5, 9) // the graph's initializers' raw data
	if err != nil {
		return nil, err
	}
	list := binary.AppendUvarint(nil, uint64(len(raw)+1))
	var plain []byte
	var planes [4][]byte
	run := func(before, weights int) {
		list = binary.AppendUvarint(binary.AppendUvarint(list, uint64(before)), uint64(weights))
		plain, b = append(plain, b[:before]...), b[before:]
		for range weights {
			v := bits.RotateLeft32(binary.LittleEndian.Uint32(b), 1)
			for k := range planes {
				planes[k] = append(planes[k], byte(v>>(8*k)))
			}
			b = b[4:]
		}
	}
	for _, w := range raw {
		run(cap(b)-cap(w), len(w)/4) // w is a part of b, so their capacities tell where it begins
	}
	run(len(b), 0)
	return slices.Concat(list, plain, planes[0], planes[1], planes[2], planes[3]), nil
}

// fields returns the bytes of the fields that have a path of numbers in a message.
func fields(b []byte, path ...protowire.Number) ([][]byte, error) {
	if len(path) == 0 {
		return [][]byte{b}, nil
	}
	var list [][]byte
	for len(b) > 0 {
		number, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			return nil, protowire.ParseError(n)
		}
		value := b[n:]
		if n = protowire.ConsumeFieldValue(number, kind, value); n < 0 {
			return nil, protowire.ParseError(n)
		}
		if number == path[0] && kind == protowire.BytesType {
			inner, _ := protowire.ConsumeBytes(value)
			more, err := fields(inner, path[1:]...)
			if err != nil {
				return nil, err
			}
			list = append(list, more...)
		}
		b = value[n:]
	}
	return list, nil
}
