package autotvm

import (
	"iter"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/ansor"
	"github.com/wmtune/wmtune/dataset/measure"
)

// Format is the format in the Source of records that come from AutoTVM.
const Format = "autotvm"

// Record returns the record of a line. Its number in the file becomes the trial. The error is a
// *metaschedule.UnmappedError if the line's program or schedule has no counterpart here.
func Record(l *Line, number int) (dataset.Record, error) {
	state, err := l.State()
	if err != nil {
		return dataset.Record{}, err
	}
	on, err := ansor.ParseTarget(l.Target)
	if err != nil {
		return dataset.Record{}, err
	}
	r := dataset.Record{
		WorkloadKey: state.DAG.WorkloadKey(), Workload: state.DAG.Text(), Target: on, Steps: state.Steps,
		Unix: l.Unix, Trial: number,
		Source: dataset.Source{Format: Format, Version: l.Version, Key: l.Template, Target: l.Target, ErrorNo: l.ErrorNo},
	}
	if r.Status, r.Message = ansor.StatusOf("AutoTVM", l.ErrorNo, l.Costs); r.Status == measure.OK {
		r.Costs = l.Costs
	}
	r.Trajectory = dataset.TrajectoryHash(r.WorkloadKey, r.Workload, r.Steps)
	return r, nil
}

// A Log is a log that is read.
type Log struct{ *ansor.Reader }

// Open opens a log.
func Open(path string) (Log, error) {
	r, err := ansor.Open(path)
	return Log{r}, err
}

// Records returns the records in the order of the lines, as ansor.Reader.Each does.
func (l Log) Records() iter.Seq2[dataset.Record, error] {
	return l.Each(func(text []byte, number int) (dataset.Record, error) {
		line, err := ParseLine(text)
		if err != nil {
			return dataset.Record{}, err
		}
		return Record(line, number)
	})
}

// Is reports whether a file is a log of AutoTVM, by its first line.
func Is(path string) bool {
	r, err := ansor.Open(path)
	if err != nil {
		return false
	}
	defer r.Close()
	text, _, err := r.Next()
	return err == nil && IsLine(text)
}
