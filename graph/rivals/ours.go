package rivals

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/wmtune/wmtune/codegen/build"
	"github.com/wmtune/wmtune/codegen/model"
	"github.com/wmtune/wmtune/dataset/database"
	"github.com/wmtune/wmtune/graph/compile"
	"github.com/wmtune/wmtune/graph/pass"
	"github.com/wmtune/wmtune/tune"
	"github.com/wmtune/wmtune/tune/bench"
)

// ours is a bundle as a contender. It needs no pause: the threads of its pool sleep soon after a run.
type ours struct {
	path   string // of the bundle
	inputs string // .npz file; "": random ones
	load   compile.LoadOptions

	bundle   *compile.Bundle
	maxError *float64
}

func (o *ours) Name() string  { return bench.OursName }
func (o *ours) Pause() error  { return nil }
func (o *ours) Resume() error { return nil }

func (o *ours) Prepare(ctx context.Context, _ string) (string, error) {
	var err error
	if o.bundle, err = compile.OpenBundle(ctx, o.path, o.load); err != nil {
		return "", err
	}
	o.maxError, err = o.bundle.Check(ctx, o.inputs)
	return tune.Version(), err
}

// Round takes single calls: what a sample holds at the least is not for models.
func (o *ours) Round(ctx context.Context, s bench.Sampling) ([]float64, error) {
	times, err := o.bundle.Sample(ctx, model.Repeat{Warm: 2, Calls: s.Samples, Total: s.MaxTotal})
	var list []float64
	for _, t := range times {
		list = append(list, t.Seconds())
	}
	return list, err
}

func (o *ours) close() {
	if o.bundle != nil {
		o.bundle.Close()
	}
}

// bundleID identifies a bundle by its library and by the time and size of its weights.
func bundleID(dir string) (string, error) {
	r, dir, err := compile.Describe(dir)
	if err != nil {
		return "", err
	}
	data, err := os.ReadFile(filepath.Join(dir, r.Name+".so"))
	if err != nil {
		return "", fmt.Errorf("bundle: %w; compile the model again", err)
	}
	return bench.HashOf(string(data), r.Weights), nil
}

// bundle returns the folder of a model's bundle. It compiles the model unless this program did so before; the records
// and choices of the benchmark are its own, not those of the user's database.
func (c *comparison) bundle(ctx context.Context, path string) (string, error) {
	if c.opt.Bundles != "" {
		return filepath.Join(c.opt.Bundles, nameOf(path)), nil
	}
	program, err := bench.ProgramHash()
	if err != nil {
		return "", err
	}
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	o := c.opt.Compile
	o.Name = build.CIdentifier(nameOf(path))
	work := filepath.Join(c.Dir(), "models", nameOf(path))
	o.Out = filepath.Join(work, fmt.Sprintf("trials%d", o.Trials))
	type made struct{ Key string }
	key := bench.HashOf(program, path, info.Size(), info.ModTime().UnixNano(), o.Trials, o.Seed, o.Named, c.opt.Dims)
	name := filepath.Join("models", nameOf(path), fmt.Sprintf("trials%d.json", o.Trials))
	again := c.Again
	c.Again = false // new timings, not new bundles
	defer func() { c.Again = again }()
	_, _, err = bench.Kept(c.Bench, name, key, func(m *made) *string { return &m.Key }, func() (made, error) {
		c.Say(fmt.Sprintf("%s: compiling, %d trials", nameOf(path), o.Trials))
		if o.Database, err = database.Open(filepath.Join(work, "database")); err != nil {
			return made{}, err
		}
		o.Observer = observer{c.Bench, nameOf(path)}
		m, err := compile.Read(ctx, path, c.opt.Dims, pass.Options{})
		if err == nil {
			_, err = compile.Run(ctx, compile.Machine{CPU: c.CPU()}, m, o)
		}
		return made{}, err
	})
	if err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	return o.Out, nil
}

// An observer tells what a compilation does.
type observer struct {
	b    *bench.Bench
	name string
}

func (o observer) Say(text string) { o.b.Say(o.name + ": " + text) }

func (o observer) Phase(text string, done, of int) {
	if of > 0 {
		text = fmt.Sprintf("%s, %d of %d", text, done, of)
	}
	o.b.Show(o.name + ": " + text)
}

func (o observer) Tune(p compile.TuneProgress) {
	text := fmt.Sprintf("%d trials", p.Trials)
	if p.Left > 0 {
		text += fmt.Sprintf(", %s left", p.Left.Round(time.Second))
	}
	o.b.Show(fmt.Sprintf("%s: %s, %s: %s", o.name, text, p.Task, p.Phase))
}
