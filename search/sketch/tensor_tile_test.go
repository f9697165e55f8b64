package sketch

import (
	"strings"
	"testing"

	"github.com/wmtune/wmtune/tir/op"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// Products of 16-bit floats, and of float32 where that is allowed, have a sketch with tiles for tensor cores before
// those of AutoScheduler, where whole tiles are along their axes and the target has the units. Rows, columns and steps
// are along these loops.
func TestTensorSketches(t *testing.T) {
	rounded := CUDATensor
	rounded.TF32 = true
	for _, c := range []struct{ spec, arch, tile, reader string }{
		{"matmul:m=32,n=24,k=48,dtype=f16", "sm_80", "k.2 i.4 j.4", "i0.3.1 i1.3.1"},
		{"matmul:m=32,n=24,k=48,dtype=bf16", "sm_90", "k.2 i.4 j.4", "i0.3.1 i1.3.1"},
		{"matmul:m=32,n=24,k=48,ta=1,tb=1,dtype=f16,epilogue=bias+relu", "sm_86", "k.2 i.4 j.4", "i0.3.1 i1.3.1"},
		{"batch_matmul:b=3,m=16,n=8,k=16,dtype=f16", "sm_80", "k.2 i.4 j.4", "i1.3.1 i2.3.1"},
		{"conv2d:h=7,w=16,ci=32,co=24,k=3,p=1,dtype=f16", "sm_80", "rc.2 j.4 c.4", "i2.3.1 i3.3.1"},
		{"conv2d:h=16,w=7,ci=32,co=24,k=3,p=1,dtype=f16", "sm_80", "rc.2 i.4 c.4", "i1.3.1 i3.3.1"},
		{"conv2d:batch=16,h=7,w=7,ci=32,co=24,k=3,p=1,dtype=f16", "sm_80", "rc.2 n.4 c.4", "i0.3.1 i3.3.1"},
		{"conv2d:h=7,w=8,ci=32,co=16,k=3,p=1,dtype=f16,layout=NCHW", "sm_80", "rc.2 c.4 j.4", "i1.3.1 i3.3.1"},
		{"matmul:m=32,n=24,k=48", "sm_80 without tf32", "", ""},
		{"matmul:m=32,n=24,k=48,dtype=f16", "sm_80 without tf32", "k.2 i.4 j.4", "i0.3.1 i1.3.1"},
		{"matmul:m=32,n=24,k=40", "sm_80", "k.2 i_c.4 j_c.4", "i.3.1 j.3.1"},
		{"conv2d:h=7,w=16,ci=8,co=24,k=3,p=1,epilogue=bias+relu", "sm_86", "rc.2 j.4 c.4", "i2.3.1 i3.3.1"},
		{"matmul:m=32,n=24,k=48", "sm_75", "", ""},
		{"matmul:m=32,n=24,k=44", "sm_80", "", ""},
		{"matmul:m=32,n=24,k=48,dtype=f64", "sm_80", "", ""},
		{"matmul:m=32,n=24,k=48,dtype=f16", "sm_75", "", ""},
		{"matmul:m=24,n=24,k=48,dtype=f16", "sm_80", "", ""},
		{"matmul:m=32,n=20,k=48,dtype=f16", "sm_80", "", ""},
		{"matmul:m=32,n=24,k=40,dtype=f16", "sm_80", "", ""},
		{"depthwise:h=16,w=16,c=16,k=3,p=1,dtype=f16", "sm_80", "", ""},
		{"sum:m=32,n=48,dtype=f16", "sm_80", "", ""},
	} {
		w, err := op.Parse(c.spec)
		if err != nil {
			t.Fatal(err)
		}
		policy := rounded
		if c.arch == "sm_80 without tf32" {
			policy, c.arch = CUDATensor, "sm_80"
		}
		on, err := target.GPU(c.arch)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Generate(t.Context(), policy, w.DAG, on)
		if err != nil {
			t.Errorf("%s: %v", c.spec, err)
			continue
		}
		plain, err := Generate(t.Context(), CUDA, w.DAG, on)
		if err != nil {
			t.Fatal(err)
		}
		more := len(got) - len(plain)
		if want := min(1, len(c.tile)); more != want {
			t.Errorf("%s on %s: %d sketches more, want %d", c.spec, c.arch, more, want)
			continue
		}
		for i, s := range plain {
			if a, b := schedule.FormatSteps(got[more+i].Steps), schedule.FormatSteps(s.Steps); string(a) != string(b) {
				t.Errorf("%s on %s: sketch %d is\n%s\nnot\n%s", c.spec, c.arch, i, a, b)
			}
		}
		if more == 0 {
			continue
		}
		tiles := map[bool]string{} // of the product, and of the reader
		for _, st := range got[0].Stages {
			var names []string
			for i, it := range st.Iters {
				if it.Ann == schedule.Tensorize || names != nil {
					names = append(names, st.Iters[i].Name)
				}
			}
			if names != nil {
				tiles[st.Op.Combine != nil] = strings.Join(names, " ")
			}
		}
		if tiles[true] != c.tile || tiles[false] != c.reader {
			t.Errorf("%s: tiles %q and %q, want %q and %q", c.spec, tiles[true], tiles[false], c.tile, c.reader)
		}
	}
}
