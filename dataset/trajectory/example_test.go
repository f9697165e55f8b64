package trajectory_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/split"
	"github.com/wmtune/wmtune/dataset/trajectory"
)

// Training code opens a dataset, takes the tasks of one part of a split, and goes
// through their trajectories: states and actions are rows of tables.
func Example() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "tuning.arrow")
	w, err := dataset.OpenWriter(path, dataset.WriterOptions{})
	if err != nil {
		log.Fatal(err)
	}
	if err := w.Append(sampleRecords("matmul:m=64,n=40,k=64", cpu, 20, 1)); err != nil {
		log.Fatal(err)
	}
	w.Close()
	if _, err := trajectory.Build(context.Background(), options([]string{path}, filepath.Join(dir, "data"))); err != nil {
		log.Fatal(err)
	}

	set, err := trajectory.Open(filepath.Join(dir, "data"))
	if err != nil {
		log.Fatal(err)
	}
	defer set.Close()
	actions, err := set.Actions()
	if err != nil {
		log.Fatal(err)
	}
	for _, task := range set.Tasks() {
		if part, err := task.Split.By("task"); err != nil || part == split.Test {
			continue
		}
		fmt.Printf("%s: %d of %d timed\n", task.Title(), task.Timed, task.Records)
		for tr, err := range set.Trajectories(task.Number) {
			if err != nil {
				log.Fatal(err)
			}
			if !tr.Timed() || tr.Label < 1 {
				continue
			}
			for t, row := range tr.Actions {
				state, err := set.State(int(tr.States[t]))
				if err != nil {
					log.Fatal(err)
				}
				fmt.Println(strings.Count(state.Text, "\n"), "lines", actions[row].Kind)
			}
		}
	}
	// Output:
	// matmul:m=64,n=40,k=64: 18 of 20 timed
	// 8 lines SP
	// 9 lines AN
	// 9 lines PR
}
