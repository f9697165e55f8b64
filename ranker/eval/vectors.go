package eval

import (
	"sync"

	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/transition"
)

// A vectorTable holds the distinct action vectors of a task's candidates: most are
// shared by many.
type vectorTable struct {
	mu     sync.Mutex
	row    map[[transition.Size]float32]int32
	values []float32
}

// path returns the rows of the vectors of a candidate's steps.
func (t *Task) path(steps []schedule.Step) ([]int32, error) {
	vectors, err := transition.Vectors(t.DAG, steps)
	if err != nil {
		return nil, err
	}
	v := &t.vectors
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.row == nil {
		v.row = map[[transition.Size]float32]int32{}
	}
	list := make([]int32, len(steps))
	for i := range steps {
		a := [transition.Size]float32(vectors[i*transition.Size:])
		row, ok := v.row[a]
		if !ok {
			row = int32(len(v.row))
			v.row[a] = row
			v.values = append(v.values, a[:]...)
		}
		list[i] = row
	}
	return list, nil
}
