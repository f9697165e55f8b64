package lower

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/arith"
	"github.com/wmtune/wmtune/tir/target"
)

// maxGrowth bounds the size of a packed operand, in times that of the plain
// one: splits that do not divide leave elements in it that nobody reads, and a
// region computed more than once has elements that stand in it twice. Zeros behind the last group of an instruction do
// not count, unless they are more than the elements.
const maxGrowth = 2

// MaxGrowth returns how many times as large as the plain one a packed operand of a type is at most.
func MaxGrowth(t tir.DType) uint64 {
	if t.Bytes() < tir.F32.Bytes() { // it may be in groups
		return 2 * maxGrowth
	}
	return maxGrowth
}

// relayout gives constant operands the layout in which they are read. The
// function that packs one is kept beside (tir.Func.Packs):
//
//	for j0 in 4:                             for j0 in 4:
//	  for k in 64:                             for k in 64:
//	    vectorize j1 in 16:             =>       vectorize j1 in 16:
//	      C[...] += A[k]*W[(j0*16)+j1, k]          C[...] += A[k]*W_packed[j0, k, j1]
//
// Each loop that an index depends on, or each quotient and remainder of a fused
// one, becomes a dimension, in the order of the loops, those of lanes last. So
// what the innermost loops read is contiguous, and lanes read neighbours. Only the steps that an instruction makes at
// once come after the lanes: W_packed[j0, k, j1, 4]. It is
// AutoScheduler's layout rewrite (auto_scheduler/compute_dag.cc), but for splits
// that do not divide: there the packed operand has elements that stand for none,
// and are 0.
//
// An operand stays as it is if packable says why. So do all on a GPU, where a
// thread's accesses are not in the order of loops.
func relayout(f *tir.Func, cfg Config) (*tir.Func, error) {
	if !cfg.mayRelayout(f) {
		return f, nil
	}
	g := *f
	g.Params = slices.Clone(f.Params)
	for _, b := range cfg.constants {
		l, why := packable(f.Body, b)
		if why != "" {
			continue
		}
		pack := l.packing(parallelPack, false)
		packed := pack.Params[1]
		g.Packs = addPack(g.Packs, pack)
		g.Params[slices.Index(g.Params, b)] = packed
		g.Body = l.readPacked(g.Body, packed)
	}
	return &g, nil
}

// readPacked has s read the packed operand in place of the plain one.
func (p *packing) readPacked(s tir.Stmt, packed *tir.Buffer) tir.Stmt {
	index := p.reading()
	return tir.MapStmt(s, nil, func(e tir.Expr) tir.Expr {
		return tir.SubstituteLoads(e, func(x *tir.Load) tir.Expr {
			if x.Buffer != p.plain {
				return x
			}
			return &tir.Load{Buffer: packed, Index: index}
		})
	})
}

// mayRelayout reports whether operands may lie in another order or type: not on a GPU.
func (cfg Config) mayRelayout(f *tir.Func) bool {
	return cfg.Layout != target.Keep && cfg.Target.Kind != target.CUDA && !usesThreads(f.Body)
}

// A packing is the layout of one operand in which a digit is a dimension.
type packing struct {
	plain  *tir.Buffer
	digits []digit    // in order
	fixed  []digit    // that do not vary where the operand is packed: see withinIterations
	offset []int64    // of the index in each dimension of plain
	loops  []*tir.For // around where it is read
}

// A digit is a part of an index that varies by itself: a loop variable, or a
// quotient or remainder of one.
type digit struct {
	expr tir.Expr
	lo   int64 // the least value
	n    int64 // values

	scale []int64 // by dimension of plain: what the digit is multiplied with

	vector bool  // it counts lanes
	group  bool  // it counts the steps of a tensorized loop
	loop   int   // the innermost loop that it depends on
	step   int64 // how many iterations of that loop it stays the same for
}

// place orders digits: those of lanes behind others, and steps of tensorized loops behind these.
func (x digit) place() int {
	switch {
	case x.group:
		return ofGroup
	case x.vector:
		return ofLanes
	}
	return 0
}

const (
	ofLanes = 1 + iota
	ofGroup
)

// packable returns the layout that suits how b is read in s, or why it must stay
// as it is.
func packable(s tir.Stmt, b *tir.Buffer) (packing, string) {
	r := readings{buffer: b}
	r.stmt(s, nil, nil)
	switch {
	case len(r.index) == 0:
		return packing{}, "nothing reads it"
	case r.several:
		return packing{}, "it is read in several blocks, or at several indices"
	}
	p := packing{plain: b, offset: make([]int64, len(b.Shape)), loops: r.loops}
	a := arith.NewSimplifier()
	for _, l := range r.loops {
		n, ok := l.Extent.(*tir.IntImm)
		if !ok {
			return packing{}, "the extent of loop " + l.Var.Name + " varies"
		}
		a.Bind(l.Var, 0, n.Value-1)
	}
	for _, c := range r.conds {
		for _, c := range tir.Conjuncts(c) { // of phases: splits that do not divide have whole vectors
			if b, ok := c.(*tir.Binary); ok && isRemainder(b.X) {
				a.Assume(c)
			}
		}
	}
	for d, e := range r.index[0] {
		if !p.split(a, r.loops, d, e, 1) {
			return packing{}, fmt.Sprintf("index %s is no sum of multiples of loop variables", e)
		}
	}
	slices.SortStableFunc(p.digits, func(x, y digit) int {
		return cmp.Or(cmp.Compare(x.place(), y.place()), cmp.Compare(x.loop, y.loop), cmp.Compare(y.step, x.step))
	})
	has := func(place int) bool {
		return slices.ContainsFunc(p.digits, func(x digit) bool { return x.place() == place })
	}
	if has(ofGroup) && !has(ofLanes) {
		return packing{}, "lanes share its groups, which lie side by side in rows"
	}
	n, most := int64(1), maxGrowth*min(p.grouped(), 2*b.Elems())
	for _, x := range p.digits {
		if n *= x.n; n > most {
			return packing{}, fmt.Sprintf("packed it would be more than %d times as large", most/b.Elems())
		}
	}
	if p.isPlain() {
		return packing{}, "it is read in the order in which it lies"
	}
	return p, ""
}

func isRemainder(e tir.Expr) bool {
	b, ok := e.(*tir.Binary)
	return ok && b.Op == tir.FloorMod
}

// grouped returns the elements of the operand in whole groups.
func (p *packing) grouped() int64 {
	n := int64(1)
	for d, size := range p.plain.Shape {
		for _, x := range p.digits {
			if x.group && x.scale[d] == 1 {
				size = (size + x.n - 1) / x.n * x.n
			}
		}
		n *= size
	}
	return n
}

// readings collects the loads of a buffer.
type readings struct {
	buffer  *tir.Buffer
	block   *tir.Block
	loops   []*tir.For // around block
	conds   []tir.Expr // that hold there
	index   [][]tir.Expr
	around  [][]*tir.For // loops around each
	several bool         // they differ in their block or index
}

func (r *readings) stmt(s tir.Stmt, block *tir.Block, loops []*tir.For) {
	tir.Exprs(s, func(e tir.Expr) {
		for l := range tir.ExprsIn[*tir.Load](e) {
			if l.Buffer == r.buffer {
				r.load(l, block, loops)
			}
		}
	})
	switch t := s.(type) {
	case *tir.For:
		loops = append(loops[:len(loops):len(loops)], t)
	case *tir.Block:
		block = t
	case *tir.If:
		if before := len(r.index); t.Else == nil {
			if r.stmt(t.Then, block, loops); before == 0 && len(r.index) > 0 {
				r.conds = append(r.conds, t.Cond)
			}
			return
		}
	}
	tir.MapChildren(s, func(t tir.Stmt) tir.Stmt {
		r.stmt(t, block, loops)
		return t
	})
}

func (r *readings) load(l *tir.Load, block *tir.Block, loops []*tir.For) {
	if r.index != nil && (block != r.block || !slices.EqualFunc(l.Index, r.index[0], tir.EqualExpr)) {
		r.several = true
	}
	r.block, r.loops = block, loops
	r.index, r.around = append(r.index, l.Index), append(r.around, loops)
}

// split adds k times e, a part of the index in dimension d, to p. It reports
// whether e has the form that it must have.
func (p *packing) split(a *arith.Simplifier, loops []*tir.For, d int, e tir.Expr, k int64) bool {
	switch e := e.(type) {
	case *tir.IntImm:
		p.offset[d] += k * e.Value
		return true
	case *tir.Binary:
		switch e.Op {
		case tir.Add:
			return p.split(a, loops, d, e.X, k) && p.split(a, loops, d, e.Y, k)
		case tir.Sub:
			return p.split(a, loops, d, e.X, k) && p.split(a, loops, d, e.Y, -k)
		case tir.Mul:
			if c, ok := e.Y.(*tir.IntImm); ok {
				return p.split(a, loops, d, e.X, k*c.Value)
			}
		}
	}
	if tir.Reads(e) {
		return false
	}
	lo, hi, ok := a.Bounds(e)
	if !ok {
		return false
	}
	p.offset[d] += k * lo
	for i := range p.digits {
		if tir.EqualExpr(p.digits[i].expr, e) {
			p.digits[i].scale[d] += k
			return true
		}
	}
	x := digit{expr: e, lo: lo, n: hi - lo + 1, scale: make([]int64, len(p.plain.Shape)), step: stepOf(e)}
	x.scale[d] = k
	for i, l := range loops {
		if tir.Uses(e, l.Var) {
			x.loop, x.vector = i, x.vector || l.Kind == tir.Vectorized
			x.group = x.group || l.Kind == tir.Tensorized
		}
	}
	if x.group {
		for x.n&(x.n-1) != 0 {
			x.n++ // groups are as long as an instruction reads them, also if there are fewer steps
		}
	}
	p.digits = append(p.digits, x)
	return true
}

// stepOf returns for how many consecutive values of what a quotient or remainder
// is taken of it stays the same.
func stepOf(e tir.Expr) int64 {
	b, ok := e.(*tir.Binary)
	if !ok {
		return 1
	}
	if n, ok := b.Y.(*tir.IntImm); ok && b.Op == tir.FloorDiv {
		return n.Value * stepOf(b.X)
	}
	return stepOf(b.X)
}

// isPlain reports whether p is the layout that the operand has already.
func (p *packing) isPlain() bool {
	n := int64(1)
	for i := len(p.digits) - 1; i >= 0; i-- {
		x := p.digits[i]
		if p.stride(x) != n && x.n > 1 {
			return false
		}
		n *= x.n
	}
	return n == p.plain.Elems()
}

// stride returns how many elements of the plain operand lie between those of neighbouring values of x.
func (p *packing) stride(x digit) int64 {
	stride, strides := int64(0), p.plain.ElemStrides()
	for d, k := range x.scale {
		stride += k * strides[d]
	}
	return stride
}

// reading returns the index at which the program reads the packed operand.
func (p *packing) reading() []tir.Expr {
	list := make([]tir.Expr, len(p.digits))
	for i, x := range p.digits {
		list[i] = x.expr
		if x.lo != 0 {
			list[i] = tir.Bin(tir.Sub, x.expr, tir.Int(x.lo))
		}
	}
	return list
}

// parallelPack is the number of elements from which on an operand is packed by
// all threads.
const parallelPack = 1 << 16

// packing returns the function that packs the operand:
//
//	func pack_W(W: float32[64, 64], out W_packed: float32[4, 64, 16]):
//	  for p0 in 4:
//	    for p2 in 16:
//	      for p1 in 64:
//	        block pack_W:
//	          W_packed[p0, p1, p2] = W[((p0*16) + p2), p1]
//
// Elements that stand for none of the operand are 0. The innermost loop is the one
// along which the operand is contiguous, as far as it goes: it may be large, and
// a packed tile stays in a cache. From so many elements on, the outermost is parallel.
func (p *packing) packing(parallel int64, lanes bool) *tir.Func {
	packed := &tir.Buffer{Name: p.plain.Name + "_packed", Type: p.plain.Type}
	vars, at := make([]*tir.Var, len(p.digits)), make([]tir.Expr, len(p.digits))
	a := arith.NewSimplifier()
	if len(p.fixed) > 0 {
		a.Bind(p.loops[0].Var, 0, p.loops[0].Extent.(*tir.IntImm).Value-1)
	}
	for i, x := range p.digits {
		packed.Shape = append(packed.Shape, x.n)
		vars[i] = tir.NewVar("p" + strconv.Itoa(i))
		a.Bind(vars[i], 0, x.n-1)
		at[i] = vars[i]
	}
	index, inside := make([]tir.Expr, len(p.plain.Shape)), []tir.Expr(nil)
	for d, n := range p.plain.Shape {
		var e tir.Expr = tir.Int(p.offset[d])
		for _, x := range p.fixed {
			e = tir.Bin(tir.Add, e, tir.Bin(tir.Mul, tir.Bin(tir.Sub, x.expr, tir.Int(x.lo)), tir.Int(x.scale[d])))
		}
		for i, x := range p.digits {
			e = tir.Bin(tir.Add, e, tir.Bin(tir.Mul, vars[i], tir.Int(x.scale[d])))
		}
		index[d] = a.Expr(e)
		lo, hi, ok := a.Bounds(index[d])
		if !ok || lo < 0 {
			inside = append(inside, tir.Bin(tir.GE, index[d], tir.Int(0)))
		}
		if !ok || hi >= n {
			inside = append(inside, tir.Bin(tir.LT, index[d], tir.Int(n)))
		}
	}
	var plain tir.Expr = &tir.Load{Buffer: p.plain, Index: index}
	value := plain
	if len(inside) > 0 {
		value = tir.IfThenElse(a.Expr(tir.AllOf(inside...)), plain, tir.Const(packed.Type, 0))
	}
	name := "pack_" + p.plain.Name
	element := &tir.Store{Buffer: packed, Index: at, Value: value}
	order := p.order(lanes)
	nest := func(s tir.Stmt, from, to int) tir.Stmt { // loops of the digits in order
		for k := to - 1; k >= from; k-- {
			i := order[k]
			l := &tir.For{Var: vars[i], Extent: tir.Int(p.digits[i].n), Body: s}
			switch {
			case k == 0 && packed.Elems() >= parallel:
				l.Kind = tir.Parallel
			case lanes && k == len(order)-1 && p.interleaves():
				l.Kind = tir.Unrolled
			case lanes && (k == len(order)-1 || k == len(order)-2 && p.interleaves()):
				l.Kind = tir.Vectorized
			}
			s = l
		}
		return s
	}
	block := func(value tir.Expr) tir.Stmt {
		return &tir.Block{Name: name, Body: &tir.Store{Buffer: packed, Index: at, Value: value}}
	}
	end, whole := 0, tir.Expr(nil)
	if lanes && len(inside) > 0 {
		end, whole = insideBlocks(a, inside, order, vars)
	}
	s := nest(block(value), end, len(order))
	if whole != nil {
		s = &tir.If{Cond: whole, Then: nest(block(plain), end, len(order)), Else: tir.FreshLoops(s)}
	}
	s = nest(s, 0, end)
	return &tir.Func{Name: name, Params: []*tir.Buffer{p.plain, packed}, Outputs: 1, Body: s, Element: element}
}

// insideBlocks returns where all that the two innermost loops copy is inside of the operand, and how many of the loops
// decide that. There vectors of rows are transposed, which they are not under a condition. It returns nil if the
// conditions are no such ones.
func insideBlocks(a *arith.Simplifier, conds []tir.Expr, order []int, vars []*tir.Var) (loops int, whole tir.Expr) {
	loops = len(order) - 2
	if loops < 0 {
		return 0, nil
	}
	var list []tir.Expr
	for _, c := range conds {
		for _, i := range order[loops:] {
			if !tir.Uses(c, vars[i]) {
				continue
			}
			always, _, ok := a.Extremes(c, vars[i])
			if !ok {
				return 0, nil
			}
			c = always
		}
		list = append(list, c)
	}
	whole = a.Expr(tir.AllOf(list...))
	if c, ok := whole.(*tir.IntImm); ok && c.Value == 0 {
		return 0, nil
	}
	for loops > 1 && !tir.Uses(whole, vars[order[loops-1]]) {
		loops--
	}
	return loops, whole
}

// interleaves reports whether the steps of a group are rows of the operand, along which the lanes are: vectors of them
// are interleaved. Steps that lie side by side are copied group by group.
func (p *packing) interleaves() bool {
	last := len(p.digits) - 1
	return last > 0 && p.digits[last].group && p.stride(p.digits[last]) != 1 && p.digits[last-1].vector &&
		p.stride(p.digits[last-1]) == 1
}

// order returns the digits in the order of the loops that pack.
func (p *packing) order(lanes bool) []int {
	order, contiguous := make([]int, len(p.digits)), -1
	for i, x := range p.digits {
		order[i] = i
		if p.stride(x) == 1 {
			contiguous = i
		}
	}
	if contiguous >= 0 {
		order = append(slices.Delete(order, contiguous, contiguous+1), contiguous)
	}
	if last := len(p.digits) - 1; lanes && contiguous == last && !p.digits[last].group { // rows are read to their ends
		rows := slices.MaxFunc(order, func(i, j int) int { return cmp.Compare(p.stride(p.digits[i]), p.stride(p.digits[j])) })
		order = append([]int{rows}, slices.DeleteFunc(order, func(i int) bool { return i == rows })...)
	}
	if last := len(p.digits) - 1; lanes {
		if p.interleaves() {
			order = append(slices.DeleteFunc(order, func(i int) bool { return i == last-1 }), last-1)
		}
		order = append(slices.DeleteFunc(order, func(i int) bool { return i == last }), last)
	}
	return order
}
