package trajectory

import (
	"fmt"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/internal/arrowio"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/tir/target"
)

// cells are the cells of a trajectory's row, in the order of trajectoryColumns. What its task says is not read.
func (t *Trajectory) cells(of *Entry) []any {
	return []any{
		&t.Task, of.WorkloadKey, of.Target.String(), &t.Log, &t.Record, &t.Hash, &t.StepText, &t.States, &t.Actions,
		&t.Stopped, arrowio.Named(&t.Status, measure.ParseStatus), &t.Message, &t.Costs,
		&t.Cost, &t.Label, &t.Level, &t.Relevance, // labels
		string(of.Split.Task), string(of.Split.DAG), string(of.Split.Target), &t.Scorer, &t.Score, &t.Unix, &t.Trial,
	}
}

// The columns that are null if nothing was timed: the labels of a trajectory, and the best time of a task.
const firstLabel, lastLabel, bestColumn = 13, 16, 10

// cells are the cells of a task's row, in the order of taskColumns.
func (t *Entry) cells() []any {
	return []any{
		&t.WorkloadKey, &t.Workload, &t.DAG, &t.Family, &t.Bench, t.Target.String(), dataset.HardwareCell(&t.Target),
		arrowio.Named(&t.Layout, target.ParseLayout), &t.Records, &t.Timed, &t.Best, &t.Levels,
		(*string)(&t.Split.Task), (*string)(&t.Split.DAG), (*string)(&t.Split.Target),
		&t.FirstState, &t.States, &t.FirstTrajectory, arrowio.Named(&t.Timing, measure.ParseTiming),
	}
}

// cells are the cells of the row of meta, in the order of metaColumns.
func (m *Meta) cells() []any {
	version := SchemaVersion
	return []any{
		&version, &m.Tool, &m.Splits, &m.Coder, &m.Vector, &m.Seed, &m.Share, &m.Shard, &m.Shards,
		&m.Tasks, &m.Trajectories, &m.States, &m.Actions, inputsCell{&m.Inputs},
	}
}

// An inputsCell is the cell of the inputs.
type inputsCell struct{ list *[]Input }

func (in *Input) cells() arrowio.Struct {
	return arrowio.Struct{&in.Name, &in.SHA256, &in.Bytes, &in.Records}
}

// Append implements arrowio.Cell.
func (c inputsCell) Append(b array.Builder) {
	list := b.(*array.ListBuilder)
	list.Append(true)
	for i := range *c.list {
		(*c.list)[i].cells().Append(list.ValueBuilder())
	}
}

// Read implements arrowio.Cell.
func (c inputsCell) Read(col arrow.Array, row int) error {
	list := col.(*array.List)
	from, to := list.ValueOffsets(row)
	*c.list = make([]Input, to-from)
	for i := range *c.list {
		if err := (*c.list)[i].cells().Read(list.ListValues(), int(from)+i); err != nil {
			return err
		}
	}
	return nil
}

// read reads a row, with copies of its texts: a batch may be released before what was read of it.
func read(cells []any, batch arrow.Record, row int) error {
	err := arrowio.Read(cells[:batch.NumCols()], batch.Column, row)
	for _, cell := range cells {
		if text, ok := cell.(*string); ok {
			*text = strings.Clone(*text)
		}
	}
	return err
}

func readTasks(table *tableReader) ([]Entry, error) {
	var list []Entry
	for batch, err := range table.batches() {
		if err != nil {
			return nil, err
		}
		for row := range int(batch.NumRows()) {
			t := Entry{Number: len(list)}
			if err := read(t.cells(), batch, row); err != nil {
				return nil, fmt.Errorf("dataset %s: row %d: %w", table.path, len(list), err)
			}
			list = append(list, t)
		}
	}
	return list, nil
}

func readMeta(table *tableReader) (m Meta, err error) {
	if table.len() != 1 {
		return m, fmt.Errorf("dataset %s: it has %d batches, not one", table.path, table.len())
	}
	batch, err := table.batch(0)
	if err != nil {
		return m, err
	}
	defer batch.Release()
	if batch.NumRows() != 1 {
		return m, fmt.Errorf("dataset %s: it has %d rows, not one", table.path, batch.NumRows())
	}
	return m, read(m.cells(), batch, 0)
}
