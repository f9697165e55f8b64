package nvrtc

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"

	"golang.org/x/sys/unix"
)

// A request asks a worker to compile, in JSON.
type request struct {
	Library string // path of NVRTC, or ""
	Source  string // "" asks for the worker's Info only
	Options Options
}

// A response answers it.
type response struct {
	Info    Info
	Output  Output
	Against string // what the compiler says against the source
	Missing string // why there is no compiler
	Error   string // anything else
}

// Info describes a compiler.
type Info struct {
	Library      string // path or soname
	Major, Minor int    // version of CUDA
}

// workerMemory bounds the address space of a worker.
const workerMemory = 8 << 30

// Worker is the body of the hidden subcommand that compiles: it answers the one
// request on in. A process compiles once, so that nothing of one source, an open
// handle or broken memory, reaches another. It limits the resources of the
// process.
func Worker(in io.Reader, out io.Writer) error {
	runtime.LockOSThread()
	for _, l := range []struct {
		resource int
		value    uint64
	}{{unix.RLIMIT_CORE, 0}, {unix.RLIMIT_AS, workerMemory}} {
		if err := limit(l.resource, l.value); err != nil {
			return fmt.Errorf("nvrtc: worker: limits: %w", err)
		}
	}
	var q request
	if err := json.NewDecoder(in).Decode(&q); err != nil {
		return fmt.Errorf("nvrtc: worker: %w", err)
	}
	return json.NewEncoder(out).Encode(answer(q))
}

func answer(q request) response {
	l, err := load(q.Library)
	if err != nil {
		return response{Missing: err.Error()}
	}
	r := response{Info: Info{l.path, l.major, l.minor}}
	if q.Source == "" {
		return r
	}
	r.Output, err = l.compile(q.Source, q.Options)
	var against *sourceError
	switch {
	case errors.As(err, &against):
		r.Against = against.log
	case err != nil:
		r.Error = err.Error()
	}
	return r
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
