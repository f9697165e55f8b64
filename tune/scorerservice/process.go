package scorerservice

import (
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math"
	"runtime"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/wmtune/wmtune/codegen/worker"
	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/ranker"
	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/tir/schedule"
)

// Deadlines say how long a command may take for an answer. Zero ones have defaults.
type Deadlines struct {
	Hello   time.Duration // to start and greet; 0 means 60 s
	Message time.Duration // for any other message; 0 means 10 s
	Each    time.Duration // and for each candidate or record in it; 0 means 10 ms
}

func (d Deadlines) withDefaults() Deadlines {
	return Deadlines{cmp.Or(d.Hello, time.Minute), cmp.Or(d.Message, 10*time.Second), cmp.Or(d.Each, 10*time.Millisecond)}
}

// answerBounds are those of what a command answers; a blob holds the scores of a message.
var answerBounds = worker.Bounds{Header: 1 << 20, Blob: 8 * most, Blobs: 1}

// most is how many candidates a command is asked about in a message.
const most = 4096

// featureBytes are those of the features of a candidate; headBytes hold what the header of a message has beside its
// candidates or records.
const featureBytes, headBytes = 4 * ranker.Columns, 128

// A process is a command that runs and has greeted.
type process struct {
	*worker.Process
	is        HelloAnswer
	deadlines Deadlines
	until     time.Time // no answer is waited for after that; zero: any time
	tasks     map[string]uint64
	opened    []string // keys of tasks, the oldest first
}

// script returns what a shell is to carry out. A single command takes the place of the shell, so that the way in which
// it ends is seen, and the shell says nothing of it.
func script(command string) string {
	if strings.ContainsAny(command, ";&|<>(){}$`=\n") {
		return command
	}
	return "exec " + command
}

// start starts a command in a shell and greets it. Until, if it is not zero, ends every ask.
func start(ctx context.Context, command, client string, d Deadlines, until time.Time) (*process, error) {
	w, err := worker.Start(ctx, worker.Config{
		Kind: "scorer", Command: []string{"/bin/sh", "-c", script(command)}, Foreign: true, Answers: answerBounds,
	})
	if err != nil {
		return nil, err
	}
	p := &process{Process: w, deadlines: d, until: until, tasks: map[string]uint64{}}
	hello := Hello{Type: typeHello, Versions: []int{Version}, Client: client}
	if _, err = p.ask(ctx, d.Hello, hello, &p.is); err == nil && p.is.Version != Version {
		err = fmt.Errorf("it speaks version %d of the protocol, and this wmtune %d: take both from releases that have one "+
			"in common", p.is.Version, Version)
	}
	if err == nil {
		for _, want := range p.is.Wants {
			if want != Features {
				err = fmt.Errorf("it wants %q of candidates, which this wmtune does not know: it knows %s", want, Features)
			}
		}
	}
	if err != nil {
		w.Kill()
		return nil, err
	}
	return p, nil
}

// ask sends a message and receives its answer and the blobs of that.
func (p *process) ask(ctx context.Context, limit time.Duration, q any, a answered, blobs ...[]byte) ([][]byte, error) {
	if !p.until.IsZero() {
		limit = min(limit, time.Until(p.until))
	}
	outputs, err := p.Ask(ctx, worker.Limit{Total: limit}, q, a, blobs...)
	if err != nil && ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, p.said(err)
	}
	if e := a.answer().Error; e != nil {
		return nil, p.said(fmt.Errorf("it answered an error: %w", e))
	}
	return outputs, nil
}

// said adds to an error how a command ended, and its last message.
func (p *process) said(err error) error {
	var late *worker.DeadlineError
	var dead *worker.DeathError
	var garbled *worker.FrameError
	switch {
	case errors.As(err, &late):
		err = fmt.Errorf("it did not answer in %s", late.Limit.Round(time.Millisecond))
	case errors.As(err, &dead) && errors.As(dead.Garbled, &garbled):
		err = fmt.Errorf("it answered something that is not a message: %s", garbled.Text)
	case errors.As(err, &dead) && dead.Garbled != nil:
		err = dead.Garbled
	case errors.As(err, &dead):
		err = fmt.Errorf("it ended (%s)", dead.How())
	}
	words := strings.TrimSpace(p.Words())
	if words == "" {
		return err
	}
	return fmt.Errorf("%w; its last message: %s", err, words[strings.LastIndexByte(words, '\n')+1:])
}

// limit is how long a message about n things may take.
func (p *process) limit(n int) time.Duration {
	return p.deadlines.Message + time.Duration(n)*p.deadlines.Each
}

// bytes is how many bytes the command takes in the header of a message, and in a blob.
func (p *process) bytes() int {
	if p.is.Limits == nil || p.is.Limits.MessageBytes <= 0 {
		return limits.MessageBytes
	}
	return min(p.is.Limits.MessageBytes, limits.MessageBytes)
}

// most is how many candidates the command takes in a message, as far as their steps are short.
func (p *process) most() int {
	n := most
	if p.is.Limits != nil && p.is.Limits.Candidates > 0 {
		n = min(n, p.is.Limits.Candidates)
	}
	if p.features() {
		n = min(n, p.bytes()/featureBytes)
	}
	return max(n, 1)
}

// messages cuts a list of candidates or records, of which sizes has the bytes in a header, into messages that are
// within the limits of the command: it yields where each begins and ends. One that is beyond the limits alone has a
// message to itself, to which the command answers what it thinks fit.
func (p *process) messages(sizes []int) iter.Seq2[int, int] {
	return func(yield func(from, to int) bool) {
		from, bytes := 0, headBytes
		for i, n := range sizes {
			if i > from && (i-from == p.most() || bytes+n > p.bytes()) {
				if !yield(from, i) {
					return
				}
				from, bytes = i, headBytes
			}
			bytes += n
		}
		if from < len(sizes) {
			yield(from, len(sizes))
		}
	}
}

// sizeOf is how many bytes an item of a list takes in a header, with its comma. What cannot be encoded is an error when
// it is sent.
func sizeOf(item any) int {
	text, _ := json.Marshal(item)
	return len(text) + 1
}

// features is whether the command wants features.
func (p *process) features() bool { return slices.Contains(p.is.Wants, Features) }

// task returns the number of a task, which is opened the first time, when the command learns
// what the lessons say of it.
func (p *process) task(ctx context.Context, t *search.Task, lessons []lesson) (uint64, error) {
	key := t.Name + "\x00" + t.Target.String()
	if number, ok := p.tasks[key]; ok {
		return number, nil
	}
	q := Open{Type: typeOpen, Workload: t.Name, DAG: t.DAG.Text(), FLOPs: max(t.DAG.FLOPs(), 0),
		Target: dataset.NewTargetJSON(t.Target)}
	if p.features() {
		q.Features = ranker.TableOf(t.Target.Kind).Names()
	}
	if p.is.Limits != nil && p.is.Limits.Tasks > 0 && len(p.opened) >= p.is.Limits.Tasks {
		oldest := p.opened[0]
		if _, err := p.ask(ctx, p.limit(0), Close{Type: typeClose, Task: p.tasks[oldest]}, &Answer{}); err != nil {
			return 0, fmt.Errorf("closing a task: %w", err)
		}
		delete(p.tasks, oldest)
		p.opened = p.opened[1:]
	}
	var a OpenAnswer
	if _, err := p.ask(ctx, p.limit(0), q, &a); err != nil {
		return 0, fmt.Errorf("opening the task: %w", err)
	}
	p.tasks[key], p.opened = a.Task, append(p.opened, key)
	for _, l := range lessons {
		if l.task.Name+"\x00"+l.task.Target.String() == key {
			if err := p.teach(ctx, a.Task, l); err != nil {
				return 0, err
			}
		}
	}
	return a.Task, nil
}

// score returns the scores of states of a task.
func (p *process) score(ctx context.Context, task uint64, t *search.Task, states []*schedule.State) ([]float64, error) {
	scores := make([]float64, 0, len(states))
	candidates, sizes := make([]json.RawMessage, len(states)), make([]int, len(states))
	for i, s := range states {
		candidates[i] = schedule.FormatSteps(s.Steps)
		sizes[i] = sizeOf(candidates[i])
	}
	for from, to := range p.messages(sizes) {
		list := states[from:to]
		q := Score{Type: typeScore, Task: task, Candidates: candidates[from:to]}
		var blobs [][]byte
		if p.features() {
			blobs = [][]byte{featuresOf(t, list)}
		}
		var a ScoreAnswer
		out, err := p.ask(ctx, p.limit(len(list)), q, &a, blobs...)
		if err != nil {
			return nil, fmt.Errorf("scoring %d candidates: %w", len(list), err)
		}
		switch {
		case len(out) != 1:
			return nil, fmt.Errorf("scoring %d candidates: the answer has no blob of scores", len(list))
		case len(out[0]) != 8*len(list):
			return nil, fmt.Errorf("scoring %d candidates: it answered %d bytes of scores; %d are 8 for each", len(list),
				len(out[0]), 8*len(list))
		}
		for i := range list {
			scores = append(scores, math.Float64frombits(binary.LittleEndian.Uint64(out[0][8*i:])))
		}
	}
	return scores, nil
}

// featuresOf returns the features of states as a blob, row after row; of a state that has none they are NaN.
func featuresOf(t *search.Task, states []*schedule.State) []byte {
	blob := make([]byte, 4*ranker.Columns*len(states))
	onAllCores(context.Background(), len(states), func(i int) {
		row, err := ranker.Features(states[i], t.Target)
		if err != nil {
			row = slices.Repeat([]float32{float32(math.NaN())}, ranker.Columns)
		}
		for k, v := range row {
			binary.LittleEndian.PutUint32(blob[4*(i*ranker.Columns+k):], math.Float32bits(v))
		}
	})
	return blob
}

// onAllCores calls do with each number below n, several at once. It begins no more of them when the context ends.
func onAllCores(ctx context.Context, n int, do func(i int)) {
	const chunk = 16
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for from := 0; from < n && ctx.Err() == nil; from += chunk {
		g.Go(func() error {
			for i := from; i < min(from+chunk, n); i++ {
				do(i)
			}
			return nil
		})
	}
	_ = g.Wait() // nothing fails
}

// A lesson is what a scorer was taught of a task.
type lesson struct {
	task    *search.Task
	records []dataset.Record
}

// replayed returns the records of a lesson as messages have them, and their states. Records of another version of
// wmtune that do not replay are left out.
func (l lesson) replayed() (records []Record, states []*schedule.State) {
	for i := range l.records {
		r := &l.records[i]
		s, err := schedule.Replay(l.task.DAG, r.Steps)
		if err == nil {
			s, err = s.InferBound()
		}
		if err != nil {
			continue
		}
		rec := Record{Steps: schedule.FormatSteps(r.Steps), Status: r.Status.String(), Message: r.Message,
			Layout: r.Layout.String(), Packed: r.Packed}
		for _, c := range r.Costs {
			rec.CostsUS = append(rec.CostsUS, c*1e6)
		}
		records, states = append(records, rec), append(states, s)
	}
	return records, states
}

// teach gives the command records to learn from. It is sent no message if none of them replays: there is nothing to
// learn, and a scorer need not expect an empty list.
func (p *process) teach(ctx context.Context, task uint64, l lesson) error {
	records, states := l.replayed()
	sizes := make([]int, len(records))
	for i := range records {
		sizes[i] = sizeOf(records[i])
	}
	for from, to := range p.messages(sizes) {
		q := Update{Type: typeUpdate, Task: task, Records: records[from:to]}
		var blobs [][]byte
		if p.features() {
			blobs = [][]byte{featuresOf(l.task, states[from:to])}
		}
		var a UpdateAnswer
		if _, err := p.ask(ctx, p.limit(to-from), q, &a, blobs...); err != nil {
			return fmt.Errorf("teaching %d records: %w", to-from, err)
		}
		p.is.Untrained = a.Untrained
	}
	return nil
}
