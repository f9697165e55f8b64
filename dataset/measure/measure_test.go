package measure

import (
	"strings"
	"testing"
)

// Every status has a text of its own, which reads back; the last is named, as
// packages that count by status rely on it.
func TestStatusText(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range Statuses() {
		text := s.String()
		if text == "" || seen[text] {
			t.Errorf("status %d prints %q", s, text)
		}
		seen[text] = true
		if back, err := ParseStatus(text); err != nil || back != s {
			t.Errorf("%q reads as %v, %v", text, back, err)
		}
	}
	if list := Statuses(); len(list) != int(Unmeasured) || list[len(list)-1] != Unmeasured {
		t.Errorf("%d statuses, the last %v", len(list), list[len(list)-1])
	}
}

func TestParseStatusRefuses(t *testing.T) {
	for _, text := range []string{"", "none", "OK", "status(40)"} {
		if s, err := ParseStatus(text); err == nil || !strings.Contains(err.Error(), "unknown status") {
			t.Errorf("%q reads as %v, %v", text, s, err)
		}
	}
	if got := Status(200).String(); got != "status(200)" {
		t.Errorf("got %q", got)
	}
}

func TestCost(t *testing.T) {
	for _, c := range []struct {
		costs []float64
		want  float64
	}{{nil, 0}, {[]float64{3}, 3}, {[]float64{3, 1, 2}, 1}} {
		if got := (Result{Costs: c.costs}).Cost(); got != c.want {
			t.Errorf("%v: %v, want %v", c.costs, got, c.want)
		}
	}
}

// TestMedian: of an even number of values, it lies between the two middle ones.
func TestMedian(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   float64
	}{{nil, 0}, {[]float64{3}, 3}, {[]float64{9, 1}, 5}, {[]float64{9, 1, 2}, 2}, {[]float64{4, 1, 9, 2}, 3}} {
		if got := Median(c.values); got != c.want {
			t.Errorf("%v: %g, want %g", c.values, got, c.want)
		}
	}
}
