package onnx

import (
	"encoding/binary"
	"errors"
	"math/bits"
)

// FromPlanes returns a file whose weights were put in planes, as networks ship, because they compress better so: first
// the lowest bytes of all weights, then the second ones, and so on. Sign and mantissa of a weight are noise, but its
// exponent is one of few: each weight is turned left by a bit, which brings the exponent into one byte.
// lab/models/planes writes the form: a list of runs, then their bytes, then the four planes of their weights. The list
// is varints: how many runs there are; for each the number of bytes that are as in the file, and of the weights after
// these.
//
// Whatever the bytes are, it returns an error or a file that is no longer than they are.
func FromPlanes(b []byte) ([]byte, error) {
	whole := true
	next := func() int {
		v, n := binary.Uvarint(b)
		if n <= 0 || v > uint64(len(b)) {
			whole = false
			return 0
		}
		b = b[n:]
		return int(v)
	}
	var runs [][2]int
	var sums [2]int // of bytes and of weights
	for n := next(); len(runs) < n && whole; {
		run := [2]int{next(), next()}
		runs, sums[0], sums[1] = append(runs, run), sums[0]+run[0], sums[1]+run[1]
	}
	if !whole || sums[0]+4*sums[1] != len(b) {
		return nil, errors.New("onnx: the planes are damaged; copy the file again")
	}
	out := make([]byte, len(b))
	plain, planes, to := b[:sums[0]], b[sums[0]:], out
	for _, run := range runs {
		copy(to, plain[:run[0]])
		n := run[1]
		plain, to = plain[run[0]:], to[run[0]:]
		p0, p1, p2, p3 := planes[:n], planes[sums[1]:][:n], planes[2*sums[1]:][:n], planes[3*sums[1]:][:n]
		for i := range n {
			v := uint32(p0[i]) | uint32(p1[i])<<8 | uint32(p2[i])<<16 | uint32(p3[i])<<24
			binary.LittleEndian.PutUint32(to, bits.RotateLeft32(v, -1))
			to = to[4:]
		}
		planes = planes[n:]
	}
	return out, nil
}
