package transition

import (
	"strconv"

	"github.com/wmtune/wmtune/tir/compact"
	"github.com/wmtune/wmtune/tir/schedule"
)

// Text writes the action as one line, in the words and numbers of tir/compact:
//
//	SP s2 reduction output i0/3 spatial 2^6 -> 2 2^2 1 2^3
//	AN s2 reduction output i4/10 spatial 2^3 parallel
//	CA s2 reduction -> s3 elementwise output i1/6 spatial 2^4
func (a *Action) Text() string {
	w := words{}
	w.add(string(a.Kind))
	w.stage(a.Stage, a.Roles)
	if a.Fused != nil {
		w.add(strconv.Itoa(a.Fused.Loops))
	}
	if a.Loop != nil {
		w.loop(*a.Loop)
	}
	switch {
	case a.Split != nil:
		w.pieces(a.Split)
	case a.Kind == schedule.AN:
		w.add(a.Ann.String())
	case a.Kind == schedule.PR:
		w.number(a.Unroll)
	case a.Fused != nil:
		w.add("->")
		w.number(a.Fused.Extent)
	case a.Kind == schedule.RE:
		for _, l := range a.Order {
			w.b = strconv.AppendInt(append(w.b, " i"...), int64(l.At), 10)
		}
	case a.Target != nil:
		w.add("->")
		w.stage(a.Target.Stage, a.Target.Roles)
		w.loop(a.Target.Loop)
	case a.Cache != nil:
		w.add(a.Cache.Scope)
		if a.Cache.Readers > 0 {
			w.number(int64(a.Cache.Readers))
		}
	}
	return string(w.b)
}

type words struct{ b []byte }

func (w *words) add(text string) {
	if len(w.b) > 0 {
		w.b = append(w.b, ' ')
	}
	w.b = append(w.b, text...)
}

func (w *words) number(n int64) { w.b = compact.AppendNumber(append(w.b, ' '), n) }

func (w *words) stage(n int, roles []Role) {
	w.add("s" + strconv.Itoa(n))
	for _, r := range roles {
		w.add(r.String())
	}
}

var iterKinds = [...]string{
	schedule.Spatial: "spatial", schedule.Reduction: "reduce", schedule.Mixed: "mixed", schedule.Special: "special",
}

func (w *words) loop(l Loop) {
	w.add("i" + strconv.Itoa(l.At) + "/" + strconv.Itoa(l.Loops))
	w.add(iterKinds[l.Kind])
	w.number(l.Extent)
}

// pieces writes the loops that a split makes, outermost first.
func (w *words) pieces(p *Pieces) {
	w.add("->")
	if p.InnerToOuter {
		w.number(p.Outer)
	}
	for _, l := range p.Lengths {
		w.number(l)
	}
	if !p.InnerToOuter {
		w.number(p.Outer)
	}
}
