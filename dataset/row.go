package dataset

import (
	"errors"
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// decodeRow returns row i of a batch with the log's schema.
func decodeRow(batch arrow.Record, i int) (Record, error) {
	text := func(col int) string { return batch.Column(col).(*array.String).Value(i) }
	integer := func(col int) int64 { return batch.Column(col).(*array.Int64).Value(i) }
	real := func(col int) float64 { return batch.Column(col).(*array.Float64).Value(i) }

	if v := batch.Column(0).(*array.Int32).Value(i); v < 1 || v > SchemaVersion {
		return Record{}, fmt.Errorf("row %d: schema version %d", i, v)
	}
	status, err := measure.ParseStatus(text(8))
	if err != nil {
		return Record{}, fmt.Errorf("row %d: %w", i, err)
	}
	steps, err := decodeSteps(batch.Column(5).(*array.List), i)
	if err != nil {
		return Record{}, fmt.Errorf("row %d: %w", i, err)
	}
	machine, err := decodeHardware(batch.Column(4).(*array.Struct), i)
	if err != nil {
		return Record{}, fmt.Errorf("row %d: %w", i, err)
	}
	r := Record{
		WorkloadKey:  text(1),
		Workload:     text(2),
		Target:       machine,
		Steps:        steps,
		Trajectory:   text(6),
		Costs:        decodeCosts(batch.Column(7).(*array.List), i),
		Status:       status,
		Message:      text(9),
		BuildSeconds: real(10),
		RunSeconds:   real(11),
		Unix:         integer(12),
		Scorer:       text(13),
		Score:        real(14),
		Seed:         batch.Column(15).(*array.Uint64).Value(i),
		Trial:        int(integer(16)),
	}
	if batch.NumCols() > 17 { // since version 2
		if r.Layout, err = target.ParseLayout(text(17)); err != nil {
			return Record{}, fmt.Errorf("row %d: %w", i, err)
		}
		r.Packed = text(18)
	}
	if batch.NumCols() > 19 { // since version 3
		if r.Source, err = decodeSource(batch.Column(19).(*array.Struct), i); err != nil {
			return Record{}, fmt.Errorf("row %d: %w", i, err)
		}
	}
	if batch.NumCols() > 20 { // since version 4
		if r.Timing, err = measure.ParseTiming(text(20)); err != nil {
			return Record{}, fmt.Errorf("row %d: %w", i, err)
		}
	}
	return r, nil
}

func decodeHardware(col *array.Struct, i int) (target.Target, error) {
	t := target.Target{
		Kind: target.Kind(col.Field(0).(*array.String).Value(i)),
		CPU:  col.Field(1).(*array.String).Value(i),
		Arch: col.Field(3).(*array.String).Value(i),
	}
	if t.Kind == "" {
		return t, errors.New("a target without a kind")
	}
	features := col.Field(2).(*array.List)
	names := features.ListValues().(*array.String)
	from, to := features.ValueOffsets(i)
	for j := from; j < to; j++ {
		t.Features = append(t.Features, names.Value(int(j)))
	}
	for k, p := range hardwareInts(&t.Hardware) {
		*p = int(col.Field(4 + k).(*array.Int64).Value(i))
	}
	return t, nil
}

func decodeCosts(col *array.List, i int) []float64 {
	from, to := col.ValueOffsets(i)
	values := col.ListValues().(*array.Float64)
	var costs []float64
	for j := from; j < to; j++ {
		costs = append(costs, values.Value(int(j)))
	}
	return costs
}

func decodeSteps(col *array.List, i int) ([]schedule.Step, error) {
	cells := col.ListValues().(*array.Struct)
	kinds, lists, texts := cells.Field(0).(*array.String), cells.Field(1).(*array.List), cells.Field(2).(*array.String)
	values := lists.ListValues().(*array.Int64).Int64Values()
	from, to := col.ValueOffsets(i)
	var steps []schedule.Step
	for j := from; j < to; j++ {
		lo, hi := lists.ValueOffsets(int(j))
		s, err := decodeStep(stepCell{kind: schedule.Kind(kinds.Value(int(j))), ints: values[lo:hi],
			text: texts.Value(int(j))})
		if err != nil {
			return nil, fmt.Errorf("step %d: %w", j-from, err)
		}
		steps = append(steps, s)
	}
	return steps, nil
}
