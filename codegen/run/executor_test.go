package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"time"

	"github.com/wmtune/wmtune/codegen/worker"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/tir"
)

// An Executor calls compiled functions once each, on given inputs, in a worker
// process. It is for one goroutine at a time.
type Executor struct {
	cfg     Config
	runtime []byte
	proc    *workerProcess
	calls   int
}

// NewExecutor returns an executor; runtime is the object of llvm.RuntimeIR. Of
// the configuration it uses Command, Cores, Timeout and MemoryLimit; without Cores,
// threads run where they like.
func NewExecutor(cfg Config, runtime []byte) (*Executor, error) {
	if len(cfg.Command) == 0 {
		return nil, errors.New("run: no command to start a worker with")
	}
	return &Executor{cfg: cfg.withDefaults(), runtime: runtime}, nil
}

// Close ends the worker.
func (x *Executor) Close() error {
	if x.proc != nil {
		x.proc.kill()
		x.proc = nil
	}
	return nil
}

// Exec calls a built function. Args are the contents of its parameters, those that
// are packed as its caller has them: inputs, which it may not write, then outputs,
// which are overwritten, and which hold poison before the call. If the function fails,
// the status and the message of the result say how; without failure the status is OK.
// The error is for what is not the function's fault.
func (x *Executor) Exec(
	ctx context.Context, f *tir.Func, built measure.BuildResult, args [][]byte,
) (measure.Result, error) {
	if len(args) != len(f.Params) {
		return measure.Result{}, fmt.Errorf("run: %d arguments for %d parameters of %s", len(args), len(f.Params), f.Name)
	}
	sig := &signature{Outputs: f.Outputs, Symbol: built.Symbol, Cores: x.cfg.Cores, Limit: x.cfg.MemoryLimit}
	for i := range f.Params {
		b := f.Plain(i)
		if int64(len(args[i])) != b.Bytes() {
			return measure.Result{}, fmt.Errorf("run: argument %d is %d bytes, parameter %s is %d", i, len(args[i]),
				b.Name, b.Bytes())
		}
		// The shape only serves messages: memory is that of all elements.
		sig.Tensors = append(sig.Tensors, tensor{Name: b.Name, Type: b.Type, Shape: []int64{b.Extent()}})
	}
	if x.proc == nil {
		p, err := startIdle(ctx, executorKind, x.cfg.Command)
		if err != nil {
			return measure.Result{}, err
		}
		x.proc = p
	}
	order := &execOrder{Task: sig, Packs: built.Packs, Side: side(x.calls % 2)}
	x.calls++
	start := time.Now()
	blobs := append([][]byte{x.runtime, built.Object}, args[:len(args)-f.Outputs]...)
	lim := limits{x.cfg.Timeout, 2*x.cfg.Timeout + time.Duration(float64(sig.bytes())/50e6*float64(time.Second))}
	ans := &answer{}
	outputs, err := x.proc.Ask(ctx, lim.of(x.proc.page), order, ans, blobs...)
	if err != nil {
		err = x.proc.ended(err)
	}
	res := measure.Result{Seconds: time.Since(start).Seconds(), Unix: start.Unix()}
	var late *worker.DeadlineError
	var dead *deathError
	switch {
	case err == nil && ans.Error != "":
		x.Close()
		return res, fmt.Errorf("run: worker: %s", ans.Error)
	case err == nil:
		res.Status, res.Message = ans.Status, ans.Message
		for i, data := range outputs {
			copy(args[len(args)-f.Outputs+i], data)
		}
		return res, nil
	case errors.As(err, &late):
		res.Status, res.Message = measure.RunTimeout, late.Error()
	case errors.As(err, &dead):
		res.Status, res.Message = judge(dead, sig, nil)
	default:
		x.Close()
		return res, err
	}
	x.Close()
	return res, nil
}

// executorKind is what an executor's worker calls itself.
const executorKind = "executor"

type execOrder struct {
	Task  *signature
	Packs []measure.Pack
	Side  side
}

// ExecutorWorker is the main function of an executor's worker.
func ExecutorWorker(in io.Reader, out io.Writer) error {
	runtime.LockOSThread()
	page, err := openStatusPage(statusFile)
	if err != nil {
		return err
	}
	w := &server{page: page}
	return worker.Serve(worker.Service{Kind: executorKind}, in, out, func(o *execOrder, blobs [][]byte) (any, [][]byte) {
		ans := &answer{}
		outputs, err := w.exec(o, blobs, ans)
		if err != nil {
			ans.Error = err.Error()
		}
		return ans, outputs
	})
}

// exec calls a kernel once on the inputs in blobs, after the run-time and the
// kernel, and returns its outputs.
func (w *server) exec(o *execOrder, blobs [][]byte, ans *answer) (outputs [][]byte, err error) {
	restore, err := catchFaults(w.page)
	if err != nil {
		return nil, err
	}
	defer restore()
	s := o.Task
	if len(blobs) != 2+len(s.inputs()) {
		return nil, fmt.Errorf("run: worker: %d blobs for %d inputs", len(blobs), len(s.inputs()))
	}
	if err = w.found(s, blobs[0]); err != nil {
		return nil, err
	}
	place, err := newPlacement(s, o.Side, blobs[2:])
	if err != nil {
		return nil, err
	}
	defer place.close()
	p, err := w.base.link(blobs[1], s.Symbol, o.Packs)
	if err != nil {
		ans.Status, ans.Message = measure.LoadError, err.Error()
		return nil, nil
	}
	defer p.close()
	place.poison(s, poisonNaN)
	defer w.base.guardBlocks()()
	args, bad, err := place.argsOf(w.page, s, p)
	if err != nil {
		return nil, err
	}
	if bad != "" {
		ans.Status, ans.Message = measure.WrongAnswer, bad
		return nil, nil
	}
	p.call(w.page, args, 1)
	ans.Status = measure.OK
	for i, g := range place.outputs() {
		if bad := g.damageText(); bad != "" {
			ans.Status, ans.Message = measure.WrongAnswer, bad+" of output "+s.outputs()[i].Name
		}
		outputs = append(outputs, append([]byte(nil), g.data...))
	}
	return outputs, nil
}

// close unmaps the tensors, and what programs left, which end before it.
func (p *placement) close() {
	p.args.close()
	p.spare.close()
	for _, g := range p.tensors {
		g.close()
	}
}

// close unmaps all.
func (s *spare) close() error {
	var errs []error
	for _, g := range s.list {
		errs = append(errs, g.close())
	}
	s.list, s.bytes = nil, 0
	return errors.Join(errs...)
}
