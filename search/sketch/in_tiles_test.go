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
	list, err := Generate(CPU, s.DAG, cpu(2).Target)
	if err != nil || len(list) != 1 {
		t.Fatalf("%d sketches, %v", len(list), err)
	}
	stage := map[string]int{}
	for i, st := range list[0].Stages {
		stage[st.Op.Name] = i
	}
	at, inside := list[0].Attach.At(stage["inverse"])
	if !inside || at.Stage != stage["relu"] || at.Iter != 3 || list[0].Stages[stage["bias_add"]].At != schedule.Inlined {
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
	if list, err = Generate(AutoScheduler, s.DAG, cpu(2).Target); err != nil {
		t.Fatal(err)
	}
	if _, inside = list[0].Attach.At(stage["inverse"]); inside {
		t.Errorf("AutoScheduler: %s", list[0])
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
		"two readers":  {"output relu", "other(i: 32) = inverse[0, 0, 0, i]*2f32\noutput relu, other"},
		"a reduction":  {"output relu", "all(i: 8, j: 8) = sum(c: 32) relu[0, i, j, c]\noutput all"},
	} {
		text := strings.Replace(tirtest.InverseText, change[0], change[1], 1)
		if text == tirtest.InverseText {
			t.Fatalf("%s changes nothing", what)
		}
		s := parsed(t, text)
		stage := 0
		for i, st := range s.Stages {
			if st.Op.Name == "inverse" {
				stage = i
			}
		}
		verdict := whenReadInTiles(nil, s, stage)
		if wanted := what == "a reduction"; (verdict != Skip) != wanted {
			t.Errorf("%s: %v", what, verdict)
		}
	}
}
