package model

import (
	"fmt"

	"github.com/wmtune/wmtune/tir"
)

// tensorAlign is the alignment in bytes that kernels rely on.
const tensorAlign = 64

// A layout is what checking a program finds out.
type layout struct {
	p       *Program
	outputs []region // pointers of NAME_run's outputs: of each port, and of the shape of a bounded one
	first   []int    // of each output: its index in outputs
	checks  []string // messages, in the order of codes from 1
	calls   int
	plans   []*layout // of the plans, each as if it were a program
	noPlan  int       // the code of a run whose extents no plan serves
}

// A region is the memory behind one pointer.
type region struct{ bytes, align int64 }

// newLayout checks a program and returns what its emitters need.
func newLayout(p *Program) (*layout, error) {
	if err := ValidName(p.Name); err != nil {
		return nil, err
	}
	if len(p.Plans) > 0 {
		return newPlanLayout(p)
	}
	return newStepLayout(p)
}

// newStepLayout is newLayout of a program for one shape.
func newStepLayout(p *Program) (*layout, error) {
	l := &layout{p: p}
	if p.Arena < 0 || p.Weights < 0 {
		return nil, fmt.Errorf("model: program %s: an arena of %d bytes and weights of %d", p.Name, p.Arena, p.Weights)
	}
	for _, ports := range [][]Port{p.Inputs, p.Outputs} {
		for _, port := range ports {
			if err := checkPort(port); err != nil {
				return nil, fmt.Errorf("model: program %s: %w", p.Name, err)
			}
		}
	}
	for _, port := range p.Inputs {
		if port.Bounded {
			return nil, fmt.Errorf("model: program %s: input %s is bounded: only outputs can be", p.Name, port.Name)
		}
	}
	for _, port := range p.Outputs {
		l.first = append(l.first, len(l.outputs))
		l.outputs = append(l.outputs, region{port.Bytes(), tensorAlign})
		if port.Bounded {
			l.outputs = append(l.outputs, region{8 * int64(len(port.Shape)), tensorAlign})
		}
	}
	if err := l.steps(p.Steps, "steps"); err != nil {
		return nil, fmt.Errorf("model: program %s: %w", p.Name, err)
	}
	return l, nil
}

func checkPort(p Port) error {
	if p.Type == tir.Invalid {
		return fmt.Errorf("port %s has no type", p.Name)
	}
	for _, d := range p.Shape {
		if d < 0 {
			return fmt.Errorf("port %s has the shape %v", p.Name, p.Shape)
		}
	}
	return nil
}

func (l *layout) steps(steps []Step, where string) error {
	for i, s := range steps {
		at := fmt.Sprintf("%s[%d]", where, i)
		if err := l.step(s, at); err != nil {
			return err
		}
	}
	return nil
}

func (l *layout) step(s Step, at string) error {
	var err error
	switch s := s.(type) {
	case Call:
		l.calls++
		if err = l.call(s); err != nil {
			return fmt.Errorf("%s, a call of %s for node %s: %w", at, s.Label, s.Node, err)
		}
	case If:
		if err = l.readable(s.Cond, 1, 1); err != nil {
			return fmt.Errorf("%s, the condition of an if: %w", at, err)
		}
		if err = l.steps(s.Then, at+".then"); err == nil {
			err = l.steps(s.Else, at+".else")
		}
	case Loop:
		if err = l.loop(s); err != nil {
			return fmt.Errorf("%s, a loop: %w", at, err)
		}
		err = l.steps(s.Body, at+".body")
	case Check:
		l.checks = append(l.checks, s.Message)
		if err = l.readable(s.Error, 4, 4); err != nil {
			return fmt.Errorf("%s, a check: %w", at, err)
		}
	case Copy:
		if err = l.readable(s.From, s.Bytes, 1); err == nil {
			err = l.writable(s.To, s.Bytes, 1)
		}
		if err != nil {
			return fmt.Errorf("%s, a copy: %w", at, err)
		}
	default:
		return fmt.Errorf("%s: unknown step %T", at, s)
	}
	return err
}

func (l *layout) loop(s Loop) error {
	if s.Trip.Space != None {
		if err := l.readable(s.Trip, 8, 8); err != nil {
			return fmt.Errorf("trip count: %w", err)
		}
	}
	if s.Cond.Space != None {
		if err := l.readable(s.Cond, 1, 1); err != nil {
			return fmt.Errorf("condition: %w", err)
		}
	}
	if s.Counter.Space != None {
		if err := l.writable(s.Counter, 8, 8); err != nil {
			return fmt.Errorf("counter: %w", err)
		}
	}
	return nil
}

func (l *layout) call(c Call) error {
	if c.Kernel < 0 || c.Kernel >= len(l.p.Kernels) {
		return fmt.Errorf("kernel %d of %d", c.Kernel, len(l.p.Kernels))
	}
	fn := l.p.Kernels[c.Kernel]
	if len(c.Args) != len(fn.Params) {
		return fmt.Errorf("%d arguments for the %d parameters of %s", len(c.Args), len(fn.Params), fn.Name)
	}
	inputs := len(fn.Params) - fn.Outputs
	for i, b := range fn.Params {
		ok := l.readable
		if i >= inputs {
			ok = l.writable
		}
		if err := ok(c.Args[i], b.Bytes(), tensorAlign); err != nil {
			return fmt.Errorf("argument %d, %s: %w", i, b.Name, err)
		}
		for j, a := range fn.Params[:i] {
			if i >= inputs && overlap(c.Args[i], b.Bytes(), c.Args[j], a.Bytes()) {
				return fmt.Errorf("arguments %d, %s, and %d, %s, overlap", j, a.Name, i, b.Name)
			}
		}
	}
	return nil
}

func overlap(a Place, n int64, b Place, m int64) bool {
	return a.Space == b.Space && a.Index == b.Index && a.Offset < b.Offset+m && b.Offset < a.Offset+n
}

// readable checks that so many bytes can be read at a place.
func (l *layout) readable(p Place, bytes, align int64) error {
	size, err := l.size(p)
	switch {
	case err != nil:
		return err
	case p.Offset%align != 0:
		return fmt.Errorf("%s: it must be a multiple of %d", p, align)
	case bytes < 0 || p.Offset < 0 || p.Offset > size-bytes:
		return fmt.Errorf("%d bytes at %s: that has %d bytes", bytes, p, size)
	}
	return nil
}

// writable checks that so many bytes can be written at a place.
func (l *layout) writable(p Place, bytes, align int64) error {
	if p.Space == Weights || p.Space == Input {
		return fmt.Errorf("%s cannot be written", p)
	}
	return l.readable(p, bytes, align)
}

// size returns the size of the memory that a place is in.
func (l *layout) size(p Place) (int64, error) {
	switch {
	case p.Space == Arena:
		return l.p.Arena, nil
	case p.Space == Weights:
		return l.p.Weights, nil
	case p.Space == Input && p.Index >= 0 && p.Index < len(l.p.Inputs):
		return l.p.Inputs[p.Index].Bytes(), nil
	case p.Space == Output && p.Index >= 0 && p.Index < len(l.p.Outputs):
		return l.p.Outputs[p.Index].Bytes(), nil
	case p.Space == OutputShape && p.Index >= 0 && p.Index < len(l.p.Outputs) && l.p.Outputs[p.Index].Bounded:
		return 8 * int64(len(l.p.Outputs[p.Index].Shape)), nil
	}
	return 0, fmt.Errorf("%s: there is no such memory", p)
}

var spaces = [...]string{None: "none", Arena: "arena", Weights: "weights", Input: "input", Output: "output",
	OutputShape: "output shape"}

func (p Place) String() string {
	name := fmt.Sprintf("space %d", p.Space)
	if int(p.Space) < len(spaces) {
		name = spaces[p.Space]
	}
	if p.Space >= Input {
		name += fmt.Sprintf(" %d", p.Index)
	}
	return fmt.Sprintf("%s+%d", name, p.Offset)
}
