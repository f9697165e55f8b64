package feature

import (
	"fmt"
	"math"

	"github.com/wmtune/wmtune/ranker/nest"
	"github.com/wmtune/wmtune/tir/schedule"
)

// several is between 1 and 2: a loop of more iterations is one. A smooth condition is far from its edge there,
// whatever program can be built.
const several = math.Sqrt2

// maxDepth is the number of loops that may stand around a statement.
const maxDepth = 64

// Rows returns the features of a program: Columns numbers for each buffer that
// is stored to, in the order of the first stores. Those that are no one-hots are
// on a logarithmic scale. It is an error if loops are nested too deep.
//
// What is counted adds up over the stores to a buffer, such as the
// initialisation and the steps of a reduction; all else is of the last one. The
// cache line has so many bytes.
func Rows[N Number[N]](p *nest.Program[N], line float64) ([]N, error) {
	x := &extractor[N]{p: p, line: line}
	return x.extract()
}

func (x *extractor[N]) extract() ([]N, error) {
	p := x.p
	x.touched, x.row = make([]touches[N], len(p.Loops)), make([]int, len(p.Buffers))
	for i := range p.Nests {
		if len(p.Nests[i].Loops) > maxDepth {
			return nil, fmt.Errorf("feature: a statement is inside %d loops: at most %d are supported", len(p.Nests[i].Loops),
				maxDepth)
		}
		x.store(&p.Nests[i])
	}
	for _, a := range p.Allocs {
		x.alloc(a)
	}
	out := make([]N, 0, len(x.rows)*Columns)
	for _, r := range x.rows {
		out = r.appendTo(out)
	}
	return out, nil
}

// An extractor computes the features of a program, statement by statement.
type extractor[N Number[N]] struct {
	p    *nest.Program[N]
	line float64

	// A relaxed program has loops of one iteration, of which the rows must show nothing; its curves of arithmetic
	// intensity are left out, and the order of the accesses of its statements is given.
	relaxed bool
	order   [][]int

	ordered [][]int      // the order of the accesses of statements
	touched []touches[N] // by loop, by all statements so far
	row     []int        // by buffer: 1 + the index of its row, or 0
	rows    []*row[N]
	gpu     bool // a loop over threads has been seen

	stack   []*nest.Loop[N] // around the statement at hand
	loops   []N             // of each, 1 if it is one: if it has more than one iteration, or is over threads; else 0
	outer   N               // the product of their extents
	regions []region[N]
	sizes   []N // by loop and access: the elements touched inside the loop
}

// store takes a statement into account.
func (x *extractor[N]) store(s *nest.Nest[N]) {
	x.stack, x.loops = x.stack[:0], x.loops[:0]
	var count N
	one := count.Const(1)
	x.outer = one
	for _, l := range s.Loops {
		loop, is := &x.p.Loops[l], one
		if x.relaxed && !loop.Ann.IsThread() {
			is = loop.Extent.Above(one.Const(several))
		}
		x.stack, x.loops, count = append(x.stack, loop), append(x.loops, is), count.Plus(is)
		x.outer = x.outer.Times(loop.Extent)
		x.gpu = x.gpu || loop.Ann.IsThread()
	}
	r := x.rowOf(s.Accesses[0].Buffer)
	r.count(s.Ops, x.outer)
	r.annotations(x.stack, x.loops, x.gpu)
	x.touch(s)
	x.buffers(s, r)
	if !x.relaxed {
		x.intensity(s, r)
	}
	r.outerProd, r.loops, r.unroll = x.outer, count, s.Unroll
}

// bytes returns the bytes of an element of a buffer.
func (x *extractor[N]) bytes(buffer int) float64 { return float64(x.p.Buffers[buffer].Type.Bytes()) }

func (x *extractor[N]) rowOf(buffer int) *row[N] {
	if x.row[buffer] == 0 {
		x.rows = append(x.rows, new(row[N]))
		x.row[buffer] = len(x.rows)
	}
	return x.rows[x.row[buffer]-1]
}

// alloc takes an allocation into account, after all statements in it.
func (x *extractor[N]) alloc(a nest.Alloc[N]) {
	r := x.rowOf(a.Buffer)
	outer := a.Size.Const(1)
	for _, l := range a.Loops {
		outer = outer.Times(x.p.Loops[l].Extent)
	}
	r.allocBytes = a.Size.Times(a.Size.Const(x.bytes(a.Buffer)))
	r.allocProd = a.Size.Times(outer)
	r.allocOuter = outer
	r.allocInner = r.outerProd.Over(outer)
}

// A row is the features of one buffer that is stored to, before scaling.
type row[N Number[N]] struct {
	ops     [16]N // in the order of the columns
	marked  [3]annotation[N]
	gpu     bool
	threads [7]N // extents: blocks x, y, z, threads x, y, z, virtual threads
	access  []access[N]
	curve   [samples]N

	allocBytes, allocProd, allocOuter, allocInner N
	outerProd, loops                              N
	unroll                                        int
}

// An annotation is what there is of loops of one kind.
type annotation[N Number[N]] struct {
	num          N
	none         N // 1 if there are none, else 0
	prod, length N // of all, of the innermost
}

// count adds operations that are done times times.
func (r *row[N]) count(o nest.Ops, times N) {
	add := func(column, n int) {
		if n > 0 {
			r.ops[column] = r.ops[column].Plus(times.Times(times.Const(float64(n))))
		}
	}
	for k, a := range [2]nest.Arithmetic{o.Float, o.Int} {
		// Column 7k, multiply-add, is never found in TVM either; 7k+6, impure
		// calls, does not occur.
		add(7*k+1, a.AddSub)
		add(7*k+2, a.Mul)
		add(7*k+3, a.DivMod)
		add(7*k+4, a.Compare)
		add(7*k+5, a.Math)
	}
	add(14, o.Bool)
	add(15, o.Select)
}

// annotations sets what depends on the kinds of the loops around a statement.
// The products of kinds that do not occur stay as they were, as in TVM.
func (r *row[N]) annotations(stack []*nest.Loop[N], loops []N, gpu bool) {
	var zero N
	r.gpu = gpu
	var now [3]annotation[N]
	for k := range now {
		now[k].none, now[k].prod = zero.Const(1), zero.Const(1)
	}
	for k := range r.threads {
		r.threads[k] = zero.Const(1)
	}
	for i, l := range stack {
		switch a := l.Ann; {
		case a == schedule.Vectorize:
			now[0].add(l.Extent, loops[i])
		case a == schedule.Unroll:
			now[1].add(l.Extent, loops[i])
		case a == schedule.Parallel:
			now[2].add(l.Extent, loops[i])
		case a == schedule.VThread:
			r.threads[6] = r.threads[6].Times(l.Extent)
		case a.IsThread(): // BlockX, ThreadX, BlockY and so on
			k := a - schedule.BlockX
			r.threads[k/2+3*(k%2)] = l.Extent
		}
	}
	for k, a := range now {
		a.prod = r.marked[k].prod.Times(a.none).Plus(a.none.Const(1).Minus(a.none).Times(a.prod))
		r.marked[k] = a
	}
}

// add adds a loop, if it is one.
func (a *annotation[N]) add(extent, is N) {
	not := is.Const(1).Minus(is)
	a.num, a.none = a.num.Plus(is), a.none.Times(not)
	a.prod, a.length = a.prod.Times(extent), a.length.Times(not).Plus(is.Times(extent))
}

// appendTo appends the columns to out.
func (r *row[N]) appendTo(out []N) []N {
	w := writer[N]{out}
	for _, v := range r.ops {
		w.scaled(v)
	}
	for _, a := range r.marked {
		w.scaled(a.num)
		w.scaled(a.prod)
		w.scaled(a.length)
		w.out = append(w.out, a.none)
		for range 6 {
			w.flag(false)
		}
		w.out = append(w.out, a.none.Const(1).Minus(a.none)) // mixed: where the loop stands is not looked at
	}
	w.flag(r.gpu)
	for _, v := range r.threads {
		w.scaled(v)
	}
	for k := range maxBufs {
		if k < len(r.access) {
			r.access[k].write(&w)
			continue
		}
		for range bufWidth {
			w.flag(false)
		}
	}
	w.out = append(w.out, r.curve[:]...)
	w.scaled(r.allocBytes)
	w.scaled(r.allocProd)
	w.scaled(r.allocOuter)
	w.scaled(r.allocInner)
	w.scaled(r.outerProd)
	w.scaled(r.loops)
	w.number(r.unroll)
	return w.out
}

// A writer appends columns.
type writer[N Number[N]] struct{ out []N }

// scaled returns log2(1+v), odd-symmetric.
func scaled[N Number[N]](v N) N {
	one := v.Const(1)
	if v.Value() < 0 {
		return v.Const(0).Minus(one.Minus(v).Log2())
	}
	return one.Plus(v).Log2()
}

func (w *writer[N]) scaled(v N) { w.out = append(w.out, scaled(v)) }

func (w *writer[N]) number(n int) {
	var zero N
	w.scaled(zero.Const(float64(n)))
}

func (w *writer[N]) flag(on bool) {
	var v N
	if on {
		v = v.Const(1)
	}
	w.out = append(w.out, v)
}

func (w *writer[N]) oneHot(which, of int) {
	for k := range of {
		w.flag(k == which)
	}
}

// The sizes of a row.
const (
	Columns  = 164
	Curve    = 16 + 3*11 + 8 + maxBufs*bufWidth // the first column of the curve of arithmetic intensity
	maxBufs  = 5                                // buffers of a statement that have columns
	samples  = 10                               // of the curve of arithmetic intensity
	bufWidth = 18
)

// Names returns the names of the columns, as in TVM.
func Names() []string {
	names := []string{
		"float_mad", "float_addsub", "float_mul", "float_divmod", "float_cmp", "float_mathfunc", "float_otherfunc",
		"int_mad", "int_addsub", "int_mul", "int_divmod", "int_cmp", "int_mathfunc", "int_otherfunc",
		"bool_op", "select_op",
	}
	positions := []string{
		"kPosNone", "kPosInnerSpatial", "kPosMiddleSpatial", "kPosOuterSpatial",
		"kPosInnerReduce", "kPosMiddleReduce", "kPosOuterReduce", "kPosMixed",
	}
	for _, loop := range []string{"vec", "unroll", "parallel"} {
		names = append(names, loop+"_num", loop+"_prod", loop+"_len")
		for _, p := range positions {
			names = append(names, loop+"_type."+p)
		}
	}
	names = append(names, "is_gpu",
		"blockIdx_x_len", "blockIdx_y_len", "blockIdx_z_len",
		"threadIdx_x_len", "threadIdx_y_len", "threadIdx_z_len", "vthread_len")
	for b := range maxBufs {
		for _, n := range []string{
			"acc_type.kRead", "acc_type.kWrite", "acc_type.kReadWrite",
			"bytes", "unique_bytes", "lines", "unique_lines",
			"reuse_type.kLoopMultipleRead", "reuse_type.kSerialMultipleReadWrite", "reuse_type.kNoReuse",
			"reuse_dis_iter", "reuse_dis_bytes", "reuse_ct",
			"bytes_d_reuse_ct", "unique_bytes_d_reuse_ct", "lines_d_reuse_ct", "unique_lines_d_reuse_ct",
			"stride",
		} {
			names = append(names, fmt.Sprintf("B%d.%s", b, n))
		}
	}
	for i := range samples {
		names = append(names, fmt.Sprintf("arith_intensity_curve_%d", i))
	}
	return append(names, "alloc_size", "alloc_prod", "alloc_outer_prod", "alloc_inner_prod",
		"outer_prod", "num_loops", "auto_unroll_max_step")
}

// A Number is what extents, coefficients and features are made of: Float, or a
// number that carries its derivative. N is the type itself.
type Number[N any] interface {
	Const(v float64) N // a constant, whatever the receiver
	Value() float64    // which decides comparisons

	Plus(N) N
	Minus(N) N
	Times(N) N
	Over(N) N
	Floor() N
	Log2() N
	Least(N) N
	Most(N) N
	Above(N) N // 1 if it is above, else 0; a smooth number may be between
	Equal(N) N // 1 if it is equal, else 0; a smooth number may be between
}

// Float is a plain Number.
type Float float64

// Const returns v.
func (Float) Const(v float64) Float { return Float(v) }

// Value returns x.
func (x Float) Value() float64 { return float64(x) }

// Plus returns x + y.
func (x Float) Plus(y Float) Float { return x + y }

// Minus returns x - y.
func (x Float) Minus(y Float) Float { return x - y }

// Times returns x * y.
func (x Float) Times(y Float) Float { return x * y }

// Over returns x / y.
func (x Float) Over(y Float) Float { return x / y }

// Floor rounds down.
func (x Float) Floor() Float { return Float(math.Floor(float64(x))) }

// Log2 returns the binary logarithm.
func (x Float) Log2() Float {
	if x == 1 { // most columns are 0
		return 0
	}
	return Float(math.Log2(float64(x)))
}

// Least returns the smaller one.
func (x Float) Least(y Float) Float {
	if y < x {
		return y
	}
	return x
}

// Most returns the larger one.
func (x Float) Most(y Float) Float {
	if y > x {
		return y
	}
	return x
}

// Above returns 1 if x > y, else 0.
func (x Float) Above(y Float) Float {
	if x > y {
		return 1
	}
	return 0
}

// Equal returns 1 if x = y, else 0.
func (x Float) Equal(y Float) Float {
	if x == y {
		return 1
	}
	return 0
}

func absolute[N Number[N]](x N) N {
	if x.Value() < 0 {
		return x.Const(0).Minus(x)
	}
	return x
}

// intensity sets the curve of arithmetic intensity of a statement at ten places:
// the operations so far from the innermost loop outward against the bytes
// touched, both by their logarithms; the curve is their quotient over the first.
func (x *extractor[N]) intensity(s *nest.Nest[N], r *row[N]) {
	var zero N
	r.curve = [samples]N{}
	if s.Ops.Float.Total() == 0 || len(x.stack) == 0 {
		return
	}
	var ops, ratios []N
	done := zero.Const(float64(s.Ops.Float.Total()))
	for i := len(x.stack) - 1; i >= 0; i-- {
		done = done.Times(x.stack[i].Extent)
		bytes := zero
		for k, a := range s.Accesses {
			bytes = bytes.Plus(x.sizeInside(i, k).Times(zero.Const(x.bytes(a.Buffer))))
		}
		ops = append(ops, done.Log2())
		ratios = append(ratios, done.Log2().Over(bytes.Log2()))
	}
	last, p := ops[len(ops)-1], 0
	for i := range r.curve {
		at := last.Times(zero.Const(float64(i + 1))).Over(zero.Const(samples))
		for p < len(ops)-1 && ops[p].Value() < at.Value()-1e-4 {
			p++
		}
		if p == 0 {
			r.curve[i] = ratios[0]
			continue
		}
		slope := ratios[p].Minus(ratios[p-1]).Over(ops[p].Minus(ops[p-1]))
		r.curve[i] = ratios[p-1].Plus(slope.Times(at.Minus(ops[p-1])))
	}
}
