// Package workload names and reads what can be tuned: a SPEC such as
// matmul:m=64,n=64,k=64, an entry of a suite such as paper22/r50-t3, or a compute
// DAG in a text file. It must not know how a workload is searched or measured.
package workload

import (
	"context"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/op"
	"github.com/wmtune/wmtune/tir/target"
)

// Demo is the SPEC that is tuned when the user names no workload.
const Demo = "matmul:m=512,n=512,k=512"

// A Workload is something to tune.
type Workload struct {
	Name  string // short, fit for a folder's name
	Text  string // as records hold it: a SPEC, one that is collapsed, or the DAG's own text
	DAG   *compute.DAG
	Key   string  // the workload key of public logs
	FLOPs float64 // of one run; 0 if it does no arithmetic
	Count int     // how often the model of its plan runs it; 0: no plan says so
}

// A Task is a workload's compute DAG on one target: all that a cost model asks of what its
// candidates compute. It stands apart from search.Task because cost models know no searches.
type Task struct {
	DAG    *compute.DAG
	Target target.Target
}

// New returns the workload of a compute DAG. The text is what records say of it.
func New(name, text string, d *compute.DAG) Workload {
	return Workload{Name: name, Text: text, DAG: d, Key: d.WorkloadKey(), FLOPs: max(d.FLOPs(), 0)}
}

// collapsed begins the text of a SPEC whose DAG is collapsed.
const collapsed = "collapsed "

// Collapsed returns the workload whose DAG is compute.Collapse of w's: the same tensors, with fewer dimensions. It is w
// if there is nothing to collapse.
//
//	conv2d:h=7,w=7,ci=320,co=1280,k=1  =>  collapsed conv2d:h=7,w=7,ci=320,co=1280,k=1, a product of 49 rows
func (w Workload) Collapsed() Workload {
	d := compute.Collapse(w.DAG)
	if d == w.DAG {
		return w
	}
	text := collapsed + w.Text
	if strings.Contains(w.Text, "\n") {
		text = d.Text()
	}
	c := New(w.Name, text, d)
	c.Count = w.Count
	return c
}

// Find returns the workload of a record's text: a SPEC, one that is collapsed, or the text
// of a compute DAG that came from a file.
func Find(text string) (Workload, error) {
	if spec, ok := strings.CutPrefix(text, collapsed); ok && !strings.Contains(text, "\n") {
		w, err := Find(spec)
		if err != nil {
			return w, err
		}
		return w.Collapsed(), nil
	}
	if strings.Contains(text, "\n") {
		d, err := compute.Parse(text)
		if err != nil {
			return Workload{}, err
		}
		return New(d.Results()[0].Name, text, d), nil
	}
	w, err := op.Parse(text)
	if err != nil {
		return Workload{}, err
	}
	return New(FolderName(w.Name), w.Spec, w.DAG), nil
}

// maxFile bounds the bytes of a workload file: real ones have some hundreds.
const maxFile = 16 << 20

// Suite returns the workloads of a suite in its order, or those that only names.
func Suite(name string, only []string) ([]Workload, error) {
	suite, err := op.FindSuite(name)
	if err != nil {
		return nil, err
	}
	for _, n := range only {
		if !slices.ContainsFunc(suite.List, func(e op.Entry) bool { return e.Name == n }) {
			return nil, fmt.Errorf("suite %s has no workload %q; 'wmtune workloads %s' lists them", name, n, name)
		}
	}
	var list []Workload
	for _, e := range suite.List {
		if len(only) > 0 && !slices.Contains(only, e.Name) {
			continue
		}
		w, err := Find(name + "/" + e.Name)
		if err != nil {
			return nil, err
		}
		list = append(list, w)
	}
	return list, nil
}

// ReadFile reads a workload file; docs/manual/workload-file.md describes the format. It waits
// for the writer of a named pipe until ctx is done, and rejects devices.
func ReadFile(ctx context.Context, path string) (Workload, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return Workload{}, fmt.Errorf("workload file: %w", err)
	case !info.Mode().IsRegular() && info.Mode().Type() != fs.ModeNamedPipe:
		return Workload{}, fmt.Errorf("workload file %s: it is not a file; name a text file, or - for standard input", path)
	}
	return read(ctx, path, func() ([]byte, error) {
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		return io.ReadAll(io.LimitReader(f, maxFile+1))
	})
}

// Read reads a workload file from r until ctx is done. The name is that of the file,
// for messages and for the workload.
func Read(ctx context.Context, r io.Reader, name string) (Workload, error) {
	return read(ctx, name, func() ([]byte, error) { return io.ReadAll(io.LimitReader(r, maxFile+1)) })
}

// read returns the workload in what all returns. All may wait for ever: it is left
// behind when ctx is done.
func read(ctx context.Context, name string, all func() ([]byte, error)) (Workload, error) {
	var data []byte
	done := make(chan error, 1)
	go func() {
		var err error
		data, err = all()
		done <- err
	}()
	var err error
	select {
	case err = <-done:
	case <-ctx.Done():
		return Workload{}, fmt.Errorf("workload file %s: %w while it was read", name, context.Cause(ctx))
	}
	switch {
	case err != nil:
		return Workload{}, fmt.Errorf("workload file %s: %w", name, err)
	case len(data) > maxFile:
		return Workload{}, fmt.Errorf("workload file %s: it has more than %d bytes; a workload file describes one "+
			"computation in some lines",
			name, maxFile)
	}
	d, err := compute.Parse(string(data))
	if err != nil {
		return Workload{}, fmt.Errorf("workload file %s: %w (the format is in docs/manual/workload-file.md)", name, err)
	}
	short := strings.TrimSuffix(filepath.Base(name), filepath.Ext(name))
	return New(FolderName(short), d.Text(), d), nil
}

const maxFolderName = 240 // bytes; file systems allow 255

// FolderName makes a folder's name of a workload's: the part after a suite's
// slash, without equal signs, with every character other than letters, digits and
// . _ - as a dash. matmul:m=64,n=64,k=64 becomes matmul-m64-n64-k64. A hash of the
// name follows where it has characters outside of ASCII, which would all be the same
// dash, or is longer than file systems allow.
func FolderName(name string) string {
	whole := name
	name = strings.ReplaceAll(name[strings.LastIndex(name, "/")+1:], "=", "")
	clean := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', strings.ContainsRune("._-", r):
			return r
		}
		return '-'
	}, name)
	if clean = strings.Trim(clean, ".-"); clean == "" {
		clean = "workload"
	}
	if len(clean) > maxFolderName || strings.ContainsFunc(whole, func(r rune) bool { return r > unicode.MaxASCII }) {
		h := fnv.New32a()
		h.Write([]byte(whole))
		clean = fmt.Sprintf("%s-%08x", clean[:min(len(clean), maxFolderName-9)], h.Sum32())
	}
	return clean
}
