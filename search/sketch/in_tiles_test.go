package sketch

import (
	"strings"
	"testing"

	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/tirtest"
)

// TestReadInTiles: the inverse of a Winograd convolution has one sketch, in which it is computed for a tile of the
// output. AutoScheduler's has it in loops of its own.
func TestReadInTiles(t *testing.T) {
	s := parsed(t, tirtest.InverseText)
	list, err := Generate(t.Context(), CPU, s.DAG, cpu(2).Target)
	if err != nil || len(list) != 1 {
		t.Fatalf("%d sketches, %v", len(list), err)
	}
	at, inside := list[0].Attach.At(stageOf(t, list[0], "inverse"))
	inlined := list[0].Stages[stageOf(t, list[0], "bias_add")].At == schedule.Inlined
	if !inside || at.Stage != stageOf(t, list[0], "relu") || at.Iter != 3 || !inlined {
		t.Errorf("inverse at %v, %v\n%s", at, inside, list[0])
	}
	const want = `for i1.0 (0,2)
  for i2.0 (0,2)
    for i3.0 (0,4)
      for p (None)
        for ci (None)
          unroll eps (None)
            unroll nu (None)
              unroll r_a (None)
                unroll r_b (None)
                  inverse = ...
      for i1.1 (0,4)
        for i2.1 (0,4)
          for i3.1 (0,8)
            relu = ...
`
	if text := list[0].String(); !strings.HasSuffix(text, want) {
		t.Errorf("got\n%swant\n%s", text, want)
	}
	if list, err = Generate(t.Context(), AutoScheduler, s.DAG, cpu(2).Target); err != nil {
		t.Fatal(err)
	}
	if _, inside = list[0].Attach.At(stageOf(t, list[0], "inverse")); inside {
		t.Errorf("AutoScheduler: %s", list[0])
	}
}

// TestReadInTilesBehind: the last stage that reads it element by element holds the stage, before what reduces.
func TestReadInTilesBehind(t *testing.T) {
	for _, c := range []struct{ from, to, holder string }{
		{"output relu", "all(i: 8, j: 8) = sum(c: 32) relu[0, i, j, c]\noutput all", "bias_add"},
		{"max(bias_add[i0, i1, i2, i3], 0)", "sum(c: 3) bias_add[i0, i1, i2, i3]*2f32", "bias_add"},
		{"output relu", "more(i0: 1, i1: 8, i2: 8, i3: 32) = relu[i0, i1, i2, i3]*2f32\noutput more", "more"},
	} {
		s := parsed(t, strings.Replace(tirtest.InverseText, c.from, c.to, 1))
		list, err := Generate(t.Context(), CPU, s.DAG, cpu(2).Target)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range list {
			if at, inside := s.Attach.At(stageOf(t, s, "inverse")); !inside || s.Stages[at.Stage].Op.Name != c.holder {
				t.Errorf("%s: not computed in %s\n%s", c.to, c.holder, s)
			}
		}
	}
}

// TestNotReadInTiles: stages that are read in other ways are in loops of their own.
func TestNotReadInTiles(t *testing.T) {
	for what, change := range map[string][2]string{
		"other tiles":  {"floormod(i1, 4)", "floormod(i1, 2)"},
		"no remainder": {"floormod(i1, 4)", "floordiv(i1, 2)"},
		"of a sum":     {"floormod(i1, 4)", "floormod(i1 + 1, 4)"},
		"twice":        {"+ b[i3]", "+ inverse[0, 0, 0, i3] + b[i3]"},
		"an output":    {"output relu", "output relu, inverse"},
		"other sums":   {"indices eps, nu, r_a, r_b", "indices eps, nu, r_a"},
		"two readers":  {"output relu", "other(i: 32) = inverse[0, 0, 0, i]*2f32\noutput relu, other"},
		"channels first": {"bias_add(i0: 1, i1: 8, i2: 8, i3: 32) = " +
			"inverse[floormod(i1, 4), floormod(i2, 4), i0*4 + (floordiv(i1, 4)*2 + floordiv(i2, 4)), i3] + b[i3]\n" +
			"relu(i0: 1, i1: 8, i2: 8, i3: 32)", "bias_add(i0: 1, i3: 32, i1: 8, i2: 8) = " +
			"inverse[floormod(i1, 4), floormod(i2, 4), i0*4 + (floordiv(i1, 4)*2 + floordiv(i2, 4)), i3] + b[i3]\n" +
			"relu(i0: 1, i1: 32, i2: 8, i3: 8)"},
	} {
		text := strings.Replace(tirtest.InverseText, change[0], change[1], 1)
		if text == tirtest.InverseText {
			t.Fatalf("%s changes nothing", what)
		}
		s := parsed(t, text)
		if verdict := whenReadInTiles(nil, s, stageOf(t, s, "inverse")); verdict != Skip {
			t.Errorf("%s: %v", what, verdict)
		}
	}
}

// TestTwoReadInTiles: of two stages that one reader reads in tiles, one is computed in them.
func TestTwoReadInTiles(t *testing.T) {
	text := strings.Replace(tirtest.InverseText, "+ b[i3]", "+ second[floormod(i1, 4), floormod(i2, 4), "+
		"i0*4 + (floordiv(i1, 4)*2 + floordiv(i2, 4)), i3] + b[i3]", 1)
	i := strings.Index(text, "inverse(")
	j := strings.Index(text, "bias_add(")
	text = text[:j] + strings.Replace(text[i:j], "inverse(", "second(", 1) + text[j:]
	list, err := Generate(t.Context(), CPU, parsed(t, text).DAG, cpu(2).Target)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range list {
		inside := 0
		for stage := range s.Stages {
			if ComputedInTiles(s, stage) != nil {
				inside++
			}
		}
		if inside != 1 {
			t.Errorf("%d are in tiles\n%s", inside, s)
		}
	}
}

// TestSumsAreNotReadInTiles: what reduces holds no such stage. Few channels are less than a vector.
func TestSumsAreNotReadInTiles(t *testing.T) {
	s := parsed(t, strings.Replace(tirtest.InverseText, "i3: 32) = inverse", "i3: 32) = sum(k: 3) inverse", 1))
	if verdict := whenReadInTiles(nil, s, stageOf(t, s, "inverse")); verdict != Skip {
		t.Errorf("in a sum: %v", verdict)
	}
	s = parsed(t, strings.ReplaceAll(strings.ReplaceAll(tirtest.InverseText, ": 32)", ": 3)"), "32]", "3]"))
	list, err := Generate(t.Context(), CPU, s.DAG, cpu(2).Target)
	if err != nil || !strings.Contains(list[0].String(), "i3.1 (0,3)") {
		t.Errorf("%v\n%s", err, list)
	}
}

// TestComputedInTiles: other splits of a reader are none into the tiles of a stage, nor are any of another reader.
func TestComputedInTiles(t *testing.T) {
	other := strings.Replace(tirtest.InverseText, "floormod(i1, 4)", "floormod(i1, 2)", 1)
	for _, c := range []struct {
		text          string
		rows, columns int64
		channels      bool
		want          int
	}{
		{tirtest.InverseText, 4, 4, true, 3},
		{tirtest.InverseText, 4, 2, true, 0},
		{tirtest.InverseText, 2, 4, true, 0},
		{tirtest.InverseText, 4, 4, false, 0},
		{other, 4, 4, true, 0},
	} {
		s := parsed(t, c.text)
		inverse, relu := stageOf(t, s, "inverse"), stageOf(t, s, "relu")
		e := edit{state: s, stage: relu}
		e.apply(schedule.ComputeInline{At: relu - 1})
		e.split(1, []int64{c.rows})
		e.split(3, []int64{c.columns})
		if c.channels {
			e.split(5, []int64{8})
		}
		e.apply(schedule.ComputeAt{At: inverse, Target: relu, TargetIter: 0})
		if e.err != nil {
			t.Fatal(e.err)
		}
		if got := ComputedInTiles(e.state, inverse); len(got) != c.want {
			t.Errorf("%d x %d, %v: splits %v", c.rows, c.columns, c.channels, got)
		}
	}
}
