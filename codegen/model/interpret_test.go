package model_test

import (
	"fmt"

	"github.com/wmtune/wmtune/codegen/model"
	"github.com/wmtune/wmtune/tir/interp"
)

// An interpreter runs programs step by step, its kernels by tir/interp: what a bundle
// computes is compared with it.
type interpreter struct {
	p               *model.Program
	arena, weights  []byte
	inputs, outputs [][]byte
	shapes          [][]byte
	calls           int // so far
}

// A failed check ends the run.
type failedCheck string

func (f failedCheck) Error() string { return string(f) }

func newInterpreter(p *model.Program, weights []byte, inputs [][]byte) *interpreter {
	x := &interpreter{p: p, arena: make([]byte, p.Arena), weights: weights, inputs: inputs}
	for _, port := range p.Outputs {
		x.outputs = append(x.outputs, make([]byte, port.Bytes()))
		x.shapes = append(x.shapes, make([]byte, 8*len(port.Shape)))
	}
	return x
}

func (x *interpreter) at(p model.Place) []byte {
	memory := map[model.Space][][]byte{model.Arena: {x.arena}, model.Weights: {x.weights}, model.Input: x.inputs,
		model.Output: x.outputs, model.OutputShape: x.shapes}[p.Space]
	return memory[p.Index][p.Offset:]
}

func (x *interpreter) run(steps []model.Step) error {
	for _, s := range steps {
		if err := x.step(s); err != nil {
			return err
		}
	}
	return nil
}

func (x *interpreter) step(s model.Step) error {
	switch s := s.(type) {
	case model.Call:
		return x.call(s)
	case model.If:
		if x.at(s.Cond)[0] != 0 {
			return x.run(s.Then)
		}
		return x.run(s.Else)
	case model.Loop:
		trip := int64(1 << 62)
		if s.Trip.Space != model.None {
			trip = asInts(x.at(s.Trip))[0]
		}
		for i := int64(0); i < trip && (s.Cond.Space == model.None || x.at(s.Cond)[0] != 0); i++ {
			if s.Counter.Space != model.None {
				asInts(x.at(s.Counter))[0] = i
			}
			if err := x.run(s.Body); err != nil {
				return err
			}
		}
	case model.Check:
		if e := x.at(s.Error); e[0]|e[1]|e[2]|e[3] != 0 {
			return failedCheck(s.Message)
		}
	case model.Copy:
		copy(x.at(s.To)[:s.Bytes], x.at(s.From)[:s.Bytes])
	default:
		return fmt.Errorf("step %T", s)
	}
	return nil
}

func (x *interpreter) call(c model.Call) error {
	x.calls++
	fn := x.p.Kernels[c.Kernel]
	args := interp.NewTensors(fn.Params)
	for i := range fn.Inputs() {
		copy(args[i].Data, x.at(c.Args[i]))
	}
	if err := interp.Run(fn, args, interp.Options{}); err != nil {
		return err
	}
	for i := len(fn.Inputs()); i < len(args); i++ {
		copy(x.at(c.Args[i]), args[i].Data)
	}
	return nil
}
