package run

import (
	"errors"
	"fmt"

	"github.com/wmtune/wmtune/codegen/driver"
	"github.com/wmtune/wmtune/codegen/worker"
	"github.com/wmtune/wmtune/dataset/measure"
)

// A gpuCandidate is a program on a GPU: kernels that are launched one after the
// other.
type gpuCandidate struct {
	e          *gpuEngine
	module     *driver.Module
	kernels    []*driver.Function
	launches   []measure.Launch
	workspaces []int64

	called  bool             // its kernels were launched before
	bound   []*driver.Launch // what it is timed with
	seconds float64          // of a call; 0 if not known
}

// link loads a cubin.
func (e *gpuEngine) link(o *loadOrder, object []byte) (candidate, error) {
	c := &gpuCandidate{e: e, launches: o.Launches, workspaces: o.Workspaces}
	if len(o.Launches) == 0 || len(o.Packs) > 0 {
		return nil, errors.New("run: a program for a GPU has launches, and packs nothing")
	}
	var err error
	if c.module, err = e.ctx.Load(object); err != nil {
		return nil, failed("", err)
	}
	for _, l := range o.Launches {
		f, err := c.module.Function(l.Kernel)
		if err != nil {
			return nil, errors.Join(failed(l.Kernel, err), c.module.Unload())
		}
		c.kernels = append(c.kernels, f)
	}
	return c, nil
}

// failed makes the failure of a candidate of an error of the driver. Kernel is the one
// that was launched, if that is known.
func failed(kernel string, err error) error {
	var e *driver.Error
	if !errors.As(err, &e) {
		return err
	}
	text := e.Error()
	if kernel != "" {
		text = "kernel " + kernel + ": " + text
	}
	return &failure{statusOf(e), text}
}

// statusOf says what an error of the driver means for the candidate that caused it.
func statusOf(e *driver.Error) measure.Status {
	switch e.Code {
	case driver.OutOfMemory:
		return measure.OutOfMemory
	case driver.LaunchTimeout:
		return measure.RunTimeout
	}
	if e.Poisons() {
		return measure.Crash
	}
	return measure.LoadError
}

// bind gives the kernels the tensors of a placement, and workspaces.
func (c *gpuCandidate) bind(p *gpuPlacement, s side) ([]*driver.Launch, error) {
	if err := c.e.reserve(c.workspaces, s); err != nil {
		return nil, err
	}
	list := make([]*driver.Launch, len(c.launches))
	for i, l := range c.launches {
		args := make([]uint64, len(l.Args))
		for k, a := range l.Args {
			switch spare := a - len(p.tensors); {
			case a >= 0 && spare < 0:
				args[k] = p.tensors[a].address()
			case a >= 0 && spare < len(c.workspaces):
				args[k] = c.e.spare[spare].address()
			default:
				return nil, fmt.Errorf("run: kernel %s takes argument %d of %d tensors and %d workspaces", l.Kernel, a,
					len(p.tensors), len(c.workspaces))
			}
		}
		list[i] = c.kernels[i].Bind(dim(l.Grid), dim(l.Block), args...)
	}
	return list, nil
}

func dim(d [3]int64) driver.Dim { return driver.Dim{X: uint32(d[0]), Y: uint32(d[1]), Z: uint32(d[2])} }

// reserve makes the spare memory large enough for workspaces, fills it with NaN, and
// arms the canaries around each. The failure says if the GPU has not as much.
func (e *gpuEngine) reserve(sizes []int64, s side) error {
	for i, size := range sizes {
		if i == len(e.spare) {
			e.spare = append(e.spare, nil)
		}
		g := e.spare[i]
		if g != nil && g.all < gpuBytes(size) {
			if err := g.m.Free(); err != nil {
				return failed("", err)
			}
			e.spare[i], g = nil, nil
		}
		if g == nil {
			free, _, err := e.ctx.Available()
			if err != nil {
				return failed("", err)
			}
			if gpuBytes(size) > free {
				return &failure{measure.OutOfMemory,
					fmt.Sprintf("a workspace of %d MiB: the GPU has %d MiB free", size>>20, free>>20)}
			}
			if g, err = e.newMemory(size, s); err != nil {
				return failed("", err)
			}
			e.spare[i] = g
		}
		g.use(size, s)
		err := g.arm()
		if err == nil {
			err = g.m.Set(g.start, g.bytes, 0xff)
		}
		if err != nil {
			return failed("", err)
		}
	}
	return nil
}

// try calls the candidate in the way of a trial.
func (c *gpuCandidate) try(t trial) (bad string, seconds float64, err error) {
	e := c.e
	p := e.places[t.side]
	if t.set != homeSet[t.side] {
		if err := p.hold(t.set); err != nil {
			return "", 0, failed("", err)
		}
		defer func() {
			if e := p.hold(homeSet[t.side]); e != nil && err == nil {
				bad, err = "", failed("", e)
			}
		}()
	}
	if err := p.poison(t.poison); err != nil {
		return "", 0, failed("", err)
	}
	launches, err := c.bind(p, t.side)
	if err != nil {
		return "", 0, err
	}
	if seconds, err = c.once(launches); err != nil {
		return "", 0, err
	}
	outputs, bad, err := p.fetch(t.set)
	for i := range c.workspaces {
		damage := ""
		if err == nil && bad == "" {
			damage, err = e.spare[i].damageText()
		}
		if damage != "" {
			bad = fmt.Sprintf("%s of workspace %d", damage, i)
		}
	}
	if err != nil {
		return "", 0, failed("", err)
	}
	if bad == "" {
		bad = e.w.compare(outputs, t)
	}
	if bad == "" && !c.called {
		// Drivers load a kernel's code when it is launched first: that call says nothing of
		// the kernel.
		c.called = true
		seconds, err = c.once(launches)
	}
	return bad, seconds, err
}

// once launches the kernels and waits for each, so that one that fails is known.
func (c *gpuCandidate) once(launches []*driver.Launch) (seconds float64, err error) {
	page := c.e.w.page
	page.begin()
	defer page.end()
	start := worker.Monotonic()
	for i, l := range launches {
		err := l.Launch()
		if err == nil {
			err = c.e.ctx.Synchronize()
		}
		if err != nil {
			return 0, failed(c.launches[i].Kernel, err)
		}
	}
	return float64(worker.Monotonic()-start) * 1e-9, nil
}

func (c *gpuCandidate) settle() error { return nil }

// close unloads the code. That it fails where the context is poisoned says nothing
// new.
func (c *gpuCandidate) close() error {
	var err error
	if c.e.graph.of == c {
		err = c.e.graph.forget()
	}
	return errors.Join(failed("", err), failed("", c.module.Unload()))
}
