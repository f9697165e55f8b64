package build

import (
	"fmt"
	"io"
	"runtime/debug"

	"github.com/wmtune/wmtune/codegen/worker"
)

// workerKind is what a worker of this package calls itself.
const workerKind = "build"

// workerMemory bounds the address space of a worker; Go and libLLVM together
// need 2 GiB of it.
const workerMemory = 6 << 30

// A request asks a worker to compile the LLVM IR text in its blob. The first one has no
// text; the answer to it is the worker's Info.
type request struct {
	Library string // in the first request: path of libLLVM, or ""
	Options Options

	Question *Question // asks about a processor, and compiles nothing
}

// A response answers a request. Its blob is the output.
type response struct {
	Error string // about the program, or of the first request: about the library
	Info  *Info  // answer to the first request

	Processor *Processor // answer to a Question
}

// Worker is the main function of a process that compiles: it answers the requests on in
// until in ends. It limits the resources of the process.
func Worker(in io.Reader, out io.Writer) error {
	debug.SetGCPercent(400)
	var c *compiler
	service := worker.Service{Kind: workerKind, Memory: workerMemory}
	return worker.Serve(service, in, out, func(q *request, blobs [][]byte) (any, [][]byte) {
		if c == nil {
			var err error
			if c, err = newCompiler(q.Library); err != nil {
				return response{Error: err.Error()}, nil
			}
			return response{Info: &c.info}, nil
		}
		if q.Question != nil {
			p, err := c.processor(q.Question)
			if err != nil {
				return response{Error: err.Error()}, nil
			}
			return response{Processor: p}, nil
		}
		if len(blobs) != 1 {
			return response{Error: fmt.Sprintf("build: worker: a request with %d programs", len(blobs))}, nil
		}
		output, err := c.compile(blobs[0], q.Options)
		if err != nil {
			return response{Error: err.Error()}, nil
		}
		return response{}, [][]byte{output}
	})
}
