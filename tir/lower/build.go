package lower

import (
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/schedule"
)

// UnrollKey is the key of the Pragma that bounds automatic unrolling.
const UnrollKey = "auto_unroll_max_step"

// build makes the loop nests of all stages, producers first:
//
//	C: i (0,8), k (0,4)            for i in 8:
//	  A attached at i         =>     alloc A: float32[1, 4]
//	                                 block A: ...
//	                                 block C init: C[i] = 0
//	                                 for k in 4:
//	                                   block C: C[i] = (C[i] + A[0, k])
//
// A stage that is no output gets a buffer of the size of its region, allocated
// where the stage is attached. Loops of one iteration are left out, guards stand
// around the innermost statement, and index expressions are not simplified.
// Annotations become kinds of loops as they are: see nesting.
//
// Reductions treat NaN and infinities as numpy does, unless they are to be as TVM's text has them.
//
// It is an error if a loop over a reduction has an annotation under which its
// iterations would run at once, or if rows of threads share a cache in warp memory.
func build(s *schedule.State, asTVM bool) (*tir.Func, error) {
	nests, err := s.Nests()
	if err != nil {
		return nil, err
	}
	b := &builder{s: s, asTVM: asTVM, nests: nests, names: blockNames(s, nests), storage: map[*tir.Buffer]placed{}}
	b.findKernels()
	b.findTiles()
	var params []*tir.Buffer
	packs := prepare(s)
	for _, p := range s.DAG.Tensors {
		if i := slices.IndexFunc(packs, func(f *tir.Func) bool { return f.Params[0] == p }); i >= 0 {
			p = packs[i].Params[1]
		}
		b.storage[p] = placed{buffer: p}
		params = append(params, p)
	}
	var roots []int
	for i, n := range nests {
		if n == nil {
			continue
		}
		b.place(n)
		if _, attached := s.Attach.At(i); !attached {
			roots = append(roots, i)
		}
	}
	body, err := b.withStages(roots, nil)
	if err != nil {
		return nil, err
	}
	if b.threads != nil {
		body = tir.SubstituteStmt(body, b.threads)
	}
	return &tir.Func{Name: "main", Params: params, Outputs: s.DAG.Outputs, Body: body, Packs: packs,
		Growth: s.Growth()}, nil
}

// A builder makes the program of one state.
type builder struct {
	s       *schedule.State
	asTVM   bool // reductions are what TVM's text says (compute.Combiner)
	nests   []*schedule.Nest
	names   []string               // of the blocks of each stage
	storage map[*tir.Buffer]placed // of each result of each stage

	kernels []*kernel             // by root stage; nil if no loop is bound to GPU threads
	threads map[*tir.Var]tir.Expr // what to put in place of variables of loops bound to threads

	tiles   map[int]*tile // by stage: of products and of their readers
	untiled []error       // why tiles that are to be tensorized stay loops
}

// blockNames returns what the blocks of each stage that has a nest are called: the name of its
// op, with a number if an earlier stage has that, since ops may share a name. By these names
// synchronize tells stages apart, and the partial results of a reduction from the rest of it.
func blockNames(s *schedule.State, nests []*schedule.Nest) []string {
	list, taken := make([]string, len(nests)), map[string]bool{}
	for i, n := range nests {
		if n == nil {
			continue
		}
		op := s.Stages[i].Op
		names := namesOf(op.Name, op)
		for k := 1; slices.ContainsFunc(names, func(name string) bool { return taken[name] }); k++ {
			names = namesOf(fmt.Sprintf("%s_%d", op.Name, k), op)
		}
		for _, name := range names {
			taken[name] = true
		}
		list[i] = names[0]
	}
	return list
}

// namesOf returns what blocks of a stage may be called, if its own are called name: those of
// partial results and of their folds come after it.
func namesOf(name string, op *compute.Op) []string {
	list := []string{name}
	for n := 0; op.Combine != nil && n <= maxFolds; n++ {
		list = append(list, partsName(list[n]))
	}
	return list
}

// partsName names the blocks of partial results.
func partsName(name string) string { return name + ".part" }

// A placed buffer holds the part of a stage's result that starts at min.
type placed struct {
	buffer *tir.Buffer
	min    []tir.Expr // nil: from the start
	tile   *tile      // nil unless lanes of warps have elements of tiles
}

func (p placed) index(at []tir.Expr) []tir.Expr {
	if p.min == nil {
		return at
	}
	out := make([]tir.Expr, len(at))
	for d, e := range at {
		out[d] = e
		if c, ok := p.min[d].(*tir.IntImm); !ok || c.Value != 0 {
			out[d] = tir.Bin(tir.Sub, e, p.min[d])
		}
	}
	return out
}

// place decides on the buffers of a stage's results. An output has the layout
// that the caller gave it, whatever alignment is asked for.
func (b *builder) place(n *schedule.Nest) {
	st := b.s.Stages[n.Stage]
	for _, r := range st.Op.Results {
		if _, ok := b.storage[r]; ok {
			continue
		}
		p := placed{
			buffer: &tir.Buffer{Name: r.Name, Type: b.typeOf(st.Op, r), Scope: b.scopeOf(n.Stage, r.Scope)},
			min:    []tir.Expr{}, // of a scalar, too: it has to be allocated
		}
		for d := range st.Op.Axes {
			p.buffer.Shape = append(p.buffer.Shape, n.Region[d].Extent)
			p.min = append(p.min, n.Region[d].Min)
		}
		if t := b.tiles[n.Stage]; t != nil && t.stage == n.Stage {
			p.tile, p.buffer.Shape = t, t.shape(p.buffer.Shape)
		} else {
			p.buffer.Strides = alignedStrides(p.buffer.Shape, st.Aligns)
		}
		b.storage[r] = p
	}
}

// alignedStrides returns the strides of a shape padded as asked, or nil if
// there is nothing to pad.
func alignedStrides(shape []int64, aligns []schedule.Align) []int64 {
	if len(aligns) == 0 {
		return nil
	}
	strides := make([]int64, len(shape))
	next := int64(1)
	for d := len(shape) - 1; d >= 0; d-- {
		strides[d] = next
		for _, a := range aligns {
			if a.Dim == d {
				strides[d] += (a.Factor + a.Offset - strides[d]%a.Factor) % a.Factor
			}
		}
		next = strides[d] * shape[d]
	}
	return strides
}

// withStages returns the nests of the listed stages, in order, and then rest,
// within the allocations of those that are no outputs.
func (b *builder) withStages(list []int, rest tir.Stmt) (tir.Stmt, error) {
	nests := make([]tir.Stmt, len(list))
	for k, i := range list {
		n, err := b.nest(i)
		if err != nil {
			return nil, err
		}
		nests[k] = n
	}
	for k := len(list) - 1; k >= 0; k-- {
		rest = tir.Sequence(nests[k], rest)
		results := b.s.Stages[list[k]].Op.Results
		for d := len(results) - 1; d >= 0; d-- {
			if p := b.storage[results[d]]; p.min != nil {
				rest = &tir.Alloc{Buffer: p.buffer, Body: rest}
			}
		}
	}
	return rest, nil
}

// A nestBuilder makes the loop nest of one stage.
type nestBuilder struct {
	*builder
	n      *schedule.Nest
	op     *compute.Op
	name   string     // of its blocks
	reduce int        // the first loop that has to do with the reduction; len(n.Loops) if none
	at     []tir.Expr // the spatial axes' values
	body   []tir.Expr // the op's body over the loops, with loads of storage

	k     *kernel    // that the stage is in, or nil
	tile  *tile      // of the stage, or nil
	conds []tir.Expr // for a thread to carry out the statements
	terms []tir.Expr // for the sum to have a term

	// Of a reduction that crosses threads: the partial results, their indices,
	// and the loops that these come from.
	parts        []*tir.Buffer
	partAt       []tir.Expr
	kept, shared []schedule.Loop
}

func (b *builder) nest(i int) (tir.Stmt, error) {
	if err := b.refuseWarp(i); err != nil {
		return nil, err
	}
	n := b.nests[i]
	nb := &nestBuilder{builder: b, n: n, op: b.s.Stages[i].Op, name: b.names[i], reduce: len(n.Loops), k: b.kernelOf(i),
		tile: b.tiles[i]}
	for k, l := range n.Loops {
		if err := nb.refuse(l); err != nil {
			return nil, err
		}
		if nb.reduce == len(n.Loops) && reduces(l) && nb.op.Combine != nil {
			nb.reduce = k
		}
	}
	if nb.tile != nil && nb.tile.stage == i {
		nb.reduce = min(nb.reduce, nb.tile.product.first) // whichever of the tile's loops comes first
	}
	if nb.k != nil {
		nb.conds = nb.threadConds(n, nb.k)
		if err := nb.refuseOthers(); err != nil {
			return nil, err
		}
	}
	nb.at = n.Value[:len(nb.op.Axes)]
	values := make(map[*tir.Var]tir.Expr, len(n.Value))
	for d, a := range nb.op.Axes {
		values[a.Var] = n.Value[d]
	}
	for d, a := range nb.op.ReduceAxes {
		values[a.Var] = n.Value[len(nb.op.Axes)+d]
	}
	for _, e := range b.s.InlinedBody(i) {
		nb.body = append(nb.body, b.stored(tir.Substitute(e, values)))
	}
	nb.takeConditions()
	if nb.tile != nil && nb.tile.reader == i {
		nb.at, nb.body = substituteAll(nb.at, nb.tile.places()), substituteAll(nb.body, nb.tile.places())
	}
	if nb.crossesThreads() {
		nb.partials()
	}
	s, err := nb.loops(0)
	if err != nil {
		return nil, err
	}
	if steps := b.s.Stages[i].AutoUnroll; steps > 0 {
		s = &tir.Pragma{Key: UnrollKey, Value: int64(steps), Body: s}
	}
	if how := b.buffering(i); how != schedule.OneBuffer {
		s = &tir.Pragma{Key: bufferKey, Value: int64(how), Body: s}
	}
	return s, nil
}

// takeConditions has the statement of phases (schedule.Phases) under the condition that there is a tap, in place of
// adding 0: the loops over taps are as long as their phase has some.
func (nb *nestBuilder) takeConditions() {
	if term, ok := nb.body[0].(*tir.Select); ok && term.Lazy && len(nb.op.Attrs.WholeOutside) > 0 {
		nb.terms, nb.body = tir.Conjuncts(term.Cond), []tir.Expr{term.Then}
	}
}

// stored replaces loads of stages' results by loads of their storage.
func (b *builder) stored(e tir.Expr) tir.Expr {
	return tir.SubstituteLoads(e, func(l *tir.Load) tir.Expr {
		p, ok := b.storage[l.Buffer]
		if !ok {
			panic("BUG: lower: load of " + l.Buffer.Name + ", which no stage computes")
		}
		if p.min == nil {
			return l
		}
		if p.tile != nil {
			return &tir.Load{Buffer: p.buffer, Index: append(p.tileIndex(l.Index), p.tile.elem())}
		}
		return inType(&tir.Load{Buffer: p.buffer, Index: p.index(l.Index)}, l.DType())
	})
}

func reduces(l schedule.Loop) bool {
	return l.Iter.Kind == schedule.Reduction || l.Iter.Kind == schedule.Mixed
}

// refuse returns an error for a loop over a reduction whose iterations would
// run at once. Threads of a GPU block may share a reduction: see
// crossesThreads.
func (nb *nestBuilder) refuse(l schedule.Loop) error {
	if !reduces(l) {
		return nil
	}
	switch l.Iter.Ann {
	case schedule.Parallel, schedule.Vectorize, schedule.VThread, schedule.BlockX, schedule.BlockY, schedule.BlockZ:
		return fmt.Errorf("%s loop over iterator %s of stage %s, whose iterations share a reduction", l.Iter.Ann,
			l.Iter.Name, nb.op.Name)
	}
	return nil
}

// loops returns the nest from loop k on.
func (nb *nestBuilder) loops(k int) (tir.Stmt, error) {
	s, err := nb.loop(k)
	if err != nil {
		return nil, err
	}
	if nb.op.Combine != nil && k == nb.reduce {
		s = nb.reduction(s)
	}
	if k == 0 && nb.wraps(0) {
		s = nb.k.wrapped(s)
	}
	return s, nil
}

func (nb *nestBuilder) isRoot() bool {
	_, attached := nb.s.Attach.At(nb.n.Stage)
	return !attached
}

func (nb *nestBuilder) loop(k int) (tir.Stmt, error) {
	switch t := nb.tile; {
	case t == nil:
	case t.stage == nb.n.Stage && k == t.product.first:
		return nb.guarded(nb.mma(t), nb.conds), nil
	case t.reader == nb.n.Stage && k == t.read.first:
		return lanesOf(t, nb.guarded(nb.update(), nb.conds)), nil
	}
	if k == len(nb.n.Loops) {
		return nb.guarded(nb.update(), slices.Concat(nb.n.Guards, nb.terms, nb.conds)), nil
	}
	body, err := nb.loops(k + 1)
	if err != nil {
		return nil, err
	}
	inside := nb.s.Attach.Inside(nb.n.Stage, k)
	if len(inside) > 0 {
		sorted := slices.Clone(inside)
		slices.Sort(sorted) // producers before their readers
		if body, err = nb.withStages(sorted, body); err != nil {
			return nil, err
		}
	}
	if nb.wraps(k + 1) {
		body = nb.k.wrapped(body)
	}
	l := nb.n.Loops[k]
	return nb.loopOf(l, l.Var, body), nil
}

// wraps reports whether the thread loops of a kernel stand outside of what is in
// the first k loops.
func (nb *nestBuilder) wraps(k int) bool { return nb.k != nil && nb.isRoot() && nb.k.wrap == k }

// kinds maps annotations to kinds of loops.
var kinds = [...]tir.ForKind{
	schedule.None: tir.Serial, schedule.Unroll: tir.Unrolled, schedule.Vectorize: tir.Vectorized,
	schedule.Parallel: tir.Parallel, schedule.VThread: tir.Vthread,
	schedule.BlockX: tir.ThreadBound, schedule.BlockY: tir.ThreadBound, schedule.BlockZ: tir.ThreadBound,
	schedule.ThreadX: tir.Serial, schedule.ThreadY: tir.Serial, schedule.ThreadZ: tir.Serial,
	schedule.Tensorize: tir.Serial,
}

// loopOf returns the loop l over v. It is left out if there is one iteration,
// or if v stands for a thread.
func (nb *nestBuilder) loopOf(l schedule.Loop, v *tir.Var, body tir.Stmt) tir.Stmt {
	f := &tir.For{Var: v, Extent: tir.Int(l.Extent), Kind: kinds[l.Iter.Ann], Body: body}
	if l.Iter.Ann == schedule.Tensorize && reduces(l) && l.Var == nb.n.Loops[len(nb.n.Loops)-1].Var {
		f.Kind = tir.Tensorized // the steps of a sum: other tiles that stay loops are of warps
	}
	switch {
	case isThread(l.Iter.Ann) && nb.bound(nb.n, l):
		nb.threads[v] = nb.k.dim(l.Iter.Ann).v
		return body
	case f.Kind == tir.ThreadBound && nb.blockLoop(l):
		f.Thread = l.Iter.Ann.String()
		return f
	case f.Kind == tir.ThreadBound:
		f.Kind = tir.Serial
	}
	if l.Extent == 1 {
		return body
	}
	return f
}

// blockLoop reports whether a loop bound to blockIdx is outside of the thread
// loops of its kernel, and the first bound to this dimension; if not, it is a
// serial one.
func (nb *nestBuilder) blockLoop(l schedule.Loop) bool {
	if !nb.isRoot() || !nb.bound(nb.n, l) {
		return false
	}
	for _, outer := range nb.n.Loops[:nb.k.wrap] {
		if outer.Var == l.Var {
			return true
		}
	}
	return false
}

// guarded returns s under the conditions.
func (nb *nestBuilder) guarded(s tir.Stmt, guards []tir.Expr) tir.Stmt {
	if len(guards) == 0 {
		return s
	}
	return &tir.If{Cond: tir.AllOf(guards...), Then: s}
}

func (nb *nestBuilder) result(d int) placed { return nb.storage[nb.op.Results[d]] }

// An element of a buffer.
type element struct {
	buffer *tir.Buffer
	index  []tir.Expr
}

func (t element) load() tir.Expr { return &tir.Load{Buffer: t.buffer, Index: t.index} }
func (t element) store(v tir.Expr) tir.Stmt {
	return &tir.Store{Buffer: t.buffer, Index: t.index, Value: v}
}

// targets returns the elements of the results at a point.
func (nb *nestBuilder) targets(at []tir.Expr) []element {
	list := make([]element, len(nb.op.Results))
	for d := range list {
		p := nb.result(d)
		list[d] = element{p.buffer, p.index(at)}
	}
	return list
}

// update returns the innermost statement: what the stage computes at one point,
// or one step of its reduction.
func (nb *nestBuilder) update() tir.Stmt {
	if nb.op.Combine != nil {
		return nb.step()
	}
	list := make([]tir.Stmt, len(nb.body))
	for d, t := range nb.targets(nb.at) {
		list[d] = t.store(nb.body[d])
	}
	return &tir.Block{Name: nb.name, Body: tir.Sequence(list...)}
}
