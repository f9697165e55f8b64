package classic

import (
	"fmt"

	"github.com/wmtune/wmtune/graph"
	. "github.com/wmtune/wmtune/graph/op/expr"
	"github.com/wmtune/wmtune/tir"
)

// A walker writes the function of a wmtune.Trees.
type walker struct {
	x, nodes, roots, depths, targets, out *tir.Buffer

	typ                     tir.DType
	aggregate, count        int64
	abreast, trees, block   int64 // see lanes
	features, rows, columns int64
	xs, acc, at             *tir.Buffer // xs has the features, and what they are times -1
}

// opaqueTrees goes through blocks of rows. The rows of a block go through all trees, some rows and trees side by side:
//
//	parallel block: for trees: for rows: for depth: for each of 16 walks:
//	  at = nodes[at + branch] + (x[nodes[at + feature]] >= nodes[at + split] ? 4 : 0)
//
// The last block ends with the last row, and so may repeat rows of the one before it, which it does not store. Places
// that tables hold were checked when the tables were made.
func opaqueTrees(n *graph.Node) (*tir.Func, error) {
	var p []*tir.Buffer
	for i, v := range n.Inputs {
		p = append(p, Parameter(fmt.Sprintf("in%d", i), v))
	}
	out := Parameter("out", n.Outputs[0])
	w := &walker{x: p[treesX], nodes: p[treesNodes], roots: p[treesRoots], depths: p[treesDepths],
		targets: p[treesTargets], out: out, typ: out.Type, aggregate: n.Int("aggregate", treeSum),
		count: n.Int("trees", 1), rows: out.Shape[0], columns: out.Shape[1], features: p[treesX].Shape[1]}
	w.abreast, w.trees, w.block = lanes(w.rows)
	w.xs = Scratch("xs", w.typ, w.block, 2*w.features)
	w.acc = Scratch("acc", w.typ, w.block, w.columns)
	w.at = Scratch("at", tir.I64, w.abreast*w.trees)
	block := tir.NewVar("block")
	first := MinOf(Times(block, w.block), tir.Int(w.rows-w.block))
	groups := w.block / w.abreast
	body := Seq(
		Nest(w.acc.Shape, tir.Serial, func(at []tir.Expr) tir.Stmt {
			return Store(w.acc, tir.Float(w.typ, start(w.aggregate)), at...)
		}),
		Loop("row", w.block, func(row tir.Expr) tir.Stmt {
			return Loop("feature", w.features, func(k tir.Expr) tir.Stmt {
				v := Load(w.x, Add(first, row), k)
				return Seq(Store(w.xs, v, row, k), Store(w.xs, Neg(v), row, Plus(k, w.features)))
			})
		}),
		Loop("tree", w.depths.Shape[0], func(tree tir.Expr) tir.Stmt {
			return Loop("rows", groups, func(rows tir.Expr) tir.Stmt { return w.walk(tree, Times(rows, w.abreast)) })
		}),
		Loop("row", w.block, func(row tir.Expr) tir.Stmt {
			store := Loop("column", w.columns, func(c tir.Expr) tir.Stmt {
				return Store(out, w.score(Load(w.acc, row, c)), Add(first, row), c)
			})
			return &tir.If{Cond: Ge(Add(first, row), Times(block, w.block)), Then: store}
		}))
	all := &tir.For{Var: block, Extent: tir.Int((w.rows + w.block - 1) / w.block), Kind: tir.Parallel,
		Body: Allocs(body, w.xs, w.acc, w.at)}
	return NewFunc("Trees", 1, all, append(p, out)...), nil
}

// each repeats body for each walk, with its row and its tree of those that are walked side by side.
func (w *walker) each(body func(walk, row, tree tir.Expr) tir.Stmt) tir.Stmt {
	var list []tir.Stmt
	for walk := range w.abreast * w.trees {
		list = append(list, body(tir.Int(walk), tir.Int(walk%w.abreast), tir.Int(walk/w.abreast)))
	}
	return Seq(list...)
}

// walk takes rows down the trees of a group, and adds up what the leaves say.
func (w *walker) walk(group, first tir.Expr) tir.Stmt {
	node := func(walk tir.Expr, column int64) tir.Expr {
		return Load(w.nodes, Plus(Load(w.at, walk), column))
	}
	float := func(bits tir.Expr) tir.Expr { return &tir.Bitcast{X: bits, To: w.typ} }
	return Seq(
		w.each(func(walk, _, tree tir.Expr) tir.Stmt {
			return Store(w.at, Load(w.roots, Add(Times(group, w.trees), tree)), walk)
		}),
		UpToExpr("depth", Load(w.depths, group), func(tir.Expr) tir.Stmt {
			return w.each(func(walk, row, _ tir.Expr) tir.Stmt {
				x := Load(w.xs, Add(first, row), Cast(node(walk, columnFeature), tir.I64))
				second := Ge(x, float(node(walk, columnSplit)))
				branch := Cast(node(walk, columnBranch), tir.I64)
				return Store(w.at, Add(branch, Sel(second, tir.Int(nodeColumns), tir.Int(0))), walk)
			})
		}),
		w.each(func(walk, row, tree tir.Expr) tir.Stmt {
			row = Add(first, row)
			payload := node(walk, columnPayload)
			add := func(c, v tir.Expr) tir.Stmt { return Store(w.acc, w.merge(Load(w.acc, row, c), v), row, c) }
			if len(w.targets.Shape) == 1 {
				target := tir.Expr(tir.Int(0))
				if w.columns > 1 {
					target = Load(w.targets, Add(Times(group, w.trees), tree))
				}
				return add(target, float(payload))
			}
			return Loop("column", w.columns, func(c tir.Expr) tir.Stmt {
				return add(c, Load(w.targets, Cast(payload, tir.I64), c))
			})
		}))
}

// merge puts together what two trees say of a target.
func (w *walker) merge(x, y tir.Expr) tir.Expr {
	switch w.aggregate {
	case treeMin:
		return MinOf(x, y)
	case treeMax:
		return MaxOf(x, y)
	}
	return Add(x, y)
}

// score returns the result for a target: 0 if no leaf said anything of it.
func (w *walker) score(x tir.Expr) tir.Expr {
	switch w.aggregate {
	case treeMin, treeMax:
		return Sel(Eq(x, Num(x, start(w.aggregate))), Num(x, 0), x)
	case treeAverage:
		return Quo(x, Num(x, float64(w.count)))
	}
	return x
}
