package tune_test

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/codegen/vdla"
	"github.com/wmtune/wmtune/search/annotate"
	"github.com/wmtune/wmtune/search/sketch"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/interp"
	"github.com/wmtune/wmtune/tir/lower"
	"github.com/wmtune/wmtune/tir/op"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// chipWorkloads are small: the interpreter computes all of them.
var chipWorkloads = []string{
	"matmul:m=32,n=32,k=32,dtype=int8",
	"matmul:m=7,n=48,k=64,dtype=int8",
	"matmul:m=12,n=32,k=32,dtype=int8,epilogue=bias+relu",
	"conv2d:h=8,w=8,ci=32,co=32,k=3,p=1,dtype=int8",
	"conv2d:h=9,w=7,ci=16,co=64,k=3,p=1,s=2,dtype=int8,epilogue=bias",
	"conv2d:h=6,w=6,ci=32,co=16,k=1,dtype=int8,epilogue=add+relu",
	"conv2d:h=10,w=10,ci=16,co=16,k=5,p=2,dtype=int8,epilogue=relu6",
}

func dagOf(t *testing.T, spec string) *compute.DAG {
	t.Helper()
	w, err := op.Parse(spec)
	if err != nil {
		t.Fatal(err)
	}
	return w.DAG
}

// chipStates returns random states of a DAG for the accelerator.
func chipStates(t *testing.T, d *compute.DAG, p annotate.Policy, n int) []*schedule.State {
	t.Helper()
	chip := target.Accelerator()
	sketches, err := sketch.Generate(t.Context(), sketch.Accelerator, d, chip)
	if err != nil {
		t.Fatal(err)
	}
	list, err := annotate.New(p, chip).Population(t.Context(), sketches, n, 1, 0, 0)
	if err != nil || len(list) == 0 {
		t.Fatalf("%d states: %v\n%s", len(list), err, sketches[0])
	}
	return list
}

// tensors returns random inputs and empty outputs.
func tensors(d *compute.DAG, seed uint64) []*interp.Tensor {
	r := rand.New(rand.NewPCG(seed, 0))
	list := interp.NewTensors(d.Tensors)
	for _, x := range list[:len(list)-d.Outputs] {
		for i := range x.Data {
			x.Data[i] = byte(r.Uint32())
		}
	}
	return list
}

// TestAcceleratorEqualsInterpreter: what the instructions compute is what the definition says, for all random tiles,
// with and without virtual threads; so is what the program before emission computes. The same program gives the same
// text.
func TestAcceleratorEqualsInterpreter(t *testing.T) {
	for _, spec := range chipWorkloads {
		d := dagOf(t, spec)
		want := tensors(d, 7)
		if err := interp.RunDAG(d, want); err != nil {
			t.Fatal(err)
		}
		for _, policy := range []annotate.Policy{annotate.Accelerator, annotate.Accelerator.InOneThread()} {
			for i, s := range chipStates(t, d, policy, 6) {
				f, err := lower.Lower(s, lower.Config{Target: target.Accelerator(), Check: lower.CheckEach})
				if err != nil {
					t.Fatalf("%s: %v\n%s", spec, err, s)
				}
				p, err := vdla.Emit(f)
				if err != nil {
					t.Fatalf("%s: %v\n%s", spec, err, f)
				}
				got := tensors(d, 7)
				var contents [][]byte
				for _, x := range got {
					contents = append(contents, x.Data)
				}
				stats, err := p.Run(vdla.PYNQ, contents)
				if err != nil {
					t.Fatalf("%s: %v\n%s\n%s", spec, err, f, p)
				}
				if stats.Products*256*2 != int64(products(d)) {
					t.Errorf("%s: %+v", spec, stats)
				}
				if again, err := vdla.Parse(p.String()); err != nil || again.String() != p.String() {
					t.Errorf("%s: the text does not read back: %v", spec, err)
				}
				for k := range got {
					if !bytes.Equal(got[k].Data, want[k].Data) {
						t.Fatalf("%s: tensor %s differs\n%s\n%s", spec, d.Tensors[k].Name, f, p)
					}
				}
				if i > 0 {
					continue
				}
				if err := interp.Run(f, got, interp.Options{}); err != nil {
					t.Fatalf("%s: %v\n%s", spec, err, f)
				}
				for k := range got {
					if !bytes.Equal(got[k].Data, want[k].Data) {
						t.Fatalf("%s: before it is emitted, tensor %s differs\n%s", spec, d.Tensors[k].Name, f)
					}
				}
			}
		}
	}
}

// products returns the operations of the sum of a DAG.
func products(d *compute.DAG) float64 {
	for _, op := range d.Ops {
		if n := 2.0; len(op.ReduceAxes) > 0 {
			for _, a := range append(op.Axes[:len(op.Axes):len(op.Axes)], op.ReduceAxes...) {
				n *= float64(a.Extent)
			}
			return n
		}
	}
	return 0
}

// TestAcceleratorRefuses: what the accelerator cannot do is an error that says so.
func TestAcceleratorRefuses(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"input x: float32[32, 16]\ny(i: 32, j: 16) = x[i, j]*2f32\noutput y", "the accelerator has no operation *"},
		{"input x: int32[32, 16]\ny(i: 32, j: 16) = x[i, j]\noutput y", "no operation of the accelerator makes x"},
		{"input x: int8[32, 8]\ninput w: int8[8, 16]\ny(i: 32, j: 16) = sum(k: 8) int32(x[i, k])*int32(w[k, j])\noutput y",
			"a computation of y.local has no loop over 16 lanes"},
		{withReader("y[i, j]*3"), "the accelerator has no operation *"},
		{withReader("3 - y[i, j]"), "no operation of the accelerator makes 3"},
		{withReader("y[i, j] + int32(x[i, 0])"), "no constant and no element of a tensor of int32"},
		{withReader("y[i, j] + y[i, 0]"), ""},
	} {
		d, err := compute.Parse(c.text)
		if err != nil {
			t.Fatal(c.text, err)
		}
		chip := target.Accelerator()
		sketches, err := sketch.Generate(t.Context(), sketch.Accelerator, d, chip)
		if err != nil {
			t.Fatal(err)
		}
		s, err := annotate.New(annotate.Accelerator, chip).Sample(sketches[0], rand.New(rand.NewPCG(1, 1)))
		if err != nil {
			t.Fatal(err)
		}
		f, err := lower.Lower(s, lower.Config{Target: chip})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := vdla.Emit(f); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q\n%s", c.text, err, c.want, f)
		}
	}
}

// withReader returns a product and a stage that reads it.
func withReader(value string) string {
	return "input x: int8[32, 16]\ninput w: int8[16, 16]\n" +
		"y(i: 32, j: 16) = sum(k: 16) int32(x[i, k])*int32(w[k, j])\nz(i: 32, j: 16) = " + value + "\noutput z"
}

// TestAcceleratorNarrows: a product that is shifted, bounded and stored in 8 bits.
func TestAcceleratorNarrows(t *testing.T) {
	d, err := compute.Parse(withReader("int8(min(max(shr(y[i, j], 4), -128), 127))"))
	if err != nil {
		t.Fatal(err)
	}
	want := tensors(d, 3)
	if err := interp.RunDAG(d, want); err != nil {
		t.Fatal(err)
	}
	for _, s := range chipStates(t, d, annotate.Accelerator, 4) {
		f, err := lower.Lower(s, lower.Config{Target: target.Accelerator()})
		if err != nil {
			t.Fatal(err)
		}
		p, err := vdla.Emit(f)
		if err != nil {
			t.Fatal(err)
		}
		got := tensors(d, 3)
		if _, err := p.Run(vdla.PYNQ, [][]byte{got[0].Data, got[1].Data, got[2].Data}); err != nil {
			t.Fatalf("%v\n%s", err, p)
		}
		if !bytes.Equal(got[2].Data, want[2].Data) {
			t.Errorf("differs\n%s", p)
		}
	}
}
