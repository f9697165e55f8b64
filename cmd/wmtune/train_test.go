package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/models"
	"github.com/wmtune/wmtune/models/train"
	"github.com/wmtune/wmtune/search/annotate"
	"github.com/wmtune/wmtune/search/sketch"
	"github.com/wmtune/wmtune/tir/target"
	"github.com/wmtune/wmtune/tune/inspect"
)

// trainingData makes a dataset of made-up times of a few workloads, some of which
// are in each part of the split.
func trainingData(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	log := filepath.Join(dir, "tuning.arrow")
	w, err := dataset.OpenWriter(log, dataset.WriterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	on := target.Generic(32, 2)
	for _, n := range []int{16, 24, 32, 64} {
		for _, m := range []int{24, 72} {
			found, err := workload.Find(fmt.Sprintf("matmul:m=%d,n=%d,k=40", m, n))
			if err != nil {
				t.Fatal(err)
			}
			sketches, err := sketch.Generate(t.Context(), sketch.CPU, found.DAG, on)
			if err != nil {
				t.Fatal(err)
			}
			states, err := annotate.New(annotate.CPU, on).Population(t.Context(), sketches, 24, 1, 0, 0)
			if err != nil {
				t.Fatal(err)
			}
			var records []dataset.Record
			for _, s := range states {
				records = append(records, dataset.Record{
					WorkloadKey: found.Key, Workload: found.Text, Target: on, Steps: s.Steps, Status: measure.OK, Costs: []float64{madeUp(s)},
				})
			}
			if err := w.Append(records); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	data := filepath.Join(dir, "data")
	if code, stdout, stderr := wmtune(t, "dataset", "build", log, "--out", data); code != 0 {
		t.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
	}
	return data
}

// TestTrain: a model is trained, searched with, and left as it is by a second
// training; another one of the same data has the same bytes.
func TestTrain(t *testing.T) {
	needXGBoost(t)
	data := trainingData(t)
	dir := t.TempDir()
	var first map[string][]byte
	for i, jobs := range []string{"1", "2"} {
		out := filepath.Join(dir, jobs)
		for _, stage := range []string{"transition", "ranker"} {
			args := []string{"train", stage, "--data", data, "--out", out, "--effort", "0.05", "--jobs", jobs}
			if code, stdout, stderr := wmtune(t, args...); code != 0 {
				t.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
			}
		}
		files := contents(t, out)
		if i == 0 {
			first = files
			continue
		}
		for name, data := range first {
			if !bytes.Equal(files[name], data) {
				t.Errorf("%s differs with --jobs %s", name, jobs)
			}
		}
		code, stdout, stderr := wmtune(t, "train", "ranker", "--json", "--data", data, "--out", out, "--effort", "0.05",
			"--jobs", jobs)
		var r struct {
			Out, Kind, Missing string
			Parts              []string
		}
		if err := json.Unmarshal([]byte(stdout), &r); err != nil || r.Out != out || r.Kind != "llvm" || len(r.Parts) != 2 ||
			r.Missing != "" {
			t.Errorf("--json: %v: %s", err, stdout)
		}
		if code != 0 || !strings.Contains(stderr, "ranker: done before") || strings.Contains(stderr, "ranker: trees and") {
			t.Errorf("again: exit code %d\n%s", code, stderr)
		}
		for name, data := range contents(t, out) {
			if !bytes.Equal(files[name], data) {
				t.Errorf("%s differs after a second training", name)
			}
		}
	}
	model := filepath.Join(dir, "1")
	r, said := searched(t, searchArgsFor(filepath.Join(dir, "search"), 8, "--scorer", "world", "--model", model)...)
	if r.Scorer != "world" || r.BestUS == nil {
		t.Errorf("result %+v\n%s", r, said)
	}
	r, _ = searched(t, searchArgsFor(filepath.Join(dir, "choice"), 0, "--scorer", "world", "--model", model)...)
	if !r.Unmeasured || r.BestUS != nil || len(r.Files) == 0 || r.Steps == "" || r.Trials != 0 {
		t.Errorf("unmeasured: %+v", r)
	}
	code, _, stderr := wmtune(t, searchArgsFor(filepath.Join(dir, "search"), 0, "--scorer", "world", "--model", model)...)
	if code != exitFailed || !strings.Contains(stderr, "choose another --out") {
		t.Errorf("an unmeasured kernel in the place of a measured one: exit code %d\n%s", code, stderr)
	}
	m, err := models.Open(model)
	if err != nil {
		t.Fatal(err)
	}
	// Steps are explained by the value of what they make: where the ranker has no use for values nothing explains them.
	log := filepath.Join(dir, "search", "tuning.arrow")
	for _, c := range []struct {
		flags  []string
		valued bool
	}{{[]string{"--model", model}, m.Manifest().Weights["value"] > 0}, {nil, true}} {
		code, stdout, stderr := wmtune(t, append([]string{"show", log, "--why", "3", "--json"}, c.flags...)...)
		var why inspect.Reason
		if err := json.Unmarshal([]byte(stdout), &why); code != 0 || err != nil || why.Of != 8 ||
			(len(why.Actions) > 0) != c.valued || len(why.Nearest) != 5 || why.Space != "predicted state" {
			t.Errorf("why, %q: exit code %d, %v\n%s%s", c.flags, code, err, stdout, stderr)
		}
	}
	if m.Manifest().Kind != target.LLVM || len(m.Manifest().OOD.Operators) != 1 || len(m.Manifest().Data) != 1 {
		t.Errorf("manifest %+v", m.Manifest())
	}
}

// TestTrainAll: all stages follow each other, with next to no training.
func TestTrainAll(t *testing.T) {
	needXGBoost(t)
	out := filepath.Join(t.TempDir(), "model")
	data := trainingData(t)
	code, stdout, stderr := wmtune(t, "train", "all", "--data", data, "--out", out, "--effort", "0.001")
	if code != 0 || !strings.Contains(stdout, "of parts [encoder transition ranker refiner]") {
		t.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
	}
	r, _ := searched(t, searchArgsFor(filepath.Join(filepath.Dir(out), "choice"), 0, "--scorer", "world", "--model", out)...)
	if !r.Unmeasured {
		t.Errorf("result %+v", r)
	}
	apart := filepath.Join(t.TempDir(), "model")
	for _, stage := range train.Stages() {
		if code, stdout, stderr := wmtune(t, "train", stage, "--data", data, "--out", apart, "--effort", "0.001"); code != 0 {
			t.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
		}
	}
	for name, text := range contents(t, out) {
		if !bytes.Equal(contents(t, apart)[name], text) {
			t.Errorf("%s differs if stages are trained by commands of their own", name)
		}
	}
	m, err := models.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"encoder retrieval", "validation all"} {
		if _, ok := m.Manifest().Metrics[name]; !ok {
			t.Errorf("the manifest does not say %q: %v", name, m.Manifest().Metrics)
		}
	}
	trainAgain(t, data, out)
	trainShipped(t, data, out)
}

// trainAgain trains an encoder of another seed into a finished model: what was trained with the
// old one is named, whether marks are there or not, until it is trained, too.
func trainAgain(t *testing.T, data, whole string) {
	marked := filepath.Join(t.TempDir(), "model")
	if err := os.CopyFS(marked, os.DirFS(whole)); err != nil {
		t.Fatal(err)
	}
	train := func(out, stage, want string) {
		code, stdout, stderr := wmtune(t, "train", stage, "--seed", "18", "--data", data, "--out", out, "--effort", "0.001")
		if code != 0 || !strings.Contains(stdout, want) {
			t.Errorf("%s in %s: exit code %d\n%s%s", stage, out, code, stdout, stderr)
		}
		if _, err := models.Open(out); (err == nil) != (stage == "refiner") {
			t.Errorf("%s in %s: opened: %v", stage, out, err)
		}
	}
	const old = "no model yet: the transition was trained with another encoder.onnx: train the transition again"
	train(marked, "encoder", old)
	// Without the marks of other parts; the encoder, which takes longest, is trained once.
	unmarked := filepath.Join(t.TempDir(), "model")
	if err := os.CopyFS(unmarked, os.DirFS(marked)); err != nil {
		t.Fatal(err)
	}
	for _, stage := range []string{"tokenizer", "transition", "ranker", "refiner"} {
		if err := os.Remove(filepath.Join(unmarked, ".training", stage+".done")); err != nil {
			t.Fatal(err)
		}
	}
	train(unmarked, "encoder", old)
	for _, out := range []string{marked, unmarked} {
		train(out, "transition", "no model yet: the ranker was trained with another encoder.onnx: train the ranker again")
		train(out, "ranker", "no model yet: the refiner was trained with another encoder.onnx: train the refiner again")
		train(out, "refiner", "a model for llvm of parts [encoder transition ranker refiner]")
	}
	out := filepath.Join(t.TempDir(), "model")
	if err := os.CopyFS(out, os.DirFS(whole)); err != nil {
		t.Fatal(err)
	}
	for _, stage := range []string{"ranker", "refiner"} {
		if code, _, stderr := wmtune(t, "train", stage, "--all", "--data", data, "--out", out, "--effort",
			"0.001"); code != 0 {
			t.Fatal(stderr)
		}
	}
	m, err := models.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	if got := m.Manifest(); !strings.HasSuffix(got.Split, " by task; "+got.Split[:strings.Index(got.Split, ";")]+", test tasks learned") || len(got.Data) != 1 {
		t.Errorf("split %q, data %v", got.Split, got.Data)
	}
}

// trainShipped trains a part in a copy of a model as it is shipped: with packed files, and without marks.
func trainShipped(t *testing.T, data, whole string) {
	out := filepath.Join(t.TempDir(), "model")
	if err := os.CopyFS(out, os.DirFS(whole)); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(out, ".training")); err != nil {
		t.Fatal(err)
	}
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"tokenizer.json", "ranker.json", "ranker.trees"} {
		path := filepath.Join(out, name)
		text, err := os.ReadFile(path)
		if err == nil {
			err = os.WriteFile(path+".zst", w.EncodeAll(text, nil), 0o644)
		}
		if err == nil {
			err = os.Remove(path)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	code, stdout, stderr := wmtune(t, "train", "refiner", "--data", data, "--out", out, "--effort", "0.001")
	if code != 0 || !strings.Contains(stdout, "of parts [encoder transition ranker refiner]") {
		t.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
	}
	m, err := models.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := m.Manifest().Files["ranker.json"]; !ok {
		t.Errorf("the manifest lists no ranker.json: %v", m.Manifest().Files)
	}
}

// contents returns the files of a folder by name.
func contents(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for _, e := range list {
		if e.IsDir() {
			continue
		}
		if files[e.Name()], err = os.ReadFile(filepath.Join(dir, e.Name())); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

func TestTrainUsage(t *testing.T) {
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"train"}, exitUsage, "needs a stage: "},
		{[]string{"train", "rankr"}, exitUsage, `unknown stage "rankr"`},
		{[]string{"train", "all", "--out", "x"}, exitUsage, "--data is missing"},
		{[]string{"train", "all", "--data", "x"}, exitUsage, "--out is missing"},
		{[]string{"train", "all", "--data", "x", "--out", "y", "--target", "vulkan"}, exitUsage, "llvm or cuda"},
		{[]string{"train", "all", "--data", "x", "--out", "y", "--effort", "0"}, exitUsage, "above 0"},
		{[]string{"train", "all", "--data", "/nonexistent", "--out", t.TempDir()}, exitFailed, "/nonexistent"},
	} {
		code, stdout, stderr := wmtune(t, c.args...)
		if code != c.code || !strings.Contains(stderr, c.want) {
			t.Errorf("%v: exit code %d, want %d\n%s%s\nwant in it: %s", c.args, code, c.code, stdout, stderr, c.want)
		}
	}
}
