package servicetest

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/wmtune/wmtune/tune/scorerservice"
)

// Workload is what the candidates of Tile compute.
const Workload = "matmul:m=64,n=64,k=64"

// Tile returns the steps of a candidate: the rows of the product in tiles of n.
func Tile(n int) []any {
	return []any{
		[]any{"SP", 2, 0, 64, []int{n}, 1}, []any{"SP", 2, 2, 64, []int{8}, 1},
		[]any{"RE", 2, []int{0, 2, 4, 1, 3}}, []any{"AN", 2, 0, 3},
	}
}

// Message is a message, as a client may write it that does not know the types of package scorerservice.
type Message = map[string]any

// Conformance checks what every scorer must do, from the hello to the end of its input. It is the test of
// docs/examples/scorer_client.py once more.
func Conformance(c *Client) {
	t := c.t
	t.Helper()
	var hello scorerservice.HelloAnswer
	c.Must(Message{"type": "hello", "versions": []int{scorerservice.Version, 1000}, "client": "servicetest"}, &hello)
	if hello.Version != scorerservice.Version {
		t.Fatalf("version %d, want %d", hello.Version, scorerservice.Version)
	}
	open := Message{
		"type": "open", "workload": Workload, "a_field_of_the_future": []int{1}, "dag": "",
		"target": Message{"kind": "llvm", "cpu": "znver3", "features": []string{"avx2", "fma"}, "cores": 2,
			"vector_bytes": 32},
	}
	features := slices.Contains(hello.Wants, scorerservice.Features)
	if features {
		open["features"] = []string{"a", "b", "c"}
	}
	blobs := func(n int) [][]byte {
		if !features {
			return nil
		}
		blob := make([]byte, 0, 12*n)
		for i := range 3 * n {
			blob = binary.LittleEndian.AppendUint32(blob, math.Float32bits(float32(i)))
		}
		return [][]byte{blob}
	}
	var task scorerservice.OpenAnswer
	c.Must(open, &task)
	score := func(candidates ...[]any) []float64 {
		request := Message{"type": "score", "task": task.Task, "candidates": slices.Concat([][]any{}, candidates)}
		out := c.Must(request, nil, blobs(len(candidates))...)
		if len(out) != 1 || len(out[0]) != 8*len(candidates) {
			t.Fatalf("%d candidates: %d blobs", len(candidates), len(out))
		}
		return Scores(out[0])
	}
	scores := score(Tile(1), Tile(2), Tile(4), Tile(8), Tile(16))
	if slices.ContainsFunc(scores, math.IsNaN) || !slices.ContainsFunc(scores,
		func(s float64) bool { return !math.IsInf(s, 0) }) {
		t.Errorf("scores %v", scores)
	}
	score()
	records := []Message{{"steps": Tile(32), "status": "run timeout", "message": "after 10 s"}}
	for i, n := range []int{1, 2, 4, 8} {
		records = append(records, Message{"steps": Tile(n), "status": "ok", "costs_us": []float64{10 + float64(i), 11}})
	}
	c.Must(Message{"type": "update", "task": task.Task, "records": records}, nil, blobs(len(records))...)
	score(Tile(1), Tile(2))
	if hello.Explains {
		var why scorerservice.ExplainAnswer
		c.Must(Message{"type": "explain", "task": task.Task, "candidate": Tile(4), "beside": [][]any{Tile(2), Tile(4)},
			"nearest": 5}, &why)
		if why.Of != 2 || len(why.Nearest) != 1 {
			t.Errorf("explanation %+v", why)
		}
	}
	c.refusals(task.Task)
	c.Must(Message{"type": "close", "task": task.Task}, nil)
	c.refused(scorerservice.NoTask, Message{"type": "score", "task": task.Task, "candidates": []any{}})
	c.Must(open, &task)
	score(Tile(1))
	c.Close()
}

// refusals checks that errors are answers, and that the scorer goes on after them.
func (c *Client) refusals(task uint64) {
	c.t.Helper()
	c.refused(scorerservice.UnknownType, Message{"type": "tell_fortune"})
	c.refused(scorerservice.NoTask, Message{"type": "score", "task": task + 1000, "candidates": []any{}})
	c.refused(scorerservice.BadMessage, Message{"type": "score", "task": "first", "candidates": 7})
	var cancel scorerservice.CancelAnswer
	c.Must(Message{"type": "cancel", "request": 1 << 40}, &cancel)
	if cancel.Cancelled {
		c.t.Error("a request that is not there was cancelled")
	}
}

func (c *Client) refused(want scorerservice.Code, request Message) {
	c.t.Helper()
	if _, code := c.Ask(request, nil); code != want {
		c.t.Errorf("%s: the error is %q, want %q", fmt.Sprint(request), code, want)
	}
}
