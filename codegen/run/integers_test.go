package run_test

import (
	"strings"
	"testing"

	"github.com/wmtune/wmtune/tir/compute"
)

// TestIntegerWorkloads: operators whose inputs are indices with something around them, or
// integers that are too large, or masks, have a reference, and a right program passes.
func TestIntegerWorkloads(t *testing.T) {
	j := newJudge(t)
	for _, text := range []string{
		"input t: float32[64, 16]\ninput start: int64[8]\ny(b: 8, i: 8, j: 16) = t[start[b] + i, j]\noutput y",
		"input t: float32[100, 16]\ninput idx: int32[2048]\ny(i: 2048, j: 16) = t[int64(idx[i]) - 1, j]\noutput y",
		"input t: float32[128, 16]\ninput off: int32[32]\ny(i: 32, j: 16) = t[i*4 + int64(off[i]), j]\noutput y",
		"input n: int32[64]\ny(i: 64) = sqrt(float32(n[i]))\noutput y",
		"input a: int8[32, 64]\ninput b: int8[64, 32]\nacc(i: 32, j: 32) = sum(k: 64) int32(a[i, k])*int32(b[k, j])\n" +
			"e(i: 32, j: 32) = exp(float32(acc[i, j])*0.01)\ns(i: 32) = sum(j: 32) e[i, j]\np(i: 32, j: 32) = e[i, j]/s[i]\noutput p",
		"input m: bool[512, 4]\ninput x: float32[512, 4]\nc(i: 512) = sum(j: 4) float32(m[i, j])\n" +
			"s(i: 512) = sum(j: 4) if_then_else(m[i, j], x[i, j], 0)\ny(i: 512) = s[i]/c[i]\noutput y",
	} {
		j.passes(text)
	}
	dag, err := compute.Parse("input t: float32[64]\ninput a: int64[8]\ny(i: 8, j: 4) = t[a[i] + j*30]\noutput y")
	if err != nil {
		t.Fatal(err)
	}
	if err := j.setTask(dag, 1); err == nil || !strings.Contains(err.Error(), "depends on a in a way") {
		t.Errorf("an index that lies outside for all inputs: %v", err)
	}
}
