package model

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

// An object is an ELF relocatable file for x86-64 while it is changed. Offsets are those
// of the file format: 64-byte section headers, 24-byte symbols and relocations.
type object struct {
	data    []byte
	symtab  section
	strtab  section
	symbols []byte // in data
}

// A section is a header in the file.
type section struct{ header []byte }

const (
	headerSize = 64
	symbolSize = 24
	relaSize   = 24
)

var le = binary.LittleEndian

func (s section) typ() elf.SectionType { return elf.SectionType(le.Uint32(s.header[4:])) }
func (s section) offset() uint64       { return le.Uint64(s.header[24:]) }
func (s section) size() uint64         { return le.Uint64(s.header[32:]) }
func (s section) link() uint32         { return le.Uint32(s.header[40:]) }
func (s section) setInfo(v uint32)     { le.PutUint32(s.header[44:], v) }

// openObject copies data and finds the symbols in it.
func openObject(data []byte) (*object, error) {
	if _, err := elf.NewFile(bytes.NewReader(data)); err != nil { // checks the format
		return nil, fmt.Errorf("model: object: %w", err)
	}
	o := &object{data: slices.Clone(data)}
	if elf.Class(data[elf.EI_CLASS]) != elf.ELFCLASS64 || elf.Data(data[elf.EI_DATA]) != elf.ELFDATA2LSB {
		return nil, errors.New("model: object: not ELF of 64 bits, little endian")
	}
	for _, s := range o.sections() {
		if s.typ() == elf.SHT_SYMTAB {
			o.symtab, o.strtab = s, o.sections()[s.link()]
			o.symbols = o.content(s)
			return o, nil
		}
	}
	return nil, errors.New("model: object: it has no symbols")
}

func (o *object) sections() []section {
	at, n := le.Uint64(o.data[40:]), le.Uint16(o.data[60:])
	list := make([]section, n)
	for i := range list {
		list[i] = section{o.data[at+uint64(i)*headerSize:][:headerSize]}
	}
	return list
}

func (o *object) content(s section) []byte { return o.data[s.offset():][:s.size()] }

func (o *object) symbol(i int) []byte { return o.symbols[i*symbolSize:][:symbolSize] }

func (o *object) count() int { return len(o.symbols) / symbolSize }

func (o *object) name(symbol []byte) string {
	text := o.content(o.strtab)[le.Uint32(symbol):]
	return string(text[:bytes.IndexByte(text, 0)])
}

// renameSymbols returns an object whose symbols have the names that rename gives.
func renameSymbols(data []byte, rename func(string) string) ([]byte, error) {
	o, err := openObject(data)
	if err != nil {
		return nil, err
	}
	names := slices.Clone(o.content(o.strtab))
	for i := range o.count() {
		symbol := o.symbol(i)
		old := o.name(symbol)
		name := rename(old)
		if name == old {
			continue
		}
		le.PutUint32(symbol, uint32(len(names)))
		names = append(append(names, name...), 0)
	}
	le.PutUint64(o.strtab.header[24:], uint64(len(o.data)))
	le.PutUint64(o.strtab.header[32:], uint64(len(names)))
	return append(o.data, names...), nil
}

// hideSymbols returns an object whose definitions are seen in it only, except those that
// keep names: they become local, and so come first in the table, as ELF wants it.
func hideSymbols(data []byte, keep func(string) bool) ([]byte, error) {
	o, err := openObject(data)
	if err != nil {
		return nil, err
	}
	var locals, globals []int
	for i := range o.count() {
		symbol := o.symbol(i)
		bind := elf.ST_BIND(symbol[4])
		defined := elf.SectionIndex(le.Uint16(symbol[6:])) != elf.SHN_UNDEF
		if i > 0 && bind != elf.STB_LOCAL && defined && !keep(o.name(symbol)) {
			symbol[4] = byte(elf.ST_INFO(elf.STB_LOCAL, elf.ST_TYPE(symbol[4])))
			symbol[5] = byte(elf.STV_DEFAULT)
			bind = elf.STB_LOCAL
		}
		if bind == elf.STB_LOCAL {
			locals = append(locals, i)
		} else {
			globals = append(globals, i)
		}
	}
	order, place := append(slices.Clone(locals), globals...), make([]uint32, o.count())
	sorted := make([]byte, 0, len(o.symbols))
	for to, from := range order {
		place[from] = uint32(to)
		sorted = append(sorted, o.symbol(from)...)
	}
	copy(o.symbols, sorted)
	o.symtab.setInfo(uint32(len(locals)))
	return o.data, o.renumber(place)
}

// renumber changes the numbers of symbols in relocations.
func (o *object) renumber(place []uint32) error {
	for _, s := range o.sections() {
		switch s.typ() {
		case elf.SHT_RELA:
			list := o.content(s)
			for at := 0; at+relaSize <= len(list); at += relaSize {
				info := le.Uint64(list[at+8:])
				le.PutUint64(list[at+8:], elf.R_INFO(place[elf.R_SYM64(info)], elf.R_TYPE64(info)))
			}
		case elf.SHT_REL, elf.SHT_GROUP, elf.SHT_SYMTAB_SHNDX:
			return fmt.Errorf("model: object: a section of type %s", s.typ())
		}
	}
	return nil
}
