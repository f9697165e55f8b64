// Package rare has operators that few models have: Fourier transforms, mel weights, trees and features, n-grams.
package rare

import (
	"fmt"
	"math"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/array"
)

// Forests has decision trees: TreeEnsemble, and the operator that walks trees in the form of tables.
var Forests = []op.Row{
	{Op: "ai.onnx.ml.TreeEnsemble", Since: 5, In: "T:F", Infer: inferTrees, Eval: op.EvalBy(forestOf, evalTrees),
		Decompose: decomposeTrees},
	{Op: "wmtune.Trees", Since: 1, Class: op.Opaque, Infer: inferTreeTables, Eval: evalTreeTables,
		Opaque: &op.Function{Make: opaqueTrees}},
}

// The ways in which a node of a tree compares a feature with its threshold; the last one looks it up in a set.
const (
	treeLE = iota
	treeLT
	treeGE
	treeGT
	treeEQ
	treeNE
	treeMember
)

// The ways in which what trees say of a target is put together.
const (
	treeAverage = iota
	treeSum
	treeMin
	treeMax
)

// A forest is what the attributes of a TreeEnsemble say. A branch to a leaf is -1 less the leaf's number.
type forest struct {
	modes, features, yes, no []int64 // of nodes
	missing                  []int64 // 1: the yes branch for NaN
	splits                   []float64
	first, last              []int64 // of nodes: their members are those from first on, before last
	members                  []float64
	roots                    []int64
	targets                  []int64 // of leaves
	weights                  []float64
	width, depth             int64 // targets; nodes from a root to a leaf, at most
}

func forestOf(n *graph.Node) (*forest, error) {
	f := &forest{
		features: n.Ints("nodes_featureids"), targets: n.Ints("leaf_targetids"), width: n.Int("n_targets", 0),
		missing: n.Ints("nodes_missing_value_tracks_true"), members: tensorFloats(n, "membership_values"),
		splits: tensorFloats(n, "nodes_splits"), weights: tensorFloats(n, "leaf_weights"),
	}
	if a := n.Attr("nodes_modes"); a != nil && a.Tensor != nil {
		f.modes = a.Tensor.Tensor().I
	}
	count := len(f.features)
	if f.missing == nil {
		f.missing = make([]int64, count)
	}
	branch := func(ids, leaves string) []int64 {
		list, leaf := n.Ints(ids), n.Ints(leaves)
		if len(list) != count || len(leaf) != count {
			return nil
		}
		r := make([]int64, count)
		for i := range r {
			if r[i] = list[i]; leaf[i] != 0 {
				r[i] = -1 - list[i]
			}
		}
		return r
	}
	f.yes, f.no = branch("nodes_truenodeids", "nodes_trueleafs"), branch("nodes_falsenodeids", "nodes_falseleafs")
	if len(f.yes) != count || len(f.no) != count || len(f.modes) != count || len(f.splits) != count ||
		len(f.missing) != count || len(f.targets) != len(f.weights) {
		return nil, fmt.Errorf("its attributes nodes_* or leaf_* differ in length")
	}
	for _, root := range n.Ints("tree_roots") {
		if root >= 0 && root < int64(count) && f.yes[root] < 0 && f.yes[root] == f.no[root] {
			root = f.yes[root]
		}
		f.roots = append(f.roots, root)
	}
	if len(f.roots) == 0 || f.width <= 0 {
		return nil, fmt.Errorf("%d trees for %d targets", len(f.roots), f.width)
	}
	if err := f.sets(); err != nil {
		return nil, err
	}
	depths := make([]int64, count)
	for _, root := range f.roots {
		depth, err := f.check(root, depths)
		if err != nil {
			return nil, err
		}
		f.depth = max(f.depth, depth)
	}
	return f, nil
}

func tensorFloats(n *graph.Node, name string) []float64 {
	if a := n.Attr(name); a != nil && a.Tensor != nil {
		return a.Tensor.Tensor().F
	}
	return nil
}

// sets finds the members of each set, which end with a NaN.
func (f *forest) sets() error {
	f.first, f.last = make([]int64, len(f.modes)), make([]int64, len(f.modes))
	at := 0
	for i, mode := range f.modes {
		if mode < 0 || mode > treeMember {
			return fmt.Errorf("node %d has mode %d", i, mode)
		}
		if mode != treeMember {
			continue
		}
		f.first[i] = int64(at)
		for at < len(f.members) && f.members[at] == f.members[at] {
			at++
		}
		if at == len(f.members) {
			return fmt.Errorf("membership_values has no set for node %d", i)
		}
		f.last[i] = int64(at)
		at++
	}
	return nil
}

// visiting stands for the depth of a node while check is below it.
const visiting = -1

// check returns how many nodes lie between a branch and its farthest leaf, and keeps that in depths: branches may share
// what is below them.
func (f *forest) check(branch int64, depths []int64) (int64, error) {
	switch {
	case branch < 0 && -1-branch >= int64(len(f.targets)), branch >= int64(len(f.modes)):
		return 0, fmt.Errorf("there is no node or leaf %d", max(branch, -1-branch))
	case branch < 0 && (f.targets[-1-branch] < 0 || f.targets[-1-branch] >= f.width):
		return 0, fmt.Errorf("leaf %d has target %d of %d", -1-branch, f.targets[-1-branch], f.width)
	case branch < 0:
		return 0, nil
	case depths[branch] == visiting:
		return 0, fmt.Errorf("node %d is below itself", branch)
	case depths[branch] > 0:
		return depths[branch], nil
	}
	depths[branch] = visiting
	yes, err := f.check(f.yes[branch], depths)
	if err != nil {
		return 0, err
	}
	no, err := f.check(f.no[branch], depths)
	depths[branch] = 1 + max(yes, no)
	return depths[branch], err
}

func inferTrees(n *graph.Node) ([]op.Type, error) {
	x := n.Inputs[0]
	if len(x.Shape) != 2 {
		return nil, fmt.Errorf("an operand of shape %v: it must have 2 dimensions", x.Shape)
	}
	f, err := forestOf(n)
	if err != nil {
		return nil, err
	}
	for i, feature := range f.features {
		if feature < 0 || feature >= x.Shape[1] {
			return nil, fmt.Errorf("node %d compares feature %d of %d", i, feature, x.Shape[1])
		}
	}
	if p := n.Int("post_transform", 0); p < 0 || p > 2 {
		return nil, op.Unsupported("post_transform %d", p)
	}
	if a := n.Int("aggregate_function", treeSum); a < treeAverage || a > treeMax {
		return nil, fmt.Errorf("aggregate_function is %d", a)
	}
	return []op.Type{{DType: x.Type, Shape: []int64{x.Shape[0], f.width}}}, nil
}

// goesYes says where a node sends a row.
func (f *forest) goesYes(node int64, row []float64) bool {
	x, split := row[f.features[node]], f.splits[node]
	if x != x && f.missing[node] != 0 {
		return true
	}
	switch f.modes[node] {
	case treeLE:
		return x <= split
	case treeLT:
		return x < split
	case treeGE:
		return x >= split
	case treeGT:
		return x > split
	case treeEQ:
		return x == split
	case treeNE:
		return x != split
	}
	for _, m := range f.members[f.first[node]:f.last[node]] {
		if x == m {
			return true
		}
	}
	return false
}

// treeStart is what a target is where no leaf adds to it.
func treeStart(aggregate int64) float64 {
	switch aggregate {
	case treeMin:
		return math.MaxFloat32
	case treeMax:
		return -math.MaxFloat32
	}
	return 0
}

// scores returns what trees say of the rows of x, each of which has a number of features.
func (f *forest) scores(x []float64, features, aggregate int64) []float64 {
	rows := int64(0)
	if features > 0 {
		rows = int64(len(x)) / features
	}
	r := make([]float64, rows*f.width)
	for i := range r {
		r[i] = treeStart(aggregate)
	}
	for row := range rows {
		for _, at := range f.roots {
			for at >= 0 {
				if f.goesYes(at, x[row*features:(row+1)*features]) {
					at = f.yes[at]
				} else {
					at = f.no[at]
				}
			}
			score, w := &r[row*f.width+f.targets[-1-at]], f.weights[-1-at]
			switch aggregate {
			case treeMin:
				*score = min(*score, w)
			case treeMax:
				*score = max(*score, w)
			case treeAverage:
				*score += w / float64(len(f.roots))
			default:
				*score += w
			}
		}
	}
	return r
}

func evalTrees(f *forest, _ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	x := in[0]
	r := graph.NewTensor(x.Type, x.Shape[0], f.width)
	copy(r.F, f.scores(x.F, x.Shape[1], n.Int("aggregate_function", treeSum)))
	for row := range x.Shape[0] {
		list := r.F[row*f.width : (row+1)*f.width]
		most := array.LargestOf(list)
		sum := array.SumBy(list, func(v float64) float64 { return math.Exp(v - most) })
		for i, v := range list {
			switch n.Int("post_transform", 0) {
			case 1:
				list[i] = math.Exp(v-most) / sum
			case 2:
				list[i] = array.Logistic(v)
			}
		}
	}
	return []*graph.Tensor{r}, nil
}
