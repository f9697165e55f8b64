package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/op"
)

// demoSpec is tuned when no workload is named.
const demoSpec = "matmul:m=512,n=512,k=512"

// A workload is something to tune.
type workload struct {
	name string // short, fit for a folder's name
	text string // what records say of it: a SPEC, or the DAG's own text
	dag  *compute.DAG
	key  string
	flop float64 // of one run; 0 if it does no arithmetic
}

func newWorkload(name, text string, d *compute.DAG) workload {
	return workload{name: name, text: text, dag: d, key: d.WorkloadKey(), flop: max(d.FLOPs(), 0)}
}

// findWorkload returns the workload of a record's text: a SPEC, or the text of
// a DAG that came from a file.
func findWorkload(text string) (workload, error) {
	if strings.Contains(text, "\n") {
		d, err := compute.Parse(text)
		if err != nil {
			return workload{}, err
		}
		return newWorkload(d.Results()[0].Name, text, d), nil
	}
	w, err := op.Parse(text)
	if err != nil {
		return workload{}, err
	}
	return newWorkload(folderName(w.Name), w.Spec, w.DAG), nil
}

// readWorkload reads a workload file.
func readWorkload(path string) (workload, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return workload{}, fmt.Errorf("workload file: %w", err)
	}
	d, err := compute.Parse(string(data))
	if err != nil {
		return workload{}, fmt.Errorf("workload file %s: %w (the format is in docs/workload-file.md)", path, err)
	}
	name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	return newWorkload(folderName(name), d.Text(), d), nil
}

// folderName makes a name of a workload that is pleasant as a folder's: the part
// after a suite's slash, without equal signs, with everything but letters, digits
// and . _ - as a dash. matmul:m=64,n=64,k=64 becomes matmul-m64-n64-k64.
func folderName(name string) string {
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
