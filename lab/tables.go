package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
	"golang.org/x/sync/errgroup"

	"github.com/wmtune/wmtune/cmd/report"
	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/lab/pages"
	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/search/anneal"
	"github.com/wmtune/wmtune/search/annotate"
	"github.com/wmtune/wmtune/search/counted"
	"github.com/wmtune/wmtune/search/evolve"
	"github.com/wmtune/wmtune/search/space"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tune/costmodel"
)

const tablesWhat = `Tables replays tuners on template spaces whose configurations were all measured: the times of
the logs are served in place of a machine, so tuners differ in nothing else. A log comes from
'wmtune search --policy template --propose grid --trials 100000'.

A side is a proposer, or a proposer and a scorer: random, genetic, anneal/xgb-curve:reg. Sides
have semicolons between. anneal=4 chooses among 4 times as many as are wanted; anneal=1 without
diversity. top scores the whole space in each round, without either. A scorer that ends with +
learns from the logs of --sources first.

  go run . tables C6/tuning.arrow --sides "random;anneal/xgb-curve" --seeds 5`

// A tabled is a space that was measured as a whole.
type tabled struct {
	name  string
	task  *search.Task
	costs map[[16]byte]float64 // seconds; 0 of what failed
	best  float64
}

// tables is the study.
type tables struct {
	sides                   []string
	seeds, trials, perRound int
	sources                 []string
	near, explore           float64
	list                    []*tabled
}

func declareTables(fs *pflag.FlagSet) action {
	s := &tables{}
	sides := fs.String("sides", "random;genetic;anneal/xgb-knob;anneal/xgb-itervar;anneal/xgb-curve;anneal/xgb-relation",
		"`sides`, with semicolons between; the others are compared with the first")
	fs.IntVar(&s.seeds, "seeds", 5, "`number` of random seeds")
	fs.IntVar(&s.trials, "trials", 128, "`number` of trials of a search")
	fs.IntVar(&s.perRound, "per-round", 16, "`number` of candidates in a round")
	fs.StringArrayVar(&s.sources, "sources", nil, "`log` of another task that scorers with + learn from first")
	fs.Float64Var(&s.near, "near", 0.95, "`share` of the best speed that counts as found")
	fs.Float64Var(&s.explore, "explore", 0.05, "`share` of a round that is drawn at random; below 0 none")
	return func(ctx context.Context, args []string, c *console) error {
		s.sides = strings.Split(*sides, ";")
		if len(args) == 0 || s.seeds < 1 || s.trials < 1 || s.perRound < 1 || s.near <= 0 || s.near > 1 {
			return usagef("want logs, and positive numbers of seeds, trials and candidates in a round")
		}
		for _, side := range s.sides {
			if _, err := s.proposer(side); err != nil {
				return usageError{err}
			}
		}
		for _, name := range args {
			t, err := readTable(ctx, name)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			s.list = append(s.list, t)
		}
		return s.run(ctx, c)
	}
}

// readTable reads a log of one task.
func readTable(ctx context.Context, name string) (*tabled, error) {
	records, _, err := dataset.ReadLog(name)
	if err != nil {
		return nil, err
	}
	if len(records) == 0 {
		return nil, fmt.Errorf("it has no records")
	}
	first := &records[0]
	w, err := workload.Find(first.Workload)
	if err != nil {
		return nil, err
	}
	sp, err := space.Find(first.Target.Kind, "template", space.Config{Layout: first.Layout})
	if err != nil {
		return nil, err
	}
	t := &tabled{name: w.Text, costs: map[[16]byte]float64{}}
	if w.Text, t.name = first.Workload, w.Name; t.name == "" {
		t.name = first.Workload
	}
	t.task = &search.Task{Name: t.name, Key: w.Key, DAG: w.DAG, Target: first.Target, Layout: first.Layout}
	source, err := sp.Open(ctx, t.task)
	if err != nil {
		return nil, err
	}
	// All searches have one source, which keeps its states.
	t.task.Space = search.Space{Open: func(context.Context, *search.Task) (search.Source, error) { return source, nil }}
	for i := range records {
		s, err := schedule.ReplayBound(w.DAG, records[i].Steps)
		if err != nil {
			return nil, fmt.Errorf("record %d: %w", i, err)
		}
		cost := records[i].Cost()
		if t.costs[s.Signature()] = cost; cost > 0 && (t.best == 0 || cost < t.best) {
			t.best = cost
		}
	}
	if t.best == 0 {
		return nil, fmt.Errorf("none of its records was timed")
	}
	return t, nil
}

// Build serves what the table has.
func (t *tabled) Build(_ context.Context, inputs []measure.Input) ([]measure.BuildResult, error) {
	return slices.Repeat([]measure.BuildResult{{Status: measure.OK, Object: []byte{1}}}, len(inputs)), nil
}

// Modes are none.
func (t *tabled) Modes() measure.Modes { return measure.Modes{} }

// Run returns the times of the table. A configuration that is not in it is an error: the table is not whole.
func (t *tabled) Run(_ context.Context, inputs []measure.Input, _ []measure.BuildResult) ([]measure.Result, error) {
	out := make([]measure.Result, len(inputs))
	for i, in := range inputs {
		steps, err := schedule.ParseSteps([]byte(in.Steps))
		if err != nil {
			return nil, err
		}
		s, err := schedule.ReplayBound(t.task.DAG, steps)
		if err != nil {
			return nil, err
		}
		cost, ok := t.costs[s.Signature()]
		switch {
		case !ok:
			return nil, fmt.Errorf("%s: the log lacks a configuration: %s", t.name, in.Steps)
		case cost == 0:
			out[i] = measure.Result{Status: measure.Crash}
		default:
			out[i] = measure.Result{Status: measure.OK, Costs: []float64{cost}}
		}
	}
	return out, nil
}

// proposer returns a new one of a side.
func (s *tables) proposer(side string) (search.Proposer, error) {
	name, scorer, has := strings.Cut(side, "/")
	name, option, _ := strings.Cut(name, "=")
	if has && !costmodel.IsModel(strings.TrimSuffix(scorer, "+")) {
		return nil, fmt.Errorf("side %s: unknown scorer %q", side, scorer)
	}
	switch {
	case name == "random" && !has:
		return search.Sample{}, nil
	case name == counted.GeneticName && !has:
		return counted.Genetic{}, nil
	case name == "evolve" && has:
		return search.Evolve{}, nil
	case name == "top" && has:
		return top{}, nil
	case name == "anneal" && has:
		a := anneal.New()
		if option != "" {
			lambda, err := strconv.ParseFloat(option, 64)
			if err != nil || lambda < 1 {
				return nil, fmt.Errorf("side %s: %q is no number from 1 on", side, option)
			}
			if a.Lambda = lambda; lambda == 1 {
				a.Alpha = -1
			}
		}
		return a, nil
	}
	return nil, fmt.Errorf("side %s: known are random, genetic, evolve/SCORER, anneal/SCORER and top/SCORER", side)
}

// A top proposes what scores best in the whole space: what annealing would find if it missed nothing.
type top struct{}

func (top) Name() string { return "" }

func (top) Propose(ctx context.Context, b *search.Board, n int) ([]evolve.Scored, error) {
	random, err := annotate.Draw(ctx, 2*n, ^b.Seed(), b.Stream(0), b.Workers(), b.Source().Sample)
	if err != nil {
		return nil, err
	}
	drawn := evolve.Share{List: left(b, random), Places: n}
	if b.Traits().Untrained {
		return b.Pick(ctx, n, evolve.Share{}, drawn)
	}
	var all []*schedule.State
	configs := b.Source().Traits().Configs
	for i := range configs.Len {
		if s, err := configs.At(i); err == nil {
			all = append(all, s)
		}
	}
	scores, err := b.Score(ctx, all)
	if err != nil {
		return nil, err
	}
	list := search.Unscored(all)
	for i := range list {
		list[i].Score = scores[i]
	}
	list = slices.DeleteFunc(list, func(c evolve.Scored) bool { return b.Measured(c.Signature) })
	slices.SortFunc(list, evolve.BestFirst)
	drawn.Places = min(b.Explore(n), n)
	return b.Pick(ctx, n, evolve.Share{List: list, Places: n - drawn.Places}, drawn)
}

func left(b *search.Board, states []*schedule.State) []evolve.Scored {
	return search.Unscored(slices.DeleteFunc(states, func(s *schedule.State) bool { return b.Measured(s.Signature()) }))
}

// A replay is one search: the best speed so far after each trial, as a share of the table's best.
type replay []float64

// reached returns the first trial with so much speed, one more than there are if none has it.
func (r replay) reached(near float64) float64 {
	if i := slices.IndexFunc(r, func(v float64) bool { return v >= near }); i >= 0 {
		return float64(i + 1)
	}
	return float64(len(r) + 1)
}

// search replays one search.
func (s *tables) search(ctx context.Context, t *tabled, side string, seed int) (replay, error) {
	p, err := s.proposer(side)
	if err != nil {
		return nil, err
	}
	var scorer search.Scorer = search.Random{Seed: uint64(seed)}
	if _, name, has := strings.Cut(side, "/"); has {
		base, before := strings.CutSuffix(name, "+")
		if scorer, err = costmodel.Open(ctx, base, costmodel.Options{
			Seed: uint64(seed), Kind: t.task.Target.Kind, XGBoost: os.Getenv("WMTUNE_XGBOOST"),
		}); err != nil {
			return nil, err
		}
		if before {
			pretrain := scorer.Traits().Pretrain
			if pretrain == nil || len(s.sources) == 0 {
				return nil, fmt.Errorf("side %s: it cannot learn before, or there are no --sources", side)
			}
			if err := pretrain(ctx, s.sources, func(string) {}); err != nil {
				return nil, err
			}
		}
	}
	var r replay
	best := 0.0
	tuner := &search.Tuner{Task: t.task, Scorer: scorer, Builder: t, Runner: t, Options: search.Options{
		Trials: s.trials, PerRound: s.perRound, Seed: uint64(seed), ScorerName: "model", Finalists: -1, Workers: 1,
		Propose: p, Explore: s.explore,
		OnRound: func(round search.Round) error {
			for _, rec := range round.Records {
				if c := rec.Cost(); c > 0 {
					best = max(best, t.best/c)
				}
				r = append(r, best)
			}
			return nil
		},
	}}
	_, err = tuner.Run(ctx, nil)
	return r, err
}

// run replays all searches, and shows them.
func (s *tables) run(ctx context.Context, c *console) error {
	replays := make([][][]replay, len(s.sides)) // by side, table and seed
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i, side := range s.sides {
		replays[i] = make([][]replay, len(s.list))
		for k, t := range s.list {
			replays[i][k] = make([]replay, s.seeds)
			for seed := range s.seeds {
				g.Go(func() (err error) {
					replays[i][k][seed], err = s.search(ctx, t, side, seed)
					return err
				})
			}
		}
	}
	if err := g.Wait(); err != nil {
		return err
	}
	return c.finish("tables", replays, s.page(replays))
}

// page shows how soon each side finds what is near the best, and what it has after some trials.
func (s *tables) page(replays [][][]replay) pages.Page {
	near := fmt.Sprintf("%g %%", 100*s.near)
	soon := report.Table{Head: []string{"side"}}
	var after []int
	for n := s.perRound; n <= s.trials; n *= 2 {
		after = append(after, n)
	}
	for _, t := range s.list {
		soon.Head = append(soon.Head, t.name)
	}
	soon.Head = append(soon.Head, "times the first", "won", "lost")
	for _, n := range after {
		soon.Head = append(soon.Head, fmt.Sprintf("best after %d, %%", n))
	}
	for i, side := range s.sides {
		row := []string{side}
		ratio, won, lost := 0.0, 0, 0
		for k := range s.list {
			mean, first := 0.0, 0.0
			for seed, r := range replays[i][k] {
				mine, other := r.reached(s.near), replays[0][k][seed].reached(s.near)
				mean, first = mean+mine, first+other
				if mine < other {
					won++
				} else if mine > other {
					lost++
				}
			}
			ratio += math.Log(mean/first) / float64(len(s.list))
			row = append(row, fmt.Sprintf("%.1f", mean/float64(s.seeds)))
		}
		row = append(row, fmt.Sprintf("%.2f", math.Exp(ratio)), fmt.Sprint(won), fmt.Sprint(lost))
		for _, n := range after {
			sum, all := 0.0, 0.0
			for k := range s.list {
				for _, r := range replays[i][k] {
					sum, all = sum+math.Log(r[min(n, len(r))-1]), all+1
				}
			}
			row = append(row, fmt.Sprintf("%.1f", 100*math.Exp(sum/all)))
		}
		soon.Rows = append(soon.Rows, row)
	}
	soon.Notes = []string{
		"means over seeds of the trials to " + near + " of the best speed, by task",
		fmt.Sprintf("%d seeds, rounds of %d; a search of %d trials that does not find it counts as %d", s.seeds, s.perRound,
			s.trials, s.trials+1),
		"won and lost: searches that need fewer or more trials than the first side with the same seed",
		"best after so many trials: geometric mean of the speed over the table's best",
	}
	var facts []string
	for _, t := range s.list {
		facts = append(facts, fmt.Sprintf("%s: %d configurations, the best takes %.1f us", t.name, len(t.costs), 1e6*t.best))
	}
	for _, name := range s.sources {
		facts = append(facts, "source: "+name)
	}
	return pages.Page{Title: "Tuners on measured tables", Facts: facts, Tables: []report.Table{soon}}
}
