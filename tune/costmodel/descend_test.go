package costmodel

import (
	"context"
	"flag"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/search/descend"
	"github.com/wmtune/wmtune/search/evolve"
	"github.com/wmtune/wmtune/search/searchtest"
	"github.com/wmtune/wmtune/tir/op"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

var (
	logsFlag  = flag.String("logs", "", "logs that the network learns from, for TestDescendScores")
	onlyFlag  = flag.String("only", "", "tasks of paper22 of TestDescendScores; empty: all")
	seedsFlag = flag.Int("seeds", 3, "random seeds of TestDescendScores")
)

// A machine is a fake builder and runner: all is well.
type machine struct{}

func (machine) Build(_ context.Context, inputs []measure.Input) ([]measure.BuildResult, error) {
	return slices.Repeat([]measure.BuildResult{{Status: measure.OK, Object: []byte{1}}}, len(inputs)), nil
}

func (machine) Modes() measure.Modes { return measure.Modes{} }

func (machine) Run(_ context.Context, inputs []measure.Input, _ []measure.BuildResult) ([]measure.Result, error) {
	return slices.Repeat([]measure.Result{{Status: measure.OK, Costs: []float64{1e-3}}}, len(inputs)), nil
}

// counting is a frozen MLP that counts predictions and notes scores.
type counting struct {
	*MLP
	predictions *atomic.Int64
	scores      map[[16]byte]float64
}

func (c counting) Update(context.Context, *search.Task, []dataset.Record) error { return nil }

func (c counting) Score(ctx context.Context, task *search.Task, states []*schedule.State) ([]float64, error) {
	scores, err := c.MLP.Score(ctx, task, states)
	for i, s := range states {
		if _, seen := c.scores[s.Signature()]; !seen {
			c.predictions.Add(1)
		}
		c.scores[s.Signature()] = scores[i]
	}
	return scores, err
}

func (c counting) Traits() search.Traits {
	t := c.MLP.Traits()
	relax := t.Relax
	t.Relax = func(task *search.Task, s *schedule.State, free func(int) bool) (search.Relaxed, error) {
		r, err := relax(task, s, free)
		return countingRelaxed{r, c.predictions}, err
	}
	return t
}

type countingRelaxed struct {
	search.Relaxed
	n *atomic.Int64
}

func (c countingRelaxed) Value(y, slope []float64) float64 {
	c.n.Add(1)
	return c.Relaxed.Value(y, slope)
}

// proposed returns the best and the 64th best score that a proposer finds in a round, with how many predictions,
// and how long that took.
func proposed(t *testing.T, m *MLP, spec string, p search.Proposer, seed uint64) (best, last float64, n int64, took time.Duration) {
	t.Helper()
	task, _ := searchtest.Source(t, spec, target.LLVM)
	c := counting{MLP: m, predictions: &atomic.Int64{}, scores: map[[16]byte]float64{}}
	tu := &search.Tuner{Task: task, Scorer: c, Builder: machine{}, Runner: machine{}, Options: search.Options{
		Trials: 64, PerRound: 64, Seed: seed, ScorerName: "mlp", Finalists: -1, Propose: p,
	}}
	began := time.Now()
	if _, err := tu.Run(t.Context(), nil); err != nil {
		t.Fatalf("%s: %v", spec, err)
	}
	took = time.Since(began)
	var list []float64
	for _, v := range c.scores {
		list = append(list, v)
	}
	slices.Sort(list)
	slices.Reverse(list)
	return list[0], list[min(63, len(list)-1)], c.predictions.Load(), took
}

// TestDescendScores compares the scores that descent and evolution find in a round with about as many predictions,
// under one network and space (F8 of the notes on Felix). It needs logs.
func TestDescendScores(t *testing.T) {
	if *logsFlag == "" {
		t.Skip("no -logs")
	}
	m := OpenMLP(Options{Seed: 1})
	if err := m.Pretrain(t.Context(), strings.Split(*logsFlag, ","), func(text string) { t.Log(text) }); err != nil {
		t.Fatal(err)
	}
	suite, err := op.FindSuite("paper22")
	if err != nil {
		t.Fatal(err)
	}
	wins, lastWins, runs := 0, 0, 0
	var counts [2]int64
	var times [2]time.Duration
	for _, e := range suite.List {
		if *onlyFlag != "" && !slices.Contains(strings.Split(*onlyFlag, ","), e.Name) {
			continue
		}
		var sums [2]float64
		for seed := range uint64(*seedsFlag) {
			grown := search.Evolve{Evolution: evolve.Options{Population: 512, Generations: 3, Children: 512, Parents: 128}}
			b0, l0, n0, t0 := proposed(t, m, e.Spec, grown, seed)
			b1, l1, n1, t1 := proposed(t, m, e.Spec, &descend.Descender{Seeds: 8, Steps: 100}, seed)
			counts[0], counts[1] = counts[0]+n0, counts[1]+n1
			times[0], times[1] = times[0]+t0, times[1]+t1
			runs++
			if b1 >= b0 {
				wins++
			}
			if l1 >= l0 {
				lastWins++
			}
			sums[0], sums[1] = sums[0]+b0/float64(*seedsFlag), sums[1]+b1/float64(*seedsFlag)
		}
		t.Logf("%-10s evolve %6.3f descend %6.3f", e.Name, sums[0], sums[1])
	}
	t.Logf("descend is as good in %d of %d runs, in the 64th best in %d; predictions a run: evolve %d, descend %d; time %v, %v",
		wins, runs, lastWins, counts[0]/int64(runs), counts[1]/int64(runs), times[0]/time.Duration(runs), times[1]/time.Duration(runs))
}
