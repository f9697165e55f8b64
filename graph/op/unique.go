package op

import (
	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir"
)

// A uniqueProgram is the program of a Unique: the items are sorted, and equal ones, which are then neighbours, are a
// group.
type uniqueProgram struct {
	items, outer, inner int64
	x                   *tir.Buffer
	out, extents        [4]*tir.Buffer // of each output, or nil
	sorted              bool

	order *tir.Buffer // items, sorted
	group *tir.Buffer // of each item
	first *tir.Buffer // item of each group
	size  *tir.Buffer // of each group
	place *tir.Buffer // of each group in the results
	count *tir.Buffer // of groups
	next  *tir.Buffer // place
	after *tir.Buffer // result of a comparison
}

func opaqueUnique(n *graph.Node) (*tir.Func, error) {
	items, outer, inner, of, err := along(n, n.Inputs[0].Shape)
	if err != nil {
		return nil, err
	}
	u := &uniqueProgram{items: items, outer: outer, inner: inner, x: flat("x", n.Inputs[0]),
		sorted: n.Int("sorted", 1) != 0,
		order:  scratch("order", tir.I64, items), group: scratch("group", tir.I64, items),
		first: scratch("first", tir.I64, items), size: scratch("size", tir.I64, items),
		place: scratch("place", tir.I64, items), count: scratch("count", tir.I64, 1), next: scratch("next", tir.I64, 1),
		after: scratch("after", tir.I32, 1)}
	params := []*tir.Buffer{u.x}
	for i, name := range []string{"y", "indices", "inverse", "counts"} {
		if v := n.Output(i); v != nil {
			u.out[i] = flat(name, v)
			params = append(params, u.out[i])
		}
	}
	for i, name := range []string{"y_extents", "indices_extents", "inverse_extents", "counts_extents"} {
		if v := n.Output(i); v != nil && v.Extents != nil {
			u.extents[i] = extentsOf(v)
			u.extents[i].Name = name
			params = append(params, u.extents[i])
		}
	}
	body := seq(mergeSort(items, u.order, u.compare), u.groups(), u.places(), u.results(), u.sizes(of))
	return function("unique", len(params)-1, allocs(body, u.order, u.group, u.first, u.size, u.place, u.count, u.next,
		u.after), params...), nil
}

// compare sets after to 1 if item j is less than item i, to -1 if it is greater, else to 0.
func (u *uniqueProgram) compare(i, j tir.Expr, after *tir.Buffer) tir.Stmt {
	element := func(item, o, k tir.Expr) tir.Expr {
		return load(u.x, add(times(add(times(o, u.items), item), u.inner), k))
	}
	return seq(store(after, num32(0), zero),
		nest([]int64{u.outer, u.inner}, tir.Serial, func(at []tir.Expr) tir.Stmt {
			x, y := element(i, at[0], at[1]), element(j, at[0], at[1])
			return &tir.If{Cond: eq(load(after, zero), num32(0)),
				Then: store(after, sub(Cast(below(y, x), tir.I32), Cast(below(x, y), tir.I32)), zero)}
		}))
}

func (u *uniqueProgram) increase(b *tir.Buffer, at tir.Expr) tir.Stmt {
	return store(b, plus(load(b, at), 1), at)
}

// groups finds the groups. The first item of a group is that of the lowest index, since the order keeps that of equals.
func (u *uniqueProgram) groups() tir.Stmt {
	start := func(item tir.Expr) tir.Stmt {
		g := load(u.count, zero)
		return seq(store(u.first, item, g), store(u.size, zero, g), u.increase(u.count, zero))
	}
	join := func(item tir.Expr) tir.Stmt {
		g := within(plus(load(u.count, zero), -1), u.items)
		return seq(store(u.group, g, item), u.increase(u.size, g))
	}
	return seq(store(u.count, zero, zero), loop("i", u.items, func(i tir.Expr) tir.Stmt {
		item := load(u.order, i)
		return seq(
			u.compare(load(u.order, maxOf(plus(i, -1), zero)), item, u.after),
			&tir.If{Cond: or(eq(i, zero), ne(load(u.after, zero), num32(0))), Then: start(item)},
			join(item))
	}))
}

// places gives each group its place in the results: as they are sorted, or in the order of their first items.
func (u *uniqueProgram) places() tir.Stmt {
	if u.sorted {
		return loop("i", u.items, func(i tir.Expr) tir.Stmt { return store(u.place, i, i) })
	}
	return seq(store(u.next, zero, zero), loop("i", u.items, func(i tir.Expr) tir.Stmt {
		g := load(u.group, i)
		return &tir.If{Cond: eq(load(u.first, g), i),
			Then: seq(store(u.place, load(u.next, zero), g), u.increase(u.next, zero))}
	}))
}

func (u *uniqueProgram) results() tir.Stmt {
	count := load(u.count, zero)
	perGroup := upToExpr("g", count, func(g tir.Expr) tir.Stmt {
		to, first := load(u.place, g), load(u.first, g)
		var list []tir.Stmt
		if b := u.out[0]; b != nil {
			list = append(list, nest([]int64{u.outer, u.inner}, tir.Serial, func(at []tir.Expr) tir.Stmt {
				from := add(times(add(times(at[0], u.items), first), u.inner), at[1])
				return store(b, load(u.x, from), add(times(add(mul(at[0], count), to), u.inner), at[1]))
			}))
		}
		if b := u.out[1]; b != nil {
			list = append(list, store(b, first, to))
		}
		if b := u.out[3]; b != nil {
			list = append(list, store(b, load(u.size, g), to))
		}
		return seq(append(list, store(u.next, to, zero))...)
	})
	if u.out[2] == nil {
		return perGroup
	}
	return seq(perGroup, loop("i", u.items, func(i tir.Expr) tir.Stmt {
		return store(u.out[2], load(u.place, load(u.group, i)), i)
	}))
}

// sizes stores the extents of the outputs.
func (u *uniqueProgram) sizes(of func(int64) []int64) tir.Stmt {
	list := []tir.Stmt{store(u.next, zero, zero)}
	for i, b := range u.extents {
		if b == nil {
			continue
		}
		shape := []int64{-1}
		if i == 0 {
			shape = of(-1)
		}
		for d, e := range shape {
			v := tir.Expr(tir.Int(e))
			if e < 0 {
				v = load(u.count, zero)
			}
			list = append(list, store(b, v, tir.Int(int64(d))))
		}
	}
	return seq(list...)
}
