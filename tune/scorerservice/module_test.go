package scorerservice_test

import (
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/search"
	. "github.com/wmtune/wmtune/tune/scorerservice"
	"github.com/wmtune/wmtune/tune/scorerservice/servicetest"
)

// TestModule: of a task that was opened with a module of TVM, candidates are traces. They score as the steps do
// that they amount to.
func TestModule(t *testing.T) {
	text, err := os.ReadFile("../../dataset/metaschedule/testdata/module-0.27.0.json")
	if err != nil {
		t.Fatal(err)
	}
	trace := func(unroll string) any {
		return json.RawMessage(`[[["GetSBlock", [], ["y", "main"], ["b0"]], ["GetLoops", ["b0"], [], ["l1", "l2"]],
			["Split", ["l2", null, 4], [1, 0], ["l3", "l4"]], ["` + unroll + `", ["l4"], [], []]], []]`)
	}
	steps := []any{[]any{"SP", 4, 1, 4, []int{4}, 1}, []any{"AN", 4, 2, 2}}
	s := serve(t, t.Context(), search.Random{Seed: 1})
	s.Must(hello, nil)
	var opened, same OpenAnswer
	s.Must(Open{Type: "open", Module: string(text),
		TVMTarget: json.RawMessage(`{"kind": "llvm", "mcpu": "znver3", "num-cores": 3, "tag": ""}`)}, &opened)
	if opened.Target.Cores != 3 || opened.Target.VectorBytes != 32 || opened.Target.CPU != "znver3" ||
		!strings.HasPrefix(opened.DAG, "input x: float32[8, 16]\n") {
		t.Errorf("opened %+v", opened)
	}
	s.Must(Open{Type: "open", Workload: opened.DAG, Target: opened.Target}, &same)
	var a ScoreAnswer
	blobs := s.Must(servicetest.Message{"type": "score", "task": opened.Task,
		"candidates": []any{trace("Vectorize"), trace("Bind"), steps, 7}}, &a)
	got := servicetest.Scores(blobs[0])
	ask := servicetest.Message{"type": "score", "task": same.Task, "candidates": []any{steps}}
	want := servicetest.Scores(s.Must(ask, nil)[0])
	if got[0] != want[0] || !math.IsInf(got[1], -1) || !math.IsInf(got[2], -1) || a.Failed != 3 ||
		a.Errors[0].Message != "an instruction Bind has no counterpart here" ||
		!strings.HasPrefix(a.Errors[2].Message, "no trace") {
		t.Errorf("scores %v, want %v; %+v", got, want, a)
	}
	var learned UpdateAnswer
	s.Must(servicetest.Message{"type": "update", "task": opened.Task, "records": []any{
		servicetest.Message{"steps": trace("Vectorize"), "status": "ok", "costs_us": []float64{3}},
		servicetest.Message{"steps": trace("Bind"), "status": "ok", "costs_us": []float64{3}},
	}}, &learned)
	if learned.Learned != 1 || len(learned.Errors) != 1 {
		t.Errorf("learned %+v", learned)
	}
	tvm := json.RawMessage(`"llvm"`)
	for name, q := range map[string]Open{
		"a workload and a module": {Type: "open", Module: string(text), Workload: "matmul:m=8,n=8,k=8"},
		"no module":               {Type: "open", Module: "{"},
		"two targets":             {Type: "open", Module: string(text), Target: opened.Target, TVMTarget: tvm},
		"no kind":                 {Type: "open", Module: string(text), TVMTarget: json.RawMessage(`{}`)},
		"no target":               {Type: "open", Module: string(text), TVMTarget: json.RawMessage(`7`)},
	} {
		if _, code := s.Ask(q, nil); code != BadTask {
			t.Errorf("%s: %q", name, code)
		}
	}
}

// TestTraces: steps of a task that was opened with a module become traces, which score as the steps do.
func TestTraces(t *testing.T) {
	text, err := os.ReadFile("../../dataset/metaschedule/testdata/module-0.27.0.json")
	if err != nil {
		t.Fatal(err)
	}
	steps := json.RawMessage(`[["SP", 4, 1, 4, [4], 1], ["AN", 4, 2, 2]]`)
	s := serve(t, t.Context(), search.Random{Seed: 1})
	s.Must(hello, nil)
	on := json.RawMessage(`{"kind": "llvm", "mcpu": "znver3", "num-cores": 3}`)
	var opened, same OpenAnswer
	s.Must(Open{Type: "open", Module: string(text), TVMTarget: on}, &opened)
	s.Must(Open{Type: "open", Workload: opened.DAG, TVMTarget: on}, &same)
	var a struct {
		Traces []json.RawMessage
		Failed int
		Errors []CandidateError
	}
	candidates := []json.RawMessage{steps, json.RawMessage(`[["SA", 1, 0, 4, 1]]`), json.RawMessage(`7`)}
	s.Must(Traces{Type: "traces", Task: opened.Task, Candidates: candidates}, &a)
	if len(a.Traces) != 3 || string(a.Traces[1]) != "null" || string(a.Traces[2]) != "null" || a.Failed != 2 ||
		a.Errors[0].Message != "a step SA has no counterpart in TVM" || a.Errors[1].Index != 2 {
		t.Fatalf("got %s, %+v", a.Traces, a.Errors)
	}
	ask := func(task uint64, candidate json.RawMessage) float64 {
		blobs := s.Must(Score{Type: "score", Task: task, Candidates: []json.RawMessage{candidate}}, nil)
		return servicetest.Scores(blobs[0])[0]
	}
	if got, want := ask(opened.Task, a.Traces[0]), ask(same.Task, steps); got != want {
		t.Errorf("the trace %s scores %v, its steps %v", a.Traces[0], got, want)
	}
	if _, code := s.Ask(Traces{Type: "traces", Task: same.Task, Candidates: candidates}, nil); code != Unsupported {
		t.Errorf("of a task without a module: %q", code)
	}
	if _, code := s.Ask(Traces{Type: "traces", Task: 77}, nil); code != NoTask {
		t.Errorf("of no task: %q", code)
	}
}
