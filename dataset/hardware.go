package dataset

import (
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/wmtune/wmtune/tir/target"
)

// HardwareType is the Arrow type of a target in full, as the log's column
// "hardware" has it.
func HardwareType() *arrow.StructType { return hardwareType }

// AppendHardware appends a target to a column of type HardwareType.
func AppendHardware(b *array.StructBuilder, t *target.Target) { appendHardware(b, t) }

// Hardware returns the target in row i of a column of type HardwareType.
func Hardware(col *array.Struct, i int) (target.Target, error) { return decodeHardware(col, i) }
