package compile

import (
	"fmt"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/database"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/graph/graphtest"
	"github.com/wmtune/wmtune/graph/pass"
	"github.com/wmtune/wmtune/tir/target"
)

// TestMissed: records that a compilation does not use are counted once, with the reason.
func TestMissed(t *testing.T) {
	g := graphtest.MustParse(`
		input x: float32[64, 64]
		input y: float32[64, 64]
		a = MatMul(x, y)
		z = MatMul(a, y)
		b = Transpose(y) perm=[1, 0]
		w = MatMul(z, b)
		output w`, 18)
	m, err := New(t.Context(), g, pass.Options{})
	if err != nil {
		t.Fatal(err)
	}
	db, err := database.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	here, there := target.Generic(32, 2), target.Generic(32, 2)
	there.CPU = "znver9"
	var searched []*Task
	for _, task := range m.Tasks {
		if !task.searches() {
			continue
		}
		searched = append(searched, task)
		for _, c := range []struct {
			target target.Target
			n      int
		}{{there, 6}, {here, 1}} {
			log, err := dataset.OpenWriter(db.Log(task.Text, c.target, target.Rewrite), dataset.WriterOptions{})
			if err != nil {
				t.Fatal(err)
			}
			for i := range c.n {
				r := dataset.Record{Workload: task.Text, Target: c.target, Layout: target.Rewrite, Status: measure.OK,
					Costs: []float64{1e-3}, Trial: i}
				if err := log.Append([]dataset.Record{r}); err != nil {
					t.Fatal(err)
				}
			}
			log.Close()
		}
	}
	if len(searched) == 0 {
		t.Fatal("no task is searched")
	}
	heard := &saying{}
	s := &scheduler{machine: &timer{}, db: db, tell: heard}
	s.missed(m.Tasks)
	text := strings.Join(heard.lines, "\n")
	for _, want := range []string{
		fmt.Sprintf("%d records of the record database were made on another processor (znver9, 2 cores)", 6*len(searched)),
		"have schedules that this wmtune cannot apply",
	} {
		if strings.Count(text, want) != 1 {
			t.Errorf("want %q once:\n%s", want, text)
		}
	}
	for _, task := range searched {
		task.Source = FromDatabase
	}
	heard.lines = nil
	if s.missed(m.Tasks); len(heard.lines) > 0 {
		t.Errorf("tasks that have a record: %v", heard.lines)
	}
}
