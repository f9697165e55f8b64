package driver

import (
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
