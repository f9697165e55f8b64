package metaschedule

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/tir/schedule"
)

// TestMutants: whatever a trace says, it becomes steps that apply, or an error.
func TestMutants(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	names := strings.Fields("b0 b1 l2 l5 l10 v6 v30 Split Fuse Reorder ComputeAt RFactor GetLoops ReverseComputeAt " +
		"ReverseComputeInline ComputeInline CacheWrite Vectorize None conv2d 0 -1 7 1e30 99999999999")
	word := func(text []byte) (from, to int) { // a random name or number
		for {
			from = rng.IntN(len(text))
			for to = from; to < len(text) && !strings.ContainsRune(`[],"`, rune(text[to])); to++ {
			}
			if to > from {
				for ; from > 0 && !strings.ContainsRune(`[],"`, rune(text[from-1])); from-- {
				}
				return from, to
			}
		}
	}
	mapped, refused := 0, 0
	for _, d := range databases(t) {
		list := lines(t, filepath.Join(d.dir, recordFile+".zst"))
		for range 100 {
			line := list[rng.IntN(len(list))]
			for range 1 + rng.IntN(3) {
				from, to := word(line)
				line = []byte(string(line[:from]) + names[rng.IntN(len(names))] + string(line[to:]))
			}
			record, err := ParseRecord(line)
			if err != nil {
				refused++
				continue
			}
			w := d.workloads[0]
			state, _, err := w.State(record.Trace)
			if err != nil {
				refused++
				continue
			}
			mapped++
			if _, err := schedule.Replay(w.DAG, state.Steps); err != nil {
				t.Errorf("%s: %v", line, err)
			}
		}
	}
	if mapped < 100 || refused < 100 {
		t.Errorf("%d mutants became steps and %d did not: the test does not try both", mapped, refused)
	}
}

// TestMutantWorkloads: whatever a program says, it becomes a DAG or an error, soon.
func TestMutantWorkloads(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, d := range databases(t) {
		line := lines(t, filepath.Join(d.dir, workloadFile+".zst"))[0]
		var fields [2]string
		if err := json.Unmarshal(line, &fields); err != nil {
			t.Fatal(err)
		}
		text, err := base64.StdEncoding.DecodeString(fields[1])
		if err != nil {
			t.Fatal(err)
		}
		var graph map[string]any
		if err := json.Unmarshal(text[8:], &graph); err != nil {
			t.Fatal(err)
		}
		nodes := graph["nodes"].([]any)
		for range 60 {
			at := nodes[rng.IntN(len(nodes))].(map[string]any)
			before := at["data"]
			switch v := before.(type) {
			case map[string]any:
				next := map[string]any{}
				for k, v := range v {
					if next[k] = v; rng.IntN(3) == 0 {
						next[k] = rng.IntN(len(nodes) + 2)
					}
				}
				at["data"] = next
			case []any:
				if len(v) > 0 {
					next := append([]any{}, v...)
					next[rng.IntN(len(v))] = rng.IntN(len(nodes) + 2)
					at["data"] = next
				}
			default:
				at["data"] = []any{1, -1, "x", 1 << 40, nil}[rng.IntN(5)]
			}
			mutant, err := json.Marshal(graph)
			if err != nil {
				t.Fatal(err)
			}
			_, _ = ParseModule(mutant)
			at["data"] = before
		}
	}
}

// TestRefused: what has no counterpart is an *UnmappedError, and what is no database another error.
func TestRefused(t *testing.T) {
	d := databases(t)[0]
	line := string(lines(t, filepath.Join(d.dir, recordFile+".zst"))[0])
	for name, c := range map[string]struct {
		from, to string
		unmapped bool
		want     string
	}{
		"instruction": {`["Parallel",`, `["Bind",`, true, "an instruction Bind"},
		"block":       {`["dense","main"]`, `["other","main"]`, true, "the block other, which the trace does not make"},
		"loops":       {`["l3","l4","l5"]`, `["l3","l4"]`, true, "GetLoops with 2 results (here 3)"},
		"decision":    {`"SamplePerfectTile",["l3"]`, `"SamplePerfectTile",["l99"]`, false, ""},
		"variable":    {`"Split",["l3"`, `"Split",["l98"`, false, "is no loop"},
		"no piece":    {`["l3","v6","v7","v8","v9"]`, `["l3",0,"v7","v8","v9"]`, false, "a piece of length 0"},
		"huge piece":  {`["l3","v6","v7","v8","v9"]`, `["l3",2199023255552,1,1,1]`, false, "a piece of length 2199023255552"},
		"huge pieces": {`["l3","v6","v7","v8","v9"]`, `["l3",4294967296,null,1,4294967296]`, false, "length 4294967296"},
		"open pieces": {`["l3","v6","v7","v8","v9"]`, `["l3","v6",null,null,"v9"]`, false, "two pieces of open length"},
		"trace":       {`[[[["GetSBlock"`, `[[[[7`, false, "instruction 0"},
	} {
		changed := strings.Replace(line, c.from, c.to, 1)
		if changed == line {
			t.Fatalf("%s: %s is not in %s", name, c.from, line)
		}
		r, err := ParseRecord([]byte(changed))
		if err == nil {
			_, _, err = d.workloads[0].State(r.Trace)
		}
		var unmapped *UnmappedError
		if c.want == "" {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err == nil || errors.As(err, &unmapped) != c.unmapped || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for text, want := range map[string]string{
		`{}`:                                    "it has no root_index",
		`{"root_index": 0, "nodes": []}`:        `its tvm_version is ""`,
		graphOf(0):                              "node 0 of 0",
		graphOf(0, `{"type":"ir.IRModule"}`):    "node 0",
		graphOf(0, `{"type":"relax.Function"}`): "a Function where a function is to be",
		`[`:                                     "no graph of nodes",
	} {
		if _, err := ParseModule([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func graphOf(root int, nodes ...string) string {
	return fmt.Sprintf(`{"root_index": %d, "nodes": [%s], "metadata": {"tvm_version": "0.27.0"}}`, root,
		strings.Join(nodes, ","))
}

// FuzzRecord reads whatever bytes as a record: no panic, and a state of its trace has steps that apply again.
func FuzzRecord(f *testing.F) {
	list := databases(f)
	for i, d := range list {
		f.Add(lines(f, filepath.Join(d.dir, recordFile+".zst"))[0], i)
	}
	f.Fuzz(func(t *testing.T, line []byte, i int) {
		r, err := ParseRecord(line)
		if err != nil {
			return
		}
		w := list[uint(i)%uint(len(list))].workloads[0]
		state, _, err := w.State(r.Trace)
		if err != nil {
			return
		}
		if _, err := schedule.Replay(w.DAG, state.Steps); err != nil {
			t.Error(err)
		}
	})
}
