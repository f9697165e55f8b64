package dataset

import (
	"errors"
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/wmtune/wmtune/dataset/internal/arrowio"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// cells are the cells of a record's row, in the order of columns.
func (r *Record) cells(version *int) []any {
	return []any{
		version, &r.WorkloadKey, &r.Workload, r.Target.String(), HardwareCell(&r.Target), stepsCell{&r.Steps}, &r.Trajectory,
		&r.Costs, arrowio.Named(&r.Status, measure.ParseStatus), &r.Message, &r.BuildSeconds, &r.RunSeconds, &r.Unix,
		&r.Scorer, &r.Score, &r.Seed, &r.Trial,
		arrowio.Named(&r.Layout, target.ParseLayout), &r.Packed, // since version 2
		sourceCell{&r.Source},                         // since version 3
		arrowio.Named(&r.Timing, measure.ParseTiming), // since version 4
	}
}

// decodeRow returns row i of a batch with the log's schema.
func decodeRow(batch arrow.Record, i int) (Record, error) {
	var r Record
	version := 0
	err := arrowio.Read(r.cells(&version)[:batch.NumCols()], batch.Column, i)
	if version < 1 || version > SchemaVersion {
		err = fmt.Errorf("schema version %d", version)
	}
	if err != nil {
		return Record{}, fmt.Errorf("row %d: %w", i, err)
	}
	return r, nil
}

// HardwareType is the Arrow type of a target in full, as the log's column
// "hardware" has it.
func HardwareType() *arrow.StructType { return hardwareType }

// HardwareCell returns the cell of a target in a column of type HardwareType.
func HardwareCell(t *target.Target) arrowio.Cell {
	h := &t.Hardware
	return hardwareCell{arrowio.Struct{
		(*string)(&t.Kind), &t.CPU, &t.Features, &t.Arch, &h.Cores, &h.VectorBytes, &h.VectorRegisters, &h.CacheLineBytes,
		&h.SharedBytes, &h.LocalBytes, &h.MaxThreads, &h.MaxVthread, &h.WarpSize,
	}, t}
}

type hardwareCell struct {
	arrowio.Struct
	of *target.Target
}

// Read implements arrowio.Cell.
func (c hardwareCell) Read(col arrow.Array, row int) error {
	err := c.Struct.Read(col, row)
	if err == nil && c.of.Kind == "" {
		err = errors.New("a target without a kind")
	}
	return err
}

// Read implements arrowio.Cell.
func (s stepsCell) Read(from arrow.Array, i int) error {
	col := from.(*array.List)
	cells := col.ListValues().(*array.Struct)
	kinds, lists, texts := cells.Field(0).(*array.String), cells.Field(1).(*array.List), cells.Field(2).(*array.String)
	values := lists.ListValues().(*array.Int64).Int64Values()
	first, end := col.ValueOffsets(i)
	*s.steps = nil
	for j := first; j < end; j++ {
		lo, hi := lists.ValueOffsets(int(j))
		step, err := decodeStep(stepCell{kind: schedule.Kind(kinds.Value(int(j))), ints: values[lo:hi],
			text: texts.Value(int(j))})
		if err != nil {
			return fmt.Errorf("step %d: %w", j-first, err)
		}
		*s.steps = append(*s.steps, step)
	}
	return nil
}
