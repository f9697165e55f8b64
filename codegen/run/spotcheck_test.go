package run

import (
	"fmt"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
)

// TestSpotCheckEnds: a wrong reference is found, but not by way of more points than the
// check may visit.
func TestSpotCheckEnds(t *testing.T) {
	for _, c := range []struct {
		steps int
		found bool
	}{{100, true}, {spotPoints, false}} {
		d, err := compute.Parse(fmt.Sprintf("input x: float32[1]\ns() = sum(k: %d) x[0]\noutput s\n", c.steps))
		if err != nil {
			t.Fatal(err)
		}
		s := &signature{Tensors: []tensor{{Name: "x", Type: tir.F32, Shape: []int64{1}}, {Name: "s", Type: tir.F32, Shape: []int64{}}}, Outputs: 1}
		v := &vault{}
		for set := range inputSets {
			v.inputs[set] = [][]byte{{0, 0, 0x80, 0x3f}} // 1
			v.wants[set] = [][]byte{make([]byte, 8)}     // 0
		}
		err = spotCheck(d, s, v)
		if found := err != nil && strings.Contains(err.Error(), "the definition says 100"); found != c.found || !found && err != nil {
			t.Errorf("%d steps: %v", c.steps, err)
		}
	}
}
