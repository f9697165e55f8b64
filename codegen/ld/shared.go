package ld

import (
	"debug/elf"
	"fmt"
	"math"
	"slices"
)

// Options are those of a shared library.
type Options struct {
	Name     string // SONAME
	NoDelete bool   // it is never unloaded
}

const pageBytes = 4096

// The segments of a shared library, which are mapped with different rights.
const (
	tables    = iota // for the loader; only read
	code             // executed
	constants        // only read
	relocated        // only read, once the loader has put addresses into it
	variables
	segments
)

// A shared is a shared library that is being made. Addresses are those from its start. They are places
// in the file, too, but for the zeros at the end.
type shared struct {
	*Object
	opt       Options
	dynamic   []int       // numbers of the symbols that others define or see
	imports   int         // so many of them, the first ones, are defined by others
	slots     []int       // numbers of symbols whose addresses are in slots
	stubs     []int       // numbers of functions that are called by way of their slots
	addresses int         // that the loader has to write
	needs     []need      // libraries
	versions  map[int]int // of imports, by symbol; 1 is any

	out     file
	end     uint64           // of what is mapped
	bounds  [segments][2]int // places in the file: of the first byte, and after the last
	address []uint64         // by section
	number  []int            // in the file, by section
	parts   map[string]part  // that only shared libraries have
	strings table
	relocs  []elf.Rela64
}

// A part is where a section of the loader's is.
type part struct {
	number  int
	address uint64
	size    uint64
}

// Shared makes a shared library. What it needs of the C library gets the newest version that glibc 2.17 has; without
// one it gets the version that this machine's has, as with ld. Functions are found when it is loaded. Its own functions
// call each other directly.
func (o *Object) Shared(opt Options) ([]byte, error) {
	if o.Machine == elf.EM_AARCH64 {
		return o.shared(opt, armSystem(o))
	}
	return o.shared(opt, system())
}

func (o *Object) shared(opt Options, libraries []library) ([]byte, error) {
	l := &shared{Object: o, opt: opt, versions: map[int]int{}, address: make([]uint64, len(o.Sections)),
		number: make([]int, len(o.Sections)), parts: map[string]part{}}
	l.out.machine = o.Machine
	if err := l.collect(); err != nil {
		return nil, err
	}
	l.resolve(libraries)
	l.place()
	for i, s := range l.Sections {
		for _, r := range s.Relocs {
			if err := l.apply(l.address[i], s, r); err != nil {
				return nil, err
			}
		}
	}
	l.fillSlots()
	l.fillTables()
	l.fillPrograms()
	l.addSymbols()
	return l.out.finish(elf.ET_DYN, l.programs()), nil
}

// collect finds out which symbols others define or see, and which need a slot or a stub.
func (l *shared) collect() error {
	referred := make([]bool, len(l.Symbols))
	for _, s := range l.Sections {
		for _, r := range s.Relocs {
			referred[r.Symbol] = true
			if to := l.Symbols[r.Symbol]; to.Section == Undefined && to.Vis != elf.STV_DEFAULT {
				return fmt.Errorf("ld: the hidden symbol %s is defined in no object", to.Name)
			}
			if err := l.need(s, r); err != nil {
				return err
			}
		}
	}
	for i, s := range l.Symbols {
		if s.Section == Undefined && referred[i] {
			l.dynamic = append(l.dynamic, i)
		}
	}
	l.imports = len(l.dynamic)
	for i, s := range l.Symbols {
		if s.Section != Undefined && s.Bind != elf.STB_LOCAL && (s.Vis == elf.STV_DEFAULT || s.Vis == elf.STV_PROTECTED) {
			l.dynamic = append(l.dynamic, i)
		}
	}
	for _, i := range l.slots {
		if l.Symbols[i].Section != Absolute {
			l.addresses++
		}
	}
	return nil
}

// need notes what a relocation needs. It is an error if code or constants would have to be changed by the loader.
func (l *shared) need(in *Section, r Reloc) error {
	s := l.Symbols[r.Symbol]
	if l.Machine == elf.EM_AARCH64 {
		r.Kind = armLike(elf.R_AARCH64(r.Kind))
	}
	switch r.Kind {
	case elf.R_X86_64_NONE:
	case elf.R_X86_64_PLT32:
		switch s.Section {
		case Undefined:
			l.slots, l.stubs = with(l.slots, r.Symbol), with(l.stubs, r.Symbol)
		case Absolute:
			return fmt.Errorf("ld: a call of the absolute symbol %s", s.Name)
		}
	case elf.R_X86_64_GOTPCREL, elf.R_X86_64_GOTPCRELX, elf.R_X86_64_REX_GOTPCRELX:
		l.slots = with(l.slots, r.Symbol)
	case elf.R_X86_64_64:
		if s.Section != Absolute {
			if in.Flags&elf.SHF_WRITE == 0 {
				return fmt.Errorf("ld: section %s has an address of %s, and is not written to", in.Name, l.nameOf(r.Symbol))
			}
			l.addresses++
		}
	case elf.R_X86_64_PC32, elf.R_X86_64_PC64:
		if s.Section < 0 {
			return fmt.Errorf("ld: relocation %s against %s: compile with position-independent code", l.kind(r),
				l.nameOf(r.Symbol))
		}
	default:
		return fmt.Errorf("ld: relocation %s against %s is not supported", l.kind(r), l.nameOf(r.Symbol))
	}
	return nil
}

func with(list []int, n int) []int {
	if slices.Contains(list, n) {
		return list
	}
	return append(list, n)
}

func (l *shared) nameOf(symbol int) string {
	s := l.Symbols[symbol]
	if s.Type == elf.STT_SECTION && s.Section >= 0 {
		return l.Sections[s.Section].Name
	}
	return s.Name
}

// segmentOf returns the segment of a section.
func segmentOf(s *Section) int {
	switch {
	case s.Flags&elf.SHF_EXECINSTR != 0:
		return code
	case s.Flags&elf.SHF_WRITE == 0:
		return constants
	case s.Type == elf.SHT_PROGBITS && len(s.Name) >= 12 && s.Name[:12] == ".data.rel.ro":
		return relocated
	}
	return variables
}

// place gives everything its address, and copies the sections' contents. The loader's tables are zeros for now.
func (l *shared) place() {
	size := segments * int(l.page()) // and whatever symbols need
	for _, s := range l.Sections {
		size += len(s.Data) + int(s.Align)
	}
	l.out.data = make([]byte, headerBytes+l.programs()*programBytes, size+size/8)
	l.tables()
	l.bounds[tables] = [2]int{0, len(l.out.data)}
	for segment := code; segment < segments; segment++ {
		l.out.pad(l.page())
		start := len(l.out.data)
		if segment == code && len(l.stubs) > 0 {
			l.part(".plt", elf.SectionHeader{Type: elf.SHT_PROGBITS, Flags: elf.SHF_ALLOC | elf.SHF_EXECINSTR, Addralign: 16,
				Entsize: uint64(l.stubBytes())}, len(l.stubs)*l.stubBytes())
		}
		for _, typ := range []elf.SectionType{elf.SHT_PROGBITS, elf.SHT_NOBITS} { // zeros come last
			for i, s := range l.Sections {
				if s.Type == typ && segmentOf(s) == segment {
					l.address[i], l.number[i] = l.add(s.Name, elf.SectionHeader{Type: typ, Flags: s.Flags, Addralign: s.Align,
						Entsize: s.EntSize, Size: s.Size}, s.Data)
				}
			}
		}
		if segment == relocated {
			l.dynamicParts()
			l.out.pad(l.page()) // whose last page is not written to, either
		}
		l.bounds[segment] = [2]int{start, len(l.out.data)}
		l.end = max(l.end, uint64(len(l.out.data)))
	}
}

// add appends a section that is mapped.
func (l *shared) add(name string, h elf.SectionHeader, content []byte) (address uint64, number int) {
	h.Addr = up(max(l.end, uint64(len(l.out.data))), h.Addralign)
	number = l.out.add(header{name, h}, content)
	if h.Type == elf.SHT_NOBITS {
		l.end = h.Addr + h.Size
	}
	return h.Addr, number
}

// part appends a section of zeros for the loader.
func (l *shared) part(name string, h elf.SectionHeader, size int) {
	address, number := l.add(name, h, make([]byte, size))
	l.parts[name] = part{number, address, uint64(size)}
}

// valueOf returns the address of a symbol that the library defines.
func (l *shared) valueOf(symbol int) uint64 {
	s := l.Symbols[symbol]
	if s.Section == Absolute {
		return s.Value
	}
	return l.address[s.Section] + s.Value
}

// apply carries out a relocation (AMD64 supplement, table 4.10: S, A and P are its names).
func (l *shared) apply(start uint64, in *Section, r Reloc) error {
	p := start + r.At
	place := l.out.data[p:]
	target := l.Symbols[r.Symbol]
	var value int64 // S + A, or G + GOT + A
	kind := r.Kind
	if l.Machine == elf.EM_AARCH64 {
		kind = armLike(elf.R_AARCH64(r.Kind))
	}
	switch kind {
	case elf.R_X86_64_NONE:
		return nil
	case elf.R_X86_64_64:
		switch target.Section {
		case Undefined:
			l.loader(p, l.dynamicKind(elf.R_X86_64_64), slices.Index(l.dynamic, r.Symbol)+1, r.Addend)
		case Absolute:
			le.PutUint64(place, target.Value+uint64(r.Addend))
		default:
			l.loader(p, l.dynamicKind(elf.R_X86_64_RELATIVE), 0, int64(l.valueOf(r.Symbol))+r.Addend)
		}
		return nil
	case elf.R_X86_64_GOTPCREL, elf.R_X86_64_GOTPCRELX, elf.R_X86_64_REX_GOTPCRELX:
		value = int64(l.slot(r.Symbol)) + r.Addend
	default:
		if target.Section == Undefined {
			value = int64(l.parts[".plt"].address) + int64(slices.Index(l.stubs, r.Symbol)*l.stubBytes()) + r.Addend
		} else {
			value = int64(l.valueOf(r.Symbol)) + r.Addend
		}
	}
	if l.Machine == elf.EM_AARCH64 {
		if !PatchArm(place, elf.R_AARCH64(r.Kind), value, int64(p)) {
			return fmt.Errorf("ld: section %s: %s is too far away", in.Name, l.nameOf(r.Symbol))
		}
		return nil
	}
	value -= int64(p)
	if r.Kind == elf.R_X86_64_PC64 {
		le.PutUint64(place, uint64(value))
		return nil
	}
	if value < math.MinInt32 || value > math.MaxInt32 {
		return fmt.Errorf("ld: section %s: %s is too far away", in.Name, l.nameOf(r.Symbol))
	}
	le.PutUint32(place, uint32(value))
	return nil
}

// slot returns the address of a symbol's slot.
func (l *shared) slot(symbol int) uint64 {
	return l.parts[".got"].address + uint64(slices.Index(l.slots, symbol)*slotBytes)
}

// loader has the loader write an address.
func (l *shared) loader(at uint64, kind elf.R_X86_64, symbol int, addend int64) {
	l.relocs = append(l.relocs, elf.Rela64{Off: at, Info: elf.R_INFO(uint32(symbol), uint32(kind)), Addend: addend})
}

// fillSlots writes what is in slots, and the stubs that jump there.
func (l *shared) fillSlots() {
	for _, i := range l.slots {
		switch l.Symbols[i].Section {
		case Undefined:
			l.loader(l.slot(i), l.dynamicKind(elf.R_X86_64_GLOB_DAT), slices.Index(l.dynamic, i)+1, 0)
		case Absolute:
			le.PutUint64(l.out.data[l.slot(i):], l.Symbols[i].Value)
		default:
			l.loader(l.slot(i), l.dynamicKind(elf.R_X86_64_RELATIVE), 0, int64(l.valueOf(i)))
		}
	}
	for k, i := range l.stubs {
		at := l.parts[".plt"].address + uint64(k*l.stubBytes())
		stub := l.out.data[at:][:l.stubBytes()]
		if l.Machine == elf.EM_AARCH64 {
			ArmStub(stub, l.slot(i), at)
			continue
		}
		copy(stub, "\xff\x25\x00\x00\x00\x00\x66\x90") // jmp *slot(%rip); a nop of two bytes
		le.PutUint32(stub[2:], uint32(l.slot(i)-at-6))
	}
}

// addSymbols appends the table of all symbols, for people who look for the names of functions.
func (l *shared) addSymbols() {
	var names table
	named := []Symbol{l.Symbols[0]}
	for _, s := range l.Symbols[1:] {
		if s.Name != "" {
			named = append(named, s)
		}
	}
	data, locals, _ := encode(named, &names, func(section int) int { return l.number[section] },
		func(section int) uint64 { return l.address[section] })
	n := l.out.add(header{".symtab", elf.SectionHeader{Type: elf.SHT_SYMTAB, Addralign: 8, Entsize: symbolBytes,
		Info: uint32(locals)}}, data)
	l.out.headers[n-1].Link = uint32(l.out.add(header{".strtab", elf.SectionHeader{Type: elf.SHT_STRTAB, Addralign: 1}},
		names.data()))
}
