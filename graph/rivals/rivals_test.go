package rivals

import (
	"math"
	"os"
	"path/filepath"
	"testing"
)

// TestMeans: each number of threads has a mean of its own, and a model without a library counts as not compared.
func TestMeans(t *testing.T) {
	row := func(threads int, ours, peer float64) Row {
		r := Row{Threads: threads}
		r.Times = append(r.Times, Times{Name: OursName, Rounds: [][]float64{{ours}}})
		r.Times = append(r.Times, Times{Name: OursName + "@200s", Rounds: [][]float64{{ours / 100}}})
		if peer > 0 {
			r.Times = append(r.Times, Times{Name: "ort", Rounds: [][]float64{{peer}}})
		}
		return r
	}
	list := Means([]Row{row(1, 1, 2), row(1, 1, 8), row(2, 4, 2), row(1, 1, 0)})
	if len(list) != 2 || math.Abs(list[0].Value-4) > 1e-9 || list[0].Lowest != 2 || list[0].Rows != 2 || list[0].Of != 3 ||
		list[1].Value != 0.5 {
		t.Errorf("%+v", list)
	}
}

// TestModelFiles: a folder of models may be called as a pattern would be.
func TestModelFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "[a]")
	path := filepath.Join(dir, "m.onnx")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if list, err := ModelFiles([]string{dir}); err != nil || len(list) != 1 || list[0] != path {
		t.Errorf("%v, %v", list, err)
	}
}
