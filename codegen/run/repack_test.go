package run_test

import (
	"strings"
	"testing"

	"github.com/wmtune/wmtune/codegen/run"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/lower"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// TestRepacked: programs that copy operands, so that lanes read neighbours or in another type, are
// right, with all threads and with one, whole tiles and tiles that stick out.
func TestRepacked(t *testing.T) {
	j := newJudge(t)
	j.layout = target.Rewrite
	for _, c := range []struct{ text, steps, copies string }{
		{"input q: float32[64, 60]\ninput b: float32[512, 60]\nk(j: 512, d: 60) = b[j, d]*2\ns(i: 64, j: 512) = sum(d: 60) q[i, d]*k[j, d]\noutput s",
			`[["SP", 3, 1, 512, [16], 1], ["RE", 3, [0, 1, 3, 2]], ["AN", 3, 0, 3], ["AN", 3, 3, 2]]`, "alloc k_packed"},
		{"input q: float32[67, 60]\ninput b: float32[509, 60]\nk(j: 509, d: 60) = b[j, d]*2\ns(i: 67, j: 509) = sum(d: 60) q[i, d]*k[j, d]\noutput s",
			`[["SP", 3, 1, 509, [8], 1], ["RE", 3, [0, 1, 3, 2]], ["AN", 3, 3, 2]]`, "alloc k_packed"},
		{"input b: float16[64, 60]\ninput k: float16[60, 512]\nq(i: 64, d: 60) = float16(float32(b[i, d])*2)\ns(i: 64, j: 512) = sum(d: 60) float32(q[i, d])*float32(k[d, j])\noutput s",
			`[["SP", 3, 1, 512, [16], 1], ["RE", 3, [0, 1, 3, 2]], ["AN", 3, 0, 3], ["AN", 3, 3, 2]]`, "alloc q_float32"},
		{"input q: int8[67, 61]\ninput k: int8[61, 509]\ns(i: 67, j: 509) = sum(d: 61) int32(q[i, d])*int32(k[d, j])\noutput s",
			`[["SP", 2, 1, 509, [8], 1], ["RE", 2, [0, 1, 3, 2]], ["AN", 2, 3, 2]]`, "alloc q_int32"},
		{"input q: uint8[67, 60]\ninput k: int8[60, 509]\ns(i: 67, j: 509) = sum(d: 60) int32(q[i, d])*int32(k[d, j])\noutput s",
			`[["SP", 2, 1, 509, [32], 1], ["SP", 2, 3, 60, [4], 1], ["RE", 2, [0, 1, 3, 2, 4]], ["AN", 2, 0, 3], ["AN", 2, 3, 2], ["AN", 2, 4, 11]]`, "alloc k_packed"},
		{"input q: uint8[67, 60]\ninput k: int8[509, 60]\ns(i: 67, j: 509) = sum(d: 60) int32(q[i, d])*int32(k[j, d])\noutput s",
			`[["SP", 2, 1, 509, [32], 1], ["SP", 2, 3, 60, [4], 1], ["RE", 2, [0, 1, 3, 2, 4]], ["AN", 2, 0, 3], ["AN", 2, 3, 2], ["AN", 2, 4, 11]]`, "alloc k_packed"},
		{"input q: uint8[67, 60]\ninput k: int8[60, 509]\ns(i: 67, j: 509) = sum(d: 60) int32(q[i, d])*int32(k[d, j])\noutput s",
			`[["SP", 2, 1, 509, [32], 1], ["SP", 2, 3, 60, [2], 1], ["RE", 2, [0, 1, 3, 2, 4]], ["AN", 2, 0, 3], ["AN", 2, 3, 2], ["AN", 2, 4, 11]]`, "alloc k_packed"},
		{"input q: bfloat16[64, 64]\ninput k: bfloat16[64, 512]\ns(i: 64, j: 512) = sum(d: 64) float32(q[i, d])*float32(k[d, j])\noutput s",
			`[["SP", 2, 1, 512, [32], 1], ["SP", 2, 3, 64, [2], 1], ["RE", 2, [0, 1, 3, 2, 4]], ["AN", 2, 0, 3], ["AN", 2, 3, 2], ["AN", 2, 4, 11]]`, "alloc k_packed"},
	} {
		dag, err := compute.Parse(c.text)
		if err != nil {
			t.Fatal(err)
		}
		steps, err := schedule.ParseSteps([]byte(c.steps))
		if err != nil {
			t.Fatal(err)
		}
		s, err := schedule.Replay(dag, steps)
		if err != nil {
			t.Fatal(err)
		}
		f, err := lower.Lower(s, lower.Config{Target: j.host, Layout: target.Rewrite})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(f.String(), c.copies) {
			t.Errorf("nothing is copied in\n%s", f)
		}
		if err := j.setTask(dag, 1); err != nil {
			t.Fatal(err)
		}
		if res := j.judge(s); res[0].Status != measure.OK {
			t.Errorf("%s: %s\n%s", res[0].Status, res[0].Message, f)
		}
		// Interpreted in part, the copy is made whole.
		in, err := run.NewInterpreter(dag, 1)
		if err != nil {
			t.Fatal(err)
		}
		for number := range uint64(4) {
			if bad, err := in.Check(s, f, number); bad != "" || err != nil {
				t.Errorf("interpreted: %s, %v\n%s", bad, err, f)
			}
		}
	}
}
