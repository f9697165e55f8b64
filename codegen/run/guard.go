package run

import (
	"fmt"
	"unsafe"

	"github.com/wmtune/wmtune/codegen/worker"
	"golang.org/x/sys/unix"
)

// alignBytes is the alignment that kernels may rely on.
const alignBytes = 64

// A side says at which guard the data of a tensor lie.
type side int

const (
	atUpper side = iota // the first byte past the data is forbidden, up to alignment
	atLower             // the byte before the data is forbidden
)

// canary fills what lies between data and guard because of alignment.
const canary = 0xc9

// A guarded is memory for one tensor between two areas that fault when touched.
// Data start at a multiple of 64 bytes; a gap between them and the page's end is
// filled with canaries.
type guarded struct {
	all   []byte // guards included
	page  []byte // what may be touched
	start int    // of the data in page
	data  []byte
	loose bool // see loosen
}

// newGuarded maps memory for size bytes, readable and writable.
func newGuarded(size int64, s side) (*guarded, error) {
	used := alignUp(uint64(size), alignBytes)
	pages := max(alignUp(used, pageBytes), pageBytes)
	all, err := unix.Mmap(-1, 0, int(pages+2*worker.GuardBytes), unix.PROT_NONE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return nil, fmt.Errorf("memory for a tensor of %d bytes: %w", size, err)
	}
	g := &guarded{all: all, page: all[worker.GuardBytes : worker.GuardBytes+pages]}
	if err := unix.Mprotect(g.page, unix.PROT_READ|unix.PROT_WRITE); err != nil {
		unix.Munmap(all)
		return nil, fmt.Errorf("memory for a tensor of %d bytes: %w", size, err)
	}
	if s == atUpper {
		g.start = int(pages - used)
	}
	g.data = g.page[g.start : g.start+int(size)]
	g.arm()
	return g, nil
}

// address returns where the data start.
func (g *guarded) address() uintptr { return addressOf(g.page) + uintptr(g.start) }

// protect makes the data read-only.
func (g *guarded) protect() error { return unix.Mprotect(g.page, unix.PROT_READ) }

// unprotect makes them writable again.
func (g *guarded) unprotect() error { return unix.Mprotect(g.page, unix.PROT_READ|unix.PROT_WRITE) }

// forbid makes them fault when touched, until unprotect.
func (g *guarded) forbid() error { return unix.Mprotect(g.page, unix.PROT_NONE) }

// loosen has a page behind the data that may be touched, until tighten. A vector's masked lanes may lie behind the last
// element, which costs nothing where memory is mapped, and 0.1 us where it is not. So calls are timed with such a page,
// and checked without.
func (g *guarded) loosen() error {
	if g.loose {
		return nil
	}
	behind := g.behind()
	if err := unix.Mprotect(behind, unix.PROT_READ|unix.PROT_WRITE); err != nil {
		return err
	}
	behind[0] = canary // memory that nobody wrote to is not mapped
	g.loose = true
	return nil
}

// tighten has the guard begin behind the data again.
func (g *guarded) tighten() error {
	if !g.loose {
		return nil
	}
	g.loose = false
	return unix.Mprotect(g.behind(), unix.PROT_NONE)
}

func (g *guarded) behind() []byte {
	from := worker.GuardBytes + len(g.page)
	return g.all[from : from+pageBytes]
}

// gaps returns the bytes between data and guards.
func (g *guarded) gaps() (before, after []byte) {
	return g.page[:g.start], g.page[g.start+len(g.data):]
}

// arm writes the canaries anew.
func (g *guarded) arm() {
	before, after := g.gaps()
	for _, gap := range [][]byte{before, after} {
		for i := range gap {
			gap[i] = canary
		}
	}
}

// damage returns how many bytes before the data, and after them, canaries were
// overwritten.
func (g *guarded) damage() (before, after int) {
	low, high := g.gaps()
	for i, c := range low {
		if c != canary {
			before = len(low) - i
			break
		}
	}
	for i, c := range high {
		if c != canary {
			after = i + 1
		}
	}
	return before, after
}

// damageText says what damage returns: "writes 4 bytes after the end".
func (g *guarded) damageText() string {
	switch before, after := g.damage(); {
	case before > 0:
		return fmt.Sprintf("writes %d bytes before the start", before)
	case after > 0:
		return fmt.Sprintf("writes %d bytes after the end", after)
	}
	return ""
}

func (g *guarded) span(tensor int, s side) span {
	low := uint64(addressOf(g.all))
	start := uint64(g.address())
	return span{Tensor: tensor, Low: low, Start: start, Stop: start + uint64(len(g.data)),
		High: low + uint64(len(g.all)), HighSide: s == atUpper}
}

func (g *guarded) close() error { return unix.Munmap(g.all) }

func addressOf(b []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }

const pageBytes = 4096

func alignUp(n, align uint64) uint64 { return (n + align - 1) / align * align }
