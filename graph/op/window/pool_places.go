package window

import (
	"math"
	"slices"

	"github.com/wmtune/wmtune/graph"
	. "github.com/wmtune/wmtune/graph/op/expr"
	"github.com/wmtune/wmtune/tir"
	tirop "github.com/wmtune/wmtune/tir/op"
)

// A placedPool is a max pool by rows that also tells the places of the largest elements. A line has, of each column,
// the largest element of the window's rows and its place in the channel, as an int32. Of equals the first place counts,
// in whatever order columns and rows are folded.
type placedPool struct {
	rowPool
	places *tir.Buffer // beside line
	index  *tir.Buffer // output 1
}

func (p *pool) placed(s rowPool, each int64) *placedPool {
	return &placedPool{rowPool: s, places: Scratch("places", tir.I32, each, s.line.Shape[1]),
		index: Parameter("index", s.n.Outputs[1])}
}

// outsidePlace is behind every place.
var outsidePlace = Num32(math.MaxInt32)

// take folds v, which is at place, into the pair that best and its place have at a point. The first NaN is above all.
func take(best, bestPlace *tir.Buffer, at []tir.Expr, v, place tir.Expr) tir.Stmt {
	b, p := Load(best, at...), Load(bestPlace, at...)
	better := And(Eq(b, b), Or(Not(Le(v, b)), And(Eq(v, b), Lt(place, p))))
	return Seq(Store(bestPlace, Sel(better, place, p), at...), Store(best, MaxOf(b, v), at...))
}

// margins fill the columns beside the image.
func (s *placedPool) margins(lines int64) []tir.Stmt {
	places := s.rowPool
	places.line = s.places
	return append(s.rowPool.fillMargins(lines, s.fill()), places.fillMargins(lines, outsidePlace)...)
}

// above folds the rows that the windows of a row have.
func (s *placedPool) above(row tir.Expr, plane, place []tir.Expr) tir.Stmt {
	return Vectors("c", s.In[s.last], func(c tir.Expr) tir.Stmt {
		at := []tir.Expr{row, Plus(c, s.Windows[s.last].Before)}
		list := []tir.Stmt{Store(s.line, s.fill(), at...), Store(s.places, outsidePlace, at...)}
		s.aboveRows(plane, place, func(from, inside []tir.Expr) {
			v := Cast(Load(s.x, append(from, c)...), s.line.Type)
			number := tir.Expr(tir.Int(0))
			for d, i := range append(slices.Clone(from[2:]), c) {
				number = Add(Times(number, s.In[d]), i)
			}
			number = Cast(number, tir.I32)
			if len(inside) > 0 {
				v = &tir.Select{Cond: tir.AllOf(inside...), Then: v, Else: s.fill(), Lazy: true}
				number = Sel(tir.AllOf(inside...), number, outsidePlace)
			}
			list = append(list, take(s.line, s.places, at, v, number))
		})
		return Seq(list...)
	})
}

// along folds the columns, and writes a row of both results.
func (s *placedPool) along(row tir.Expr, plane, place []tir.Expr) tir.Stmt {
	w := s.Windows[s.last]
	return Chunks("j", s.Out[s.last], func(base tir.Expr, width int64) tir.Stmt {
		best, bestPlace := Scratch("best", s.line.Type, width), Scratch("best_place", tir.I32, width)
		return Allocs(Vector("j", width, func(lane tir.Expr) tir.Stmt {
			j, at := Add(base, lane), []tir.Expr{lane}
			list := []tir.Stmt{Store(best, s.fill(), at...), Store(bestPlace, outsidePlace, at...)}
			for k := range w.Size {
				from := []tir.Expr{row, Plus(Times(j, w.Stride), k*w.Dilation)}
				list = append(list, take(best, bestPlace, at, Load(s.line, from...), Load(s.places, from...)))
			}
			to := slices.Concat(plane, place, []tir.Expr{j})
			channel := Add(Times(plane[0], s.Channels), plane[1])
			v := Cast(Load(bestPlace, at...), tir.I64)
			if s.n.Int("storage_order", 0) != 0 && len(s.In) > 1 {
				v = s.columns(v)
			}
			return Seq(append(list, Store(s.index, Add(Times(channel, graph.Elems(s.In)), v), to...),
				Store(s.out, s.kind.give(s.pool, s.n, Load(best, at...), tirop.Place{}), to...))...)
		}), best, bestPlace)
	})
}
