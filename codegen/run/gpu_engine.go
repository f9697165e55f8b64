package run

import (
	"fmt"
	"io"

	"github.com/wmtune/wmtune/codegen/driver"
)

// GPUWorker is Worker for candidates that run on a GPU, of the driver at a path; ""
// means the system's. The Runner of such workers has another Command for the
// reference.
//
// A process has one context. What a kernel does wrong poisons it: the candidate
// fails, and the Runner ends the process, as it does when a kernel does not return.
func GPUWorker(in io.Reader, out io.Writer, library string) error {
	return serve(gpuKind, in, out, func(w *server) engine { return &gpuEngine{w: w, library: library} })
}

// A gpuEngine runs candidates on a GPU.
type gpuEngine struct {
	w       *server
	library string

	ctx         *driver.Context
	start, stop *driver.Event
	meter       *driver.Meter    // nil if the clock cannot be read
	places      [2]*gpuPlacement // by side
	host        [][]byte         // as large as the tensors
	spare       []*gpuMemory     // workspaces, which candidates use in turn
	graph       callGraph        // of the candidate that is timed
	flush       *driver.Memory   // twice the second-level cache; nil if it stays warm
	flushBytes  int64
}

// found opens the GPU.
func (e *gpuEngine) found(s *signature, _ []byte) error {
	if e.ctx != nil {
		return nil
	}
	d, err := driver.Load(e.library)
	if err != nil {
		return fmt.Errorf("run: the GPU: %w", err)
	}
	list, err := d.Devices()
	if err != nil {
		return fmt.Errorf("run: the GPU: %w", err)
	}
	if s.Device < 0 || s.Device >= len(list) {
		return fmt.Errorf("run: there is no GPU %d: the driver finds %d", s.Device, len(list))
	}
	ctx, err := d.Open(s.Device)
	if err == nil {
		e.start, err = ctx.Event()
	}
	if err == nil {
		e.stop, err = ctx.Event()
	}
	if err != nil {
		return fmt.Errorf("run: the GPU: %w", err)
	}
	// Without its clock a GPU times as well.
	e.meter, _ = d.Meter(s.Device)
	e.ctx = ctx
	if s.Cold {
		e.flushBytes = 2 * list[s.Device].L2Bytes
	}
	return nil
}

// place makes memory for the tensors, twice. It is an error if the GPU has less
// free.
func (e *gpuEngine) place(*answer) error {
	need := e.flushBytes
	for _, t := range e.w.sig.Tensors {
		need += 2 * gpuBytes(t.bytes())
		e.host = append(e.host, make([]byte, t.bytes()))
	}
	free, all, err := e.ctx.Available()
	if err != nil {
		return fmt.Errorf("run: the GPU: %w", err)
	}
	if need > free {
		return fmt.Errorf("run: the tensors of this workload take %d MiB of the GPU's memory, of which %d of %d MiB are free",
			need>>20, free>>20, all>>20)
	}
	for _, side := range []side{atUpper, atLower} {
		if e.places[side], err = e.newPlacement(side); err != nil {
			return fmt.Errorf("run: the GPU: %w", err)
		}
	}
	if e.flushBytes > 0 {
		if e.flush, err = e.ctx.Alloc(e.flushBytes); err != nil {
			return fmt.Errorf("run: the GPU: %w", err)
		}
	}
	return nil
}

// clock reads the clock, which may be another one when the GPU has been idle for long.
func (e *gpuEngine) clock() driver.Clock {
	if e.meter == nil {
		return driver.Clock{}
	}
	c, err := e.meter.Clock()
	if err != nil {
		return driver.Clock{}
	}
	return c
}
