package compile

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"testing"

	"github.com/wmtune/wmtune/codegen/build/buildtest"
	"github.com/wmtune/wmtune/codegen/machine"
	"github.com/wmtune/wmtune/codegen/model"
	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/pass"
	"github.com/wmtune/wmtune/tir/target"
)

// Bundles compile graphs with plain schedules and run what comes out in worker processes.
type bundles struct {
	machine Machine
	cache   model.Cache
	dir     string
	loose   sync.Map // operators that the judge has no rule for
}

// needBundles opens the processor. Without libLLVM it skips the test, or fails it where CI is set.
func needBundles(t testing.TB) *bundles {
	t.Helper()
	cpu, err := machine.OpenCPU(context.Background(), machine.Options{})
	if err != nil {
		if strings.Contains(err.Error(), "is not installed") {
			buildtest.Lack(t, "nothing was checked: %v", err)
		}
		t.Fatal(err)
	}
	t.Cleanup(cpu.Close)
	return &bundles{machine: Machine{cpu}, cache: &memoryCache{}, dir: t.TempDir()}
}

// A panicError is a panic of the compiler.
type panicError struct {
	value any
	stack string
}

func (e *panicError) Error() string { return fmt.Sprintf("panic: %v\n%s", e.value, e.stack) }

// run compiles g into a bundle and returns what that computes of inputs.
func (b *bundles) run(ctx context.Context, g *graph.Graph, inputs []*graph.Tensor) (out []*graph.Tensor, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = &panicError{r, string(debug.Stack())}
		}
	}()
	dir, err := os.MkdirTemp(b.dir, "bundle")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	m, err := New(ctx, g, pass.Options{Check: true})
	if err != nil {
		return nil, err
	}
	p, err := b.build(ctx, m, dir)
	if err != nil {
		return nil, err
	}
	l, err := b.machine.load(ctx, loadConfig(dir, p, 2, false))
	if err != nil {
		return nil, err
	}
	defer l.Close()
	if out, err = results(ctx, l, p, inputs); err == nil {
		judge := newJudge(m, p)
		err = judge.run(ctx, l, inputs)
		for _, name := range judge.judged.Loose {
			b.loose.Store(name, true)
		}
	}
	for _, x := range out { // the memory goes with the worker
		x.Shape = append([]int64{}, x.Shape...)
	}
	return out, err
}

// build writes the library and the weights of a model to a folder.
func (b *bundles) build(ctx context.Context, m *Model, dir string) (*model.Program, error) {
	if err := b.schedules(ctx, m); err != nil {
		return nil, err
	}
	p, w, err := m.program("m", target.Generic(32, 2))
	if err != nil {
		return nil, err
	}
	if p.Weights > 0 {
		if p.WeightsHash, err = w.write(ctx, b.machine, filepath.Join(dir, "m.weights")); err != nil {
			return nil, err
		}
	}
	built, err := model.Build(ctx, b.machine.Compiler(), p, b.machine.Target(), model.Options{Cache: b.cache})
	if err != nil {
		return nil, err
	}
	return p, os.WriteFile(filepath.Join(dir, "m.so"), built.Shared, 0o777)
}
