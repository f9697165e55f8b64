package compile

import (
	"context"
	"flag"
	"fmt"
	"os"
	"runtime/debug"
	"testing"

	"github.com/wmtune/wmtune/graph/pass"
	"golang.org/x/sync/errgroup"
)

var (
	judgedGraphs = flag.Int("judged", 40, "random graphs that the judge must not refuse")
	judgedSeeds  = flag.Int("judged-seeds", 1, "inputs of each")
)

// TestRightGraphs: the judge refuses no random graph that is computed as it should be.
func TestRightGraphs(t *testing.T) {
	b := needBundles(t)
	var g errgroup.Group
	g.SetLimit(2)
	for i := range *judgedGraphs {
		if t.Failed() && *judgedGraphs < 1000 {
			break
		}
		seed := *fuzzSeed + uint64(i)
		g.Go(func() error {
			if err := b.judgeDrawn(t.Context(), seed); err != nil {
				t.Errorf("seed %d: %v", seed, err)
			}
			return nil
		})
	}
	_ = g.Wait()
}

func (b *bundles) judgeDrawn(ctx context.Context, seed uint64) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	d, err := Draw(seed, sizeOf(seed))
	if err != nil {
		return err
	}
	m, err := New(ctx, d.Graph, pass.Options{})
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp(b.dir, "judged")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	p, err := b.build(ctx, m, dir)
	if err != nil {
		return err
	}
	l, err := b.machine.load(ctx, loadConfig(dir, p, 2, false))
	if err != nil {
		return err
	}
	defer l.Close()
	for k := range *judgedSeeds {
		inputs := d.Inputs
		if k > 0 {
			inputs = drawInputs(d.Graph, m.bounds, seed+uint64(k))
		}
		if _, err := results(ctx, l, p, inputs); err != nil {
			continue // an index out of range
		}
		j := newJudge(m, p)
		if err := j.run(ctx, l, inputs); err != nil {
			return fmt.Errorf("inputs %d: %w\n%s", k, err, d.Graph)
		}
	}
	return nil
}
