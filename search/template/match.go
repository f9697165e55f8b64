package template

import (
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
)

// A sum is the product or convolution of a DAG that a template is for, and what is around it.
type sum struct {
	op     *compute.Op
	before []*compute.Op // maps that the sum reads, such as a padding, in order
	after  []*compute.Op // maps that read the sum, one after the other, the output last

	// Roles of the sum's axes: places in op.Axes, or in op.ReduceAxes.
	batch       []int // of both operands or of the first
	rows        []int // of a convolution: height and width; of a product: rows
	channel     int   // columns of a product, channels that come out
	windows     []int // reduce axes, of height and width
	depth       int   // reduce axis of channels or of what is summed; -1: each channel by itself
	channelWise bool  // each channel by itself
}

// find returns the only sum of a DAG. The error says why there is none.
func find(d *compute.DAG) (*sum, error) {
	var s sum
	for _, op := range d.Ops {
		switch {
		case op.IsPlaceholder():
		case op.Combine != nil && s.op != nil:
			return nil, fmt.Errorf("it has more than one reduction")
		case op.Combine != nil:
			s.op = op
		case s.op == nil:
			s.before = append(s.before, op)
		default:
			s.after = append(s.after, op)
		}
		if len(op.Results) > 1 {
			return nil, fmt.Errorf("stage %s has more than one result", op.Name)
		}
	}
	if s.op == nil || s.op.Combine.Kind != compute.Sum {
		return nil, fmt.Errorf("it has no sum")
	}
	for i, op := range s.after {
		from := s.op
		if i > 0 {
			from = s.after[i-1]
		}
		if !slices.Contains(op.Reads(), from.Results[0]) || len(op.Axes) != len(s.op.Axes) {
			return nil, fmt.Errorf("stage %s is no map over what stage %s computes", op.Name, from.Name)
		}
		for k, a := range op.Axes {
			if a.Extent != s.op.Axes[k].Extent {
				return nil, fmt.Errorf("stage %s has another shape than stage %s", op.Name, s.op.Name)
			}
		}
	}
	return &s, s.roles()
}

// roles finds out what the axes of the sum are.
func (s *sum) roles() error {
	var loads []*tir.Load
	tir.VisitExpr(s.op.Body[0], func(e tir.Expr) bool {
		if l, ok := e.(*tir.Load); ok {
			loads = append(loads, l)
			return false
		}
		return true
	})
	if len(loads) != 2 {
		return fmt.Errorf("stage %s sums no products of two tensors", s.op.Name)
	}
	alone, together := [2]map[int]bool{{}, {}}, map[int]int{} // space axes; space axis to the reduce axis of its window
	summed := [2]map[int]bool{{}, {}}
	for k, l := range loads {
		for _, index := range l.Index {
			space, reduce := axesIn(index, s.op.Axes), axesIn(index, s.op.ReduceAxes)
			switch {
			case len(space) == 0 && len(reduce) == 0: // a dimension of 1
			case len(space) == 1 && len(reduce) == 1 && k == 0:
				together[space[0]] = reduce[0]
			case len(space) == 1 && len(reduce) == 0:
				alone[k][space[0]] = true
			case len(space) == 0 && len(reduce) == 1:
				summed[k][reduce[0]] = true
			default:
				return fmt.Errorf("stage %s reads %s at an index that is no axis and no window", s.op.Name, l.Buffer.Name)
			}
		}
	}
	s.depth, s.channel = -1, -1
	for i := range s.op.Axes {
		window, is := together[i]
		switch {
		case is:
			s.rows, s.windows = append(s.rows, i), append(s.windows, window)
		case alone[0][i] && alone[1][i] && len(together) > 0:
			s.channel, s.channelWise = i, true
		case alone[0][i] && alone[1][i]:
			s.batch = append(s.batch, i)
		case alone[1][i]:
			s.channel = i
		case len(together) > 0:
			s.batch = append(s.batch, i)
		default:
			s.rows = append(s.rows, i)
		}
	}
	for i := range s.op.ReduceAxes {
		if summed[0][i] && summed[1][i] {
			s.depth = i
		}
	}
	if s.channel < 0 || s.depth < 0 && !s.channelWise || len(s.rows) == 0 {
		return fmt.Errorf("stage %s is neither a product nor a convolution", s.op.Name)
	}
	return nil
}

// axesIn returns the places of the axes whose variables stand in an expression.
func axesIn(e tir.Expr, axes []*compute.Axis) []int {
	var list []int
	for i, a := range axes {
		found := false
		tir.VisitExpr(e, func(x tir.Expr) bool {
			found = found || x == tir.Expr(a.Var)
			return true
		})
		if found {
			list = append(list, i)
		}
	}
	return list
}

// problem returns the extents that knobs follow from.
func (s *sum) problem() Problem {
	extent := func(axes []*compute.Axis, i int) int64 {
		if i < 0 {
			return 1
		}
		return axes[i].Extent
	}
	p := Problem{Batch: 1, Columns: extent(s.op.Axes, s.channel), Depth: extent(s.op.ReduceAxes, s.depth)}
	for _, i := range s.batch {
		p.Batch *= s.op.Axes[i].Extent
	}
	p.Rows, p.Out, p.In = s.op.Axes[s.rows[0]].Extent, p.Columns, p.Depth
	if s.channelWise {
		p.In = p.Out
	}
	if len(s.windows) == 2 {
		p.Height, p.Width = s.op.Axes[s.rows[0]].Extent, s.op.Axes[s.rows[1]].Extent
		p.KernelH, p.KernelW = s.op.ReduceAxes[s.windows[0]].Extent, s.op.ReduceAxes[s.windows[1]].Extent
	}
	return p
}
