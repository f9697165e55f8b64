// Package link places relocatable ELF objects in executable memory of this
// process: a linker and loader in a tenth of a millisecond, where a system linker
// takes five and needs a file. What objects are made of is codegen/ld's.
//
// It must not know what the objects compute, or who made them.
package link

import (
	"debug/elf"
	"fmt"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/wmtune/wmtune/codegen/ld"
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

// machines are those of Go's architectures.
var machines = map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64}

// Link places relocatable ELF objects of this machine in memory, resolves the
// symbols between them, asks external for the others, relocates, and makes the
// code executable, not writable. It is an error if a symbol is unknown, a
// relocation is of a kind that position-independent code does not need, or an
// object has what codegen/ld rejects; the error names it.
func Link(external Resolver, objects ...[]byte) (*Image, error) {
	list := make([]*ld.Object, len(objects))
	for i, data := range objects {
		var err error
		if list[i], err = ld.Read(data); err != nil {
			return nil, fmt.Errorf("object %d: %w", i, err)
		}
		if m := list[i].Machine; m != machines[runtime.GOARCH] {
			return nil, fmt.Errorf("object %d: code for %s cannot run in a process for %s", i, m, runtime.GOARCH)
		}
	}
	all, err := ld.Join(list...)
	if err != nil {
		return nil, err
	}
	l := &linker{external: external, object: all, offsets: make([]uint64, len(all.Sections))}
	if err := l.place(); err != nil {
		return nil, err
	}
	if err := l.relocate(); err != nil {
		unix.Munmap(l.mem)
		return nil, err
	}
	if err := l.protect(); err != nil {
		unix.Munmap(l.mem)
		return nil, err
	}
	m := &Image{mem: l.mem, symbols: map[string]uintptr{}}
	for _, s := range all.Symbols {
		if s.Bind != elf.STB_LOCAL && s.Section != ld.Undefined {
			m.symbols[s.Name] = l.address(s)
		}
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

func segmentOf(s *ld.Section) segment {
	switch {
	case s.Flags&elf.SHF_EXECINSTR != 0:
		return code
	case s.Flags&elf.SHF_WRITE != 0:
		return variables
	}
	return constants
}

type linker struct {
	external Resolver
	object   *ld.Object
	offsets  []uint64 // of sections, in mem
	mem      []byte
	ends     [segments]uint64 // offsets in mem; each segment starts where the one before ends

	// Linkage table: a slot of 8 bytes holds the address of a symbol that is
	// reached through memory; a stub jumps there, for calls of functions farther
	// away than a displacement.
	slots    map[int]uint64 // offset of the slot, by symbol
	stubs    map[int]uint64 // offset of the stub
	nextSlot uint64
	nextStub uint64
}

const stubBytes, slotBytes = 16, 8 // a stub of x86-64 takes half of that

// place gives every section its offset, maps the memory and copies the
// contents.
func (l *linker) place() error {
	var slots uint64
	for _, s := range l.object.Sections {
		slots += uint64(len(s.Relocs))
	}
	var at uint64
	for seg := code; seg < segments; seg++ {
		switch seg {
		case code:
			at += uint64(len(l.object.Symbols)) * stubBytes
		case constants:
			l.nextSlot = at
			at += slots * slotBytes
		}
		for i, s := range l.object.Sections {
			if segmentOf(s) == seg {
				at = alignUp(at, s.Align)
				l.offsets[i] = at
				at += s.Size
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
	for i, s := range l.object.Sections {
		copy(mem[l.offsets[i]:], s.Data)
	}
	l.slots, l.stubs = map[int]uint64{}, map[int]uint64{}
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
func (l *linker) address(s ld.Symbol) uintptr {
	if s.Section == ld.Absolute {
		return uintptr(s.Value)
	}
	return l.at(l.offsets[s.Section] + s.Value)
}

func addressOf(b []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }

const pageBytes = 4096

func alignUp(n, align uint64) uint64 { return (n + align - 1) / align * align }
