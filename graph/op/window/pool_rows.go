package window

import (
	"math"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	. "github.com/wmtune/wmtune/graph/op/expr"
	"github.com/wmtune/wmtune/tir"
	tirop "github.com/wmtune/wmtune/tir/op"
)

// byRows is the program of a pool that slides over images whose columns vary fastest. A row of the result needs two
// steps, as the window of a row of columns is what the windows of its columns have in common:
//
//	line[j] = max(x[i*2 - 1, j], x[i*2, j], x[i*2 + 1, j])    vectors of columns; beside the image it is -inf
//	out[i, j] = max(line[j*2], line[j*2 + 1], line[j*2 + 2])
//
// So an element takes as many steps as the window has rows and columns, not as many as it has elements.
func (k poolKind) byRows(of func(n *graph.Node) (*pool, error)) *op.Function {
	return &op.Function{
		Alone: true,
		When: func(n *graph.Node) bool {
			p, err := of(n)
			return err == nil && p.Layout == tirop.ChannelsFirst && !p.Whole && p.leading() <= maxLeading &&
				(n.Output(1) == nil || graph.Elems(p.In) < math.MaxInt32)
		},
		Make: func(n *graph.Node) (*tir.Func, error) {
			p, err := of(n)
			if err != nil {
				return nil, err
			}
			return p.rows(n, k), nil
		},
	}
}

// maxLeading is how many rows of the image a row of the result may need: the code has an addition for each.
const maxLeading = 64

// leading returns how many rows a window has.
func (p *pool) leading() int64 { return graph.Elems(p.windowSizes()[:len(p.In)-1]) }

func (p *pool) windowSizes() []int64 {
	var list []int64
	for _, w := range p.Windows {
		list = append(list, w.Size)
	}
	return list
}

// fewestParts is how many parts of the work there are at least, for threads to share; a part has so many elements of
// lines at most, which stay near the core.
const (
	fewestParts = 16
	mostOfPart  = 4096
)

// rows makes the function. A thread has some rows of the result of one channel: first their lines, and then the rows,
// as a vector that is read right after two vectors beside it were written waits for both.
func (p *pool) rows(n *graph.Node, k poolKind) *tir.Func {
	x, out := Parameter("x", n.Inputs[0]), Parameter("out", n.Outputs[0])
	last := len(p.In) - 1
	w := p.Windows[last]
	width := w.Before + p.In[last] + w.After
	planes, outer := p.Batch*p.Channels, p.Out[:last]
	lines := graph.Elems(outer)
	each := min(max(mostOfPart/width, 1), (lines*planes+fewestParts-1)/fewestParts, lines)
	s := rowPool{pool: p, kind: k, n: n, x: x, out: out, last: last}
	s.line = Scratch("line", Register(x.Type), each, width)
	var placed *placedPool
	if n.Output(1) != nil {
		placed = p.placed(s, each)
	}
	body := Nest([]int64{planes, (lines + each - 1) / each}, tir.Parallel, func(at []tir.Expr) tir.Stmt {
		from := Times(at[1], each)
		count := MinOf(tir.Int(each), Sub(tir.Int(lines), from))
		plane := []tir.Expr{Floordiv(at[0], p.Channels), Floormod(at[0], p.Channels)}
		walk := func(do func(row tir.Expr, plane, place []tir.Expr) tir.Stmt) tir.Stmt {
			return UpToExpr("row", count, func(row tir.Expr) tir.Stmt {
				i := Add(from, row)
				place := make([]tir.Expr, last)
				for d := last - 1; d >= 0; d-- {
					place[d] = i
					if d > 0 {
						place[d], i = Floormod(i, outer[d]), Floordiv(i, outer[d])
					}
				}
				return do(row, plane, place)
			})
		}
		if placed != nil {
			return Allocs(Seq(append(placed.margins(each), walk(placed.above), walk(placed.along))...), s.line, placed.places)
		}
		return Alloc(s.line, Seq(append(s.fillMargins(each, s.fill()), walk(s.above), walk(s.along))...))
	})
	if placed != nil {
		return NewFunc("pool_rows", 2, body, x, out, placed.index)
	}
	return NewFunc("pool_rows", 1, body, x, out)
}

// A rowPool is a pool by rows in the making.
type rowPool struct {
	*pool
	kind   poolKind
	n      *graph.Node
	x, out *tir.Buffer
	line   *tir.Buffer // what the columns of rows' windows have in common, with the padding beside the image
	last   int         // the dimension of columns
}

func (s *rowPool) fill() tir.Expr { return tir.Const(s.line.Type, s.kind.fill(s.x.Type)) }

// fillMargins fills the columns beside the image.
func (s *rowPool) fillMargins(lines int64, fill tir.Expr) []tir.Stmt {
	var list []tir.Stmt
	w := s.Windows[s.last]
	for _, m := range [][2]int64{{0, w.Before}, {w.Before + s.In[s.last], w.After}} {
		if m[1] > 0 {
			list = append(list, Loop("row", lines, func(row tir.Expr) tir.Stmt {
				return Vectors("m", m[1], func(i tir.Expr) tir.Stmt { return Store(s.line, fill, row, Plus(i, m[0])) })
			}))
		}
	}
	return list
}

// above folds the rows that the windows of a row have.
func (s *rowPool) above(row tir.Expr, plane, place []tir.Expr) tir.Stmt {
	return Vectors("c", s.In[s.last], func(c tir.Expr) tir.Stmt {
		var sum tir.Expr
		s.aboveRows(plane, place, func(at, inside []tir.Expr) {
			v := s.kind.take(s.n, Cast(Load(s.x, append(at, c)...), s.line.Type))
			if len(inside) > 0 {
				v = &tir.Select{Cond: tir.AllOf(inside...), Then: v, Else: s.fill(), Lazy: true}
			}
			if sum == nil {
				sum = v
			} else {
				sum = s.kind.fold(sum, v)
			}
		})
		return Store(s.line, sum, row, Plus(c, s.Windows[s.last].Before))
	})
}

// aboveRows calls do with where each of these rows begins in the image, and with what holds if it is there.
func (s *rowPool) aboveRows(plane, place []tir.Expr, do func(at, inside []tir.Expr)) {
	walkSizes(s.windowSizes()[:s.last], func(r []int64) {
		at, inside := slices.Clone(plane), []tir.Expr{}
		for d, w := range s.Windows[:s.last] {
			i := Plus(Times(place[d], w.Stride), r[d]*w.Dilation-w.Before)
			if r[d]*w.Dilation < w.Before {
				inside = append(inside, Ge(i, tir.Int(0)))
			}
			if (s.Out[d]-1)*w.Stride+r[d]*w.Dilation-w.Before >= s.In[d] {
				inside = append(inside, Lt(i, tir.Int(s.In[d])))
			}
			at = append(at, i)
		}
		do(at, inside)
	})
}

// walkSizes calls do for each point of a shape, once for none.
func walkSizes(sizes []int64, do func(r []int64)) {
	r := make([]int64, len(sizes))
	for range graph.Elems(sizes) {
		do(r)
		for d := len(r) - 1; d >= 0; d-- {
			if r[d]++; r[d] < sizes[d] {
				break
			}
			r[d] = 0
		}
	}
}

// along folds the columns, and writes a row of the result.
func (s *rowPool) along(row tir.Expr, plane, place []tir.Expr) tir.Stmt {
	w := s.Windows[s.last]
	return Vectors("j", s.Out[s.last], func(j tir.Expr) tir.Stmt {
		var sum tir.Expr
		for k := range w.Size {
			v := Load(s.line, row, Plus(Times(j, w.Stride), k*w.Dilation))
			if sum == nil {
				sum = v
			} else {
				sum = s.kind.fold(sum, v)
			}
		}
		at := tirop.Place{Batch: plane[0], Channel: plane[1], Spatial: append(slices.Clone(place), j)}
		return Store(s.out, s.kind.give(s.pool, s.n, sum, at), slices.Concat(plane, place, []tir.Expr{j})...)
	})
}
