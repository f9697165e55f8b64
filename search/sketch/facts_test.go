package sketch

import (
	"slices"
	"testing"
)

func TestOriginalAxes(t *testing.T) {
	for name, want := range map[string][]string{
		"i": {"i"}, "i.0": {"i"}, "i.0@j.1@": {"i", "j"}, "i.0@i.1@": {"i"}, "r_a": {"r_a"}, "i_c.3": {"i_c"}, "": nil,
	} {
		if got := OriginalAxes(name); !slices.Equal(got, want) {
			t.Errorf("OriginalAxes(%q) = %v, want %v", name, got, want)
		}
	}
}
