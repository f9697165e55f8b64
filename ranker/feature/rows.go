package feature

import (
	"fmt"
	"math"

	"github.com/wmtune/wmtune/ranker/nest"
	"github.com/wmtune/wmtune/tir/schedule"
)

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
	x := &extractor[N]{p: p, line: line, touched: make([]touches[N], len(p.Loops)), row: make([]int, len(p.Buffers))}
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
	p       *nest.Program[N]
	line    float64
	touched []touches[N] // by loop, by all statements so far
	row     []int        // by buffer: 1 + the index of its row, or 0
	rows    []*row[N]
	gpu     bool // a loop over threads has been seen

	stack   []*nest.Loop[N] // around the statement at hand
	outer   N               // the product of their extents
	regions []region[N]
	sizes   []N // by loop and access: the elements touched inside the loop
}

// store takes a statement into account.
func (x *extractor[N]) store(s *nest.Nest[N]) {
	x.stack = x.stack[:0]
	var zero N
	x.outer = zero.Const(1)
	for _, l := range s.Loops {
		loop := &x.p.Loops[l]
		x.stack = append(x.stack, loop)
		x.outer = x.outer.Times(loop.Extent)
		x.gpu = x.gpu || loop.Ann.IsThread()
	}
	r := x.rowOf(s.Accesses[0].Buffer)
	r.count(s.Ops, x.outer)
	r.annotations(x.stack, x.gpu)
	x.touch(s)
	x.buffers(s, r)
	x.intensity(s, r)
	r.outerProd, r.loops, r.unroll = x.outer, len(s.Loops), s.Unroll
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
	outerProd                                     N
	loops, unroll                                 int
}

// An annotation is what there is of loops of one kind.
type annotation[N Number[N]] struct {
	num          int
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
func (r *row[N]) annotations(stack []*nest.Loop[N], gpu bool) {
	var zero N
	r.gpu = gpu
	for k := range r.marked {
		r.marked[k].num, r.marked[k].length = 0, zero
	}
	for k := range r.threads {
		r.threads[k] = zero.Const(1)
	}
	for _, l := range stack {
		switch a := l.Ann; {
		case a == schedule.Vectorize:
			r.marked[0].add(l.Extent)
		case a == schedule.Unroll:
			r.marked[1].add(l.Extent)
		case a == schedule.Parallel:
			r.marked[2].add(l.Extent)
		case a == schedule.VThread:
			r.threads[6] = r.threads[6].Times(l.Extent)
		case a.IsThread(): // BlockX, ThreadX, BlockY and so on
			k := a - schedule.BlockX
			r.threads[k/2+3*(k%2)] = l.Extent
		}
	}
}

func (a *annotation[N]) add(extent N) {
	if a.num == 0 {
		a.prod = extent.Const(1)
	}
	a.num++
	a.prod, a.length = a.prod.Times(extent), extent
}

// appendTo appends the columns to out.
func (r *row[N]) appendTo(out []N) []N {
	w := writer[N]{out}
	for _, v := range r.ops {
		w.scaled(v)
	}
	for _, a := range r.marked {
		w.number(a.num)
		w.scaled(a.prod)
		w.scaled(a.length)
		if a.num == 0 {
			w.oneHot(0, 8) // none
		} else {
			w.oneHot(7, 8) // mixed: where the loop stands is not looked at
		}
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
	w.number(r.loops)
	w.number(r.unroll)
	return w.out
}

// A writer appends columns.
type writer[N Number[N]] struct{ out []N }

// scaled writes log2(1+v), odd-symmetric.
func (w *writer[N]) scaled(v N) {
	one := v.Const(1)
	switch x := v.Value(); {
	case x == 0:
		w.out = append(w.out, v)
	case x < 0:
		w.out = append(w.out, v.Const(0).Minus(one.Minus(v).Log2()))
	default:
		w.out = append(w.out, one.Plus(v).Log2())
	}
}

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
	maxBufs  = 5  // buffers of a statement that have columns
	samples  = 10 // of the curve of arithmetic intensity
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
func (x Float) Log2() Float { return Float(math.Log2(float64(x))) }

func least[N Number[N]](x, y N) N {
	if y.Value() < x.Value() {
		return y
	}
	return x
}

func most[N Number[N]](x, y N) N {
	if y.Value() > x.Value() {
		return y
	}
	return x
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
