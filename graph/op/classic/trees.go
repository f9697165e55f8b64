package classic

import (
	"cmp"
	"math"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/array"
	"github.com/wmtune/wmtune/tir"
)

// Trees has the operator that walks trees in the form of tables.
//
// A node is a row of a table of integers: a feature, the bits of a threshold, where the first of its two neighbouring
// branches lies, and a payload. Every mode of nodes, and where NaN goes, becomes one comparison, without rounding: a
// row goes to the second branch if x >= threshold, and else, and so if x is NaN, to the first. For x <= threshold the
// feature is -x. Equality is two such nodes. A leaf is its own first branch, and its threshold NaN, so that walks need
// no condition: all take as many steps as the deepest leaf of their trees is away. The rows of a table are as many as
// nodes and leaves, however deep a tree is.
var Trees = []op.Row{
	{Op: "wmtune.Trees", Since: 1, Class: op.Opaque, Infer: inferTrees, Eval: evalTrees,
		Opaque: &op.Function{Make: opaqueTrees}},
	// what the leaf of each tree says, of which the above is the sum: for the judge of bundles
	{Op: "wmtune.Leaves", Since: 1, Infer: inferLeaves, Eval: evalLeaves},
}

// Columns of the table of nodes.
const (
	columnFeature = iota
	columnSplit
	columnBranch  // element of the table
	columnPayload // of a leaf: bits of its weight for the target of its tree, or its row of the weights
	nodeColumns
)

// Inputs of a wmtune.Trees: rows of features, the table, the places of roots in it, the depths of groups of trees, and
// what a leaf says: the target of each tree, or the weights of each leaf for all targets. Its attributes are width,
// aggregate and trees, their number.
const (
	treesX = iota
	treesNodes
	treesRoots
	treesDepths
	treesTargets
	treesInputs
)

// A table is a forest as it is walked.
type table struct {
	f        *forest
	typ      tir.DType
	features int64
	rows     [][nodeColumns]int64
	done     map[step]laid
	depths   []int64 // of trees
	targets  []int64 // of trees, if all leaves of a tree say something of one target; else nil
}

func (t *table) bits(v float64) int64 {
	if t.typ == tir.F64 {
		return int64(math.Float64bits(v))
	}
	return int64(int32(math.Float32bits(float32(v))))
}

// above returns the number of the type that is next to v upwards, or NaN if there is none.
func (t *table) above(v float64) float64 {
	switch {
	case math.IsInf(v, 1):
		return math.NaN()
	case t.typ == tir.F64:
		return math.Nextafter(v, math.Inf(1))
	}
	return float64(math.Nextafter32(float32(v), float32(math.Inf(1))))
}

// A test sends a row to the second of two branches if a feature, or what it is times -1, is at least a limit.
type test struct {
	feature       int64
	negated       bool
	limit         float64
	first, second step
}

// A step is where a test leads: to a branch of the forest, or to another test.
type step struct {
	branch int64
	test   *test
}

// compare returns the test of x < split or, with equal, x <= split, or, with greater, > and >=. NaN goes to the branch
// of no, or with nan to that of yes.
func (t *table) compare(feature int64, split float64, greater, equal, nan bool, yes, no step) step {
	if nan { // the second branch must be no
		return t.compare(feature, split, !greater, !equal, false, no, yes)
	}
	limit := split
	if !greater {
		limit = -split
	}
	if !equal {
		limit = t.above(limit)
	}
	return step{test: &test{feature: feature, negated: !greater, limit: limit, first: no, second: yes}}
}

// equal returns the tests of x == split.
func (t *table) equal(feature int64, split float64, nan bool, yes, no step) step {
	below := t.compare(feature, split, false, true, nan, yes, no)
	return t.compare(feature, split, true, true, nan, below, no)
}

// tests returns the tests of a branch.
func (t *table) tests(branch int64) step {
	if branch < 0 {
		return step{branch: branch}
	}
	k := &t.f.inner[branch]
	yes, no := step{branch: k.yes}, step{branch: k.no}
	switch k.mode {
	case treeEQ:
		return t.equal(k.feature, k.split, k.missing, yes, no)
	case treeNE: // NaN is unequal
		return t.equal(k.feature, k.split, false, no, yes)
	case treeMember:
		at := no
		for i, m := range slices.Backward(k.members) {
			at = t.equal(k.feature, m, k.missing && i == 0, yes, at)
		}
		return at
	}
	greater, equal := k.mode == treeGE || k.mode == treeGT, k.mode == treeLE || k.mode == treeGE
	return t.compare(k.feature, k.split, greater, equal, k.missing, yes, no)
}

// A laid is the row of a step, and how many nodes lie between it and its farthest leaf.
type laid struct {
	row   [nodeColumns]int64
	depth int64
}

// lay returns the row of a step, which will lie at a place, and lays what is below it. Steps that were met before are
// not laid again.
func (t *table) lay(s step, at int64) laid {
	if done, ok := t.done[s]; ok {
		return done
	}
	if s.test == nil && s.branch < 0 {
		return laid{row: t.leaf(-1-s.branch, at)}
	}
	if s.test == nil {
		r := t.lay(t.tests(s.branch), at)
		t.done[s] = r
		return r
	}
	place := int64(len(t.rows))
	t.rows = append(t.rows, [nodeColumns]int64{}, [nodeColumns]int64{})
	first, second := t.lay(s.test.first, place), t.lay(s.test.second, place+1)
	t.rows[place], t.rows[place+1] = first.row, second.row
	feature := s.test.feature
	if s.test.negated {
		feature += t.features
	}
	r := laid{[nodeColumns]int64{feature, t.bits(s.test.limit), nodeColumns * place}, 1 + max(first.depth, second.depth)}
	t.done[s] = r
	return r
}

// leaf returns the row of a leaf, which will lie at a place.
func (t *table) leaf(number, at int64) [nodeColumns]int64 {
	payload := number
	if t.targets != nil {
		payload = t.bits(t.f.merged(t.f.leaves[number], -1))
	}
	return [nodeColumns]int64{0, t.bits(math.NaN()), nodeColumns * at, payload}
}

// start is what scores begin with: what changes none that comes after it.
func start(aggregate int64) float64 {
	switch aggregate {
	case treeMin:
		return math.Inf(1)
	case treeMax:
		return math.Inf(-1)
	}
	return 0
}

// merged returns what a leaf says of a target, or of all of them.
func (f *forest) merged(leaf treeLeaf, target int64) float64 {
	r := start(f.aggregate)
	for _, s := range leaf {
		switch {
		case target >= 0 && target != s.target:
		case f.aggregate == treeMin:
			r = min(r, s.weight)
		case f.aggregate == treeMax:
			r = max(r, s.weight)
		default:
			r += s.weight
		}
	}
	return r
}

// targets returns the target of each tree whose leaves all score one; nil if those of a tree do not.
func (f *forest) targets() []int64 {
	list := slices.Repeat([]int64{-1}, len(f.roots))
	for i, leaf := range f.leaves {
		for _, s := range leaf {
			tree := f.owners[i]
			if f.shared || tree >= 0 && list[tree] >= 0 && list[tree] != s.target {
				return nil
			} else if tree >= 0 {
				list[tree] = s.target
			}
		}
	}
	return list
}

// newTable lays a forest, whose roots are the first rows. After them come so many leaves that score nothing that the
// trees fill groups.
func newTable(f *forest, typ tir.DType, features, group int64) *table {
	t := &table{f: f, typ: typ, features: features, done: map[step]laid{}, targets: f.targets()}
	count := (int64(len(f.roots)) + group - 1) / group * group
	t.rows = make([][nodeColumns]int64, count+count%2) // branches lie in pairs
	t.depths = make([]int64, count)
	f.leaves = append(f.leaves, nil)
	for i := range count {
		root := -int64(len(f.leaves))
		if i < int64(len(f.roots)) {
			root = f.roots[i]
		}
		r := t.lay(step{branch: root}, i)
		t.rows[i], t.depths[i] = r.row, r.depth
	}
	return t
}

// lanes says how many rows are walked down how many trees side by side, so that one walk need not wait for the loads of
// another, and how many rows go through all trees together, whose nodes then stay in the cache. On a Zen 5, 16 walks
// were faster than 8 by 1.1 to 1.2 times and than 4 by 1.3 to 1.8, for one row and for 1,000 rows of three forests.
// Where there are fewer rows, each is walked down several trees.
func lanes(rows int64) (abreast, trees, block int64) {
	abreast = min(max(rows, 1), 16)
	return abreast, 16 / abreast, abreast * min(max(rows/abreast, 1), 4)
}

// scored returns for a target whether a leaf scores it whatever the row is, and whether one may.
func (f *forest) scored(target int64) (always, ever bool) {
	missing := make([]bool, len(f.roots)) // trees, one at least of whose leaves does not score it
	for i, leaf := range f.leaves {
		has := slices.ContainsFunc(leaf, func(s treeScore) bool { return s.target == target })
		if ever = ever || has; !has && f.owners[i] >= 0 {
			missing[f.owners[i]] = true
		}
	}
	return !f.shared && slices.Contains(missing, false), ever
}

// saidNodes adds what tells for each row and target whether a leaf scored it.
func (f *forest) saidNodes(d *op.Decomposer, x *graph.Value) *graph.Value {
	c := *f
	c.aggregate, c.leaves = treeSum, nil
	for _, leaf := range f.leaves {
		ones := slices.Clone(leaf)
		for i := range ones {
			ones[i].weight = 1
		}
		c.leaves = append(c.leaves, ones)
	}
	count := c.walk(d, x)
	return apply(d, "Greater", count, d.Number(count, 0))
}

// walk adds the nodes that compute the scores.
func (f *forest) walk(d *op.Decomposer, x *graph.Value) *graph.Value {
	_, group, _ := lanes(x.Shape[0])
	t := newTable(f, x.Type, x.Shape[1], group)
	element := tir.I32
	if x.Type == tir.F64 {
		element = tir.I64
	}
	nodes := graph.NewTensor(element, int64(len(t.rows))*nodeColumns)
	for i, row := range t.rows {
		copy(nodes.I[i*nodeColumns:], row[:])
	}
	order := array.UpTo(int64(len(t.depths)))
	slices.SortStableFunc(order, func(i, j int64) int { return cmp.Compare(t.depths[i], t.depths[j]) })
	roots, depths := make([]int64, len(order)), make([]int64, int64(len(order))/group)
	for i, tree := range order {
		roots[i], depths[int64(i)/group] = nodeColumns*tree, t.depths[tree]
	}
	said := graph.NewTensor(x.Type, int64(len(f.leaves)), f.width)
	if t.targets != nil {
		said = graph.NewTensor(tir.I64, int64(len(order)))
		for i, tree := range order {
			if tree < int64(len(t.targets)) {
				said.I[i] = max(t.targets[tree], 0)
			}
		}
	}
	for i := range said.F {
		said.F[i] = f.merged(f.leaves[int64(i)/f.width], int64(i)%f.width)
	}
	return d.Apply("wmtune.Trees", []*graph.Value{x, d.Const(nodes), d.Const(graph.Ints(roots...)),
		d.Const(graph.Ints(depths...)), d.Const(said)}, graph.IntAttr("aggregate", f.aggregate),
		graph.IntAttr("trees", int64(len(f.roots))), graph.IntAttr("width", f.width))
}

// nodes adds what makes the scores, with base_values and transformed.
func (f *forest) nodes(d *op.Decomposer, x *graph.Value) (label, scores *graph.Value) {
	offsets, count := graph.NewTensor(x.Type, 1, f.width), false
	for k := range f.width {
		always, ever := f.scored(k)
		if ever || f.width == 1 {
			offsets.F[k] = f.offset(k)
		}
		count = count || ever && !always && f.width > 1 && f.offset(k) != 0
	}
	y := f.walk(d, x)
	if offset := d.Const(offsets); count {
		y = apply(d, "Add", y, apply(d, "Mul", d.Cast(f.saidNodes(d, x), y.Type), offset))
	} else if f.base != nil {
		y = apply(d, "Add", y, offset)
	}
	return nil, f.post.nodes(d, y)
}

func inferTrees(n *graph.Node) ([]op.Type, error) {
	x := n.Inputs[treesX]
	return []op.Type{{DType: x.Type, Shape: []int64{x.Shape[0], n.Int("width", 0)}}}, nil
}

func inferLeaves(n *graph.Node) ([]op.Type, error) {
	x := n.Inputs[treesX]
	return []op.Type{{DType: x.Type, Shape: []int64{x.Shape[0], n.Int("trees", 0), n.Int("width", 0)}}}, nil
}

// evalLeaves walks each row down every tree until the branch of a node is the node.
func evalLeaves(_ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	x, nodes, said, width := in[treesX], in[treesNodes].I, in[treesTargets], n.Int("width", 0)
	number := func(bits int64) float64 {
		if x.Type == tir.F64 {
			return math.Float64frombits(uint64(bits))
		}
		return float64(math.Float32frombits(uint32(bits)))
	}
	trees, features := n.Int("trees", 0), x.Shape[1]
	r := graph.NewTensor(x.Type, x.Shape[0], trees, width)
	for i := range r.F {
		r.F[i] = start(n.Int("aggregate", treeSum))
	}
	for row := range x.Shape[0] {
		tree := int64(0)
		for k, at := range in[treesRoots].I {
			if at/nodeColumns >= trees {
				continue // it fills a group
			}
			for nodes[at+columnBranch] != at {
				feature, limit := nodes[at+columnFeature], number(nodes[at+columnSplit])
				v := tir.Rounded(x.Type, x.F[row*features+feature%features])
				if feature >= features {
					v = -v
				}
				if at = nodes[at+columnBranch]; v >= limit {
					at += nodeColumns
				}
			}
			list, payload := r.F[(row*trees+tree)*width:][:width], nodes[at+columnPayload]
			if tree++; said.F != nil {
				copy(list, said.F[payload*width:])
			} else {
				list[said.I[k]] = number(payload)
			}
		}
	}
	return []*graph.Tensor{r}, nil
}

// evalTrees puts together what leaves say. What none says anything of is 0.
func evalTrees(c *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	leaves, err := evalLeaves(c, n, in)
	if err != nil {
		return nil, err
	}
	x, width := leaves[0], n.Int("width", 0)
	f := forest{aggregate: n.Int("aggregate", treeSum)}
	r := graph.NewTensor(x.Type, x.Shape[0], width)
	for i := range r.F {
		var leaf treeLeaf
		for tree := range x.Shape[1] {
			leaf = append(leaf, treeScore{0, x.F[(int64(i)/width*x.Shape[1]+tree)*width+int64(i)%width]})
		}
		if r.F[i] = f.merged(leaf, 0); math.IsInf(r.F[i], 0) {
			r.F[i] = 0
		}
		if f.aggregate == treeAverage {
			r.F[i] /= float64(x.Shape[1])
		}
	}
	return []*graph.Tensor{r}, nil
}
