package models

import (
	"fmt"
	"math"
	"slices"

	"github.com/wmtune/wmtune/tir/compute"
)

// An OODDetector knows what a model was trained on, and detects a task that is out of that
// distribution. Such a task is scored by features alone (the safe rung): on unseen operators
// those were the only scores that held (docs/evaluation.md).
type OODDetector struct {
	Operators []string    `json:"operators,omitempty"` // of all training tasks, as Operators names them, sorted
	Centroids [][]float32 `json:"centroids,omitempty"` // embeddings of the training tasks' programs without steps
	Threshold float64     `json:"threshold,omitempty"` // the largest distance to the nearest of them that is near enough; 0: none is too far
}

// outOfDistribution says what is unlike the training in a task, or "". The embedding is nil
// for a model without an encoder.
func (g *OODDetector) outOfDistribution(d *compute.DAG, z0 []float32) string {
	if len(g.Operators) > 0 {
		for _, name := range Operators(d) {
			if _, seen := slices.BinarySearch(g.Operators, name); !seen {
				return fmt.Sprintf("the operation %q is in no task that the model was trained on", name)
			}
		}
	}
	if g.Threshold <= 0 || len(g.Centroids) == 0 || z0 == nil {
		return ""
	}
	if far := Nearest(g.Centroids, z0); far > g.Threshold {
		return fmt.Sprintf("the program is %.2f from the nearest one that the model was trained on, beyond %.2f", far, g.Threshold)
	}
	return ""
}

// check rejects centroids to which there is no distance.
func (g *OODDetector) check(size int) error {
	for i, c := range g.Centroids {
		if len(c) != size {
			return fmt.Errorf("%s: centroid %d has %d numbers, an embedding has %d", ManifestName, i, len(c), size)
		}
		if !finite(c) {
			return fmt.Errorf("%s: centroid %d is not finite", ManifestName, i)
		}
	}
	if !slices.IsSorted(g.Operators) {
		return fmt.Errorf("%s: the operators of the training are not sorted", ManifestName)
	}
	return nil
}

// Nearest returns the Euclidean distance of z to the nearest of some vectors, +Inf
// without any.
func Nearest(list [][]float32, z []float32) float64 {
	best := math.Inf(1)
	for _, c := range list {
		sum := 0.0
		for i, v := range c {
			d := float64(v) - float64(z[i])
			sum += d * d
		}
		best = min(best, math.Sqrt(sum))
	}
	return best
}

// nearShare is the share of the training tasks that are near enough to the others.
const nearShare = 0.99

// NewOODDetector makes the detector of training tasks: their operators, and their embeddings
// if there are any; families says which of them belong together. The threshold is the
// distance within which nearShare of the tasks have a task of another family.
func NewOODDetector(dags []*compute.DAG, z [][]float32, families []string) OODDetector {
	var g OODDetector
	for _, d := range dags {
		g.Operators = append(g.Operators, Operators(d)...)
	}
	slices.Sort(g.Operators)
	g.Operators = slices.Compact(g.Operators)
	if len(z) == 0 {
		return g
	}
	g.Centroids = z
	var far []float64
	for i := range z {
		var others [][]float32
		for k := range z {
			if families[k] != families[i] {
				others = append(others, z[k])
			}
		}
		if d := Nearest(others, z[i]); !math.IsInf(d, 1) {
			far = append(far, d)
		}
	}
	if slices.Sort(far); len(far) > 0 {
		g.Threshold = far[int(nearShare*float64(len(far)-1))]
	}
	return g
}

func finite(v []float32) bool {
	for _, x := range v {
		if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
			return false
		}
	}
	return true
}
