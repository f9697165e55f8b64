package vdla

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/tir"
)

// loadIn emits the loads of a buffer on the chip. What a condition leaves out is 0: the padding of an image.
func (e *emitter) loadIn(loops []*tir.For, all *box, store *tir.Store) error {
	value, conds := store.Value, []tir.Expr(nil)
	if s, ok := value.(*tir.Select); ok && isZero(s.Else) {
		value, conds = s.Then, []tir.Expr{s.Cond}
	}
	from, ok := value.(*tir.Load)
	if !ok || !from.Buffer.InGlobal() || from.Buffer.Type != store.Buffer.Type {
		return fmt.Errorf("%s gets %s, which is no element of a tensor", store.Buffer.Name, store.Value)
	}
	to := &tir.Load{Buffer: store.Buffer, Index: store.Index}
	inside := &box{loops, slices.Clone(all.lo), slices.Clone(all.n)}
	for _, c := range conds {
		if err := e.restrict(inside, c); err != nil {
			return err
		}
	}
	for d := range loops { // what is before and behind, and then the rest of the inside
		if inside.empty() {
			break
		}
		part := &box{loops, slices.Concat(inside.lo[:d], all.lo[d:]), slices.Concat(inside.n[:d], all.n[d:])}
		ends := all.lo[d] + all.n[d]
		part.n[d] = inside.lo[d] - all.lo[d]
		if err := e.transfer(Zero, part, to, nil); err != nil {
			return err
		}
		part.lo[d] = inside.lo[d] + inside.n[d]
		part.n[d] = ends - part.lo[d]
		if err := e.transfer(Zero, part, to, nil); err != nil {
			return err
		}
	}
	if inside.empty() {
		return e.transfer(Zero, all, to, nil)
	}
	return e.transfer(Load, inside, to, from)
}

func isZero(x tir.Expr) bool {
	c, ok := x.(*tir.IntImm)
	return ok && c.Value == 0
}

// transfer emits a transfer between elements on the chip and those of a tensor, which a Zero has not.
func (e *emitter) transfer(op Op, b *box, near, far *tir.Load) error {
	if b.empty() {
		return nil
	}
	if far == nil {
		far = &tir.Load{Buffer: near.Buffer, Index: near.Index}
	}
	accesses, axes, err := e.axes(b, near, far)
	if err != nil {
		return err
	}
	return e.move(op, accesses, axes)
}

// move emits a transfer of two accesses: on the chip, and in a tensor.
func (e *emitter) move(op Op, accesses []access, axes []axis) error {
	near, far := accesses[0], accesses[1]
	if near.buffer.Scope == tir.Wgt {
		axes = inBlocks(axes, 0, 2)
	}
	m, err := memoryOf(near.buffer)
	if err != nil {
		return err
	}
	in := Instr{Op: op, Transfer: Transfer{Memory: m, Row: int64(near.buffer.Type.Bytes())}}
	if in.At, err = e.first(near); err != nil {
		return err
	}
	var dims []Dim
	for _, a := range axes {
		d := Dim{Extent: a.n}
		if d.Near, err = bytes(near.buffer, a, a.by[0]); err != nil {
			return err
		}
		if d.Far, err = bytes(far.buffer, a, a.by[1]); err != nil {
			return err
		}
		dims = append(dims, d)
	}
	if op != Zero {
		in.Tensor = e.tensors[far.buffer]
		if in.From, err = e.first(far); err != nil {
			return err
		}
	} else {
		for i := range dims {
			dims[i].Far = dims[i].Near
		}
	}
	in.joinRows(dims, int64(far.buffer.Type.Bytes()))
	if op == Zero {
		for i := range in.Rows {
			in.Rows[i].Far = 0
		}
	}
	e.emit(in)
	return nil
}

// joinRows makes a transfer of loops over single elements: what lies together on both sides is one row.
func (t *Transfer) joinRows(dims []Dim, farRow int64) {
	slices.SortStableFunc(dims, func(x, y Dim) int { return cmp.Compare(y.Near, x.Near) })
	for _, d := range slices.Backward(dims) {
		switch {
		case len(t.Rows) == 0 && d.Near == t.Row && d.Far == farRow:
			t.Row, farRow = t.Row*d.Extent, farRow*d.Extent
		case len(t.Rows) > 0 && d.Near == t.Rows[0].Near*t.Rows[0].Extent && d.Far == t.Rows[0].Far*t.Rows[0].Extent:
			t.Rows[0].Extent *= d.Extent
		default:
			t.Rows = slices.Insert(t.Rows, 0, d)
		}
	}
}

// emit adds an instruction; a transfer with more loops than it has room for becomes several.
func (e *emitter) emit(in Instr) {
	if len(in.Rows) <= maxRows {
		e.p.Instrs = append(e.p.Instrs, in)
		return
	}
	outer := in.Rows[0]
	in.Rows = in.Rows[1:]
	for range outer.Extent {
		e.emit(in)
		in.At, in.From = in.At+outer.Near, in.From+outer.Far
	}
}

// set emits a vector operation that gives sums a constant value.
func (e *emitter) set(b *box, store *tir.Store, value int64) error {
	accesses, axes, err := e.axes(b, &tir.Load{Buffer: store.Buffer, Index: store.Index})
	if err != nil {
		return err
	}
	in := Instr{Op: Set, Compute: Compute{Imm: value, IsImm: true}}
	return e.compute(in, accesses, axes, []axisOf{{accBytes, 4}})
}

// An axisOf says in which bytes an operand is counted, and by how many it grows along the lanes; steps are those along
// the steps of a sum.
type axisOf struct{ unit, lane int64 }

// product emits products of vectors and blocks.
func (e *emitter) product(b *box, store *tir.Store) error {
	sum, ok := store.Value.(*tir.Binary)
	if !ok || sum.Op != tir.Add || !tir.IsStored(sum.X, store) {
		return fmt.Errorf("%s gets %s, which adds nothing to it", store.Buffer.Name, store.Value)
	}
	a, w, ok := tir.Factors(sum.Y)
	if ok && a.Load.Buffer.Scope == tir.Wgt {
		a, w = w, a
	}
	if !ok || a.Cond != nil || w.Cond != nil || a.Load.Buffer.Scope != tir.Inp || w.Load.Buffer.Scope != tir.Wgt {
		return fmt.Errorf("%s is no product of elements of inp and wgt memory", sum.Y)
	}
	x, y := a.Load, w.Load
	accesses, axes, err := e.axes(b, &tir.Load{Buffer: store.Buffer, Index: store.Index}, x, y)
	if err != nil {
		return err
	}
	axes = inBlocks(axes, 2, 2)
	steps := slices.IndexFunc(axes, func(a axis) bool {
		k := len(a.by[2]) - 2
		return a.n == Lanes && a.by[2][k] == 1 && dot(a.by[0], store.Buffer.ElemStrides()) == 0 &&
			dot(a.by[1], x.Buffer.ElemStrides()) == 1 && a.by[2][k+1] == 0
	})
	if steps < 0 {
		return fmt.Errorf("the product %s has no loop over the %d steps of a block", sum.Y, Lanes)
	}
	axes = slices.Delete(axes, steps, steps+1)
	in := Instr{Op: Gemm}
	if x.Buffer.Type == tir.U8 {
		in.Op = GemmU
	}
	return e.compute(in, accesses, axes, []axisOf{{accBytes, 4}, {granule, 0}, {wgtBytes, 1}})
}

// compute emits a computation over the axes of its operands, one of which is the lanes.
func (e *emitter) compute(in Instr, accesses []access, axes []axis, operands []axisOf) error {
	for k := range operands {
		axes = inBlocks(axes, k, 1)
	}
	var loops []Loop
	found := false
	for k, o := range operands {
		first, err := e.first(accesses[k])
		if err != nil {
			return err
		}
		if first%o.unit != 0 {
			return fmt.Errorf("%s does not begin with a whole vector", accesses[k].buffer.Name)
		}
		in.Base[k] = first / o.unit
	}
	for _, a := range axes {
		l, lanes := Loop{Extent: a.n}, a.n == Lanes
		for k, o := range operands {
			by, err := bytes(accesses[k].buffer, a, a.by[k])
			if err != nil {
				return err
			}
			lanes = lanes && by == o.lane
			l.By[k] = by / o.unit
			if by%o.unit != 0 && by != o.lane {
				return fmt.Errorf("%s is not read in whole vectors", accesses[k].buffer.Name)
			}
		}
		if lanes && !found {
			found = true
			continue
		}
		loops = append(loops, l)
	}
	if !found {
		return fmt.Errorf("a computation of %s has no loop over %d lanes", accesses[0].buffer.Name, Lanes)
	}
	e.compact(&in.Compute, loops)
	e.p.Instrs = append(e.p.Instrs, in)
	return nil
}

// compact gives the two longest loops to the instruction, and makes micro-operations of the others. Equal ones are kept
// once.
func (e *emitter) compact(c *Compute, loops []Loop) {
	for i := 0; i < len(loops); i++ { // loops that go on where others end are one
		for j := range loops {
			n := loops[j].Extent
			if i != j && loops[i].By == (MicroOp{n * loops[j].By[0], n * loops[j].By[1], n * loops[j].By[2]}) {
				loops[j].Extent *= loops[i].Extent
				loops, i = slices.Delete(loops, i, i+1), -1
				break
			}
		}
	}
	slices.SortStableFunc(loops, func(x, y Loop) int { return cmp.Compare(y.Extent, x.Extent) })
	c.Loops = loops[:min(len(loops), maxLoops)]
	rest := Compute{Loops: loops[len(c.Loops):]}
	var kernel []MicroOp
	rest.each([]MicroOp{{}}, func(at MicroOp) { kernel = append(kernel, at) })
	key := fmt.Sprint(kernel)
	first, ok := e.kernels[key]
	if !ok {
		first = int64(len(e.p.Micro))
		e.kernels[key] = first
		e.p.Micro = append(e.p.Micro, kernel...)
	}
	c.First, c.Count = first, int64(len(kernel))
}

// storeOut emits what becomes of sums: vector operations, one after the other in their place, and the store.
func (e *emitter) storeOut(b *box, store *tir.Store) error {
	value, op := store.Value, Store
	if c, ok := value.(*tir.Cast); ok && c.To == tir.I8 {
		value, op = c.X, Store8
	}
	sums, err := e.inPlace(b, value)
	if err != nil {
		return err
	}
	return e.transfer(op, b, sums, &tir.Load{Buffer: store.Buffer, Index: store.Index})
}

// vectorOps are the vector operations of operators; Sub adds the negative of a constant.
var vectorOps = map[tir.BinOp]Op{tir.Add: Add, tir.Sub: Add, tir.Max: Max, tir.Min: Min, tir.Shr: Shr}

// inPlace emits the operations that a value is made with, and returns the sums where it is then.
func (e *emitter) inPlace(b *box, x tir.Expr) (*tir.Load, error) {
	if l, ok := x.(*tir.Load); ok && l.Buffer.Scope == tir.Local {
		return l, nil
	}
	bin, ok := x.(*tir.Binary)
	if !ok {
		return nil, fmt.Errorf("no operation of the accelerator makes %s", x)
	}
	op, ok := vectorOps[bin.Op]
	if !ok {
		return nil, fmt.Errorf("the accelerator has no operation %s: it is in %s", bin.Op, x)
	}
	of, with := bin.X, bin.Y
	if !onChip(of) && (op == Max || op == Min || bin.Op == tir.Add) {
		of, with = with, of
	}
	sums, err := e.inPlace(b, of)
	if err != nil {
		return nil, err
	}
	in := Instr{Op: op}
	switch with := with.(type) {
	case *tir.IntImm:
		in.Imm, in.IsImm = with.Value, true
		if bin.Op == tir.Sub {
			in.Imm = -in.Imm
		}
		accesses, axes, err := e.axes(b, sums)
		if err != nil {
			return nil, err
		}
		return sums, e.compute(in, accesses, axes, []axisOf{{accBytes, 4}})
	case *tir.Load:
		if with.Buffer.InGlobal() && with.Buffer.Type == tir.I32 && bin.Op != tir.Sub {
			return sums, e.operand(in, b, sums, with)
		}
	}
	return nil, fmt.Errorf("the second operand of %s is no constant and no element of a tensor of int32", x)
}

// onChip reports whether an expression is made of sums.
func onChip(x tir.Expr) bool {
	return tir.HasExpr(x, func(x tir.Expr) bool {
		l, ok := x.(*tir.Load)
		return ok && l.Buffer.Scope == tir.Local
	})
}

// operand emits the load of a tensor's elements behind the sums, once for all loops that they do not depend on, and the
// operation.
func (e *emitter) operand(in Instr, b *box, sums, with *tir.Load) error {
	accesses, axes, err := e.axes(b, sums, with)
	if err != nil {
		return err
	}
	copied := &tir.Buffer{Name: with.Buffer.Name, Type: tir.I32, Scope: tir.Local}
	var moves []axis
	for _, a := range axes {
		if moving(a.by[1]) {
			copied.Shape = append(copied.Shape, a.n)
		}
	}
	for i, a := range axes {
		place := make([]int64, len(copied.Shape))
		if moving(a.by[1]) {
			place[len(moves)] = 1
			moves = append(moves, axis{a.n, [][]int64{place, a.by[1]}})
		}
		axes[i].by = [][]int64{a.by[0], place}
	}
	return e.with(Acc, copied.Bytes(), func(first int64) error {
		e.places[copied] = first
		here := access{copied, make([]int64, len(copied.Shape))}
		if err := e.move(Load, []access{here, accesses[1]}, moves); err != nil {
			return err
		}
		return e.compute(in, []access{accesses[0], here}, axes, []axisOf{{accBytes, 4}, {accBytes, 4}})
	})
}

func moving(by []int64) bool { return slices.ContainsFunc(by, func(n int64) bool { return n != 0 }) }
