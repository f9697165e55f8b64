package tirtest

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/interp"
	"github.com/wmtune/wmtune/tir/schedule"
)

// TestSameSeedSameCase draws each case twice.
func TestSameSeedSameCase(t *testing.T) {
	kinds, steps := map[string]bool{}, map[schedule.Kind]bool{}
	for seed := range uint64(400) {
		draw := func() (string, string, []schedule.Step, []byte) {
			r := rand.New(rand.NewPCG(seed, 0))
			kind, d := RandomDAG(r)
			args := Args(r, d)
			list := append(RandomSteps(r, d, 8), RandomGPUSteps(r, d, 8)...)
			var data []byte
			for _, a := range args {
				data = append(data, a.Data...)
			}
			return kind, schedule.New(d).String(), list, data
		}
		kind, text, list, data := draw()
		kind2, text2, list2, data2 := draw()
		if kind != kind2 || text != text2 || !bytes.Equal(data, data2) || !bytes.Equal(schedule.FormatSteps(list), schedule.FormatSteps(list2)) {
			t.Fatalf("seed %d gives two cases: %s, %s", seed, kind, kind2)
		}
		name, _, _ := strings.Cut(kind, "/")
		kinds[name] = true
		for _, s := range list {
			steps[s.Kind()] = true
		}
	}
	for _, k := range DAGKinds() {
		if !kinds[k] {
			t.Errorf("no DAG of kind %s", k)
		}
	}
	if len(steps) != 14 {
		t.Errorf("steps of %d kinds, want all 14: %v", len(steps), steps)
	}
}

func TestNamedRefuses(t *testing.T) {
	for _, line := range []string{"", "matmul 1 2", "matmul 1 2 x", "nothing 1"} {
		if _, err := Named(line); err == nil {
			t.Errorf("%q is a DAG", line)
		}
	}
}

func TestCompare(t *testing.T) {
	of := func(dt tir.DType, values ...float64) *interp.Tensor {
		x := interp.NewTensor(&tir.Buffer{Type: dt, Shape: []int64{int64(len(values))}})
		for i, v := range values {
			x.SetFloat(i, v)
		}
		return x
	}
	cases := []struct {
		name      string
		got, want *interp.Tensor
		same      bool
	}{
		{"equal", of(tir.F32, 1, 2), of(tir.F32, 1, 2), true},
		{"rounding", of(tir.F32, 1, 100.00001), of(tir.F32, 1, 100), true},
		{"wrong", of(tir.F32, 1, 100.1), of(tir.F32, 1, 100), false},
		{"integers", of(tir.I32, 1, 101), of(tir.I32, 1, 100), false},
		{"length", of(tir.F32, 1), of(tir.F32, 1, 2), false},
		{"type", of(tir.F32, 1), of(tir.F64, 1), false},
	}
	for _, tc := range cases {
		if err := Compare(tc.got, tc.want); (err == nil) != tc.same {
			t.Errorf("%s: %v", tc.name, err)
		}
	}
	if err := Compare(of(tir.F32, 1.004), of(tir.F32, 1), of(tir.BF16, 1)); err != nil {
		t.Errorf("through bfloat16: %v", err)
	}
}
