package nvrtc

import (
	"errors"
	"io"

	"github.com/wmtune/wmtune/codegen/worker"
)

// workerKind is what a worker of this package calls itself.
const workerKind = "nvrtc"

// workerMemory bounds the address space of a worker.
const workerMemory = 8 << 30

// A request asks a worker to compile the source in its blob; without one, it asks for
// the worker's Info only.
type request struct {
	Library string // path of NVRTC, or ""
	Arch    string // that it must know, or ""
	Driver  int    // that must load what it makes, or 0
	Options Options
}

// A response answers it. Its blobs are the machine code and the PTX text.
type response struct {
	Info    Info
	Log     string
	Kernels []Usage
	Against string // what the compiler says against the source
	Missing string // why there is no compiler
	Error   string // anything else
}

// Info describes a compiler.
type Info struct {
	Library      string // path or soname
	Major, Minor int    // version of CUDA
}

// Worker is the main function of a process that compiles: it answers the request on in.
// It limits the resources of the process.
func Worker(in io.Reader, out io.Writer) error {
	return worker.Serve(worker.Service{Kind: workerKind, Memory: workerMemory}, in, out, answer)
}

func answer(q *request, blobs [][]byte) (any, [][]byte) {
	l, err := load(q.Library, q.Arch, q.Driver)
	if err != nil {
		return response{Missing: err.Error()}, nil
	}
	r := response{Info: Info{l.path, l.major, l.minor}}
	if len(blobs) == 0 {
		return r, nil
	}
	out, err := l.compile(string(blobs[0]), q.Options)
	var against *sourceError
	switch {
	case errors.As(err, &against):
		r.Against = against.log
	case err != nil:
		r.Error = err.Error()
	}
	r.Log, r.Kernels = out.Log, out.Kernels
	return r, [][]byte{out.Cubin, out.PTX}
}
