package compile

import (
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/wmtune/wmtune/codegen/model"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/interp"
)

// A memory runs a program by the interpreter of TensorIR: what compiled bundles are compared with.
type memory struct {
	p                      *model.Program
	inPlace                map[*tir.Func]bool // functions that need not write all of their first output
	arena, weights         []byte
	inputs, outputs, shape [][]byte
}

// interpret runs p and returns its outputs, and the true shapes of those that are bounded. The arena is full of 0xff
// before.
func interpret(mod *Model, p *model.Program, w *weights, inputs [][]byte) (outputs, shapes [][]byte, err error) {
	m := &memory{p: p, inPlace: map[*tir.Func]bool{}, arena: make([]byte, p.Arena), inputs: inputs}
	for _, j := range mod.layout.jobs {
		if j.inPlace {
			m.inPlace[j.task.Func] = true
		}
	}
	for _, j := range mod.layout.jobs {
		for _, v := range j.outputs {
			if v != nil && v.Extents != nil {
				m.inPlace[j.task.Func] = true
			}
			if mod.layout.needs[v] != nil { // what nobody needs is left out
				for _, f := range mod.variants[j.task] {
					m.inPlace[f] = true
				}
			}
		}
	}
	for i := range m.arena {
		m.arena[i] = 0xff
	}
	if m.weights, err = packWeights(w); err != nil {
		return nil, nil, err
	}
	for _, o := range p.Outputs {
		m.outputs = append(m.outputs, make([]byte, o.Bytes()))
		m.shape = append(m.shape, make([]byte, 8*len(o.Shape)))
	}
	return m.outputs, m.shape, m.steps(p.Steps)
}

func packWeights(w *weights) ([]byte, error) {
	data := make([]byte, w.size)
	for _, b := range w.blobs {
		if b.pack == nil {
			copy(data[b.offset:], b.konst.Data)
			continue
		}
		to := &interp.Tensor{Type: b.konst.Type, Data: data[b.offset:][:b.bytes]}
		err := interp.Run(b.pack, []*interp.Tensor{{Type: b.konst.Type, Data: b.konst.Data}, to}, interp.Options{})
		if err != nil {
			return nil, err
		}
	}
	return data, nil
}

func (m *memory) at(p model.Place, bytes int64) []byte {
	var all []byte
	switch p.Space {
	case model.Arena:
		all = m.arena
	case model.Weights:
		all = m.weights
	case model.Input:
		all = m.inputs[p.Index]
	case model.Output:
		all = m.outputs[p.Index]
	case model.OutputShape:
		all = m.shape[p.Index]
	}
	return all[p.Offset:][:bytes]
}

func (m *memory) steps(steps []model.Step) error {
	for _, s := range steps {
		switch s := s.(type) {
		case model.Call:
			if err := m.call(s); err != nil {
				return err
			}
		case model.Copy:
			copy(m.at(s.To, s.Bytes), m.at(s.From, s.Bytes))
		case model.Check:
			if binary.LittleEndian.Uint32(m.at(s.Error, 4)) != 0 {
				return fmt.Errorf("%s", s.Message)
			}
		case model.If:
			branch := s.Else
			if m.at(s.Cond, 1)[0] != 0 {
				branch = s.Then
			}
			if err := m.steps(branch); err != nil {
				return err
			}
		case model.Loop:
			if err := m.loop(s); err != nil {
				return err
			}
		}
	}
	return nil
}

func (m *memory) loop(s model.Loop) error {
	none := model.Place{}
	trip := int64(-1)
	if s.Trip != none {
		trip = int64(binary.LittleEndian.Uint64(m.at(s.Trip, 8)))
	}
	for i := int64(0); (trip < 0 || i < trip) && (s.Cond == none || m.at(s.Cond, 1)[0] != 0); i++ {
		if s.Counter != none {
			binary.LittleEndian.PutUint64(m.at(s.Counter, 8), uint64(i))
		}
		if err := m.steps(s.Body); err != nil {
			return err
		}
	}
	return nil
}

func (m *memory) call(c model.Call) error {
	f := m.p.Kernels[c.Kernel]
	args := make([]*interp.Tensor, len(f.Params))
	for i, b := range f.Params {
		args[i] = &interp.Tensor{Type: b.Type, Data: m.at(c.Args[i], bytesOf(b))}
	}
	err := interp.Run(f, args, interp.Options{})
	if m.inPlace[f] && err != nil && strings.Contains(err.Error(), "was never written") {
		err = nil
	}
	if err != nil {
		return fmt.Errorf("%s: %w", c.Label, err)
	}
	return nil
}

func bytesOf(b *tir.Buffer) int64 { return b.Bytes() }
