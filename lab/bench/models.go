package bench

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/wmtune/wmtune/codegen/model"
	"github.com/wmtune/wmtune/dataset/database"
	"github.com/wmtune/wmtune/graph/compile"
	"github.com/wmtune/wmtune/graph/pass"
	"github.com/wmtune/wmtune/graph/rivals"
	"github.com/wmtune/wmtune/tune"
	"github.com/wmtune/wmtune/tune/costmodel"
)

// ModelOptions say which whole models are compared.
type ModelOptions struct {
	rivals.Options          // Models, Keep, and what else a benchmark knows, are filled in
	Paths          []string // ONNX files, and folders of them

	Bundles string          // folder with bundles called as the models; "": they are compiled
	Times   []time.Duration // for each, in order, a further bundle is tuned so long
	Compile compile.Options // of bundles that are compiled; Name, Out, Database and Memory are filled in

	MetaSchedule []MetaRow // to stand beside Times
}

// Check reports what is wrong with the options, as a *tune.OptionError.
func (o ModelOptions) Check(Scorers) error {
	if !slices.IsSorted(o.Times) || len(o.Times) > 0 && (o.Times[0] <= 0 || o.Bundles != "") {
		return tune.Optionf("times %v: want positive ones in order, and no finished bundles", o.Times)
	}
	if name := o.Compile.Named; name != "" && !slices.Contains(costmodel.Names(), name) {
		return tune.Optionf("unknown scorer %q: known are %s", name, strings.Join(costmodel.Names(), ", "))
	}
	if o.Compile.Trials < 0 {
		return tune.Optionf("%d trials: must not be negative", o.Compile.Trials)
	}
	if _, err := rivals.ModelFiles(o.Paths); err != nil {
		return tune.Optionf("%v", err)
	}
	return o.Options.Check()
}

// A ModelReport is what the benchmark of models prints as JSON.
type ModelReport struct {
	*rivals.Report
	Trials int     `json:"trials"` // of a model
	Curves []Curve `json:"curves,omitempty"`
}

// A comparison is a benchmark of models under way.
type comparison struct {
	*Bench
	opt ModelOptions
}

// Models compiles each model, unless its bundle is there, and times it and the libraries in turns, unless that was
// done.
func (b *Bench) Models(ctx context.Context, o ModelOptions) (*ModelReport, []rivals.Row, error) {
	if err := o.Check(b.Scorers); err != nil {
		return nil, nil, err
	}
	paths, err := rivals.ModelFiles(o.Paths)
	if err != nil {
		return nil, nil, err
	}
	c := &comparison{Bench: b, opt: o}
	for _, path := range paths {
		bundles, err := c.bundles(ctx, path)
		if err != nil {
			return nil, nil, err
		}
		o.Models = append(o.Models, rivals.Model{Path: path, Bundles: bundles})
	}
	o.Keep, o.Peers.Dir, o.Peers.Say, o.Peers.Show = c.keep, b.dir, b.Say, b.Show
	r, rows, err := rivals.Run(ctx, o.Options)
	if err != nil {
		return nil, nil, err
	}
	r.Machine = b.Target().String()
	report := &ModelReport{r, o.Compile.Trials, o.curves(rows)}
	return report, rows, b.Save("models.json", report)
}

// keep returns a row that was timed before of the same bundles and libraries, or has it timed.
func (c *comparison) keep(
	m rivals.Model, row rivals.Row, peers []string, timed func() (rivals.Row, error),
) (rivals.Row, error) {
	id := ""
	for _, b := range m.Bundles {
		key, err := bundleID(b.Dir)
		if err != nil {
			return row, err
		}
		id += b.Name + key
	}
	key := HashOf(m.Path, id, row.Threads, c.opt.Plan, c.opt.Torch, c.opt.Dims, peers)
	name := filepath.Join("models", row.Model, fmt.Sprintf("threads%d.json", row.Threads))
	row, _, err := Kept(c.Bench, name, key, func(r *rivals.Row) *string { return &r.Key }, timed)
	return row, err
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
	return HashOf(string(data)), nil
}

// bundles returns our bundles of a model: the one of Options.Compile, and one for each of Options.Times, which goes on
// where the one before ended. They are compiled unless that was done before. Records and choices are the benchmark's
// own, not those of the user's database. The database of a time begins as a copy of that of the time before, the first
// as an empty one: what another list of times or an interrupted run has measured does not count.
func (c *comparison) bundles(ctx context.Context, path string) ([]rivals.Bundle, error) {
	if c.opt.Bundles != "" {
		return []rivals.Bundle{{Name: rivals.OursName, Dir: filepath.Join(c.opt.Bundles, rivals.NameOf(path))}}, nil
	}
	program, err := ProgramHash()
	if err != nil {
		return nil, err
	}
	o := c.opt.Compile
	work := filepath.Join(c.Dir(), "models", rivals.NameOf(path))
	open := func() (*database.Database, error) { return database.Open(filepath.Join(work, "database")) }
	first, err := c.compile(ctx, path, fmt.Sprintf("trials%d", o.Trials), o, program, open)
	list := []rivals.Bundle{{Name: rivals.OursName, Dir: first}}
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
		list = append(list, rivals.Bundle{Name: timedName(d), Dir: dir})
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

// longestName is how many characters the name of a library has at most.
const longestName = 40

// compile compiles a model into a folder of the benchmark, with the database that open returns, unless that was done
// before with the same options.
func (c *comparison) compile(
	ctx context.Context, path, dir string, o compile.Options, id string, open func() (*database.Database, error),
) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	work := filepath.Join("models", rivals.NameOf(path))
	o.Name, o.Out = model.CIdentifier(rivals.NameOf(path)), filepath.Join(c.Dir(), work, dir)
	o.Name = o.Name[:min(len(o.Name), longestName)]
	type made struct{ Key string }
	key := HashOf(id, path, info.Size(), info.ModTime().UnixNano(), o.Trials, o.Time, o.Seed, o.Named, c.opt.Dims)
	again := c.Again
	c.Again = false // new timings, not new bundles
	defer func() { c.Again = again }()
	name := filepath.Join(work, dir+".json")
	_, _, err = Kept(c.Bench, name, key, func(m *made) *string { return &m.Key }, func() (made, error) {
		c.Say(fmt.Sprintf("%s: compiling, %s", rivals.NameOf(path), dir))
		if o.Database, err = open(); err != nil {
			return made{}, err
		}
		o.Observer = compiling{c.Bench, rivals.NameOf(path)}
		m, err := compile.Read(ctx, path, c.opt.Dims, pass.Options{})
		if err == nil {
			_, err = compile.Run(ctx, compile.Machine{CPU: c.CPU()}, m, o)
		}
		return made{}, err
	})
	return o.Out, err
}

// A compiling tells what a compilation does.
type compiling struct {
	b    *Bench
	name string
}

func (o compiling) Say(text string) { o.b.Say(o.name + ": " + text) }

func (o compiling) Phase(text string, done, of int) {
	if of > 0 {
		text = fmt.Sprintf("%s, %d of %d", text, done, of)
	}
	o.b.Show(o.name + ": " + text)
}

func (o compiling) Tune(p compile.TuneProgress) {
	text := fmt.Sprintf("%d trials", p.Trials)
	if p.Left > 0 {
		text += fmt.Sprintf(", %s left", p.Left.Round(time.Second))
	}
	o.b.Show(fmt.Sprintf("%s: %s, %s: %s", o.name, text, p.Task, p.Phase))
}
