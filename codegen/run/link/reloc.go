package link

import (
	"debug/elf"
	"encoding/binary"
	"fmt"
	"math"
)

// relocate applies the relocations of an object's loaded sections.
func (l *linker) relocate(o *object) error {
	for _, r := range o.relocs {
		if r.section >= len(o.sections) || !o.sections[r.section].loaded {
			continue
		}
		sec := o.sections[r.section]
		for _, rel := range r.list {
			if err := l.apply(o, sec, rel); err != nil {
				return err
			}
		}
	}
	return nil
}

// apply carries out one relocation (System V ABI, AMD64 supplement, table 4.10).
// S, A, P and G are the names of that table: the symbol's address, the addend,
// the place and the symbol's slot.
func (l *linker) apply(o *object, sec section, rel elf.Rela64) error {
	kind := elf.R_X86_64(elf.R_TYPE64(rel.Info))
	index := elf.R_SYM64(rel.Info)
	name := "a section"
	if index > 0 && int(index) <= len(o.symbols) && o.symbols[index-1].Name != "" {
		name = o.symbols[index-1].Name
	}
	width := uint64(4)
	if kind == elf.R_X86_64_64 || kind == elf.R_X86_64_PC64 {
		width = 8
	}
	if rel.Off > sec.size || sec.size-rel.Off < width {
		return fmt.Errorf("relocation %s against %s lies outside of its section", kind, name)
	}
	offset := sec.offset + rel.Off
	place := l.mem[offset : offset+width]
	var p, a = int64(l.at(offset)), rel.Addend

	switch kind {
	case elf.R_X86_64_NONE:
		return nil
	case elf.R_X86_64_GOTPCREL, elf.R_X86_64_GOTPCRELX, elf.R_X86_64_REX_GOTPCRELX:
		g, err := l.slot(o, index)
		if err != nil {
			return err
		}
		return put32(place, int64(l.at(g))+a-p, kind, name)
	}
	s, err := l.resolve(o, index)
	if err != nil {
		return err
	}
	switch kind {
	case elf.R_X86_64_64:
		binary.LittleEndian.PutUint64(place, uint64(int64(s)+a))
	case elf.R_X86_64_PC64:
		binary.LittleEndian.PutUint64(place, uint64(int64(s)+a-p))
	case elf.R_X86_64_PC32, elf.R_X86_64_PLT32:
		v := int64(s) + a - p
		if v != int64(int32(v)) && index > 0 && o.symbols[index-1].Section == elf.SHN_UNDEF {
			if s, err = l.stub(o, index); err != nil {
				return err
			}
			v = int64(s) + a - p
		}
		return put32(place, v, kind, name)
	case elf.R_X86_64_32S:
		return put32(place, int64(s)+a, kind, name)
	case elf.R_X86_64_32:
		v := int64(s) + a
		if v != int64(uint32(v)) {
			return fmt.Errorf("relocation %s against %s does not reach: compile with position-independent code", kind, name)
		}
		binary.LittleEndian.PutUint32(place, uint32(v))
	default:
		return fmt.Errorf("relocation %s against %s is not supported", kind, name)
	}
	return nil
}

func put32(place []byte, v int64, kind elf.R_X86_64, name string) error {
	if v < math.MinInt32 || v > math.MaxInt32 {
		return fmt.Errorf("relocation %s against %s does not reach: compile with position-independent code", kind, name)
	}
	binary.LittleEndian.PutUint32(place, uint32(int32(v)))
	return nil
}

// resolve returns the address of a symbol of an object: its own, another
// object's, or that of a function of this process. A weak symbol that nobody
// defines is 0.
func (l *linker) resolve(o *object, index uint32) (uintptr, error) {
	if index == 0 {
		return 0, nil
	}
	if int(index) > len(o.symbols) {
		return 0, fmt.Errorf("relocation against symbol %d of %d", index, len(o.symbols))
	}
	s := o.symbols[index-1]
	switch typ := elf.ST_TYPE(s.Info); {
	case typ == elf.STT_TLS:
		return 0, fmt.Errorf("symbol %s: thread-local variables are not supported", s.Name)
	case typ == elf.STT_GNU_IFUNC:
		return 0, fmt.Errorf("symbol %s: indirect functions are not supported", s.Name)
	case s.Section == elf.SHN_ABS:
		return uintptr(s.Value), nil
	case elf.ST_BIND(s.Info) != elf.STB_LOCAL:
		if ref, ok := l.globals[s.Name]; ok {
			return l.address(ref), nil
		}
		if addr := l.external(s.Name); addr != 0 {
			return addr, nil
		}
		if elf.ST_BIND(s.Info) == elf.STB_WEAK {
			return 0, nil
		}
		return 0, fmt.Errorf("symbol %s is not defined", s.Name)
	}
	if int(s.Section) >= len(o.sections) || !o.sections[s.Section].loaded {
		return 0, fmt.Errorf("symbol %s lies in a section that is not loaded", s.Name)
	}
	return l.at(o.sections[s.Section].offset + s.Value), nil
}

// slot returns the offset of the 8 bytes that hold a symbol's address.
func (l *linker) slot(o *object, index uint32) (uint64, error) {
	addr, err := l.resolve(o, index)
	if err != nil {
		return 0, err
	}
	key := slotKey{object: o, index: index}
	if index > 0 && elf.ST_BIND(o.symbols[index-1].Info) != elf.STB_LOCAL {
		key = slotKey{name: o.symbols[index-1].Name}
	}
	if at, ok := l.slots[key]; ok {
		return at, nil
	}
	at := l.nextSlot
	l.nextSlot += slotBytes
	binary.LittleEndian.PutUint64(l.mem[at:], uint64(addr))
	l.slots[key] = at
	return at, nil
}

// stub returns the address of an instruction, near the code, that jumps to a
// symbol wherever it is: jmp *slot(%rip).
func (l *linker) stub(o *object, index uint32) (uintptr, error) {
	name := o.symbols[index-1].Name
	if at, ok := l.stubs[name]; ok {
		return l.at(at), nil
	}
	slot, err := l.slot(o, index)
	if err != nil {
		return 0, err
	}
	at := l.nextStub
	l.nextStub += stubBytes
	l.mem[at], l.mem[at+1] = 0xff, 0x25
	binary.LittleEndian.PutUint32(l.mem[at+2:], uint32(int64(slot)-int64(at+6)))
	l.stubs[name] = at
	return l.at(at), nil
}
