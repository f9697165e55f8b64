package dataset

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/tir/target"
)

// A Task is what the records of one search have in common. It stands apart from workload.Task because it
// holds the text of a log: this version may not know the workload that the text stands for.
type Task struct {
	WorkloadKey string
	Workload    string // canonical text
	Target      target.Target
	Layout      target.Layout
	Timing      measure.Timing
}

// ID tells tasks apart: only times of records of one task compare.
func (t *Task) ID() string {
	parts := []string{t.WorkloadKey, t.Workload, t.Target.String(), t.Layout.String(), t.Timing.String()}
	return strings.Join(parts, "\x00")
}

// Task returns the task of a record.
func (r *Record) Task() Task {
	return Task{WorkloadKey: r.WorkloadKey, Workload: r.Workload, Target: r.Target, Layout: r.Layout, Timing: r.Timing}
}

// Title names the workload in a line; see Record.Title.
func (t *Task) Title() string { return title(t.Workload) }

// Title names the workload in a line: its text, or for a DAG's own text, which
// has several lines, its output or last op and a hash.
//
//	matmul:m=64,n=64,k=64
//	C#1a2b3c4d
func (r *Record) Title() string { return title(r.Workload) }

func title(workload string) string {
	text := strings.TrimSpace(workload)
	i := strings.LastIndexByte(text, '\n')
	if i < 0 {
		return text
	}
	last := strings.TrimPrefix(text[i+1:], "output ")
	if end := strings.IndexAny(last, " (:[,"); end > 0 {
		last = last[:end]
	}
	sum := sha256.Sum256([]byte(workload))
	return last + "#" + hex.EncodeToString(sum[:4])
}
