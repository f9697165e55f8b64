package trajectory

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/wmtune/wmtune/dataset/file"
	"github.com/wmtune/wmtune/dataset/split"
	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/schedule"
)

// A Coder makes what a model sees of an action: a step, and the state before it.
type Coder struct {
	Name string // changes when a vector or a text of the same action does
	Size int    // of vectors

	// Encode fills a vector of Size and returns the text.
	Encode func(vector []float32, before *schedule.State, step schedule.Step) (text string)
}

// Options are the options of Build.
type Options struct {
	Logs    []string
	Dir     string // of the dataset; made if there is none
	Workers int    // workloads at work at once; 0 means one per processor
	Tool    string // version of wmtune

	Shard, Shards int     // this part, from 0, of so many
	Share         float64 // of the records, drawn by Seed: above 0, at most 1, which is all
	Seed          uint64
	Memory        uint64 // limit of what the records of the logs take, in bytes; 0 means none

	// DAG returns the DAG of a record's workload; nil means workload.Find.
	DAG   func(workload string) (*compute.DAG, error)
	Coder Coder
	Rules *split.Rules

	Progress func(done, total int) // if not nil, is called with the number of records
	Warn     func(string)          // if not nil, gets what was left out
}

func (o *Options) warn(text string) {
	if o.Warn != nil {
		o.Warn(text)
	}
}

func (o *Options) dag(text string) (*compute.DAG, error) {
	if o.DAG != nil {
		return o.DAG(text)
	}
	w, err := workload.Find(text)
	return w.DAG, err
}

// partsName is the folder, in that of the dataset, of what is done before all is.
const partsName = ".parts"

// ErrOther says that a folder holds another dataset.
var ErrOther = errors.New("it holds another dataset; choose another folder")

// Build makes a dataset of logs. What was done is kept if it is interrupted, and
// not done again. A dataset that is whole and of the same inputs is left as it is.
func Build(ctx context.Context, opts Options) (Meta, error) {
	if !(opts.Share > 0 && opts.Share <= 1) {
		return Meta{}, fmt.Errorf("dataset %s: a share of %v: must be above 0 and at most 1", opts.Dir, opts.Share)
	}
	if opts.Workers <= 0 {
		opts.Workers = runtime.GOMAXPROCS(0)
	}
	c, err := readCorpus(ctx, &opts)
	if err != nil {
		return Meta{}, err
	}
	m := Meta{
		Tool: opts.Tool, Splits: opts.Rules.ID(), Coder: opts.Coder.Name, Vector: opts.Coder.Size,
		Seed: opts.Seed, Share: opts.Share, Shard: opts.Shard, Shards: opts.Shards, Inputs: c.inputs,
	}
	return complete(opts.Dir, m, opts.Logs, func() ([]string, error) {
		return buildParts(ctx, c, c.shard(opts.Shard, opts.Shards), &opts)
	})
}

// complete makes the dataset in a folder of the parts that a function makes, unless it is whole already.
func complete(dir string, m Meta, logs []string, parts func() ([]string, error)) (Meta, error) {
	unlock, err := claim(dir)
	if err != nil {
		return Meta{}, err
	}
	defer unlock()
	if old, ok, err := finished(dir, m); ok || err != nil {
		return old, err
	}
	if err := begin(dir, logs); err != nil {
		return Meta{}, err
	}
	paths, err := parts()
	if err == nil {
		err = assemble(paths, dir, m)
	}
	if err != nil {
		return Meta{}, err
	}
	done, _, err := finished(dir, m)
	return done, err
}

// finished reports whether the folder holds a whole dataset that was made as m
// says; the error is ErrOther if it was made otherwise. Of a whole dataset it removes the parts.
func finished(dir string, m Meta) (Meta, bool, error) {
	if _, err := os.Stat(filepath.Join(dir, sumsName)); err != nil {
		return Meta{}, false, nil
	}
	s, err := Open(dir)
	if err != nil {
		return Meta{}, false, fmt.Errorf("%w; first remove the folder %s, or choose another", err, dir)
	}
	defer s.Close()
	have := s.Meta()
	m.Tasks, m.Trajectories, m.States, m.Actions = have.Tasks, have.Trajectories, have.States, have.Actions
	if fmt.Sprint(have) != fmt.Sprint(m) {
		return Meta{}, false, fmt.Errorf("dataset %s: %w", dir, ErrOther)
	}
	if err := os.RemoveAll(filepath.Join(dir, partsName)); err != nil {
		return Meta{}, false, writeError(dir, err)
	}
	return have, true, nil
}

// buildParts makes the parts of units that are not there yet, the largest first,
// and returns the folders of all, in order.
func buildParts(ctx context.Context, c *corpus, units []*unit, opts *Options) ([]string, error) {
	total := 0
	for _, u := range units {
		total += u.records()
	}
	var done atomic.Int64
	count := func(n int) {
		if opts.Progress != nil {
			opts.Progress(int(done.Add(int64(n))), total)
		}
	}
	order := make([]int, len(units))
	sizes := make([]int, len(units))
	for i, u := range units {
		order[i], sizes[i] = i, u.size()
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(sizes[b], sizes[a]) })
	paths := make([]string, len(units))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(opts.Workers)
	for _, i := range order {
		g.Go(func() (err error) {
			if err := ctx.Err(); err != nil {
				return err
			}
			paths[i], err = buildPart(ctx, c, units[i], opts, count)
			return err
		})
	}
	return paths, g.Wait()
}

// buildPart makes the part of a unit, unless it is there, and returns its folder.
func buildPart(ctx context.Context, c *corpus, u *unit, opts *Options, count func(int)) (string, error) {
	path := filepath.Join(opts.Dir, partsName, c.fingerprint(u, opts))
	if verify(path) == nil {
		count(u.records())
		return path, nil
	}
	d, err := opts.dag(u.workload)
	if err == nil && d.WorkloadKey() != u.key {
		err = fmt.Errorf("its key is %s in this wmtune, and %s in the log; use the wmtune that wrote the log",
			d.WorkloadKey(), u.key)
	}
	if err != nil {
		first := &u.tasks[0].records[0]
		return "", fmt.Errorf("log %s: record %d: its workload cannot be built: %w", c.inputs[first.input].Name,
			first.number, err)
	}
	if err := os.RemoveAll(path); err != nil {
		return "", writeError(path, err)
	}
	work := path + ".new"
	if err := os.RemoveAll(work); err != nil {
		return "", writeError(work, err)
	}
	if err := os.MkdirAll(work, 0o777); err != nil {
		return "", writeError(work, err)
	}
	out, err := newSetWriter(work, shape{opts.Coder.Size, u.timing()})
	if err != nil {
		return "", err
	}
	if err := writeUnit(ctx, c, u, d, opts, out, func() { count(1) }); err != nil {
		out.abandon()
		return "", err
	}
	if err := out.finish(Meta{Vector: opts.Coder.Size}); err != nil {
		return "", err
	}
	if err := os.Rename(work, path); err != nil {
		return "", writeError(path, err)
	}
	file.SyncDir(filepath.Dir(path))
	return path, nil
}

// fingerprint names a part: by all that its bytes depend on.
func (c *corpus) fingerprint(u *unit, opts *Options) string {
	h := sha256.New()
	fmt.Fprintf(h, "settled over timings, %d %q %q %q %q %q\n", SchemaVersion, opts.Tool, opts.Coder.Name,
		opts.Rules.ID(), u.key, u.workload)
	for _, t := range u.tasks {
		fmt.Fprintf(h, "%+v\n", t.Task)
		for i := range t.records {
			r := &t.records[i]
			fmt.Fprintf(h, "%s %d %s\n", c.inputs[r.input].SHA256, r.number, r.hash)
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// stepText returns the steps of a record as JSON.
func (c *corpus) stepText(steps []uint32) string {
	text := []byte{'['}
	for i, s := range steps {
		if i > 0 {
			text = append(text, ", "...)
		}
		text = append(text, c.steps[s].text...)
	}
	return string(append(text, ']'))
}
