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

	header := func(i int, name uint32, typ elf.SectionType, flags elf.SectionFlag, start, size int, link, info uint32, align, entry int) {
		h := o[table+i*headerSize:]
		le.PutUint32(h, name)
		le.PutUint32(h[4:], uint32(typ))
		le.PutUint64(h[8:], uint64(flags))
		le.PutUint64(h[24:], uint64(start))
		le.PutUint64(h[32:], uint64(size))
		le.PutUint32(h[40:], link)
		le.PutUint32(h[44:], info)
		le.PutUint64(h[48:], uint64(align))
		le.PutUint64(h[56:], uint64(entry))
	}
	header(1, 1, elf.SHT_PROGBITS, elf.SHF_ALLOC, rodata, len(data), 0, 0, tensorAlign, 0)
	header(2, 9, elf.SHT_SYMTAB, 0, at[symtab], 2*symbolSize, 3, 1, 8, symbolSize)
	header(3, 17, elf.SHT_STRTAB, 0, at[names], len(strtab), 0, 0, 1, 0)
	header(4, 25, elf.SHT_STRTAB, 0, at[sections], len(shstrtab), 0, 0, 1, 0)
	header(5, 35, elf.SHT_PROGBITS, 0, rodata, 0, 0, 0, 1, 0)
	return o
}
