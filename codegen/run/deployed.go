package run

import (
	"fmt"
	"runtime"
	"slices"
	"unsafe"

	"github.com/wmtune/wmtune/tir/compute"
	"golang.org/x/sys/unix"
)

// A rotation is copies of the constant operands of a task. Calls take turns with them, so that each reads weights that
// no cache holds any more, as it would in a model. It belongs to the task: the copies of a candidate hold the operand's
// elements in any order, since nobody reads the results of these calls.
type rotation struct {
	regions map[int]*region // by parameter
	bytes   int64           // that the copies of a candidate take together
}

// A region is memory with the elements of an operand, again and again.
type region struct {
	mem    []byte
	filled int64
}

// turnGap keeps a prefetcher that runs past the end of a copy out of the next one.
const turnGap = 4096

// newRotation maps memory for the constant operands of a task; nil if none is to be evicted.
func newRotation(s *signature) (*rotation, error) {
	if s.Footprint == 0 || len(s.Constants) == 0 {
		return nil, nil
	}
	r := &rotation{regions: map[int]*region{}, bytes: s.Footprint}
	for _, i := range s.Constants {
		mem, err := unix.Mmap(-1, 0, int(s.Footprint), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
		if err != nil {
			return nil, fmt.Errorf("run: memory for copies of %s: %w", s.Tensors[i].Name, err)
		}
		r.regions[i] = &region{mem: mem}
	}
	return r, nil
}

// fill writes an operand's elements up to an offset, unless that was done.
func (g *region) fill(data []byte, to int64) {
	for g.filled < to {
		g.filled += int64(copy(g.mem[g.filled:], data))
	}
}

// turns are the arguments of calls that take turns: arrays of pointers, one behind the other.
type turns struct {
	list  []uintptr
	width int // of an array
	next  int // offset of the array of the next call
	pin   runtime.Pinner
}

// turnsOf returns the arguments of a program for each copy of its constant operands; nil if there is room for one only,
// which evicts itself.
func (r *rotation) turnsOf(p *placement, prog *program, args *argv) *turns {
	sizes, all := map[int]int64{}, int64(0)
	for i := range r.regions {
		size := int64(len(p.tensors[i].data))
		if k := slices.IndexFunc(prog.packs, func(f packing) bool { return f.Param == i }); k >= 0 {
			size = prog.packs[k].Bytes
		}
		sizes[i] = int64(alignUp(uint64(size), pageBytes)) + turnGap
		all += sizes[i]
	}
	n := r.bytes / all
	if n < 2 {
		return nil
	}
	t := &turns{width: len(args.list), list: slices.Repeat(args.list, int(n))}
	for i, g := range r.regions {
		g.fill(p.tensors[i].data, n*sizes[i])
		for k := range n {
			t.list[int(k)*t.width+i] = addressOf(g.mem) + uintptr(k*sizes[i])
		}
	}
	t.pin.Pin(&t.list[0])
	return t
}

func (t *turns) close() {
	if t != nil {
		t.pin.Unpin()
	}
}

// callTurns calls the kernel n times in a row, each time with the next arguments, and returns how many seconds that
// took.
func (p *program) callTurns(page *statusPage, t *turns, n int) float64 {
	page.begin()
	start := p.base.now()
	for range n {
		call(p.base.repeat, p.kernel, uintptr(unsafe.Pointer(&t.list[t.next])), 1)
		if t.next += t.width; t.next == len(t.list) {
			t.next = 0
		}
	}
	stop := p.base.now()
	page.end()
	return float64(stop-start) * 1e-9
}

// constants are the numbers of the parameters of d that are weights.
func constants(d *compute.DAG) []int {
	var list []int
	for _, b := range d.Constants() {
		list = append(list, slices.Index(d.Tensors, b))
	}
	return list
}
