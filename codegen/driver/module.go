package driver

import (
	"runtime"
	"unsafe"
)

// A Module is loaded code.
type Module struct {
	c      *Context
	handle uintptr
}

// Load loads a cubin, or the text of PTX, which the driver compiles.
func (c *Context) Load(image []byte) (*Module, error) {
	image = append(image[:len(image):len(image)], 0) // text ends in a zero
	m := &Module{c: c}
	err := c.call("cuModuleLoadData", c.d.cu.ModuleLoadData, uintptr(unsafe.Pointer(&m.handle)), uintptr(unsafe.Pointer(&image[0])))
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
	err := m.c.call("cuModuleGetFunction", m.c.d.cu.ModuleGetFunction, uintptr(unsafe.Pointer(&f.handle)), m.handle, uintptr(unsafe.Pointer(&text[0])))
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
