package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/graph/rivals"
	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/tune"
	"github.com/wmtune/wmtune/tune/costmodel"
)

// ScorersOptions say which scorers are compared, and how.
type ScorersOptions struct {
	Names     []string // none: those that can be opened
	Baselines []Baseline
	Budgets   []int // trials; each is a search of its own. 0: the scorer's first choice
	Seeds     []uint64
	Time      time.Duration // after which a search stops; 0: none
	Finalists int           // fastest candidates of a search that are timed in turns
	Report    bool          // search and time nothing: report what is complete

	// Done is told what the searches of one workload and seed found, and how much of all
	// is left; nil: nobody listens.
	Done func(group []Found, left string)
}

// A Baseline is what scorers are compared with: a scorer after as many trials as
// theirs, or after its own number.
type Baseline struct {
	Scorer string
	Fixed  bool
	Budget int // if it is fixed
}

func (b Baseline) String() string {
	if b.Fixed {
		return fmt.Sprintf("%s@%d", b.Scorer, b.Budget)
	}
	return b.Scorer
}

// Side is the baseline of scorers with a budget.
func (b Baseline) Side(budget int) Side {
	if b.Fixed {
		budget = b.Budget
	}
	return Side{Scorer: b.Scorer, Budget: budget}
}

// Check reports what is wrong with the options, and fills in the names.
func (o *ScorersOptions) Check(known Scorers) error {
	switch {
	case len(o.Budgets) == 0, len(o.Seeds) == 0, len(o.Baselines) == 0:
		return tune.Optionf("a comparison needs numbers of trials, seeds and baselines")
	case slices.Min(o.Budgets) < 0:
		return tune.Optionf("trials %v: must not be negative", o.Budgets)
	case o.Time < 0:
		return tune.Optionf("a time of %v: must be positive", o.Time)
	case o.Finalists < 1:
		return tune.Optionf("%d finalists: must be at least 1", o.Finalists)
	}
	if err := errors.Join(twice("trials", o.Budgets), twice("seeds", o.Seeds), twice("scorers", o.Names)); err != nil {
		return err
	}
	all := len(o.Names) == 0
	if all {
		o.Names = costmodel.Names()
	}
	for _, name := range slices.Clone(o.Names) {
		switch err := known.Check(name); {
		case all && costmodel.Unavailable(err):
			o.Names = slices.DeleteFunc(o.Names, func(n string) bool { return n == name })
		case err != nil:
			return err
		}
	}
	for _, base := range o.Baselines {
		if err := known.Check(base.Scorer); err != nil {
			return fmt.Errorf("baseline: %w", err)
		}
		if !base.Fixed && !slices.Contains(o.Names, base.Scorer) {
			o.Names = append(o.Names, base.Scorer)
		}
	}
	return nil
}

// twice reports an element that a list holds more than once.
func twice[T comparable](what string, list []T) error {
	for i, v := range list {
		if slices.Contains(list[:i], v) {
			return tune.Optionf("%s %v: %v stands there twice", what, list, v)
		}
	}
	return nil
}

// sides are what each workload is searched with from each seed.
func (o *ScorersOptions) sides() []Side {
	var list []Side
	for _, n := range o.Budgets {
		for _, s := range o.Names {
			list = append(list, Side{Scorer: s, Budget: n})
		}
	}
	for _, base := range o.Baselines {
		if side := base.Side(0); base.Fixed && !slices.Contains(list, side) {
			list = append(list, side)
		}
	}
	return list
}

// A ScorersReport is what the benchmark of scorers found.
type ScorersReport struct {
	Comparisons []Versus  `json:"comparisons"` // for each baseline and budget, the scorers
	Machine     string    `json:"machine"`
	Qualities   []Quality `json:"qualities"`
	Scorers     []string  `json:"scorers"`
	Searches    []Found   `json:"searches"`
	Seeds       []uint64  `json:"seeds"`
	Suite       string    `json:"suite,omitempty"`
	Plan        string    `json:"plan,omitempty"` // in place of a suite
	Trials      []int     `json:"trials"`
	Version     string    `json:"version"`
}

// Compare returns the comparisons with a baseline after so many trials.
func (r *ScorersReport) Compare(base Baseline, budget int) []Versus {
	var list []Versus
	for _, s := range r.Scorers {
		if side := (Side{Scorer: s, Budget: budget}); side != base.Side(budget) {
			list = append(list, Compare(r.Searches, side, base.Side(budget)))
		}
	}
	return list
}

// A contest is a benchmark of scorers under way.
type contest struct {
	*Bench
	opt        ScorersOptions
	identities map[string]string // what scorers know beforehand
	left       *remaining
}

// CompareScorers searches each workload with each scorer, from the same seeds and for the
// same numbers of trials, and then times what they found in turns. Searches that were
// interrupted go on.
func (b *Bench) CompareScorers(ctx context.Context, o ScorersOptions) (*ScorersReport, error) {
	if err := o.Check(b.Scorers); err != nil {
		return nil, err
	}
	c := &contest{Bench: b, opt: o, identities: map[string]string{}}
	for _, side := range o.sides() {
		var err error
		if c.identities[side.Scorer], err = b.knowledge(side.Scorer); err != nil {
			return nil, fmt.Errorf("scorer %s: %w", side.Scorer, err)
		}
	}
	c.left = c.planned()
	r := &ScorersReport{
		Machine: b.Target().String(), Version: tune.Version(), Suite: b.Suite, Plan: b.Plan,
		Trials: o.Budgets, Seeds: o.Seeds, Scorers: o.Names,
	}
	for _, w := range b.list {
		var list []outcome
		for i, seed := range o.Seeds {
			found, complete, err := c.group(ctx, w, i, seed)
			if err != nil {
				return nil, fmt.Errorf("%s, seed %d: %w", w.Name, seed, err)
			}
			if complete {
				list = append(list, found)
			}
		}
		if err := c.final(ctx, w, list); err != nil {
			return nil, fmt.Errorf("%s: %w", w.Name, err)
		}
		for _, found := range list {
			r.Searches = append(r.Searches, found.searches...)
		}
	}
	for _, base := range o.Baselines {
		for _, n := range o.Budgets {
			r.Comparisons = append(r.Comparisons, r.Compare(base, n)...)
		}
	}
	for _, s := range o.sides() {
		r.Qualities = append(r.Qualities, QualityOf(r.Searches, s))
	}
	return r, b.Save("scorers.json", r)
}

// group does the searches of one workload and seed. It reports whether all are there
// and timed.
func (c *contest) group(ctx context.Context, w workload.Workload, number int, seed uint64) (outcome, bool, error) {
	sides := c.opt.sides()
	list := make([]keptSearch, len(sides))
	for k := range sides {
		// Another one begins with each seed, so that none has the machine's quiet hours.
		at := (k + number) % len(sides)
		s, err := c.searched(ctx, w, sides[at], seed)
		if err != nil || !s.Done {
			return outcome{}, false, err
		}
		list[at] = s
	}
	return c.timed(ctx, w, seed, sides, list)
}

// A keptSearch is what is kept of a search, beside its log.
type keptSearch struct {
	Done     bool    `json:"done"`
	Reason   string  `json:"reason"` // why it ended
	Wall     float64 `json:"wall_s"` // without the reference and the opening of the scorer
	Thinking float64 `json:"search_s"`
	Scored   int     `json:"scored"`
	Workload string  `json:"workload,omitempty"` // its text
	Failure  string  `json:"failure,omitempty"`
	Version  string  `json:"version"`
	Unix     int64   `json:"unix"`
	Load     float64 `json:"load"` // of the machine before: processes that wanted to run

	past []dataset.Record
}

// folder is that of what belongs to a workload, in the machine's.
func folder(w workload.Workload) string { return filepath.Join("scorers", w.Name) }

// place is the folder of a search, in the machine's. What the scorer knows beforehand
// is part of its name.
func (c *contest) place(w workload.Workload, s Side, seed uint64) string {
	name := s.Scorer
	if id := c.identities[s.Scorer]; id != "" {
		name += "-" + id
	}
	name += fmt.Sprintf("-seed%d-%d", seed, s.Budget)
	if c.opt.Time > 0 {
		name += "-" + c.opt.Time.String()
	}
	return filepath.Join(folder(w), name)
}

const searchFile = "search.json"

// searched does a search, unless it is done, and reads its log.
func (c *contest) searched(ctx context.Context, w workload.Workload, s Side, seed uint64) (keptSearch, error) {
	place := c.place(w, s, seed)
	var kept keptSearch
	known := c.load(filepath.Join(place, searchFile), &kept)
	if known && kept.Workload != "" && kept.Workload != w.Text {
		return kept, c.another(place, kept.Workload)
	}
	if !kept.Done && !c.opt.Report {
		if !known {
			kept = keptSearch{Unix: time.Now().Unix(), Load: rivals.LoadAverage(), Workload: w.Text}
		}
		if err := c.search(ctx, w, s, seed, place, &kept); err != nil {
			return kept, fmt.Errorf("%s: %w", s, err)
		}
		c.left.end(s)
	}
	if !kept.Done {
		return kept, nil
	}
	var err error
	kept.past, _, err = dataset.ReadLog(filepath.Join(c.dir, place, logName))
	if len(kept.past) > 0 && kept.past[0].Workload != w.Text && kept.past[0].Workload != w.Collapsed().Text {
		err = c.another(place, kept.past[0].Workload)
	}
	return kept, err
}

// another is the error of a folder with the search of another workload: entries of two suites may have one name.
func (c *contest) another(place, workload string) error {
	return fmt.Errorf("folder %s holds the search of %s: remove it, or name another one with --out",
		filepath.Join(c.dir, place), workload)
}

// search searches, and goes on with what the folder holds. What is known of it is
// kept after each round.
func (c *contest) search(
	ctx context.Context, w workload.Workload, side Side, seed uint64, place string, kept *keptSearch,
) (err error) {
	c.Show(fmt.Sprintf("%s: computing the reference; %s", w.Name, c.left))
	if err := c.prepare(ctx, w.DAG, w.Text, 0); err != nil {
		return err
	}
	scorer, err := c.openScorer(ctx, side.Scorer, seed)
	if err != nil {
		return err
	}
	defer c.closeScorer(side.Scorer, scorer)
	if err := os.MkdirAll(filepath.Join(c.dir, place), 0o777); err != nil {
		return err
	}
	r := &running{
		contest: c, title: fmt.Sprintf("%s, seed %d, %s", w.Name, seed, side), file: filepath.Join(place, searchFile),
		kept: kept, before: *kept, began: time.Now(), scorer: watch(scorer),
	}
	if err := r.save(); err != nil {
		return err
	}
	_, spaceName := c.Scorers.split(side.Scorer)
	o := tune.Options{
		Trials: max(side.Budget, 1), PerRound: search.RoundSize(side.Budget), Finalists: -1, Seed: seed,
		Space: spaceName, Layout: layout, Scorer: r.scorer, ScorerName: side.Scorer,
		Log: filepath.Join(c.dir, place, logName), OnEvent: r.event, Observer: r,
	}
	if c.opt.Time > 0 {
		o.Time = max(c.opt.Time-time.Duration(r.before.Wall*float64(time.Second)), time.Millisecond)
	}
	s, err := tune.Open(ctx, quiet{c.machine}, w, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	r.trials = len(s.Records())
	r.scorer.learnsWhile(func() bool { return r.trials < side.Budget })
	if r.trials == 0 {
		if err := r.scorer.expect(ctx, s.Task(), seed); err != nil {
			return err
		}
	}
	reason, err := r.run(ctx, s, side.Budget)
	if err != nil {
		return err
	}
	r.meter.stop()
	kept.Done, kept.Reason = true, reason
	return r.save()
}

// A running is one search under way; it is told how it goes on.
type running struct {
	*contest
	title  string
	file   string
	kept   *keptSearch
	before keptSearch // when it was begun or continued
	began  time.Time
	meter  meter
	scorer watchedScorer
	trials int
	err    error // of keeping what is known
}

// Say implements tune.Observer.
func (r *running) Say(string) {}

// Phase implements tune.Observer.
func (r *running) Phase(string, tune.Progress) {}

// Round implements tune.Observer.
func (r *running) Round(p tune.Progress) {
	r.trials = p.Trials
	r.err = r.save()
}

func (r *running) event(e search.Event) {
	r.meter.event(e)
	r.Show(fmt.Sprintf("%s: round %d, %s; %s", r.title, e.Round+1, e.Kind, r.left))
}

// save keeps what is known of the search.
func (r *running) save() error {
	r.kept.Wall = r.before.Wall + time.Since(r.began).Seconds()
	r.kept.Thinking = r.before.Thinking + r.meter.thought.Seconds()
	r.kept.Scored = r.before.Scored + r.scorer.scored()
	r.kept.Version = tune.Version()
	return r.contest.Save(r.file, r.kept)
}

// run runs a search to its end, and says why it ended. The scorer does not learn from
// the last round, of which nothing would come.
func (r *running) run(ctx context.Context, s *tune.Session, budget int) (string, error) {
	spent := search.TrialsSpent.String()
	if r.trials >= max(budget, 1) {
		return spent, nil // it was interrupted behind its last round
	}
	if budget == 0 {
		rec, err := s.First(ctx)
		if err == nil && !rec.Timed() {
			r.kept.Failure = fmt.Sprintf("the first choice: %s: %s", rec.Status, rec.Message)
		}
		return spent, errors.Join(err, r.err)
	}
	err := s.Begin(ctx)
	for more := err == nil; more && err == nil; err = errors.Join(err, r.err) {
		more, err = s.Step(ctx)
	}
	if err = s.End(ctx, err); errors.Is(err, search.ErrNothingCorrect) {
		r.kept.Failure, err = err.Error(), nil
	}
	return s.Result().Reason, err
}

// remaining says how much of a benchmark is to be done, by weights: a search costs as
// much as its trials, and something in any case.
type remaining struct {
	searches, of int
	weight       float64 // of searches not done
	done         float64 // of those done since
	started      time.Time
	ended        time.Time // of the last that was done since
}

func weightOf(s Side) float64 { return float64(s.Budget) + 4 }

// planned counts the searches that are not complete.
func (c *contest) planned() *remaining {
	r := &remaining{started: time.Now()}
	for _, w := range c.list {
		for _, seed := range c.opt.Seeds {
			for _, s := range c.opt.sides() {
				r.of++
				var kept keptSearch
				if !c.load(filepath.Join(c.place(w, s, seed), searchFile), &kept) || !kept.Done {
					r.searches++
					r.weight += weightOf(s)
				}
			}
		}
	}
	return r
}

// end takes note of a search that is complete.
func (r *remaining) end(s Side) {
	r.searches--
	r.weight -= weightOf(s)
	r.done += weightOf(s)
	r.ended = time.Now()
}

// String says what is done and how long the rest may take: as long as what was done, by
// weight, less what the search under way has taken.
func (r *remaining) String() string {
	text := fmt.Sprintf("%d of %d searches done", r.of-r.searches, r.of)
	if r.done == 0 {
		return text
	}
	left := time.Duration(float64(r.ended.Sub(r.started))/r.done*r.weight) - time.Since(r.ended)
	if left > 0 {
		text += fmt.Sprintf(", %s left", left.Round(time.Second))
	}
	return text
}
