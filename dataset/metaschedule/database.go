package metaschedule

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strings"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/ansor"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/tir/target"
)

// Format is the format in the Source of records that come from MetaSchedule.
const Format = "metaschedule"

// A Database is a database that is read.
type Database struct {
	workloads []known
	records   *ansor.Reader
}

// A known workload is one, or why there is none.
type known struct {
	*Workload
	key, text string
	err       error
}

// Folder returns the folder of the database that a path names: the path itself, or, of one of its files, which may be
// packed, the folder of that. It is "" if the path names none.
func Folder(path string) string {
	dir, base := filepath.Dir(path), filepath.Base(path)
	if _, err := find(dir, workloadFile); err == nil &&
		(strings.HasPrefix(base, workloadFile) || strings.HasPrefix(base, recordFile)) {
		return dir
	}
	if _, err := find(path, workloadFile); err == nil {
		return path
	}
	return ""
}

// find returns the path of a file of a database, which may be packed.
func find(dir, name string) (string, error) {
	for _, ext := range []string{"", ".zst", ".gz"} {
		if path := filepath.Join(dir, name+ext); isFile(path) {
			return path, nil
		}
	}
	return "", fmt.Errorf("%s holds no %s, as a database of MetaSchedule does", dir, name)
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// Open opens the database of which path is the folder or one of the files, and reads its workloads.
func Open(path string) (*Database, error) {
	dir := path
	if isFile(path) {
		dir = filepath.Dir(path)
	}
	workloads, err := find(dir, workloadFile)
	if err != nil {
		return nil, err
	}
	records, err := find(dir, recordFile)
	if err != nil {
		return nil, err
	}
	d := &Database{}
	in, err := ansor.Open(workloads)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	for {
		line, _, err := in.Next()
		var bad *ansor.LineError
		switch {
		case err == io.EOF:
			d.records, err = ansor.Open(records)
			return d, err
		case err != nil && !errors.As(err, &bad):
			return nil, err
		}
		w := known{err: err}
		if err == nil {
			w.Workload, w.err = ParseWorkload(line)
		}
		if w.err == nil {
			w.key, w.text = w.DAG.WorkloadKey(), w.DAG.Text()
		}
		d.workloads = append(d.workloads, w)
	}
}

// Close closes the file of records.
func (d *Database) Close() { d.records.Close() }

// Lines returns how many records were read.
func (d *Database) Lines() int { return d.records.Lines() }

// Records returns the records in the order of the file, as ansor.Reader.Each does. Of a line whose program or trace has
// no counterpart, the error is an *UnmappedError.
func (d *Database) Records() iter.Seq2[dataset.Record, error] { return d.records.Each(d.record) }

func (d *Database) record(line []byte, number int) (dataset.Record, error) {
	from, err := ParseRecord(line)
	if err != nil {
		return dataset.Record{}, err
	}
	if from.Workload < 0 || from.Workload >= len(d.workloads) {
		return dataset.Record{}, fmt.Errorf("its workload has number %d, of %d", from.Workload, len(d.workloads))
	}
	w := d.workloads[from.Workload]
	if w.err != nil {
		return dataset.Record{}, fmt.Errorf("its workload: %w", w.err)
	}
	state, layout, err := w.State(from.Trace)
	if err != nil {
		return dataset.Record{}, err
	}
	r := dataset.Record{
		WorkloadKey: w.key, Workload: w.text, Target: from.Target, Steps: state.Steps, Trial: number, Costs: from.Costs,
		Source: dataset.Source{Format: Format, Target: from.Text},
	}
	if layout {
		r.Layout = target.Rewrite
	}
	if r.Status, r.Message = statusOf(from.Costs); r.Status != measure.OK {
		r.Costs, r.Source.Costs = nil, from.Costs
	}
	r.Trajectory = dataset.TrajectoryHash(r.WorkloadKey, r.Workload, r.Steps)
	return r, nil
}

// statusOf returns the status and message of a record with some times. One of which a time is none is not measured.
func statusOf(costs []float64) (measure.Status, string) {
	if len(costs) == 0 {
		return measure.Unmeasured, "MetaSchedule could not build it, or not run it"
	}
	for _, c := range costs {
		if !measure.IsTime(c) {
			return measure.Unmeasured, fmt.Sprintf("MetaSchedule says a cost of %g seconds", c)
		}
	}
	return measure.OK, ""
}
