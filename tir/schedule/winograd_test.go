package schedule_test

import (
	"strings"
	"testing"

	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/op"
	"github.com/wmtune/wmtune/tir/schedule"
)

func workload(t *testing.T, text string) *compute.DAG {
	t.Helper()
	w, err := op.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return w.DAG
}

// TestWinogradStages: the stages that the step makes, how later ones move, and the weights that it prepares.
func TestWinogradStages(t *testing.T) {
	d := workload(t, "conv2d:h=5,w=6,ci=2,co=3,k=3,p=1,epilogue=bias")
	s, err := schedule.New(d).Apply(schedule.Winograd{At: 3, Tile: 4})
	if err != nil {
		t.Fatal(err)
	}
	const want = `Placeholder: data, kernel, kernel.winograd, bias
for i1 (0,7)
  for i2 (0,8)
    for i3 (0,2)
      pad = ...
for a (0,6)
  for nu (0,6)
    for p (0,4)
      for x3 (0,2)
        for r (0,6)
          conv2d.rows = ...
for eps (0,6)
  for nu (0,6)
    for p (0,4)
      for x3 (0,2)
        for r (0,6)
          conv2d.tiles = ...
for eps (0,6)
  for nu (0,6)
    for p (0,4)
      for c (0,3)
        for rc (0,2)
          conv2d.product = ...
for eps (0,6)
  for vw (0,4)
    for p (0,4)
      for y3 (0,3)
        for r (0,6)
          conv2d.columns = ...
for vh (0,4)
  for vw (0,4)
    for p (0,4)
      for y3 (0,3)
        for r (0,6)
          conv2d.inverse = ...
for i (0,5)
  for j (0,6)
    for c (0,3)
      conv2d = ...
for i1 (0,5)
  for i2 (0,6)
    for i3 (0,3)
      bias_add = ...
`
	if got := s.String(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if len(s.Prepared) != 1 || s.Prepared[0].From != d.Inputs()[1] || s.Prepared[0].To.Name != "kernel.winograd" {
		t.Errorf("prepared: %+v", s.Prepared)
	}
	if at, n := schedule.Adds(s.Steps[0]); at != 3 || n != 6 || s.Stages[at+n].Op.Name != "conv2d" {
		t.Errorf("the step puts %d stages at %d, before %s", n, at, s.Stages[at+n].Op.Name)
	}
	if schedule.New(d).Growth() != 1 || s.Growth() < 3 || s.Growth() > 4 {
		t.Errorf("errors grow by %g and %g", schedule.New(d).Growth(), s.Growth())
	}
	if s.Defined() == s.Current || schedule.New(d).Defined() != d {
		t.Error("Defined computes what is prepared, and is the DAG where nothing is")
	}
}

// TestTwoWinograds: errors of several convolutions add up, as those of their sums do: none grows by the others'
// factors.
func TestTwoWinograds(t *testing.T) {
	d, err := compute.Parse(`input x: float32[8, 8, 4]
input v: float32[3, 3, 4, 4]
input w: float32[3, 3, 4, 4]
a(h: 6, j: 6, c: 4) = sum(r: 3, s: 3, k: 4) x[h + r, j + s, k]*v[r, s, k, c]
    layout_free v
b(h: 6, j: 6, c: 4) = sum(r: 3, s: 3, k: 4) x[h + r, j + s, k]*w[r, s, k, c]
    layout_free w
y(h: 6, j: 6, c: 4) = a[h, j, c] + b[h, j, c]
output y
`)
	if err != nil {
		t.Fatal(err)
	}
	s := schedule.New(d)
	one := 0.0
	for i := 0; i < len(s.Stages); i++ {
		if _, err := schedule.ConvolutionOf(s.Stages[i].Op); err != nil {
			continue
		}
		if s, err = s.Apply(schedule.Winograd{At: i, Tile: 4}); err != nil {
			t.Fatal(err)
		}
		if one == 0 {
			one = s.Growth()
		}
	}
	if len(s.Prepared) != 2 || s.Growth() != one {
		t.Errorf("%d are prepared, errors grow by %g, those of one by %g", len(s.Prepared), s.Growth(), one)
	}
	for i, b := range s.Constants() {
		if b != s.Prepared[i].To || d.Constants()[i] != s.Prepared[i].From {
			t.Errorf("constant %d is %s, made of %s", i, b.Name, d.Constants()[i].Name)
		}
	}
}

// TestIndexOfWeights: weights that are read to find an element of the image, too, are no weights of Winograd's
// algorithm.
func TestIndexOfWeights(t *testing.T) {
	d, err := compute.Parse(`input x: float32[8, 8, 4]
input w: float32[3, 3, 4, 4]
y(h: 6, j: 6, c: 4) = sum(r: 3, s: 3, k: 4) x[h + r, j + s, floormod(int64(w[0, 0, k, 0]), 4)]*w[r, s, k, c]
    layout_free w
output y
`)
	if err != nil {
		t.Fatal(err)
	}
	_, err = schedule.ConvolutionOf(d.Ops[len(d.Ops)-1])
	if err == nil || !strings.Contains(err.Error(), "an index is read") {
		t.Errorf("got %v", err)
	}
}

// TestWinogradRefuses has a case for each precondition.
func TestWinogradRefuses(t *testing.T) {
	conv := "conv2d:h=6,w=6,ci=2,co=3,k=3,p=1"
	none := "it does not move by one element along two dimensions, with three weights along each"
	for _, c := range []struct {
		text  string
		steps []schedule.Step // before
		step  schedule.Winograd
		want  string
	}{
		{conv, nil, schedule.Winograd{At: 9, Tile: 4}, "no stage 9"},
		{conv, nil, schedule.Winograd{At: 0, Tile: 4}, "is a placeholder"},
		{conv, nil, schedule.Winograd{At: 1, Tile: 4}, "it is no sum from 0 on"},
		{conv, nil, schedule.Winograd{At: 3, Tile: 3}, "no algorithm with tiles of 3"},
		{conv, []schedule.Step{schedule.Fuse{At: 3, Iters: []int{0, 1}}}, schedule.Winograd{At: 3, Tile: 4},
			"a step was applied to stage conv2d already"},
		{conv, []schedule.Step{schedule.ComputeAt{At: 1, Target: 3, TargetIter: 1}}, schedule.Winograd{At: 3, Tile: 4},
			"stage conv2d has stages attached in it"},
		{conv, []schedule.Step{schedule.Winograd{At: 3, Tile: 2}}, schedule.Winograd{At: 6, Tile: 2}, none},
		{"conv2d:h=6,w=6,ci=2,co=3,k=3,p=1,s=2", nil, schedule.Winograd{At: 3, Tile: 4}, none},
		{"conv2d:h=6,w=6,ci=2,co=3,k=5,p=2", nil, schedule.Winograd{At: 3, Tile: 4}, none},
		{"conv2d:h=6,w=6,ci=2,co=3,k=1", nil, schedule.Winograd{At: 2, Tile: 4}, none},
		{"depthwise:h=6,w=6,c=4,k=3,p=1", nil, schedule.Winograd{At: 3, Tile: 4}, "it sums over no channels"},
		{"conv2d:h=6,w=6,ci=2,co=3,k=3,p=1,dtype=f16", nil, schedule.Winograd{At: 3, Tile: 4},
			"it does not multiply two float32 elements"},
		{"matmul:m=4,n=4,k=4", nil, schedule.Winograd{At: 2, Tile: 4}, "the weights are not constant"},
		{"maxpool2d:h=6,w=6,c=4,k=3,p=1", nil, schedule.Winograd{At: 2, Tile: 4}, "it is no sum from 0 on"},
	} {
		s, err := schedule.Replay(workload(t, c.text), c.steps)
		if err != nil {
			t.Fatalf("%s: %v", c.text, err)
		}
		if _, err := s.Apply(c.step); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s after %v: %v, want %q", c.text, c.steps, err, c.want)
		}
	}
}
