package driver

import (
	"fmt"
	"runtime"
	"unsafe"
)

// A Context is a GPU as one process uses it: what is loaded and allocated belongs to
// it. Its methods, and those of what it makes, may be called on any goroutine.
type Context struct {
	d      *Driver
	device int32
	handle uintptr
}

// Open returns the context of GPU number i.
func (d *Driver) Open(i int) (*Context, error) {
	device, err := d.handle(i)
	if err != nil {
		return nil, err
	}
	c := &Context{d: d, device: device}
	return c, d.call("cuDevicePrimaryCtxRetain", d.cu.PrimaryRetain, uintptr(unsafe.Pointer(&c.handle)), uintptr(device))
}

// Close gives back all that is loaded and allocated, unless somebody else in this
// process has the GPU open, too.
func (c *Context) Close() error {
	return c.d.call("cuDevicePrimaryCtxRelease", c.d.cu.PrimaryRelease, uintptr(c.device))
}

// call calls a function on a thread that has the context.
//
//go:uintptrescapes
func (c *Context) call(name string, fn uintptr, args ...uintptr) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := c.d.call("cuCtxSetCurrent", c.d.cu.CtxSetCurrent, c.handle); err != nil {
		return err
	}
	return c.d.call(name, fn, args...)
}

// Synchronize waits until all that was launched has ended, and returns its error.
func (c *Context) Synchronize() error {
	return c.call("cuCtxSynchronize", c.d.cu.CtxSynchronize)
}

// An Event is a point in what the GPU is to do, with the time when it came by.
type Event struct {
	c      *Context
	handle uintptr
}

// Event makes an event.
func (c *Context) Event() (*Event, error) {
	e := &Event{c: c}
	return e, c.call("cuEventCreate", c.d.cu.EventCreate, uintptr(unsafe.Pointer(&e.handle)), 0)
}

// Record puts the event after all that was launched so far.
func (e *Event) Record() error {
	return e.c.call("cuEventRecord", e.c.d.cu.EventRecord, e.handle, 0)
}

// Wait waits until the GPU came by. Its error may be that of a kernel before.
func (e *Event) Wait() error {
	return e.c.call("cuEventSynchronize", e.c.d.cu.EventSynchronize, e.handle)
}

// Since returns the seconds between two events that the GPU came by; its
// resolution is half a microsecond.
func (e *Event) Since(earlier *Event) (float64, error) {
	var ms float32
	err := e.c.call("cuEventElapsedTime", e.c.d.cu.EventElapsedTime, uintptr(unsafe.Pointer(&ms)), earlier.handle,
		e.handle)
	return float64(ms) / 1e3, err
}

// Close ends an event.
func (e *Event) Close() error {
	return e.c.call("cuEventDestroy", e.c.d.cu.EventDestroy, e.handle)
}

// A Memory is memory of a GPU.
type Memory struct {
	c       *Context
	address uint64
	bytes   int64
}

// Alloc allocates memory of any content, aligned to 256 bytes.
func (c *Context) Alloc(bytes int64) (*Memory, error) {
	m := &Memory{c: c, bytes: bytes}
	return m, c.call("cuMemAlloc", c.d.cu.MemAlloc, uintptr(unsafe.Pointer(&m.address)), uintptr(bytes))
}

// Available returns how many bytes are free on the GPU, and how many it has.
func (c *Context) Available() (free, all int64, err error) {
	err = c.call("cuMemGetInfo", c.d.cu.MemGetInfo, uintptr(unsafe.Pointer(&free)), uintptr(unsafe.Pointer(&all)))
	return free, all, err
}

// Address is where the memory begins: the argument of a kernel.
func (m *Memory) Address() uint64 { return m.address }

// Free gives the memory back.
func (m *Memory) Free() error {
	return m.c.call("cuMemFree", m.c.d.cu.MemFree, uintptr(m.address))
}

// Put copies data to the memory from byte at on.
func (m *Memory) Put(at int64, data []byte) error {
	if m.check(at, int64(len(data))); len(data) == 0 {
		return nil
	}
	return m.c.call("cuMemcpyHtoD", m.c.d.cu.MemcpyHtoD, uintptr(m.address)+uintptr(at),
		uintptr(unsafe.Pointer(&data[0])), uintptr(len(data)))
}

// Get copies the memory from byte at on to data. It waits for what was launched.
func (m *Memory) Get(at int64, data []byte) error {
	if m.check(at, int64(len(data))); len(data) == 0 {
		return nil
	}
	return m.c.call("cuMemcpyDtoH", m.c.d.cu.MemcpyDtoH, uintptr(unsafe.Pointer(&data[0])),
		uintptr(m.address)+uintptr(at), uintptr(len(data)))
}

// Set has n bytes from byte at on set to a value, after what was launched before.
func (m *Memory) Set(at, n int64, value byte) error {
	if m.check(at, n); n == 0 {
		return nil
	}
	return m.c.call("cuMemsetD8", m.c.d.cu.MemsetD8, uintptr(m.address)+uintptr(at), uintptr(value), uintptr(n))
}

func (m *Memory) check(at, n int64) {
	if at < 0 || n < 0 || at+n > m.bytes {
		panic(fmt.Sprintf("BUG: driver: bytes %d to %d of memory of %d", at, at+n, m.bytes))
	}
}

// A Module is loaded code.
type Module struct {
	c      *Context
	handle uintptr
}

// Load loads a cubin, or the text of PTX, which the driver compiles.
func (c *Context) Load(image []byte) (*Module, error) {
	image = append(image[:len(image):len(image)], 0) // text ends in a zero
	m := &Module{c: c}
	err := c.call("cuModuleLoadData", c.d.cu.ModuleLoadData, uintptr(unsafe.Pointer(&m.handle)),
		uintptr(unsafe.Pointer(&image[0])))
	return m, err
}

// Unload ends a module and its functions.
func (m *Module) Unload() error {
	return m.c.call("cuModuleUnload", m.c.d.cu.ModuleUnload, m.handle)
}

// A Function is a kernel.
type Function struct {
	c      *Context
	handle uintptr
}

// Function returns the kernel of a name.
func (m *Module) Function(name string) (*Function, error) {
	f := &Function{c: m.c}
	text := append([]byte(name), 0)
	err := m.c.call("cuModuleGetFunction", m.c.d.cu.ModuleGetFunction, uintptr(unsafe.Pointer(&f.handle)),
		m.handle, uintptr(unsafe.Pointer(&text[0])))
	return f, err
}

// A Dim is how many blocks a grid, or threads a block, has along x, y and z.
type Dim struct{ X, Y, Z uint32 }

// A Launch is a kernel with its arguments, to be launched any number of times.
type Launch struct {
	f           *Function
	grid, block Dim
	values      []uint64
	params      []*uint64 // of values
}

// Bind gives a kernel its arguments: addresses of memory (Memory.Address). They are
// not looked at.
func (f *Function) Bind(grid, block Dim, args ...uint64) *Launch {
	l := &Launch{f: f, grid: grid, block: block, values: args, params: make([]*uint64, len(args)+1)}
	for i := range l.values {
		l.params[i] = &l.values[i]
	}
	return l
}

// Launch has the GPU run the kernel after all that was launched before, and does not
// wait for it.
func (l *Launch) Launch() error {
	f := l.f
	err := f.c.call("cuLaunchKernel", f.c.d.cu.LaunchKernel, f.handle,
		uintptr(l.grid.X), uintptr(l.grid.Y), uintptr(l.grid.Z), uintptr(l.block.X), uintptr(l.block.Y), uintptr(l.block.Z),
		0, 0, uintptr(unsafe.Pointer(&l.params[0])), 0)
	runtime.KeepAlive(l)
	return err
}
