package run

import (
	"fmt"

	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/tir/compute"
)

// A Reference is what the candidates of a task are checked against: the built reference program
// and its inputs. A runner needs no target and no search.
type Reference struct {
	DAG *compute.DAG

	// Program is a program of the same DAG with every float type replaced by
	// float64 and other types kept; its speed does not matter.
	Program measure.BuildResult

	// Runtime is the object of llvm.RuntimeIR.
	Runtime []byte

	Seed uint64 // of the inputs

	// Footprint, if not 0, is how many bytes copies of the constant operands take together, which timed calls take turns
	// with: more than a cache holds evicts them from it (measure.Deployed).
	Footprint int64
}

// signature returns what a worker must know of t.
func (t Reference) signature() (*signature, error) {
	if t.Program.Status != measure.OK {
		return nil, fmt.Errorf("run: the reference program was not built: %s: %s", t.Program.Status, t.Program.Message)
	}
	fills, err := fillings(t.DAG)
	if err != nil {
		return nil, err
	}
	peaks := peaksOf(t.DAG)
	text := t.DAG.Text()
	if _, err := compute.Parse(text); err != nil {
		text = "" // names that cannot be written: no result is excused
	}
	s := &signature{
		DAG: text, Special: chooses(t.DAG), Outputs: t.DAG.Outputs, Seed: t.Seed,
		Error: errorOf(t.DAG), TF32: roundingOf(t.DAG), Symbol: t.Program.Symbol,
		Footprint: t.Footprint, Constants: constants(t.DAG),
	}
	for _, b := range t.DAG.Tensors {
		if b.Strides != nil {
			return nil, fmt.Errorf("run: tensor %s has strides; arguments are dense", b.Name)
		}
		s.Tensors = append(s.Tensors, tensor{Name: b.Name, Type: b.Type, Shape: b.Shape, Fill: fills[b],
			Peaks: peaks[b]})
	}
	return s, nil
}
