package run

import (
	"errors"
	"fmt"
	"slices"
)

// A packed is the memory of a program's packed operands for one placement. It
// belongs to the program, so that programs that are timed in turns need not pack
// again each time, as long as there is room for all of theirs.
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
	if err := p.makeRoom(prog); err != nil {
		return nil, "", fmt.Errorf("run: packed operands: %w", err)
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
		g, err := p.packedMemory(k, f.Param, f.Bytes)
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

// each does something with the memory of all that a program reads and writes.
func (p *placement) each(prog *program, do func(*guarded) error) error {
	var errs []error
	for _, g := range p.tensors {
		errs = append(errs, do(g))
	}
	if k := prog.packed[p]; k != nil {
		for _, g := range k.memory {
			errs = append(errs, do(g))
		}
	}
	return errors.Join(errs...)
}

// mostKept bounds the bytes of packed operands that programs keep between their turns: so many copies of small weights
// save the time to pack them, and copies of large ones would fill the memory (see Runner.SetTask).
const mostKept = 2 << 30

// keptPrograms is how many candidates take turns: a batch hardly ever has more. For small weights that is room enough.
const keptPrograms = 64

// makeRoom makes a program the last that used its packed operands, and takes those of others that were not used for
// longest, until what all hold is within the placement's bound, or is the program's alone.
func (p *placement) makeRoom(prog *program) error {
	p.holders = append(slices.DeleteFunc(p.holders, func(h *program) bool { return h == prog }), prog)
	total := int64(0)
	for _, h := range p.holders {
		total += h.packedBytes()
	}
	for total > p.kept && p.holders[0] != prog {
		idle := p.holders[0]
		total -= idle.packedBytes()
		if err := idle.unpack(p); err != nil {
			return err
		}
	}
	return nil
}

// packedBytes returns the size of the packed operands of a program, for one placement.
func (prog *program) packedBytes() int64 {
	n := int64(0)
	for _, f := range prog.packs {
		n += f.Bytes
	}
	return n
}

// packedMemory returns memory for a packed parameter, which may be written: that which the
// program has, or which another one left, or new. Its contents are anything.
func (p *placement) packedMemory(k *packed, param int, size int64) (g *guarded, err error) {
	if g = k.memory[param]; g == nil {
		g = p.spare.take(size)
	}
	if g == nil {
		g, err = newGuarded(size, p.side)
	} else if err = errors.Join(g.unprotect(), g.tighten()); err == nil {
		g.arm()
	}
	if g != nil {
		k.memory[param] = g
	}
	return g, err
}

// A spare is memory that programs left, for others of the same placement: to map and fill
// pages anew takes longer than to pack.
type spare struct {
	list  []*guarded
	bytes int64
}

// mostSpare bounds the bytes that are spared, which count towards the worker's limit.
const mostSpare = 256 << 20

// take returns memory for size bytes, nil if there is none. The youngest is first: caches may
// hold it.
func (s *spare) take(size int64) *guarded {
	for i, g := range slices.Backward(s.list) {
		if int64(len(g.data)) == size {
			s.list = slices.Delete(s.list, i, i+1)
			s.bytes -= size
			return g
		}
	}
	return nil
}

// keep takes memory that a program leaves, which crashes what still uses it. What is too much
// is unmapped, the eldest first.
func (s *spare) keep(g *guarded) error {
	errs := []error{g.forbid()}
	s.list, s.bytes = append(s.list, g), s.bytes+int64(len(g.data))
	for s.bytes > mostSpare {
		eldest := s.list[0]
		s.list, s.bytes = slices.Delete(s.list, 0, 1), s.bytes-int64(len(eldest.data))
		errs = append(errs, eldest.close())
	}
	return errors.Join(errs...)
}

// unpack takes the packed operands of a program for a placement from it.
func (prog *program) unpack(p *placement) error {
	k := prog.packed[p]
	p.holders = slices.DeleteFunc(p.holders, func(h *program) bool { return h == prog })
	if k == nil {
		return nil
	}
	delete(prog.packed, p)
	if k.args != nil {
		k.args.close()
	}
	var errs []error
	for _, g := range k.memory {
		errs = append(errs, p.spare.keep(g))
	}
	return errors.Join(errs...)
}
