package ansor

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// measured returns records of workloads, as a search writes them.
func measured(t *testing.T, texts ...string) []dataset.Record {
	t.Helper()
	var list []dataset.Record
	for _, text := range texts {
		w, err := workload.Find(text)
		if err != nil {
			t.Fatal(err)
		}
		s := schedule.New(w.DAG)
		last := len(s.Stages) - 1
		steps := []schedule.Step{schedule.Annotate{At: last, Iter: 0, Ann: schedule.Parallel}}
		r := dataset.Record{
			WorkloadKey: w.Key, Workload: w.Text, Target: target.Generic(32, 2), Steps: steps, Status: measure.OK,
			Costs: []float64{1.5e-6, 2e-6}, BuildSeconds: 0.25, Unix: 1_700_000_000, Scorer: "random",
		}
		r.Trajectory = dataset.TrajectoryHash(r.WorkloadKey, r.Workload, steps)
		failed := r
		failed.Status, failed.Message, failed.Costs = measure.WrongAnswer, "C[0] is 1, want 2", nil
		list = append(list, r, failed)
	}
	return list
}

// TestExportLeavesOut: AutoScheduler ends at a line with a step that it has not, so none is written.
func TestExportLeavesOut(t *testing.T) {
	list := measured(t, "conv2d:h=8,w=8,ci=4,co=4,k=3,p=1")
	list[0].Steps = []schedule.Step{schedule.Winograd{At: 3, Tile: 4}}
	list[0].Trajectory = dataset.TrajectoryHash(list[0].WorkloadKey, list[0].Workload, list[0].Steps)
	log := filepath.Join(t.TempDir(), "search.arrow")
	w, err := dataset.OpenWriter(log, dataset.WriterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Append(list), w.Close()); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	warned := ""
	e := Exporter{Warn: func(w dataset.Warning) { warned += w.String() }}
	n, err := e.Export(context.Background(), []string{log}, &out)
	if err != nil || n != 1 || strings.Contains(out.String(), "WG") {
		t.Errorf("%d records, %v:\n%s", n, err, &out)
	}
	if !strings.Contains(warned, "left out 1 records with the step WG") || !strings.Contains(warned, "--space direct") {
		t.Errorf("warned of %q", warned)
	}
}

// TestExportWithdrawn: a line of AutoScheduler's is what the log holds, and a time of a program that failed later is
// warned of.
func TestExportWithdrawn(t *testing.T) {
	list := measured(t, "matmul:m=8,n=8,k=8", "matmul:m=16,n=8,k=8")
	list[3].Unix-- // it failed before it was timed
	log := filepath.Join(t.TempDir(), "search.arrow")
	write := func(w *dataset.Writer) error { return w.Append(list) }
	if err := dataset.Create(log, dataset.WriterOptions{}, write); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	warned := ""
	e := Exporter{Warn: func(w dataset.Warning) { warned += w.String() }}
	n, err := e.Export(context.Background(), []string{log}, &out)
	if err != nil || n != 4 || !strings.Contains(warned, "wrote 1 times of programs that failed when they were") {
		t.Errorf("%d records, %v, warned of %q", n, err, warned)
	}
}

// TestExportImport: what a search measured can be exported and imported again, for
// operators that AutoScheduler does not have, types that keys do not tell apart, and
// workloads from files.
func TestExportImport(t *testing.T) {
	w, err := workload.Find("input x: float32[8, 8]\ny(i: 8, j: 8) = x[j, i]*2\noutput y\n")
	if err != nil {
		t.Fatal(err)
	}
	texts := []string{
		"matmul:m=64,n=64,k=64", "matmul:m=64,n=64,k=64,dtype=f16", "matmul:m=64,n=64,k=64,ta=1", "dense:m=8,n=16,k=4",
		"dense:m=8,n=16,k=4,epilogue=bias+relu", "batch_matmul:b=2,m=4,n=4,k=4", "softmax:m=8,n=8", "layernorm:m=8,n=8", "variance:m=8,n=8",
		"argmax:m=8,n=8", "conv2d:h=8,w=8,ci=4,co=4,k=3,p=1", "conv2d_winograd:h=8,w=8,ci=4,co=4,p=1", "depthwise:h=8,w=8,c=4,k=3",
		"maxpool2d:h=8,w=8,c=4,k=2,s=2", "global_avgpool2d:h=4,w=4,c=8", "elementwise:fn=exp,shape=8x8", w.DAG.Text(),
	}
	want := measured(t, texts...)
	slices.SortStableFunc(want, func(a, b dataset.Record) int { return int(a.Status) - int(b.Status) }) // one task after the other, twice
	log := filepath.Join(t.TempDir(), "search.arrow")
	if err := dataset.Create(log, dataset.WriterOptions{}, func(w *dataset.Writer) error { return w.Append(want) }); err != nil {
		t.Fatal(err)
	}
	var first, second bytes.Buffer
	var e Exporter
	if n, err := e.Export(context.Background(), []string{log}, &first); n != len(want) || err != nil {
		t.Fatal(n, err)
	}
	file := filepath.Join(t.TempDir(), "search.json")
	if n, err := e.ExportFile(context.Background(), []string{log}, file); n != len(want) || err != nil {
		t.Fatal(n, err)
	}
	back := filepath.Join(t.TempDir(), "back.arrow")
	in, err := Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	err = dataset.Create(back, dataset.WriterOptions{}, func(w *dataset.Writer) error {
		for r, err := range NewImporter().Records(in) {
			if err := errors.Join(err, w.Append([]dataset.Record{r})); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	got, _, err := dataset.ReadLog(back)
	if err != nil || len(got) != len(want) {
		t.Fatal(len(got), err)
	}
	for i, r := range got {
		w := want[i]
		if r.WorkloadKey != w.WorkloadKey || r.Workload != w.Workload || r.Trajectory != w.Trajectory || r.Status != w.Status ||
			!reflect.DeepEqual(r.Costs, w.Costs) || !reflect.DeepEqual(r.Steps, w.Steps) || r.Unix != w.Unix {
			t.Errorf("record %d: %+v\nwas %+v", i, r, w)
		}
	}
	if _, err := e.Export(context.Background(), []string{back}, &second); err != nil || first.String() != second.String() {
		t.Errorf("exported again: %v\n%s\nfirst\n%s", err, &second, &first)
	}
	for line := range strings.Lines(first.String()) { // AutoScheduler skips what begins with #
		if _, err := ParseLine([]byte(strings.TrimSpace(line))); err != nil && !strings.HasPrefix(line, "# ") {
			t.Errorf("%v: %s", err, line)
		}
	}
}

// TestDeclared: a comment counts for the lines after it that have its key.
func TestDeclared(t *testing.T) {
	var b bytes.Buffer
	w := NewWriter(&b)
	records := measured(t, "matmul:m=64,n=64,k=64", "matmul:m=64,n=64,k=64,dtype=f16")
	for i := range records {
		if err := w.Write(&records[i]); err != nil {
			t.Fatal(err)
		}
	}
	w.Flush()
	text := b.String()
	if n := strings.Count(text, declares); n != 2 {
		t.Errorf("%d comments:\n%s", n, text)
	}
	comment, line, _ := strings.Cut(text, "\n")
	line, _, _ = strings.Cut(line, "\n")
	for name, c := range map[string]struct {
		log       string
		records   int
		bad, want string
	}{
		"none":       {line, 0, "no operator is known", ""},
		"other":      {declares + "\"softmax:m=8,n=8\"\n" + line, 0, "no operator is known", ""},
		"no JSON":    {declares + "softmax:m=8,n=8\n" + comment + "\n" + line, 1, "the comment names no workload", ""},
		"no op":      {declares + "\"nonsense:m=8\"\n" + comment + "\n" + line, 1, "the comment names no workload", ""},
		"later":      {line + "\n" + comment + "\n" + line, 1, "no operator is known", ""},
		"still good": {comment + "\n# something else\n" + line, 1, "", ""},
	} {
		records, bad := importAll(t, c.log)
		all := ""
		for _, text := range bad {
			all += text
		}
		if len(records) != c.records || !strings.Contains(all, c.bad) || (c.bad == "") != (all == "") {
			t.Errorf("%s: %d records, %q", name, len(records), all)
		}
	}
}
