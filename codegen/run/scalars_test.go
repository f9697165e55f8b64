package run_test

import (
	"math/rand/v2"
	"testing"

	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/tirtest"
)

// scalarTexts are DAGs with tensors of no dimensions, and stages without axes: as inputs, in between and as outputs.
var scalarTexts = []string{
	"input x: float32[4, 9]\ny() = sum(i: 4, k: 9) x[i, k]\noutput y\n",
	"input x: int64[17]\ny() = max(k: 17) x[k]\noutput y\n",
	"input a: float32[]\ninput b: float32[]\nc() = a[]*b[] + 1\noutput c\n",
	"input a: uint8[]\nc() = bitxor(a[], 255)\nd() = int32(c[]) + 1\noutput c, d\n",
	"input a: float16[]\nc() = float16(float32(a[])*2)\noutput c\n",
	"y() = 3f\noutput y\n",
	"input x: float32[40]\ns() = sum(k: 40) x[k]\nm() = s[]*0.025\nd(i: 40) = x[i] - m[]\nv() = sum(k: 40) d[k]*d[k]\noutput d, v\n",
	"input x: float32[6, 8]\ninput scale: float32[]\ns(i: 6) = sum(k: 8) x[i, k]\nt() = max(i: 6) s[i]\n" +
		"y(i: 6, k: 8) = x[i, k]*scale[] + t[]\noutput y, t\n",
	"input x: float32[21]\nbest() = reduce(k: 21) {int32(k), x[k]} from {1048576, -inf} fold (ai, a) (bi, b) " +
		"{select(a > b || a == b && ai < bi, ai, bi), select(a > b || a == b && ai < bi, a, b)}\noutput best.v0, best.v1\n",
	"input x: float32[8]\ninput at: int64[]\ny() = x[floormod(at[], 8)]\noutput y\n",
}

// TestScalars schedules DAGs with scalars at random, and compares what the programs compute with the interpreter.
func TestScalars(t *testing.T) {
	d := newDifferential(t)
	x := d.executor()
	defer x.Close()
	for _, text := range scalarTexts {
		dag, err := compute.Parse(text)
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		again, err := compute.Parse(dag.Text())
		if err != nil || again.Text() != dag.Text() {
			t.Errorf("%v: %s\nis printed as\n%s", err, text, dag.Text())
		}
		for seed := range uint64(12) {
			random := tirtest.RandomSteps
			p := &program{seed: seed, kind: "scalar", dag: dag}
			if seed%3 == 2 {
				random, p.gpu = tirtest.RandomGPUSteps, &orders[seed/3%2]
			}
			p.steps = random(rand.New(rand.NewPCG(seed, 7)), dag, int(seed))
			if err := d.try(x, p); err != nil {
				t.Errorf("%v\n%s%s", err, p, text)
			}
		}
	}
}
