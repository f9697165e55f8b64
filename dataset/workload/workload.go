// Package workload names and reads what can be tuned: a SPEC such as
// matmul:m=64,n=64,k=64, an entry of a suite such as paper22/r50-t3, or a compute
// DAG in a text file. It must not know how a workload is searched or measured.
package workload

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/op"
)

// Demo is the SPEC that is tuned when the user names no workload.
const Demo = "matmul:m=512,n=512,k=512"

// A Workload is something to tune.
type Workload struct {
	Name  string // short, fit for a folder's name
	Text  string // as records hold it: a SPEC, or the DAG's own text
	DAG   *compute.DAG
	Key   string  // the workload key of public logs
	FLOPs float64 // of one run; 0 if it does no arithmetic
}

// New returns the workload of a compute DAG. The text is what records say of it.
func New(name, text string, d *compute.DAG) Workload {
	return Workload{Name: name, Text: text, DAG: d, Key: d.WorkloadKey(), FLOPs: max(d.FLOPs(), 0)}
}

// Find returns the workload of a record's text: a SPEC, or the text of a compute
// DAG that came from a file.
func Find(text string) (Workload, error) {
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

// ReadFile reads a workload file; docs/workload-file.md describes the format.
func ReadFile(path string) (Workload, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return Workload{}, fmt.Errorf("workload file: %w", err)
	}
	d, err := compute.Parse(string(data))
	if err != nil {
		return Workload{}, fmt.Errorf("workload file %s: %w (the format is in docs/workload-file.md)", path, err)
	}
	name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	return New(FolderName(name), d.Text(), d), nil
}

// FolderName makes a folder's name of a workload's: the part after a suite's
// slash, without equal signs, with every character other than letters, digits and
// . _ - as a dash. matmul:m=64,n=64,k=64 becomes matmul-m64-n64-k64.
func FolderName(name string) string {
	name = strings.ReplaceAll(name[strings.LastIndex(name, "/")+1:], "=", "")
	clean := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', strings.ContainsRune("._-", r):
			return r
		}
		return '-'
	}, name)
	if clean = strings.Trim(clean, ".-"); clean == "" {
		return "workload"
	}
	return clean
}
