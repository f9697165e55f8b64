package examples

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// Read a tuning log: the record of the fastest candidate, and its schedule.
func Example_readLog() {
	path := writeLog()
	defer os.RemoveAll(filepath.Dir(path))

	r, err := dataset.Open(path)
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	var best dataset.Record
	for rec, err := range r.Records() {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s: %s\n", rec.Title(), rec.Outcome())
		if rec.Timed() && (!best.Timed() || rec.Cost() < best.Cost()) {
			best = rec
		}
	}
	w, err := workload.Find(best.Workload)
	if err != nil {
		log.Fatal(err)
	}
	state, err := schedule.Replay(w.DAG, best.Steps)
	if err == nil {
		state, err = state.InferBound()
	}
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(state)
	// Output:
	// matmul:m=8,n=16,k=4: 9 us
	// matmul:m=8,n=16,k=4: 6 us
	// matmul:m=8,n=16,k=4: wrong answer: element 3 differs
	// Placeholder: x, y
	// for i (0,8)
	//   for j.0 (0,4)
	//     for j.1 (0,4)
	//       for k (0,4)
	//         matmul = ...
}

// writeLog writes a log of three trials, as a search would.
func writeLog() string {
	w, err := workload.Find("matmul:m=8,n=16,k=4")
	if err != nil {
		log.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "wmtune-example-")
	if err != nil {
		log.Fatal(err)
	}
	path := filepath.Join(dir, "tuning.arrow")
	out, err := dataset.OpenWriter(path, dataset.WriterOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer out.Close()
	split := []schedule.Step{schedule.Split{At: 2, Iter: 1, Extent: 16, Lengths: []int64{4}, InnerToOuter: true}}
	record := dataset.Record{WorkloadKey: w.Key, Workload: w.Text, Target: target.Generic(32, 2), Status: measure.OK}
	plain, tiled, wrong := record, record, record
	plain.Costs = []float64{9e-6, 9.5e-6}
	tiled.Steps, tiled.Costs = split, []float64{6e-6}
	wrong.Status, wrong.Message = measure.WrongAnswer, "element 3 differs"
	if err := out.Append([]dataset.Record{plain, tiled, wrong}); err != nil {
		log.Fatal(err)
	}
	return path
}
