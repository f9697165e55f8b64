package ld

import (
	"cmp"
	"debug/elf"
	"slices"
)

// A file is an ELF file that is being written: contents, and the table of sections.
type file struct {
	machine elf.Machine
	data    []byte
	headers []header
}

// A header is an entry of the table of sections.
type header struct {
	name string
	elf.SectionHeader
}

// add appends a section's content. Its number is 1 for the first.
func (f *file) add(h header, content []byte) (number int) {
	f.pad(max(h.Addralign, 1))
	h.Offset = uint64(len(f.data))
	if h.Type != elf.SHT_NOBITS {
		h.Size = uint64(len(content))
	}
	f.data = append(f.data, content...)
	f.headers = append(f.headers, h)
	return len(f.headers)
}

// pad appends zeros up to a multiple of align.
func (f *file) pad(align uint64) {
	f.data = append(f.data, make([]byte, up(uint64(len(f.data)), align)-uint64(len(f.data)))...)
}

// finish appends the table of sections, and writes the file's header.
func (f *file) finish(typ elf.Type, programs int) []byte {
	var names table
	for i := range f.headers {
		names.add(f.headers[i].name)
	}
	at := names.add(".shstrtab")
	f.add(header{".shstrtab", elf.SectionHeader{Type: elf.SHT_STRTAB, Addralign: 1}}, names.data())
	f.pad(8)
	start := uint64(len(f.data))
	f.data = append(f.data, make([]byte, headerBytes)...)
	for i, h := range f.headers {
		name := at
		if i < len(f.headers)-1 {
			name = names.add(h.name)
		}
		e := le.AppendUint32(nil, name)
		e = le.AppendUint32(e, uint32(h.Type))
		for _, v := range []uint64{uint64(h.Flags), h.Addr, h.Offset, h.Size} {
			e = le.AppendUint64(e, v)
		}
		e = le.AppendUint32(e, h.Link)
		e = le.AppendUint32(e, h.Info)
		e = le.AppendUint64(e, h.Addralign)
		f.data = append(f.data, le.AppendUint64(e, h.Entsize)...)
	}
	copy(f.data, elf.ELFMAG)
	f.data[elf.EI_CLASS], f.data[elf.EI_DATA], f.data[elf.EI_VERSION] = byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), 1
	put16 := func(at int, v int) { le.PutUint16(f.data[at:], uint16(v)) }
	put16(16, int(typ))
	put16(18, int(f.machine))
	le.PutUint32(f.data[20:], 1) // version
	if programs > 0 {
		le.PutUint64(f.data[32:], headerBytes)
		put16(54, programBytes)
		put16(56, programs)
	}
	le.PutUint64(f.data[40:], start)
	put16(52, headerBytes) // of this header
	put16(58, headerBytes) // of a section's
	put16(60, len(f.headers)+1)
	put16(62, len(f.headers)) // the names of sections are in the last one
	return f.data
}

// A table is a table of strings.
type table struct {
	text []byte
	at   map[string]uint32
}

func (t *table) add(s string) uint32 {
	if t.at == nil {
		t.text, t.at = []byte{0}, map[string]uint32{"": 0}
	}
	at, ok := t.at[s]
	if !ok {
		at = uint32(len(t.text))
		t.at[s] = at
		t.text = append(append(t.text, s...), 0)
	}
	return at
}

func (t *table) data() []byte {
	t.add("")
	return t.text
}

// encode returns symbols as they are in files, local ones first as ELF wants it: the table, how many are local,
// and the new number of each. number is a section's number in the file, and start what its symbols' values begin at.
func encode(symbols []Symbol, names *table, number func(section int) int, start func(section int) uint64,
) (data []byte, locals int, numbers []int) {
	order := make([]int, len(symbols))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(min(symbols[a].Bind, elf.STB_GLOBAL), min(symbols[b].Bind, elf.STB_GLOBAL))
	})
	numbers = make([]int, len(symbols))
	for to, from := range order {
		s := symbols[from]
		numbers[from] = to
		if s.Bind == elf.STB_LOCAL {
			locals++
		}
		in, value := elf.SHN_UNDEF, uint64(0)
		switch {
		case from == 0 || s.Section == Undefined:
		case s.Section == Absolute:
			in, value = elf.SHN_ABS, s.Value
		default:
			in, value = elf.SectionIndex(number(s.Section)), start(s.Section)+s.Value
		}
		data = le.AppendUint32(data, names.add(s.Name))
		data = append(data, byte(elf.ST_INFO(s.Bind, s.Type)), byte(s.Vis))
		data = le.AppendUint16(data, uint16(in))
		data = le.AppendUint64(le.AppendUint64(data, value), s.Size)
	}
	return data, locals, numbers
}

// Bytes writes an object.
func (o *Object) Bytes() []byte {
	f := &file{machine: o.Machine, data: make([]byte, headerBytes)}
	for _, s := range o.Sections {
		f.add(header{s.Name, elf.SectionHeader{Type: s.Type, Flags: s.Flags, Addralign: s.Align, Entsize: s.EntSize,
			Size: s.Size}}, s.Data)
	}
	f.add(header{".note.GNU-stack", elf.SectionHeader{Type: elf.SHT_PROGBITS, Addralign: 1}}, nil)
	var names table
	symbols, locals, numbers := encode(o.Symbols, &names, func(section int) int { return section + 1 },
		func(int) uint64 { return 0 })
	for i, s := range o.Sections {
		if len(s.Relocs) == 0 {
			continue
		}
		var list []byte
		for _, r := range s.Relocs {
			list = le.AppendUint64(list, r.At)
			list = le.AppendUint64(list, elf.R_INFO(uint32(numbers[r.Symbol]), uint32(r.Kind)))
			list = le.AppendUint64(list, uint64(r.Addend))
		}
		f.add(header{".rela" + s.Name, elf.SectionHeader{Type: elf.SHT_RELA, Flags: elf.SHF_INFO_LINK, Addralign: 8,
			Entsize: relaBytes, Info: uint32(i + 1)}}, list)
	}
	table := f.add(header{".symtab", elf.SectionHeader{Type: elf.SHT_SYMTAB, Addralign: 8, Entsize: symbolBytes,
		Info: uint32(locals)}}, symbols)
	f.headers[table-1].Link = uint32(f.add(header{".strtab", elf.SectionHeader{Type: elf.SHT_STRTAB, Addralign: 1}},
		names.data()))
	for i := range f.headers {
		if f.headers[i].Type == elf.SHT_RELA {
			f.headers[i].Link = uint32(table)
		}
	}
	return f.finish(elf.ET_REL, 0)
}
