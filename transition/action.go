package transition

import (
	"slices"
	"strconv"
	"strings"

	"github.com/wmtune/wmtune/tir/compact"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/schedule"
)

// An Action is a step with what it refers to.
type Action struct {
	Kind  schedule.Kind
	Stage int
	Roles []Role // of the stage

	Stages, Steps int  // of the state before
	Same          bool // the step before transformed the same stage

	Loop   *Loop   // the iterator addressed; nil if the kind addresses none
	Split  *Pieces // of SP, FSP and FFSP
	Ann    schedule.Annotation
	Unroll int64  // of PR
	Fused  *Fused // of FU
	Order  []Loop // of RE: the loops in their new order
	Target *Place // of CA
	Cache  *Cache // of CHR and CHW
	Tile   int64  // of WG; else 0
}

// A Loop is an iterator.
type Loop struct {
	At, Loops int // position from outside, and number of iterators of the stage
	Kind      schedule.IterKind
	Extent    int64
}

// Pieces are what a split makes.
type Pieces struct {
	Outer        int64 // the piece that gets what remains
	Lengths      []int64
	InnerToOuter bool
	Divides      bool // the lengths divide the extent
}

// Fused is what a fusion makes.
type Fused struct {
	Loops    int
	Extent   int64
	Spatial  bool // all of them
	Attached bool // a stage is computed in one of them
}

// A Place is where a stage is computed.
type Place struct {
	Stage           int
	Roles           []Role
	Loop            Loop
	Outside, Inside int64 // iterations of the target's loops up to it, and within it
}

// A Cache is a copy in another memory.
type Cache struct {
	Scope   string
	Readers int
}

// unrollPragma begins the text of a pragma that limits unrolling.
const unrollPragma = "auto_unroll_max_step"

// Resolve returns the action of a step that can be applied to a state. The
// extents are those after bound inference.
func Resolve(before *schedule.State, step schedule.Step) Action {
	r := resolver{s: before}
	return r.resolve(step)
}

func (r *resolver) resolve(step schedule.Step) Action {
	before := r.s
	a := Action{
		Kind: step.Kind(), Stage: step.Stage(), Roles: rolesOf(before, step.Stage()),
		Stages: len(before.Stages), Steps: len(before.Steps),
	}
	if n := len(before.Steps); n > 0 {
		a.Same = before.Steps[n-1].Stage() == a.Stage
	}
	switch step := step.(type) {
	case schedule.Annotate:
		a.Loop, a.Ann = r.loop(step.At, step.Iter), step.Ann
	case schedule.Fuse:
		r.fuse(step, &a)
	case schedule.Pragma:
		a.Loop = r.loop(step.At, step.Iter)
		if number, ok := strings.CutPrefix(step.Text, unrollPragma+"$"); ok { // other pragmas have none
			a.Unroll, _ = strconv.ParseInt(number, 10, 64)
		}
	case schedule.Reorder:
		for _, old := range step.Order {
			a.Order = append(a.Order, *r.loop(step.At, old))
		}
	case schedule.Split:
		a.Loop = r.loop(step.At, step.Iter)
	case schedule.FollowSplit:
		a.Loop = r.loop(step.At, step.Iter)
	case schedule.FollowFusedSplit:
		a.Loop = r.loop(step.At, step.Iter)
	case schedule.StorageAlign:
		a.Loop = r.loop(step.At, step.Iter)
	case schedule.ComputeAt:
		a.Target = r.place(step.Target, step.TargetIter)
	case schedule.CacheRead:
		a.Cache = &Cache{Scope: step.Scope, Readers: len(step.Readers)}
	case schedule.CacheWrite:
		a.Cache = &Cache{Scope: step.Scope}
	case schedule.Rfactor:
		a.Loop = r.loop(step.At, step.Iter)
	case schedule.Winograd:
		a.Tile = step.Tile
	}
	if lengths, inner, err := before.SplitLengths(step); err == nil && a.Loop != nil {
		a.Split = pieces(a.Loop.Extent, lengths, inner)
	}
	return a
}

// A resolver looks things up in a state, whose bounds it infers when they are
// first asked for and not known.
type resolver struct {
	s     *schedule.State
	bound *schedule.State
}

// iters returns the iterators of a stage with their extents.
func (r *resolver) iters(stage int) []*schedule.Iterator {
	iters := r.s.Stages[stage].Iters
	for _, it := range iters {
		if it.Extent != schedule.Unknown {
			continue
		}
		if r.bound == nil {
			var err error
			if r.bound, err = r.s.InferBound(); err != nil {
				return iters // the number of iterations is out of range, or open
			}
		}
		return r.bound.Stages[stage].Iters
	}
	return iters
}

// loop returns an iterator, or nil if there is none: a PR step may name one that is
// out of range.
func (r *resolver) loop(stage, iter int) *Loop {
	iters := r.iters(stage)
	if iter < 0 || iter >= len(iters) {
		return nil
	}
	return &Loop{At: iter, Loops: len(iters), Kind: iters[iter].Kind, Extent: max(iters[iter].Extent, 1)}
}

func (r *resolver) fuse(step schedule.Fuse, a *Action) {
	f := &Fused{Loops: len(step.Iters), Extent: 1, Spatial: true}
	for _, i := range step.Iters {
		l := r.loop(step.At, i)
		f.Extent *= l.Extent
		f.Spatial = f.Spatial && l.Kind == schedule.Spatial
		f.Attached = f.Attached || len(r.s.Attach.Inside(step.At, i)) > 0
	}
	if len(step.Iters) > 0 {
		a.Loop = r.loop(step.At, step.Iters[0])
	}
	a.Fused = f
}

func (r *resolver) place(stage, iter int) *Place {
	p := &Place{Stage: stage, Roles: rolesOf(r.s, stage), Loop: *r.loop(stage, iter), Outside: 1, Inside: 1}
	for k, it := range r.iters(stage) {
		if k <= iter {
			p.Outside *= max(it.Extent, 1)
		} else {
			p.Inside *= max(it.Extent, 1)
		}
	}
	return p
}

// pieces splits an extent.
func pieces(extent int64, lengths []int64, innerToOuter bool) *Pieces {
	p := &Pieces{Outer: extent, Lengths: lengths, InnerToOuter: innerToOuter, Divides: true}
	for _, l := range lengths {
		l = max(l, 1)
		p.Divides = p.Divides && p.Outer%l == 0
		p.Outer = (p.Outer + l - 1) / l
	}
	return p
}

// A Role says what a stage is for. A stage may have several.
type Role uint8

// The roles of stages.
const (
	Placeholder Role = iota
	Elementwise      // computes without a reduction
	Reduction
	CacheRead
	CacheWrite
	Rfactor
	Output
	Inlined
	roleCount
)

var roleNames = [roleCount]string{"placeholder", "elementwise", "reduction", "cache_read", "cache_write", "rfactor",
	"output", "inlined"}

func (r Role) String() string { return roleNames[r] }

// rolesOf returns the roles of a stage, in order.
func rolesOf(s *schedule.State, stage int) []Role {
	st := s.Stages[stage]
	if st.Op.IsPlaceholder() {
		return []Role{Placeholder}
	}
	list := []Role{Elementwise}
	if st.Op.Combine != nil {
		list[0] = Reduction
	}
	if made := madeBy(s.Steps)(stage); made < roleCount {
		list = append(list, made)
	}
	if s.IsOutput(stage) {
		list = append(list, Output)
	}
	if st.At == schedule.Inlined {
		list = append(list, Inlined)
	}
	return list
}

// madeBy returns a function that says which kind of step made a stage; roleCount
// for a stage of the DAG. Stages after a new one move by one.
func madeBy(steps []schedule.Step) func(stage int) Role {
	var at []int // stages that steps made, by their numbers now
	var roles []Role
	for _, step := range steps {
		stage, n := schedule.Adds(step)
		role := roleCount
		switch step.Kind() {
		case schedule.CHR:
			role = CacheRead
		case schedule.CHW:
			role = CacheWrite
		case schedule.RF:
			role = Rfactor
		}
		for i := range at {
			if at[i] >= stage {
				at[i] += n
			}
		}
		if role < roleCount {
			at, roles = append(at, stage), append(roles, role)
		}
	}
	return func(stage int) Role {
		if i := slices.Index(at, stage); i >= 0 {
			return roles[i]
		}
		return roleCount
	}
}

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
	case a.Tile > 0:
		w.number(a.Tile)
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

// A Path is a state on the way, to which steps are applied one after the other,
// each resolved before. Bounds that were inferred for one step serve the next, where
// they cannot have changed.
type Path struct {
	State *schedule.State
	bound *schedule.State // State with bounds, up to annotations; nil if not asked for
}

// NewPath begins with no steps.
func NewPath(d *compute.DAG) Path { return Path{State: schedule.New(d)} }

// Resolve returns the action of a step that can be applied. It equals the function
// Resolve.
func (p *Path) Resolve(step schedule.Step) Action {
	r := resolver{s: p.State, bound: p.bound}
	a := r.resolve(step)
	p.bound = r.bound
	return a
}

// Apply returns the path after a step.
func (p Path) Apply(step schedule.Step) (Path, error) {
	s, err := p.State.Apply(step)
	if err != nil {
		return p, err
	}
	next := Path{State: s}
	if keepsBounds(step) {
		next.bound = p.bound
	}
	return next, nil
}

// keepsBounds reports whether no bound depends on a step: annotations decide on
// bounds only where loops become threads, that share memory.
func keepsBounds(step schedule.Step) bool {
	switch step := step.(type) {
	case schedule.Annotate:
		return !step.Ann.IsThread()
	case schedule.Pragma:
		return strings.HasPrefix(step.Text, unrollPragma)
	}
	return false
}

// Vectors returns the vectors of a list of steps, Size numbers each.
func Vectors(d *compute.DAG, steps []schedule.Step) ([]float32, error) {
	out := make([]float32, len(steps)*Size)
	p := NewPath(d)
	for t, step := range steps {
		next, err := p.Apply(step)
		if err != nil {
			return nil, err
		}
		a := p.Resolve(step)
		a.Vector(out[t*Size:])
		next.inherit(&p, step)
		p = next
	}
	return out, nil
}

// inherit takes over bounds that were inferred after the step was applied.
func (p *Path) inherit(before *Path, step schedule.Step) {
	if keepsBounds(step) {
		p.bound = before.bound
	}
}

// Partial returns how many of the steps come before those that say how loops are
// carried out: annotations, pragmas, fusions and vector splits at the end. The state
// after them is partial: its loops have their extents. Searches complete such states
// in many ways, and ask which ones to begin with.
func Partial(steps []schedule.Step) int {
	return len(schedule.Structure(steps))
}
