package trajectory

import (
	"strconv"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/tir/compact"
)

// SchemaVersion is the version of the tables that this package writes, and the
// only one that it reads. It goes up when a column changes its meaning.
const SchemaVersion = 1

const versionKey = "wmtune.dataset.version"

// The names of the tables, in the order in which they refer to each other.
const (
	statesTable       = "states"
	actionsTable      = "actions"
	trajectoriesTable = "trajectories"
	tasksTable        = "tasks"
	metaTable         = "meta"
)

// A format is what a table looks like.
type format struct {
	name    string
	rows    int            // of a batch, at most
	refs    map[int]string // columns that hold row numbers, and of which table
	columns func(shape) []arrow.Field
}

// A shape is what the columns of a dataset depend on.
type shape struct {
	vector int  // numbers in an action's vector
	timing bool // tasks have a column timing: one of them is not measure.Repeated
}

// formats is the table of tables that hold data; meta is apart.
var formats = []format{
	{statesTable, 4096, nil, stateColumns},
	{actionsTable, 4096, nil, actionColumns},
	{trajectoriesTable, 1024, map[int]string{0: tasksTable, 7: statesTable, 8: actionsTable}, trajectoryColumns},
	{tasksTable, 1024, map[int]string{15: statesTable, 17: trajectoriesTable}, taskColumns},
}

var (
	textType   = arrow.BinaryTypes.String
	realType   = arrow.PrimitiveTypes.Float64
	rowType    = arrow.PrimitiveTypes.Int32 // of a table, or a number of rows
	wideType   = arrow.PrimitiveTypes.Int64
	rowsType   = arrow.ListOfNonNullable(rowType)
	inputsType = arrow.ListOfNonNullable(arrow.StructOf(
		field("name", textType), field("sha256", textType), field("bytes", wideType), field("records", wideType)))
)

func field(name string, t arrow.DataType) arrow.Field { return arrow.Field{Name: name, Type: t} }

// maybe is a column that is null where there is no value.
func maybe(name string, t arrow.DataType) arrow.Field {
	return arrow.Field{Name: name, Type: t, Nullable: true}
}

func stateColumns(shape) []arrow.Field {
	return []arrow.Field{
		field("id", &arrow.FixedSizeBinaryType{ByteWidth: len(compact.ID{})}),
		field("text", textType),
	}
}

func actionColumns(s shape) []arrow.Field {
	return []arrow.Field{
		field("kind", textType),
		field("text", textType),
		field("vector", arrow.FixedSizeListOf(int32(s.vector), arrow.PrimitiveTypes.Float32)),
	}
}

func trajectoryColumns(shape) []arrow.Field {
	return []arrow.Field{
		field("task", rowType), // row of tasks
		field("workload_key", textType),
		field("target", textType),
		field("log", textType),        // SHA-256 of the file
		field("record", wideType),     // its number in there
		field("trajectory", textType), // dataset.TrajectoryHash
		field("steps", textType),      // all of them, as JSON in AutoScheduler's form
		field("states", rowsType),     // rows of states: before the first action, and after each
		field("actions", rowsType),    // rows of actions
		field("stopped", textType),    // why there are fewer actions than steps; "" if there are not
		field("status", textType),
		field("message", textType),
		field("costs", arrow.ListOfNonNullable(realType)), // seconds
		maybe("cost", realType),                           // the smallest; null if it was not timed
		maybe("label", realType),                          // the task's best cost / cost
		maybe("level", rowType),                           // tie band, 0 for the fastest
		maybe("relevance", rowType),                       // 31 for the fastest band to 0
		field("split_task", textType),
		field("split_dag", textType),
		field("split_target", textType),
		field("scorer", textType),
		field("score", realType),
		field("unix", wideType),
		field("trial", wideType), // number of the candidate in its search; of an imported record, of its line
	}
}

// timingColumn is the number of the column timing, the last of tasks. Where it is missing, all tasks are
// measure.Repeated.
const timingColumn = 18

func taskColumns(s shape) []arrow.Field {
	list := []arrow.Field{
		field("workload_key", textType),
		field("workload", textType),
		field("dag", textType),    // unit of the split by DAG
		field("family", textType), // unit of the split by task: batch variants have one
		field("bench", textType),  // the workload of a benchmark that is of this family, or ""
		field("target", textType),
		field("hardware", dataset.HardwareType()),
		field("layout", textType),
		field("records", rowType),
		field("timed", rowType),
		maybe("best", realType), // seconds
		field("levels", rowType),
		field("split_task", textType),
		field("split_dag", textType),
		field("split_target", textType),
		field("first_state", rowType), // states and trajectories of a task lie together
		field("states", rowType),      // tasks of one workload share theirs
		field("first_trajectory", rowType),
		field("timing", textType), // measure.Timing.String
	}
	if !s.timing {
		list = list[:timingColumn]
	}
	return list
}

func metaColumns() []arrow.Field {
	return []arrow.Field{
		field("schema_version", rowType),
		field("tool", textType),
		field("splits", textType),
		field("coder", textType),
		field("vector", rowType),
		field("seed", arrow.PrimitiveTypes.Uint64),
		field("share", realType),
		field("shard", rowType),
		field("shards", rowType),
		field("tasks", wideType),
		field("trajectories", wideType),
		field("states", wideType),
		field("actions", wideType),
		field("inputs", inputsType),
	}
}

// schemaOf returns the schema of a table whose columns are given.
func schemaOf(columns []arrow.Field) *arrow.Schema {
	meta := arrow.NewMetadata([]string{versionKey}, []string{strconv.Itoa(SchemaVersion)})
	return arrow.NewSchema(columns, &meta)
}
