// Package classic has the operators of ai.onnx.ml, to which scikit-learn, LightGBM and XGBoost are exported: trees,
// linear models, support vectors, and what prepares features. Where the standard is silent, it follows ONNX Runtime.
package classic

import (
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir"
)

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

// modeNames are the modes in versions 1 and 3, but for that of a leaf.
var modeNames = []string{"BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ"}

// The ways in which what trees say of a target is put together, and their names in versions 1 and 3.
const (
	treeAverage = iota
	treeSum
	treeMin
	treeMax
)

var aggregateNames = []string{"AVERAGE", "SUM", "MIN", "MAX"}

// A forest is what the attributes of a node say.
type forest struct {
	inner     []treeNode
	leaves    []treeLeaf
	owners    []int64 // of leaves: their trees, or -1
	shared    bool    // trees share leaves
	roots     []int64 // of trees: branches
	width     int64   // targets
	aggregate int64
	base      []float64 // base_values
	post      transform
}

// A treeNode sends a row to one of two branches: a node, or -1 less the number of a leaf.
type treeNode struct {
	mode, feature int64
	split         float64
	members       []float64
	missing       bool // the yes branch for NaN
	yes, no       int64
}

// A treeLeaf is what a leaf says of targets.
type treeLeaf []treeScore

type treeScore struct {
	target int64
	weight float64
}

// tensorFloats returns an attribute that is a tensor of floats, or nil.
func tensorFloats(n *graph.Node, name string) []float64 {
	if a := n.Attr(name); a != nil && a.Tensor != nil {
		return a.Tensor.Tensor().F
	}
	return nil
}

// floats returns an attribute that is a list of floats, or a tensor of the same name with a suffix.
func floats(n *graph.Node, name string) []float64 {
	if list := n.Floats(name); list != nil {
		return list
	}
	return tensorFloats(n, name+"_as_tensor")
}

// forestOf reads a TreeEnsemble of version 5.
func forestOf(n *graph.Node) (*forest, error) {
	f := &forest{width: n.Int("n_targets", 0), aggregate: n.Int("aggregate_function", treeSum)}
	post := n.Int("post_transform", 0)
	if post < 0 || post >= int64(len(transformNumbers)) {
		return nil, fmt.Errorf("post_transform is %d", post)
	}
	f.post = transformNumbers[post]
	features, splits, missing := n.Ints("nodes_featureids"), tensorFloats(n, "nodes_splits"),
		n.Ints("nodes_missing_value_tracks_true")
	members, targets, weights := tensorFloats(n, "membership_values"), n.Ints("leaf_targetids"),
		tensorFloats(n, "leaf_weights")
	yes, yesLeaf := n.Ints("nodes_truenodeids"), n.Ints("nodes_trueleafs")
	no, noLeaf := n.Ints("nodes_falsenodeids"), n.Ints("nodes_falseleafs")
	var modes []int64
	if a := n.Attr("nodes_modes"); a != nil && a.Tensor != nil {
		modes = a.Tensor.Tensor().I
	}
	for _, k := range []int{len(splits), len(modes), len(yes), len(yesLeaf), len(no), len(noLeaf)} {
		if k != len(features) || len(missing) != 0 && len(missing) != k || len(targets) != len(weights) {
			return nil, fmt.Errorf("its attributes nodes_* or leaf_* differ in length")
		}
	}
	branch := func(id, leaf int64) int64 {
		if leaf != 0 {
			return -1 - id
		}
		return id
	}
	for i, mode := range modes {
		k := treeNode{mode: mode, feature: features[i], split: tir.Rounded(operand(n), splits[i]),
			missing: missing != nil && missing[i] != 0, yes: branch(yes[i], yesLeaf[i]), no: branch(no[i], noLeaf[i])}
		if mode == treeMember { // sets end with a NaN
			end := slices.IndexFunc(members, func(v float64) bool { return v != v })
			if end < 0 {
				return nil, fmt.Errorf("membership_values has no set for node %d", i)
			}
			k.members, members = members[:end], members[end+1:]
		}
		f.inner = append(f.inner, k)
	}
	for i, target := range targets {
		f.leaves = append(f.leaves, treeLeaf{{target, weights[i]}})
	}
	for _, root := range n.Ints("tree_roots") {
		if root >= 0 && root < int64(len(yes)) && f.inner[root].yes < 0 && f.inner[root].yes == f.inner[root].no {
			root = f.inner[root].yes
		}
		f.roots = append(f.roots, root)
	}
	return f, f.check(n.Inputs[0])
}

// nodeKey names a node in versions 1 and 3.
type nodeKey struct{ tree, node int64 }

func regressorOf(n *graph.Node) (*forest, error) { return oldForestOf(n, "target_") }

// oldForestOf reads a TreeEnsembleRegressor or TreeEnsembleClassifier, whose attributes of leaves begin with a prefix.
func oldForestOf(n *graph.Node, prefix string) (*forest, error) {
	f := &forest{width: n.Int("n_targets", 0), base: floats(n, "base_values"), aggregate: treeSum}
	var err error
	if f.post, err = transformOf(n); err != nil {
		return nil, err
	}
	if name := n.Str("aggregate_function", "SUM"); prefix == "target_" {
		if f.aggregate = int64(slices.Index(aggregateNames, name)); f.aggregate < 0 {
			return nil, fmt.Errorf("aggregate_function is %q", name)
		}
	}
	trees, ids, features := n.Ints("nodes_treeids"), n.Ints("nodes_nodeids"), n.Ints("nodes_featureids")
	yes, no := n.Ints("nodes_truenodeids"), n.Ints("nodes_falsenodeids")
	values, missing := floats(n, "nodes_values"), n.Ints("nodes_missing_value_tracks_true")
	var modes []string
	if a := n.Attr("nodes_modes"); a != nil {
		modes = a.Strings
	}
	for _, k := range []int{len(ids), len(features), len(yes), len(no), len(values), len(modes)} {
		if k != len(trees) || len(missing) != 0 && len(missing) != k {
			return nil, fmt.Errorf("its attributes nodes_* differ in length")
		}
	}
	branches := map[nodeKey]int64{}
	for i, mode := range modes {
		key, at := nodeKey{trees[i], ids[i]}, int64(len(f.inner))
		if _, twice := branches[key]; twice {
			return nil, fmt.Errorf("tree %d has two nodes %d", key.tree, key.node)
		}
		if number := slices.Index(modeNames, mode); number >= 0 {
			f.inner = append(f.inner, treeNode{mode: int64(number), feature: features[i],
				split: tir.Rounded(operand(n), values[i]), missing: missing != nil && missing[i] != 0})
		} else if mode == "LEAF" {
			at = -1 - int64(len(f.leaves))
			f.leaves = append(f.leaves, nil)
		} else {
			return nil, fmt.Errorf("node %d of tree %d has mode %q", key.node, key.tree, mode)
		}
		branches[key] = at
		if i == 0 || trees[i-1] != trees[i] { // the first node of a tree is its root
			f.roots = append(f.roots, at)
		}
	}
	find := func(key nodeKey) int64 {
		if at, ok := branches[key]; ok {
			return at
		}
		return int64(len(f.inner)) // check says that it is not there
	}
	for i := range modes {
		if at := find(nodeKey{trees[i], ids[i]}); at >= 0 {
			f.inner[at].yes, f.inner[at].no = find(nodeKey{trees[i], yes[i]}), find(nodeKey{trees[i], no[i]})
		}
	}
	trees, ids = n.Ints(prefix+"treeids"), n.Ints(prefix+"nodeids")
	targets, weights := n.Ints(prefix+"ids"), floats(n, prefix+"weights")
	if len(trees) != len(ids) || len(ids) != len(targets) || len(ids) != len(weights) {
		return nil, fmt.Errorf("its attributes %s* differ in length", prefix)
	}
	for i, target := range targets {
		at, ok := branches[nodeKey{trees[i], ids[i]}]
		if !ok || at >= 0 {
			return nil, fmt.Errorf("%s%s names node %d of tree %d, which is no leaf", prefix, "nodeids", ids[i], trees[i])
		}
		f.leaves[-1-at] = append(f.leaves[-1-at], treeScore{target, weights[i]})
	}
	if prefix == "class_" {
		f.width = int64(len(labelsOf(n)))
	}
	return f, f.check(n.Inputs[0])
}

// check returns an error if the trees are none, or if x does not have the features that they compare.
func (f *forest) check(x *graph.Value) error {
	shape, err := rows(x.Shape)
	if err != nil {
		return err
	}
	if len(f.roots) == 0 || f.width <= 0 {
		return fmt.Errorf("%d trees for %d targets", len(f.roots), f.width)
	}
	if f.aggregate < treeAverage || f.aggregate > treeMax {
		return fmt.Errorf("aggregate_function is %d", f.aggregate)
	}
	for i, leaf := range f.leaves {
		for _, s := range leaf {
			if s.target < 0 || s.target >= f.width {
				return fmt.Errorf("leaf %d has target %d of %d", i, s.target, f.width)
			}
		}
	}
	for i, k := range f.inner {
		if k.mode < treeLE || k.mode > treeMember {
			return fmt.Errorf("node %d has mode %d", i, k.mode)
		}
		if k.feature < 0 || k.feature >= shape[1] {
			return fmt.Errorf("node %d compares feature %d of %d", i, k.feature, shape[1])
		}
		for _, b := range []int64{k.yes, k.no} {
			if b >= int64(len(f.inner)) || -1-b >= int64(len(f.leaves)) {
				return fmt.Errorf("node %d has a branch to a node or leaf that is not there", i)
			}
		}
	}
	f.owners = slices.Repeat([]int64{-1}, len(f.leaves))
	seen := make([]int64, len(f.inner))
	for tree, root := range f.roots {
		if root >= int64(len(f.inner)) || -1-root >= int64(len(f.leaves)) {
			return fmt.Errorf("there is no node or leaf %d", max(root, -1-root))
		}
		if err := f.own(root, int64(tree), seen); err != nil {
			return err
		}
	}
	return nil
}

// own finds the leaves below a branch of a tree, and returns an error if a node is below itself. Branches may share
// what is below: seen has -1 for nodes above, and for those that were looked at the number of their tree and 1.
func (f *forest) own(branch, tree int64, seen []int64) error {
	if branch < 0 {
		f.shared = f.shared || f.owners[-1-branch] >= 0 && f.owners[-1-branch] != tree
		f.owners[-1-branch] = tree
		return nil
	}
	switch seen[branch] {
	case 0:
	case -1:
		return fmt.Errorf("node %d is below itself", branch)
	default:
		f.shared = f.shared || seen[branch] != 1+tree
		return nil
	}
	seen[branch] = -1
	for _, b := range []int64{f.inner[branch].yes, f.inner[branch].no} {
		if err := f.own(b, tree, seen); err != nil {
			return err
		}
	}
	seen[branch] = 1 + tree
	return nil
}

// goesYes says whether a node sends a row to its yes branch.
func (k *treeNode) goesYes(row []float64) bool {
	x := row[k.feature]
	if x != x && k.missing {
		return true
	}
	switch k.mode {
	case treeLE:
		return x <= k.split
	case treeLT:
		return x < k.split
	case treeGE:
		return x >= k.split
	case treeGT:
		return x > k.split
	case treeEQ:
		return x == k.split
	case treeNE:
		return x != k.split
	}
	return slices.Contains(k.members, x)
}

// scores returns what trees say of each target, given a row of features, and how many leaves said it.
func (f *forest) scores(row []float64) (scores, said []float64) {
	scores, said = make([]float64, f.width), make([]float64, f.width)
	for _, at := range f.roots {
		for at >= 0 {
			if k := &f.inner[at]; k.goesYes(row) {
				at = k.yes
			} else {
				at = k.no
			}
		}
		for _, s := range f.leaves[-1-at] {
			switch i := s.target; {
			case f.aggregate == treeMin && said[i] > 0:
				scores[i] = min(scores[i], s.weight)
			case f.aggregate == treeMax && said[i] > 0:
				scores[i] = max(scores[i], s.weight)
			case f.aggregate == treeAverage:
				scores[i] += s.weight / float64(len(f.roots))
			default:
				scores[i] += s.weight
			}
			said[s.target]++
		}
	}
	return scores, said
}

func (f *forest) columns() int64 { return f.width }

// offset returns what is added to the score of a target that leaves scored: base_values.
func (f *forest) offset(target int64) float64 {
	if int64(len(f.base)) != f.width {
		return 0
	}
	return f.base[target]
}

func (f *forest) score(row []float64) (int64, []float64) {
	s, said := f.scores(row)
	for k := range s {
		if said[k] > 0 || f.width == 1 {
			s[k] += f.offset(int64(k))
		}
	}
	return 0, f.post.apply(s)
}
