package trajectory

import (
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/dataset/split"
	"github.com/wmtune/wmtune/tir/target"
)

// A rowReader reads the cells of one row of a batch.
type rowReader struct {
	batch arrow.Record
	row   int
}

// text returns a copy: a batch may be released before what was read of it.
func (r rowReader) text(col int) string {
	return string([]byte(r.batch.Column(col).(*array.String).Value(r.row)))
}
func (r rowReader) part(col int) split.Part { return split.Part(r.text(col)) }
func (r rowReader) number(col int) int {
	switch c := r.batch.Column(col).(type) {
	case *array.Int32:
		if c.IsNull(r.row) {
			return 0
		}
		return int(c.Value(r.row))
	case *array.Int64:
		return int(c.Value(r.row))
	}
	panic(fmt.Sprintf("BUG: trajectory: column %d holds no integers", col))
}
func (r rowReader) real(col int) float64 {
	c := r.batch.Column(col).(*array.Float64)
	if c.IsNull(r.row) {
		return 0
	}
	return c.Value(r.row)
}
func (r rowReader) list(col int) (values arrow.Array, from, to int64) {
	c := r.batch.Column(col).(*array.List)
	from, to = c.ValueOffsets(r.row)
	return c.ListValues(), from, to
}
func (r rowReader) rows(col int) []int32 {
	values, from, to := r.list(col)
	return slices.Clone(values.(*array.Int32).Int32Values()[from:to])
}

func decodeTrajectory(batch arrow.Record, row int) (t Trajectory, err error) {
	r := rowReader{batch, row}
	costs, from, to := r.list(12)
	t = Trajectory{
		Task: r.number(0), Log: r.text(3), Record: r.number(4), Hash: r.text(5), StepText: r.text(6),
		States: r.rows(7), Actions: r.rows(8), Stopped: r.text(9), Message: r.text(11),
		Costs: slices.Clone(costs.(*array.Float64).Float64Values()[from:to]),
		Cost:  r.real(13), Label: r.real(14), Level: r.number(15), Relevance: r.number(16),
		Scorer: r.text(20), Score: r.real(21), Unix: int64(r.number(22)), Trial: r.number(23),
	}
	t.Status, err = measure.ParseStatus(r.text(10))
	return t, err
}

func readTasks(table *tableReader) ([]Entry, error) {
	var list []Entry
	for batch, err := range table.batches() {
		if err != nil {
			return nil, err
		}
		for row := range int(batch.NumRows()) {
			t, err := decodeTask(batch, row)
			if err != nil {
				return nil, fmt.Errorf("dataset %s: row %d: %w", table.path, len(list), err)
			}
			t.Number = len(list)
			list = append(list, t)
		}
	}
	return list, nil
}

func decodeTask(batch arrow.Record, row int) (t Entry, err error) {
	r := rowReader{batch, row}
	t = Entry{
		Task: dataset.Task{WorkloadKey: r.text(0), Workload: r.text(1)},
		DAG:  r.text(2), Family: r.text(3), Bench: r.text(4),
		Records: r.number(8), Timed: r.number(9), Best: r.real(10), Levels: r.number(11),
		Split:      split.Parts{Task: r.part(12), DAG: r.part(13), Target: r.part(14)},
		FirstState: r.number(15), States: r.number(16), FirstTrajectory: r.number(17),
	}
	if t.Layout, err = target.ParseLayout(r.text(7)); err != nil {
		return t, err
	}
	if batch.NumCols() > timingColumn {
		if t.Timing, err = measure.ParseTiming(r.text(timingColumn)); err != nil {
			return t, err
		}
	}
	t.Target, err = dataset.Hardware(batch.Column(6).(*array.Struct), row)
	return t, err
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
	r := rowReader{batch, 0}
	m = Meta{
		Tool: r.text(1), Splits: r.text(2), Coder: r.text(3), Vector: r.number(4),
		Seed: batch.Column(5).(*array.Uint64).Value(0), Share: r.real(6), Shard: r.number(7), Shards: r.number(8),
		Tasks: r.number(9), Trajectories: r.number(10), States: r.number(11), Actions: r.number(12),
	}
	values, from, to := r.list(13)
	cells := values.(*array.Struct)
	for i := from; i < to; i++ {
		m.Inputs = append(m.Inputs, Input{
			Name:   string([]byte(cells.Field(0).(*array.String).Value(int(i)))),
			SHA256: string([]byte(cells.Field(1).(*array.String).Value(int(i)))),
			Bytes:  cells.Field(2).(*array.Int64).Value(int(i)), Records: cells.Field(3).(*array.Int64).Value(int(i)),
		})
	}
	return m, nil
}
