package run

import (
	"fmt"
	"slices"
)

// A placement is one set of memory for the tensors of a task, all at one side
// of their guards.
type placement struct {
	side    side
	tensors []*guarded
	inputs  int
	args    *argv
	puts    int   // how often the inputs were written
	spare   spare // for packed operands
	kept    int64 // most bytes of packed operands that programs hold together, if several do

	holders []*program // of packed operands, those that were not used for longest first
}

// homeSet is the set of inputs that a placement holds unless a check swaps it.
var homeSet = [2]int{atUpper: 0, atLower: 1}

func newPlacement(s *signature, side side, inputs [][]byte) (*placement, error) {
	p := &placement{side: side, inputs: len(s.inputs()), kept: int64(s.Kept)}
	for _, t := range s.Tensors {
		g, err := newGuarded(t.bytes(), side)
		if err != nil {
			return nil, err
		}
		p.tensors = append(p.tensors, g)
	}
	if err := p.put(inputs); err != nil {
		return nil, err
	}
	p.args = newArgv(p.tensors)
	return p, nil
}

// put writes the inputs, and leaves them read-only.
func (p *placement) put(inputs [][]byte) error {
	p.puts++
	for i, data := range inputs {
		g := p.tensors[i]
		if err := g.unprotect(); err != nil {
			return fmt.Errorf("run: inputs: %w", err)
		}
		copy(g.data, data)
		if err := g.protect(); err != nil {
			return fmt.Errorf("run: inputs: %w", err)
		}
	}
	return nil
}

// spans lists where the tensors lie.
func (p *placement) spans(s *signature) []span {
	var list []span
	for i, g := range p.tensors {
		sp := g.span(i, p.side)
		sp.ReadOnly = i < p.inputs
		list = append(list, sp)
	}
	return list
}

// outputs are the tensors that a kernel writes.
func (p *placement) outputs() []*guarded { return p.tensors[p.inputs:] }

// poison fills the outputs, and the gaps around them with canaries.
func (p *placement) poison(s *signature, with poison) {
	for i, t := range s.outputs() {
		g := p.outputs()[i]
		g.arm()
		with.fill(g.data, t.Type)
	}
}

// A trial is one checking call.
type trial struct {
	side       side
	set        int
	poison     poison
	why        string
	part       bool       // of the outputs may be left unwritten
	timed      bool       // temporaries are as in calls that are timed
	arithmetic arithmetic // of the candidate
}

// trials are the calls by which a candidate is checked, in order. The third
// finds the addresses of the first with other contents, so that a kernel that
// remembers results by address is caught.
var trials = []trial{
	{side: atUpper, set: 0, poison: poisonNaN},
	{side: atLower, set: 1, poison: poisonHigh, why: "with other inputs at other addresses: "},
	{side: atUpper, set: 1, poison: poisonLow, why: "with other inputs at the same addresses: "},
}

// trialsOf returns trials of the candidate of an order.
func trialsOf(o *loadOrder) []trial {
	list := slices.Clone(trials)
	for i := range list {
		list[i].arithmetic = arithmetic{o.TF32, o.Growth}
	}
	return list
}

// check calls a candidate in the ways of trials, and returns what is wrong with
// its results, or "", and how long the last call took.
func check(c candidate, trials []trial) (bad string, seconds float64, err error) {
	for _, t := range trials {
		if bad, seconds, err = c.try(t); err != nil {
			return "", 0, err
		}
		if bad != "" {
			return t.why + bad, seconds, nil
		}
	}
	return "", seconds, nil
}

// compare compares the contents of the outputs with what is expected after a trial.
func (w *server) compare(outputs [][]byte, t trial) string {
	if t.part {
		if bad := w.complete(outputs, t); bad != "" {
			return bad
		}
	}
	for i, data := range outputs {
		if m := w.expect[t.set][i].of(t.arithmetic).compare(data, t.poison); m != nil {
			return m.String()
		}
	}
	return ""
}

// complete writes what is expected to elements of the outputs that still hold
// poison. It is wrong if all do.
func (w *server) complete(outputs [][]byte, t trial) string {
	written := int64(0)
	for i, data := range outputs {
		written += w.expect[t.set][i].complete(data, t.poison)
	}
	if written == 0 {
		return "no element of an output was written"
	}
	return ""
}
