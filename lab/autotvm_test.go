package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// TestAutoTVM: the spaces of 66 tasks are TVM's: names, values in order, sizes, and configurations by index. The file is
// what TVM 0.16 says of the tasks of the paper.
func TestAutoTVM(t *testing.T) {
	file := filepath.Join("testdata", "autotvm-spaces.jsonl.zst")
	answers, err := answerAutoTVM(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	type knob struct {
		Name   string
		Dim    int
		Values []any
	}
	type space struct {
		ID     string
		Knobs  []knob
		Dims   []int
		Length int64
		Points []any
	}
	want, got := unpacked(t, "autotvm-spaces.jsonl.zst"), bytes.Split(bytes.TrimSpace(answers), []byte("\n"))
	if len(want) != 66 || len(got) != len(want) {
		t.Fatalf("%d answers to %d questions", len(got), len(want))
	}
	for i := range want {
		var w, g space
		if err := json.Unmarshal(want[i], &w); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(got[i], &g); err != nil {
			t.Fatal(err)
		}
		for k := range w.Knobs {
			if w.Knobs[k].Values == nil && k < len(g.Knobs) { // long lists are left out
				g.Knobs[k].Values = nil
			}
		}
		if !reflect.DeepEqual(w, g) {
			t.Errorf("%s: the space is\n%+v\nwant\n%+v", w.ID, g, w)
		}
	}
}

// TestAutoTVMKnobs: a configuration has its knobs as numbers; what is no question is an error that says where.
func TestAutoTVMKnobs(t *testing.T) {
	const line = `{\"input\": [\"llvm\", \"batch_matmul.x86\", [[\"TENSOR\", [3, 7, 11], \"float32\"], ` +
		`[\"TENSOR\", [3, 5, 11], \"float32\"]], {}], \"config\": {\"entity\": []}, \"result\": [[1], 0, 1, 1], \"version\": 0.2}`
	name := filepath.Join(t.TempDir(), "questions.jsonl")
	ask := func(text string) (string, error) {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		answers, err := answerAutoTVM(t.Context(), name)
		return string(answers), err
	}
	const want = `{"id":"batch6 batch_matmul.x86 5","knob":[-1,7,-1,1,-1,11]}` + "\n"
	if got, err := ask(`{"id": "batch6 batch_matmul.x86 5", "line": "` + line + `"}`); err != nil || got != want {
		t.Errorf("%s %v, want %s", got, err, want)
	}
	for text, want := range map[string]string{
		"{":           "line 1",
		`{"id": "a"}`: "an id names a task and a template",
		`{"id": "a batch_matmul.x86", "args": [[], []]}`:                                             "argument 0 is no tensor",
		`{"id": "a other.x86", "args": [["TENSOR", [3, 7]], ["TENSOR", [3, 7]]]}`:                    "known are conv2d_NCHWc.x86",
		`{"id": "a conv2d_nchw.cuda", "args": [["TENSOR", [1, 3, 7, 7]], ["TENSOR", [1, 3, 7, 7]]]}`: "argument 2 is no list",
		`{"id": "a batch_matmul.x86 99", "line": "` + line + `"}`:                                    "index 99 of a space of 8",
	} {
		if _, err := ask(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
