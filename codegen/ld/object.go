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

// An Object is a relocatable object. Symbol 0 is none.
type Object struct {
	Machine  elf.Machine
	Sections []*Section
	Symbols  []Symbol
}

// A Section is a part of an object that is loaded.
type Section struct {
	Name    string
	Type    elf.SectionType // SHT_PROGBITS or SHT_NOBITS
	Flags   elf.SectionFlag
	Align   uint64
	EntSize uint64
	Size    uint64
	Data    []byte // nil of SHT_NOBITS
	Relocs  []Reloc
}

// A Symbol names a place. That of a section has the section's type and no name.
type Symbol struct {
	Name    string
	Bind    elf.SymBind
	Type    elf.SymType
	Vis     elf.SymVis
	Section int // its number, undefined or absolute
	Value   uint64
	Size    uint64
}

// What a symbol has in place of a section's number: it is defined elsewhere, or is a number.
const (
	Undefined = -1
	Absolute  = -2
	dropped   = -3 // while an object is read
)

// A Reloc says what to write at a place in a section (AMD64 supplement, table 4.10).
type Reloc struct {
	At     uint64
	Kind   elf.R_X86_64 // or a number of elf.R_AARCH64, if that is the object's machine
	Symbol int
	Addend int64
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
	if f.Type != elf.ET_REL || f.Machine != elf.EM_X86_64 && f.Machine != elf.EM_AARCH64 || f.Class != elf.ELFCLASS64 {
		return nil, fmt.Errorf("ld: a file of type %s for %s, not an object for x86-64 or aarch64", f.Type, f.Machine)
	}
	o := &Object{Machine: f.Machine}
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
		made := &Section{Name: s.Name, Type: s.Type, Flags: s.Flags, Align: max(s.Addralign, 1), EntSize: s.Entsize,
			Size: s.Size}
		if s.Type == elf.SHT_PROGBITS {
			if s.Offset > uint64(len(data)) || s.Size > uint64(len(data))-s.Offset {
				return nil, fmt.Errorf("ld: section %s is cut off", s.Name)
			}
			made.Data = data[s.Offset:][:s.Size]
		}
		numbers[i] = len(o.Sections)
		o.Sections = append(o.Sections, made)
	}
	list, err := f.Symbols()
	if err != nil && err != elf.ErrNoSymbols {
		return nil, fmt.Errorf("ld: symbols: %w", err)
	}
	o.Symbols = make([]Symbol, 1, len(list)+1) // number 0 is no symbol
	o.Symbols[0] = Symbol{Section: Absolute}
	for _, s := range list {
		made := Symbol{Name: s.Name, Bind: elf.ST_BIND(s.Info), Type: elf.ST_TYPE(s.Info), Vis: elf.ST_VISIBILITY(s.Other),
			Value: s.Value, Size: s.Size}
		switch {
		case s.Section == elf.SHN_UNDEF:
			made.Section = Undefined
		case s.Section == elf.SHN_ABS:
			made.Section = Absolute
		case s.Section == elf.SHN_COMMON: // whose value is its alignment
			if s.Size > math.MaxInt32 || s.Value > pageBytes || s.Value&(s.Value-1) != 0 {
				return nil, fmt.Errorf("ld: symbol %s has %d bytes, aligned to %d", s.Name, s.Size, s.Value)
			}
			made.Section, made.Value = len(o.Sections), 0
			o.Sections = append(o.Sections, &Section{Name: ".bss", Type: elf.SHT_NOBITS, Flags: elf.SHF_ALLOC | elf.SHF_WRITE,
				Align: max(s.Value, 1), Size: s.Size})
		case int(s.Section) < len(numbers):
			made.Section = numbers[s.Section]
		default:
			return nil, fmt.Errorf("ld: symbol %s lies in the section %s", s.Name, s.Section)
		}
		if made.Section >= 0 && made.Value > o.Sections[made.Section].Size || made.Section < 0 && made.Section != dropped &&
			made.Type == elf.STT_SECTION {
			return nil, fmt.Errorf("ld: symbol %s lies in no section", s.Name)
		}
		if made.Type == elf.STT_TLS || made.Type == elf.STT_GNU_IFUNC {
			return nil, fmt.Errorf("ld: symbol %s is of type %s", s.Name, made.Type)
		}
		o.Symbols = append(o.Symbols, made)
	}
	for _, s := range f.Sections {
		if s.Type == elf.SHT_RELA && int(s.Info) < len(numbers) && numbers[s.Info] >= 0 {
			if err := o.readRelocs(o.Sections[numbers[s.Info]], s); err != nil {
				return nil, err
			}
		}
	}
	for i := range o.Symbols { // what nothing refers to
		if o.Symbols[i].Section == dropped {
			o.Symbols[i] = Symbol{Section: Absolute}
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
		return false, fmt.Errorf("ld: section %s: thread-local variables are not supported", s.Name)
	case s.Size > math.MaxInt32:
		return false, fmt.Errorf("ld: section %s has %d bytes: code reaches 2 GB", s.Name, s.Size)
	case s.Addralign > pageBytes || s.Addralign&(s.Addralign-1) != 0:
		return false, fmt.Errorf("ld: section %s is aligned to %d: powers of two up to %d can be", s.Name, s.Addralign,
			pageBytes)
	}
	return true, nil
}

func (o *Object) readRelocs(to *Section, from *elf.Section) error {
	data, err := from.Data()
	if err != nil {
		return fmt.Errorf("ld: section %s: %w", from.Name, err)
	}
	for ; len(data) >= relaBytes; data = data[relaBytes:] {
		info := le.Uint64(data[8:])
		r := Reloc{le.Uint64(data), elf.R_X86_64(elf.R_TYPE64(info)), int(elf.R_SYM64(info)), int64(le.Uint64(data[16:]))}
		switch {
		case r.Symbol >= len(o.Symbols):
			return fmt.Errorf("ld: section %s refers to symbol %d of %d", to.Name, r.Symbol, len(o.Symbols))
		case o.Symbols[r.Symbol].Section == dropped:
			return fmt.Errorf("ld: section %s refers to %s, which is not loaded", to.Name, o.Symbols[r.Symbol].Name)
		case r.At > to.Size || to.Size-r.At < o.width(r.Kind) || to.Data == nil:
			return fmt.Errorf("ld: section %s: a relocation %s outside of it", to.Name, o.kind(r))
		}
		to.Relocs = append(to.Relocs, r)
	}
	return nil
}

// width returns how many bytes a relocation writes.
func (o *Object) width(kind elf.R_X86_64) uint64 {
	if o.Machine == elf.EM_AARCH64 {
		return armWidth(elf.R_AARCH64(kind))
	}
	switch kind {
	case elf.R_X86_64_64, elf.R_X86_64_PC64:
		return 8
	}
	return 4
}

// Data returns an object that holds data, read only, at a symbol that other objects of the same library see.
func Data(name string, data []byte, align int) *Object {
	return &Object{
		Sections: []*Section{{Name: ".rodata." + name, Type: elf.SHT_PROGBITS, Flags: elf.SHF_ALLOC, Align: uint64(align),
			Size: uint64(len(data)), Data: data}},
		Symbols: []Symbol{{Section: Absolute}, {Name: name, Bind: elf.STB_GLOBAL, Type: elf.STT_OBJECT, Vis: elf.STV_HIDDEN,
			Size: uint64(len(data))}},
	}
}

// Rename gives the symbols of an object other names.
func (o *Object) Rename(name func(string) string) {
	for i := range o.Symbols {
		if s := &o.Symbols[i]; s.Name != "" {
			s.Name = name(s.Name)
		}
	}
}

// Hide makes definitions local, except those that are kept: they are seen in the object only.
func (o *Object) Hide(keep func(name string) bool) {
	for i := range o.Symbols {
		if s := &o.Symbols[i]; s.Section != Undefined && s.Bind != elf.STB_LOCAL && !keep(s.Name) {
			s.Bind, s.Vis = elf.STB_LOCAL, elf.STV_DEFAULT
		}
	}
}

// Join makes one object of several. Sections of one name and kind follow each other. It is an error if a symbol is
// defined twice.
func Join(objects ...*Object) (*Object, error) {
	all := &Object{Machine: elf.EM_X86_64, Symbols: []Symbol{{Section: Absolute}}}
	globals := map[string]int{}
	whole := map[int]int{} // symbols of sections
	for _, o := range objects {
		if o.Machine != 0 { // what Data makes is for any
			all.Machine = o.Machine
		}
		number, offset := make([]int, len(o.Sections)), make([]uint64, len(o.Sections))
		for i, s := range o.Sections {
			number[i], offset[i] = all.place(s)
		}
		symbols := make([]int, len(o.Symbols))
		for i, s := range o.Symbols[1:] {
			if s.Section >= 0 {
				s.Value += offset[s.Section]
				s.Section = number[s.Section]
			}
			at, ok := globals[s.Name]
			switch {
			case s.Name == "" && s.Type != elf.STT_SECTION:
			case s.Type == elf.STT_SECTION:
				if at, ok = whole[s.Section]; !ok {
					at = len(all.Symbols)
					whole[s.Section] = at
					all.Symbols = append(all.Symbols, Symbol{Type: s.Type, Section: s.Section})
				}
			case s.Bind == elf.STB_LOCAL, !ok:
				at = len(all.Symbols)
				all.Symbols = append(all.Symbols, s)
				if s.Bind != elf.STB_LOCAL {
					globals[s.Name] = at
				}
			default:
				if err := all.Symbols[at].meet(s); err != nil {
					return nil, err
				}
			}
			symbols[i+1] = at
		}
		for i, s := range o.Sections {
			to := all.Sections[number[i]]
			for _, r := range s.Relocs {
				if from := o.Symbols[r.Symbol]; from.Type == elf.STT_SECTION {
					r.Addend += int64(offset[from.Section])
				}
				r.At += offset[i]
				r.Symbol = symbols[r.Symbol]
				to.Relocs = append(to.Relocs, r)
			}
		}
	}
	return all, nil
}

// place appends a section to that of its name and kind. It returns its number, and where in it the new part is.
func (o *Object) place(s *Section) (number int, offset uint64) {
	i := slices.IndexFunc(o.Sections, func(old *Section) bool {
		return old.Name == s.Name && old.Type == s.Type && old.Flags == s.Flags && old.EntSize == s.EntSize
	})
	if i < 0 {
		i = len(o.Sections)
		o.Sections = append(o.Sections, &Section{Name: s.Name, Type: s.Type, Flags: s.Flags, EntSize: s.EntSize})
	}
	to := o.Sections[i]
	to.Align = max(to.Align, s.Align)
	offset = up(to.Size, s.Align)
	to.Size = offset + s.Size
	switch {
	case s.Type == elf.SHT_NOBITS:
	case offset == 0: // weights are not copied
		to.Data = slices.Clip(s.Data)
	default:
		to.Data = append(append(to.Data, make([]byte, offset-uint64(len(to.Data)))...), s.Data...)
	}
	return i, offset
}

// meet makes one of two symbols of a name.
func (s *Symbol) meet(o Symbol) error {
	s.Vis = stricter(s.Vis, o.Vis)
	switch {
	case o.Section == Undefined && s.Section == Undefined:
		s.Bind = min(s.Bind, o.Bind) // global, if one of them is
	case o.Section == Undefined, o.Bind == elf.STB_WEAK && s.Section != Undefined:
	case s.Section != Undefined && s.Bind != elf.STB_WEAK:
		return fmt.Errorf("ld: symbol %s is defined twice", s.Name)
	default:
		vis := s.Vis
		*s = o
		s.Vis = vis
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
