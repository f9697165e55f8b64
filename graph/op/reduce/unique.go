package reduce

import (
	"github.com/wmtune/wmtune/graph"
	. "github.com/wmtune/wmtune/graph/op/expr"
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
	u := &uniqueProgram{items: items, outer: outer, inner: inner, x: Flat("x", n.Inputs[0]),
		sorted: n.Int("sorted", 1) != 0,
		order:  Scratch("order", tir.I64, items), group: Scratch("group", tir.I64, items),
		first: Scratch("first", tir.I64, items), size: Scratch("size", tir.I64, items),
		place: Scratch("place", tir.I64, items), count: Scratch("count", tir.I64, 1), next: Scratch("next", tir.I64, 1),
		after: Scratch("after", tir.I32, 1)}
	params := []*tir.Buffer{u.x}
	for i, name := range []string{"y", "indices", "inverse", "counts"} {
		if v := n.Output(i); v != nil {
			u.out[i] = Flat(name, v)
			params = append(params, u.out[i])
		}
	}
	for i, name := range []string{"y_extents", "indices_extents", "inverse_extents", "counts_extents"} {
		if v := n.Output(i); v != nil && v.Extents != nil {
			u.extents[i] = ExtentsOf(v)
			u.extents[i].Name = name
			params = append(params, u.extents[i])
		}
	}
	body := Seq(mergeSort(items, u.order, u.compare), u.groups(), u.places(), u.results(), u.sizes(of))
	return NewFunc("unique", len(params)-1, Allocs(body, u.order, u.group, u.first, u.size, u.place, u.count, u.next,
		u.after), params...), nil
}

// compare sets after to 1 if item j is less than item i, to -1 if it is greater, else to 0.
func (u *uniqueProgram) compare(i, j tir.Expr, after *tir.Buffer) tir.Stmt {
	element := func(item, o, k tir.Expr) tir.Expr {
		return Load(u.x, Add(Times(Add(Times(o, u.items), item), u.inner), k))
	}
	return Seq(Store(after, Num32(0), Zero),
		Nest([]int64{u.outer, u.inner}, tir.Serial, func(at []tir.Expr) tir.Stmt {
			x, y := element(i, at[0], at[1]), element(j, at[0], at[1])
			return &tir.If{Cond: Eq(Load(after, Zero), Num32(0)),
				Then: Store(after, Sub(Cast(below(y, x), tir.I32), Cast(below(x, y), tir.I32)), Zero)}
		}))
}

func (u *uniqueProgram) increase(b *tir.Buffer, at tir.Expr) tir.Stmt {
	return Store(b, Plus(Load(b, at), 1), at)
}

// groups finds the groups. The first item of a group is that of the lowest index, since the order keeps that of equals.
func (u *uniqueProgram) groups() tir.Stmt {
	start := func(item tir.Expr) tir.Stmt {
		g := Load(u.count, Zero)
		return Seq(Store(u.first, item, g), Store(u.size, Zero, g), u.increase(u.count, Zero))
	}
	join := func(item tir.Expr) tir.Stmt {
		g := Within(Plus(Load(u.count, Zero), -1), u.items)
		return Seq(Store(u.group, g, item), u.increase(u.size, g))
	}
	return Seq(Store(u.count, Zero, Zero), Loop("i", u.items, func(i tir.Expr) tir.Stmt {
		item := Load(u.order, i)
		return Seq(
			u.compare(Load(u.order, MaxOf(Plus(i, -1), Zero)), item, u.after),
			&tir.If{Cond: Or(Eq(i, Zero), Ne(Load(u.after, Zero), Num32(0))), Then: start(item)},
			join(item))
	}))
}

// places gives each group its place in the results: as they are sorted, or in the order of their first items.
func (u *uniqueProgram) places() tir.Stmt {
	if u.sorted {
		return Loop("i", u.items, func(i tir.Expr) tir.Stmt { return Store(u.place, i, i) })
	}
	return Seq(Store(u.next, Zero, Zero), Loop("i", u.items, func(i tir.Expr) tir.Stmt {
		g := Load(u.group, i)
		return &tir.If{Cond: Eq(Load(u.first, g), i),
			Then: Seq(Store(u.place, Load(u.next, Zero), g), u.increase(u.next, Zero))}
	}))
}

func (u *uniqueProgram) results() tir.Stmt {
	count := Load(u.count, Zero)
	perGroup := UpToExpr("g", count, func(g tir.Expr) tir.Stmt {
		to, first := Load(u.place, g), Load(u.first, g)
		var list []tir.Stmt
		if b := u.out[0]; b != nil {
			list = append(list, Nest([]int64{u.outer, u.inner}, tir.Serial, func(at []tir.Expr) tir.Stmt {
				from := Add(Times(Add(Times(at[0], u.items), first), u.inner), at[1])
				return Store(b, Load(u.x, from), Add(Times(Add(Mul(at[0], count), to), u.inner), at[1]))
			}))
		}
		if b := u.out[1]; b != nil {
			list = append(list, Store(b, first, to))
		}
		if b := u.out[3]; b != nil {
			list = append(list, Store(b, Load(u.size, g), to))
		}
		return Seq(append(list, Store(u.next, to, Zero))...)
	})
	if u.out[2] == nil {
		return perGroup
	}
	return Seq(perGroup, Loop("i", u.items, func(i tir.Expr) tir.Stmt {
		return Store(u.out[2], Load(u.place, Load(u.group, i)), i)
	}))
}

// sizes stores the extents of the outputs.
func (u *uniqueProgram) sizes(of func(int64) []int64) tir.Stmt {
	list := []tir.Stmt{Store(u.next, Zero, Zero)}
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
				v = Load(u.count, Zero)
			}
			list = append(list, Store(b, v, tir.Int(int64(d))))
		}
	}
	return Seq(list...)
}
