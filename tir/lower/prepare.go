package lower

import (
	"slices"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/schedule"
)

// prepare returns the functions that compute the inputs of a state that are prepared:
//
//	func pack_W(W: float32[3, 3, 64, 64], out W_winograd: float32[4, 4, 64, 64]):
//	  parallel p0 in 4:
//	    for p1 in 4:
//	      ...
//	            block pack_W:
//	              W_winograd[p0, p1, p2, p3] = ((W[0, 0, p2, p3]*...) + ...)
func prepare(s *schedule.State) []*tir.Func {
	var list []*tir.Func
	for _, p := range s.Prepared {
		index := make([]tir.Expr, len(p.Axes))
		for i, a := range p.Axes {
			index[i] = a.Var
		}
		name := "pack_" + p.From.Name
		var body tir.Stmt = &tir.Block{Name: name, Body: &tir.Store{Buffer: p.To, Index: index, Value: p.Value}}
		for i := len(p.Axes) - 1; i >= 0; i-- {
			l := &tir.For{Var: p.Axes[i].Var, Extent: tir.Int(p.Axes[i].Extent), Body: body}
			if i == 0 && p.To.Elems() >= parallelPack {
				l.Kind = tir.Parallel
			}
			body = l
		}
		list = append(list, &tir.Func{Name: name, Params: []*tir.Buffer{p.From, p.To}, Outputs: 1, Body: body,
			Note: p.Note})
	}
	return list
}

// packedFrom has pack, which lays out what another function makes, make it as well.
func packedFrom(made, pack *tir.Func) *tir.Func {
	var element *tir.Store
	for st := range tir.StmtsIn[*tir.Store](made.Body) {
		element = st
	}
	p := *pack
	p.Params = []*tir.Buffer{made.Params[0], pack.Params[1]}
	p.Name, p.Note = made.Name, made.Note
	p.Body = tir.MapStmt(pack.Body, nil, func(e tir.Expr) tir.Expr {
		return tir.SubstituteLoads(e, func(l *tir.Load) tir.Expr {
			if l.Buffer != element.Buffer {
				return l
			}
			to := map[*tir.Var]tir.Expr{}
			for d, v := range element.Index {
				to[v.(*tir.Var)] = l.Index[d]
			}
			return tir.Substitute(element.Value, to)
		})
	})
	return &p
}

// addPack adds a function that packs an input. If another one makes that input, they become one.
func addPack(list []*tir.Func, pack *tir.Func) []*tir.Func {
	i := slices.IndexFunc(list, func(f *tir.Func) bool { return f.Params[1] == pack.Params[0] })
	if i < 0 {
		return append(list, pack)
	}
	list = slices.Clone(list)
	list[i] = packedFrom(list[i], pack)
	return list
}
