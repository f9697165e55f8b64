package rivals

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/wmtune/wmtune/codegen/model"
	"github.com/wmtune/wmtune/dataset/database"
	"github.com/wmtune/wmtune/graph/compile"
	"github.com/wmtune/wmtune/graph/pass"
	"github.com/wmtune/wmtune/tune"
	"github.com/wmtune/wmtune/tune/bench"
)

// A bundle is one of ours: a name as a contender, and the folder.
type bundle struct{ name, dir string }

// ours is a bundle as a contender. It needs no pause: the threads of its pool sleep soon after a run.
type ours struct {
	bundle
	inputs string // .npz file; "": random ones
	load   compile.LoadOptions

	loaded   *compile.Bundle
	maxError *float64
}

func (o *ours) Name() string  { return o.name }
func (o *ours) Pause() error  { return nil }
func (o *ours) Resume() error { return nil }

func (o *ours) Prepare(ctx context.Context, _ string) (string, error) {
	var err error
	if o.loaded, err = compile.OpenBundle(ctx, o.dir, o.load); err != nil {
		return "", err
	}
	o.maxError, err = o.loaded.Check(ctx, o.inputs)
	return tune.Version(), err
}

// Round takes single calls: what a sample holds at the least is not for models.
func (o *ours) Round(ctx context.Context, s bench.Sampling) ([]float64, error) {
	times, err := o.loaded.Sample(ctx, model.Repeat{Warm: 2, Calls: s.Samples, Total: s.MaxTotal})
	var list []float64
	for _, t := range times {
		list = append(list, t.Seconds())
	}
	return list, err
}

func (o *ours) close() {
	if o.loaded != nil {
		o.loaded.Close()
	}
}

// bundleID identifies a bundle by its library, which has the hash of its weights.
func bundleID(dir string) (string, error) {
	r, dir, err := compile.Describe(dir)
	if err != nil {
		return "", err
	}
	data, err := os.ReadFile(filepath.Join(dir, r.Name+".so"))
	if err != nil {
		return "", fmt.Errorf("bundle: %w; compile the model again", err)
	}
	return bench.HashOf(string(data)), nil
}

// bundles returns our bundles of a model: the one of Options.Compile, and one for each of Options.Times, which goes on
// where the one before ended. They are compiled unless that was done before. Records and choices are the benchmark's
// own, not those of the user's database. The database of a time begins as a copy of that of the time before, the first
// as an empty one: what another list of times or an interrupted run has measured does not count.
func (c *comparison) bundles(ctx context.Context, path string) ([]bundle, error) {
	if c.opt.Bundles != "" {
		return []bundle{{bench.OursName, filepath.Join(c.opt.Bundles, nameOf(path))}}, nil
	}
	program, err := bench.ProgramHash()
	if err != nil {
		return nil, err
	}
	o := c.opt.Compile
	work := filepath.Join(c.Dir(), "models", nameOf(path))
	open := func() (*database.Database, error) { return database.Open(filepath.Join(work, "database")) }
	first, err := c.compile(ctx, path, fmt.Sprintf("trials%d", o.Trials), o, program, open)
	list := []bundle{{bench.OursName, first}}
	o.Trials = 0
	before, spent := "", time.Duration(0) // the database of the time before, and that time
	for i, d := range c.opt.Times {
		if err != nil {
			break
		}
		name, from := fmt.Sprintf("time%gs", d.Seconds()), before
		db := filepath.Join(work, "database-"+name)
		copied := func() (*database.Database, error) { return copyDatabase(from, db) }
		var dir string
		o.Time = d - spent
		dir, err = c.compile(ctx, path, name, o, fmt.Sprint("after ", c.opt.Times[:i]), copied)
		list = append(list, bundle{timedName(d), dir})
		before, spent = db, d
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return list, nil
}

// copyDatabase makes a record database with what another one has; from "" is nothing.
func copyDatabase(from, to string) (*database.Database, error) {
	err := os.RemoveAll(to)
	if err == nil && from != "" {
		err = os.CopyFS(to, os.DirFS(from))
	}
	if err != nil {
		return nil, fmt.Errorf("records of the time before: %w", err)
	}
	return database.Open(to)
}

// compile compiles a model into a folder of the benchmark, with the database that open returns, unless that was done
// before with the same options.
func (c *comparison) compile(
	ctx context.Context, path, dir string, o compile.Options, id string, open func() (*database.Database, error),
) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	work := filepath.Join("models", nameOf(path))
	o.Name, o.Out = model.CIdentifier(nameOf(path)), filepath.Join(c.Dir(), work, dir)
	type made struct{ Key string }
	key := bench.HashOf(id, path, info.Size(), info.ModTime().UnixNano(), o.Trials, o.Time, o.Seed, o.Named, c.opt.Dims)
	again := c.Again
	c.Again = false // new timings, not new bundles
	defer func() { c.Again = again }()
	name := filepath.Join(work, dir+".json")
	_, _, err = bench.Kept(c.Bench, name, key, func(m *made) *string { return &m.Key }, func() (made, error) {
		c.Say(fmt.Sprintf("%s: compiling, %s", nameOf(path), dir))
		if o.Database, err = open(); err != nil {
			return made{}, err
		}
		o.Observer = observer{c.Bench, nameOf(path)}
		m, err := compile.Read(ctx, path, c.opt.Dims, pass.Options{})
		if err == nil {
			_, err = compile.Run(ctx, compile.Machine{CPU: c.CPU()}, m, o)
		}
		return made{}, err
	})
	return o.Out, err
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
