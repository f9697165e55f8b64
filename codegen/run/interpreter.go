package run

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/interp"
	"github.com/wmtune/wmtune/tir/schedule"
)

// An Interpreter checks lowered programs of one DAG by interpreting a sample of
// them, on any machine and for any target: what it takes of a program it takes at
// its real size, and compares with the definition. See docs/design/checking.md. It is
// for one goroutine.
type Interpreter struct {
	dag       *compute.DAG
	seed      uint64
	fills     map[*tir.Buffer]filling
	peaks     map[*tir.Buffer]peaks
	inputs    []*interp.Tensor
	reference *reference
	relative  float64 // see errorOf
	tf32      float64 // see roundingOf
}

// interpreterBudget is how many accesses of memory a sample of one loop nest
// makes, or as many as one iteration of its outermost loops does.
const interpreterBudget = 400_000

// NewInterpreter returns an interpreter of programs of d. The seed makes the
// inputs, and chooses the samples.
func NewInterpreter(d *compute.DAG, seed uint64) (*Interpreter, error) {
	if _, err := Fits(d, 0); err != nil {
		return nil, err
	}
	fills, err := fillings(d)
	if err != nil {
		return nil, err
	}
	c := &Interpreter{dag: d, seed: seed, fills: fills, peaks: peaksOf(d), relative: errorOf(d),
		tf32: roundingOf(d)}
	var bad error
	for _, ok := range []extremes{refused, accepted} {
		for level := range levels {
			if err := c.fill(level); err != nil {
				return nil, err
			}
			if bad = c.unfit(ok); bad == nil {
				return c, nil
			}
		}
	}
	return nil, fmt.Errorf("run: interpreter: every kind of input tried gives %w: the operator cannot be checked", bad)
}

// fill makes the inputs of a level, and the reference for them.
func (c *Interpreter) fill(level int) error {
	c.inputs = nil
	for i, b := range c.dag.Inputs() {
		if b.Strides != nil {
			return fmt.Errorf("run: tensor %s has strides; arguments are dense", b.Name)
		}
		data := interp.NewTensor(b)
		t := tensor{Name: b.Name, Type: b.Type, Shape: b.Shape, Fill: c.fills[b], Peaks: c.peaks[b]}
		fill(data.Data, t, c.seed, 0, i, level)
		c.inputs = append(c.inputs, data)
	}
	var err error
	c.reference, err = newReference(c.dag, c.inputs)
	return err
}

// unfit looks at some elements of the results, as worker.unfit does at all.
func (c *Interpreter) unfit(ok extremes) error {
	for out, b := range c.dag.Results() {
		if !b.Type.IsFloat() {
			continue
		}
		for k := range spotElems {
			at := spot(c.seed, 0, out, k, b.Elems())
			v, err := c.reference.at(b, at)
			if err != nil {
				return err
			}
			if x := v.Float(int(at)); x != x || extreme(x, b.Type) && !bool(ok) {
				return fmt.Errorf("%g at %s[%s]", x, b.Name, indexText(at, b.Shape))
			}
		}
	}
	return nil
}

// A reference computes elements of a DAG in float64.
type reference struct {
	elements *interp.Reference
	wide     map[*tir.Buffer]*tir.Buffer
}

func newReference(d *compute.DAG, inputs []*interp.Tensor) (*reference, error) {
	wide := compute.Widen(d)
	r := &reference{wide: map[*tir.Buffer]*tir.Buffer{}}
	for i, op := range d.Ops {
		for k, b := range op.Results {
			r.wide[b] = wide.Ops[i].Results[k]
		}
	}
	var list []*interp.Tensor
	for i, b := range wide.Inputs() {
		t := interp.NewTensor(b)
		for k := range t.Len() {
			if t.Type.IsFloat() {
				t.SetFloat(k, inputs[i].Float(k))
			} else {
				t.SetInt(k, inputs[i].Int(k))
			}
		}
		list = append(list, t)
	}
	var err error
	r.elements, err = interp.NewReference(wide, list)
	return r, err
}

// at returns the tensor that stands for b, in which an element is computed.
func (r *reference) at(b *tir.Buffer, element int64) (*interp.Tensor, error) {
	return r.elements.At(r.wide[b], element)
}

// Check runs a sample of f, the program of s, and returns what is wrong with it,
// or "". The number of a record
// chooses another sample for each; threads and other iterations that run at once
// take turns from the first to the last if it is even, and from the last to the
// first if it is odd.
func (c *Interpreter) Check(s *schedule.State, f *tir.Func, number uint64) (bad string, err error) {
	opt := interp.Options{Races: true, Reverse: number%2 == 1}
	r := rand.New(rand.NewPCG(c.seed, number))
	part := interp.Part{Only: interp.Sample(f, interpreterBudget, r), Rests: map[*tir.Buffer]*interp.Rest{}}
	shares, copies, err := c.shares(s, f)
	if err != nil {
		return "", err
	}
	keepWhole(part.Only, f.Body, copies)
	for _, sh := range shares {
		sh.rest.Make = sh.fill
		part.Rests[sh.buffer] = &sh.rest
	}
	outputs := interp.NewTensors(f.Results())
	args, err := interp.Pack(f, slices.Concat(c.inputs, outputs), interp.Options{})
	if err != nil {
		return "", err
	}
	var fault *interp.Error
	switch err := interp.RunPart(f, args, opt, part); {
	case errors.As(err, &fault):
		return fault.Error(), nil
	case err != nil:
		return "", err
	}
	for _, sh := range shares {
		if bad, err := sh.compare(len(part.Only) == 0); bad != "" || err != nil {
			return bad, err
		}
	}
	return "", nil
}
