package op_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/interp"
	"github.com/wmtune/wmtune/tir/lower"
	"github.com/wmtune/wmtune/tir/op"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// TestNaNAndInfinity holds reductions to what numpy computes of rows with NaN and infinities, as definitions and
// lowered.
func TestNaNAndInfinity(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	rows := [][]float64{
		{-inf, -inf, -inf, -inf}, {nan, 1, 2, 3}, {1, nan, 2, nan}, {1, 2, 3, nan}, {-inf, 1, inf, inf},
		{inf, nan, -inf, 0}, {2, 2, 1, 2}, {-inf, -inf, -3e38, -inf}, {nan, nan, nan, nan}, {inf, inf, inf, inf},
	}
	for name, want := range map[string][]float64{
		"max":    {-inf, nan, nan, nan, inf, nan, 2, -3e38, nan, inf},
		"min":    {-inf, nan, nan, nan, -inf, nan, 1, -inf, nan, inf},
		"argmax": {0, 0, 1, 3, 2, 1, 0, 2, 0, 0},
	} {
		w, err := op.Parse(fmt.Sprintf("%s:m=%d,n=4", name, len(rows)))
		if err != nil {
			t.Fatal(err)
		}
		read, err := compute.Parse(w.DAG.Text()) // as candidates are
		if err != nil {
			t.Fatal(err)
		}
		if read.String() != w.DAG.String() || read.WorkloadKey() != w.DAG.WorkloadKey() {
			t.Errorf("reading back the text of %s changes\n%sto\n%s", name, w.DAG, read)
		}
		lowered := func(d *compute.DAG) func([]*interp.Tensor) error {
			f, err := lower.Lower(schedule.New(d), lower.Config{Target: target.Generic(16, 2), Check: lower.CheckEach})
			if err != nil {
				t.Fatal(err)
			}
			return func(args []*interp.Tensor) error { return interp.Run(f, args, interp.Options{}) }
		}
		for what, run := range map[string]func([]*interp.Tensor) error{
			"defined":          func(args []*interp.Tensor) error { return interp.RunDAG(w.DAG, args) },
			"lowered":          lowered(w.DAG),
			"read":             func(args []*interp.Tensor) error { return interp.RunDAG(read, args) },
			"read and lowered": lowered(read),
		} {
			args := interp.NewTensors(w.DAG.Tensors)
			for i, row := range rows {
				for j, v := range row {
					args[0].SetFloat(4*i+j, v)
				}
			}
			if err := run(args); err != nil {
				t.Fatal(err)
			}
			for i, v := range want {
				if got := args[1].Float(i); got != float64(float32(v)) && !(got != got && v != v) {
					t.Errorf("%s %s of %v: %v, want %v", what, name, rows[i], got, v)
				}
			}
		}
	}
}
