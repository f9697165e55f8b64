package dataset

import (
	"errors"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
)

// A Source is what the log of another tool said of a record beyond the record's
// other fields, so that the record can be written as it was. The zero value
// says that wmtune measured the record. The texts and numbers are the other
// tool's; only dataset/ansor knows what they mean.
type Source struct {
	Format   string    // the log's format, such as "autoscheduler"; "" if wmtune measured it
	Version  string    // of the format, such as "v0.6"
	Key      string    // the workload key as the log has it; "" if it is Record.WorkloadKey
	Target   string    // such as "llvm -keys=cpu -mcpu=core-avx2"
	Host     string    // the target of the host's code
	Layout   int64     // how the layout of constant operands was treated
	Fields   int64     // how many fields the log has of the task
	ErrorNo  int64     // how the measurement ended; 0 is well
	Hardware []int64   // parameters of the machine; nil if the log has none
	Inputs   []string  // names of inputs with data of their own
	Costs    []float64 // of a record that is not measure.OK, as the log has them
}

var sourceType = arrow.StructOf(
	field("format", arrow.BinaryTypes.String),
	field("version", arrow.BinaryTypes.String),
	field("key", arrow.BinaryTypes.String),
	field("target", arrow.BinaryTypes.String),
	field("host", arrow.BinaryTypes.String),
	field("layout", arrow.PrimitiveTypes.Int64),
	field("fields", arrow.PrimitiveTypes.Int64),
	field("error_no", arrow.PrimitiveTypes.Int64),
	field("hardware", arrow.ListOfNonNullable(arrow.PrimitiveTypes.Int64)),
	field("inputs", arrow.ListOfNonNullable(arrow.BinaryTypes.String)),
	field("costs", arrow.ListOfNonNullable(arrow.PrimitiveTypes.Float64)),
)

// sourceTexts and sourceInts are the first eight fields, in the order of
// sourceType.
func sourceTexts(s *Source) []*string {
	return []*string{&s.Format, &s.Version, &s.Key, &s.Target, &s.Host}
}

func sourceInts(s *Source) []*int64 { return []*int64{&s.Layout, &s.Fields, &s.ErrorNo} }

func appendSource(b *array.StructBuilder, s *Source) {
	b.Append(true)
	for i, v := range sourceTexts(s) {
		b.FieldBuilder(i).(*array.StringBuilder).Append(validText(*v))
	}
	for i, v := range sourceInts(s) {
		b.FieldBuilder(5 + i).(*array.Int64Builder).Append(*v)
	}
	list := func(i int) array.Builder {
		l := b.FieldBuilder(i).(*array.ListBuilder)
		l.Append(true)
		return l.ValueBuilder()
	}
	list(8).(*array.Int64Builder).AppendValues(s.Hardware, nil)
	inputs := list(9).(*array.StringBuilder)
	for _, name := range s.Inputs {
		inputs.Append(validText(name))
	}
	list(10).(*array.Float64Builder).AppendValues(s.Costs, nil)
}

func decodeSource(col *array.Struct, i int) (Source, error) {
	var s Source
	for k, p := range sourceTexts(&s) {
		*p = col.Field(k).(*array.String).Value(i)
	}
	for k, p := range sourceInts(&s) {
		*p = col.Field(5 + k).(*array.Int64).Value(i)
	}
	hardware := col.Field(8).(*array.List)
	from, to := hardware.ValueOffsets(i)
	for j := from; j < to; j++ {
		s.Hardware = append(s.Hardware, hardware.ListValues().(*array.Int64).Value(int(j)))
	}
	inputs := col.Field(9).(*array.List)
	from, to = inputs.ValueOffsets(i)
	for j := from; j < to; j++ {
		s.Inputs = append(s.Inputs, inputs.ListValues().(*array.String).Value(int(j)))
	}
	s.Costs = decodeCosts(col.Field(10).(*array.List), i)
	if s.Format == "" && (s.Version != "" || s.Target != "" || len(s.Costs) > 0) {
		return s, errors.New("a source without a format")
	}
	return s, nil
}
