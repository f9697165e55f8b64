package costmodel

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/ranker/feature"
	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/search/searchtest"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/tape"
	"github.com/wmtune/wmtune/tir/target"
)

var statesFlag = flag.Int("states", 8, "how many states of each task are relaxed")

// relaxedSuites are those whose states are relaxed.
var relaxedSuites = []string{"paper22", "resnet18", "mobilenet_v2", "bert"}

// divides reports whether all lengths of a state divide what they split.
func divides(s *schedule.State) bool {
	for _, step := range s.Steps {
		product := int64(1)
		if sp, ok := step.(schedule.Split); ok && sp.Extent > 0 {
			for _, l := range sp.Lengths {
				product *= l
			}
			if sp.Extent%product != 0 {
				return false
			}
		}
	}
	return true
}

func all(int) bool { return true }

// TestRelaxed: relaxed bounds are those of InferBound (Relax compares them), and sharp relaxed rows those of Rows.
// On processors no state that divides is refused. On GPUs, threads that copy parts of several rows read other
// regions than formulas have it.
func TestRelaxed(t *testing.T) {
	type count struct{ all, bounds, uneven, rows int }
	counts := map[target.Kind]*count{target.LLVM: {}, target.CUDA: {}}
	searchtest.Each(t, relaxedSuites, *statesFlag, func(kind target.Kind, name string, _ search.Source, s *schedule.State) {
		if !divides(s) {
			return
		}
		c := counts[kind]
		c.all++
		r, err := s.Relax(&tape.Tape{}, all)
		switch {
		case err != nil:
			c.bounds++
			t.Logf("%s: %v", name, err)
			return
		case r.Uneven:
			c.uneven++
			return
		}
		if _, _, err := feature.Relax(&tape.Tape{}, s, 64, all); err != nil {
			c.rows++
			if kind == target.LLVM {
				t.Errorf("%s: %v\n%s", name, err, s)
			}
		}
	})
	for kind, c := range counts {
		t.Logf("%v: %d states divide; bounds of %d refused, %d with loops of fused ones that do not divide; rows of %d refused",
			kind, c.all, c.bounds, c.uneven, c.rows)
		if c.all == 0 || c.bounds > 0 && kind == target.LLVM || c.bounds*20 > c.all || c.rows*4 > c.all {
			t.Errorf("%v: too many states are refused", kind)
		}
	}
}

// TestRelaxedSlopes: slopes of relaxed rows are those of differences at points between programs, but for kinks.
func TestRelaxedSlopes(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	points, wrong := 0, 0
	searchtest.Each(t, relaxedSuites, max(1, *statesFlag/8), func(kind target.Kind, name string, _ search.Source, s *schedule.State) {
		tp := &tape.Tape{Sharpness: 1}
		r, rows, err := feature.Relax(tp, s, 64, all)
		if err != nil || len(r.Vars) == 0 {
			return
		}
		weights, by := make([]float64, len(rows)), make([]float64, len(r.Vars))
		for i := range weights {
			weights[i] = rng.NormFloat64()
		}
		value := func(y []float64) (sum float64) {
			tp.Run(y)
			for i, x := range rows {
				sum += weights[i] * x.At()
			}
			return sum
		}
		y := make([]float64, len(r.Vars))
		for k, v := range r.Vars {
			y[k] = rng.Float64() * math.Log(float64(max(v.Extent, 2))) / 2
		}
		value(y)
		tp.Slopes(rows, weights, by)
		k := rng.IntN(len(y))
		const h = 1e-5
		up, down := slices.Clone(y), slices.Clone(y)
		up[k] += h
		down[k] -= h
		want := (value(up) - value(down)) / (2 * h)
		points++
		if math.Abs(by[k]-want) > 1e-4*max(1, math.Abs(want)) {
			wrong++
			t.Logf("%v %s: slope %v, by differences %v", kind, name, by[k], want)
		}
	})
	t.Logf("%d of %d slopes differ from differences", wrong, points)
	if points == 0 || wrong*100 > points {
		t.Errorf("%d of %d slopes differ from differences", wrong, points)
	}
}

// TestSharpness: with conditions a thousand times as sharp, relaxed rows are near those of the program, and nearer
// than at sharpness 1.
func TestSharpness(t *testing.T) {
	states := 0
	gap := map[float64]map[string]float64{1: {}, 4: {}, 1000: {}}
	searchtest.Each(t, relaxedSuites, max(1, *statesFlag/8), func(kind target.Kind, name string, _ search.Source, s *schedule.State) {
		if kind != target.LLVM || !divides(s) {
			return
		}
		_, exact, err := feature.Relax(&tape.Tape{}, s, 64, all)
		if err != nil {
			t.Fatal(err)
		}
		states++
		for k, most := range gap {
			_, rows, err := feature.Relax(&tape.Tape{Sharpness: k}, s, 64, all)
			if err != nil {
				t.Fatal(err)
			}
			for i, v := range rows {
				column := feature.Names()[i%feature.Columns]
				most[column] = max(most[column], math.Abs(v.Value()-exact[i].Value()))
			}
		}
	})
	for _, k := range []float64{1, 4, 1000} {
		var list []string
		worst := 0.0
		for column, g := range gap[k] {
			worst = max(worst, g)
			if g > 0.1 {
				list = append(list, fmt.Sprintf("%s %.3f", column, g))
			}
		}
		slices.Sort(list)
		t.Logf("sharpness %v: the largest gap is %.4f; above 0.1: %s", k, worst, strings.Join(list, " "))
		if k == 1000 && worst > 0.2 {
			t.Errorf("at sharpness 1000 a column is %v apart", worst)
		}
	}
	if states == 0 {
		t.Error("no state")
	}
}
