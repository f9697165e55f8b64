package target

import "testing"

func TestParseLayout(t *testing.T) {
	for _, l := range []Layout{Keep, Rewrite} {
		if got, err := ParseLayout(l.String()); got != l || err != nil {
			t.Errorf("%s: got %s, %v", l, got, err)
		}
	}
	if _, err := ParseLayout("other"); err == nil || err.Error() != `layout "other": must be keep or rewrite` {
		t.Errorf("got error %v", err)
	}
}
