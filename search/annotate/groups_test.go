package annotate

import (
	"testing"

	"github.com/wmtune/wmtune/search/sketch"
	"github.com/wmtune/wmtune/tir/lower"
	workloads "github.com/wmtune/wmtune/tir/op"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// TestGroupsOfSamples: of each sample with an instruction a scorer sees a program of float32, with another DAG, and the
// same one for all samples of a task.
func TestGroupsOfSamples(t *testing.T) {
	on := target.Generic(64, 2)
	on.CPU, on.Features = "znver5", []string{"avx512bf16", "avx512bw", "avx512vnni"}
	for _, spec := range []string{
		"conv2d:h=9,w=11,ci=5,co=19,k=3,p=1,dtype=i8,epilogue=requantize", "conv2d:h=14,w=14,ci=24,co=32,k=1,s=2,dtype=i8",
		"dense:m=17,n=65,k=130,dtype=bf16,epilogue=bias+relu", "matmul:m=64,n=80,k=70,dtype=bf16", "matmul:m=64,n=96,k=66,dtype=i8",
	} {
		w, err := workloads.Parse(spec)
		if err != nil {
			t.Fatal(err)
		}
		sketches, err := sketch.Generate(t.Context(), sketch.CPU, w.DAG, on)
		if err != nil {
			t.Fatal(err)
		}
		a, groups, with, without := New(CPU, on), schedule.NewGroups(on.CPU, on.Has, on.Hardware.VectorBytes), 0, 0
		var seen *schedule.State
		for i := range 60 {
			s, err := a.Sample(sketches[i%len(sketches)], Rand(1, 0, i))
			if err != nil {
				continue
			}
			by := false
			for _, st := range s.Stages {
				by = by || st.ByInstruction()
			}
			c, err := schedule.Conventional(s, groups)
			switch {
			case err != nil:
				t.Fatalf("%s: %v\n%s", spec, err, s)
			case !by && c != s:
				t.Errorf("%s: a candidate without an instruction is seen as\n%s", spec, c)
			case !by:
				without++
				continue
			case c.DAG == s.DAG || seen != nil && c.DAG != seen.DAG:
				t.Errorf("%s: it is seen as it is, or each time anew:\n%s", spec, s)
			}
			with, seen = with+1, c
			for _, st := range c.Stages {
				if st.IsTensorized() {
					t.Errorf("%s: an instruction is seen:\n%s", spec, c)
				}
			}
			if _, err := lower.Lower(c, lower.Config{Target: on, Layout: target.Rewrite, Check: lower.CheckEach}); err != nil {
				t.Errorf("%s: %v\n%s", spec, err, c)
			}
		}
		if with == 0 || without == 0 {
			t.Errorf("%s: %d samples with an instruction, %d without", spec, with, without)
		}
	}
}
