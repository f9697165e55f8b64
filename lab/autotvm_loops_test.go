package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/wmtune/wmtune/search/template"
)

// unpacked returns the lines of a file of testdata.
func unpacked(t *testing.T, name string) [][]byte {
	t.Helper()
	packed, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	r, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	text, err := r.DecodeAll(packed, nil)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Split(bytes.TrimSpace(text), []byte("\n"))
}

// lineOf writes a configuration as AutoTVM logs it.
func lineOf(t *testing.T, name string, args []json.RawMessage, index int64) string {
	t.Helper()
	p, err := problemOf(name, args)
	if err != nil {
		t.Fatal(err)
	}
	space, err := template.Of(name, p)
	if err != nil {
		t.Fatal(err)
	}
	entity := [][3]any{}
	for i, d := range space.Digits(index) {
		kind := "sp"
		if space[i].Split == nil {
			kind = "ot"
		}
		entity = append(entity, [3]any{space[i].Name, kind, valueOf(space[i].Values[d])})
	}
	line, err := json.Marshal(map[string]any{
		"input":  []any{"llvm", name, args, struct{}{}},
		"config": map[string]any{"entity": entity}, "result": []any{[]float64{1}, 0, 1, 1}, "version": 0.2,
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(line)
}

// TestAutoTVMLoops: the features of the loops of 598 configurations are TVM's. The file has the sums of their numbers:
// those of itervar rows, and those of curves, one of which is right where TVM chooses by the order of a hash table.
// What is listed differs in a stride of a copy to shared memory, whose index TVM's simplifier leaves in another form.
func TestAutoTVMLoops(t *testing.T) {
	other := map[string]bool{}
	for _, id := range []string{
		"C2 conv2d_nchw.cuda 51491088", "C3 conv2d_nchw.cuda 11963947",
		"C12 conv2d_nchw.cuda 139880", "C12 conv2d_nchw.cuda 827765", "C12 conv2d_nchw.cuda 839222",
	} {
		other[id] = true
	}
	args := map[string][]json.RawMessage{}
	for _, text := range unpacked(t, "autotvm-spaces.jsonl.zst") {
		var q question
		if err := json.Unmarshal(text, &q); err != nil {
			t.Fatal(err)
		}
		args[q.ID] = q.Args
	}
	near := func(x, y float64) bool { return math.Abs(x-y) <= 1e-5*max(math.Abs(x), math.Abs(y)) }
	sum := func(list any) (s float64) {
		for _, x := range list.([]float64) {
			s += x
		}
		return s
	}
	lines := unpacked(t, "autotvm-sums.jsonl.zst")
	for _, text := range lines {
		var want struct {
			ID      string
			N       int
			Itervar float64
			Curve   []float64
		}
		if err := json.Unmarshal(text, &want); err != nil {
			t.Fatal(err)
		}
		words := strings.Fields(want.ID)
		var index int64
		if _, err := fmt.Sscan(words[2], &index); err != nil {
			t.Fatal(err)
		}
		q := question{ID: want.ID, Line: lineOf(t, words[1], args[words[0]+" "+words[1]], index)}
		got, err := q.answer()
		if err != nil || got["itervar"] == nil {
			t.Errorf("%s: no features: %v", want.ID, err)
			continue
		}
		rows, curve := sum(got["itervar"]), sum(got["curve"])
		if n := len(got["itervar"].([]float64)); n != want.N || near(rows, want.Itervar) == other[want.ID] {
			t.Errorf("%s: %d numbers of itervars, in all %v; want %d, %v", want.ID, n, rows, want.N, want.Itervar)
		}
		if !slices.ContainsFunc(want.Curve, func(x float64) bool { return near(x, curve) }) {
			t.Errorf("%s: the curves are %v in all, want one of %v", want.ID, curve, want.Curve)
		}
	}
	if len(lines) != 598 {
		t.Errorf("%d lines", len(lines))
	}
}
