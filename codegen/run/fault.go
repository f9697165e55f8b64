package run

import (
	"fmt"
	"sync/atomic"
	"unsafe"

	"github.com/wmtune/wmtune/codegen/worker"
	"golang.org/x/sys/unix"
)

// While a kernel runs, its faults go to a handler in assembly, which notes in
// the status page what happened and lets the process die of the same signal. Go's own
// handler would print pages of stacks, and knows nothing of threads that the
// kernel's pool made.

// faultStatus is where the handler writes.
//
//lint:ignore U1000 the handler in fault_amd64.s reads it
var faultStatus *statusPage

const (
	saSigInfo  = 0x4
	saOnStack  = 0x08000000
	saRestorer = 0x04000000
	saNoDefer  = 0x40000000
)

// catchFaults installs the handler and returns a function that puts back what
// was there.
func catchFaults(page *statusPage) (restore func(), err error) {
	faultStatus = page
	handler := faultHandler()
	if handler == 0 { // none for this processor
		return func() {}, nil
	}
	return worker.OnFault(worker.FaultAction{Handler: handler, Flags: saSigInfo | saOnStack | saRestorer | saNoDefer,
		Restorer: handler})
}

// A statusPage is memory that a worker shares with the runner: it says whether a
// call of a kernel is under way and since when, and keeps what the fault handler
// saw when the process itself can say nothing any more. The assembly of the
// handler knows the layout.
type statusPage struct {
	callStart int64  // 0: monotonic nanoseconds when the running call began; 0 between calls
	calls     int64  // 8: begun so far
	signal    uint32 // 16: the first fatal signal, or 0
	code      uint32 // 20: its si_code
	addr      uint64 // 24: its address
	pc        uint64 // 32
	sp        uint64 // 40
	errCode   uint64 // 48: of the page fault: bit 1 is set for a write
	noMemory  uint64 // 56: not 0 if the process could get no more memory then
}

// newStatusPage makes a page that a child can share through the file.
func newStatusPage() (fd int, p *statusPage, err error) {
	fd, err = unix.MemfdCreate("wmtune-status", unix.MFD_CLOEXEC)
	if err != nil {
		return 0, nil, fmt.Errorf("run: status page: %w", err)
	}
	if err := unix.Ftruncate(fd, pageBytes); err != nil {
		unix.Close(fd)
		return 0, nil, fmt.Errorf("run: status page: %w", err)
	}
	p, err = openStatusPage(fd)
	if err != nil {
		unix.Close(fd)
	}
	return fd, p, err
}

func openStatusPage(fd int) (*statusPage, error) {
	mem, err := unix.Mmap(fd, 0, pageBytes, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("run: status page: %w", err)
	}
	return (*statusPage)(unsafe.Pointer(unsafe.SliceData(mem))), nil
}

func (p *statusPage) close() {
	unix.Munmap(unsafe.Slice((*byte)(unsafe.Pointer(p)), pageBytes))
}

// begin and end bracket a call.
func (p *statusPage) begin() {
	atomic.AddInt64(&p.calls, 1)
	atomic.StoreInt64(&p.callStart, worker.Monotonic())
}

func (p *statusPage) end() { atomic.StoreInt64(&p.callStart, 0) }

// running returns for how many seconds the present call has run, 0 if none is.
func (p *statusPage) running() float64 {
	start := atomic.LoadInt64(&p.callStart)
	if start == 0 {
		return 0
	}
	return float64(worker.Monotonic()-start) * 1e-9
}
