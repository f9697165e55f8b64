package trajectory

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/wmtune/wmtune/dataset/measure"
)

// assemble joins datasets, in order, into one in dir: batch by batch, with the row
// numbers that they hold moved on. So parts of parts join into the same bytes.
func assemble(parts []string, dir string, m Meta) error {
	if err := os.Remove(filepath.Join(dir, sumsName)); err != nil && !os.IsNotExist(err) {
		return writeError(dir, err)
	}
	timing, err := anyTiming(parts, m.Vector)
	if err != nil {
		return err
	}
	out, err := newSetWriter(dir, shape{m.Vector, timing})
	if err != nil {
		return err
	}
	first := map[string]int{} // row of each table that the part begins at
	for _, part := range parts {
		for _, f := range formats {
			if err := appendPart(part, f, m.Vector, first, out.tables[f.name]); err != nil {
				out.abandon()
				return err
			}
		}
		for _, f := range formats {
			first[f.name] = out.tables[f.name].rows
		}
	}
	return out.finish(m)
}

// anyTiming reports whether the tasks of a part have a column timing.
func anyTiming(parts []string, vector int) (bool, error) {
	tasks := formats[len(formats)-1]
	for _, part := range parts {
		in, err := openFormat(part, tasks, vector)
		if err != nil {
			return false, err
		}
		timing := in.timing
		if err := in.close(); err != nil || timing {
			return timing, err
		}
	}
	return false, nil
}

// repeated returns a batch of tasks, of which none says its timing, with the column that says so.
func repeated(batch arrow.Record, schema *arrow.Schema) arrow.Record {
	b := array.NewStringBuilder(memory.DefaultAllocator)
	defer b.Release()
	for range batch.NumRows() {
		b.Append(measure.Repeated.String())
	}
	return array.NewRecord(schema, append(slices.Clone(batch.Columns()), b.NewArray()), batch.NumRows())
}

// appendPart appends a table of a part.
func appendPart(part string, f format, vector int, first map[string]int, out *tableWriter) error {
	in, err := openFormat(part, f, vector)
	if err != nil {
		return err
	}
	defer in.close()
	for batch, err := range in.batches() {
		if err != nil {
			return err
		}
		if f.refs != nil {
			if batch, err = moved(batch, f.refs, first); err != nil {
				return fmt.Errorf("dataset %s: %w", out.path, err)
			}
		}
		if f.name == tasksTable && int(batch.NumCols()) < len(out.schema.Fields()) {
			batch = repeated(batch, out.schema)
		}
		if err := out.write(batch); err != nil {
			return err
		}
		out.rows += int(batch.NumRows())
	}
	return nil
}

// moved returns a batch whose row numbers begin where the part does.
func moved(batch arrow.Record, refs map[int]string, first map[string]int) (arrow.Record, error) {
	columns := append([]arrow.Array(nil), batch.Columns()...)
	for col, table := range refs {
		by := first[table]
		if by+int(batch.NumRows()) > 1<<31-1 {
			return nil, fmt.Errorf("more than %d rows of %s; build it in shards and keep them apart", 1<<31-1, table)
		}
		switch c := columns[col].(type) {
		case *array.Int32:
			columns[col] = movedBy(c, int32(by))
		case *array.List:
			values := movedBy(c.ListValues().(*array.Int32), int32(by))
			data := c.Data()
			children := []arrow.ArrayData{values.Data()}
			columns[col] = array.NewListData(array.NewData(c.DataType(), c.Len(), data.Buffers(), children, 0, data.Offset()))
		default:
			panic(fmt.Sprintf("BUG: trajectory: column %d holds no row numbers", col))
		}
	}
	return array.NewRecord(batch.Schema(), columns, batch.NumRows()), nil
}

func movedBy(c *array.Int32, by int32) *array.Int32 {
	b := array.NewInt32Builder(memory.DefaultAllocator)
	defer b.Release()
	b.Reserve(c.Len())
	for _, v := range c.Int32Values() {
		b.UnsafeAppend(v + by)
	}
	return b.NewInt32Array()
}
