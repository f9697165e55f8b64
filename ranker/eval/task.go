package eval

import (
	"math"
	"slices"

	"github.com/wmtune/wmtune/dataset/split"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// A Task is the measured candidates of one workload on one target.
type Task struct {
	Key       string // tells tasks apart
	Name      string // for people
	DAG       *compute.DAG
	Target    target.Target
	Family    string      // split.Family
	Structure string      // split.Structure
	Parts     split.Parts // of the committed splits
	Samples   []*Sample

	vectors vectorTable
}

// A Sample is one measured candidate.
type Sample struct {
	Steps []schedule.Step
	Costs []float64 // seconds; empty if it failed

	// Features, of the kinds that Prepare was asked for.
	Actions    []float32 // ranker.Actions
	Tiling     []float32 // ranker.Tiling
	Statements []float32 // feature.Rows, one row after the other
	All        []float32 // ranker.Features
	Path       []int32   // action vectors, as rows of the task's
}

// Cost returns the smallest time in seconds, or 0 if the candidate failed.
func (s *Sample) Cost() float64 {
	if len(s.Costs) == 0 {
		return 0
	}
	return slices.Min(s.Costs)
}

// Timed returns how many candidates of a task did not fail.
func (t *Task) Timed() int {
	n := 0
	for _, s := range t.Samples {
		if len(s.Costs) > 0 {
			n++
		}
	}
	return n
}

// noise returns the median of the candidates' standard deviation over their mean;
// 0 if no candidate has two times.
func noise(samples []*Sample) float64 {
	var list []float64
	for _, s := range samples {
		if len(s.Costs) < 2 {
			continue
		}
		var sum, squares float64
		for _, c := range s.Costs {
			sum += c
		}
		mean := sum / float64(len(s.Costs))
		for _, c := range s.Costs {
			squares += (c - mean) * (c - mean)
		}
		list = append(list, math.Sqrt(squares/float64(len(s.Costs)))/mean)
	}
	if len(list) == 0 {
		return 0
	}
	slices.Sort(list)
	return list[len(list)/2]
}

// A Group is candidates of one task, all or some, and their quality: the best
// cost among them over their own, 0 for what failed.
type Group struct {
	Task    *Task
	Samples []*Sample
	Quality []float64
	Noise   float64 // of their times, as a share
}

func newGroup(t *Task, samples []*Sample) Group {
	g := Group{Task: t, Samples: samples, Quality: make([]float64, len(samples)), Noise: noise(samples)}
	best := 0.0
	for _, s := range samples {
		if c := s.Cost(); c > 0 && (best == 0 || c < best) {
			best = c
		}
	}
	for i, s := range samples {
		if c := s.Cost(); c > 0 {
			g.Quality[i] = best / c
		}
	}
	return g
}
