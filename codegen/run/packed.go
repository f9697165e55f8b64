package run

import (
	"errors"
	"fmt"
	"slices"
)

// A packed is the memory of a program's packed operands for one placement. It
// belongs to the program, so that programs that are timed in turns need not pack
// again each time.
type packed struct {
	puts   int              // of the placement, when they were packed
	memory map[int]*guarded // by parameter
	args   *argv
}

// argsOf returns the arguments of a program, with its constant operands packed from
// what the tensors hold now. They are valid until the next call for the same
// program. What is wrong with the packing is returned as bad.
func (p *placement) argsOf(page *statusPage, s *signature, prog *program) (args *argv, bad string, err error) {
	if len(prog.packs) == 0 {
		return p.args, "", nil
	}
	k := prog.packed[p]
	if k != nil && k.args != nil && k.puts == p.puts {
		return k.args, "", nil
	}
	if k == nil {
		k = &packed{memory: map[int]*guarded{}}
		if prog.packed == nil {
			prog.packed = map[*placement]*packed{}
		}
		prog.packed[p] = k
	}
	if k.args != nil {
		k.args.close()
		k.args = nil
	}
	tensors := slices.Clone(p.tensors)
	for _, f := range prog.packs {
		if f.Param < 0 || f.Param >= p.inputs {
			return nil, "", fmt.Errorf("run: parameter %d is packed, which is no input", f.Param)
		}
		g, err := k.memoryOf(f.Param, f.Bytes, p.side)
		if err != nil {
			return nil, "", fmt.Errorf("run: packed %s: %w", f.Name, err)
		}
		poisonNaN.fill(g.data, s.Tensors[f.Param].Type)
		pair := newArgv([]*guarded{p.tensors[f.Param], g})
		prog.callFunction(page, f.fn, pair, 1)
		pair.close()
		if bad := g.damageText(); bad != "" {
			return nil, fmt.Sprintf("packing %s %s of what is packed", f.Name, bad), nil
		}
		if err := g.protect(); err != nil {
			return nil, "", fmt.Errorf("run: packed %s: %w", f.Name, err)
		}
		tensors[f.Param] = g
	}
	k.args, k.puts = newArgv(tensors), p.puts
	return k.args, "", nil
}

// memoryOf returns memory for a parameter, which may be written.
func (k *packed) memoryOf(param int, size int64, side side) (*guarded, error) {
	if g := k.memory[param]; g != nil {
		if err := g.unprotect(); err != nil {
			return nil, err
		}
		g.arm()
		return g, nil
	}
	g, err := newGuarded(size, side)
	if err == nil {
		k.memory[param] = g
	}
	return g, err
}

// unpack frees the packed operands of a program for a placement.
func (prog *program) unpack(p *placement) error {
	k := prog.packed[p]
	if k == nil {
		return nil
	}
	delete(prog.packed, p)
	if k.args != nil {
		k.args.close()
	}
	var errs []error
	for _, g := range k.memory {
		errs = append(errs, g.close())
	}
	return errors.Join(errs...)
}
