package ld

import (
	"debug/elf"
	"slices"
	"strings"
)

const (
	programBytes = 56 // a program header
	slotBytes    = 8
	dynamicBytes = 16 // an entry of .dynamic
	needBytes    = 16 // a library, and a version of it, in .gnu.version_r
)

// A need is a library that is needed, and versions of it.
type need struct {
	name     string
	versions []string
}

// resolve finds the libraries that define imports.
func (l *shared) resolve(libraries []library) {
	next := 2 // 0 and 1 are versions that every library has
	for _, lib := range libraries {
		n, numbers := need{name: lib.name}, map[string]int{"": 1}
		// What is used only if it is there needs no library.
		if !slices.ContainsFunc(l.dynamic[:l.imports], func(i int) bool {
			_, ok := lib.versions[l.Symbols[i].Name]
			return ok && l.versions[i] == 0 && l.Symbols[i].Bind != elf.STB_WEAK
		}) {
			continue
		}
		for _, i := range l.dynamic[:l.imports] {
			version, ok := lib.versions[l.Symbols[i].Name]
			if !ok || l.versions[i] != 0 {
				continue
			}
			if _, ok := numbers[version]; !ok {
				numbers[version] = next
				next++
				n.versions = append(n.versions, version)
			}
			l.versions[i] = numbers[version]
		}
		l.needs = append(l.needs, n)
	}
	isThreads := func(n need) bool { return n.name == ofThreads }
	if slices.ContainsFunc(libraries, l.threads) && !slices.ContainsFunc(l.needs, isThreads) {
		l.needs = append(l.needs, need{name: ofThreads})
	}
}

// threads reports whether imports were in libpthread until they came into this library, libc. A library of the old name
// is there still, and is empty.
func (l *shared) threads(libc library) bool {
	return slices.ContainsFunc(l.dynamic[:l.imports], func(i int) bool {
		s := l.Symbols[i]
		return libc.moved[s.Name] && s.Bind != elf.STB_WEAK &&
			(strings.HasPrefix(s.Name, "pthread_") || strings.HasPrefix(s.Name, "sem_"))
	})
}

// versioned returns the libraries of which versions are needed.
func (l *shared) versioned() []need {
	return slices.DeleteFunc(slices.Clone(l.needs), func(n need) bool { return n.versions == nil })
}

// buckets is the size of the hash table.
func (l *shared) buckets() int { return max(1, len(l.dynamic)/2) }

// tables makes room for the loader's tables.
func (l *shared) tables() {
	for _, i := range l.dynamic {
		l.strings.add(l.Symbols[i].Name)
	}
	l.strings.add(l.opt.Name)
	versions := 0
	for _, n := range l.needs {
		l.strings.add(n.name)
		for _, v := range n.versions {
			l.strings.add(v)
		}
		if n.versions != nil {
			versions += needBytes * (1 + len(n.versions))
		}
	}
	n := 1 + len(l.dynamic)
	head := func(typ elf.SectionType, align, entry uint64) elf.SectionHeader {
		return elf.SectionHeader{Type: typ, Flags: elf.SHF_ALLOC, Addralign: align, Entsize: entry}
	}
	l.part(".hash", head(elf.SHT_HASH, 8, 4), 4*(2+l.buckets()+n))
	l.part(".dynsym", head(elf.SHT_DYNSYM, 8, symbolBytes), n*symbolBytes)
	l.part(".dynstr", head(elf.SHT_STRTAB, 1, 0), len(l.strings.data()))
	if versions > 0 {
		l.part(".gnu.version", head(elf.SHT_GNU_VERSYM, 2, 2), 2*n)
		l.part(".gnu.version_r", head(elf.SHT_GNU_VERNEED, 8, 0), versions)
	}
	if l.addresses > 0 {
		l.part(".rela.dyn", head(elf.SHT_RELA, 8, relaBytes), l.addresses*relaBytes)
	}
}

// dynamicParts makes room for the table of tables, and for slots.
func (l *shared) dynamicParts() {
	write := elf.SHF_ALLOC | elf.SHF_WRITE
	l.part(".dynamic", elf.SectionHeader{Type: elf.SHT_DYNAMIC, Flags: write, Addralign: 8, Entsize: dynamicBytes},
		len(l.entries())*dynamicBytes)
	if len(l.slots) > 0 {
		l.part(".got", elf.SectionHeader{Type: elf.SHT_PROGBITS, Flags: write, Addralign: 8, Entsize: slotBytes},
			len(l.slots)*slotBytes)
	}
}

// entries returns the entries of .dynamic.
func (l *shared) entries() []elf.Dyn64 {
	var list []elf.Dyn64
	add := func(tag elf.DynTag, value uint64) { list = append(list, elf.Dyn64{Tag: int64(tag), Val: value}) }
	for _, n := range l.needs {
		add(elf.DT_NEEDED, uint64(l.strings.add(n.name)))
	}
	add(elf.DT_SONAME, uint64(l.strings.add(l.opt.Name)))
	add(elf.DT_HASH, l.parts[".hash"].address)
	add(elf.DT_STRTAB, l.parts[".dynstr"].address)
	add(elf.DT_SYMTAB, l.parts[".dynsym"].address)
	add(elf.DT_STRSZ, l.parts[".dynstr"].size)
	add(elf.DT_SYMENT, symbolBytes)
	if rela, ok := l.parts[".rela.dyn"]; ok {
		add(elf.DT_RELA, rela.address)
		add(elf.DT_RELASZ, rela.size)
		add(elf.DT_RELAENT, relaBytes)
	}
	flags := uint64(elf.DF_1_NOW)
	if l.opt.NoDelete {
		flags |= uint64(elf.DF_1_NODELETE)
	}
	add(elf.DT_FLAGS, uint64(elf.DF_BIND_NOW))
	add(elf.DT_FLAGS_1, flags)
	if needs, ok := l.parts[".gnu.version_r"]; ok {
		add(elf.DT_VERSYM, l.parts[".gnu.version"].address)
		add(elf.DT_VERNEED, needs.address)
		add(elf.DT_VERNEEDNUM, uint64(len(l.versioned())))
	}
	add(elf.DT_NULL, 0)
	return list
}

// fill writes the content of a part, and what its header refers to.
func (l *shared) fill(name string, content []byte, link string, info int) {
	p, ok := l.parts[name]
	if !ok {
		return
	}
	if uint64(len(content)) != p.size {
		panic("BUG: ld: " + name + " has another size than was thought")
	}
	copy(l.out.data[p.address:], content)
	h := &l.out.headers[p.number-1]
	h.Link, h.Info = uint32(l.parts[link].number), uint32(info)
}

// fillTables writes the loader's tables.
func (l *shared) fillTables() {
	symbols, hashes, versions := make([]byte, symbolBytes), []uint32{0}, make([]byte, 2)
	for k, i := range l.dynamic {
		s := l.Symbols[i]
		var section int
		var value uint64
		version := 1
		switch {
		case k < l.imports:
			version = max(1, l.versions[i])
		case s.Section == Absolute:
			section, value = int(elf.SHN_ABS), s.Value
		default:
			section, value = l.number[s.Section], l.valueOf(i)
		}
		symbols = le.AppendUint32(symbols, l.strings.add(s.Name))
		symbols = append(symbols, byte(elf.ST_INFO(s.Bind, s.Type)), byte(s.Vis))
		symbols = le.AppendUint16(symbols, uint16(section))
		symbols = le.AppendUint64(le.AppendUint64(symbols, value), s.Size)
		hashes = append(hashes, hash(s.Name))
		versions = le.AppendUint16(versions, uint16(version))
	}
	l.fill(".dynsym", symbols, ".dynstr", 1)
	l.fill(".dynstr", l.strings.data(), "", 0)
	l.fill(".hash", hashTable(hashes, l.buckets()), ".dynsym", 0)
	l.fill(".gnu.version", versions, ".dynsym", 0)
	l.fill(".gnu.version_r", l.versionTable(), ".dynstr", len(l.versioned()))

	var relocs []byte
	for _, r := range l.relocs {
		relocs = le.AppendUint64(le.AppendUint64(le.AppendUint64(relocs, r.Off), r.Info), uint64(r.Addend))
	}
	l.fill(".rela.dyn", relocs, ".dynsym", 0)
	var dynamic []byte
	for _, e := range l.entries() {
		dynamic = le.AppendUint64(le.AppendUint64(dynamic, uint64(e.Tag)), e.Val)
	}
	l.fill(".dynamic", dynamic, ".dynstr", 0)
}

// hash is the hash of a name in an ELF file.
func hash(name string) uint32 {
	var h uint32
	for _, c := range []byte(name) {
		h = h<<4 + uint32(c)
		h ^= h >> 24 & 0xf0
		h &= 0x0fffffff
	}
	return h
}

// hashTable returns chains of symbols whose hashes fall into one bucket. Symbol 0 is none.
func hashTable(hashes []uint32, buckets int) []byte {
	first, next := make([]uint32, buckets), make([]uint32, len(hashes))
	for i, h := range hashes {
		if i > 0 {
			b := h % uint32(buckets)
			next[i], first[b] = first[b], uint32(i)
		}
	}
	data := le.AppendUint32(le.AppendUint32(nil, uint32(buckets)), uint32(len(hashes)))
	for _, v := range slices.Concat(first, next) {
		data = le.AppendUint32(data, v)
	}
	return data
}

// versionTable lists the versions that are needed, by library, numbered as resolve did.
func (l *shared) versionTable() []byte {
	var data []byte
	number := 2
	list := l.versioned()
	for i, n := range list {
		after := needBytes * (1 + len(n.versions))
		if i == len(list)-1 {
			after = 0
		}
		data = le.AppendUint16(le.AppendUint16(data, 1), uint16(len(n.versions)))
		data = le.AppendUint32(data, l.strings.add(n.name))
		data = le.AppendUint32(le.AppendUint32(data, needBytes), uint32(after))
		for k, v := range n.versions {
			after := needBytes
			if k == len(n.versions)-1 {
				after = 0
			}
			data = le.AppendUint32(data, hash(v))
			data = le.AppendUint16(le.AppendUint16(data, 0), uint16(number))
			data = le.AppendUint32(le.AppendUint32(data, l.strings.add(v)), uint32(after))
			number++
		}
	}
	return data
}

// programs returns how many program headers there are: of segments, and three more.
func (l *shared) programs() int {
	n := 3
	for segment := range segments {
		if l.used(segment) {
			n++
		}
	}
	return n
}

// used reports whether a segment has anything.
func (l *shared) used(segment int) bool {
	return segment == tables || segment == relocated || segment == code && len(l.stubs) > 0 ||
		slices.ContainsFunc(l.Sections, func(s *Section) bool { return s.Size > 0 && segmentOf(s) == segment })
}

// fillPrograms writes how the library is mapped.
func (l *shared) fillPrograms() {
	at := headerBytes
	add := func(typ elf.ProgType, flags elf.ProgFlag, start, file, memory, align uint64) {
		h := le.AppendUint32(le.AppendUint32(nil, uint32(typ)), uint32(flags))
		for _, v := range []uint64{start, start, start, file, memory, align} {
			h = le.AppendUint64(h, v)
		}
		copy(l.out.data[at:], h)
		at += programBytes
	}
	rights := [segments]elf.ProgFlag{elf.PF_R, elf.PF_R | elf.PF_X, elf.PF_R, elf.PF_R | elf.PF_W, elf.PF_R | elf.PF_W}
	for segment := range segments {
		start, end := uint64(l.bounds[segment][0]), uint64(l.bounds[segment][1])
		memory := end - start
		if segment == variables {
			memory = l.end - start
		}
		if l.used(segment) {
			add(elf.PT_LOAD, rights[segment], start, end-start, memory, l.page())
		}
	}
	d := l.parts[".dynamic"]
	add(elf.PT_DYNAMIC, elf.PF_R|elf.PF_W, d.address, d.size, d.size, 8)
	add(elf.PT_GNU_STACK, elf.PF_R|elf.PF_W, 0, 0, 0, 16)
	start, end := uint64(l.bounds[relocated][0]), uint64(l.bounds[relocated][1])
	add(elf.PT_GNU_RELRO, elf.PF_R, start, end-start, end-start, 1)
}
