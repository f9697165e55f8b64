package ld

import (
	"debug/elf"
	"math"
	"strings"
)

// What differs on aarch64 (ELF for the Arm 64-bit Architecture, "Relocation"): addresses are put together by two
// instructions, a page and a place in it.

// armPage is the largest size of a page of Linux on aarch64.
const armPage = 64 << 10

// page returns what segments are aligned to.
func (l *shared) page() uint64 {
	if l.Machine == elf.EM_AARCH64 {
		return armPage
	}
	return pageBytes
}

// stubBytes is the size of a jump by way of a slot.
func (l *shared) stubBytes() int {
	if l.Machine == elf.EM_AARCH64 {
		return 16
	}
	return 8
}

// kind names the kind of a relocation.
func (o *Object) kind(r Reloc) string {
	if o.Machine == elf.EM_AARCH64 {
		return elf.R_AARCH64(r.Kind).String()
	}
	return r.Kind.String()
}

// armWidth returns how many bytes a relocation writes.
func armWidth(kind elf.R_AARCH64) uint64 {
	if kind == elf.R_AARCH64_ABS64 || kind == elf.R_AARCH64_PREL64 {
		return 8
	}
	return 4
}

// armLike returns the kind of x86-64 that needs the same of a library.
func armLike(kind elf.R_AARCH64) elf.R_X86_64 {
	switch kind {
	case elf.R_AARCH64_NONE:
		return elf.R_X86_64_NONE
	case elf.R_AARCH64_CALL26, elf.R_AARCH64_JUMP26:
		return elf.R_X86_64_PLT32
	case elf.R_AARCH64_ADR_GOT_PAGE, elf.R_AARCH64_LD64_GOT_LO12_NC:
		return elf.R_X86_64_GOTPCREL
	case elf.R_AARCH64_ABS64:
		return elf.R_X86_64_64
	case elf.R_AARCH64_PREL32, elf.R_AARCH64_PREL64, elf.R_AARCH64_ADR_PREL_LO21, elf.R_AARCH64_ADR_PREL_PG_HI21,
		elf.R_AARCH64_ADD_ABS_LO12_NC, elf.R_AARCH64_LDST8_ABS_LO12_NC, elf.R_AARCH64_LDST16_ABS_LO12_NC,
		elf.R_AARCH64_LDST32_ABS_LO12_NC, elf.R_AARCH64_LDST64_ABS_LO12_NC, elf.R_AARCH64_LDST128_ABS_LO12_NC,
		elf.R_AARCH64_CONDBR19, elf.R_AARCH64_TSTBR14:
		return elf.R_X86_64_PC32
	}
	return elf.R_X86_64_COPY // which nothing supports
}

// dynamicKind returns the kind of a relocation that the loader carries out.
func (l *shared) dynamicKind(kind elf.R_X86_64) elf.R_X86_64 {
	if l.Machine != elf.EM_AARCH64 {
		return kind
	}
	return map[elf.R_X86_64]elf.R_X86_64{
		elf.R_X86_64_64: elf.R_X86_64(elf.R_AARCH64_ABS64), elf.R_X86_64_RELATIVE: elf.R_X86_64(elf.R_AARCH64_RELATIVE),
		elf.R_X86_64_GLOB_DAT: elf.R_X86_64(elf.R_AARCH64_GLOB_DAT),
	}[kind]
}

// A field is the bits of an instruction that say where something is: of a number without its last bits.
type field struct{ at, width, drop uint }

// armFields are those of relocations that take the distance, or of a place in a page, which is never too far.
var armFields = map[elf.R_AARCH64]field{
	elf.R_AARCH64_CALL26: {0, 26, 2}, elf.R_AARCH64_JUMP26: {0, 26, 2}, elf.R_AARCH64_CONDBR19: {5, 19, 2},
	elf.R_AARCH64_TSTBR14: {5, 14, 2}, elf.R_AARCH64_ADD_ABS_LO12_NC: {10, 12, 0},
	elf.R_AARCH64_LDST8_ABS_LO12_NC: {10, 12, 0}, elf.R_AARCH64_LDST16_ABS_LO12_NC: {10, 12, 1},
	elf.R_AARCH64_LDST32_ABS_LO12_NC: {10, 12, 2}, elf.R_AARCH64_LDST64_ABS_LO12_NC: {10, 12, 3},
	elf.R_AARCH64_LDST128_ABS_LO12_NC: {10, 12, 4}, elf.R_AARCH64_LD64_GOT_LO12_NC: {10, 12, 3},
}

// PatchArm writes what a relocation of aarch64 against an address says, at a place with the address p. It reports
// whether that can be said there.
func PatchArm(place []byte, kind elf.R_AARCH64, value, p int64) bool {
	switch f := armFields[kind]; {
	case kind == elf.R_AARCH64_PREL64:
		le.PutUint64(place, uint64(value-p))
	case kind == elf.R_AARCH64_PREL32:
		le.PutUint32(place, uint32(value-p))
		return value-p >= math.MinInt32 && value-p <= math.MaxInt32
	case kind == elf.R_AARCH64_ADR_PREL_LO21:
		return putPage(place, value-p)
	case kind == elf.R_AARCH64_ADR_PREL_PG_HI21, kind == elf.R_AARCH64_ADR_GOT_PAGE:
		return putPage(place, value>>12-p>>12)
	case f.width == 12: // in a page of 4 KB
		put(place, f, value&0xfff)
	case f.width > 0:
		return put(place, f, value-p)
	default:
		return kind == elf.R_AARCH64_NONE
	}
	return true
}

// put writes a number into a field of an instruction, and reports whether it fits as a signed one.
func put(place []byte, f field, n int64) bool {
	n >>= f.drop
	mask := uint32(1)<<f.width - 1
	le.PutUint32(place, le.Uint32(place)&^(mask<<f.at)|uint32(n)&mask<<f.at)
	return n>>(f.width-1) == 0 || n>>(f.width-1) == -1
}

// putPage writes the 21 bits of adr or adrp, whose last two stand before the others.
func putPage(place []byte, n int64) bool {
	put(place, field{29, 2, 0}, n)
	return put(place, field{5, 19, 2}, n)
}

// ArmStub writes a jump by way of a slot: adrp x16, slot; ldr x17, [x16, slot]; br x17.
func ArmStub(stub []byte, slot, at uint64) {
	for i, word := range []uint32{0x90000010, 0xf9400211, 0xd61f0220, 0xd503201f} {
		le.PutUint32(stub[4*i:], word)
	}
	putPage(stub, int64(slot>>12)-int64(at>>12))
	put(stub[4:], armFields[elf.R_AARCH64_LD64_GOT_LO12_NC], int64(slot&0xfff))
}

// armVersion is that of everything that glibc has had on aarch64 since the first release for it.
const armVersion = "GLIBC_2.17"

// armSystem returns the libraries that an object's imports are in. A C library of aarch64 need not be here: what is no
// function of mathematics or of threads is in libc. Threads were in libpthread until glibc 2.34.
func armSystem(o *Object) []library {
	list := make([]library, len(ofC))
	for i, name := range []string{"libm.so.6", "libc.so.6", ofThreads} {
		list[i] = library{name, map[string]string{}, map[string]bool{}}
	}
	for _, s := range o.Symbols {
		if s.Section != Undefined || s.Name == "" {
			continue
		}
		in := 1
		switch {
		case strings.HasPrefix(s.Name, "pthread_"):
			list[1].moved[s.Name] = true
		case isMath(s.Name):
			in = 0
		}
		list[in].versions[s.Name] = armVersion
	}
	return list
}

// isMath reports whether a function is in libm, by that of this machine.
func isMath(name string) bool {
	l := system()
	for _, lib := range l {
		if lib.name == ofC[0] {
			_, ok := lib.versions[name]
			return ok
		}
	}
	return false
}
