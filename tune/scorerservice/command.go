package scorerservice

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/tir/schedule"
)

// CommandOptions say how a command is run as a scorer.
type CommandOptions struct {
	Command   string // for a shell
	Client    string // this program and its version
	Deadlines Deadlines
	Until     time.Time // the command is not asked after that, and learns no more; zero: it always is
	Last      bool      // Score is search.ErrTimeOver after Until; else the substitute scores

	// Substitute opens the scorer that stands in for a command that failed twice. Name is its name.
	Substitute func() (scorer search.Scorer, name string, err error)
	// Tell is told of failures; may be nil.
	Tell func(text string)
}

// A Report says how a command did as a scorer, as result.json has it.
type Report struct {
	Command     string  `json:"command"`
	Failures    int     `json:"failures"`
	Restarts    int     `json:"restarts"`
	LastFailure string  `json:"last_failure,omitempty"`
	Substitute  string  `json:"substitute,omitempty"` // the scorer that took its place; "" if none did
	Batches     int     `json:"batches"`              // of candidates that were to be scored
	Substituted int     `json:"substituted"`          // of these, by the substitute
	NotNumbers  int     `json:"not_numbers"`          // scores that were none
	Seconds     float64 `json:"seconds"`              // waited for it
}

// Sentence says what was wrong in a sentence, or "" if nothing was.
func (r *Report) Sentence() string {
	var parts []string
	if r.Failures > 0 {
		times := "once"
		if r.Failures > 1 {
			times = fmt.Sprintf("%d times", r.Failures)
		}
		parts = append(parts, fmt.Sprintf("failed %s, at last because %s", times, r.LastFailure))
	}
	if r.NotNumbers > 0 {
		parts = append(parts, fmt.Sprintf("gave %d candidates a score that is no number", r.NotNumbers))
	}
	if parts == nil {
		return ""
	}
	text := fmt.Sprintf("the scorer %q %s", r.Command, strings.Join(parts, " and "))
	if r.Substitute != "" {
		text += fmt.Sprintf("; %s scored %d of %d batches in its place", r.Substitute, r.Substituted, r.Batches)
	}
	return text
}

// A Command is a search.Scorer that a command is. A command that ends, hangs or answers nonsense
// is started again, once in a search; the next time a substitute takes its place. No failure of
// it is an error of Score. It may be used by one goroutine at a time.
type Command struct {
	opt        CommandOptions
	process    *process // nil: it does not run
	is         HelloAnswer
	lessons    []lesson
	substitute search.Scorer // nil while the command is asked
	report     Report
}

// OpenCommand starts a command. The error says why it is no scorer: nothing was searched yet, so the user is told
// at once.
func OpenCommand(ctx context.Context, o CommandOptions) (*Command, error) {
	o.Deadlines = o.Deadlines.withDefaults()
	if o.Tell == nil {
		o.Tell = func(string) {}
	}
	c := &Command{opt: o, report: Report{Command: o.Command}}
	if err := c.start(ctx); err != nil {
		return nil, fmt.Errorf("the scorer %q does not start: %w", o.Command, err)
	}
	return c, nil
}

// start starts the command.
func (c *Command) start(ctx context.Context) (err error) {
	if c.process, err = start(ctx, c.opt.Command, c.opt.Client, c.opt.Deadlines, c.opt.Until); err == nil {
		c.is = c.process.is
	}
	return err
}

// Close ends the command and all that it started.
func (c *Command) Close() error {
	if c.process != nil {
		c.process.Kill()
		c.process = nil
	}
	return nil
}

// Report returns how the command did so far.
func (c *Command) Report() *Report {
	r := c.report
	return &r
}

// Traits are what the command says that it is, or its substitute.
func (c *Command) Traits() search.Traits {
	t := search.Traits{Untrained: c.is.Untrained, Frozen: c.is.Frozen, Close: c.Close}
	if c.substitute != nil {
		is := c.substitute.Traits()
		t.Untrained, t.Frozen = is.Untrained, is.Frozen
	}
	return t
}

// Score returns a value per state. The error is that of the context, or of the substitute.
func (c *Command) Score(ctx context.Context, task *search.Task, states []*schedule.State) ([]float64, error) {
	c.report.Batches++
	var scores []float64
	answered, err := c.attempt(ctx, func(p *process) error {
		number, err := p.task(ctx, task, c.lessons)
		if err != nil {
			return err
		}
		if scores, err = p.score(ctx, number, task, states); err != nil {
			return err
		}
		return c.numbers(scores)
	})
	if answered || err != nil {
		return scores, err
	}
	if c.substitute == nil { // the time of the command is over
		if c.opt.Last {
			c.opt.Tell(fmt.Sprintf("the time ended while the scorer %q was asked", c.opt.Command))
			return nil, fmt.Errorf("%w: the scorer %q did not answer before", search.ErrTimeOver, c.opt.Command)
		}
		if err := c.replace(ctx, ""); err != nil {
			return nil, err
		}
	}
	c.report.Substituted++
	return c.substitute.Score(ctx, task, states)
}

// over reports whether the time of the command is over.
func (c *Command) over() bool { return !c.opt.Until.IsZero() && time.Until(c.opt.Until) <= 0 }

// several is how many candidates of a batch are not all impossible.
const several = 16

// numbers makes -Inf of scores that are no numbers. It is an error if no score is one. That some candidates cannot be
// lowered, which is -Inf, too, is no failure; that none of several can is: the search would find nothing.
func (c *Command) numbers(scores []float64) error {
	bad := 0
	for i, v := range scores {
		if math.IsNaN(v) || math.IsInf(v, 1) {
			scores[i] = math.Inf(-1)
			bad++
		}
	}
	possible := slices.ContainsFunc(scores, func(v float64) bool { return !math.IsInf(v, -1) })
	if (bad > 0 || len(scores) >= several) && !possible {
		return fmt.Errorf("scoring %d candidates: no score is a number", len(scores))
	}
	c.report.NotNumbers += bad
	return nil
}

// Update has the command learn from records. Once its time is over, they are only kept for a substitute: most searches
// end with an Update after that, and would open one in vain.
func (c *Command) Update(ctx context.Context, task *search.Task, records []dataset.Record) error {
	l := lesson{task, slices.Clone(records)}
	answered, err := c.attempt(ctx, func(p *process) error {
		number, err := p.task(ctx, task, c.lessons)
		if err == nil {
			err = p.teach(ctx, number, l)
		}
		return err
	})
	c.lessons = append(c.lessons, l)
	if answered || err != nil || c.substitute == nil {
		return err
	}
	return c.substitute.Update(ctx, task, records)
}

// attempt asks the command, and reports whether it answered; after a failure it is started again and asked once more,
// once in a search. If it did not answer, there is a substitute, or the time of the command is over. The error is that
// of the context, or that there is no substitute.
func (c *Command) attempt(ctx context.Context, ask func(p *process) error) (answered bool, _ error) {
	for c.substitute == nil && !c.over() {
		began := time.Now()
		var err error
		if c.process == nil {
			err = c.start(ctx)
		}
		if err == nil {
			err = ask(c.process)
		}
		c.report.Seconds += time.Since(began).Seconds()
		switch {
		case err == nil:
			c.is = c.process.is
			return true, nil
		case ctx.Err() != nil:
			return false, errors.Join(ctx.Err(), c.Close())
		}
		if err := c.failed(ctx, err); err != nil {
			return false, err
		}
	}
	return false, ctx.Err()
}

// failed notes a failure. The command is to be started again, has a substitute, or has no time left, in which case it
// did not fail.
func (c *Command) failed(ctx context.Context, why error) error {
	c.Close()
	if c.over() {
		return nil
	}
	c.report.Failures++
	c.report.LastFailure = why.Error()
	if c.report.Restarts == 0 {
		c.report.Restarts++
		return nil
	}
	return c.replace(ctx, fmt.Sprintf("warning: the scorer %q failed twice: %v", c.opt.Command, why))
}

// replace has the substitute take the place of the command, and tells why.
func (c *Command) replace(ctx context.Context, why string) error {
	c.Close()
	s, name, err := c.opt.Substitute()
	if err != nil {
		return fmt.Errorf("the scorer %q failed (%s), and there is none to take its place: %w", c.opt.Command,
			c.report.LastFailure, err)
	}
	for _, l := range c.lessons {
		if err := s.Update(ctx, l.task, l.records); err != nil {
			return err
		}
	}
	c.substitute, c.report.Substitute = s, name
	if why != "" {
		c.opt.Tell(why + "; " + name + " takes its place")
	}
	return nil
}
