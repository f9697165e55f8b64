package collect

import "testing"

// TestParseShares: three percentages that make 100 and leave something to have neighbours of.
func TestParseShares(t *testing.T) {
	if got, err := ParseShares("60/0/40"); err != nil || got != [3]int{60, 0, 40} {
		t.Errorf("%v, %v", got, err)
	}
	for _, text := range []string{"", "60/40", "60/0/40/0", "60/x/40", "-10/70/40", "60/0/41", "0/0/100"} {
		if got, err := ParseShares(text); err == nil {
			t.Errorf("%q: %v", text, got)
		}
	}
}
