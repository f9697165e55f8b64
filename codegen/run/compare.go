package run

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/wmtune/wmtune/tir"
)

// A mismatch says how an output differs from what is expected.
type mismatch struct {
	tensor    tensor
	first     int64 // element
	got, want string
	tol       float64
	unwritten bool // the element still holds its poison
	count     int64
}

func (m *mismatch) String() string {
	where := m.tensor.Name + "[" + indexText(m.first, m.tensor.Shape) + "]"
	share := fmt.Sprintf("%d of %d elements are wrong", m.count, m.tensor.elems())
	if m.unwritten {
		return fmt.Sprintf("%s was not written, want %s; %s", where, m.want, share)
	}
	if m.tensor.Type.IsFloat() {
		return fmt.Sprintf("%s is %s, want %s within %.3g; %s", where, m.got, m.want, m.tol, share)
	}
	return fmt.Sprintf("%s is %s, want %s; %s", where, m.got, m.want, share)
}

// indexText returns the multi-dimensional index of an element.
func indexText(at int64, shape []int64) string {
	parts := make([]string, len(shape))
	for i := len(shape) - 1; i >= 0; i-- {
		parts[i] = strconv.FormatInt(at%shape[i], 10)
		at /= shape[i]
	}
	return strings.Join(parts, ", ")
}

// compare returns nil if every element of got is as expected. Poison is what
// the output held before the call.
func (x *expectation) compare(got []byte, p poison) *mismatch {
	var m *mismatch
	bad := func(i int64) {
		if m == nil {
			m = x.describe(got, i, p)
		}
		m.count++
	}
	switch {
	case !x.Type.IsFloat():
		if bytes.Equal(got, x.want) {
			return nil
		}
		size := int64(x.Type.Bytes())
		var beside []int64
		for i := range x.elems() {
			elem, want := got[i*size:(i+1)*size], x.want[i*size:(i+1)*size]
			switch {
			case bytes.Equal(elem, want):
			case isBeside(getInt(elem, x.Type), getInt(want, x.Type), x.Type) && !bytes.Equal(elem, p.elem(x.Type)):
				beside = append(beside, i)
			default:
				bad(i)
			}
		}
		if !x.allowsSteps(len(beside), x.elems()) {
			for _, i := range beside {
				bad(i)
			}
		}
	case x.Type == tir.F32:
		for i := range x.elems() {
			v := float64(math.Float32frombits(binary.LittleEndian.Uint32(got[4*i:])))
			if want := math.Float64frombits(binary.LittleEndian.Uint64(x.want[8*i:])); v != want && !x.near(v, want) {
				bad(i)
			}
		}
	default:
		size := int64(x.Type.Bytes())
		for i := range x.elems() {
			v := getFloat(got[size*i:], x.Type)
			if want := getFloat(x.want[8*i:], tir.F64); v != want && !x.near(v, want) {
				bad(i)
			}
		}
	}
	return m
}

// complete writes what is expected to the elements of got that hold poison, and
// returns how many do not.
func (x *expectation) complete(got []byte, p poison) (written int64) {
	size, poison := int64(x.Type.Bytes()), p.elem(x.Type)
	for i := range x.elems() {
		elem := got[i*size : (i+1)*size]
		switch {
		case !bytes.Equal(elem, poison):
			written++
		case x.Type.IsFloat():
			putFloat(elem, x.Type, getFloat(x.want[8*i:], tir.F64))
		default:
			copy(elem, x.want[i*size:])
		}
	}
	return written
}

// near reports whether v is within the tolerance of want. A NaN is near nothing.
// An infinity stands for any extreme number of its sign: whether the largest
// number, which padding may be, stays what it is or overflows is a matter of order.
func (x *expectation) near(v, want float64) bool {
	if math.IsInf(want, 0) {
		return extreme(v, x.Type) && v > 0 == (want > 0)
	}
	return math.Abs(v-want) <= x.tolerance(want)
}

func (x *expectation) describe(got []byte, i int64, p poison) *mismatch {
	size := int64(x.Type.Bytes())
	elem := got[i*size : (i+1)*size]
	m := &mismatch{tensor: x.tensor, first: i, unwritten: bytes.Equal(elem, p.elem(x.Type))}
	if !x.Type.IsFloat() {
		m.got, m.want = fmt.Sprint(getInt(elem, x.Type)), fmt.Sprint(getInt(x.want[i*size:], x.Type))
		return m
	}
	want := getFloat(x.want[8*i:], tir.F64)
	m.got, m.want = fmt.Sprintf("%.9g", getFloat(elem, x.Type)), fmt.Sprintf("%.9g", want)
	m.tol = x.tolerance(want)
	return m
}
