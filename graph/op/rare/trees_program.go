package rare

import (
	"fmt"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	. "github.com/wmtune/wmtune/graph/op/expr"
	"github.com/wmtune/wmtune/tir"
)

// Columns of the table of nodes that a wmtune.Trees reads.
const (
	treeMode = iota
	treeFeature
	treeYes
	treeNo
	treeMissing
	treeFirst
	treeLast
	treeColumns
)

// Inputs of a wmtune.Trees: rows of features; tables of nodes, their thresholds, members of sets, roots, and targets
// and weights of leaves. Its attributes are depth, width and aggregate.
const (
	treesX = iota
	treesNodes
	treesSplits
	treesMembers
	treesRoots
	treesTargets
	treesWeights
	treesInputs
)

// decomposeTrees makes tables of the attributes, which have been checked.
func decomposeTrees(d *op.Decomposer) error {
	f, err := forestOf(d.Node)
	if err != nil {
		return err
	}
	x := d.Input(0)
	nodes := graph.NewTensor(tir.I64, int64(max(len(f.modes), 1)), treeColumns)
	for i := range f.modes {
		copy(nodes.I[i*treeColumns:], []int64{
			f.modes[i], f.features[i], f.yes[i], f.no[i], f.missing[i], f.first[i], f.last[i],
		})
	}
	floats := func(list []float64) *graph.Value {
		t := graph.NewTensor(x.Type, int64(max(len(list), 1)))
		copy(t.F, list)
		return d.Const(t)
	}
	in := []*graph.Value{
		x, d.Const(nodes), floats(f.splits), floats(f.members), d.Const(graph.Ints(f.roots...)),
		d.Const(graph.Ints(f.targets...)), floats(f.weights),
	}
	y := d.ApplyAt(1, "wmtune.Trees", 1, in, graph.IntAttr("depth", f.depth), graph.IntAttr("width", f.width),
		graph.IntAttr("aggregate", d.Node.Int("aggregate_function", treeSum)))[0]
	switch d.Node.Int("post_transform", 0) {
	case 1:
		y = d.ApplyAt(13, "Softmax", 1, []*graph.Value{y}, graph.IntAttr("axis", 1))[0]
	case 2:
		y = d.ApplyAt(13, "Sigmoid", 1, []*graph.Value{y})[0]
	}
	d.Output(y)
	return nil
}

func inferTreeTables(n *graph.Node) ([]op.Type, error) {
	x := n.Inputs[treesX]
	return []op.Type{{DType: x.Type, Shape: []int64{x.Shape[0], n.Int("width", 0)}}}, nil
}

func evalTreeTables(_ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	nodes := in[treesNodes]
	column := func(c int64) []int64 {
		list := make([]int64, nodes.Shape[0])
		for i := range list {
			list[i] = nodes.I[int64(i)*treeColumns+c]
		}
		return list
	}
	f := &forest{
		modes: column(treeMode), features: column(treeFeature), yes: column(treeYes), no: column(treeNo),
		missing: column(treeMissing), first: column(treeFirst), last: column(treeLast), splits: in[treesSplits].F,
		members: in[treesMembers].F, roots: in[treesRoots].I, targets: in[treesTargets].I, weights: in[treesWeights].F,
		width: n.Int("width", 0),
	}
	x := in[treesX]
	r := graph.NewTensor(x.Type, x.Shape[0], f.width)
	copy(r.F, f.scores(x.F, x.Shape[1], n.Int("aggregate", treeSum)))
	return []*graph.Tensor{r}, nil
}

// opaqueTrees walks each row down every tree: as many steps as the deepest leaf is away, of which those after a leaf do
// nothing. Indices that tables hold were checked when the tables were made.
func opaqueTrees(n *graph.Node) (*tir.Func, error) {
	var p []*tir.Buffer
	for i, v := range n.Inputs {
		p = append(p, Parameter(fmt.Sprintf("in%d", i), v))
	}
	out := Parameter("out", n.Outputs[0])
	x, nodes, work := p[treesX], p[treesNodes], Register(out.Type)
	at := &tir.Buffer{Name: "at", Type: tir.I64, Shape: []int64{1}, Scope: tir.Local}
	found := &tir.Buffer{Name: "found", Type: tir.I64, Shape: []int64{1}, Scope: tir.Local}
	acc := &tir.Buffer{Name: "acc", Type: work, Shape: []int64{out.Shape[1]}}
	zero := tir.Int(0)
	node := Load(at, zero)
	column := func(c int64) tir.Expr { return Load(nodes, node, tir.Int(c)) }
	number := func(b *tir.Buffer, index ...tir.Expr) tir.Expr { return Cast(Load(b, index...), work) }
	trees := p[treesRoots].Shape[0]
	aggregate := n.Int("aggregate", treeSum)

	row := tir.NewVar("row")
	feature := number(x, row, column(treeFeature))
	split := number(p[treesSplits], node)
	m := tir.NewVar("m")
	isMember := Eq(feature, number(p[treesMembers], Add(column(treeFirst), m)))
	member := Seq(Store(found, zero, zero), &tir.For{
		Var: m, Extent: Sub(column(treeLast), column(treeFirst)),
		Body: &tir.If{Cond: isMember, Then: Store(found, tir.Int(1), zero)},
	})
	holds := Or(Ne(Load(found, zero), zero), And(Ne(feature, feature), Ne(column(treeMissing), zero)))
	tests := []func(x, y tir.Expr) tir.Expr{treeLE: Le, treeLT: Lt, treeGE: Ge, treeGT: Gt, treeEQ: Eq, treeNE: Ne}
	for mode, test := range tests {
		holds = Or(holds, And(Eq(column(treeMode), tir.Int(int64(mode))), test(feature, split)))
	}
	step := &tir.If{Cond: Ge(node, zero), Then: Seq(member, Store(at, Sel(holds, column(treeYes), column(treeNo)), zero))}
	leaf := Sub(tir.Int(-1), node)
	target := Load(p[treesTargets], leaf)
	weight := number(p[treesWeights], leaf)
	merged := map[int64]tir.Expr{
		treeSum: Add(Load(acc, target), weight),
		treeMin: MinOf(Load(acc, target), weight),
		treeMax: MaxOf(Load(acc, target), weight),

		treeAverage: Add(Load(acc, target), Mul(weight, Num(weight, 1/float64(max(trees, 1))))),
	}[aggregate]
	body := Seq(
		Loop("c", out.Shape[1], func(c tir.Expr) tir.Stmt { return Store(acc, tir.Float(work, treeStart(aggregate)), c) }),
		Loop("tree", trees, func(tree tir.Expr) tir.Stmt {
			return Seq(Store(at, Load(p[treesRoots], tree), zero),
				Loop("depth", n.Int("depth", 0), func(tir.Expr) tir.Stmt { return step }), Store(acc, merged, target))
		}),
		Loop("t", out.Shape[1], func(c tir.Expr) tir.Stmt { return Store(out, Cast(Load(acc, c), out.Type), row, c) }))
	body = Alloc(acc, Alloc(at, Alloc(found, body)))
	all := &tir.For{Var: row, Extent: tir.Int(out.Shape[0]), Kind: tir.Parallel, Body: body}
	return NewFunc("Trees", 1, all, append(p, out)...), nil
}
