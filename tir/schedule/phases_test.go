package schedule_test

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/schedule"
)

// spreads are programs before the step: phases of fewer taps than others, of as many each, and of none; and a stride
// and a dilation that share a factor, with a number of channels that is no axis.
var spreads = []string{
	"conv2d_transpose:h=4,w=5,ci=2,co=3,k=3,s=2,p=1,out_pad=1",
	"conv2d_transpose:h=4,w=4,ci=2,co=3,k=4x3,s=2x1,p=1",
	"conv2d_transpose:h=4,w=4,ci=2,co=3,k=2,s=3",
	`input x: float32[2, 5]
input w: float32[4]
d(n: 2, i: 33) = if_then_else(i >= 7 && i < 24 && floormod(i - 7, 4) == 0, x[n, floordiv(i - 7, 4)], 0f)
y(n: 2, o: 15) = sum(k: 4) d[n, o + k*6]*w[3 - k]
output y
`,
}

func spread(t *testing.T, text string) *compute.DAG {
	t.Helper()
	if !strings.HasPrefix(text, "input") {
		return workload(t, text)
	}
	d, err := compute.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestPhases: the stages that the step makes of some sums.
func TestPhases(t *testing.T) {
	var got strings.Builder
	for _, text := range spreads {
		d := spread(t, text)
		s, err := schedule.New(d).Apply(schedule.Phases{At: 3})
		if err != nil {
			t.Fatal(err)
		}
		got.WriteString(d.String() + "=>\n" + s.Current.String() + "\n" + s.String() + "\n")
		if at, n := schedule.Adds(s.Steps[0]); at != 3 || n != 1 || s.Stages[at+n].Op != s.Current.Ops[4] {
			t.Errorf("the step puts %d stages at %d, before %s", n, at, s.Stages[at+n].Op.Name)
		}
	}
	const path = "testdata/phases.txt"
	if flag.Lookup("update").Value.String() == "true" {
		if err := os.WriteFile(path, []byte(got.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got.String() != string(want) {
		t.Errorf("got\n%s\nwant\n%s", &got, want)
	}
}

// TestPhasesRefuse has a case for each precondition.
func TestPhasesRefuse(t *testing.T) {
	conv := "conv2d_transpose:h=4,w=4,ci=2,co=3,k=3,s=2,p=1"
	program := func(d, y string) string {
		y, outputs, _ := strings.Cut(y+"|y", "|")
		outputs, _, _ = strings.Cut(outputs, "|")
		return "input x: float32[5]\ninput w: float32[3]\nd(i: 11) = " + d + "\ny(o: 9) = " + y + "\noutput " + outputs + "\n"
	}
	good, sum := "if_then_else(i >= 1 && i < 10 && floormod(i - 1, 2) == 0, x[floordiv(i - 1, 2)], 0f)",
		"sum(k: 3) d[o + k]*w[2 - k]"
	for _, c := range []struct {
		text  string
		steps []schedule.Step // before
		at    int
		want  string
	}{
		{conv, nil, 9, "no stage 9"},
		{conv, nil, 0, "is a placeholder"},
		{conv, nil, 1, "it is no sum from 0 on"},
		{conv, []schedule.Step{schedule.Fuse{At: 3, Iters: []int{0, 1}}}, 3, "a step was applied to stage conv2d_transpose"},
		{conv, []schedule.Step{schedule.Fuse{At: 1, Iters: []int{0, 1}}}, 3, "a step was applied to stage dilate"},
		{conv, []schedule.Step{schedule.ComputeInline{At: 1}}, 3, "a step was applied to stage dilate"},
		{conv, []schedule.Step{schedule.Phases{At: 3}}, 3, "it does not sum products"},
		{"conv2d_transpose:h=4,w=4,ci=2,co=3,k=3,p=1", nil, 3, "no stride is above 1"},
		{"conv2d:h=6,w=6,ci=2,co=3,k=3,p=1", nil, 3, "no stride is above 1"},
		{"maxpool2d:h=6,w=6,c=4,k=3,p=1", nil, 2, "it is no sum from 0 on"},
		{program(good, "sum(k: 3) d[o + k] + w[k]"), nil, 3, "it does not sum products"},
		{program(good, "sum(k: 3) d[o + k]*(d[o + k]*w[k])"), nil, 3, "it is read several times"},
		{program(good, "sum(k: 3) d[o + k + int64(w[0])]*w[2 - k]"), nil, 3, "it does not move by one element"},
		{program(good, "sum(k: 3) d[o + k]*w[2 - k]\nz(o: 9) = d[o]|y, z"), nil, 3, "stage z reads d, too"},
		{program(good, sum+"|y, d"), nil, 3, "stage d is an output"},
		{program(strings.Replace(good, "0f", "1f", 1), sum), nil, 3, "there are no zeros"},
		{program(strings.Replace(good, "floormod(i - 1, 2) == 0", "i > 2", 1), sum), nil, 3, "no stride is above 1"},
		{program(strings.Replace(good, "floormod(i - 1, 2) == 0", "floormod(i*3, 2) == 0", 1), sum), nil, 3, "no stride is above 1"},
		{program(strings.Replace(good, "floormod(i - 1, 2)", "floormod(i, 2) == 1 && floormod(i, 4)", 1), sum), nil, 3,
			"a dimension has two strides"},
		{program(good, "sum(k: 3) d[o + 1 - k + 1]*w[2 - k]"), nil, 3, "it does not move by one element"},
		{program(good, "sum(k: 3) d[floordiv(o, 2) + k]*w[2 - k]"), nil, 3, "it does not move by one element"},
	} {
		d := spread(t, c.text)
		s, err := schedule.Replay(d, c.steps)
		if err != nil {
			t.Fatalf("%s: %v", c.text, err)
		}
		if _, err := s.Apply(schedule.Phases{At: c.at}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s after %v: %v, want %q", c.text, c.steps, err, c.want)
		}
	}
}
