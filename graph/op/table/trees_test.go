package table

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/array"
	"github.com/wmtune/wmtune/tir"
)

// TestTrees: random trees, walked by tables and by what the attributes say.
func TestTrees(t *testing.T) {
	rng := rand.New(rand.NewPCG(23, 24))
	for round := range 40 {
		n, x := randomTrees(rng, int64(round%4), int64(round%3))
		if err := inferOnly(n); err != nil {
			t.Fatal(err)
		}
		checkInferred(t, n, []*graph.Tensor{x})
	}
	n, _ := randomTrees(rng, sumScores, 0)
	n.Attr("nodes_falsenodeids").Ints[0], n.Attr("nodes_falseleafs").Ints[0] = 0, 0
	if err := inferOnly(n); err == nil {
		t.Error("a tree that is below itself is no error")
	}
}

// Numbers that ONNX gives to a mode of nodes and to an aggregate function.
const modeMember, sumScores = 6, 1

// randomTrees returns a node of two trees of random depth, and an operand.
func randomTrees(rng *rand.Rand, aggregate, post int64) (*graph.Node, *graph.Tensor) {
	var features, modes, yes, yesLeaf, no, noLeaf, missing, roots, targets []int64
	var splits, members, weights []float64
	branch := func(depth int) (id, leaf int64) { return }
	branch = func(depth int) (id, leaf int64) {
		if depth == 0 || rng.IntN(4) == 0 {
			targets, weights = append(targets, rng.Int64N(3)), append(weights, float64(rng.IntN(9)))
			return int64(len(targets) - 1), 1
		}
		k := len(features)
		features, modes = append(features, rng.Int64N(2)), append(modes, rng.Int64N(7))
		splits, missing = append(splits, float64(rng.IntN(5))), append(missing, rng.Int64N(2))
		yes, yesLeaf, no, noLeaf = append(yes, 0), append(yesLeaf, 0), append(no, 0), append(noLeaf, 0)
		yes[k], yesLeaf[k] = branch(depth - 1)
		no[k], noLeaf[k] = branch(depth - 1)
		return int64(k), 0
	}
	for range 2 {
		roots = append(roots, int64(len(features)))
		for { // a root is no leaf
			if _, leaf := branch(3); leaf == 0 {
				break
			}
		}
	}
	for _, m := range modes {
		if m == modeMember {
			members = append(members, float64(rng.IntN(5)), float64(rng.IntN(5)), nan)
		}
	}
	tensor := func(name string, t *graph.Tensor) graph.Attr {
		return graph.Attr{Name: name, Kind: graph.AttrTensor, Tensor: t.Const()}
	}
	floats := func(list []float64) *graph.Tensor {
		return &graph.Tensor{Type: tir.F32, Shape: []int64{int64(len(list))}, F: list}
	}
	n := &graph.Node{Op: "TreeEnsemble", Domain: "ai.onnx.ml", Version: 5, Outputs: []*graph.Value{{Name: "y"}}}
	n.SetAttr(graph.IntsAttr("nodes_featureids", features...), graph.IntsAttr("nodes_truenodeids", yes...),
		graph.IntsAttr("nodes_trueleafs", yesLeaf...), graph.IntsAttr("nodes_falsenodeids", no...),
		graph.IntsAttr("nodes_falseleafs", noLeaf...), graph.IntsAttr("nodes_missing_value_tracks_true", missing...),
		graph.IntsAttr("tree_roots", roots...), graph.IntsAttr("leaf_targetids", targets...), graph.IntAttr("n_targets", 3),
		graph.IntAttr("aggregate_function", aggregate), graph.IntAttr("post_transform", post),
		tensor("nodes_modes", &graph.Tensor{Type: tir.U8, Shape: []int64{int64(len(modes))}, I: modes}),
		tensor("nodes_splits", floats(splits)), tensor("leaf_weights", floats(weights)),
		tensor("membership_values", floats(members)))
	x := random(rng, tir.I64, 0, 4, 6, 2)
	x = array.Convert(x, tir.F32)
	x.F[3] = nan
	n.Inputs = []*graph.Value{{Name: "x", Type: tir.F32, Shape: x.Shape, Ranked: true}}
	return n, x
}

// TestTreesThatShare: nodes may have both branches at one node, so that there are more ways to a leaf than can be
// walked.
func TestTreesThatShare(t *testing.T) {
	const nodes = 60
	n, x := randomTrees(rand.New(rand.NewPCG(25, 26)), sumScores, 0)
	below, zeros, leaf := make([]int64, nodes), make([]int64, nodes), make([]int64, nodes)
	for i := range below {
		below[i] = int64(i + 1)
	}
	below[nodes-1], leaf[nodes-1] = 0, 1
	tensor := func(name string, x *graph.Tensor) graph.Attr {
		return graph.Attr{Name: name, Kind: graph.AttrTensor, Tensor: x.Const()}
	}
	n.SetAttr(graph.IntsAttr("nodes_featureids", zeros...), graph.IntsAttr("nodes_truenodeids", below...),
		graph.IntsAttr("nodes_trueleafs", leaf...), graph.IntsAttr("nodes_falsenodeids", below...),
		graph.IntsAttr("nodes_falseleafs", leaf...), graph.IntsAttr("nodes_missing_value_tracks_true", zeros...),
		graph.IntsAttr("tree_roots", 0, 3), tensor("nodes_modes", graph.NewTensor(tir.U8, nodes)),
		tensor("nodes_splits", graph.NewTensor(tir.F32, nodes)), tensor("membership_values", floats()))
	if err := inferOnly(n); err != nil {
		t.Fatal(err)
	}
	made, _, err := op.Decompose(n)
	if err != nil {
		t.Fatal(err)
	}
	if depths := made[0].Inputs[3].Const.Tensor().I; slices.Max(depths) != nodes {
		t.Errorf("%d nodes to the farthest leaf", depths)
	}
	checkInferred(t, n, []*graph.Tensor{x})
}
