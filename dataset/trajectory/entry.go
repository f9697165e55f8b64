package trajectory

import (
	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/split"
)

// An Entry is a row of a dataset's table of tasks: a dataset.Task, and what the dataset says of
// all its records.
type Entry struct {
	dataset.Task
	Number int // row in the table of tasks

	DAG    string // names DAGs that differ in shapes only
	Family string // names DAGs that differ in the batch only
	Bench  string // a workload of a benchmark that is of the family; "" if there is none
	Split  split.Parts

	Records int
	Timed   int     // records with a cost
	Best    float64 // seconds; 0 if none was timed
	Levels  int     // tie bands of the timed ones

	FirstState, States int // rows of the states of the task's workload, on all targets
	FirstTrajectory    int // row of its first record; there are Records rows
}
