package compile

import (
	"bytes"
	"fmt"
	"math"

	"github.com/wmtune/wmtune/graph"
)

// A doubt says why comparing an output says little of it: nothing would be different if much were wrong.
type doubt struct {
	why     string       // "" if it has several numbers in some run
	first   *graph.Const // of the first run
	changed bool         // since then
}

// look looks at the outputs of a run.
func (c *compilation) look(list []*graph.Const) {
	for i, x := range list {
		why := c.plainness(i, x)
		d := c.doubts[i]
		if d == nil {
			c.doubts[i] = &doubt{why: why, first: x}
			continue
		}
		d.changed = d.changed || !bytes.Equal(x.Data, d.first.Data)
		if why == "" {
			d.why = ""
		}
	}
}

// plainness says what makes an output say little, or "". What the passes found out is a constant, is meant to be one.
func (c *compilation) plainness(i int, x *graph.Const) string {
	t := x.Tensor()
	if t.Len() == 0 || c.model.Graph.Outputs[i].Const != nil {
		return ""
	}
	finite, alike := false, t.Len() > 1
	for k := range t.Len() {
		v := t.At(k)
		finite = finite || !math.IsNaN(v) && !math.IsInf(v, 0)
		alike = alike && v == t.At(0)
	}
	switch {
	case !finite:
		return "all elements are NaN or infinite, by the reference too"
	case alike:
		return fmt.Sprintf("all elements are %v", t.At(0))
	}
	return ""
}

// doubtful returns a line for each output of which little was compared.
func (c *compilation) doubtful() []string {
	var list []string
	for i, v := range c.model.Original.Outputs {
		d := c.doubts[i]
		if d == nil || c.model.Graph.Outputs[i].Const != nil {
			continue
		}
		if n := c.judge.judged.Inputs; d.why == "" && n > 1 && !d.changed && len(d.first.Data) > 0 {
			d.why = fmt.Sprintf("it is the same for %d sets of random inputs", n)
		}
		if d.why != "" {
			list = append(list, fmt.Sprintf("output %s: %s", v.Name, d.why))
		}
	}
	return list
}
