package trajectory

import (
	"path/filepath"

	"github.com/google/renameio/v2"

	"github.com/wmtune/wmtune/dataset/file"
)

// A setWriter writes the tables of a dataset into a folder.
type setWriter struct {
	dir    string
	tables map[string]*tableWriter
}

func newSetWriter(dir string, s shape) (*setWriter, error) {
	w := &setWriter{dir: dir, tables: map[string]*tableWriter{}}
	for _, f := range formats {
		t, err := createTable(dir, f.name, f.columns(s), f.rows)
		if err != nil {
			w.abandon()
			return nil, err
		}
		w.tables[f.name] = t
	}
	return w, nil
}

// finish ends the tables, writes meta with their numbers of rows, and last the
// sums that make the folder a dataset.
func (w *setWriter) finish(m Meta) error {
	sums := map[string]string{}
	for _, f := range formats {
		t := w.tables[f.name]
		delete(w.tables, f.name)
		sum, err := t.finish()
		if err != nil {
			w.abandon()
			return err
		}
		sums[f.name+".arrow"] = sum
		switch f.name {
		case statesTable:
			m.States = t.rows
		case actionsTable:
			m.Actions = t.rows
		case trajectoriesTable:
			m.Trajectories = t.rows
		case tasksTable:
			m.Tasks = t.rows
		}
	}
	t, err := createTable(w.dir, metaTable, metaColumns(), 1)
	if err != nil {
		return err
	}
	if err := t.append(m.cells()); err != nil {
		t.abandon()
		return err
	}
	if sums[metaTable+".arrow"], err = t.finish(); err != nil {
		return err
	}
	path := filepath.Join(w.dir, sumsName)
	if err := renameio.WriteFile(path, []byte(sumsText(sums)), 0o666, renameio.WithTempDir(w.dir)); err != nil {
		return writeError(path, err)
	}
	file.SyncDir(w.dir)
	return nil
}

// abandon closes the tables that are open.
func (w *setWriter) abandon() {
	for _, t := range w.tables {
		t.abandon()
	}
	w.tables = nil
}
