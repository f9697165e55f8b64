package run_test

import (
	"strings"
	"testing"

	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/op"
	"github.com/wmtune/wmtune/tir/schedule"
)

// TestSpecialNumbers: operators that choose are checked with infinities and NaNs; a right program passes, and one that
// differs for those alone is wrong.
func TestSpecialNumbers(t *testing.T) {
	j := newJudge(t)
	const maximum = "input x: float32[64, 100]\nm(i: 64) = max(k: 100) x[i, k]\noutput m"
	for _, text := range []string{maximum, strings.Replace(maximum, "= max", "= min", 1), strings.NewReplacer("float32", "float16", "x[i, k]", "float32(x[i, k])").Replace(maximum),
		"input x: float32[1, 32, 32, 16]\np(n: 1, y: 34, x0: 34, c: 16) =\n    if_then_else(y >= 1 && y < 33 && x0 >= 1 && x0 < 33, x[n, y - 1, x0 - 1, c], -inf)\n" +
			"m(n: 1, y: 16, x0: 16, c: 16) = max(ry: 3, rx: 3) p[n, y*2 + ry, x0*2 + rx, c]\noutput m",
	} {
		j.passes(text)
	}
	w, err := op.Parse("argmax:m=64,n=100")
	if err != nil {
		t.Fatal(err)
	}
	if err := j.setTask(w.DAG, 1); err != nil {
		t.Fatal(err)
	}
	if res := j.judge(schedule.New(w.DAG)); res[0].Status != measure.OK {
		t.Errorf("argmax: %s: %s", res[0].Status, res[0].Message)
	}
	blind, err := compute.Parse(strings.NewReplacer("!(x_value <= select(y_value == y_value, y_value, inf))",
		"x_value > y_value",
		" && (x_place < y_place || y_value == y_value)", "").Replace(w.DAG.Text()))
	if err != nil {
		t.Fatal(err)
	}
	if res := j.judge(schedule.New(blind)); res[0].Status != measure.WrongAnswer {
		t.Errorf("an argmax that knows no NaN: %s", res[0].Status)
	}
	for old, new := range map[string]string{
		"max(k: 100) x[i, k]": "max(k: 100) if_then_else(x[i, k] > -3e38, x[i, k], -3e38)", // -Inf, and no NaN comes through
		"x[i, k]":             "if_then_else(x[i, k] < 3e38 || x[i, k] != x[i, k], x[i, k], 3e38)",
	} {
		dag, err := compute.Parse(maximum)
		if err != nil {
			t.Fatal(err)
		}
		other, err := compute.Parse(strings.Replace(maximum, old, new, 1))
		if err != nil {
			t.Fatal(err)
		}
		if err := j.setTask(dag, 1); err != nil {
			t.Fatal(err)
		}
		if res := j.judge(schedule.New(other)); res[0].Status != measure.WrongAnswer {
			t.Errorf("%s: %s", new, res[0].Status)
		}
	}
}

// TestExtremesOfHalf: a program that looks for a maximum, a minimum, the place of the largest, or for any or all that
// are true, in half of the elements only is wrong, and the right one passes.
func TestExtremesOfHalf(t *testing.T) {
	j := newJudge(t)
	const floats, bytes, truths = "input x: float32[64, 4096]\n", "input x: int8[64, 4096]\n", "input x: bool[64, 4096]\n"
	for _, text := range []string{
		floats + "m(i: 64) = max(k: 4096) x[i, k]\ny(i: 64) = m[i]*2\noutput y",
		floats + "m(i: 64) = min(k: 4096) fabs(x[i, k])\ny(i: 64) = m[i]*0.5 + 1\noutput y",
		floats + "m(i: 64) = max(k: 4096) x[i, k]\ne(i: 64) = exp(m[i])\ns() = sum(i: 64) e[i]\noutput s",
		strings.Replace(floats, "[64, 4096]", "[4096, 64]", 1) +
			"m(i: 64) = max(k: 4096) x[k, i]\ny(i: 64) = m[i]*2\noutput y",
		bytes + "m(i: 64) = max(k: 4096) int32(x[i, k])\noutput m",
		bytes + "m(i: 64) = min(k: 4096) x[i, k]\noutput m",
		truths + "m(i: 64) = max(k: 4096) uint8(x[i, k])\noutput m",
		truths + "m(i: 64) = min(k: 4096) uint8(x[i, k])\noutput m",
	} {
		j.passes(text)
		half, err := compute.Parse(strings.Replace(text, "k: 4096", "k: 2048", 1))
		if err != nil {
			t.Fatal(err)
		}
		if res := j.judge(schedule.New(half)); res[0].Status != measure.WrongAnswer {
			t.Errorf("%s: half of\n%s", res[0].Status, text)
		}
	}
}
