package build

import (
	"fmt"
	"sync"

	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/lower"
	"github.com/wmtune/wmtune/tir/schedule"
)

// A Decoder makes programs of measure inputs. Inputs that follow each other are mostly
// of one workload, so it keeps the last compute DAG. It is safe for concurrent use.
type Decoder struct {
	mu   sync.Mutex
	text string
	dag  *compute.DAG // of text
}

// Lower returns the program of an input and the compute DAG that it computes. A panic of
// lowering, which is a defect, is the failure of one program.
func (d *Decoder) Lower(in measure.Input) (f *tir.Func, dag *compute.DAG, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("lower: %v", p)
		}
	}()
	if dag, err = d.parse(in.Workload); err != nil {
		return nil, nil, err
	}
	steps, err := schedule.ParseSteps([]byte(in.Steps))
	if err != nil {
		return nil, nil, err
	}
	state, err := schedule.Replay(dag, steps)
	if err != nil {
		return nil, nil, err
	}
	f, err = lower.Lower(state, lower.Config{Target: in.Target, Layout: in.Layout})
	return f, dag, err
}

func (d *Decoder) parse(text string) (*compute.DAG, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.dag == nil || d.text != text {
		dag, err := compute.Parse(text)
		if err != nil {
			return nil, err
		}
		d.text, d.dag = text, dag
	}
	return d.dag, nil
}
