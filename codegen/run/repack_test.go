package run_test

import (
	"strings"
	"testing"

	"github.com/wmtune/wmtune/codegen/run"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/lower"
	"github.com/wmtune/wmtune/tir/schedule"
)

// TestRepacked: programs that copy operands so that lanes read neighbours are right, with all
// threads and with one, whole tiles and tiles that stick out.
func TestRepacked(t *testing.T) {
	j := newJudge(t)
	j.layout = lower.Rewrite
	for _, c := range []struct{ scores, steps string }{
		{"i: 64, j: 512", `[["SP", 3, 1, 512, [16], 1], ["RE", 3, [0, 1, 3, 2]], ["AN", 3, 0, 3], ["AN", 3, 3, 2]]`},
		{"i: 67, j: 509", `[["SP", 3, 1, 509, [8], 1], ["RE", 3, [0, 1, 3, 2]], ["AN", 3, 3, 2]]`},
	} {
		n := strings.Split(c.scores, ": ")
		rows := strings.TrimSuffix(n[1], ", j")
		text := "input q: float32[" + rows + ", 60]\ninput b: float32[" + n[2] + ", 60]\nk(j: " + n[2] + ", d: 60) = b[j, d]*2\n" +
			"s(" + c.scores + ") = sum(d: 60) q[i, d]*k[j, d]\noutput s"
		dag, err := compute.Parse(text)
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
		f, err := lower.Lower(s, lower.Config{Target: j.host, Layout: lower.Rewrite})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(f.String(), "alloc k_packed") {
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
