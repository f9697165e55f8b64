package run

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// While a kernel runs, its faults go to a handler in assembly, which notes in
// the status page what happened and lets the process die of the same signal. Go's own
// handler would print pages of stacks, and knows nothing of threads that the
// kernel's pool made.

// fatalSignals are those that a wrong program can cause.
var fatalSignals = []unix.Signal{unix.SIGILL, unix.SIGTRAP, unix.SIGABRT, unix.SIGBUS, unix.SIGFPE, unix.SIGSEGV, unix.SIGSYS}

// faultStatus is where the handler writes.
//
//lint:ignore U1000 the handler in fault_amd64.s reads it
var faultStatus *statusPage

// A kernelAction is the kernel's struct sigaction.
type kernelAction struct {
	handler, flags, restorer uintptr
	mask                     uint64
}

const (
	saSigInfo  = 0x4
	saOnStack  = 0x08000000
	saRestorer = 0x04000000
	saNoDefer  = 0x40000000
	saReset    = 0x80000000
)

// catchFaults installs the handler and returns a function that puts back what
// was there.
func catchFaults(page *statusPage) (restore func(), err error) {
	faultStatus = page
	handler := faultHandler()
	if handler == 0 { // none for this processor
		return func() {}, nil
	}
	act := kernelAction{handler: handler, flags: saSigInfo | saOnStack | saRestorer | saNoDefer | saReset, restorer: handler}
	before := make([]kernelAction, len(fatalSignals))
	for i, sig := range fatalSignals {
		if err := sigaction(sig, &act, &before[i]); err != nil {
			return nil, err
		}
	}
	return func() {
		for i, sig := range fatalSignals {
			if err := sigaction(sig, &before[i], nil); err != nil {
				panic("BUG: run: " + err.Error())
			}
		}
	}, nil
}

func sigaction(sig unix.Signal, act, old *kernelAction) error {
	_, _, errno := unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(sig), uintptr(unsafe.Pointer(act)), uintptr(unsafe.Pointer(old)), 8, 0, 0)
	if errno != 0 {
		return fmt.Errorf("run: handler of %s: %w", unix.SignalName(sig), errno)
	}
	return nil
}
