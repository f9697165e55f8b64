package run_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/schedule"
)

// underflows are operators whose results, or what they are computed from, are below the smallest
// normal number of their type.
var underflows = []string{
	"input x: float32[128, 256]\ny(i: 128, j: 256) = x[i, j]*1e-30*1e-20\noutput y",
	"input x: float32[128, 256]\ny(i: 128, j: 256) = x[i, j]*1e-30*1e-9\nz(i: 128, j: 256) = y[i, j]*1e30\noutput z",
	"input x: float16[128, 256]\ny(i: 128, j: 256) = float16(float32(x[i, j])*1e-6)\noutput y",
	"input x: float16[128, 256]\ny(i: 128, j: 256) = float16(float32(x[i, j])*1e-5)\nz(i: 128) = sum(j: 256) float32(y[i, j])*float32(x[i, j])\noutput z",
	"input x: bfloat16[64, 64]\ny(i: 64, j: 64) = bfloat16(float32(x[i, j])*1e-30*1e-9)\noutput y",
	"input x: float32[64, 1000]\np(i: 64) = reduce(k: 1000) {x[i, k]} from {1f} fold (a) (b) {a*b}\noutput p",
	"input x: float32[64, 64]\ne(i: 64, j: 64) = exp(x[i, j]*60 - 60)\noutput e",
}

// steps are operators of which float32 and float64 may come out on different sides of a step.
var steps = []string{
	"input x: float32[128, 256]\ninput w: float32[256, 64]\np(i: 128, j: 64) = sum(k: 256) x[i, k]*w[k, j]\n" +
		"y(i: 128, j: 64) = floor(p[i, j]*0.1*10*32)\noutput y",
	"input x: float32[512, 512]\ny(i: 512, j: 512) = select(x[i, j]*0.1*10 >= x[i, j], 1f, 0f)\noutput y",
	"input x: float32[256, 512]\ny(i: 256, j: 512) = round(x[i, j]/3*3*16)*0.5\noutput y",
	"input x: float32[256, 512]\ny(i: 256, j: 512) = float32(x[i, j]/3*3 > x[i, j])\ns(i: 256) = sum(j: 512) y[i, j]\noutput y, s",
	"input x: float32[256, 512]\ny(i: 256, j: 512) = int8(ceil(x[i, j]*0.1*320))\ns(i: 256) = sum(j: 512) int32(y[i, j])\noutput s",
	"input x: float32[256, 100]\nargmax(i: 256) -> at, value = reduce(k: 100) {int32(k), x[i, k]*0.1*10}\n" +
		"    from {2147483647, -inf}\n    fold (ka, a) (kb, b) {select(a > b || a == b && ka < kb, ka, kb), max(a, b)}\noutput at, value",
}

// powers are operators with powers of numbers that may be 0 or less.
var powers = []string{
	"input x: float32[64, 768]\ns(i: 64) = sum(k: 768) x[i, k]\nm(i: 64) = s[i]*(1/768.0)\n" +
		"v(i: 64) = sum(k: 768) pow(x[i, k] - m[i], 2.0)\noutput v",
	"input x: float32[64, 64]\ny(i: 64, j: 64) = pow(x[i, j]*0.1*10, 3.0)\noutput y",
}

// TestUnderflow, TestStepFunctions: a right program passes.
func TestUnderflow(t *testing.T) {
	j := newJudge(t)
	for _, text := range underflows {
		j.passes(text)
	}
}

func TestStepFunctions(t *testing.T) {
	j := newJudge(t)
	for _, text := range slices.Concat(steps, powers) {
		j.passes(text)
	}
}

// TestWrongSteps: a program that computes something else is wrong, also where it is off by one step, and where
// float32 is exact.
func TestWrongSteps(t *testing.T) {
	j := newJudge(t)
	for i, c := range []struct{ text, old, new string }{
		{steps[0], "floor(p[i, j]*0.1*10*32)", "ceil(p[i, j]*0.1*10*32)"},
		{steps[0], "floor(p[i, j]*0.1*10*32)", "floor(p[i, j]*0.1*10*32 + 0.08)"},
		{steps[2], "round(x[i, j]/3*3*16)", "roundeven(x[i, j]/3*3*16 + 0.25)"},
		{steps[4], "ceil(x[i, j]*0.1*320)", "ceil(x[i, j]*0.1*320 + 1.5)"},
		{steps[5], "ka < kb, ka, kb", "ka < kb, kb, ka"},
		{"input x: float32[64, 64]\ny(i: 64, j: 64) = floor(x[i, j]*16)\noutput y", "floor(x[i, j]*16)", "ceil(x[i, j]*16)"},
		{"input x: float32[64, 64]\ny(i: 64, j: 64) = floor(x[i, j]*32)\noutput y", "floor(x[i, j]*32)", "ceil(x[i, j]*32 - 1)"}, // at the step
		{powers[0], "2.0)", "2.0)*1.5"},
		{powers[1], "3.0", "1.0"},
		{underflows[0], "1e-20", "1e-5"},
		{underflows[2], "1e-6", "1.1e-6"},
		{underflows[5], "a*b", "a*b*b"},
	} {
		dag, err := compute.Parse(c.text)
		if err != nil {
			t.Fatal(err)
		}
		other, err := compute.Parse(strings.Replace(c.text, c.old, c.new, 1))
		if err != nil || other.Text() == dag.Text() {
			t.Fatal(err, c.new)
		}
		if err := j.setTask(dag, 1); err != nil {
			t.Errorf("%v\n%s", err, c.text)
			continue
		}
		if res := j.judge(schedule.New(other)); res[0].Status != measure.WrongAnswer {
			t.Errorf("%d: %s: %s instead of %s, in\n%s", i, res[0].Status, c.new, c.old, c.text)
		}
	}
}

// TestUncheckable: where the definition itself, computed in its own types, has another result, the error is
// of the task.
func TestUncheckable(t *testing.T) {
	j := newJudge(t)
	for _, c := range []struct{ text, want string }{
		{"input x: float32[64, 100]\na(i: 64, j: 100) = x[i, j]*1e-30*1e-20\nb(i: 64, j: 100) = a[i, j]*1e30*1e25\noutput b", "own types give 0: they"},
		{"input x: float32[64]\na(i: 64) = x[i] + 1e10\nb(i: 64) = a[i] - 1e10\noutput b", "own types give"},
		{"input x: float16[64]\na(i: 64) = float16(float32(x[i])*1e-9)\nb(i: 64) = a[i]\nc(i: 64) = float32(b[i])*1e9 + 1\noutput c", ""},
	} {
		dag, err := compute.Parse(c.text)
		if err != nil {
			t.Fatal(err)
		}
		err = j.setTask(dag, 1)
		if (err == nil) != (c.want == "") || err != nil && !(strings.Contains(err.Error(), c.want) && strings.Contains(err.Error(), "cannot be checked")) {
			t.Errorf("%v\n%s", err, c.text)
		}
	}
}
