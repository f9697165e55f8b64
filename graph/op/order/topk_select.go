package order

import (
	"math"

	. "github.com/wmtune/wmtune/graph/op/expr"
	"github.com/wmtune/wmtune/tir"
)

// A selection finds the first k of a row of float32 that lies in a piece, in vectors:
//
//	best[g] = the largest key of group g            groups of elements that lie 16 apart
//	limit   = the k-th largest of best              by bits, from the highest one: none of the first k is below it
//	found   = the elements that are not below limit, of groups whose best is not
//	rank[i] = how many of found come before found[i]; the element of rank r is the r-th of the result
//
// A key is an int32 that is ordered as the numbers are: NaN is the largest, and -0 is 0. What is found has a key of 64
// bits, of the number and of its place, so no two are equal.
type selection struct {
	top
	groups, height int64 // of groups, and elements of each
	parts          int64 // that threads share, of a row that is alone; 1: the rows are shared

	best, limit, count, found, total *tir.Buffer
}

// Sizes of selections. The limit takes 32 steps a group, in vectors, and what is found about 4 steps an element of the
// groups that have one of the first k: the sum is least if a group has the root of length / 2k elements.
const (
	selectLanes  = 16
	selectMost   = 1024 // of k
	selectLength = 128  // of rows, at least
	mostHeight   = 32
)

// selects reports whether a row is selected from in vectors.
func (t top) selects() bool {
	run := int64(1)
	for _, d := range t.x.Shape[t.axis+1:] {
		run *= d
	}
	return t.x.Type == tir.F32 && run == 1 && t.k > 0 && t.k <= selectMost && t.k*4 <= t.length &&
		t.length >= selectLength && t.length < math.MaxInt32
}

func newSelection(t top, rows int64) *selection {
	height := int64(math.Round(math.Sqrt(float64(t.length) / float64(2*t.k))))
	height = min(max(height, 1), mostHeight)
	blocks := (t.length + selectLanes*height - 1) / (selectLanes * height)
	s := &selection{top: t, height: height, groups: blocks * selectLanes, parts: 1}
	if rows == 1 {
		s.parts = min(blocks, 4)
	}
	// Fewer than k groups have a larger element than the limit. Equal ones are found until there are k, by blocks.
	most := (t.k-1)*height + t.k + selectLanes*height
	most = (min(most, t.length) + selectLanes - 1) / selectLanes * selectLanes
	s.best, s.limit = Scratch("group_best", tir.I32, s.groups), Scratch("limit", tir.I32, 2)
	s.count = Scratch("counts", tir.I32, selectLanes)
	s.found, s.total = Scratch("found", tir.I64, most), Scratch("total", tir.I64, 2)
	return s
}

// key is the key of element i.
func (s *selection) key(i tir.Expr) tir.Expr {
	x := Load(s.x, s.at(i)...)
	bits := tir.Expr(&tir.Bitcast{X: x, To: tir.I32})
	// Negative numbers are ordered the other way round: all bits but the sign are turned.
	turned := tir.Bin(tir.BitXor, bits, tir.Bin(tir.BitAnd, tir.Bin(tir.Shr, bits, Num32(31)), Num32(math.MaxInt32)))
	k := Sel(Eq(x, Num(x, 0)), Num32(0), turned)
	k = Sel(Ne(x, x), Num32(math.MaxInt32), k)
	if s.n.Int("largest", 1) == 0 {
		k = tir.Bin(tir.BitXor, k, Num32(-1))
	}
	return k
}

// blocks is how many blocks there are; a block has height times 16 neighbours.
func (s *selection) blocks() int64 { return s.groups / selectLanes }

// place is where element h of lane's group in a block lies.
func (s *selection) place(block, h, lane tir.Expr) tir.Expr {
	return Add(Add(Times(block, selectLanes*s.height), Times(h, selectLanes)), lane)
}

// within runs do for a place of a block; in the last block only if it is in the row.
func (s *selection) within(last bool, i tir.Expr, do tir.Stmt) tir.Stmt {
	if last && s.groups*s.height > s.length {
		return &tir.If{Cond: Lt(i, tir.Int(s.length)), Then: do}
	}
	return do
}

// groupBest fills best.
func (s *selection) groupBest() tir.Stmt {
	block := func(b tir.Expr, last bool) tir.Stmt {
		slot := func(lane tir.Expr) tir.Expr { return Add(Times(b, selectLanes), lane) }
		return Seq(
			Vector("g", selectLanes, func(lane tir.Expr) tir.Stmt {
				return Store(s.best, Num32(math.MinInt32), slot(lane))
			}),
			Loop("h", s.height, func(h tir.Expr) tir.Stmt {
				return Vector("g", selectLanes, func(lane tir.Expr) tir.Stmt {
					i := s.place(b, h, lane)
					return s.within(last, i, Store(s.best, MaxOf(Load(s.best, slot(lane)), s.key(i)), slot(lane)))
				})
			}))
	}
	whole := s.blocks() - 1
	list := []tir.Stmt{}
	if whole > 0 {
		each := (whole + s.parts - 1) / s.parts
		kind := tir.Serial
		if s.parts > 1 {
			kind = tir.Parallel
		}
		list = append(list, Nest([]int64{(whole + each - 1) / each}, kind, func(p []tir.Expr) tir.Stmt {
			from := Times(p[0], each)
			return UpToExpr("b", MinOf(tir.Int(each), Sub(tir.Int(whole), from)), func(b tir.Expr) tir.Stmt {
				return block(Add(from, b), false)
			})
		}))
	}
	return Seq(append(list, block(tir.Int(whole), true))...)
}

// findLimit finds the k-th largest of best: bit by bit, the largest number that k of them reach.
func (s *selection) findLimit() tir.Stmt {
	low, bit := tir.Int(0), tir.Int(1)
	candidate := func() tir.Expr { return tir.Bin(tir.BitXor, Load(s.limit, low), Load(s.limit, bit)) }
	sum := tir.Expr(nil)
	for l := range int64(selectLanes) {
		v := Load(s.count, tir.Int(l))
		if sum == nil {
			sum = v
		} else {
			sum = Add(sum, v)
		}
	}
	return Seq(Store(s.limit, Num32(math.MinInt32), low), Store(s.limit, Num32(math.MinInt32), bit),
		Loop("bits", 32, func(i tir.Expr) tir.Stmt {
			// The sign's bit comes first: without it a number is larger.
			return Seq(
				Vector("l", selectLanes, func(lane tir.Expr) tir.Stmt { return Store(s.count, Num32(0), lane) }),
				Loop("g", s.blocks(), func(g tir.Expr) tir.Stmt {
					return Vector("l", selectLanes, func(lane tir.Expr) tir.Stmt {
						reach := Sel(Ge(Load(s.best, Add(Times(g, selectLanes), lane)), candidate()), Num32(1), Num32(0))
						return Store(s.count, Add(Load(s.count, lane), reach), lane)
					})
				}),
				&tir.If{Cond: Ge(sum, Num32(s.k)), Then: Store(s.limit, candidate(), low)},
				Store(s.limit, tir.Bin(tir.BitAnd, tir.Bin(tir.Shr, Load(s.limit, bit), Num32(1)), Num32(math.MaxInt32)), bit))
		}))
}

// collect fills found. Elements that are equal to the limit are found until a block ends with k of them: those of the
// lowest places are among them.
func (s *selection) collect() tir.Stmt {
	total, equal := Load(s.total, tir.Int(0)), Load(s.total, tir.Int(1))
	limit := Load(s.limit, tir.Int(0))
	open := Scratch("open", tir.I32, 1)
	put := func(i tir.Expr) tir.Stmt {
		k := s.key(i)
		number := tir.Bin(tir.BitOr, tir.Bin(tir.Shl, Cast(k, tir.I64), tir.Int(32)), Sub(tir.Int(math.MaxUint32), i))
		return &tir.If{Cond: Or(Gt(k, limit), And(Eq(k, limit), Ne(Load(open, Zero), Num32(0)))), Then: Seq(
			Store(s.found, number, total), Store(s.total, Plus(total, 1), tir.Int(0)),
			&tir.If{Cond: Eq(k, limit), Then: Store(s.total, Plus(equal, 1), tir.Int(1))})}
	}
	return Alloc(open, Seq(Store(s.total, tir.Int(0), tir.Int(0)), Store(s.total, tir.Int(0), tir.Int(1)),
		Loop("b", s.blocks(), func(b tir.Expr) tir.Stmt {
			return Seq(Store(open, Cast(Lt(equal, tir.Int(s.k)), tir.I32), Zero),
				Loop("lane", selectLanes, func(lane tir.Expr) tir.Stmt {
					return &tir.If{Cond: Ge(Load(s.best, Add(Times(b, selectLanes), lane)), limit), Then: Loop("h", s.height,
						func(h tir.Expr) tir.Stmt {
							i := s.place(b, h, lane)
							return s.within(true, i, put(i))
						})}
				}))
		})))
}

// fillUp gives the last vector of found keys that come after all others.
func (s *selection) fillUp() tir.Stmt {
	total := Load(s.total, tir.Int(0))
	size := s.found.Shape[0]
	return Loop("rest", selectLanes, func(i tir.Expr) tir.Stmt {
		at := Add(total, i)
		return &tir.If{Cond: Lt(at, tir.Int(size)), Then: Store(s.found, tir.Int(math.MinInt64), at)}
	})
}

// ranked calls give with the rank and the place of each element of the first k, in no order.
func (s *selection) ranked(give func(rank, from tir.Expr) tir.Stmt) tir.Stmt {
	total := Load(s.total, tir.Int(0))
	vectors := Floordiv(Plus(total, selectLanes-1), selectLanes)
	body := func(v tir.Expr) tir.Stmt {
		rank := Scratch("rank", tir.I64, selectLanes)
		mine := func(lane tir.Expr) tir.Expr { return Load(s.found, Add(Times(v, selectLanes), lane)) }
		return Alloc(rank, Seq(
			Vector("l", selectLanes, func(lane tir.Expr) tir.Stmt { return Store(rank, tir.Int(0), lane) }),
			UpToExpr("j", total, func(j tir.Expr) tir.Stmt {
				return Vector("l", selectLanes, func(lane tir.Expr) tir.Stmt {
					before := Sel(Gt(Load(s.found, j), mine(lane)), tir.Int(1), tir.Int(0))
					return Store(rank, Add(Load(rank, lane), before), lane)
				})
			}),
			Loop("l", selectLanes, func(lane tir.Expr) tir.Stmt {
				from := Sub(tir.Int(math.MaxUint32), tir.Bin(tir.BitAnd, mine(lane), tir.Int(math.MaxUint32)))
				return &tir.If{Cond: And(Lt(Load(rank, lane), tir.Int(s.k)), Ne(mine(lane), tir.Int(math.MinInt64))),
					Then: give(Load(rank, lane), from)}
			})))
	}
	if s.parts == 1 {
		return UpToExpr("v", vectors, body)
	}
	most := s.found.Shape[0] / selectLanes
	return Nest([]int64{most}, tir.Parallel, func(v []tir.Expr) tir.Stmt {
		return &tir.If{Cond: Lt(v[0], vectors), Then: body(v[0])}
	})
}

// program is the whole selection of a row.
func (s *selection) program(give func(rank, from tir.Expr) tir.Stmt) tir.Stmt {
	return Allocs(Seq(s.groupBest(), s.findLimit(), s.collect(), s.fillUp(), s.ranked(give)), s.best, s.limit, s.count,
		s.found, s.total)
}
