package schedule

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
)

// A flow says how the stages of a state read each other once the inlined ones
// are substituted. It is made on first use and shared by all states with the
// same ops and inlined stages.
type flow struct {
	once    sync.Once
	made    atomic.Bool // once has been done: clones start from what is here
	given   *wiring     // of the state that this one was made of, if it is known; else ops is made anew
	ops     *wiring
	shared  bool         // other flows have the slices below, too: they are copied before they change
	inlined []bool       // by stage
	bodies  [][]tir.Expr // by stage; nil for a placeholder, and for one that is too large to be made
	loads   [][]access   // by stage, nil for one that is inlined or a placeholder
	readers [][]int      // by stage: those that read it, in order; none for an inlined one
}

// A wiring says how the ops of stages read each other as they are. All flows of the same
// ops share it.
type wiring struct {
	producer map[*tir.Buffer]int
	reads    [][]int // by stage: the stages that its op reads
	outputs  []bool  // by stage

	mu     sync.Mutex
	recent []*flow // made of late, the last one first: states inline in few ways, and share what that makes of bodies
}

// recentFlows bounds the flows that a wiring keeps. A body holds those inlined into it, so
// a flow of many stages can be large.
const recentFlows = 8

// worthKeeping is the share of stages, one in so many, whose bodies were made anew in a flow that
// others should find: to keep one means to copy its lists before the next change.
const worthKeeping = 4

// find returns a flow that was made for the same inlined stages, or nil.
func (w *wiring) find(stages []*Stage) *flow {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i, f := range w.recent {
		if f.isOf(stages) {
			copy(w.recent[1:i+1], w.recent[:i])
			w.recent[0] = f
			return f
		}
	}
	return nil
}

// isOf reports whether f was made for the stages that are inlined now.
func (f *flow) isOf(stages []*Stage) bool {
	for i, st := range stages {
		if f.inlined[i] != (st.At == Inlined && !st.Op.IsPlaceholder()) {
			return false
		}
	}
	return true
}

// keep remembers a flow that was made.
func (w *wiring) keep(f *flow) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.recent = slices.Insert(w.recent, 0, f)
	w.recent = w.recent[:min(len(w.recent), recentFlows)]
}

// An access is a load of another stage's result.
type access struct {
	stage int
	index []tir.Expr
}

// dataflow returns the flow of s.
func (s *State) dataflow() *flow {
	f := s.flow
	f.once.Do(func() {
		f.fill(s)
		f.made.Store(true)
	})
	return f
}

// clone returns a flow of the same ops that is yet to be made for other inlined stages,
// from what f has: most stages read what they did.
func (f *flow) clone() *flow {
	if !f.made.Load() {
		return &flow{given: f.given}
	}
	c := &flow{given: f.ops, ops: f.ops}
	c.share(f)
	return c
}

// reflow makes the flow of b's state follow what is inlined now.
func (b *builder) reflow() {
	if !b.ownsFlow {
		b.s.flow, b.ownsFlow = b.s.flow.clone(), true
	}
	b.s.flow.made.Store(false)
	b.s.flow.once = sync.Once{}
}

// fill brings a flow up to date: all of it, or, of a clone, what changes because stages
// are inlined now that were not, or the reverse.
func (f *flow) fill(s *State) {
	n := len(s.Stages)
	first := f.ops == nil
	if first {
		if f.ops = f.given; f.ops == nil {
			f.ops = newWiring(s)
		}
		f.inlined, f.bodies, f.loads, f.readers = make([]bool, n), make([][]tir.Expr, n), make([][]access, n),
			make([][]int, n)
	}
	if known := f.ops.find(s.Stages); known != nil {
		f.share(known)
		return
	}
	if f.shared {
		f.inlined, f.bodies = slices.Clone(f.inlined), slices.Clone(f.bodies)
		f.loads, f.readers, f.shared = slices.Clone(f.loads), slices.Clone(f.readers), false
	}
	differs := make([]bool, n) // what readers of the stage find in its place
	var reread []int           // stages whose loads are others now
	made := 0                  // bodies
	for i, st := range s.Stages {
		if st.Op.IsPlaceholder() {
			continue
		}
		inlined := st.At == Inlined
		stale := first || slices.ContainsFunc(f.ops.reads[i], func(p int) bool { return differs[p] })
		if stale {
			made++
			f.bodies[i] = inlineInto(st.Op, s.Stages, f.ops.producer, f.bodies)
		}
		differs[i] = inlined != f.inlined[i] || inlined && stale
		if stale || inlined != f.inlined[i] {
			reread = append(reread, i)
		}
		f.inlined[i] = inlined
	}
	f.reread(reread)
	if made*worthKeeping < n {
		return
	}
	f.shared = true
	f.ops.keep(&flow{ops: f.ops, inlined: f.inlined, bodies: f.bodies, loads: f.loads, readers: f.readers})
}

// share has f know what another flow of the same inlined stages knows.
func (f *flow) share(other *flow) {
	f.inlined, f.bodies, f.loads, f.readers, f.shared = other.inlined, other.bodies, other.loads, other.readers, true
}

// reread finds the loads of stages, in order, and the readers of what they read before
// and read now.
func (f *flow) reread(stages []int) {
	without := map[int]bool{} // stages whose list of readers is free of the given ones, and not shared
	forget := func(p int) {
		if !without[p] {
			without[p] = true
			f.readers[p] = slices.DeleteFunc(slices.Clone(f.readers[p]), func(r int) bool {
				_, found := slices.BinarySearch(stages, r)
				return found
			})
		}
	}
	for _, i := range stages {
		for _, l := range f.loads[i] {
			forget(l.stage)
		}
	}
	for _, i := range stages {
		f.loads[i] = nil
		if f.inlined[i] {
			continue
		}
		for _, body := range f.bodies[i] {
			tir.VisitExpr(body, func(e tir.Expr) bool {
				if l, ok := e.(*tir.Load); ok {
					f.loads[i] = append(f.loads[i], access{f.ops.producer[l.Buffer], l.Index})
				}
				return true
			})
		}
		for _, l := range f.loads[i] {
			forget(l.stage)
			if at, found := slices.BinarySearch(f.readers[l.stage], i); !found {
				f.readers[l.stage] = slices.Insert(f.readers[l.stage], at, i)
			}
		}
	}
}

func newWiring(s *State) *wiring {
	w := &wiring{producer: map[*tir.Buffer]int{}, reads: make([][]int, len(s.Stages)),
		outputs: make([]bool, len(s.Stages))}
	for i, st := range s.Stages {
		for _, r := range st.Op.Results {
			w.producer[r] = i
			w.outputs[i] = w.outputs[i] || slices.Contains(s.DAG.Results(), r)
		}
		for _, b := range st.Op.Reads() {
			w.reads[i] = append(w.reads[i], w.producer[b])
		}
	}
	return w
}

// inlineInto returns the body of op with the bodies of inlined producers in
// place of the loads of their results, or nil if that adds more than
// largestBody nodes. Producers come before op, so their bodies are free of
// inlined loads already.
func inlineInto(op *compute.Op, stages []*Stage, producer map[*tir.Buffer]int, bodies [][]tir.Expr) []tir.Expr {
	out := make([]tir.Expr, len(op.Body))
	added := 0 // nodes
	for k, body := range op.Body {
		out[k] = tir.SubstituteLoads(body, func(l *tir.Load) tir.Expr {
			p := producer[l.Buffer]
			if stages[p].At != Inlined || added > largestBody {
				return l
			}
			if bodies[p] == nil {
				added = largestBody + 1
				return l
			}
			from := stages[p].Op
			at := make(map[*tir.Var]tir.Expr, len(l.Index))
			for d, a := range from.Axes {
				at[a.Var] = l.Index[d]
			}
			e := bodies[p][slices.Index(from.Results, l.Buffer)]
			if added += substitutedNodes(e, at); added > largestBody {
				return l
			}
			return tir.Substitute(e, at)
		})
	}
	if added > largestBody {
		return nil
	}
	return out
}

// substitutedNodes returns how many nodes e has, at most, once variables are replaced.
func substitutedNodes(e tir.Expr, at map[*tir.Var]tir.Expr) int {
	size := make(map[*tir.Var]int, len(at))
	for v, r := range at {
		size[v] = tir.Nodes(r)
	}
	n := 0
	tir.VisitExpr(e, func(e tir.Expr) bool {
		n++
		if v, ok := e.(*tir.Var); ok {
			n += size[v]
		}
		return true
	})
	return n
}

// checkBodies returns an error if a body is too large to be made.
func (s *State) checkBodies() error {
	for i, body := range s.dataflow().bodies {
		if op := s.Stages[i].Op; body == nil && !op.IsPlaceholder() {
			return fmt.Errorf("stage %s, with the stages inlined into it, has more than %d nodes", op.Name, largestBody)
		}
	}
	return nil
}

// MostInlined bounds the expressions, in nodes, that a search should inline stages into: each stage of a chain that
// reads the one before twice would double them. Those of the operators have 1,100 at most.
const MostInlined = 1 << 14

// largestBody bounds the nodes that inlining adds to a body: step lists of others inline what no search does.
const largestBody = 16 * MostInlined

// InlinedSize returns how many nodes the largest body of a reader of a stage would have if the stage were inlined.
func (s *State) InlinedSize(stage int) int {
	f, largest := s.dataflow(), 0
	uses := map[*tir.Var]int{}
	for _, body := range f.bodies[stage] {
		tir.VisitExpr(body, func(e tir.Expr) bool {
			if v, ok := e.(*tir.Var); ok {
				uses[v]++
			}
			return true
		})
	}
	own := tir.Nodes(f.bodies[stage]...)
	for _, reader := range f.readers[stage] {
		size := tir.Nodes(f.bodies[reader]...)
		for _, l := range f.loads[reader] {
			if l.stage != stage {
				continue
			}
			size += own
			for d, a := range s.Stages[stage].Op.Axes {
				size += uses[a.Var] * tir.Nodes(l.index[d:d+1]...)
			}
		}
		largest = max(largest, size)
	}
	return largest
}

// InlinedBody returns the body of a stage with every inlined producer
// substituted, one expression per result; the source, if the stage reduces. It
// is nil for a placeholder.
func (s *State) InlinedBody(stage int) []tir.Expr { return s.dataflow().bodies[stage] }

// Readers returns the stages that read a stage, directly or through inlined
// ones, in order. An inlined stage has none.
func (s *State) Readers(stage int) []int { return s.dataflow().readers[stage] }

// IsOutput reports whether a stage computes a result of the program.
func (s *State) IsOutput(stage int) bool { return s.dataflow().ops.outputs[stage] }
