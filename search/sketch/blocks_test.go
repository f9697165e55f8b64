package sketch

import (
	"strings"
	"testing"

	"github.com/wmtune/wmtune/tir/op"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// TestBlockSketches: a product of int8 whose columns and steps are whole blocks has one sketch, whose operands are
// loaded into the memories that they are for.
func TestBlockSketches(t *testing.T) {
	for _, c := range []struct{ spec, inp, wgt, innermost string }{
		{"matmul:m=7,n=32,k=48,dtype=int8", "x", "y", "k.2 i_c.3 j_c.3"},
		{"matmul:m=7,n=32,k=48,dtype=int8,epilogue=bias+relu", "x", "y", "k.2 i.3 j.3"},
		{"batch_matmul:b=2,m=7,n=32,k=48,dtype=int8", "x", "y", "k.2 q_c.3 i_c.3 j_c.3"},
		{"conv2d:h=8,w=8,ci=16,co=32,k=3,p=1,dtype=int8", "pad", "kernel",
			"rh.2 rw.2 rc.2 n_c.3 i_c.3 j_c.3 c_c.3"},
		{"conv2d:h=8,w=8,ci=16,co=32,k=1,dtype=int8", "data", "kernel",
			"rh.2 rw.2 rc.2 n_c.3 i_c.3 j_c.3 c_c.3"},
		{"matmul:m=7,n=24,k=48,dtype=int8", "", "", ""},          // columns
		{"matmul:m=7,n=32,k=40,dtype=int8", "", "", ""},          // steps
		{"matmul:m=7,n=32,k=48", "", "", ""},                     // types
		{"matmul:m=7,n=32,k=48,dtype=uint8", "", "", ""},         // signs
		{"matmul:m=7,n=32,k=48,ta=1,dtype=int8", "", "", ""},     // steps of x are no neighbours
		{"matmul:m=7,n=32,k=48,tb=1,dtype=int8", "", "", ""},     // columns of y are none
		{"dense:m=7,n=32,k=48,dtype=int8", "", "", ""},           // nor are those of weights
		{"depthwise:h=8,w=8,c=16,k=3,dtype=int8", "", "", ""},    // no sum over channels
		{"sum:m=32,n=48,dtype=int8", "", "", ""},                 // no product
		{"conv2d:h=8,w=8,ci=3,co=16,k=3,dtype=int8", "", "", ""}, // few channels
	} {
		w, err := op.Parse(c.spec)
		if err != nil {
			t.Errorf("%s: %v", c.spec, err)
			continue
		}
		list, err := Generate(t.Context(), Accelerator, w.DAG, target.Accelerator())
		if err != nil || len(list) != 1 {
			t.Errorf("%s: %d sketches, %v", c.spec, len(list), err)
			continue
		}
		inp, wgt, innermost, blocks := "", "", "", 0
		for _, step := range list[0].Steps {
			if sp, ok := step.(schedule.Split); ok && sp.Lengths[len(sp.Lengths)-1] == 16 {
				blocks++
			}
		}
		for _, st := range list[0].Stages {
			name, scope, _ := strings.Cut(st.Op.Name, ".")
			switch scope {
			case "inp":
				inp += name
			case "wgt":
				wgt += name
			}
			if _, ok := blockProductOf(&Generator{Target: target.Accelerator()}, st.Op); !ok {
				continue
			}
			var names []string
			for _, it := range st.Iters {
				if strings.HasSuffix(it.Name, ".3") || it.Kind == schedule.Reduction && strings.HasSuffix(it.Name, ".2") {
					names = append(names, it.Name)
				}
			}
			innermost = strings.Join(names, " ")
		}
		if inp != c.inp || wgt != c.wgt || innermost != c.innermost ||
			blocks != 2 && c.inp != "" {
			t.Errorf("%s: %q, %q and %q\n%s", c.spec, inp, wgt, innermost, list[0])
		}
	}
}
