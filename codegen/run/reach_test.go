package run

import (
	"testing"

	"github.com/wmtune/wmtune/tir/arith"
	"github.com/wmtune/wmtune/tir/compute"
)

// TestReachOfWhatWrapsAround: the remainder of an int64 that may have wrapped around can be any.
func TestReachOfWhatWrapsAround(t *testing.T) {
	for value, want := range map[string][2]int64{
		"floormod(x[i]*5 + 2, 10)":           {0, 9},
		"floormod(int64(int32(x[i]))*5, 10)": {0, 5},
	} {
		d, err := compute.Parse("input x: int64[8]\ny(i: 8) = " + value + "\noutput y\n")
		if err != nil {
			t.Fatal(err)
		}
		if got := newReach(d, nil).of[d.Tensors[1]]; got != arith.Between(want[0], want[1]) {
			t.Errorf("%s is in %v, want %v", value, got, want)
		}
	}
}
