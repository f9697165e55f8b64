package scorerservice_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/ranker"
	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/search/evolve"
	"github.com/wmtune/wmtune/search/space"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
	. "github.com/wmtune/wmtune/tune/scorerservice"
	"github.com/wmtune/wmtune/tune/scorerservice/servicetest"
)

// brief are deadlines of tests in which a command is not to answer.
var brief = Deadlines{Hello: 20 * time.Second, Message: 200 * time.Millisecond, Each: time.Microsecond}

// openFake opens a fake scorer as a command. What is told is in told.
func openFake(t *testing.T, how string, d Deadlines) (c *Command, f *fake, told *[]string) {
	t.Helper()
	f, command := startFake(t, how)
	told = new([]string)
	c, err := OpenCommand(t.Context(), CommandOptions{
		Command: command, Client: "test", Deadlines: d, Tell: func(text string) { *told = append(*told, text) },
		Substitute: func() (search.Scorer, string, error) { return search.Random{Seed: 3}, "random", nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c, f, told
}

// A machine builds and runs nothing: every candidate is correct.
type machine struct{}

func (machine) Build(_ context.Context, inputs []measure.Input) ([]measure.BuildResult, error) {
	return slices.Repeat([]measure.BuildResult{{Status: measure.OK}}, len(inputs)), nil
}

func (machine) Modes() measure.Modes { return measure.Modes{} }

func (machine) Run(_ context.Context, inputs []measure.Input, _ []measure.BuildResult) ([]measure.Result, error) {
	return slices.Repeat([]measure.Result{{Status: measure.OK, Costs: []float64{1e-3}}}, len(inputs)), nil
}

// tuner searches 8 trials with a scorer.
func tuner(t *testing.T, scorer search.Scorer) *search.Tuner {
	t.Helper()
	w, err := workload.Find(servicetest.Workload)
	if err != nil {
		t.Fatal(err)
	}
	sp, err := space.Find(target.LLVM, "", space.Config{Layout: target.Rewrite})
	if err != nil {
		t.Fatal(err)
	}
	task := &search.Task{Name: w.Text, Key: w.Key, DAG: w.DAG, Target: target.Generic(32, 2), Space: sp}
	return &search.Tuner{Task: task, Scorer: scorer, Builder: machine{}, Runner: machine{}, Options: search.Options{
		Trials: 8, PerRound: 4, Finalists: -1, ScorerName: "fake",
		Propose: search.Evolve{Evolution: evolve.Options{Population: 32, Generations: 2, Children: 16, Parents: 8}},
	}}
}

// TestMisbehaving: whatever a command does, the search ends with all its trials. A command that fails is started again,
// once; then its substitute scores, and one warning says why.
func TestMisbehaving(t *testing.T) {
	for how, want := range map[string]string{
		"good": "", "frozen": "", "features": "", "few": "", "few bytes": "", "few bytes of features": "",
		"killed":             "it ended (SIGKILL); its last message: MemoryError: no memory",
		"exits":              "it ended (exit status 1); its last message: ValueError: I give up",
		"hangs":              "it did not answer in 2",
		"hangs with a child": "it did not answer in 2",
		"slow":               "it did not answer in 2",
		"nan":                "no score is a number",
		"nowhere":            "no score is a number",
		"too few":            "8 for each",
		"too many":           "8 for each",
		"garbage":            "it answered something that is not a message",
		"4 GB":               "it answered something that is not a message: message 3 has a header of 4294967295 bytes",
		"4 GB of scores":     "it answered something that is not a message: blob 0 of message 3 has 4294967296 bytes",
		"cut off":            "it ended (exit status 1)",
		"no json":            "it answered something that is not a message: the header of message 3 is garbled",
		"refuses":            "it answered an error: my model is damaged (failed)",
		"closes":             "it closed its standard output",
	} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			d := Deadlines{}
			if strings.Contains(want, "did not answer") {
				d = brief
			}
			c, f, told := openFake(t, how, d)
			out, err := tuner(t, c).Run(t.Context(), nil)
			if err != nil || out.Trials != 8 || !out.Found {
				t.Fatalf("%d trials, %v", out.Trials, err)
			}
			r := c.Report()
			if want == "" {
				if r.Failures != 0 || r.Substituted != 0 || r.Batches == 0 || len(*told) != 0 || r.Sentence() != "" {
					t.Errorf("report %+v, told %q", r, *told)
				}
				return
			}
			if r.Failures != 2 || r.Restarts != 1 || r.Substitute != "random" || r.Substituted != r.Batches ||
				f.times("started") != 2 {
				t.Errorf("report %+v, started %d times", r, f.times("started"))
			}
			if !strings.Contains(r.LastFailure, want) || len(*told) != 1 || !strings.Contains((*told)[0], want) ||
				!strings.HasSuffix((*told)[0], "random takes its place") {
				t.Errorf("last failure %q, told %q", r.LastFailure, *told)
			}
			if s := r.Sentence(); !strings.Contains(s, "failed 2 times") || !strings.Contains(s, "random scored") {
				t.Errorf("sentence %q", s)
			}
			gone(t, f)
		})
	}
}

// gone fails if the child of a fake is alive.
func gone(t *testing.T, f *fake) {
	t.Helper()
	data, _ := os.ReadFile(f.notes)
	for line := range strings.Lines(string(data)) {
		var pid int
		if n, _ := fmt.Sscanf(line, "child %d", &pid); n == 1 {
			for end := time.Now().Add(10 * time.Second); syscall.Kill(pid, 0) == nil; time.Sleep(10 * time.Millisecond) {
				if stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); strings.Contains(string(stat), ") Z ") {
					break // nobody waits for it
				}
				if time.Now().After(end) {
					t.Errorf("process %d, which the scorer started, is alive", pid)
					break
				}
			}
		}
	}
}

// TestRestarted: a command that fails once goes on, and learns again what it knew.
func TestRestarted(t *testing.T) {
	c, _, told := openFake(t, "once", Deadlines{})
	out, err := tuner(t, c).Run(t.Context(), nil)
	r := c.Report()
	if err != nil || out.Trials != 8 || r.Failures != 1 || r.Restarts != 1 || r.Substitute != "" || len(*told) != 0 {
		t.Errorf("%d trials, %v, report %+v, told %q", out.Trials, err, r, *told)
	}
	if !strings.Contains(r.Sentence(), "failed once, at last because") {
		t.Errorf("sentence %q", r.Sentence())
	}
	c, f, _ := openFake(t, "dies of a lesson", Deadlines{})
	if _, err := tuner(t, c).Run(t.Context(), nil); err != nil || c.Report().Failures != 1 {
		t.Errorf("%v, report %+v", err, c.Report())
	}
	if f.times("started") != 2 || f.times("update") != 3 {
		t.Errorf("started %d times, updated %d times", f.times("started"), f.times("update"))
	}
}

// TestFewTasks: a command that takes one task at a time has the one before closed, and opened again when it is needed.
func TestFewTasks(t *testing.T) {
	c, f, _ := openFake(t, "one task", Deadlines{})
	first := tuner(t, c).Task
	second := *first
	second.Name = "matmul:m=8,n=8,k=8"
	for _, task := range []*search.Task{first, &second, &second, first} {
		if _, err := c.Score(t.Context(), task, []*schedule.State{schedule.New(task.DAG)}); err != nil {
			t.Fatal(err)
		}
	}
	if f.times("open") != 3 || f.times("close") != 2 || c.Report().Failures != 0 {
		t.Errorf("opened %d times, closed %d times, report %+v", f.times("open"), f.times("close"), c.Report())
	}
}

// TestNotNumbers: a score that is no number makes a candidate impossible, and is counted.
func TestNotNumbers(t *testing.T) {
	c, _, _ := openFake(t, "some nan", Deadlines{})
	task := tuner(t, c).Task
	states := slices.Repeat([]*schedule.State{schedule.New(task.DAG)}, 5)
	got, err := c.Score(t.Context(), task, states)
	if err != nil || !math.IsInf(got[0], -1) || !math.IsInf(got[4], -1) || got[1] != 1 || got[3] != 3 {
		t.Errorf("%v, %v", got, err)
	}
	if r := c.Report(); r.NotNumbers != 2 || r.Failures != 0 || !strings.Contains(r.Sentence(),
		"2 candidates a score that is no number") {
		t.Errorf("report %+v: %s", r, r.Sentence())
	}
}

// TestAsked: a command that wants features has a row of them for each candidate and record; one that takes few
// candidates is asked for few. A task is opened once.
func TestAsked(t *testing.T) {
	c, f, _ := openFake(t, "features", Deadlines{})
	task := tuner(t, c).Task
	states := slices.Repeat([]*schedule.State{schedule.New(task.DAG)}, 8)
	record := dataset.Record{Status: measure.OK, Costs: []float64{1e-3}}
	if _, err := c.Score(t.Context(), task, states); err != nil {
		t.Fatal(err)
	}
	if err := c.Update(t.Context(), task, []dataset.Record{record, record}); err != nil {
		t.Fatal(err)
	}
	if n := f.times(fmt.Sprintf("%d floats each", ranker.Columns)); n != 2 || f.times("open") != 1 ||
		c.Report().Failures != 0 {
		t.Errorf("%d messages with features, %d tasks opened, %+v", n, f.times("open"), c.Report())
	}
	c, f, _ = openFake(t, "few", Deadlines{})
	if got, err := c.Score(t.Context(), task, states); err != nil || len(got) != 8 || f.times("score") != 3 {
		t.Errorf("%d scores of %d messages, %v", len(got), f.times("score"), err)
	}
}

// tile returns the state of one of servicetest's candidates.
func tile(t *testing.T, task *search.Task, n int) *schedule.State {
	t.Helper()
	text, err := json.Marshal(servicetest.Tile(n))
	if err != nil {
		t.Fatal(err)
	}
	steps, err := schedule.ParseSteps(text)
	if err != nil {
		t.Fatal(err)
	}
	s, err := schedule.Replay(task.DAG, steps)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestFewBytes: no message to a command has more bytes than it greeted with, in the header or in the features; nor are
// there more messages than that takes.
func TestFewBytes(t *testing.T) {
	for how, most := range map[string]int{"few bytes": 8, "few bytes of features": 67} { // of 200, 3 at a time
		c, f, told := openFake(t, how, Deadlines{})
		task := tuner(t, c).Task
		var states []*schedule.State
		var records []dataset.Record
		for i := range 200 {
			states = append(states, tile(t, task, 1<<(i%6)))
			records = append(records, dataset.Record{Steps: states[i].Steps, Costs: []float64{1e-3}})
		}
		got, err := c.Score(t.Context(), task, states)
		if err == nil {
			err = c.Update(t.Context(), task, records)
		}
		if err != nil || len(got) != 200 || c.Report().Failures != 0 || len(*told) != 0 {
			t.Errorf("%s: %d scores, %v, report %+v, told %q", how, len(got), err, c.Report(), *told)
		}
		for _, kind := range []string{"score", "update"} {
			if n := f.times(kind); n < 2 || n > most {
				t.Errorf("%s: %d messages of type %s, want up to %d", how, n, kind, most)
			}
		}
	}
}

// TestNothingReplays: a lesson of which no record replays is no message; of another, the records that do are sent.
func TestNothingReplays(t *testing.T) {
	c, f, _ := openFake(t, "good", Deadlines{})
	task := tuner(t, c).Task
	strange, err := schedule.ParseSteps([]byte(`[["SP", 9, 0, 64, [2], 1]]`))
	if err != nil {
		t.Fatal(err)
	}
	bad := dataset.Record{Steps: strange, Costs: []float64{1e-3}}
	for _, lesson := range [][]dataset.Record{{bad, bad}, {bad, {Costs: []float64{1e-3}}}} {
		if err := c.Update(t.Context(), task, lesson); err != nil {
			t.Fatal(err)
		}
	}
	if f.times("update") != 1 || f.times("open") != 1 || c.Report().Failures != 0 {
		t.Errorf("%d messages to learn from, %d tasks opened, %+v", f.times("update"), f.times("open"), c.Report())
	}
}

// TestNoStart: a command that does not begin as a scorer does is an error before anything is searched.
func TestNoStart(t *testing.T) {
	for how, want := range map[string]string{
		"version":  "it speaks version 2 of the protocol, and this wmtune 1",
		"wants":    `it wants "the moon" of candidates`,
		"silent":   "it did not answer in",
		"no start": "it ended (exit status 1); its last message: ModuleNotFoundError: No module named 'numpy'",
	} {
		_, command := startFake(t, how)
		d := Deadlines{}
		if how == "silent" {
			d.Hello = 200 * time.Millisecond
		}
		_, err := OpenCommand(t.Context(), CommandOptions{Command: command, Deadlines: d})
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "does not start") {
			t.Errorf("%s: %v, want %s", how, err, want)
		}
	}
	_, command := startFake(t, "silent")
	o := CommandOptions{Command: command, Until: time.Now().Add(300 * time.Millisecond), Deadlines: Deadlines{Hello: time.Hour}}
	if _, err := OpenCommand(t.Context(), o); err == nil || strings.Contains(err.Error(), "1h") {
		t.Errorf("after its time: %v", err)
	}
	_, command = startFake(t, "good")
	c, err := OpenCommand(t.Context(), CommandOptions{Command: "cd / && A=1 " + command})
	if err != nil {
		t.Fatalf("a command of a shell: %v", err)
	}
	c.Close()
	if _, err := OpenCommand(t.Context(), CommandOptions{Command: "wmtune-no-such-command"}); err == nil ||
		!strings.Contains(err.Error(), "not found") {
		t.Errorf("no such command: %v", err)
	}
}

// TestStopped: a cancelled search is no failure of the command, which ends.
func TestStopped(t *testing.T) {
	c, f, told := openFake(t, "hangs with a child", Deadlines{})
	ctx, stop := context.WithCancel(t.Context())
	task := tuner(t, c).Task
	go func() {
		for f.times("score") == 0 {
			time.Sleep(time.Millisecond)
		}
		time.Sleep(50 * time.Millisecond)
		stop()
	}()
	_, err := c.Score(ctx, task, []*schedule.State{schedule.New(task.DAG)})
	if !errors.Is(err, context.Canceled) || c.Report().Failures != 0 || len(*told) != 0 {
		t.Errorf("%v, %+v, told %q", err, c.Report(), *told)
	}
	gone(t, f)
}

// TestUntil: a command is not asked when the time is up; that is no failure.
func TestUntil(t *testing.T) {
	_, command := startFake(t, "hangs")
	c, err := OpenCommand(t.Context(), CommandOptions{
		Command: command, Until: time.Now().Add(time.Hour), Deadlines: Deadlines{Message: time.Hour},
		Substitute: func() (search.Scorer, string, error) { return search.Random{}, "random", nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	task := tuner(t, c).Task
	c.EndAfter(300 * time.Millisecond)
	got, err := c.Score(t.Context(), task, []*schedule.State{schedule.New(task.DAG)})
	if err != nil || len(got) != 1 || c.Report().Substituted != 1 || c.Report().Restarts != 0 || c.Report().Failures != 0 {
		t.Errorf("%v, %v, %+v", got, err, c.Report())
	}
}

// TestLast: the time of a search that is up is the end of it: no substitute is opened.
func TestLast(t *testing.T) {
	_, command := startFake(t, "hangs")
	told := ""
	c, err := OpenCommand(t.Context(), CommandOptions{
		Command: command, Last: true, Deadlines: Deadlines{Message: time.Hour},
		Tell: func(text string) { told += text },
	})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	c.EndAfter(300 * time.Millisecond)
	out, err := tuner(t, c).Run(t.Context(), nil)
	if out.Reason != search.TimeSpent || out.Trials != 0 || !errors.Is(err, search.ErrNothingCorrect) ||
		c.Report().Substitute != "" || !strings.Contains(told, "the time ended while the scorer") {
		t.Errorf("%d trials, %v, %v, %+v, told %q", out.Trials, out.Reason, err, c.Report(), told)
	}
}

// TestUntilLessons: once the time is up, a lesson opens no substitute. It is no failure if the command is learning when
// the time is up. A substitute that has to score after that learns all lessons first.
func TestUntilLessons(t *testing.T) {
	for _, how := range []string{"good", "hangs of a lesson"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			_, command := startFake(t, how)
			substitute, opened := &learner{}, 0
			c, err := OpenCommand(t.Context(), CommandOptions{
				Command: command, Deadlines: Deadlines{Message: time.Hour},
				Substitute: func() (search.Scorer, string, error) { opened++; return substitute, "learner", nil },
			})
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			task := tuner(t, c).Task
			if c.EndAfter(300 * time.Millisecond); how == "good" {
				c.EndAfter(0)
			}
			lesson := []dataset.Record{{Status: measure.OK, Costs: []float64{1e-3}}}
			for range 2 {
				if err := c.Update(t.Context(), task, lesson); err != nil {
					t.Fatal(err)
				}
			}
			if r := c.Report(); opened != 0 || r.Substitute != "" || r.Failures != 0 || r.Restarts != 0 {
				t.Errorf("%d substitutes opened to learn, report %+v", opened, r)
			}
			got, err := c.Score(t.Context(), task, []*schedule.State{schedule.New(task.DAG)})
			r := c.Report()
			if err != nil || len(got) != 1 || opened != 1 || len(substitute.costs) != 2 || r.Substitute != "learner" ||
				r.Substituted != 1 || r.Failures != 0 {
				t.Errorf("%v, %v, %d opened that learned from %v, report %+v", got, err, opened, substitute.costs, r)
			}
		})
	}
}
