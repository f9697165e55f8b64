package feature

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
func (r *row[N]) count(o Ops, times N) {
	add := func(column, n int) {
		if n > 0 {
			r.ops[column] = r.ops[column].Plus(times.Times(times.Const(float64(n))))
		}
	}
	for k, a := range [2]Arithmetic{o.Float, o.Int} {
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
func (r *row[N]) annotations(stack []*Loop[N], gpu bool) {
	var zero N
	r.gpu = gpu
	for k := range r.marked {
		r.marked[k].num, r.marked[k].length = 0, zero
	}
	for k := range r.threads {
		r.threads[k] = zero.Const(1)
	}
	for _, l := range stack {
		switch l.Kind {
		case Vectorized:
			r.marked[0].add(l.Extent)
		case Unrolled:
			r.marked[1].add(l.Extent)
		case Parallel:
			r.marked[2].add(l.Extent)
		case Vthread:
			r.threads[6] = r.threads[6].Times(l.Extent)
		case BlockX, BlockY, BlockZ, ThreadX, ThreadY, ThreadZ:
			r.threads[l.Kind-BlockX] = l.Extent
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
