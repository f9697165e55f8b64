package main

import (
	"context"
	"fmt"

	"github.com/spf13/pflag"

	"github.com/wmtune/wmtune/codegen/machine"
	"github.com/wmtune/wmtune/codegen/vdla"
	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/lab/pages"
	"github.com/wmtune/wmtune/tir/lower"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tune"
)

const acceleratorWhat = `Accelerator searches a program of the simulated accelerator for each convolution of
ResNet-18 but the first, with virtual threads, which hide the latency of memory, and
without. It draws the roofline of both. The same seed gives the same page.`

// resNet18 has the convolutions of ResNet-18 as TVM's paper numbers them (Chen et al., OSDI 2018, table 2): height and
// width, channels in and out, window and stride.
var resNet18 = []struct {
	name                string
	size, ci, co, k, by int
}{
	{"C2", 56, 64, 64, 3, 1}, {"C3", 56, 64, 64, 1, 1}, {"C4", 56, 64, 128, 3, 2}, {"C5", 56, 64, 128, 1, 2},
	{"C6", 28, 128, 128, 3, 1}, {"C7", 28, 128, 256, 3, 2}, {"C8", 28, 128, 256, 1, 2}, {"C9", 14, 256, 256, 3, 1},
	{"C10", 14, 256, 512, 3, 2}, {"C11", 14, 256, 512, 1, 2}, {"C12", 7, 512, 512, 3, 1},
}

func declareAccelerator(fs *pflag.FlagSet) action {
	o := tune.Options{ScorerName: "random", Finalists: -1}
	fs.IntVar(&o.Trials, "trials", 32, "`number` of candidates per search")
	fs.Uint64Var(&o.Seed, "seed", 0, "random `seed` of the searches")
	return func(ctx context.Context, _ []string, c *console) error {
		m, err := machine.Open(ctx, "vdla", machineOptions())
		if err != nil {
			return err
		}
		defer m.Close()
		var list []pages.Layer
		for _, l := range resNet18 {
			w, err := workload.Find(fmt.Sprintf("conv2d:h=%d,w=%[1]d,ci=%d,co=%d,k=%d,p=%d,s=%d,dtype=int8", l.size, l.ci, l.co,
				l.k, l.k/2, l.by))
			if err != nil {
				return err
			}
			layer := pages.Layer{Name: l.name, FLOPs: w.FLOPs}
			for i, space := range []string{"one-thread", "wmtune"} {
				o.Space = space
				if layer.Runs[i], err = bestProgram(ctx, m, w, o); err != nil {
					return err
				}
			}
			c.say(fmt.Sprintf("%s: products in %.1f %% of the cycles, with virtual threads %.1f %%", l.name,
				100*layer.Runs[0].Utilization(), 100*layer.Runs[1].Utilization()))
			list = append(list, layer)
		}
		return c.finish("vdla", list, pages.AcceleratorPage(list, []string{m.Conditions(),
			fmt.Sprintf("%d candidates a search, drawn at random with seed %d", o.Trials, o.Seed)}))
	}
}

// bestProgram returns how the fastest program ran that a search finds.
func bestProgram(ctx context.Context, m machine.Machine, w workload.Workload, o tune.Options) (vdla.Stats, error) {
	r, err := tune.Run(ctx, m, w, o)
	if err != nil {
		return vdla.Stats{}, err
	}
	steps, err := schedule.ParseSteps([]byte(r.Steps))
	if err != nil {
		return vdla.Stats{}, err
	}
	s, err := schedule.Replay(w.DAG, steps)
	if err != nil {
		return vdla.Stats{}, err
	}
	f, err := lower.Lower(s, lower.Config{Target: m.Target()})
	if err != nil {
		return vdla.Stats{}, err
	}
	p, err := vdla.Emit(f)
	if err != nil {
		return vdla.Stats{}, err
	}
	var contents [][]byte
	for _, t := range p.Tensors {
		contents = append(contents, make([]byte, t.Bytes))
	}
	return p.Run(vdla.PYNQ, contents)
}
