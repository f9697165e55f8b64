package report

import (
	"strings"
	"testing"

	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/tune"
)

// TestResultEnding: each of the last screens says why a search ended before all trials were
// spent, where nobody stopped it.
func TestResultEnding(t *testing.T) {
	us := 1.5
	for name, r := range map[string]tune.Result{
		"the best":         {BestUS: &us},
		"a choice":         {Unmeasured: true, Rivals: 3},
		"no kernel at all": {},
	} {
		for reason, want := range map[search.StopReason][2]int{
			search.Exhausted: {1, 0}, search.PatienceSpent: {0, 1}, search.TrialsSpent: {}, search.Stopped: {},
		} {
			var screen strings.Builder
			r.Reason = reason.String()
			Search(&screen, &r)
			text := screen.String()
			if got := [2]int{strings.Count(text, "\nno further candidates: "), strings.Count(text, "\nstopped by --patience: ")}; got != want {
				t.Errorf("%s, %s: said %d times, want %d\n%s", name, reason, got, want, text)
			}
		}
	}
}

// TestNoKernel: the last screen tells a search that measured nothing from one that found nothing correct.
func TestNoKernel(t *testing.T) {
	for want, r := range map[string]tune.Result{
		"no kernel: no candidate was measured\n": {},
		"no correct kernel among 2 trials: 2 wrong answer\n": {
			Trials: 2, Status: map[string]int{measure.WrongAnswer.String(): 2}},
	} {
		var screen strings.Builder
		Search(&screen, &r)
		if !strings.HasPrefix(screen.String(), want) {
			t.Errorf("want %q at the beginning of\n%s", want, &screen)
		}
	}
}

// TestRounding: the last screen says of a kernel that it rounds otherwise than the definition does.
func TestRounding(t *testing.T) {
	us := 1.5
	for want, r := range map[string]tune.Result{
		"by Winograd's algorithm": {BestUS: &us, Winograd: true},
		"rounded to tf32":         {BestUS: &us, TF32: true},
		"":                        {BestUS: &us},
	} {
		var screen strings.Builder
		Search(&screen, &r)
		for _, said := range []string{"by Winograd's algorithm", "rounded to tf32"} {
			if got := strings.Contains(screen.String(), said); got != (said == want) {
				t.Errorf("%q is said: %v\n%s", said, got, &screen)
			}
		}
	}
}

func TestBesideUntuned(t *testing.T) {
	for _, c := range []struct {
		best, untuned float64
		want          string
	}{
		{2, 5, ", 2.5 times as fast as the untuned loop nest (5 us)"},
		{5.2, 5, ", 1.0 times as fast as the untuned loop nest (5 us)"},
		{315, 5, ", takes 63.0 times as long as the untuned loop nest (5 us): try more --trials"},
	} {
		if got := besideUntuned(c.best, c.untuned); got != c.want {
			t.Errorf("%g and %g: %q, want %q", c.best, c.untuned, got, c.want)
		}
	}
}
