package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"github.com/wmtune/wmtune/codegen/build"
	"github.com/wmtune/wmtune/codegen/build/buildtest"
	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

var update = flag.Bool("update", false, "rewrite the expected files in testdata")

// golden compares text with a file in testdata, or rewrites the file.
func golden(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if text != string(want) {
		t.Errorf("%s:\n--- got\n%s--- want\n%s", name, text, want)
	}
}

// testWorkload is a matrix product of 8 by 8.
func testWorkload(text string) (workload.Workload, error) {
	if text != "matmul:m=8,n=8,k=8" {
		return workload.Workload{}, errors.New("unknown workload")
	}
	buffer := func(name string) *tir.Buffer { return &tir.Buffer{Name: name, Type: tir.F32, Shape: []int64{8, 8}} }
	a, b, c := buffer("A"), buffer("B"), buffer("C")
	i, j, k := tir.NewVar("i"), tir.NewVar("j"), tir.NewVar("k")
	x, y := &tir.Var{Name: "x", Type: tir.F32}, &tir.Var{Name: "y", Type: tir.F32}
	load := func(b *tir.Buffer, index ...tir.Expr) tir.Expr { return &tir.Load{Buffer: b, Index: index} }
	dag := &compute.DAG{
		Tensors: []*tir.Buffer{a, b, c}, Outputs: 1,
		Ops: []*compute.Op{
			{Name: "A", Results: []*tir.Buffer{a}},
			{Name: "B", Results: []*tir.Buffer{b}},
			{
				Name: "C", Results: []*tir.Buffer{c},
				Axes:       []*compute.Axis{{Var: i, Extent: 8}, {Var: j, Extent: 8}},
				ReduceAxes: []*compute.Axis{{Var: k, Extent: 8}},
				Body:       []tir.Expr{tir.Bin(tir.Mul, load(a, i, k), load(b, k, j))},
				Combine: &compute.Combiner{
					Kind: compute.Sum, Acc: []*tir.Var{x}, Src: []*tir.Var{y},
					Result: []tir.Expr{tir.Bin(tir.Add, x, y)}, Identity: []tir.Expr{tir.Float(tir.F32, 0)},
				},
			},
		},
	}
	return workload.Workload{DAG: dag, Key: "k8", FLOPs: 1024}, nil
}

// testRecords are a small search: record 2 is the fastest, 4 is tied with it.
func testRecords() []dataset.Record {
	tgt := target.Generic(32, 1)
	tgt.Features = []string{"avx2", "fma"}
	base := dataset.Record{
		WorkloadKey: "k8", Workload: "matmul:m=8,n=8,k=8", Target: tgt,
		BuildSeconds: 0.012, RunSeconds: 0.4, Unix: 1_700_000_000, Scorer: "random", Seed: 42, Status: measure.OK,
	}
	split := func(n int64) []schedule.Step {
		return []schedule.Step{
			schedule.Split{At: 2, Iter: 0, Extent: 8, Lengths: []int64{n}, InnerToOuter: true},
			schedule.Annotate{At: 2, Iter: 0, Ann: schedule.Parallel},
		}
	}
	var list []dataset.Record
	add := func(change func(r *dataset.Record)) {
		r := base
		r.Trial = len(list)
		r.Score = 0.5 - float64(len(list))/8
		change(&r)
		list = append(list, r)
	}
	add(func(r *dataset.Record) { r.Costs = []float64{4e-6, 4.25e-6, 5e-6} })
	add(func(r *dataset.Record) {
		r.Steps, r.Status, r.Score = split(2), measure.WrongAnswer, math.Inf(-1)
		r.Message = "C[0, 3] is 1.5, want 2\n(61 of 64 differ)"
	})
	add(func(r *dataset.Record) { r.Steps, r.Costs = split(4), []float64{1e-6, 1.5e-6, 2e-6} })
	add(func(r *dataset.Record) {
		r.Steps, r.Status, r.Message = split(8), measure.RunTimeout, "no result after 10 s"
	})
	add(func(r *dataset.Record) { r.Steps, r.Costs = split(1), []float64{1.25e-6, 1.5e-6} })
	add(func(r *dataset.Record) { // replays no more
		r.Steps = []schedule.Step{schedule.Fuse{At: 2, Iters: []int{7, 8}}}
		r.Costs = []float64{3e-6}
	})
	return list
}

// testLog writes records as a log of rounds of two.
func testLog(t *testing.T, records []dataset.Record) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tune.arrow")
	w, err := dataset.OpenWriter(path, dataset.WriterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for ; len(records) > 0; records = records[min(2, len(records)):] {
		if err := w.Append(records[:min(2, len(records))]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// showOf runs show with the workloads of the test.
func showOf(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	v := verb{name: "show", most: -1, declare: func(fs *pflag.FlagSet) action { return declareShowOf(fs, testWorkload) }}
	_, err := execute(ctx, v.command(), args, stdout, stderr)
	return err
}

// showText runs show in the folder of the log.
func showText(t *testing.T, path string, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	t.Chdir(filepath.Dir(path))
	var out, errs bytes.Buffer
	err = showOf(t.Context(), append([]string{filepath.Base(path)}, args...), &out, &errs)
	return out.String(), errs.String(), err
}

func TestShowGolden(t *testing.T) {
	folder, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		file string
		args []string
	}{
		{"ranking", nil},
		{"ranking-top", []string{"--top", "2"}},
		{"best", []string{"--best"}},
		{"best-steps", []string{"--best", "--as", "steps"}},
		{"as-state", []string{"--as", "state"}},
		{"tir-of-two", []string{"--as", "tir", "--record", "2,0"}},
		{"failed-record", []string{"--record=1"}},
		{"json", []string{"--json"}},
		{"json-state", []string{"--json", "--as=state", "--record", "0,2"}},
		{"csv", []string{"--csv"}},
		{"bench", []string{"--bench"}},
		{"bench-best", []string{"--bench", "--best"}},
	} {
		t.Run(c.file, func(t *testing.T) {
			out, errs, err := showText(t, testLog(t, testRecords()), c.args...)
			if err != nil || errs != "" {
				t.Fatalf("%v, stderr %q", err, errs)
			}
			t.Chdir(folder)
			golden(t, filepath.Join("show", c.file+".txt"), out)
		})
	}
}

// TestShowLayouts: what is shown of one workload with two layouts, or times of two kinds, tells them apart.
func TestShowLayouts(t *testing.T) {
	records := testRecords()[:3]
	other := records[2]
	other.Layout = target.Rewrite
	deployed := other
	deployed.Timing = measure.Deployed
	path := testLog(t, append(records, other, deployed))
	const bench = "BenchmarkTuned/matmul:m=8,n=8,k=8/layout="
	for _, c := range []struct {
		args []string
		want []string
	}{
		{nil, []string{"-cores=1, --layout keep\n3 records: ", "-cores=1, --layout rewrite\n1 record: ",
			"-cores=1, --layout rewrite, timed deployed\n1 record: "}},
		{[]string{"--best"}, []string{"\nlayout      keep\n", "\nlayout      rewrite\ntiming      repeated\n",
			"\nlayout      rewrite\ntiming      deployed\n"}},
		{[]string{"--best", "--bench"}, []string{bench + "keep 1 1000 ns/op", bench + "rewrite 1 1000 ns/op",
			bench + "rewrite/timing=deployed 1 1000 ns/op"}},
	} {
		out, _, err := showText(t, path, c.args...)
		for _, want := range c.want {
			if err != nil || strings.Count(out, want) != 1 {
				t.Errorf("show %v: %v, want %q once in\n%s", c.args, err, want, out)
			}
		}
	}
}

// TestShowSeveral: several logs are shown one after the other, and records say which one they are of.
func TestShowSeveral(t *testing.T) {
	first, second := testLog(t, testRecords()), testLog(t, testRecords()[2:3])
	page := filepath.Join(t.TempDir(), "page.html")
	for _, c := range []struct {
		args []string
		want []string
	}{
		{[]string{"--html", page}, []string{first + ": 6 records\n", "\n\n" + second + ": 1 record\n", "\npage: " + page}},
		{[]string{"--best"}, []string{"log         " + first + "\nrecord      2\n", "log         " + second + "\nrecord      0\n"}},
		{[]string{"--best", "--as", "steps"}, []string{"# record 2 of matmul:m=8,n=8,k=8 in " + first + ": 1 us\n",
			"# record 0 of matmul:m=8,n=8,k=8 in " + second + ": 1 us\n"}},
		{[]string{"--best", "--json"}, []string{`"log":"` + first + `"`, `"log":"` + second + `"`}},
		{[]string{"--best", "--csv"}, []string{"timing,steps,log\n", "," + first + "\n", "," + second + "\n"}},
	} {
		var out, errs bytes.Buffer
		err := showOf(t.Context(), append([]string{first, second}, c.args...), &out, &errs)
		for _, want := range c.want {
			if err != nil || errs.Len() > 0 || strings.Count(out.String(), want) != 1 {
				t.Errorf("show %v: %v, want %q once in\n%s%s", c.args, err, want, &out, &errs)
			}
		}
	}
	text, err := os.ReadFile(page)
	if err != nil || strings.Count(string(text), "<h2>matmul:m=8,n=8,k=8</h2>") != 2 || strings.Count(string(text), "<svg") != 2 ||
		!strings.Contains(string(text), "<pre>func main(") {
		t.Errorf("%v: the page has\n%s", err, text)
	}
}

// A workload of its own, whose text has several lines, has a short name in
// lines and its whole text in a record.
func TestShowOwnWorkload(t *testing.T) {
	list := testRecords()[:1]
	list[0].Workload = "A = PLACEHOLDER [8]\nB(i) = (A[i]*2f)\n"
	path := testLog(t, list)
	out, _, err := showText(t, path)
	if err != nil || !strings.Contains(out, "\nB#123ebe2f on llvm") || strings.Contains(out, "GFLOP/s") {
		t.Errorf("%v: %s", err, out)
	}
	out, _, err = showText(t, path, "--best")
	if err != nil || !strings.Contains(out, "workload    A = PLACEHOLDER [8]\n            B(i) = (A[i]*2f)\nkey ") {
		t.Errorf("%v: %s", err, out)
	}
}

// LLVM text is another package's golden file; here it is only the right one.
func TestShowLLVM(t *testing.T) {
	out, _, err := showText(t, testLog(t, testRecords()), "--best", "--as", "llvm")
	if err != nil || !strings.Contains(out, "define") || !strings.Contains(out, "wmtune_kernel") || strings.Contains(out, "record 2") {
		t.Errorf("%v: %s", err, out)
	}
}

// Machine code is made for the target of the record, not for this machine.
func TestShowAsm(t *testing.T) {
	buildtest.NeedLLVM(t, build.Config{})
	for cpu, avx := range map[string]bool{"x86-64-v4": true, "x86-64": false} {
		list := testRecords()[2:3]
		list[0].Target.CPU, list[0].Target.Features = cpu, nil
		out, _, err := showText(t, testLog(t, list), "--best", "--as", "asm")
		if err != nil || !strings.Contains(out, "wmtune_kernel:") || strings.Contains(out, "vmovaps") != avx {
			t.Errorf("%s: %v: %s", cpu, err, out)
		}
	}
}

// Every line of JSON has the names that users may rely on.
func TestShowJSONNames(t *testing.T) {
	for _, form := range []string{"steps", "state", "tir", "features", "llvm"} {
		out, _, err := showText(t, testLog(t, testRecords()[:5]), "--json", "--as", form)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for line := range strings.Lines(out) {
			var m map[string]any
			if err := json.Unmarshal([]byte(line), &m); err != nil {
				t.Fatalf("%v: %s", err, line)
			}
			if text, ok := m[form].(string); m["record"] != float64(n) || m["workload_key"] != "k8" || !ok || text == "" {
				t.Errorf("%s: %s", form, line)
			}
			n++
		}
		if n != 5 {
			t.Errorf("%s: %d lines", form, n)
		}
	}
}

// A program that cannot be shown does not keep the others from being shown; in
// the end it is an error that names it.
func TestShowProgramFails(t *testing.T) {
	out, _, err := showText(t, testLog(t, testRecords()), "--json", "--as", "tir")
	if err == nil || !strings.Contains(err.Error(), "record 5 has no tir: ") || strings.Count(out, "\n") != 6 {
		t.Errorf("%v: %s", err, out)
	}
	list := testRecords()
	list[2].WorkloadKey, list[3].Workload = "old", "gone"
	out, _, err = showText(t, testLog(t, list), "--all", "--as", "state")
	if err == nil || !strings.Contains(err.Error(), "3 of 6 records have no state; the first: record 2 has no state: "+
		`its workload "matmul:m=8,n=8,k=8" has the key k8 in this wmtune, and had old when it was measured`) {
		t.Errorf("%v: %s", err, out)
	}
	_, _, err = showText(t, testLog(t, list), "--record", "3", "--as", "state")
	if err == nil || !strings.Contains(err.Error(), `its workload "gone" is not known: unknown workload`) {
		t.Errorf("%v", err)
	}
}

func TestShowUsage(t *testing.T) {
	for _, c := range []struct {
		args string
		want string
	}{
		{"", "needs the path of a log"},
		{"a.onnx b", `unexpected argument "b": one model at a time`},
		{"a b --why 3", "--record, --why and --follow take one log, not 2"},
		{"a b --record 3", "--record, --why and --follow take one log, not 2"},
		{"a b --csv --follow", "--record, --why and --follow take one log, not 2"},
		{"a --html x.html --why 3", "--html shows finished records"},
		{"a.onnx --html x.html", "--html is for logs, not for models"},
		{"a --best --all", "takes only one of --best, --record, --all and --why"},
		{"a --record 1 --all", "takes only one of --best, --record, --all and --why"},
		{"a --json --csv", "takes only one of --json, --csv and --bench"},
		{"a --record 1,x", `--record takes numbers from 0 on, separated by commas, not "1,x"`},
		{"a --record -1", `--record takes numbers from 0 on, separated by commas, not "-1"`},
		{"a --record=", `--record takes numbers from 0 on, separated by commas, not ""`},
		{"a --top 0", "--top takes a number from 1 on, not 0"},
		{"a --as text",
			`--as takes steps, state, tir, passes, features, llvm, asm, cuda, usage, vdla, roofline, graph, tasks, plan, not "text"`},
		{"a --as tir --bench", "--bench shows no programs: leave out --as"},
		{"a --follow", "--follow needs --json, --csv or --bench, and prints all records"},
		{"a --follow --json --best", "--follow needs --json"},
		{"a --nope", "unknown flag --nope"},
	} {
		err := showOf(t.Context(), strings.Fields(c.args), &bytes.Buffer{}, &bytes.Buffer{})
		var usage usageError
		if !errors.As(err, &usage) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %s", c.args, err, c.want)
		}
	}
}

func TestShowErrors(t *testing.T) {
	path := testLog(t, testRecords())
	if _, _, err := showText(t, path, "--record", "2,6"); err == nil || !strings.Contains(err.Error(), "there is no record 6: the records are numbered from 0 to 5") {
		t.Errorf("%v", err)
	}
	failed := testRecords()[1:2]
	if _, _, err := showText(t, testLog(t, failed), "--best"); !errors.Is(err, errNothing) {
		t.Errorf("%v", err)
	}
	if _, _, err := showText(t, filepath.Join(filepath.Dir(path), "none.arrow")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v", err)
	}
	empty := filepath.Join(t.TempDir(), "empty.onnx")
	if err := os.WriteFile(empty, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, _, err := showText(t, empty); err == nil || !strings.Contains(err.Error(), "the file is empty") {
		t.Errorf("an empty model: %v", err)
	}
}

// What was left out of a log stands on the error output.
func TestShowWarns(t *testing.T) {
	path := testLog(t, testRecords())
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b[:len(b)-10], 0o666); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{nil, {"--json"}, {"--best"}, {"--record", "0"}} {
		out, errs, err := showText(t, path, args...)
		if err != nil || out == "" || !strings.HasPrefix(errs, "warning: log tune.arrow: bytes ") || strings.Count(errs, "\n") != 1 {
			t.Errorf("%v: %v, stderr %q", args, err, errs)
		}
	}
}

// Following prints what is there at once and then what comes, until it is
// stopped.
func TestShowFollow(t *testing.T) {
	list := testRecords()
	path := testLog(t, list[:2])
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	lines := &lineWatcher{seen: func(n int) {
		switch n {
		case 2:
			w, err := dataset.OpenWriter(path, dataset.WriterOptions{})
			if err != nil {
				t.Error(err)
				stop()
				return
			}
			defer w.Close()
			if err := w.Append(list[2:4]); err != nil {
				t.Error(err)
			}
		case 4:
			stop()
		}
	}}
	if err := showOf(ctx, []string{path, "--json", "--follow"}, lines, &bytes.Buffer{}); err != nil {
		t.Error(err)
	}
	if lines.n != 4 {
		t.Errorf("%d lines, want 4", lines.n)
	}
}

// A lineWatcher counts the lines that are written to it.
type lineWatcher struct {
	n    int
	seen func(n int)
}

func (w *lineWatcher) Write(b []byte) (int, error) {
	w.n += bytes.Count(b, []byte("\n"))
	w.seen(w.n)
	return len(b), nil
}

// An empty log is no error.
func TestShowEmpty(t *testing.T) {
	for _, c := range []struct{ arg, want string }{
		{"--top=3", "tune.arrow: 0 records\n"},
		{"--json", ""},
		{"--bench", ""},
		{"--csv", "record,trial,status,"},
	} {
		out, errs, err := showText(t, testLog(t, nil), c.arg)
		if err != nil || errs != "" || !strings.HasPrefix(out, c.want) || c.want == "" && out != "" {
			t.Errorf("%s: %v, %q, %q", c.arg, err, out, errs)
		}
	}
}

// TestShowPasses shows the stages of a program, and leaves passes out.
func TestShowPasses(t *testing.T) {
	log := testLog(t, testRecords()[:5])
	table, _, err := showText(t, log, "--best", "--passes")
	lines := strings.Split(strings.TrimSpace(table), "\n")
	if err != nil || len(lines) != 24 || strings.Join(strings.Fields(lines[0]), " ") != "pass time statements expressions" {
		t.Errorf("%v\n%s", err, table)
	}
	if last := strings.Fields(lines[len(lines)-1]); len(last) < 5 || last[0] != "promote" || last[2] != "ms" || last[3] == "0" {
		t.Errorf("%v in\n%s", last, table)
	}
	whole, _, _ := showText(t, log, "--best", "--as", "tir")
	tiled, _, err := showText(t, log, "--best", "--after", "synchronize")
	if err != nil || !strings.Contains(whole, "C.acc") || strings.Contains(tiled, "C.acc") || !strings.Contains(tiled, "for k in 8") {
		t.Errorf("%v: after all passes\n%safter synchronize\n%s", err, whole, tiled)
	}
	for _, form := range []string{"tir", "llvm"} {
		skipped, _, err := showText(t, log, "--best", "--as", form, "--skip-pass", "promote,widen,lanewise")
		if err != nil || strings.Contains(skipped, "C.acc") {
			t.Errorf("%v\n%s", err, skipped)
		}
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--as", "tir", "--after", "simplfy"}, `there is no pass "simplfy"; the passes are build, nesting, simplify, `},
		{[]string{"--as", "tir", "--skip-pass", "join,x"}, `there is no pass "x"; the passes are build, `},
		{[]string{"--as", "tir", "--skip-pass", "vectorize"}, `pass vectorize cannot be skipped: it makes loops serial`},
		{[]string{"--as", "llvm", "--after", "join"}, `--after is for --as tir and --as passes, not "llvm"`},
		{[]string{"--as", "steps", "--skip-pass", "join"}, `--skip-pass is for --as tir, passes, and the forms of code`},
		{[]string{"--as", "state", "--passes"}, `--passes is --as passes, not --as state`},
	} {
		if _, _, err := showText(t, log, c.args...); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %s", c.args, err, c.want)
		}
	}
}

// TestShowRoofline: the best record of a search on this machine has a place under
// the roof.
func TestShowRoofline(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	if code, stdout, stderr := wmtune(t, searchArgsFor(dir, 4)...); code != 0 {
		t.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
	}
	code, stdout, stderr := wmtune(t, "show", filepath.Join(dir, "tuning.arrow"), "--as", "roofline")
	if code != 0 || !strings.Contains(stdout, "GFLOP/s") || !strings.Contains(stdout, "bound ") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
}
