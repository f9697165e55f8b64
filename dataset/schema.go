package dataset

import (
	"strconv"

	"github.com/apache/arrow/go/v15/arrow"
)

// SchemaVersion is the version of the tuning log's columns that this package
// writes, and the newest that it reads. It goes up when a reader of the old
// version would misread a new log: a column changes its meaning, a status or a
// step kind is added.
const SchemaVersion = 4

// repeatedVersion is the version of a log of one task whose times are measure.Repeated: readers of it
// understand all of that.
const repeatedVersion = 3

// columnsIn is the number of columns in each version, from 1. A version adds
// columns at the end: records of an older one have their zero values. Since
// version 3 a batch may be compressed.
var columnsIn = [SchemaVersion]int{17, 19, 20, 21}

// versionKey names the schema metadata that says to other readers of Arrow
// streams what this one is.
const versionKey = "wmtune.log.version"

var (
	stepType = arrow.StructOf(
		field("kind", arrow.BinaryTypes.String),
		field("ints", arrow.ListOfNonNullable(arrow.PrimitiveTypes.Int64)),
		field("text", arrow.BinaryTypes.String),
	)
	hardwareType = arrow.StructOf(
		field("kind", arrow.BinaryTypes.String),
		field("cpu", arrow.BinaryTypes.String),
		field("features", arrow.ListOfNonNullable(arrow.BinaryTypes.String)),
		field("arch", arrow.BinaryTypes.String),
		field("cores", arrow.PrimitiveTypes.Int64),
		field("vector_bytes", arrow.PrimitiveTypes.Int64),
		field("vector_registers", arrow.PrimitiveTypes.Int64),
		field("cache_line_bytes", arrow.PrimitiveTypes.Int64),
		field("shared_bytes", arrow.PrimitiveTypes.Int64),
		field("local_bytes", arrow.PrimitiveTypes.Int64),
		field("max_threads", arrow.PrimitiveTypes.Int64),
		field("max_vthread", arrow.PrimitiveTypes.Int64),
		field("warp_size", arrow.PrimitiveTypes.Int64),
	)
)

// columns are the columns of the log, in the order of Record.cells. Nothing is ever null.
var columns = []arrow.Field{
	field("schema_version", arrow.PrimitiveTypes.Int32),
	field("workload_key", arrow.BinaryTypes.String),
	field("workload", arrow.BinaryTypes.String), // canonical text
	field("target", arrow.BinaryTypes.String),   // target.Target.String, to group by
	field("hardware", hardwareType),             // the target in full
	field("steps", arrow.ListOfNonNullable(stepType)),
	field("trajectory", arrow.BinaryTypes.String),                         // TrajectoryHash
	field("costs", arrow.ListOfNonNullable(arrow.PrimitiveTypes.Float64)), // seconds; empty unless status is "ok"
	field("status", arrow.BinaryTypes.String),                             // measure.Status.String
	field("message", arrow.BinaryTypes.String),
	field("build_seconds", arrow.PrimitiveTypes.Float64),
	field("run_seconds", arrow.PrimitiveTypes.Float64),
	field("unix", arrow.PrimitiveTypes.Int64), // seconds
	field("scorer", arrow.BinaryTypes.String),
	field("score", arrow.PrimitiveTypes.Float64), // higher is better; may be infinite
	field("seed", arrow.PrimitiveTypes.Uint64),
	field("trial", arrow.PrimitiveTypes.Int64),
	field("layout", arrow.BinaryTypes.String), // target.Layout.String; since version 2
	field("packed", arrow.BinaryTypes.String), // measure.PacksText; since version 2
	field("source", sourceType),               // what another tool's log said; since version 3
	field("timing", arrow.BinaryTypes.String), // measure.Timing.String; since version 4
}

func field(name string, t arrow.DataType) arrow.Field { return arrow.Field{Name: name, Type: t} }

// Schema returns the Arrow schema of the tuning log.
func Schema() *arrow.Schema { return schemaOf(SchemaVersion) }

// schemaOf returns the schema of a version, from 1.
func schemaOf(version uint8) *arrow.Schema {
	meta := arrow.NewMetadata([]string{versionKey}, []string{strconv.Itoa(int(version))})
	return arrow.NewSchema(columns[:columnsIn[version-1]], &meta)
}
