package op

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/wmtune/wmtune/tir/interp"
	"github.com/wmtune/wmtune/tir/lower"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
	"github.com/wmtune/wmtune/tir/tirtest"
)

var schedules = flag.Int("schedules", 1, "number of random schedules per operator, option and type")

// TestOperatorsLower schedules each operator at random in each type, with and
// without an epilogue, and compares what the program computes with the DAG's
// definition.
func TestOperatorsLower(t *testing.T) {
	seed := uint64(0)
	for _, spec := range lowerSpecs() {
		for _, dtype := range allTypes {
			for range *schedules {
				seed++
				w, err := Parse(spec + ",dtype=" + dtype)
				if err != nil {
					continue // refused, as other tests say
				}
				if err := tryLower(w, seed); err != nil {
					t.Errorf("%s, seed %d: %v", w.Spec, seed, err)
				}
			}
		}
	}
}

// lowerSpecs are the smallest workloads of all operators, and some options.
func lowerSpecs() []string {
	list := []string{
		"matmul:m=5,n=6,k=7,ta=1,tb=1",
		"conv1d:w=7,ci=2,co=2,k=3,p=1,layout=NCHW,epilogue=bn",
		"conv2d:h=5,w=4,ci=4,co=4,k=3,p=1,s=2,groups=2,dilation=1x2",
		"conv2d:h=5,w=4,ci=2,co=3,k=3,p=1,layout=NCHW,epilogue=bias+relu6",
		"conv2d_transpose:h=3,w=4,ci=2,co=2,k=3,s=2,p=1,out_pad=1",
		"conv2d_winograd:h=5,w=4,ci=2,co=2,p=1,tile=2",
		"depthwise:h=5,w=5,c=2,k=3,p=1,s=2,layout=NCHW",
		"avgpool2d:h=5,w=5,c=2,k=3,p=1,s=2,count_pad=0",
		"maxpool2d:h=5,w=5,c=2,k=3,p=1,s=2",
		"sum:m=5,n=6,axis=0",
		"argmax:m=5,n=6,axis=0",
		"elementwise:fn=mul,shape=3x4x5,y=4x1",
	}
	for _, o := range Operators() {
		list = append(list, smallest(o), smallest(o)+",epilogue=bias+relu")
	}
	return list
}

func tryLower(w *Workload, seed uint64) error {
	r := rand.New(rand.NewPCG(seed, 1))
	args := tirtest.Args(r, w.DAG)
	want := cloned(args)
	if err := interp.RunDAG(w.DAG, want); err != nil {
		return err
	}
	steps := tirtest.RandomSteps(r, w.DAG, r.IntN(8))
	s, err := schedule.Replay(w.DAG, steps)
	if err != nil {
		return err
	}
	f, err := lower.Lower(s, lower.Config{Target: target.Generic(32, 2), Check: lower.CheckEach})
	if err != nil {
		return fmt.Errorf("%w\nsteps: %s", err, schedule.FormatSteps(steps))
	}
	got := cloned(args)
	if err := interp.Run(f, got, interp.Options{Shuffle: true, Seed: seed, Races: true}); err != nil {
		return fmt.Errorf("%w\nsteps: %s", err, schedule.FormatSteps(steps))
	}
	last := len(got) - 1
	if err := tirtest.Compare(got[last], want[last], got...); err != nil {
		return fmt.Errorf("%w\nsteps: %s\n%s", err, schedule.FormatSteps(steps), f)
	}
	return nil
}

func cloned(args []*interp.Tensor) []*interp.Tensor {
	list := make([]*interp.Tensor, len(args))
	for i, a := range args {
		list[i] = a.Clone()
	}
	return list
}
