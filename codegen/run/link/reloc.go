package link

import (
	"debug/elf"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/wmtune/wmtune/codegen/ld"
)

// relocate applies the relocations of all sections.
func (l *linker) relocate() error {
	for i, s := range l.object.Sections {
		for _, r := range s.Relocs {
			if err := l.apply(l.offsets[i]+r.At, r); err != nil {
				return err
			}
		}
	}
	return nil
}

// apply carries out one relocation (System V ABI, AMD64 supplement, table 4.10).
// S, A, P and G are the names of that table: the symbol's address, the addend,
// the place and the symbol's slot.
func (l *linker) apply(offset uint64, r ld.Reloc) error {
	name := l.object.Symbols[r.Symbol].Name
	if name == "" {
		name = "a section"
	}
	place := l.mem[offset:]
	var p, a = int64(l.at(offset)), r.Addend
	if l.object.Machine == elf.EM_AARCH64 {
		return l.applyArm(place, p, r, name)
	}

	switch r.Kind {
	case elf.R_X86_64_NONE:
		return nil
	case elf.R_X86_64_GOTPCREL, elf.R_X86_64_GOTPCRELX, elf.R_X86_64_REX_GOTPCRELX:
		g, err := l.slot(r.Symbol)
		if err != nil {
			return err
		}
		return put32(place, int64(l.at(g))+a-p, r.Kind, name)
	}
	s, err := l.resolve(r.Symbol)
	if err != nil {
		return err
	}
	switch r.Kind {
	case elf.R_X86_64_64:
		binary.LittleEndian.PutUint64(place, uint64(int64(s)+a))
	case elf.R_X86_64_PC64:
		binary.LittleEndian.PutUint64(place, uint64(int64(s)+a-p))
	case elf.R_X86_64_PC32, elf.R_X86_64_PLT32:
		v := int64(s) + a - p
		if v != int64(int32(v)) && l.object.Symbols[r.Symbol].Section == ld.Undefined {
			if s, err = l.stub(r.Symbol); err != nil {
				return err
			}
			v = int64(s) + a - p
		}
		return put32(place, v, r.Kind, name)
	case elf.R_X86_64_32S:
		return put32(place, int64(s)+a, r.Kind, name)
	case elf.R_X86_64_32:
		v := int64(s) + a
		if v != int64(uint32(v)) {
			return fmt.Errorf("relocation %s against %s does not reach: compile with position-independent code", r.Kind, name)
		}
		binary.LittleEndian.PutUint32(place, uint32(v))
	default:
		return fmt.Errorf("relocation %s against %s is not supported", r.Kind, name)
	}
	return nil
}

// applyArm carries out a relocation of aarch64, at a place with the address p.
func (l *linker) applyArm(place []byte, p int64, r ld.Reloc, name string) error {
	kind := elf.R_AARCH64(r.Kind)
	var s uintptr
	var err error
	switch kind {
	case elf.R_AARCH64_ADR_GOT_PAGE, elf.R_AARCH64_LD64_GOT_LO12_NC:
		var g uint64
		g, err = l.slot(r.Symbol)
		s = l.at(g)
	case elf.R_AARCH64_CALL26, elf.R_AARCH64_JUMP26:
		if l.object.Symbols[r.Symbol].Section == ld.Undefined {
			s, err = l.stub(r.Symbol)
			break
		}
		fallthrough
	default:
		s, err = l.resolve(r.Symbol)
	}
	if err != nil {
		return err
	}
	if kind == elf.R_AARCH64_ABS64 {
		binary.LittleEndian.PutUint64(place, uint64(int64(s)+r.Addend))
		return nil
	}
	if !ld.PatchArm(place, kind, int64(s)+r.Addend, p) {
		return fmt.Errorf("relocation %s against %s does not reach, or is not supported", kind, name)
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

// resolve returns the address of a symbol: of the objects, or of a function of this process. A weak symbol that
// nobody defines is 0.
func (l *linker) resolve(symbol int) (uintptr, error) {
	s := l.object.Symbols[symbol]
	if s.Section != ld.Undefined {
		return l.address(s), nil
	}
	if addr := l.external(s.Name); addr != 0 || s.Bind == elf.STB_WEAK {
		return addr, nil
	}
	return 0, fmt.Errorf("symbol %s is not defined", s.Name)
}

// slot returns the offset of the 8 bytes that hold a symbol's address.
func (l *linker) slot(symbol int) (uint64, error) {
	if at, ok := l.slots[symbol]; ok {
		return at, nil
	}
	addr, err := l.resolve(symbol)
	if err != nil {
		return 0, err
	}
	at := l.nextSlot
	l.nextSlot += slotBytes
	binary.LittleEndian.PutUint64(l.mem[at:], uint64(addr))
	l.slots[symbol] = at
	return at, nil
}

// stub returns the address of an instruction, near the code, that jumps to a
// symbol wherever it is: jmp *slot(%rip).
func (l *linker) stub(symbol int) (uintptr, error) {
	if at, ok := l.stubs[symbol]; ok {
		return l.at(at), nil
	}
	slot, err := l.slot(symbol)
	if err != nil {
		return 0, err
	}
	at := l.nextStub
	l.nextStub += stubBytes
	l.stubs[symbol] = at
	if l.object.Machine == elf.EM_AARCH64 {
		ld.ArmStub(l.mem[at:], uint64(l.at(slot)), uint64(l.at(at)))
		return l.at(at), nil
	}
	l.mem[at], l.mem[at+1] = 0xff, 0x25
	binary.LittleEndian.PutUint32(l.mem[at+2:], uint32(int64(slot)-int64(at+6)))
	return l.at(at), nil
}
