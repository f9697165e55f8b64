package inspect

import (
	"strings"
	"testing"

	"github.com/wmtune/wmtune/codegen"
	"github.com/wmtune/wmtune/codegen/run"
	"github.com/wmtune/wmtune/dataset/workload"
)

// TestRoof: a program is related to the roof that bounds it.
func TestRoof(t *testing.T) {
	r := roof{
		facts: run.Facts{AllFLOPS: 100e9, Copy: 10e9, Triad: 20e9, Threads: 2}, lastCache: codegen.Cache{Bytes: 1 << 20, Level: 3},
	}
	for _, c := range []struct {
		d       demand
		seconds float64
		want    []string
	}{
		{demand{90e6, 1e6}, 1e-3, []string{"1 ms", "90 FLOP/byte; the ridge is at 5", "90 GFLOP/s, 90 % of the 100 measured on 2 cores",
			"1 GB/s, 5 % of the 20 measured", "arithmetic: at the peak, which allows 900 us; this takes 1.11 times as long"}},
		{demand{1e6, 12e6}, 1e-3, []string{"memory: near the peak, which allows 600 us"}},
		{demand{0, 1e6}, 1e-3, []string{"0 GFLOP/s", "memory: far from the peak, which allows 50 us", "fit into the L3 cache (1 MiB)"}},
		{demand{1e6, 1e6}, 1e-5, []string{"memory: at the peak, which allows 50 us; this takes 0.20 times"}},
	} {
		text, err := r.text(c.d, "", c.seconds)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range c.want {
			if !strings.Contains(text, want) {
				t.Errorf("%+v in %g s: no %q in\n%s", c.d, c.seconds, want, text)
			}
		}
		if got := strings.Contains(text, "cache"); got != (c.d.bytes <= 1<<20 && strings.Contains(text, "memory:")) {
			t.Errorf("the cache is mentioned: %v\n%s", got, text)
		}
	}
	const note = "by Winograd's algorithm"
	if text, err := r.text(demand{1e6, 1e6}, note, 1); err != nil || !strings.Contains(text, note) {
		t.Errorf("the note is not there: %v\n%s", err, text)
	}
	if text, err := (&roof{}).text(demand{1, 1}, "", 1); err == nil {
		t.Errorf("without peaks: %s", text)
	}
}

func TestCompulsoryBytes(t *testing.T) {
	w, err := workload.Find("dense:m=2,n=3,k=5,epilogue=bias")
	if err != nil {
		t.Fatal(err)
	}
	if got := compulsoryBytes(w.DAG); got != 4*(2*5+3*5+3+2*3) {
		t.Errorf("%g bytes", got)
	}
}
