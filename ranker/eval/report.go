package eval

import (
	"slices"
	"time"
)

// A Report is what an evaluation found. Only the times differ when it is made
// again.
type Report struct {
	Split   string    `json:"split"`
	Seeds   []uint64  `json:"seeds"`
	Folds   int       `json:"folds"` // of a seed
	Tasks   int       `json:"tasks"`
	DAGs    int       `json:"dags"`
	Records int       `json:"records"`
	Timed   int       `json:"timed"` // records that did not fail
	Scorers []Figures `json:"scorers"`
}

// Figures are what was found of a scorer.
type Figures struct {
	Name    string   `json:"scorer"`
	What    string   `json:"what"`
	Metrics []Figure `json:"metrics,omitempty"` // none of a cold scorer
	Replay  []Replay `json:"replay"`

	TrainSeconds float64 `json:"train_seconds"` // mean of a fold
	ScoreMicros  float64 `json:"score_us"`      // a candidate, without its features
}

// A Figure is a mean over tasks, from several seeds: their mean and range.
type Figure struct {
	Name string  `json:"name,omitempty"`
	Mean float64 `json:"mean"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// A Replay is what the replay bench found after so many trials.
type Replay struct {
	Trials int    `json:"trials"`
	Best   Figure `json:"best"`  // quality
	Ratio  Figure `json:"ratio"` // geometric mean of the quality over that of random picks
}

// Metric returns a figure by its name.
func (f *Figures) Metric(name string) (Figure, bool) {
	i := slices.IndexFunc(f.Metrics, func(m Figure) bool { return m.Name == name })
	if i < 0 {
		return Figure{}, false
	}
	return f.Metrics[i], true
}

// figure returns the figure of one value per seed.
func figure(name string, values []float64) Figure {
	mean := meanOf(len(values), func(i int) float64 { return values[i] })
	return Figure{Name: name, Mean: mean, Low: slices.Min(values), High: slices.Max(values)}
}

func newReport(tasks []*Task, o Options, jobs []*job) *Report {
	r := &Report{Split: o.Split.Name, Seeds: o.Seeds, Tasks: len(tasks)}
	dags := map[string]bool{}
	for _, t := range tasks {
		dags[t.Structure] = true
		r.Records += len(t.Samples)
		r.Timed += t.Timed()
	}
	r.DAGs = len(dags)
	for _, j := range jobs {
		r.Folds = max(r.Folds, j.fold+1)
	}
	for row := range o.Rows {
		r.Scorers = append(r.Scorers, figures(o, row, jobs))
	}
	return r
}

// figures returns what was found of a row.
func figures(o Options, row int, jobs []*job) Figures {
	f := Figures{Name: o.Rows[row].Name, What: o.Rows[row].What}
	bySeed := make([][]outcome, len(o.Seeds))
	var train, score time.Duration
	folds, candidates := 0, 0
	for _, j := range jobs {
		if j.row != row {
			continue
		}
		bySeed[j.seed] = append(bySeed[j.seed], j.groups...)
		train, score = train+j.train, score+j.score
		folds, candidates = folds+1, candidates+j.candidates
	}
	f.TrainSeconds = train.Seconds() / float64(folds)
	f.ScoreMicros = score.Seconds() * 1e6 / float64(candidates)
	// over returns a value for each seed.
	over := func(value func(list []outcome) float64) []float64 {
		var values []float64
		for _, list := range bySeed {
			values = append(values, value(list))
		}
		return values
	}
	mean := func(value func(o outcome) float64) []float64 {
		return over(func(list []outcome) float64 { return meanOf(len(list), func(i int) float64 { return value(list[i]) }) })
	}
	if !o.Rows[row].Cold {
		for k, m := range Metrics() {
			f.Metrics = append(f.Metrics, figure(m.Name, mean(func(o outcome) float64 { return o.metrics[k] })))
		}
	}
	for b, n := range Budgets {
		f.Replay = append(f.Replay, Replay{
			Trials: n,
			Best:   figure("", mean(func(o outcome) float64 { return o.replay[b] })),
			Ratio:  figure("", over(func(list []outcome) float64 { return geometric(list, b) })),
		})
	}
	return f
}
