package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/wmtune/wmtune/codegen/machine"
	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/tir/lower"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// An output is the folder that the best kernel so far lies in. Each file is
// replaced by a rename, so it is whole at any moment.
type output struct {
	dir     string
	shown   string // the state whose kernel lies there, as its steps
	files   []string
	missing string // of machine.Export
	usage   string
	tf32    bool // the kernel rounds to tf32
	lock    *os.File
}

// openOutput makes the folder, and makes sure that files can be written to it and
// that the kernel of another workload does not lie there. No other search may
// write to it until it is closed.
func openOutput(dir string, w workload.Workload) (*output, error) {
	err := os.MkdirAll(dir, 0o777)
	if err == nil {
		var f *os.File
		if f, err = os.CreateTemp(dir, ".wmtune.*"); err == nil {
			f.Close()
			err = os.Remove(f.Name())
		}
	}
	if err != nil {
		return nil, fmt.Errorf("folder for the results: %w; choose another with --out", err)
	}
	o := &output{dir: dir}
	if o.lock, err = os.Open(dir); err != nil {
		return nil, fmt.Errorf("folder for the results: %w", err)
	}
	// A file system that has no locks is no reason to stop.
	if err := unix.Flock(int(o.lock.Fd()), unix.LOCK_EX|unix.LOCK_NB); errors.Is(err, unix.EWOULDBLOCK) {
		o.close()
		return nil, fmt.Errorf("folder %s: another search writes its kernel there; wait for it or choose another with --out", dir)
	}
	if r, err := o.readResult(); err == nil && r.Workload != w.Text {
		o.close()
		return nil, fmt.Errorf("folder %s holds the kernel of %s; choose another with --out", dir, (&dataset.Task{Workload: r.Workload}).Title())
	}
	return o, nil
}

// close lets other searches write to the folder.
func (o *output) close() { o.lock.Close() }

// readResult reads result.json of an earlier search.
func (o *output) readResult() (result, error) {
	var r result
	data, err := os.ReadFile(filepath.Join(o.dir, "result.json"))
	if err != nil {
		return r, err
	}
	return r, json.Unmarshal(data, &r)
}

// putKernel exports the kernel of a state, if it is not the one that lies there.
// machine.IsRejected tells an error about the state.
func (o *output) putKernel(ctx context.Context, m machine.Machine, w workload.Workload, s *schedule.State, layout target.Layout) error {
	steps := string(schedule.FormatSteps(s.Steps))
	o.tf32 = s.Rounds()
	if o.shown == steps {
		return nil
	}
	fn, err := lower.Lower(s, lower.Config{Target: m.Target(), Layout: layout})
	if err != nil {
		return fmt.Errorf("export the best kernel: %w", &machine.RejectedError{Status: measure.LowerError, Why: err.Error()})
	}
	note := fmt.Sprintf("workload: %s\nworkload key: %s\ntarget: %s\nsteps: %s\nmade by wmtune %s", w.Text, w.Key, m.Target(), steps, version())
	made, err := m.Export(ctx, fn, machine.ExportOptions{Note: note})
	if err != nil {
		return fmt.Errorf("export the best kernel: %w", err)
	}
	old, _ := o.readResult()
	o.files, o.missing, o.usage = nil, made.Missing, made.ResourceUsage
	for _, f := range made.Files {
		if err := o.put(f.Name, f.Data); err != nil {
			return err
		}
		o.files = append(o.files, f.Name)
	}
	// One of an earlier kernel would be taken for this one's.
	earlier := slices.DeleteFunc(old.Files, func(name string) bool { return slices.Contains(o.files, name) })
	if err := o.remove(earlier); err != nil {
		return err
	}
	o.shown = steps
	return nil
}

// remove removes files of an earlier kernel, as its result.json names them.
func (o *output) remove(names []string) error {
	for _, name := range names {
		if name != filepath.Base(name) {
			continue // not one that was written here
		}
		if err := os.Remove(filepath.Join(o.dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove a file of an earlier kernel: %w", err)
		}
	}
	return nil
}

// putResult writes result.json.
func (o *output) putResult(r result) error {
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return fmt.Errorf("result.json: %w", err)
	}
	return o.put("result.json", append(data, '\n'))
}

// put replaces a file.
func (o *output) put(name string, data []byte) error {
	path := filepath.Join(o.dir, name)
	err := replaceFile(path, data)
	if err != nil {
		return fmt.Errorf("write the best kernel: %w; the log is intact: free space or choose another folder with --out, and run the same command again", err)
	}
	return nil
}

func replaceFile(path string, data []byte) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	if _, err = f.Write(data); err != nil {
		return err
	}
	if err = f.Chmod(fs.FileMode(0o644)); err != nil {
		return err
	}
	if err = f.Sync(); err != nil {
		return err
	}
	if err = f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
