package driver

import "unsafe"

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
	err := e.c.call("cuEventElapsedTime", e.c.d.cu.EventElapsedTime, uintptr(unsafe.Pointer(&ms)), earlier.handle, e.handle)
	return float64(ms) / 1e3, err
}

// Close ends an event.
func (e *Event) Close() error {
	return e.c.call("cuEventDestroy", e.c.d.cu.EventDestroy, e.handle)
}
