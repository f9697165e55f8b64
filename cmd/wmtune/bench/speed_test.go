package bench

import (
	"bytes"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/dataset/measure"
)

// TestSpeed: parts add up to what candidates took, and are shown per candidate.
func TestSpeed(t *testing.T) {
	s := Speed{Workload: "a", Trials: 4, Wall: 2, Status: map[string]int{"ok": 3}}
	for range 2 {
		s.Parts.AddBuild(measure.BuildResult{Seconds: 0.1, LowerSeconds: 0.02, EmitSeconds: 0.03})
		s.Parts.AddRun(measure.Result{Seconds: 0.3, CheckSeconds: 0.1})
	}
	fast := Speed{Workload: "b", Trials: 4, Wall: 0.5, Status: map[string]int{}}
	var text bytes.Buffer
	SpeedTable([]Speed{s, fast}).Print(&text)
	for _, want := range []string{
		"a         2.0       3/4  500.0    0.0      0.0      0.0    10.0   15.0  25.0     50.0   100.0  0.0",
		"b         8.0       0/4  125.0",
		"geometric mean: 4.0 candidates a second",
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("not in it: %s\n%s", want, text.String())
		}
	}
}
