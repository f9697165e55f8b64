package dataset

import (
	"fmt"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/apache/arrow/go/v15/arrow/util"

	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// An encoder turns rounds into frames.
type encoder struct {
	version    uint8
	schema     *arrow.Schema
	out        framer
	plain      *ipc.Writer
	compressed *ipc.Writer // nil to compress nothing
}

func newEncoder(compress bool, version uint8) *encoder {
	e := &encoder{version: version, schema: schemaOf(version)}
	e.plain = ipc.NewWriterWithPayloadWriter(&e.out, ipc.WithSchema(e.schema))
	if compress {
		e.compressed = ipc.NewWriterWithPayloadWriter(&e.out, ipc.WithSchema(e.schema), ipc.WithZstd())
	}
	return e
}

// header returns the bytes of the schema's frame, with which every log of a
// version begins.
func header(version uint8) ([]byte, error) {
	var out framer
	w := ipc.NewWriterWithPayloadWriter(&out, ipc.WithSchema(schemaOf(version)))
	if err := w.Close(); err != nil { // writes the schema
		return nil, fmt.Errorf("dataset: encode schema: %w", err)
	}
	return sealFrame(version, 0, out.meta, out.body), nil
}

// round returns the frame of a round.
func (e *encoder) round(number uint32, records []Record) ([]byte, error) {
	b := array.NewRecordBuilder(memory.DefaultAllocator, e.schema)
	defer b.Release()
	for i := range records {
		if t := records[i].Timing; t != measure.Repeated && e.version <= repeatedVersion {
			return nil, fmt.Errorf("dataset: a time that is %s does not belong into a log of schema version %d: "+
				"choose another log file", t, e.version)
		}
		appendRow(b, &records[i], e.version)
	}
	batch := b.NewRecord()
	defer batch.Release()
	w := e.plain
	if e.compressed != nil && util.TotalRecordSize(batch) < maxExpanded/2 {
		w = e.compressed
	}
	if err := w.Write(batch); err != nil {
		return nil, fmt.Errorf("dataset: encode round: %w", err)
	}
	if len(e.out.body) > maxRound || len(records) > maxRows {
		return nil, fmt.Errorf("dataset: a round of %d records and %d bytes; at most %d and %d are "+
			"read again: write it in parts",
			len(records), len(e.out.body), maxRows, maxRound)
	}
	return sealFrame(e.version, number, e.out.meta, e.out.body), nil
}

func appendRow(b *array.RecordBuilder, r *Record, version uint8) {
	text := func(i int, s string) { b.Field(i).(*array.StringBuilder).Append(s) }
	integer := func(i int, v int64) { b.Field(i).(*array.Int64Builder).Append(v) }
	real := func(i int, v float64) { b.Field(i).(*array.Float64Builder).Append(v) }

	b.Field(0).(*array.Int32Builder).Append(int32(version))
	text(1, r.WorkloadKey)
	text(2, r.Workload)
	text(3, r.Target.String())
	appendHardware(b.Field(4).(*array.StructBuilder), &r.Target)
	appendSteps(b.Field(5).(*array.ListBuilder), r.Steps)
	text(6, TrajectoryHash(r.WorkloadKey, r.Workload, r.Steps))
	costs := b.Field(7).(*array.ListBuilder)
	costs.Append(true)
	costs.ValueBuilder().(*array.Float64Builder).AppendValues(r.Costs, nil)
	text(8, r.Status.String())
	text(9, validText(r.Message))
	real(10, r.BuildSeconds)
	real(11, r.RunSeconds)
	integer(12, r.Unix)
	text(13, r.Scorer)
	real(14, r.Score)
	b.Field(15).(*array.Uint64Builder).Append(r.Seed)
	integer(16, int64(r.Trial))
	text(17, r.Layout.String())
	text(18, validText(r.Packed))
	appendSource(b.Field(19).(*array.StructBuilder), &r.Source)
	if version > repeatedVersion {
		text(20, r.Timing.String())
	}
}

// validText returns s as Arrow's strings must be.
func validText(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// hardwareInts are the integers of the hardware column, in its order after the
// first four fields.
func hardwareInts(h *target.Hardware) []*int {
	return []*int{
		&h.Cores, &h.VectorBytes, &h.VectorRegisters, &h.CacheLineBytes, &h.SharedBytes,
		&h.LocalBytes, &h.MaxThreads, &h.MaxVthread, &h.WarpSize,
	}
}

func appendHardware(b *array.StructBuilder, t *target.Target) {
	b.Append(true)
	b.FieldBuilder(0).(*array.StringBuilder).Append(string(t.Kind))
	b.FieldBuilder(1).(*array.StringBuilder).Append(t.CPU)
	features := b.FieldBuilder(2).(*array.ListBuilder)
	features.Append(true)
	features.ValueBuilder().(*array.StringBuilder).AppendValues(t.Features, nil)
	b.FieldBuilder(3).(*array.StringBuilder).Append(t.Arch)
	for i, v := range hardwareInts(&t.Hardware) {
		b.FieldBuilder(4 + i).(*array.Int64Builder).Append(int64(*v))
	}
}

func appendSteps(b *array.ListBuilder, steps []schedule.Step) {
	b.Append(true)
	cell := b.ValueBuilder().(*array.StructBuilder)
	kind := cell.FieldBuilder(0).(*array.StringBuilder)
	list := cell.FieldBuilder(1).(*array.ListBuilder)
	values := list.ValueBuilder().(*array.Int64Builder)
	text := cell.FieldBuilder(2).(*array.StringBuilder)
	for _, s := range steps {
		c := encodeStep(s)
		cell.Append(true)
		kind.Append(string(c.kind))
		list.Append(true)
		values.AppendValues(c.ints, nil)
		text.Append(c.text)
	}
}
