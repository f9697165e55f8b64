package order

import (
	"math"
	"math/bits"

	"github.com/wmtune/wmtune/graph"
	. "github.com/wmtune/wmtune/graph/op/expr"
	"github.com/wmtune/wmtune/tir"
)

// A uniqueProgram is the program of a Unique. Items are divided into parts by a hash, so that equal ones are in one
// part, in the order of items. A part has a table of chains, of an item of each group:
//
//	equal[i] = the first item that is equal to item i      parts are parallel; so are the blocks of items that divide
//	first[g] = the first item of group g                   in the order of items
//	place[i] = the place in the results of the group whose first item i is
//
// The results do not depend on how many parts there are.
type uniqueProgram struct {
	items, outer, inner int64
	parts               int64 // a power of two; 1: nothing is parallel
	buckets             int64 // of a part, a power of two
	x                   *tir.Buffer
	out, extents        [4]*tir.Buffer // of each output, or nil
	sorted              bool

	hash    *tir.Buffer // of each item
	starts  *tir.Buffer // of each block and part: where its next item is in list
	begins  *tir.Buffer // of each part: where its items begin in list, and where the last one's end
	list    *tir.Buffer // items, part by part
	hashes  *tir.Buffer // of the items of list; the same buffer as hash if there is one part
	head    *tir.Buffer // of each bucket, the place in list of the item that was found last
	length  *tir.Buffer // of each bucket's chain
	next    *tir.Buffer // of a place in a chain
	equal   *tir.Buffer
	size    *tir.Buffer // of the group of a first item
	first   *tir.Buffer
	place   *tir.Buffer
	order   *tir.Buffer // groups, sorted; nil unless they are
	count   *tir.Buffer // of groups
	scratch []*tir.Buffer
}

// Sizes of the division of items.
const (
	uniqueParts = 16
	uniqueBlock = 1024 // items of a block at least
	vectorLanes = 16
)

func opaqueUnique(n *graph.Node) (*tir.Func, error) {
	items, outer, inner, of, err := along(n, n.Inputs[0].Shape)
	if err != nil {
		return nil, err
	}
	u := &uniqueProgram{items: items, outer: outer, inner: inner, parts: 1, x: Flat("x", n.Inputs[0]),
		sorted: n.Int("sorted", 1) != 0}
	if items >= uniqueParts*uniqueBlock {
		u.parts = uniqueParts
	}
	u.buckets = int64(1) << bits.Len64(uint64(items/u.parts))
	for _, b := range []struct {
		at   **tir.Buffer
		name string
		size int64
	}{{&u.hash, "hash", items}, {&u.starts, "starts", u.parts * u.parts}, {&u.begins, "begins", u.parts + 1},
		{&u.list, "list", items}, {&u.hashes, "hashes", items},
		{&u.head, "head", u.parts * u.buckets}, {&u.length, "length", u.parts * u.buckets}, {&u.next, "next", items},
		{&u.equal, "equal", items}, {&u.size, "size", items}, {&u.first, "first", items}, {&u.place, "place", items}} {
		*b.at = Scratch(b.name, tir.I32, max(b.size, 1))
		if items > math.MaxInt32/2 && b.at != &u.hash && b.at != &u.hashes {
			(*b.at).Type = tir.I64
		}
		if u.parts == 1 && b.at == &u.hashes {
			u.hashes = u.hash
			continue
		}
		u.scratch = append(u.scratch, *b.at)
	}
	u.count = Scratch("count", tir.I64, 1)
	u.scratch = append(u.scratch, u.count)
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
	list := []tir.Stmt{u.divide(), u.findEqual(), u.groups()}
	if u.sorted && items > 0 {
		list = append(list, u.sort())
	}
	body := Seq(append(append(list, u.results()), u.sizes(of)...)...)
	return NewFunc("unique", len(params)-1, Allocs(body, u.scratch...), params...), nil
}

// set stores a number in a buffer of whichever integers.
func set(b *tir.Buffer, v tir.Expr, at tir.Expr) tir.Stmt { return Store(b, Cast(v, b.Type), at) }

// get reads element i of a buffer as an index.
func get(b *tir.Buffer, i tir.Expr) tir.Expr { return Cast(Load(b, i), tir.Index) }

func increase(b *tir.Buffer, at tir.Expr) tir.Stmt { return set(b, Plus(get(b, at), 1), at) }

// each runs body for ranges of 0..items-1: as many as parts, in parallel if there are several.
func (u *uniqueProgram) each(body func(block, from, count tir.Expr) tir.Stmt) tir.Stmt {
	block := (u.items + u.parts - 1) / u.parts
	return u.forParts(func(b tir.Expr) tir.Stmt {
		from := Times(b, block)
		return body(b, from, MinOf(tir.Int(block), Sub(tir.Int(u.items), from)))
	})
}

func (u *uniqueProgram) forParts(body func(p tir.Expr) tir.Stmt) tir.Stmt {
	kind := tir.Serial
	if u.parts > 1 {
		kind = tir.Parallel
	}
	return Nest([]int64{u.parts}, kind, func(at []tir.Expr) tir.Stmt { return body(at[0]) })
}

// element is where an element of an item lies.
func (u *uniqueProgram) element(item, o, k tir.Expr) tir.Expr {
	return Load(u.x, Add(Times(Add(Times(o, u.items), item), u.inner), k))
}

// ofElements runs body for each element of an item.
func (u *uniqueProgram) ofElements(body func(o, k tir.Expr) tir.Stmt) tir.Stmt {
	if u.outer*u.inner == 1 {
		return body(Zero, Zero)
	}
	return Nest([]int64{u.outer, u.inner}, tir.Serial, func(at []tir.Expr) tir.Stmt { return body(at[0], at[1]) })
}

// bitsOf are 32 bits of a number, the same for 0 and -0, and for all that are not numbers.
func bitsOf(x tir.Expr) tir.Expr {
	t := Register(x.DType())
	if t == tir.Bool {
		t = tir.I32
	}
	x = Cast(x, t)
	if t.IsFloat() {
		x = Sel(Eq(x, Num(x, 0)), Num(x, 0), x)
		whole := tir.I32
		if t.Bits() == 64 {
			whole = tir.I64
		}
		x = Sel(Eq(x, x), &tir.Bitcast{X: x, To: whole}, tir.Const(whole, -1))
		t = whole
	}
	if t.Bits() > 32 {
		x = Cast(x, tir.I64)
		high := tir.Bin(tir.BitXor, x, Mul(tir.Bin(tir.Shr, x, tir.Int(32)), tir.Int(0x2c9277b5)))
		return Cast(tir.Bin(tir.BitAnd, high, tir.Int(math.MaxInt32)), tir.I32)
	}
	return Cast(x, tir.I32)
}

// mixed makes bits of b depend on all bits of b (T. Mueller's finalizer of hashes).
func mixed(b *tir.Buffer, at tir.Expr) tir.Stmt {
	var list []tir.Stmt
	for _, factor := range []int64{0x45d9f3b, 0x45d9f3b, 1} {
		h := Load(b, at)
		list = append(list, Store(b, Mul(tir.Bin(tir.BitXor, h, tir.Bin(tir.Shr, h, Num32(16))), Num32(factor)), at))
	}
	return Seq(list...)
}

// part is the part of an item.
func (u *uniqueProgram) part(item tir.Expr) tir.Expr {
	return Cast(tir.Bin(tir.BitAnd, Load(u.hash, item), Num32(u.parts-1)), tir.Index)
}

// bucket is the bucket in its part of the item at a place of list.
func (u *uniqueProgram) bucket(place tir.Expr) tir.Expr {
	h := tir.Bin(tir.Shr, Load(u.hashes, place), Num32(int64(bits.Len64(uint64(u.parts-1)))))
	return Cast(tir.Bin(tir.BitAnd, h, Num32(min(u.buckets-1, math.MaxInt32))), tir.Index)
}

// divide fills hash and list. Each block counts the items of each part; sums of the counts are where they begin.
func (u *uniqueProgram) divide() tir.Stmt {
	hash := func(item tir.Expr) tir.Stmt {
		if u.outer*u.inner == 1 {
			return Seq(Store(u.hash, bitsOf(u.element(item, Zero, Zero)), item), mixed(u.hash, item))
		}
		return Seq(Store(u.hash, Num32(0), item), u.ofElements(func(o, k tir.Expr) tir.Stmt {
			h := tir.Bin(tir.BitXor, Mul(Load(u.hash, item), Num32(0x01000193)), bitsOf(u.element(item, o, k)))
			return Seq(Store(u.hash, h, item), mixed(u.hash, item))
		}))
	}
	start := func(p, b tir.Expr) tir.Expr { return Add(Times(b, u.parts), p) }
	if u.parts == 1 {
		return Seq(Vectors("i", u.items, hash), Loop("i", u.items, func(i tir.Expr) tir.Stmt { return set(u.list, i, i) }),
			set(u.begins, Zero, Zero), set(u.begins, tir.Int(u.items), tir.Int(1)))
	}
	sum := u.count
	return Seq(
		u.each(func(b, from, count tir.Expr) tir.Stmt {
			return Seq(
				UpToExpr("v", Floordiv(count, vectorLanes), func(v tir.Expr) tir.Stmt {
					return Vector("i", vectorLanes, func(lane tir.Expr) tir.Stmt {
						return hash(Add(Add(from, Times(v, vectorLanes)), lane))
					})
				}),
				UpToExpr("i", Floormod(count, vectorLanes), func(i tir.Expr) tir.Stmt {
					return hash(Add(Add(from, Times(Floordiv(count, vectorLanes), vectorLanes)), i))
				}),
				Loop("p", u.parts, func(p tir.Expr) tir.Stmt { return set(u.starts, Zero, start(p, b)) }),
				UpToExpr("i", count, func(i tir.Expr) tir.Stmt { return increase(u.starts, start(u.part(Add(from, i)), b)) }))
		}),
		Store(sum, Zero, Zero),
		Loop("p", u.parts, func(p tir.Expr) tir.Stmt {
			return Seq(set(u.begins, Load(sum, Zero), p), Loop("b", u.parts, func(b tir.Expr) tir.Stmt {
				held := Scratch("held", tir.I64, 1)
				return Alloc(held, Seq(Store(held, get(u.starts, start(p, b)), Zero),
					set(u.starts, Load(sum, Zero), start(p, b)), Store(sum, Add(Load(sum, Zero), Load(held, Zero)), Zero)))
			}))
		}),
		set(u.begins, tir.Int(u.items), tir.Int(u.parts)),
		u.each(func(b, from, count tir.Expr) tir.Stmt {
			return UpToExpr("i", count, func(i tir.Expr) tir.Stmt {
				item := Add(from, i)
				at := start(u.part(item), b)
				to := Within(get(u.starts, at), u.items)
				return Seq(set(u.list, item, to), Store(u.hashes, Load(u.hash, item), to), increase(u.starts, at))
			})
		}))
}

// findEqual fills equal and size.
func (u *uniqueProgram) findEqual() tir.Stmt {
	return u.forParts(func(p tir.Expr) tir.Stmt {
		begin, end := get(u.begins, p), get(u.begins, Plus(p, 1))
		clear := Vectors("b", u.buckets, func(b tir.Expr) tir.Stmt {
			at := Add(Times(p, u.buckets), b)
			return Seq(set(u.length, Zero, at), set(u.head, Zero, at))
		})
		now, found, same := Scratch("now", tir.I64, 1), Scratch("found", tir.I64, 1), Scratch("same", tir.I32, 1)
		mine, where := Scratch("mine", tir.I64, 1), Scratch("where", tir.I64, 1)
		place, at := Within(Load(mine, Zero), u.items), Within(Load(where, Zero), u.parts*u.buckets)
		c, f := Within(Load(now, Zero), u.items), Within(Load(found, Zero), u.items)
		item := func(place tir.Expr) tir.Expr { return Within(get(u.list, place), u.items) }
		walk := UpToExpr("k", get(u.length, at), func(tir.Expr) tir.Stmt {
			likely := And(Lt(Load(found, Zero), Zero), Eq(Load(u.hashes, c), Load(u.hashes, place)))
			return Seq(&tir.If{Cond: likely, Then: Seq(u.compare(item(c), item(place), same),
				&tir.If{Cond: Ne(Load(same, Zero), Num32(0)), Then: Store(found, c, Zero)})},
				Store(now, get(u.next, c), Zero))
		})
		return Seq(clear, Allocs(UpToExpr("i", Sub(end, begin), func(i tir.Expr) tir.Stmt {
			return Seq(Store(mine, Add(begin, i), Zero), Store(where, Add(Times(p, u.buckets), u.bucket(place)), Zero),
				Store(now, get(u.head, at), Zero), Store(found, tir.Int(-1), Zero), walk,
				&tir.If{Cond: Lt(Load(found, Zero), Zero), Then: Seq(set(u.next, get(u.head, at), place),
					set(u.head, place, at), increase(u.length, at), set(u.equal, item(place), item(place)),
					set(u.size, tir.Int(1), item(place))),
					Else: Seq(set(u.equal, item(f), item(place)), increase(u.size, item(f)))})
		}), mine, where, now, found, same))
	})
}

// compare sets same to 1 if two items are equal, else to 0.
func (u *uniqueProgram) compare(i, j tir.Expr, same *tir.Buffer) tir.Stmt {
	return Seq(Store(same, Num32(1), Zero), u.ofElements(func(o, k tir.Expr) tir.Stmt {
		x, y := u.element(i, o, k), u.element(j, o, k)
		return &tir.If{Cond: Or(below(x, y), below(y, x)), Then: Store(same, Num32(0), Zero)}
	}))
}

// groups fills first, in the order of items, and place for results in that order.
func (u *uniqueProgram) groups() tir.Stmt {
	g := Load(u.count, Zero)
	return Seq(Store(u.count, Zero, Zero), Loop("i", u.items, func(i tir.Expr) tir.Stmt {
		return &tir.If{Cond: Eq(get(u.equal, i), i), Then: Seq(set(u.first, i, g), set(u.place, g, i),
			Store(u.count, Plus(g, 1), Zero))}
	}))
}

// firstOf is the first item of a group.
func (u *uniqueProgram) firstOf(g tir.Expr) tir.Expr {
	return Within(get(u.first, Within(g, u.items)), u.items)
}

// sort fills order, and place by it.
func (u *uniqueProgram) sort() tir.Stmt {
	u.order = Scratch("order", tir.I64, u.items)
	u.scratch = append(u.scratch, u.order)
	count := Load(u.count, Zero)
	sorting := mergeSort(count, u.items, u.order, func(i, j tir.Expr, after *tir.Buffer) tir.Stmt {
		i, j = u.firstOf(i), u.firstOf(j)
		return Seq(Store(after, Num32(0), Zero), u.ofElements(func(o, k tir.Expr) tir.Stmt {
			x, y := u.element(i, o, k), u.element(j, o, k)
			return &tir.If{Cond: Eq(Load(after, Zero), Num32(0)),
				Then: Store(after, Sub(Cast(below(y, x), tir.I32), Cast(below(x, y), tir.I32)), Zero)}
		}))
	})
	return Seq(sorting, UpToExpr("g", count, func(g tir.Expr) tir.Stmt {
		return set(u.place, g, u.firstOf(Load(u.order, g)))
	}))
}

func (u *uniqueProgram) results() tir.Stmt {
	count := Load(u.count, Zero)
	return u.each(func(_, from, most tir.Expr) tir.Stmt {
		perGroup := UpToExpr("g", MinOf(most, Sub(count, from)), func(g tir.Expr) tir.Stmt {
			to := Add(from, g)
			first := u.firstOf(to)
			if u.order != nil {
				first = u.firstOf(Load(u.order, to))
			}
			var list []tir.Stmt
			if b := u.out[0]; b != nil {
				list = append(list, u.ofElements(func(o, k tir.Expr) tir.Stmt {
					return Store(b, u.element(first, o, k), Add(Times(Add(Mul(o, count), to), u.inner), k))
				}))
			}
			if b := u.out[1]; b != nil {
				list = append(list, Store(b, first, to))
			}
			if b := u.out[3]; b != nil {
				list = append(list, Store(b, get(u.size, first), to))
			}
			return Seq(list...)
		})
		b := u.out[2]
		if b == nil {
			return perGroup
		}
		return Seq(perGroup, UpToExpr("i", most, func(i tir.Expr) tir.Stmt {
			item := Add(from, i)
			return Store(b, get(u.place, Within(get(u.equal, item), u.items)), item)
		}))
	})
}

// sizes stores the extents of the outputs.
func (u *uniqueProgram) sizes(of func(int64) []int64) []tir.Stmt {
	var list []tir.Stmt
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
	return list
}
