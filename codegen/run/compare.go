package run

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"

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
	var parts []string
	for _, i := range indexOf(at, shape) {
		parts = append(parts, strconv.FormatInt(i, 10))
	}
	return strings.Join(parts, ", ")
}

// compare returns nil if every element of got is as expected. Poison is what
// the output held before the call.
func (x *expectation) compare(got []byte, p poison) *mismatch {
	if !x.Type.IsFloat() && bytes.Equal(got, x.want) {
		return nil
	}
	var s suspects
	unwritten, size, poison := int64(-1), int64(x.Type.Bytes()), p.elem(x.Type)
	for i := x.next(got, 0); i < x.elems(); i = x.next(got, i+1) {
		elem := got[i*size : (i+1)*size]
		if x.matches(elem, i) {
			continue
		}
		if unwritten < 0 && bytes.Equal(elem, poison) {
			unwritten = i
		}
		s.add(i)
	}
	at := unwritten
	if at < 0 {
		at = x.wrong(&s, func(i int64) float64 { return number(got[i*size:], x.Type) })
	}
	if at < 0 {
		return nil
	}
	m := x.describe(got, at, p)
	m.count = s.count
	return m
}

// next returns the first element from i on that is not plainly near what is expected: farther off than the
// tolerance of small values.
func (x *expectation) next(got []byte, i int64) int64 {
	n := x.elems()
	if x.Type != tir.F32 { // most are
		return min(i, n)
	}
	least := x.relative*x.scale + floor(x.Type)
	for ; i < n; i++ {
		v := float64(math.Float32frombits(binary.LittleEndian.Uint32(got[4*i:])))
		want := math.Float64frombits(binary.LittleEndian.Uint64(x.want[8*i:]))
		if !(math.Abs(v-want) <= least) { // NaNs included
			break
		}
	}
	return i
}

// matches reports whether an element is as the reference has it, or as near as the tolerance asks.
func (x *expectation) matches(elem []byte, i int64) bool {
	if x.Type.IsFloat() {
		v, want := getFloat(elem, x.Type), x.wantAt(i)
		return v == want || x.near(v, want)
	}
	size := int64(len(elem))
	return bytes.Equal(elem, x.want[i*size:(i+1)*size])
}

// wantAt returns what the reference has for an element.
func (x *expectation) wantAt(i int64) float64 {
	if x.Type.IsFloat() {
		return getFloat(x.want[8*i:], tir.F64)
	}
	return number(x.want[i*int64(x.Type.Bytes()):], x.Type)
}

// wrong returns a suspect that rounding does not explain, -1 if there is none.
func (x *expectation) wrong(s *suspects, got func(i int64) float64) int64 {
	if s.count == 0 {
		return -1
	}
	if x.excuse == nil {
		return s.sample[0]
	}
	why, y := x.excuse(x.arithmetic), x.yardstick()
	return s.wrong(func(at int64) (bool, error) {
		return why.allows(at, got(at), x.tolerance(x.wantAt(at)), y)
	})
}

// yardstick returns what the values of the output are compared with.
func (x *expectation) yardstick() yardstick {
	return yardstick{x.scale, sync.OnceValue(func() float64 { return typicalOf(x.elems(), x.wantAt) })}
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

// near reports whether v is within the tolerance of want. A NaN is near nothing, unless NaNs are
// among the inputs: then near a NaN.
// An infinity stands for any extreme number of its sign: whether the largest
// number, which padding may be, stays what it is or overflows is a matter of order.
func (x *expectation) near(v, want float64) bool {
	if x.special && (want != want || math.IsInf(want, 0) || math.IsInf(v, 0)) {
		return v == want || v != v && want != want
	}
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
		m.got, m.want = x.Type.FormatInt(getInt(elem, x.Type)), x.Type.FormatInt(getInt(x.want[i*size:], x.Type))
		return m
	}
	want := x.wantAt(i)
	m.got, m.want = fmt.Sprintf("%.9g", getFloat(elem, x.Type)), fmt.Sprintf("%.9g", want)
	m.tol = x.tolerance(want)
	return m
}
