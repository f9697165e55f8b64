package run

import (
	"bytes"
	"fmt"

	"github.com/wmtune/wmtune/codegen/driver"
)

// bandBytes is the size of the bands of canaries on either side of a tensor on a GPU,
// where no memory can be forbidden. A multiple of what the driver aligns to.
const bandBytes = 64 << 10

// gpuAlign is the alignment that kernels of a GPU may rely on (cuda.Alignment). At
// atLower, tensors are not aligned to more.
const gpuAlign = 16

// A gpuMemory is memory on a GPU between two bands of canaries.
type gpuMemory struct {
	m     *driver.Memory
	start int64 // of the data
	bytes int64 // of the data
	all   int64
}

// gpuBytes is what memory for so many bytes takes with its bands.
func gpuBytes(size int64) int64 { return size + 2*bandBytes + gpuAlign }

func (e *gpuEngine) newMemory(size int64, s side) (*gpuMemory, error) {
	g := &gpuMemory{all: gpuBytes(size)}
	g.use(size, s)
	var err error
	g.m, err = e.ctx.Alloc(g.all)
	return g, err
}

// use makes the memory that of so many bytes, at most those that it was made for.
func (g *gpuMemory) use(size int64, s side) {
	g.start, g.bytes = bandBytes, size
	if s == atLower {
		g.start += gpuAlign
	}
}

// address is where the data start: the argument of a kernel.
func (g *gpuMemory) address() uint64 { return g.m.Address() + uint64(g.start) }

// put writes the data.
func (g *gpuMemory) put(data []byte) error { return g.m.Put(g.start, data) }

// get reads them.
func (g *gpuMemory) get(data []byte) error { return g.m.Get(g.start, data) }

// arm writes the canaries anew.
func (g *gpuMemory) arm() error {
	if err := g.m.Set(0, g.start, canary); err != nil {
		return err
	}
	return g.m.Set(g.start+g.bytes, g.after(), canary)
}

// after is the size of the band behind the data. Memory that was made for more has no
// larger one, as bands are copied in every check.
func (g *gpuMemory) after() int64 { return min(g.all-g.start-g.bytes, bandBytes) }

// damageText says what canaries were overwritten, as guarded.damageText does.
func (g *gpuMemory) damageText() (string, error) {
	before, after := make([]byte, g.start), make([]byte, g.after())
	if err := g.m.Get(0, before); err != nil {
		return "", err
	}
	if err := g.m.Get(g.start+g.bytes, after); err != nil {
		return "", err
	}
	for i, c := range before {
		if c != canary {
			return fmt.Sprintf("writes %d bytes before the start", len(before)-i), nil
		}
	}
	for i := len(after) - 1; i >= 0; i-- {
		if after[i] != canary {
			return fmt.Sprintf("writes %d bytes after the end", i+1), nil
		}
	}
	return "", nil
}

// A gpuPlacement is one set of memory for the tensors of a task.
type gpuPlacement struct {
	e       *gpuEngine
	tensors []*gpuMemory
}

func (e *gpuEngine) newPlacement(s side) (*gpuPlacement, error) {
	p := &gpuPlacement{e: e}
	for _, t := range e.w.sig.Tensors {
		g, err := e.newMemory(t.bytes(), s)
		if err != nil {
			return nil, err
		}
		if err := g.arm(); err != nil {
			return nil, err
		}
		p.tensors = append(p.tensors, g)
	}
	return p, p.hold(homeSet[s])
}

// hold writes a set of inputs.
func (p *gpuPlacement) hold(set int) error {
	for i, data := range p.e.w.vault.inputs[set] {
		if err := p.tensors[i].put(data); err != nil {
			return err
		}
	}
	return nil
}

// poison fills the outputs.
func (p *gpuPlacement) poison(with poison) error {
	inputs := len(p.e.w.sig.inputs())
	for i, t := range p.e.w.sig.outputs() {
		data := p.e.host[inputs+i]
		with.fill(data, t.Type)
		if err := p.tensors[inputs+i].put(data); err != nil {
			return err
		}
	}
	return nil
}

// fetch reads the outputs, and returns what was written where nothing may be: around
// tensors, and to inputs, which hold a set; "" if nothing was. What was is put right.
func (p *gpuPlacement) fetch(set int) (outputs [][]byte, bad string, err error) {
	s, inputs := p.e.w.sig, len(p.e.w.sig.inputs())
	for i, g := range p.tensors {
		t, kind, data := s.Tensors[i], "output", p.e.host[i]
		if i < inputs {
			kind = "input"
		}
		damage, err := g.damageText()
		if err == nil {
			err = g.get(data)
		}
		if err == nil && damage != "" {
			err = g.arm()
		}
		if err != nil {
			return nil, "", err
		}
		if i >= inputs {
			outputs = append(outputs, data)
		} else if at, changed := firstDifference(data, p.e.w.vault.inputs[set][i], int64(t.Type.Bytes())); changed {
			damage = fmt.Sprintf("writes element [%s]", indexText(at, t.Shape))
			err = g.put(p.e.w.vault.inputs[set][i])
		}
		if err != nil {
			return nil, "", err
		}
		if damage != "" && bad == "" {
			bad = damage + " of " + kind + " " + t.Name
		}
	}
	return outputs, bad, nil
}

// firstDifference returns the number of the first element, of so many bytes, in which
// two tensors differ.
func firstDifference(a, b []byte, size int64) (at int64, ok bool) {
	if bytes.Equal(a, b) {
		return 0, false
	}
	for at := int64(0); ; at++ {
		if !bytes.Equal(a[at*size:(at+1)*size], b[at*size:(at+1)*size]) {
			return at, true
		}
	}
}
