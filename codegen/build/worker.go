package build

import (
	"bufio"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"golang.org/x/sys/unix"
)

// workerMemory bounds the address space of a worker; Go and libLLVM together
// need 2 GiB of it.
const workerMemory = 6 << 30

// Worker is the body of the hidden subcommand that compiles: it answers the
// requests on in until in ends. It limits the resources of the process.
func Worker(in io.Reader, out io.Writer) error {
	runtime.LockOSThread()
	debug.SetGCPercent(400)
	for _, l := range []struct {
		resource int
		limit    uint64
	}{{unix.RLIMIT_CORE, 0}, {unix.RLIMIT_AS, workerMemory}} {
		if err := limit(l.resource, l.limit); err != nil {
			return fmt.Errorf("build: worker: limits: %w", err)
		}
	}
	r := bufio.NewReader(in)
	var first request
	if _, err := readFrame(r, &first); err != nil {
		return fmt.Errorf("build: worker: %w", err)
	}
	c, err := newCompiler(first.Library)
	if err != nil {
		return writeFrame(out, response{Error: err.Error()}, nil)
	}
	if err := writeFrame(out, response{Info: &c.info}, nil); err != nil {
		return err
	}
	for {
		var q request
		ir, err := readFrame(r, &q)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("build: worker: %w", err)
		}
		output, err := c.compile(ir, q.Options)
		var answer response
		if err != nil {
			answer.Error = err.Error()
		}
		if err := writeFrame(out, answer, output); err != nil {
			return err
		}
	}
}

// limit lowers a limit of the process, never above what it has.
func limit(resource int, value uint64) error {
	var now unix.Rlimit
	if err := unix.Getrlimit(resource, &now); err != nil {
		return err
	}
	value = min(value, now.Max)
	return unix.Setrlimit(resource, &unix.Rlimit{Cur: value, Max: value})
}
