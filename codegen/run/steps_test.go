package run

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/lower"
	"github.com/wmtune/wmtune/tir/schedule"
)

// Integers are made of floats where a conversion is on the way, and nothing adds them up.
func TestMakesSteps(t *testing.T) {
	d := parsed(t, `input x: int8[8, 16]
input w: int8[16, 4]
acc(i: 8, j: 4) = sum(k: 16) int32(x[i, k])*int32(w[k, j])
scaled(i: 8, j: 4) = round(float32(acc[i, j])*0.01)
q(i: 8, j: 4) = int8(max(min(scaled[i, j], 127), 0 - 128))
twice(i: 8, j: 4) = int32(q[i, j])*2
total(i: 8) = sum(j: 4) int32(q[i, j])
mask(i: 8, j: 4) = scaled[i, j] > 3
output twice, total, mask
`)
	want := map[string]bool{"q": true, "twice": true}
	for _, op := range d.Ops {
		if got := makesSteps(d, op.Results[0]); got != want[op.Name] {
			t.Errorf("%s: %v", op.Name, got)
		}
	}
	sig, err := Task{DAG: d, Reference: measure.BuildResult{Status: measure.OK}}.signature()
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range sig.Tensors {
		if x.Steps != want[x.Name] {
			t.Errorf("a worker is told %v of %s", x.Steps, x.Name)
		}
	}
}

// Large integers made of floats may be off by one, of a quarter of the elements.
func TestSteps(t *testing.T) {
	const n = 64
	want := make([]int64, n)
	for i := range want {
		want[i] = int64(i%40) - 20
	}
	for _, c := range []struct {
		what   string
		steps  bool
		divide int64 // all by it, so that they are small
		off    int64
		count  int
		ok     bool
	}{
		{"a quarter", true, 1, 1, n / 4, true},
		{"a quarter, below", true, 1, -1, n / 4, true},
		{"more than a quarter", true, 1, 1, n/4 + 1, false},
		{"by two", true, 1, 2, 1, false},
		{"small numbers", true, 2, 1, 1, false},
		{"not made of floats", false, 1, 1, 1, false},
	} {
		wanted, got := make([]byte, 4*n), make([]byte, 4*n)
		for i, v := range want {
			v = v * 2 / c.divide
			binary.LittleEndian.PutUint32(wanted[4*i:], uint32(v))
			if i >= n-c.count {
				v += c.off
			}
			binary.LittleEndian.PutUint32(got[4*i:], uint32(v))
		}
		x := newExpectation(tensor{Name: "q", Type: tir.I32, Shape: []int64{n}, Steps: c.steps}, wanted, 0, 0)
		m := x.compare(got, poisonNaN)
		if (m == nil) != c.ok || m != nil && m.count != int64(c.count) {
			t.Errorf("%s: %v", c.what, m)
		}
	}
}

func TestIsBeside(t *testing.T) {
	for _, c := range []struct {
		got, want int64
		t         tir.DType
		ok        bool
	}{
		{5, 4, tir.I32, true}, {4, 5, tir.I64, true}, {5, 5, tir.I32, false}, {6, 4, tir.I8, false},
		{127, -128, tir.I8, true}, {0, 255, tir.U8, true}, {127, -128, tir.I32, false}, {0, 254, tir.U8, false},
		{1<<63 - 1, -1 << 63, tir.I64, true},
	} {
		if got := isBeside(c.got, c.want, c.t); got != c.ok {
			t.Errorf("%d for %d of %s: %v", c.got, c.want, c.t, got)
		}
	}
}

// What was not written is wrong, also where it is off by one.
func TestUnwrittenStep(t *testing.T) {
	poison := poisonNaN.elem(tir.I8)
	want := []byte{100, 100, 100, 100, poison[0] + 1}
	x := newExpectation(tensor{Name: "q", Type: tir.I8, Shape: []int64{5}, Steps: true}, want, 0, 0)
	if m := x.compare([]byte{100, 100, 100, 100, poison[0]}, poisonNaN); m == nil || !strings.Contains(m.String(), "not written") {
		t.Errorf("%v", m)
	}
	if m := x.compare([]byte{100, 100, 100, 100, poison[0] + 2}, poisonNaN); m != nil {
		t.Errorf("the test says nothing: %v", m)
	}
}

// A quantized product whose float32 is a half where the reference's float64 is less passes the
// interpreter. One whose scale is exact does not, if all of it is larger by one.
func TestInterpreterOfSteps(t *testing.T) {
	for _, c := range []struct {
		scale string
		off   int64
		ok    bool
	}{{"0.01", 0, true}, {"0.0078125", 1, false}, {"0.0078125", 0, true}} {
		d := parsed(t, `input x: int8[48, 48]
input w: int8[48, 48]
acc(i: 48, j: 48) = sum(k: 48) int32(x[i, k])*int32(w[k, j])
q(i: 48, j: 48) = int8(max(min(round(float32(acc[i, j])*`+c.scale+`), 127), 0 - 128))
output q
`)
		s := schedule.New(d)
		f, err := lower.Lower(s, lower.Config{})
		if err != nil {
			t.Fatal(err)
		}
		f.Body = tir.MapStmt(f.Body, func(s tir.Stmt) tir.Stmt {
			if st, ok := s.(*tir.Store); ok && st.Buffer.Name == "q" {
				return &tir.Store{Buffer: st.Buffer, Index: st.Index, Value: tir.Bin(tir.Add, st.Value, &tir.IntImm{Value: c.off, Type: tir.I8})}
			}
			return s
		}, nil)
		in, err := NewInterpreter(d, 1)
		if err != nil {
			t.Fatal(err)
		}
		for number := range uint64(4) {
			if bad, err := in.Check(s, f, number); (bad == "") != c.ok || err != nil {
				t.Errorf("%s, off by %d: %q %v", c.scale, c.off, bad, err)
			}
		}
	}
}
