package pages

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/cmd/report"
	"github.com/wmtune/wmtune/graph/rivals"
	"github.com/wmtune/wmtune/lab/bench"
)

var update = flag.Bool("update", false, "rewrite golden files")

// row makes a row whose contenders take so many microseconds in each of eleven rounds, the middle one 5 % longer.
func row(name string, us map[string]float64) bench.Row {
	r := bench.Row{Workload: name}
	for _, who := range []string{rivals.OursName, "ort", "torch"} {
		t := rivals.Times{Name: who, Error: who + " is not installed", Missing: true}
		if us[who] > 0 {
			t = rivals.Times{Name: who}
			for i := range 11 {
				t.Rounds = append(t.Rounds, []float64{us[who] * 1e-6 * (1 + 0.01*float64(i)), us[who] * 2e-6})
			}
		}
		r.Times = append(r.Times, t)
	}
	return r
}

// someFound is four workloads, two seeds, searches of 16 trials: world is much faster
// on "one" and on "two", as fast on "three", and slower on "four", where one of its
// searches fails.
func someFound() []bench.Found {
	us := map[string]map[string][]float64{
		"one":   {"gbt": {8, 8}, "world": {1, 1}},
		"two":   {"gbt": {4, 9}, "world": {2, 3}},
		"three": {"gbt": {100, 100}, "world": {99, 99}},
		"four":  {"gbt": {1000, 1000}, "world": {2000, 0}},
	}
	best := map[string]float64{"one": 1e-6, "two": 2e-6, "three": 99e-6, "four": 1000e-6}
	var list []bench.Found
	for _, name := range []string{"one", "two", "three", "four"} {
		for seed := range uint64(2) {
			for _, s := range []string{"gbt", "world"} {
				t := us[name][s][seed] * 1e-6
				list = append(list, bench.Found{
					Workload: name, Scorer: s, Seed: seed + 1, Budget: 16, Seconds: t, Best: best[name],
					Curve: curve(16, 2*t, t), Wall: 3, Thinking: 0.5, Scored: 800,
				})
			}
		}
	}
	return list
}

func side(scorer string, trials int) bench.Side { return bench.Side{Scorer: scorer, Budget: trials} }

// curve is a best-so-far of n trials, of which the first and the last time are
// given; the last comes with the last trial.
func curve(n int, first, last float64) []float64 {
	list := make([]float64, n)
	for i := range list {
		list[i] = first
	}
	list[n-1] = last
	return list
}

// TestKernelTable: missing things are dashes, and what is missing is said once.
func TestKernelTable(t *testing.T) {
	rows := []bench.Row{
		row("heavy", map[string]float64{rivals.OursName: 100, "ort": 400}),
		row("no peer", map[string]float64{rivals.OursName: 10}),
		{Workload: "no kernel", Race: rivals.Race{Failure: "nothing correct"}},
	}
	var text bytes.Buffer
	kernelTable(rows).Print(&text)
	for _, want := range []string{
		"heavy *    ort        400      100.0    4.00   4.00 to 4.00  +5%, +5%",
		"no peer    -          -        10.0     -      -             -, +5%",
		"no kernel  -          -        -        -      -             -, -",
		"or more): 4.00 (1 rows)",
		"all rows: 4.00 (1 of 3 rows)",
		"no kernel: no kernel of ours: nothing correct",
		"torch is not installed",
	} {
		if strings.Count(text.String(), want) != 1 {
			t.Errorf("not once in it: %s", want)
		}
	}
	if t.Failed() {
		t.Log(text.String())
	}
}

// TestVersusTables: what the terminal shows.
func TestVersusTables(t *testing.T) {
	list := someFound()
	world := bench.Compare(list, side("world", 16), side("gbt", 16))
	var text bytes.Buffer
	for _, table := range []report.Table{
		versusTable("gbt", []bench.Versus{world, bench.Compare(list, side("world", 64), side("gbt", 64))}),
		versusTable("gbt", []bench.Versus{
			{Side: side("world", 16), Baseline: side("gbt", 16), Geomean: 1, Model: 1.25},
			{Side: side("none", 16), Baseline: side("gbt", 16)},
		}),
		qualityTable([]bench.Quality{
			bench.QualityOf(list, side("gbt", 16)), bench.QualityOf(list, side("world", 16)), bench.QualityOf(list, side("none", 0)),
		}),
		cellTable(list, []bench.Versus{world}),
	} {
		table.Print(&text)
		text.WriteByte('\n')
	}
	golden := filepath.Join("testdata", "versus.txt")
	if *update {
		if err := os.WriteFile(golden, text.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil || text.String() != string(want) {
		t.Errorf("%v; got\n%s\nwant\n%s", err, &text, want)
	}
	if _, err := json.Marshal(world); err != nil {
		t.Error(err)
	}
}

// TestQualityPlot: the plot is of the best so far, geometric mean over seeds, and well-formed.
func TestQualityPlot(t *testing.T) {
	p := qualityPlot(someFound()[:4], []string{"gbt", "world"}, 16) // of "one"
	if n := len(p.At); p.At[n-1] != 16 || math.Abs(p.Curves[0].Y[n-1]-1/8.0) > 1e-9 || math.Abs(p.Curves[1].Y[0]-0.5) > 1e-9 {
		t.Errorf("%+v", p)
	}
	wellFormed(t, p.File())
}

// wellFormed fails the test if a drawing is no XML or has no numbers.
func wellFormed(t *testing.T, text string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(text))
	var err error
	for err == nil {
		_, err = d.Token()
	}
	if !errors.Is(err, io.EOF) || strings.Contains(text, "NaN") || strings.Contains(text, "Inf") {
		t.Errorf("%v\n%s", err, text)
	}
}
