package trajectory

import (
	"strings"

	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/wmtune/wmtune/dataset"
)

// A rowWriter appends the cells of one row to a table.
type rowWriter struct{ *tableWriter }

func (w rowWriter) text(col int, s string) {
	w.Field(col).(*array.StringBuilder).Append(strings.ToValidUTF8(s, "\uFFFD"))
}
func (w rowWriter) row32(col, v int) { w.Field(col).(*array.Int32Builder).Append(int32(v)) }
func (w rowWriter) wide(col int, v int64) {
	w.Field(col).(*array.Int64Builder).Append(v)
}
func (w rowWriter) real(col int, v float64) { w.Field(col).(*array.Float64Builder).Append(v) }

func (w rowWriter) reals(col int, list []float64) {
	b := w.Field(col).(*array.ListBuilder)
	b.Append(true)
	b.ValueBuilder().(*array.Float64Builder).AppendValues(list, nil)
}

func (w rowWriter) rows(col int, list []int32) {
	b := w.Field(col).(*array.ListBuilder)
	b.Append(true)
	b.ValueBuilder().(*array.Int32Builder).AppendValues(list, nil)
}

func appendState(t *tableWriter, id []byte, text []byte) error {
	t.Field(0).(*array.FixedSizeBinaryBuilder).Append(id)
	t.Field(1).(*array.StringBuilder).BinaryBuilder.Append(text)
	return t.row()
}

func appendAction(t *tableWriter, a *Action) error {
	w := rowWriter{t}
	w.text(0, string(a.Kind))
	w.text(1, a.Text)
	b := t.Field(2).(*array.FixedSizeListBuilder)
	b.Append(true)
	b.ValueBuilder().(*array.Float32Builder).AppendValues(a.Vector, nil)
	return t.row()
}

func appendTrajectory(table *tableWriter, t *Trajectory, of *Entry) error {
	w := rowWriter{table}
	w.row32(0, t.Task)
	w.text(1, of.WorkloadKey)
	w.text(2, of.Target.String())
	w.text(3, t.Log)
	w.wide(4, int64(t.Record))
	w.text(5, t.Hash)
	w.text(6, t.StepText)
	w.rows(7, t.States)
	w.rows(8, t.Actions)
	w.text(9, t.Stopped)
	w.text(10, t.Status.String())
	w.text(11, t.Message)
	w.reals(12, t.Costs)
	if t.Timed() {
		w.real(13, t.Cost)
		w.real(14, t.Label)
		w.row32(15, t.Level)
		w.row32(16, t.Relevance)
	} else {
		for col := 13; col <= 16; col++ {
			w.Field(col).AppendNull()
		}
	}
	w.text(17, string(of.Split.Task))
	w.text(18, string(of.Split.DAG))
	w.text(19, string(of.Split.Target))
	w.text(20, t.Scorer)
	w.real(21, t.Score)
	w.wide(22, t.Unix)
	w.wide(23, int64(t.Trial))
	return table.row()
}

func appendTask(table *tableWriter, t *Entry) error {
	w := rowWriter{table}
	w.text(0, t.WorkloadKey)
	w.text(1, t.Workload)
	w.text(2, t.DAG)
	w.text(3, t.Family)
	w.text(4, t.Bench)
	w.text(5, t.Target.String())
	dataset.AppendHardware(w.Field(6).(*array.StructBuilder), &t.Target)
	w.text(7, t.Layout.String())
	w.row32(8, t.Records)
	w.row32(9, t.Timed)
	if t.Timed > 0 {
		w.real(10, t.Best)
	} else {
		w.Field(10).AppendNull()
	}
	w.row32(11, t.Levels)
	w.text(12, string(t.Split.Task))
	w.text(13, string(t.Split.DAG))
	w.text(14, string(t.Split.Target))
	w.row32(15, t.FirstState)
	w.row32(16, t.States)
	w.row32(17, t.FirstTrajectory)
	if len(table.schema.Fields()) > timingColumn {
		w.text(timingColumn, t.Timing.String())
	}
	return table.row()
}

func appendMeta(table *tableWriter, m *Meta) error {
	w := rowWriter{table}
	w.row32(0, SchemaVersion)
	w.text(1, m.Tool)
	w.text(2, m.Splits)
	w.text(3, m.Coder)
	w.row32(4, m.Vector)
	w.Field(5).(*array.Uint64Builder).Append(m.Seed)
	w.real(6, m.Share)
	w.row32(7, m.Shard)
	w.row32(8, m.Shards)
	for i, n := range []int{m.Tasks, m.Trajectories, m.States, m.Actions} {
		w.wide(9+i, int64(n))
	}
	list := w.Field(13).(*array.ListBuilder)
	list.Append(true)
	cell := list.ValueBuilder().(*array.StructBuilder)
	for _, in := range m.Inputs {
		cell.Append(true)
		cell.FieldBuilder(0).(*array.StringBuilder).Append(strings.ToValidUTF8(in.Name, "\uFFFD"))
		cell.FieldBuilder(1).(*array.StringBuilder).Append(in.SHA256)
		cell.FieldBuilder(2).(*array.Int64Builder).Append(in.Bytes)
		cell.FieldBuilder(3).(*array.Int64Builder).Append(in.Records)
	}
	return table.row()
}
