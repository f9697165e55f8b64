package autotvm

import (
	"slices"

	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/schedule"
)

// A script makes a state as a template's script does: it names loops. The first error stays.
type script struct {
	*arguments
	state *schedule.State   // a draft
	ops   []*stage          // in the order of the state's stages
	named map[string]*stage // those of the DAG
}

// A stage is one of the state, with its loops.
type stage struct {
	script *script
	loops  []*loop
}

// A loop is an iterator of a stage.
type loop struct{ of *stage }

// newScript begins with a DAG. The stages are those of its ops.
func newScript(a *arguments, d *compute.DAG) *script {
	s := &script{arguments: a, state: schedule.New(d).Draft(), named: map[string]*stage{}}
	for _, op := range d.Ops {
		st := s.stage(len(op.Axes) + len(op.ReduceAxes))
		s.ops, s.named[op.Name] = append(s.ops, st), st
	}
	return s
}

func (s *script) stage(loops int) *stage {
	st := &stage{script: s}
	for range loops {
		st.loops = append(st.loops, &loop{st})
	}
	return st
}

func (s *script) apply(step schedule.Step) {
	if s.err != nil {
		return
	}
	next, err := s.state.Apply(step)
	if err != nil {
		s.fail(unmapped("a schedule with a step %s that is illegal here (%v)", step.Kind(), err))
		return
	}
	s.state = next
}

func (st *stage) number() int { return slices.Index(st.script.ops, st) }

func (l *loop) position() int { return slices.Index(l.of.loops, l) }

// cacheWrite makes a stage that computes st into a scope; st copies it.
func (st *stage) cacheWrite(scope string) *stage {
	s, at := st.script, st.number()
	s.apply(schedule.CacheWrite{At: at, Scope: scope})
	made := s.stage(len(st.loops))
	s.ops = slices.Insert(s.ops, at, made)
	if s.err == nil {
		st.loops = st.loops[:len(s.state.Stages[at+1].Op.Axes)]
	}
	return made
}

// cacheRead makes a copy of st in a scope that the reader reads.
func (st *stage) cacheRead(scope string, reader *stage) *stage {
	s, at := st.script, st.number()
	s.apply(schedule.CacheRead{At: at, Scope: scope, Readers: []int{reader.number()}})
	dims := 0
	if s.err == nil {
		dims = len(s.state.Stages[at+1].Op.Axes)
	}
	made := s.stage(dims)
	s.ops = slices.Insert(s.ops, at+1, made)
	return made
}

func (st *stage) inline() { st.script.apply(schedule.ComputeInline{At: st.number()}) }

func (st *stage) computeAt(l *loop) {
	st.script.apply(schedule.ComputeAt{At: st.number(), Target: l.of.number(), TargetIter: l.position()})
}

// split splits a loop into pieces of lengths, of which the first is what remains.
func (l *loop) split(lengths []int64) []*loop { return l.cut(lengths[1:], true) }

// factor splits a loop in two, the inner piece of a length; parts the outer one.
func (l *loop) factor(n int64) []*loop { return l.cut([]int64{n}, true) }
func (l *loop) parts(n int64) []*loop  { return l.cut([]int64{n}, false) }

func (l *loop) cut(lengths []int64, innerToOuter bool) []*loop {
	st, at := l.of, l.position()
	s, extent := st.script, int64(0)
	if s.err == nil {
		extent = max(s.state.Stages[st.number()].Iters[at].Extent, 0)
	}
	s.apply(schedule.Split{At: st.number(), Iter: at, Extent: extent, Lengths: lengths, InnerToOuter: innerToOuter})
	pieces := st.script.stage(len(lengths) + 1).loops
	for _, p := range pieces {
		p.of = st
	}
	st.loops = slices.Concat(st.loops[:at], pieces, st.loops[at+1:]) // templates keep the old list
	return pieces
}

// reorder gives loops of a stage the places that they have together, in this order.
func (st *stage) reorder(list ...*loop) {
	order, next, k := make([]int, len(st.loops)), slices.Clone(st.loops), 0
	for i, l := range st.loops {
		if slices.Contains(list, l) {
			next[i] = list[k]
			k++
		}
		order[i] = next[i].position()
	}
	st.script.apply(schedule.Reorder{At: st.number(), Order: order})
	st.loops = next
}

// fuse makes one of loops that follow each other.
func (st *stage) fuse(list ...*loop) *loop {
	first := list[0].position()
	iters := make([]int, len(list))
	for i := range list {
		iters[i] = first + i
	}
	st.script.apply(schedule.Fuse{At: st.number(), Iters: iters})
	fused := &loop{st}
	st.loops = slices.Concat(st.loops[:first], []*loop{fused}, st.loops[first+len(list):])
	return fused
}

func (l *loop) annotate(a schedule.Annotation) {
	l.of.script.apply(schedule.Annotate{At: l.of.number(), Iter: l.position(), Ann: a})
}

// bind annotates loops one by one.
func bind(loops []*loop, as ...schedule.Annotation) {
	for i, l := range loops {
		l.annotate(as[i])
	}
}

func (st *stage) unroll(steps int64) {
	st.script.apply(schedule.Pragma{At: st.number(), Text: schedule.UnrollPragma(int(steps))})
}
