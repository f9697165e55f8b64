package run

import (
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	"github.com/ebitengine/purego"
	"github.com/wmtune/wmtune/codegen/run/link"
	"github.com/wmtune/wmtune/codegen/worker"
	"github.com/wmtune/wmtune/dataset/measure"
)

// A base is the run-time of kernels, linked once per process: its thread pool
// must not exist twice, and is never unloaded because its threads live on.
type base struct {
	image  *link.Image
	repeat uintptr // wmtune_repeat
	guard  []byte  // wmtune_guard_blocks

	now func() int64 // the clock that calls are timed by, in nanoseconds
}

// linkBase links the run-time and starts its pool, pinned to the processors: the
// calling thread's first, then one per thread. None means that all threads that the
// process may have run where they like.
func linkBase(object []byte, cores []int) (*base, error) {
	img, err := link.Link(link.Process(), object)
	if err != nil {
		return nil, err
	}
	b := &base{image: img, now: worker.Monotonic}
	if b.repeat, err = img.Symbol("wmtune_repeat"); err != nil {
		return nil, err
	}
	if b.guard, err = img.Variable("wmtune_guard_blocks", 4); err != nil {
		return nil, err
	}
	init, err := img.Symbol("wmtune_pool_init")
	if err != nil {
		return nil, err
	}
	if len(cores) == 0 {
		call(init, 0, 0)
		return b, nil
	}
	cpus := make([]int32, len(cores))
	for i, c := range cores {
		cpus[i] = int32(c)
	}
	var pin runtime.Pinner
	defer pin.Unpin()
	pin.Pin(&cpus[0])
	call(init, uintptr(len(cpus)), uintptr(unsafe.Pointer(&cpus[0])))
	return b, nil
}

// guardBlocks makes the kernels' own allocations lie between forbidden pages and
// start as NaN, and returns a function that ends this. No kernel may run at
// either moment.
func (b *base) guardBlocks() (end func()) {
	b.guard[0] = 1
	return func() { b.guard[0] = 0 }
}

// A program is the linked code of a kernel.
type program struct {
	base   *base
	image  *link.Image
	kernel uintptr
	packs  []packing
	packed map[*placement]*packed
}

// A packing is a function that makes a parameter of a kernel from the tensor.
type packing struct {
	measure.Pack
	fn uintptr
}

// link links a kernel, and what packs its operands, against the run-time.
func (b *base) link(object []byte, symbol string, packs []measure.Pack) (*program, error) {
	external := link.Process()
	img, err := link.Link(func(name string) uintptr {
		if addr := b.image.Lookup(name); addr != 0 {
			return addr
		}
		return external(name)
	}, object)
	if err != nil {
		return nil, err
	}
	p := &program{base: b, image: img}
	if p.kernel, err = img.Symbol(symbol); err != nil {
		img.Close()
		return nil, err
	}
	for _, k := range packs {
		fn, err := img.Symbol(k.Symbol)
		if err != nil {
			img.Close()
			return nil, err
		}
		p.packs = append(p.packs, packing{k, fn})
	}
	return p, nil
}

func (p *program) close() error {
	var errs []error
	for place := range p.packed {
		errs = append(errs, p.unpack(place))
	}
	return errors.Join(append(errs, p.image.Close())...)
}

// An argv is the array of data pointers that a kernel takes, in memory that does
// not move.
type argv struct {
	list []uintptr
	pin  runtime.Pinner
}

func newArgv(tensors []*guarded) *argv {
	a := &argv{list: make([]uintptr, len(tensors)+1)}
	for i, g := range tensors {
		a.list[i] = g.address()
	}
	a.pin.Pin(&a.list[0])
	return a
}

func (a *argv) close() { a.pin.Unpin() }

// call calls the kernel n times in a row and returns how many seconds that took.
func (p *program) call(page *statusPage, args *argv, n int) float64 {
	return p.callFunction(page, p.kernel, args, n)
}

func (p *program) callFunction(page *statusPage, fn uintptr, args *argv, n int) float64 {
	page.begin()
	start := p.base.now()
	call(p.base.repeat, fn, uintptr(unsafe.Pointer(&args.list[0])), uintptr(n))
	stop := p.base.now()
	page.end()
	return float64(stop-start) * 1e-9
}

// call calls a C function that returns nothing, on this thread.
func call(fn uintptr, args ...uintptr) {
	if fn == 0 {
		panic(fmt.Sprintf("BUG: run: calling a null function with %d arguments", len(args)))
	}
	purego.SyscallN(fn, args...)
}
