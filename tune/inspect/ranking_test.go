package inspect

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// testLog opens a log of three programs of one task: the second is the fastest, the third is
// tied with it. A further record failed.
func testLog(t *testing.T) *dataset.Reader {
	t.Helper()
	w, err := workload.Find("matmul:m=8,n=8,k=8")
	if err != nil {
		t.Fatal(err)
	}
	var list []dataset.Record
	for i, costs := range [][]float64{{4}, {1, 2}, {1.25}, nil} {
		r := dataset.Record{WorkloadKey: w.Key, Workload: w.Text, Target: target.Generic(32, 1), Costs: costs, Status: measure.OK}
		r.Steps = []schedule.Step{schedule.Split{At: 2, Iter: 0, Extent: 8, Lengths: []int64{int64(1 << i)}, InnerToOuter: true}}
		if costs == nil {
			r.Status = measure.RunTimeout
		}
		list = append(list, r)
	}
	path := filepath.Join(t.TempDir(), "tune.arrow")
	err = dataset.Create(path, dataset.WriterOptions{}, func(w *dataset.Writer) error { return w.Append(list) })
	if err != nil {
		t.Fatal(err)
	}
	r, err := dataset.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

func TestRank(t *testing.T) {
	s, err := Summarize(testLog(t))
	if err != nil || s.Records != 4 || !slices.Equal(Best(&s), []int{1}) {
		t.Fatalf("%v, %+v", err, s)
	}
	list := Rank(&s.Tasks[0])
	for i, want := range []Ranked{
		{dataset.Program{Record: 1}, 1, false}, {dataset.Program{Record: 2}, 0.8, true}, {dataset.Program{Record: 0}, 0.25, false},
	} {
		if got := list[i]; got.Record != want.Record || got.Relative != want.Relative || got.Tied != want.Tied {
			t.Errorf("place %d: %+v, want %+v", i+1, got, want)
		}
	}
}

func TestPick(t *testing.T) {
	picked, err := Pick(testLog(t), []int{3, 0, 3})
	if err != nil || len(picked) != 3 || picked[0].Status != measure.RunTimeout || picked[1].Cost() != 4 || picked[2].Timed() {
		t.Errorf("%v, %+v", err, picked)
	}
	r := testLog(t)
	if _, err := Pick(r, []int{4}); err == nil || err.Error() != "log "+r.Path()+": there is no record 4: the records are numbered from 0 to 3" {
		t.Errorf("%v", err)
	}
}

// TestPrograms: every form that needs no compiler has a text for a processor's record; a record
// whose workload means something else now has none.
func TestPrograms(t *testing.T) {
	picked, err := Pick(testLog(t), []int{1})
	if err != nil {
		t.Fatal(err)
	}
	var p Programs
	defer p.Close()
	for _, name := range []string{"steps", "state", "tir", "passes", "features", "llvm"} {
		form, err := FindForm(name)
		if err != nil {
			t.Fatal(err)
		}
		if text, err := p.Text(t.Context(), form, &picked[0]); err != nil || text == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := FindForm("cubin"); err == nil || !strings.Contains(err.Error(), "the forms are steps, state, tir, ") {
		t.Errorf("%v", err)
	}
	picked[0].WorkloadKey = "other"
	if _, err := p.State(&picked[0]); err == nil || !strings.Contains(err.Error(), "use the wmtune that wrote the log") {
		t.Errorf("%v", err)
	}
}
