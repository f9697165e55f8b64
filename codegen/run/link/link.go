// Package link places relocatable ELF objects in executable memory of this
// process: a linker and loader in a tenth of a millisecond, where a system linker
// takes five and needs a file.
//
// It must not know what the objects compute, or who made them.
package link

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"sort"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// An Image is linked machine code in executable memory.
type Image struct {
	mem     []byte
	symbols map[string]uintptr // global symbols that the objects define
}

// Symbol returns the address of a global symbol of the objects.
func (m *Image) Symbol(name string) (uintptr, error) {
	if addr, ok := m.symbols[name]; ok {
		return addr, nil
	}
	return 0, fmt.Errorf("the object does not define the symbol %s", name)
}

// Lookup is Symbol as a Resolver: it returns 0 for an unknown name.
func (m *Image) Lookup(name string) uintptr { return m.symbols[name] }

// Variable returns the memory of a global variable of so many bytes.
func (m *Image) Variable(name string, size int) ([]byte, error) {
	addr, err := m.Symbol(name)
	if err != nil {
		return nil, err
	}
	at := int(addr - addressOf(m.mem))
	if at < 0 || at+size > len(m.mem) {
		return nil, fmt.Errorf("the symbol %s is not a variable of %d bytes", name, size)
	}
	return m.mem[at : at+size : at+size], nil
}

// Close unmaps the image. Code of it must not run any more.
func (m *Image) Close() error { return unix.Munmap(m.mem) }

// A Resolver returns the address of a symbol that no object defines, or 0.
type Resolver func(name string) uintptr

// Link places relocatable ELF objects of this machine in memory, resolves the
// symbols between them, asks external for the others, relocates, and makes the
// code executable, not writable. It is an error if a symbol is unknown, a
// relocation is of a kind that position-independent code does not need, or an
// object has constructors or thread-local variables; the error names it.
func Link(external Resolver, objects ...[]byte) (*Image, error) {
	l := &linker{external: external, globals: map[string]symbolRef{}}
	for i, data := range objects {
		if err := l.read(data); err != nil {
			return nil, fmt.Errorf("object %d: %w", i, err)
		}
	}
	if err := l.place(); err != nil {
		return nil, err
	}
	for _, o := range l.objects {
		if err := l.relocate(o); err != nil {
			unix.Munmap(l.mem)
			return nil, err
		}
	}
	if err := l.protect(); err != nil {
		unix.Munmap(l.mem)
		return nil, err
	}
	m := &Image{mem: l.mem, symbols: map[string]uintptr{}}
	for name, ref := range l.globals {
		m.symbols[name] = l.address(ref)
	}
	return m, nil
}

// The segments of an image: sections of one protection lie together.
type segment int

const (
	code segment = iota
	constants
	variables
	segments
)

// An object is one file being linked.
type object struct {
	sections []section
	symbols  []elf.Symbol // the symbol with number i is symbols[i-1]
	relocs   []relocs
}

// A section is one part of an object. Only those with in set are loaded.
type section struct {
	loaded bool
	in     segment
	data   []byte // nil: zeros
	size   uint64
	align  uint64
	offset uint64 // in the image
}

// relocs are the relocations of one section.
type relocs struct {
	section int
	list    []elf.Rela64
}

// A symbolRef names a defined symbol.
type symbolRef struct {
	object, index int // index is into object.symbols
}

type linker struct {
	external Resolver
	objects  []*object
	globals  map[string]symbolRef
	mem      []byte
	ends     [segments]uint64 // offsets in mem; each segment starts where the one before ends

	// Linkage table: a slot of 8 bytes holds the address of a symbol that is
	// reached through memory; a stub of 8 bytes jumps there, for calls of
	// functions farther away than a 32-bit displacement.
	slots    map[slotKey]uint64 // offset of the slot
	stubs    map[string]uint64  // offset of the stub
	nextSlot uint64
	nextStub uint64
}

type slotKey struct {
	name   string // of a global symbol, or ""
	object *object
	index  uint32
}

const stubBytes, slotBytes = 8, 8

// maxSection bounds a section, so that displacements of 32 bits reach everything.
const maxSection = 256 << 20

// read parses an object and enters its global symbols.
func (l *linker) read(data []byte) error {
	f, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		return fmt.Errorf("not an ELF object: %w", err)
	}
	if f.Type != elf.ET_REL {
		return fmt.Errorf("ELF type %s is not a relocatable object", f.Type)
	}
	if f.Machine != elf.EM_X86_64 {
		return fmt.Errorf("objects for %s cannot be loaded: the relocator knows x86-64 only", f.Machine)
	}
	o := &object{}
	for i, s := range f.Sections {
		sec, err := readSection(s)
		if err != nil {
			return err
		}
		o.sections = append(o.sections, sec)
		if s.Type == elf.SHT_RELA {
			list, err := readRelocs(s)
			if err != nil {
				return err
			}
			o.relocs = append(o.relocs, relocs{int(s.Info), list})
		}
		if s.Type == elf.SHT_REL {
			return fmt.Errorf("section %d (%s): relocations without addends are not of x86-64", i, s.Name)
		}
	}
	o.symbols, err = f.Symbols()
	if err != nil && err != elf.ErrNoSymbols {
		return fmt.Errorf("symbols: %w", err)
	}
	l.objects = append(l.objects, o)
	return l.enter(len(l.objects) - 1)
}

func readSection(s *elf.Section) (section, error) {
	// Unwinding tables are of no use: nothing throws.
	if s.Flags&elf.SHF_ALLOC == 0 || s.Name == ".eh_frame" {
		return section{}, nil
	}
	switch {
	case s.Type == elf.SHT_INIT_ARRAY, s.Type == elf.SHT_FINI_ARRAY, strings.HasPrefix(s.Name, ".ctors"),
		strings.HasPrefix(s.Name, ".dtors"):
		return section{}, fmt.Errorf("section %s: constructors are not run", s.Name)
	case s.Flags&elf.SHF_TLS != 0:
		return section{}, fmt.Errorf("section %s: thread-local variables are not supported", s.Name)
	}
	sec := section{loaded: true, in: constants, size: s.Size, align: max(s.Addralign, 1)}
	if sec.size > maxSection || sec.align > pageBytes || sec.align&(sec.align-1) != 0 {
		return section{}, fmt.Errorf("section %s has %d bytes, aligned to %d", s.Name, sec.size, sec.align)
	}
	switch {
	case s.Flags&elf.SHF_EXECINSTR != 0:
		sec.in = code
	case s.Flags&elf.SHF_WRITE != 0:
		sec.in = variables
	}
	if s.Type != elf.SHT_NOBITS {
		data, err := s.Data()
		if err != nil {
			return section{}, fmt.Errorf("section %s: %w", s.Name, err)
		}
		sec.data, sec.size = data, uint64(len(data))
	}
	return sec, nil
}

func readRelocs(s *elf.Section) ([]elf.Rela64, error) {
	data, err := s.Data()
	if err != nil {
		return nil, fmt.Errorf("section %s: %w", s.Name, err)
	}
	list := make([]elf.Rela64, len(data)/24)
	if err := binary.Read(bytes.NewReader(data), binary.LittleEndian, list); err != nil {
		return nil, fmt.Errorf("section %s: %w", s.Name, err)
	}
	return list, nil
}

// enter puts the global symbols of an object into the table. A strong
// definition replaces a weak one; two strong ones are an error. Common symbols
// become variables of the object.
func (l *linker) enter(number int) error {
	o := l.objects[number]
	for i := range o.symbols {
		s := &o.symbols[i]
		if s.Section == elf.SHN_COMMON { // the value is the alignment
			if s.Size > maxSection || s.Value > pageBytes {
				return fmt.Errorf("symbol %s has %d bytes, aligned to %d", s.Name, s.Size, s.Value)
			}
			o.sections = append(o.sections, section{loaded: true, in: variables, size: s.Size, align: max(s.Value, 1)})
			s.Section, s.Value = elf.SectionIndex(len(o.sections)-1), 0
		}
		bind := elf.ST_BIND(s.Info)
		if s.Section == elf.SHN_UNDEF || bind == elf.STB_LOCAL {
			continue
		}
		if s.Section != elf.SHN_ABS && (int(s.Section) >= len(o.sections) || !o.sections[s.Section].loaded) {
			return fmt.Errorf("symbol %s lies in a section that is not loaded", s.Name)
		}
		old, exists := l.globals[s.Name]
		if exists && bind == elf.STB_WEAK {
			continue
		}
		if exists && elf.ST_BIND(l.objects[old.object].symbols[old.index].Info) != elf.STB_WEAK {
			return fmt.Errorf("symbol %s is defined twice", s.Name)
		}
		l.globals[s.Name] = symbolRef{number, i}
	}
	return nil
}

// place gives every loaded section its offset, maps the memory and copies the
// contents.
func (l *linker) place() error {
	var slots, stubs uint64
	for _, o := range l.objects {
		stubs += uint64(len(o.symbols))
		for _, r := range o.relocs {
			slots += uint64(len(r.list))
		}
	}
	var at uint64
	for seg := code; seg < segments; seg++ {
		switch seg {
		case code:
			at += stubs * stubBytes
		case constants:
			l.nextSlot = at
			at += slots * slotBytes
		}
		for _, o := range l.objects {
			for i := range o.sections {
				s := &o.sections[i]
				if !s.loaded || s.in != seg {
					continue
				}
				at = alignUp(at, s.align)
				s.offset = at
				at += s.size
			}
		}
		at = alignUp(at, pageBytes)
		l.ends[seg] = at
	}
	mem, err := unix.Mmap(-1, 0, int(max(at, pageBytes)), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return fmt.Errorf("memory for %d bytes of code: %w", at, err)
	}
	l.mem = mem
	for _, o := range l.objects {
		for _, s := range o.sections {
			if s.loaded {
				copy(mem[s.offset:], s.data)
			}
		}
	}
	l.slots, l.stubs = map[slotKey]uint64{}, map[string]uint64{}
	return nil
}

// protect takes away the right to write code and constants.
func (l *linker) protect() error {
	rights := [segments]int{code: unix.PROT_READ | unix.PROT_EXEC, constants: unix.PROT_READ,
		variables: unix.PROT_READ | unix.PROT_WRITE}
	var start uint64
	for seg, end := range l.ends {
		if end > start {
			if err := unix.Mprotect(l.mem[start:end], rights[seg]); err != nil {
				return fmt.Errorf("protecting the code: %w", err)
			}
		}
		start = end
	}
	return nil
}

// at returns the address of an offset in the image.
func (l *linker) at(offset uint64) uintptr {
	return addressOf(l.mem) + uintptr(offset)
}

// address returns the address of a defined symbol.
func (l *linker) address(ref symbolRef) uintptr {
	o := l.objects[ref.object]
	s := o.symbols[ref.index]
	if s.Section == elf.SHN_ABS {
		return uintptr(s.Value)
	}
	return l.at(o.sections[s.Section].offset + s.Value)
}

// Undefined returns the names of the symbols that an object needs from
// elsewhere, in order.
func Undefined(data []byte) ([]string, error) {
	l := &linker{globals: map[string]symbolRef{}}
	if err := l.read(data); err != nil {
		return nil, fmt.Errorf("link: %w", err)
	}
	var list []string
	for _, s := range l.objects[0].symbols {
		if s.Section == elf.SHN_UNDEF && s.Name != "" {
			list = append(list, s.Name)
		}
	}
	sort.Strings(list)
	return list, nil
}

func addressOf(b []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }

const pageBytes = 4096

func alignUp(n, align uint64) uint64 { return (n + align - 1) / align * align }
