package collect

import "testing"

// TestParseShares: three percentages that make 100 and leave something to have neighbours of, or the choices of a
// trained scorer.
func TestParseShares(t *testing.T) {
	o := Options{Scorer: "gbt"}
	if err := o.ParseShares("60/0/40"); err != nil || o.Shares != [3]int{60, 0, 40} || o.Choices {
		t.Errorf("%+v, %v", o, err)
	}
	for _, text := range []string{"", "60/40", "60/0/40/0", "60/x/40", "-10/70/40", "60/0/41", "0/0/100", "choices"} {
		if err := o.ParseShares(text); err == nil {
			t.Errorf("%q: %+v", text, o)
		}
	}
	o = Options{Scorer: "world"}
	for _, text := range []string{"choices", "10/20/70"} {
		if err := o.ParseShares(text); err != nil || o.sharesText() != text || o.Choices != (text == "choices") {
			t.Errorf("%q: %+v, %v", text, o, err)
		}
	}
}
