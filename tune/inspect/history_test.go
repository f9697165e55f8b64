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

// TestHistories: the curve is the fastest so far, without programs that failed later; programs have their texts.
func TestHistories(t *testing.T) {
	w, err := workload.Find("matmul:m=8,n=16,k=4")
	if err != nil {
		t.Fatal(err)
	}
	log := filepath.Join(t.TempDir(), "tuning.arrow")
	l, err := dataset.OpenWriter(log, dataset.WriterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	us := func(tile int, us float64) dataset.Record { // 0: wrong
		r := dataset.Record{WorkloadKey: w.Key, Workload: w.Text, Target: target.Generic(32, 2), Scorer: "random",
			Steps: []schedule.Step{schedule.Split{At: 2, Extent: 16, Iter: 1, Lengths: []int64{int64(tile)}, InnerToOuter: true}}}
		r.Trajectory = dataset.TrajectoryHash(r.WorkloadKey, r.Workload, r.Steps)
		if r.Status = measure.WrongAnswer; us > 0 {
			r.Status, r.Costs = measure.OK, []float64{us * 1e-6}
		}
		return r
	}
	records := []dataset.Record{us(1, 0), us(2, 8), us(4, 3), us(8, 6), us(16, 5), us(4, 0)}
	if err := l.Append(records); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	var p Programs
	defer p.Close()
	list, err := p.Histories(t.Context(), log, 2)
	if err != nil || len(list) != 1 {
		t.Fatalf("%d tasks, %v", len(list), err)
	}
	h := list[0]
	cost := func(i int) float64 { return records[i].Costs[0] }
	want := []float64{0, cost(1), cost(1), cost(3), cost(4), cost(4)} // the one of 3 us was wrong in the end
	if !slices.Equal(h.Best, want) || !slices.Equal(h.Improvements(), []int{1, 2, 3, 4, 5, 6}) {
		t.Errorf("the curve is %v, with improvements %v", h.Best, h.Improvements())
	}
	if len(h.Ranked) != 2 || h.Ranked[0].Record != 4 || h.Ranked[1].Record != 3 || h.FLOPs != 2*8*16*4 ||
		!strings.Contains(h.Texts[0], "func main(") || h.Texts[0] == h.Texts[1] || !strings.Contains(h.Steps[1], "[8]") {
		t.Errorf("%+v", h)
	}
	h.Best = make([]float64, 1000)
	for i := range h.Best {
		h.Best[i] = 1
	}
	h.Best[0] = 2
	if got := h.Improvements(); !slices.Equal(got, []int{1, 2, 1000}) {
		t.Errorf("of 1000 trials, %v are drawn", got)
	}
}
