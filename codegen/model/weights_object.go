package model

import "debug/elf"

// dataObject returns an ELF object that holds data, read only, at a symbol that other
// objects of the same library see.
func dataObject(symbol string, data []byte) []byte {
	const shstrtab = "\x00.rodata\x00.symtab\x00.strtab\x00.shstrtab\x00.note.GNU-stack\x00"
	strtab := "\x00" + symbol + "\x00"
	const rodata, symtab, names, sections = 64, 1, 2, 3
	at := []int{rodata, 0, 0, 0}
	at[symtab] = (rodata + len(data) + 7) / 8 * 8
	at[names] = at[symtab] + 2*symbolSize
	at[sections] = at[names] + len(strtab)
	table := (at[sections] + len(shstrtab) + 7) / 8 * 8
	o := make([]byte, table+6*headerSize)

	copy(o, elf.ELFMAG)
	o[elf.EI_CLASS], o[elf.EI_DATA], o[elf.EI_VERSION] = byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), byte(elf.EV_CURRENT)
	le.PutUint16(o[16:], uint16(elf.ET_REL))
	le.PutUint16(o[18:], uint16(elf.EM_X86_64))
	le.PutUint32(o[20:], uint32(elf.EV_CURRENT))
	le.PutUint64(o[40:], uint64(table))
	le.PutUint16(o[52:], headerSize) // of this header
	le.PutUint16(o[58:], headerSize) // of one section's
	le.PutUint16(o[60:], 6)
	le.PutUint16(o[62:], 4) // section names are in the fourth

	copy(o[rodata:], data)
	s := o[at[symtab]+symbolSize:]
	le.PutUint32(s, 1)
	s[4] = byte(elf.ST_INFO(elf.STB_GLOBAL, elf.STT_OBJECT))
	s[5] = byte(elf.STV_HIDDEN)
	le.PutUint16(s[6:], 1)
	le.PutUint64(s[16:], uint64(len(data)))
	copy(o[at[names]:], strtab)
	copy(o[at[sections]:], shstrtab)

	for i, s := range []elf.SectionHeader{{},
		{Type: elf.SHT_PROGBITS, Flags: elf.SHF_ALLOC, Offset: rodata, Size: uint64(len(data)), Addralign: tensorAlign},
		{Type: elf.SHT_SYMTAB, Offset: uint64(at[symtab]), Size: 2 * symbolSize, Link: 3, Info: 1, Addralign: 8,
			Entsize: symbolSize},
		{Type: elf.SHT_STRTAB, Offset: uint64(at[names]), Size: uint64(len(strtab)), Addralign: 1},
		{Type: elf.SHT_STRTAB, Offset: uint64(at[sections]), Size: uint64(len(shstrtab)), Addralign: 1},
		{Type: elf.SHT_PROGBITS, Offset: rodata, Addralign: 1},
	} {
		h := o[table+i*headerSize:]
		le.PutUint32(h, []uint32{0, 1, 9, 17, 25, 35}[i]) // the name's place in shstrtab
		le.PutUint32(h[4:], uint32(s.Type))
		le.PutUint64(h[8:], uint64(s.Flags))
		le.PutUint64(h[24:], s.Offset)
		le.PutUint64(h[32:], s.Size)
		le.PutUint32(h[40:], s.Link)
		le.PutUint32(h[44:], s.Info)
		le.PutUint64(h[48:], s.Addralign)
		le.PutUint64(h[56:], s.Entsize)
	}
	return o
}
