package driver

import (
	"fmt"
	"unsafe"
)

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
	return m.c.call("cuMemcpyHtoD", m.c.d.cu.MemcpyHtoD, uintptr(m.address)+uintptr(at), uintptr(unsafe.Pointer(&data[0])), uintptr(len(data)))
}

// Get copies the memory from byte at on to data. It waits for what was launched.
func (m *Memory) Get(at int64, data []byte) error {
	if m.check(at, int64(len(data))); len(data) == 0 {
		return nil
	}
	return m.c.call("cuMemcpyDtoH", m.c.d.cu.MemcpyDtoH, uintptr(unsafe.Pointer(&data[0])), uintptr(m.address)+uintptr(at), uintptr(len(data)))
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
