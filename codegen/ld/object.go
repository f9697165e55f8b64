package ld

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
)

// An Object is a relocatable object.
type Object struct {
	sections []*section
	symbols  []symbol
}

// A section is a part of an object that is loaded.
type section struct {
	name    string
	typ     elf.SectionType // SHT_PROGBITS or SHT_NOBITS
	flags   elf.SectionFlag
	align   uint64
	entsize uint64
	size    uint64
	data    []byte // nil of SHT_NOBITS
	relocs  []reloc
}

// A symbol names a place. That of a section has the section's type and no name.
type symbol struct {
	name    string
	bind    elf.SymBind
	typ     elf.SymType
	vis     elf.SymVis
	section int // its number, undefined or absolute
	value   uint64
	size    uint64
}

// What a symbol has in place of a section's number.
const (
	undefined = -1
	absolute  = -2
	dropped   = -3 // while an object is read
)

// A reloc says what to write at a place in a section.
type reloc struct {
	at     uint64
	kind   elf.R_X86_64
	symbol int
	addend int64
}

var le = binary.LittleEndian

const (
	headerBytes = 64 // of a file, and of a section
	symbolBytes = 24
	relaBytes   = 24
)

// Read reads a relocatable object.
func Read(data []byte) (*Object, error) {
	f, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("ld: no ELF object: %w", err)
	}
	if f.Type != elf.ET_REL || f.Machine != elf.EM_X86_64 || f.Class != elf.ELFCLASS64 {
		return nil, fmt.Errorf("ld: a file of type %s for %s, not an object for x86-64", f.Type, f.Machine)
	}
	o := &Object{}
	numbers := make([]int, len(f.Sections)) // of the sections that are kept
	for i, s := range f.Sections {
		numbers[i] = dropped
		kept, err := keeps(s)
		if err != nil {
			return nil, err
		}
		if !kept {
			continue
		}
		made := &section{name: s.Name, typ: s.Type, flags: s.Flags, align: max(s.Addralign, 1), entsize: s.Entsize,
			size: s.Size}
		if s.Type == elf.SHT_PROGBITS {
			if s.Offset > uint64(len(data)) || s.Size > uint64(len(data))-s.Offset {
				return nil, fmt.Errorf("ld: section %s is cut off", s.Name)
			}
			made.data = data[s.Offset:][:s.Size]
		}
		numbers[i] = len(o.sections)
		o.sections = append(o.sections, made)
	}
	list, err := f.Symbols()
	if err != nil && err != elf.ErrNoSymbols {
		return nil, fmt.Errorf("ld: symbols: %w", err)
	}
	o.symbols = make([]symbol, 1, len(list)+1) // number 0 is no symbol
	o.symbols[0] = symbol{section: absolute}
	for _, s := range list {
		made := symbol{name: s.Name, bind: elf.ST_BIND(s.Info), typ: elf.ST_TYPE(s.Info), vis: elf.ST_VISIBILITY(s.Other),
			value: s.Value, size: s.Size}
		switch {
		case s.Section == elf.SHN_UNDEF:
			made.section = undefined
		case s.Section == elf.SHN_ABS:
			made.section = absolute
		case int(s.Section) < len(numbers):
			made.section = numbers[s.Section]
		default:
			return nil, fmt.Errorf("ld: symbol %s lies in the section %s", s.Name, s.Section)
		}
		if made.section >= 0 && made.value > o.sections[made.section].size || made.section < 0 && made.section != dropped &&
			made.typ == elf.STT_SECTION {
			return nil, fmt.Errorf("ld: symbol %s lies in no section", s.Name)
		}
		if made.typ == elf.STT_TLS || made.typ == elf.STT_GNU_IFUNC {
			return nil, fmt.Errorf("ld: symbol %s is of type %s", s.Name, made.typ)
		}
		o.symbols = append(o.symbols, made)
	}
	for _, s := range f.Sections {
		if s.Type == elf.SHT_RELA && int(s.Info) < len(numbers) && numbers[s.Info] >= 0 {
			if err := o.readRelocs(o.sections[numbers[s.Info]], s); err != nil {
				return nil, err
			}
		}
	}
	for i := range o.symbols { // what nothing refers to
		if o.symbols[i].section == dropped {
			o.symbols[i] = symbol{section: absolute}
		}
	}
	return o, nil
}

// keeps reports whether a section is one of those that are loaded.
func keeps(s *elf.Section) (bool, error) {
	switch {
	case s.Type == elf.SHT_REL, s.Type == elf.SHT_GROUP, s.Type == elf.SHT_SYMTAB_SHNDX:
		return false, fmt.Errorf("ld: section %s is of type %s", s.Name, s.Type)
	case s.Flags&elf.SHF_ALLOC == 0, s.Name == ".eh_frame", s.Type == elf.SHT_NOTE:
		return false, nil
	case s.Type == elf.SHT_INIT_ARRAY, s.Type == elf.SHT_FINI_ARRAY, s.Type == elf.SHT_PREINIT_ARRAY,
		strings.HasPrefix(s.Name, ".ctors"), strings.HasPrefix(s.Name, ".dtors"):
		return false, fmt.Errorf("ld: section %s: constructors are not run", s.Name)
	case s.Type != elf.SHT_PROGBITS && s.Type != elf.SHT_NOBITS:
		return false, fmt.Errorf("ld: section %s is of type %s", s.Name, s.Type)
	case s.Type == elf.SHT_NOBITS && s.Flags&(elf.SHF_WRITE|elf.SHF_EXECINSTR) != elf.SHF_WRITE:
		return false, fmt.Errorf("ld: section %s has zeros that are no variables", s.Name)
	case s.Flags&elf.SHF_TLS != 0:
		return false, fmt.Errorf("ld: section %s has thread-local variables", s.Name)
	case s.Size > math.MaxInt32:
		return false, fmt.Errorf("ld: section %s has %d bytes: code reaches 2 GB", s.Name, s.Size)
	case s.Addralign > pageBytes || s.Addralign&(s.Addralign-1) != 0:
		return false, fmt.Errorf("ld: section %s is aligned to %d: powers of two up to %d can be", s.Name, s.Addralign,
			pageBytes)
	}
	return true, nil
}

func (o *Object) readRelocs(to *section, from *elf.Section) error {
	data, err := from.Data()
	if err != nil {
		return fmt.Errorf("ld: section %s: %w", from.Name, err)
	}
	for ; len(data) >= relaBytes; data = data[relaBytes:] {
		info := le.Uint64(data[8:])
		r := reloc{le.Uint64(data), elf.R_X86_64(elf.R_TYPE64(info)), int(elf.R_SYM64(info)), int64(le.Uint64(data[16:]))}
		switch {
		case r.symbol >= len(o.symbols):
			return fmt.Errorf("ld: section %s refers to symbol %d of %d", to.name, r.symbol, len(o.symbols))
		case o.symbols[r.symbol].section == dropped:
			return fmt.Errorf("ld: section %s refers to %s, which is not loaded", to.name, o.symbols[r.symbol].name)
		case r.at > to.size || to.size-r.at < width(r.kind) || to.data == nil:
			return fmt.Errorf("ld: section %s: a relocation %s outside of it", to.name, r.kind)
		}
		to.relocs = append(to.relocs, r)
	}
	return nil
}

// width returns how many bytes a relocation writes.
func width(kind elf.R_X86_64) uint64 {
	switch kind {
	case elf.R_X86_64_64, elf.R_X86_64_PC64:
		return 8
	}
	return 4
}

// Data returns an object that holds data, read only, at a symbol that other objects of the same library see.
func Data(name string, data []byte, align int) *Object {
	return &Object{
		sections: []*section{{name: ".rodata", typ: elf.SHT_PROGBITS, flags: elf.SHF_ALLOC, align: uint64(align),
			size: uint64(len(data)), data: data}},
		symbols: []symbol{{section: absolute}, {name: name, bind: elf.STB_GLOBAL, typ: elf.STT_OBJECT, vis: elf.STV_HIDDEN,
			size: uint64(len(data))}},
	}
}

// Rename gives the symbols of an object other names.
func (o *Object) Rename(name func(string) string) {
	for i := range o.symbols {
		if s := &o.symbols[i]; s.name != "" {
			s.name = name(s.name)
		}
	}
}

// Hide makes definitions local, except those that are kept: they are seen in the object only.
func (o *Object) Hide(keep func(name string) bool) {
	for i := range o.symbols {
		if s := &o.symbols[i]; s.section != undefined && s.bind != elf.STB_LOCAL && !keep(s.name) {
			s.bind, s.vis = elf.STB_LOCAL, elf.STV_DEFAULT
		}
	}
}

// Join makes one object of several. Sections of one name and kind follow each other. It is an error if a symbol is
// defined twice.
func Join(objects ...*Object) (*Object, error) {
	all := &Object{symbols: []symbol{{section: absolute}}}
	globals := map[string]int{}
	whole := map[int]int{} // symbols of sections
	for _, o := range objects {
		number, offset := make([]int, len(o.sections)), make([]uint64, len(o.sections))
		for i, s := range o.sections {
			number[i], offset[i] = all.place(s)
		}
		symbols := make([]int, len(o.symbols))
		for i, s := range o.symbols[1:] {
			if s.section >= 0 {
				s.value += offset[s.section]
				s.section = number[s.section]
			}
			at, ok := globals[s.name]
			switch {
			case s.name == "" && s.typ != elf.STT_SECTION:
			case s.typ == elf.STT_SECTION:
				if at, ok = whole[s.section]; !ok {
					at = len(all.symbols)
					whole[s.section] = at
					all.symbols = append(all.symbols, symbol{typ: s.typ, section: s.section})
				}
			case s.bind == elf.STB_LOCAL, !ok:
				at = len(all.symbols)
				all.symbols = append(all.symbols, s)
				if s.bind != elf.STB_LOCAL {
					globals[s.name] = at
				}
			default:
				if err := all.symbols[at].meet(s); err != nil {
					return nil, err
				}
			}
			symbols[i+1] = at
		}
		for i, s := range o.sections {
			to := all.sections[number[i]]
			for _, r := range s.relocs {
				if from := o.symbols[r.symbol]; from.typ == elf.STT_SECTION {
					r.addend += int64(offset[from.section])
				}
				r.at += offset[i]
				r.symbol = symbols[r.symbol]
				to.relocs = append(to.relocs, r)
			}
		}
	}
	return all, nil
}

// place appends a section to that of its name and kind. It returns its number, and where in it the new part is.
func (o *Object) place(s *section) (number int, offset uint64) {
	i := slices.IndexFunc(o.sections, func(old *section) bool {
		return old.name == s.name && old.typ == s.typ && old.flags == s.flags && old.entsize == s.entsize
	})
	if i < 0 {
		i = len(o.sections)
		o.sections = append(o.sections, &section{name: s.name, typ: s.typ, flags: s.flags, entsize: s.entsize})
	}
	to := o.sections[i]
	to.align = max(to.align, s.align)
	offset = up(to.size, s.align)
	to.size = offset + s.size
	if s.typ == elf.SHT_PROGBITS {
		to.data = append(append(to.data, make([]byte, offset-uint64(len(to.data)))...), s.data...)
	}
	return i, offset
}

// meet makes one of two symbols of a name.
func (s *symbol) meet(o symbol) error {
	s.vis = stricter(s.vis, o.vis)
	switch {
	case o.section == undefined && s.section == undefined:
		s.bind = min(s.bind, o.bind) // global, if one of them is
	case o.section == undefined, o.bind == elf.STB_WEAK && s.section != undefined:
	case s.section != undefined && s.bind != elf.STB_WEAK:
		return fmt.Errorf("ld: symbol %s is defined twice", s.name)
	default:
		vis := s.vis
		*s = o
		s.vis = vis
	}
	return nil
}

// stricter returns which of two visibilities shows a symbol to fewer.
func stricter(a, b elf.SymVis) elf.SymVis {
	if a == elf.STV_DEFAULT || b != elf.STV_DEFAULT && b < a {
		return b
	}
	return a
}

func up(n, align uint64) uint64 { return (n + align - 1) / align * align }
