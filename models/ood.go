package models

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compact"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/lower"
	"github.com/wmtune/wmtune/tir/schedule"
)

// An OODDetector knows what a model was trained on, and detects a task that is out of that
// distribution. Such a task is scored by features alone (the safe rung): on unseen operators
// those were the only scores that held (docs/design/world-model.md).
type OODDetector struct {
	Operators []string   `json:"operators,omitempty"` // of all training tasks, as Operators names them, sorted
	Centroids Embeddings `json:"centroids,omitempty"` // of the training tasks' programs without steps
	// the largest distance to the nearest of them that is near enough; 0: none is too far
	Threshold float64 `json:"threshold,omitempty"`
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
		return fmt.Sprintf("the program is %.2f from the nearest one that the model was trained on, beyond %.2f", far,
			g.Threshold)
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
func Nearest[V ~[]float32](list []V, z []float32) float64 {
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
	for _, v := range z {
		g.Centroids = append(g.Centroids, v)
	}
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

// Operators names the kinds of operations of a DAG, sorted and each once: how a
// reduction combines, over how many axes, what is calculated, and how many tensors
// are read. Sums, differences and products of elements are one kind of calculation.
// Shapes have no part in it, nor have names. A task with a kind that no
// training task had is one of which a model knows nothing, however near its
// embedding is.
func Operators(d *compute.DAG) []string {
	var list []string
	for _, op := range d.Ops {
		if !op.IsPlaceholder() {
			list = append(list, operatorName(op))
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// combineNames are those of the combiners, by kind.
var combineNames = map[compute.CombineKind]string{
	compute.Tuple: "tuple", compute.Sum: "sum", compute.MaxOf: "max", compute.MinOf: "min",
	compute.FirstLargest: "tuple", // as it was when the models were trained
}

// calculation names a binary operation. What costs the same and moves the same bytes
// has one name: a difference is not strange to a model that has learned sums.
func calculation(op tir.BinOp) string {
	switch op {
	case tir.Add, tir.Sub, tir.Mul:
		return "arithmetic"
	}
	return fmt.Sprint(op)
}

func operatorName(op *compute.Op) string {
	var does []string
	for _, body := range op.Body {
		tir.VisitExpr(body, func(e tir.Expr) bool {
			switch e := e.(type) {
			case *tir.Load:
				return false // how an index is calculated is a matter of shapes
			case *tir.Binary:
				does = append(does, calculation(e.Op))
			case *tir.Call:
				does = append(does, fmt.Sprint(e.Fn))
			case *tir.Select:
				does = append(does, "select")
				return true
			case *tir.Cast, *tir.Bitcast:
				does = append(does, "cast")
			}
			return true
		})
	}
	slices.Sort(does)
	does = slices.Compact(does)
	name := "map"
	if op.Combine != nil {
		name = fmt.Sprintf("%s over %d", combineNames[op.Combine.Kind], len(op.ReduceAxes))
	}
	return fmt.Sprintf("%s of %d: %s", name, len(op.Reads()), strings.Join(does, " "))
}

// ProgramText returns the program without steps of a DAG, as the encoder reads it.
func ProgramText(d *compute.DAG) (string, error) {
	text, err := StateText(schedule.New(d))
	if err != nil {
		return "", fmt.Errorf("models: the program without steps: %w", err)
	}
	return text, nil
}

// StateText returns the program that a state is, as the encoder reads it.
func StateText(s *schedule.State) (string, error) {
	f, err := lower.Plain(s)
	if err != nil {
		return "", err
	}
	return compact.Text(f), nil
}
