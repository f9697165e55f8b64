package scorerservice_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wmtune/wmtune/codegen/worker"
	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
	. "github.com/wmtune/wmtune/tune/scorerservice"
	"github.com/wmtune/wmtune/tune/scorerservice/servicetest"
)

// A serving is Serve in a goroutine.
type serving struct {
	*servicetest.Client
	in   *io.PipeWriter
	done chan error
}

// serve starts a service of a scorer.
func serve(t *testing.T, ctx context.Context, scorer search.Scorer) *serving {
	in, toScorer := io.Pipe()
	fromScorer, out := io.Pipe()
	s := &serving{servicetest.NewClient(t, toScorer, fromScorer), toScorer, make(chan error, 1)}
	go func() {
		err := Serve(ctx, in, out, options(scorer))
		out.Close()
		s.done <- err
	}()
	t.Cleanup(func() { toScorer.Close(); fromScorer.Close() })
	return s
}

func options(scorer search.Scorer) Options {
	return Options{
		Server: "wmtune test", Scorer: "random",
		Open: func(target.Kind, func(string)) (search.Scorer, error) { return scorer, nil },
		Host: func() (target.Target, error) { return target.Generic(32, 2), nil },
	}
}

// end waits for the end of the service.
func (s *serving) end(t *testing.T) error {
	t.Helper()
	select {
	case err := <-s.done:
		return err
	case <-time.After(time.Minute):
		t.Fatal("the service does not end")
		return nil
	}
}

var hello = Hello{Type: "hello", Versions: []int{Version}}

// open greets and opens a task.
func (s *serving) open(t *testing.T) uint64 {
	t.Helper()
	s.Must(hello, nil)
	var a OpenAnswer
	s.Must(Open{Type: "open", Workload: servicetest.Workload}, &a)
	return a.Task
}

func TestConformance(t *testing.T) {
	s := serve(t, t.Context(), search.Random{Seed: 1})
	servicetest.Conformance(s.Client)
	if err := s.end(t); err != nil {
		t.Error(err)
	}
}

// TestScores: the scores are those of the scorer, in order. Candidates that are none have -Inf, and their errors say
// why.
func TestScores(t *testing.T) {
	s := serve(t, t.Context(), search.Random{Seed: 1})
	task := s.open(t)
	list := []any{servicetest.Tile(2), 7, servicetest.Tile(4), []any{[]any{"SP", 9, 0, 64, []int{2}, 1}}}
	var a ScoreAnswer
	blobs := s.Must(servicetest.Message{"type": "score", "task": task, "candidates": list}, &a)
	got := servicetest.Scores(blobs[0])
	if len(got) != 4 || !math.IsInf(got[1], -1) || !math.IsInf(got[3], -1) || got[0] == got[2] || math.IsInf(got[0], 0) {
		t.Errorf("scores %v", got)
	}
	if a.Failed != 2 || len(a.Errors) != 2 || a.Errors[0].Index != 1 || a.Errors[1].Index != 3 ||
		a.Errors[1].Message == "" {
		t.Errorf("answer %+v", a)
	}
	swapped := s.Must(servicetest.Message{"type": "score", "task": task, "candidates": []any{list[2], list[0]}}, nil)
	if again := servicetest.Scores(swapped[0]); again[0] != got[2] || again[1] != got[0] {
		t.Errorf("swapped they score %v, were %v", again, got)
	}
	many := make([]any, 40)
	s.Must(servicetest.Message{"type": "score", "task": task, "candidates": many}, &a)
	if a.Failed != 40 || len(a.Errors) != 16 {
		t.Errorf("%d failed, %d errors", a.Failed, len(a.Errors))
	}
}

// A forgetful scorer says which tasks it has forgotten.
type forgetful struct {
	search.Random
	tasks   []string
	learned int // records
}

func (f *forgetful) Traits() search.Traits {
	return search.Traits{Forget: func(t *search.Task) { f.tasks = append(f.tasks, t.Name) }}
}

func (f *forgetful) Update(_ context.Context, _ *search.Task, records []dataset.Record) error {
	f.learned += len(records)
	return nil
}

// TestClose: what a scorer remembers of a task is dropped when the task is closed.
func TestClose(t *testing.T) {
	const other = "matmul:m=32,n=32,k=32"
	scorer := &forgetful{}
	s := serve(t, t.Context(), scorer)
	first := s.open(t)
	var a OpenAnswer
	s.Must(Open{Type: "open", Workload: other}, &a)
	for _, task := range []uint64{first, a.Task} {
		s.Must(Close{Type: "close", Task: task}, nil)
	}
	s.in.Close()
	if err := s.end(t); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(scorer.tasks, []string{servicetest.Workload, other}) {
		t.Errorf("forgotten %q", scorer.tasks)
	}
}

// TestReopened: a tuner that opens a task again sends its records again. A scorer that has forgotten them learns them
// again; one that cannot forget does not learn them twice, but for those that it failed to learn.
func TestReopened(t *testing.T) {
	forgets, never, failing := &forgetful{}, &learner{}, &learner{fail: 1}
	for _, scorer := range []search.Scorer{forgets, never, failing} {
		s := serve(t, t.Context(), scorer)
		s.Must(hello, nil)
		var records []Record
		for i, n := range []int{1, 2, 4} {
			steps, err := json.Marshal(servicetest.Tile(n))
			if err != nil {
				t.Fatal(err)
			}
			records = append(records, Record{Steps: steps, Status: "ok", CostsUS: []float64{float64(10 + i)}})
		}
		again := records[0]
		again.CostsUS = []float64{7} // the same candidate, measured again
		for _, send := range [][]Record{records[:2], append(records, again)} {
			var a OpenAnswer
			s.Must(Open{Type: "open", Workload: servicetest.Workload}, &a)
			var taken UpdateAnswer
			_, code := s.Ask(Update{Type: "update", Task: a.Task, Records: send}, &taken)
			if code != "" && scorer != failing || code == "" && taken.Learned != len(send) {
				t.Errorf("of %d records %d are learned, %q", len(send), taken.Learned, code)
			}
			s.Must(Close{Type: "close", Task: a.Task}, nil)
		}
		s.in.Close()
		if err := s.end(t); err != nil {
			t.Fatal(err)
		}
	}
	if forgets.learned != 6 || len(never.costs) != 4 || len(failing.costs) != 4 {
		t.Errorf("a scorer that forgets has learned from %d records, want 6; those that do not from %d and %d, want 4",
			forgets.learned, len(never.costs), len(failing.costs))
	}
}

// TestRefusals: what is wrong with a request is its answer.
func TestRefusals(t *testing.T) {
	s := serve(t, t.Context(), search.Random{})
	for _, versions := range []any{nil, []int{}, []int{0, 2}, "1"} {
		want := NoVersion
		if versions == "1" {
			want = BadMessage
		}
		if _, code := s.Ask(servicetest.Message{"type": "hello", "versions": versions}, nil); code != want {
			t.Errorf("versions %v: %q", versions, code)
		}
	}
	if _, code := s.Ask(Open{Type: "open", Workload: servicetest.Workload}, nil); code != NoHello {
		t.Errorf("before the hello: %q", code)
	}
	task := s.open(t)
	for _, c := range []struct {
		request any
		want    Code
	}{
		{7, BadMessage},
		{[]int{}, BadMessage},
		{servicetest.Message{}, UnknownType},
		{servicetest.Message{"type": "open", "workload": "nonsense"}, BadTask},
		{servicetest.Message{"type": "open", "workload": "input x\nnonsense"}, BadTask},
		{servicetest.Message{"type": "open", "workload": servicetest.Workload, "target": servicetest.Message{}}, BadTask},
		{servicetest.Message{"type": "open", "workload": servicetest.Workload,
			"target": servicetest.Message{"kind": "llvm"}}, BadTask},
		{servicetest.Message{"type": "open", "workload": servicetest.Workload,
			"target": servicetest.Message{"kind": "llvm", "cores": 1, "vector_bytes": 1 << 40}}, BadTask},
		{servicetest.Message{"type": "explain", "task": task, "candidate": servicetest.Tile(1)}, Unsupported},
		{servicetest.Message{"type": "close", "task": -1}, BadMessage},
		{servicetest.Message{"type": "close", "task": task + 1}, NoTask},
		{servicetest.Message{"type": "score", "task": task, "candidates": make([]int, 1<<16+1)}, TooLarge},
	} {
		if _, code := s.Ask(c.request, nil); code != c.want {
			t.Errorf("%.200v: %q, want %q", c.request, code, c.want)
		}
	}
	for range 63 {
		s.Must(Open{Type: "open", Workload: servicetest.Workload}, nil)
	}
	if _, code := s.Ask(Open{Type: "open", Workload: servicetest.Workload}, nil); code != TooLarge {
		t.Errorf("a task too many: %q", code)
	}
	s.Close()
	if err := s.end(t); err != nil {
		t.Error(err)
	}
}

// TestRecords: a record that is none is named, and the scorer learns from the others.
func TestRecords(t *testing.T) {
	scorer := &learner{}
	s := serve(t, t.Context(), scorer)
	task := s.open(t)
	record := func(steps any, status string, costs ...float64) servicetest.Message {
		return servicetest.Message{"steps": steps, "status": status, "costs_us": costs}
	}
	var a UpdateAnswer
	s.Must(servicetest.Message{"type": "update", "task": task, "records": []any{
		record(servicetest.Tile(1), "ok", 20, 10), record(servicetest.Tile(2), "splendid", 1), record(servicetest.Tile(4),
			"ok"),
		record(servicetest.Tile(8), "ok", -1), record(7, "ok", 1), record(servicetest.Tile(16), "wrong answer"),
	}}, &a)
	var wrong []int
	for _, e := range a.Errors {
		wrong = append(wrong, e.Index)
	}
	if a.Learned != 2 || !slices.Equal(wrong, []int{1, 2, 3, 4}) {
		t.Errorf("answer %+v", a)
	}
	if len(scorer.costs) != 2 || scorer.costs[0] != 1e-5 || scorer.costs[1] != 0 {
		t.Errorf("learned from costs %v", scorer.costs)
	}
}

// TestOversized: a message of 4 GB is refused before it comes, and ends the service.
func TestOversized(t *testing.T) {
	for name, head := range map[string][]byte{
		"header": frameHead(math.MaxUint32, 0, 3),
		"blobs":  frameHead(2, math.MaxUint32, 3),
		"blob":   binary.LittleEndian.AppendUint64(frameHead(2, 1, 3), 4<<30),
	} {
		s := serve(t, t.Context(), search.Random{})
		go s.in.Write(head)
		f := s.Receive()
		var a Answer
		if err := json.Unmarshal(f.Header, &a); err != nil || a.Error == nil || a.Error.Code != TooLarge || f.Number != 3 {
			t.Errorf("%s: answer %s to %d, %v", name, f.Header, f.Number, err)
		}
		if err := s.end(t); err == nil || !strings.Contains(err.Error(), "message 3") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// frameHead is the beginning of a frame.
func frameHead(size, blobs uint32, number uint64) []byte {
	head := binary.LittleEndian.AppendUint32(nil, size)
	head = binary.LittleEndian.AppendUint32(head, blobs)
	return binary.LittleEndian.AppendUint64(head, number)
}

// TestTruncated: an input that ends inside of a message is an error; the requests before it are answered.
func TestTruncated(t *testing.T) {
	var text bytes.Buffer
	if err := worker.WriteFrame(&text, 1, hello); err != nil {
		t.Fatal(err)
	}
	whole := text.Len()
	if err := worker.WriteFrame(&text, 2, Open{Type: "open", Workload: servicetest.Workload},
		[]byte("a blob")); err != nil {
		t.Fatal(err)
	}
	for n := whole; n <= text.Len(); n++ {
		var out bytes.Buffer
		err := Serve(t.Context(), bytes.NewReader(text.Bytes()[:n]), &out, options(search.Random{}))
		if cut := n > whole && n < text.Len(); cut != errors.Is(err, io.ErrUnexpectedEOF) || !cut && err != nil {
			t.Errorf("%d of %d bytes: %v", n, text.Len(), err)
		}
		if _, err := worker.ReadFrame(&out, worker.Bounds{Header: 1 << 20}); err != nil {
			t.Errorf("%d of %d bytes: the hello has no answer: %v", n, text.Len(), err)
		}
	}
}

// A learner is a scorer that keeps the costs that it learns from. It waits until its context ends, if it has a wait.
type learner struct {
	search.Random
	wait  chan struct{}
	fail  int // updates that fail at first
	costs []float64
}

func (l *learner) Score(ctx context.Context, task *search.Task, states []*schedule.State) ([]float64, error) {
	if l.wait != nil {
		l.wait <- struct{}{}
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return l.Random.Score(ctx, task, states)
}

func (l *learner) Update(_ context.Context, _ *search.Task, records []dataset.Record) error {
	if l.fail > 0 {
		l.fail--
		return errors.New("no memory")
	}
	for i := range records {
		l.costs = append(l.costs, records[i].Cost())
	}
	return nil
}

// TestCancel: a request that is carried out, and one that waits, are cancelled; others are answered. Too many
// that wait are refused.
func TestCancel(t *testing.T) {
	scorer := &learner{wait: make(chan struct{}, 100)}
	s := serve(t, t.Context(), scorer)
	task := s.open(t)
	score := servicetest.Message{"type": "score", "task": task, "candidates": []any{servicetest.Tile(2)}}
	first, second := s.Send(score), s.Send(score)
	<-scorer.wait
	codes := map[uint64]Code{}
	receive := func() {
		f := s.Receive()
		var a Answer
		if err := json.Unmarshal(f.Header, &a); err != nil {
			t.Fatal(err)
		}
		if codes[f.Number] = "done"; a.Error != nil {
			codes[f.Number] = a.Error.Code
		}
	}
	for range 14 {
		s.Send(score)
	}
	busy := s.Send(score)
	receive()
	if codes[busy] != Busy {
		t.Errorf("request %d of 17: %v", busy, codes)
	}
	for _, number := range []uint64{second, first} {
		cancel := s.Send(Cancel{Type: "cancel", Request: number})
		receive() // the cancel, or the request that it cancels
		if number == first {
			receive()
			receive() // and the second
		}
		if codes[cancel] != "done" {
			t.Errorf("cancel: %v", codes)
		}
	}
	if codes[first] != Cancelled || codes[second] != Cancelled {
		t.Errorf("answers %v", codes)
	}
}

// TestInterrupted: the service ends with its context, though a request is carried out and its input is open.
func TestInterrupted(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	scorer := &learner{wait: make(chan struct{}, 1)}
	s := serve(t, ctx, scorer)
	task := s.open(t)
	s.Send(servicetest.Message{"type": "score", "task": task, "candidates": []any{servicetest.Tile(2)}})
	<-scorer.wait
	stop()
	if err := s.end(t); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
