package dataset

import (
	"errors"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/wmtune/wmtune/dataset/internal/arrowio"
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

// A sourceCell is the cell of a source.
type sourceCell struct{ *Source }

func (s sourceCell) fields() arrowio.Struct {
	return arrowio.Struct{
		&s.Format, &s.Version, &s.Key, &s.Target, &s.Host, &s.Layout, &s.Fields, &s.ErrorNo, &s.Hardware, &s.Inputs, &s.Costs,
	}
}

// Append implements arrowio.Cell.
func (s sourceCell) Append(b array.Builder) { s.fields().Append(b) }

// Read implements arrowio.Cell.
func (s sourceCell) Read(col arrow.Array, row int) error {
	err := s.fields().Read(col, row)
	if err == nil && s.Format == "" && (s.Version != "" || s.Target != "" || len(s.Costs) > 0) {
		err = errors.New("a source without a format")
	}
	return err
}
