package run

import (
	"testing"

	"github.com/wmtune/wmtune/tir/compute"
)

// TestReachOfWhatWrapsAround: the remainder of an int64 that may have wrapped around can be any.
func TestReachOfWhatWrapsAround(t *testing.T) {
	for value, want := range map[string]interval{
		"floormod(x[i]*5 + 2, 10)":           {0, 9},
		"floormod(int64(int32(x[i]))*5, 10)": {0, 5},
	} {
		d, err := compute.Parse("input x: int64[8]\ny(i: 8) = " + value + "\noutput y\n")
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := newReach(d, nil).of[d.Tensors[1]]; !ok || got != want {
			t.Errorf("%s is in %v, %v, want %v", value, got, ok, want)
		}
	}
}
