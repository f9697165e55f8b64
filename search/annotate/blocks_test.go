package annotate

import (
	"strings"
	"testing"

	"github.com/wmtune/wmtune/search/sketch"
	workloads "github.com/wmtune/wmtune/tir/op"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

func chipSketch(t *testing.T, spec string) *schedule.State {
	t.Helper()
	w, err := workloads.Parse(spec)
	if err != nil {
		t.Fatal(err)
	}
	list, err := sketch.Generate(t.Context(), sketch.Accelerator, w.DAG, target.Accelerator())
	if err != nil {
		t.Fatal(err)
	}
	return list[0]
}

// TestBlockTiles: all tiles that are drawn fit the memories; one axis has two virtual threads, or none if there is to
// be one thread. The same numbers give the same states.
func TestBlockTiles(t *testing.T) {
	chip := target.Accelerator()
	for _, spec := range []string{
		"conv2d:h=56,w=56,ci=64,co=64,k=3,p=1,dtype=int8", "conv2d:h=7,w=7,ci=512,co=512,k=3,p=1,dtype=int8",
		"matmul:m=512,n=512,k=512,dtype=int8,epilogue=bias",
	} {
		for want, p := range []Policy{Accelerator.InOneThread(), Accelerator} {
			list, err := New(p, chip).Population(t.Context(), []*schedule.State{chipSketch(t, spec)}, 50, 3, 0, 0)
			if err != nil || len(list) < 25 {
				t.Fatalf("%s: %d states, %v", spec, len(list), err)
			}
			again, err := New(p, chip).Population(t.Context(), []*schedule.State{chipSketch(t, spec)}, 50, 3, 0, 1)
			if err != nil || len(again) != len(list) {
				t.Fatal(len(again), err)
			}
			for i, s := range list {
				if err := fitsChip(s, chip); err != nil {
					t.Errorf("%s: %v\n%s", spec, err, s)
				}
				if got := strings.Count(s.String(), " vthread "); got != want {
					t.Errorf("%s: %d loops of virtual threads, want %d\n%s", spec, got, want, s)
				}
				if s.String() != again[i].String() {
					t.Errorf("%s: state %d differs", spec, i)
				}
			}
		}
	}
}

// TestFitsChip: each memory is counted, once for each virtual thread.
func TestFitsChip(t *testing.T) {
	for _, c := range []struct {
		m, n, k string // pieces
		want    string
	}{
		{"[1, 16, 1]", "[1, 1, 16]", "[8, 16]", ""},
		{"[2, 128, 1]", "[1, 1, 16]", "[8, 16]", ""},
		{"[2, 129, 1]", "[1, 1, 16]", "[8, 16]", "33024 bytes of the first operand, and there are 32768"},
		{"[1, 1, 1]", "[1, 32, 16]", "[4, 16]", ""},
		{"[1, 1, 1]", "[2, 32, 16]", "[4, 16]", "65536 bytes of the second operand, and there are 32768"},
		{"[1, 128, 1]", "[1, 32, 16]", "[1, 16]", "262144 bytes of sums, and there are 131072"},
		{"[2, 1, 1]", "[2, 1, 16]", "[1, 16]", "4 virtual threads, and there are 2"},
		{"[4, 1, 1]", "[1, 1, 16]", "[1, 16]", "4 virtual threads, and there are 2"},
	} {
		open := chipSketch(t, "matmul:m=516,n=1024,k=512,dtype=int8")
		text := string(schedule.FormatSteps(open.Steps))
		for _, p := range [][2]string{{"516, [0, 0, 1]", "516, " + c.m}, {"1024, [0, 0, 16]", "1024, " + c.n},
			{"512, [0, 16]", "512, " + c.k}} {
			if !strings.Contains(text, p[0]) {
				t.Fatalf("no %s in %s", p[0], text)
			}
			text = strings.Replace(text, p[0], p[1], 1)
		}
		steps, err := schedule.ParseSteps([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		s, err := schedule.Replay(open.DAG, steps)
		if err != nil {
			t.Fatal(err)
		}
		if s, err = takeTurns(nil, s); err != nil {
			t.Fatal(err)
		}
		err = fitsChip(s, target.Accelerator())
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}
