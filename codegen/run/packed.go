package run

import (
	"fmt"
	"slices"
)

// argsOf returns the arguments of a program, with its constant operands packed from
// what the tensors hold now. They are valid until the next call. What is wrong
// with the packing is returned as bad.
func (p *placement) argsOf(page *statusPage, s *signature, prog *program) (args *argv, bad string, err error) {
	if len(prog.packs) == 0 {
		return p.args, "", nil
	}
	tensors := slices.Clone(p.tensors)
	for _, k := range prog.packs {
		if k.Param < 0 || k.Param >= p.inputs {
			return nil, "", fmt.Errorf("run: parameter %d is packed, which is no input", k.Param)
		}
		g, err := p.packedMemory(k.Param, k.Bytes)
		if err != nil {
			return nil, "", err
		}
		poisonNaN.fill(g.data, s.Tensors[k.Param].Type)
		pair := newArgv([]*guarded{p.tensors[k.Param], g})
		prog.callFunction(page, k.fn, pair, 1)
		pair.close()
		if bad := g.damageText(); bad != "" {
			return nil, fmt.Sprintf("packing %s %s of what is packed", k.Name, bad), nil
		}
		if err := g.protect(); err != nil {
			return nil, "", fmt.Errorf("run: packed %s: %w", k.Name, err)
		}
		tensors[k.Param] = g
	}
	if p.packedArgs != nil {
		p.packedArgs.close()
	}
	p.packedArgs = newArgv(tensors)
	return p.packedArgs, "", nil
}

// packedMemory returns memory for a parameter that is packed, which may be
// written. That of the program before is used again if it has the size.
func (p *placement) packedMemory(param int, size int64) (*guarded, error) {
	if g := p.packed[param]; g != nil {
		if int64(len(g.data)) == size {
			if err := g.unprotect(); err != nil {
				return nil, fmt.Errorf("run: packed operands: %w", err)
			}
			g.arm()
			return g, nil
		}
		delete(p.packed, param)
		if err := g.close(); err != nil {
			return nil, fmt.Errorf("run: packed operands: %w", err)
		}
	}
	g, err := newGuarded(size, p.side)
	if err != nil {
		return nil, err
	}
	if p.packed == nil {
		p.packed = map[int]*guarded{}
	}
	p.packed[param] = g
	return g, nil
}
