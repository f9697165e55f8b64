package run

import (
	"github.com/wmtune/wmtune/codegen/driver"
	"github.com/wmtune/wmtune/dataset/measure"
)

// An engine is where a worker's candidates run: its own process (hostEngine), or a
// GPU (gpuEngine).
type engine interface {
	// found makes it ready for tasks, once per process.
	found(s *signature, runtimeObject []byte) error

	// place makes memory for the tensors of the worker's task.
	place(ans *answer) error

	// link loads a candidate. What is wrong with it is a *failure.
	link(o *loadOrder, object []byte) (candidate, error)

	// clock reads how fast it runs now, if that can be known.
	clock() driver.Clock
}

// A candidate is a loaded program. If it fails in a way that its results do not
// show, the error of a call is a *failure.
type candidate interface {
	// try calls it once, in the way of a trial, and returns what is wrong with its
	// results, or "", and how many seconds the call took.
	try(t trial) (bad string, seconds float64, err error)

	// ready makes the arguments that it is timed with, which hold until another
	// candidate's turn.
	ready() (bad string, err error)

	// call calls it n times in a row with these, and returns the seconds of all.
	call(n int) (seconds float64, err error)

	// settle frees what only checks need.
	settle() error

	close() error
}

// A failure is how a candidate failed. It is no error of the worker.
type failure struct {
	status measure.Status
	text   string
}

func (f *failure) Error() string { return f.status.String() + ": " + f.text }

// hostEngine runs candidates in the worker itself.
type hostEngine struct{ w *server }

func (e hostEngine) found(s *signature, runtimeObject []byte) error {
	return e.w.found(s, runtimeObject)
}

func (e hostEngine) place(ans *answer) error {
	w := e.w
	for _, side := range []side{atUpper, atLower} {
		var err error
		if w.places[side], err = newPlacement(w.sig, side, w.vault.inputs[homeSet[side]]); err != nil {
			return err
		}
		ans.Spans = append(ans.Spans, w.places[side].spans(w.sig)...)
	}
	var err error
	w.copies, err = newRotation(w.sig)
	return err
}

func (e hostEngine) link(o *loadOrder, object []byte) (candidate, error) {
	p, err := e.w.base.link(object, o.Symbol, o.Packs)
	if err != nil {
		return nil, &failure{measure.LoadError, err.Error()}
	}
	return &hostCandidate{w: e.w, p: p}, nil
}

func (hostEngine) clock() driver.Clock { return driver.Clock{} }

// A hostCandidate is a program in the worker's own process.
type hostCandidate struct {
	w     *server
	p     *program
	args  *argv  // that it is timed with
	turns *turns // the same, if calls take turns with copies of constant operands; else nil
}

func (c *hostCandidate) try(t trial) (bad string, seconds float64, err error) {
	w := c.w
	if !t.timed {
		defer w.base.guardBlocks()()
	}
	place := w.places[t.side]
	if t.set != homeSet[t.side] {
		if err := place.put(w.vault.inputs[t.set]); err != nil {
			return "", 0, err
		}
		defer func() {
			if e := place.put(w.vault.inputs[homeSet[t.side]]); e != nil {
				bad, err = "", e
			}
		}()
	}
	place.poison(w.sig, t.poison)
	args, bad, err := place.argsOf(w.page, w.sig, c.p)
	if err == nil {
		err = place.each(c.p, (*guarded).tighten)
	}
	if bad != "" || err != nil {
		return bad, 0, err
	}
	seconds = c.p.call(w.page, args, 1)
	outputs := make([][]byte, len(place.outputs()))
	for i, g := range place.outputs() {
		outputs[i] = g.data
		if d := g.damageText(); d != "" && bad == "" {
			bad = d + " of output " + w.sig.outputs()[i].Name
		}
	}
	if bad == "" {
		bad = w.compare(outputs, t)
	}
	return bad, seconds, nil
}

func (c *hostCandidate) ready() (bad string, err error) {
	place := c.w.places[atUpper]
	args, bad, err := place.argsOf(c.w.page, c.w.sig, c.p)
	if err == nil {
		err = place.each(c.p, (*guarded).loosen)
	}
	if args != c.args { // the operands were packed anew, and lie elsewhere
		c.turns.close()
		c.turns = nil
	}
	c.args = args
	if c.turns == nil && c.w.copies != nil && bad == "" && err == nil {
		c.turns = c.w.copies.turnsOf(place, c.p, c.args)
	}
	return bad, err
}

func (c *hostCandidate) call(n int) (seconds float64, err error) {
	if c.turns != nil {
		return c.p.callTurns(c.w.page, c.turns, n), nil
	}
	return c.p.call(c.w.page, c.args, n), nil
}

// settle frees the other placement's packed operands.
func (c *hostCandidate) settle() error { return c.p.unpack(c.w.places[atLower]) }

func (c *hostCandidate) close() error {
	c.turns.close()
	return c.p.close()
}
