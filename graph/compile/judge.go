package compile

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"math"
	"slices"

	"github.com/wmtune/wmtune/codegen/model"
	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op/extent"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
)

// A judge compares what each kernel of a bundle computes with the reference of its group, for the inputs that the
// bundle gave it. So an element that a rounding put on the other side of a step is the input of what follows, and not
// an error of all of that. A kernel may be off by what its own roundings add (ranges.go).
//
// It also makes sure that a kernel finds in memory what was put there: that no other kernel wrote over it.
type judge struct {
	model  *Model
	ports  int // inputs of the program
	first  int // index of the first call among those of the bundle
	taps   [][]model.Tap
	values [][]*graph.Value // of each tap
	copied map[*storage]bool
	found  map[*storage]uint64 // hash of what was put there last
	seed   maphash.Seed
	shapes map[*graph.Value][]int64 // what vectors of extents hold

	reached []int // how often each call ran
	judged  Judgement

	// Plans for ranges of extents run at several. Then every call is judged at the bounds, but for those of a kernel and
	// weights that were judged so in an earlier plan; at the others each kernel is judged once.
	calls   []model.Call
	once    map[string]bool // calls of earlier plans, if extents are ranges
	brief   bool            // this run is not at the bounds
	kernels map[int]bool    // that were judged in this run
}

// skips reports whether a call is left out in this run.
func (g *judge) skips(call int) bool {
	c := g.calls[call]
	if g.once == nil {
		return false
	}
	if g.once[callKey(c)] || g.brief && g.kernels[c.Kernel] {
		return true
	}
	g.kernels[c.Kernel] = true
	return false
}

// callKey names a kernel with the weights that a call gives it.
func callKey(c model.Call) string {
	key := fmt.Sprint(c.Kernel)
	for i, p := range c.Args {
		if p.Space == model.Weights {
			key += fmt.Sprint(" ", i, ":", p.Offset)
		}
	}
	return key
}

// remember notes the calls that were judged at the bounds.
func (g *judge) remember(once map[string]bool) {
	for i, c := range g.calls {
		if g.reached[i] > 0 {
			once[callKey(c)] = true
		}
	}
}

// A Judgement says what was compared.
type Judgement struct {
	Inputs   int      `json:"inputs"`           // sets of inputs
	Kernels  int      `json:"kernels"`          // calls in the program
	Reached  int      `json:"kernels_reached"`  // of them, those that ran
	Branches int      `json:"branches"`         // of If, and bodies of loops, that call kernels
	Taken    int      `json:"branches_reached"` // of them, those of which a kernel ran
	Elements int64    `json:"elements"`         // of results that were compared
	Stepped  int64    `json:"elements_stepped"` // of them, integers that a rounding decided otherwise
	Skipped  int64    `json:"elements_skipped"` // of them, those beyond a quick bound that there was no time to look at
	Loose    []string `json:"loose_operators"`  // those that have no rule for how far a kernel may be off
	Doubts   []string `json:"not_verified"`     // outputs of which nothing was compared that says much, and why
}

// and adds what was compared in another plan.
func (j Judgement) and(k Judgement, doubts []string) Judgement {
	j.Inputs, j.Kernels, j.Reached = j.Inputs+k.Inputs, j.Kernels+k.Kernels, j.Reached+k.Reached
	j.Branches, j.Taken = j.Branches+k.Branches, j.Taken+k.Taken
	j.Elements, j.Stepped, j.Skipped = j.Elements+k.Elements, j.Stepped+k.Stepped, j.Skipped+k.Skipped
	add := func(list, more []string) []string {
		for _, text := range more {
			if !slices.Contains(list, text) {
				list = append(list, text)
			}
		}
		return list
	}
	j.Loose, j.Doubts = add(j.Loose, k.Loose), add(j.Doubts, doubts)
	return j
}

// A kernelError says what a kernel did wrong.
type kernelError struct{ error }

// mostIterations is how often a call in a loop is judged.
const mostIterations = 8

func newJudge(m *Model, p *model.Program) *judge {
	g := &judge{model: m, ports: len(p.Inputs), copied: map[*storage]bool{}, found: map[*storage]uint64{},
		seed: maphash.MakeSeed(), shapes: map[*graph.Value][]int64{}, calls: p.Calls()}
	calls := g.calls
	for i, j := range m.layout.jobs {
		var taps []model.Tap
		var values []*graph.Value
		add := func(v *graph.Value, place model.Place, before bool) {
			if v != nil && v.Const == nil {
				taps = append(taps, model.Tap{Place: place, Bytes: v.Bytes(), Before: before})
				values = append(values, v)
			}
		}
		places := calls[i].Args
		if j.within {
			places = slices.Delete(slices.Clone(places), len(j.inputs), len(j.inputs)+1)
		}
		for k, v := range append(slices.Clone(j.inputs), j.outputs...) {
			add(v, places[k], false)
		}
		for _, n := range j.group.Nodes { // what the kernel does not read may decide the shape
			for _, v := range n.Reads() {
				if s := m.layout.stores[v]; s != nil && s.place.Space == model.Input && !slices.Contains(j.inputs, v) {
					add(v, s.place, false)
				}
			}
		}
		if j.inPlace {
			add(j.group.Nodes[0].Inputs[0], places[len(j.inputs)], true)
		}
		g.reached = append(g.reached, 0)
		g.taps, g.values = append(g.taps, taps), append(g.values, values)
	}
	g.copies(m.actions, false)
	return g
}

// copies finds the places whose bytes are not followed: what is copied or counted there no kernel made, and of the
// calls in a loop only the first are watched.
func (g *judge) copies(actions []*action, loop bool) {
	for _, a := range actions {
		if a.from != nil {
			g.copied[a.to] = true
		}
		if loop && a.job != nil {
			for _, v := range a.job.outputs {
				g.copied[g.model.layout.stores[v]] = true
			}
		}
		if a.loop != nil {
			g.copied[a.loop.counter] = true
		}
		g.copies(a.then, loop || a.loop != nil)
		g.copies(a.els, loop)
	}
}

// run watches a run of the bundle for inputs, and judges each of its calls and what the outputs hold in the end.
func (g *judge) run(ctx context.Context, l *model.Loaded, inputs []*graph.Tensor) error {
	clear(g.found)
	g.kernels = map[int]bool{}
	give(l, inputs, g.ports)
	kept := g.model.stateInputs()
	for i, v := range g.model.Graph.Inputs {
		if slices.Contains(kept, v) { // it lies otherwise than it is given
			continue
		}
		data := inputs[i].Const().Data
		g.found[g.model.layout.stores[v]] = maphash.Bytes(g.seed, data)
	}
	taps := append(make([][]model.Tap, g.first), g.taps...)
	reached, err := l.Watch(ctx, taps, mostIterations, func(call int, data [][]byte) error {
		call -= g.first
		j := g.model.layout.jobs[call]
		if err := g.call(ctx, j, g.values[call], data, g.skips(call)); err != nil {
			return &kernelError{fmt.Errorf("kernel %s, %s: %w", j.task.Name, j.group.Nodes[0].Label(), err)}
		}
		return nil
	})
	if err != nil {
		return err
	}
	g.judged.Inputs++
	for i, n := range reached[g.first:] {
		g.reached[i] += n
	}
	for i, v := range g.model.Graph.Outputs[:g.model.outputs()] {
		if v.Extents == nil && v.Const == nil {
			if err := g.kept(v, l.Output(i), false); err != nil {
				return &kernelError{err}
			}
		}
	}
	return nil
}

// judgement returns what was compared in all runs.
func (g *judge) judgement() Judgement {
	at := map[*job]int{}
	for i, j := range g.model.layout.jobs {
		at[j] = i
		g.judged.Kernels++
		if g.reached[i] > 0 {
			g.judged.Reached++
		}
	}
	g.branches(g.model.actions, at)
	return g.judged
}

// branches counts branches and bodies among actions, and returns how many kernels these call and how many of them ran.
func (g *judge) branches(actions []*action, at map[*job]int) (calls, ran int) {
	for _, a := range actions {
		if a.job != nil {
			calls, ran = calls+1, ran+min(g.reached[at[a.job]], 1)
		}
		for _, body := range [][]*action{a.then, a.els} {
			n, r := g.branches(body, at)
			calls, ran = calls+n, ran+r
			g.judged.Branches, g.judged.Taken = g.judged.Branches+min(n, 1), g.judged.Taken+min(r, 1)
		}
	}
	return calls, ran
}

// call judges a call by what lies in its operands and results. Of one that is skipped it only makes sure that operands
// are what was put there.
func (g *judge) call(ctx context.Context, j *job, values []*graph.Value, data [][]byte, skip bool) error {
	got := map[*graph.Value]*graph.Tensor{}
	made := map[*graph.Value]bool{}
	for _, v := range j.outputs {
		made[v] = true
	}
	for i, v := range values { // extents first
		if made[v] && v.Type == tir.I64 && len(v.Shape) == 1 {
			g.shapes[v] = (&graph.Const{Type: v.Type, Shape: v.Shape, Data: data[i]}).Tensor().I
		}
	}
	order := make([]int, 0, len(values)) // what is made may lie in the place of what was read
	for _, last := range []bool{false, true} {
		for i, v := range values {
			if made[v] == last {
				order = append(order, i)
			}
		}
	}
	for _, i := range order {
		v, shape := values[i], values[i].Shape
		if v.Extents != nil {
			if shape = g.shapes[v.Extents]; shape == nil {
				return nil
			}
		}
		bytes := data[i][:graph.Elems(shape)*int64(v.Type.Bytes())]
		if err := g.kept(v, bytes, made[v]); err != nil {
			return err
		}
		if !skip {
			got[v] = (&graph.Const{Type: v.Type, Shape: shape, Data: bytes, Narrow: v.Narrow}).Tensor()
		}
	}
	if skip {
		return nil
	}
	r := newRanges(ctx, termsOf(j), growthOf(j))
	r.states = got
	for v, t := range got {
		if !made[v] {
			r.values[v] = exactly(t)
		}
	}
	for _, n := range j.group.Nodes {
		if err := r.node(n); err != nil {
			return fmt.Errorf("its reference fails: %w", err)
		}
	}
	for name := range r.vague {
		if !slices.Contains(g.judged.Loose, name) {
			g.judged.Loose = append(g.judged.Loose, name)
		}
	}
	for i, v := range j.outputs {
		if v == nil || r.values[v] == nil { // an error, or extents
			continue
		}
		if err := g.compare(j, i, v, got, r.values[v]); err != nil {
			return err
		}
	}
	return nil
}

// kept makes sure that what a kernel reads is what was put there, and remembers what it writes.
func (g *judge) kept(v *graph.Value, data []byte, made bool) error {
	s := g.model.layout.stores[v]
	if s == nil || g.copied[s] {
		return nil
	}
	hash := maphash.Bytes(g.seed, data)
	if was, ok := g.found[s]; !made && ok && was != hash {
		return fmt.Errorf("%s is not what was put there: another kernel wrote over it", v)
	}
	g.found[s] = hash
	return nil
}

// termsOf returns how many numbers the longest sum of a group adds up.
func termsOf(j *job) float64 {
	n := 1.0
	if j.task.DAG == nil {
		for _, v := range j.group.Nodes[0].Inputs {
			for d := 0; v != nil && d < len(v.Shape); d++ {
				n = max(n, float64(v.Shape[d]))
			}
		}
		return n
	}
	for _, op := range j.task.DAG.Ops {
		terms := 1.0
		for _, a := range op.ReduceAxes {
			terms *= float64(a.Extent)
		}
		n = max(n, terms)
	}
	return n
}

func growthOf(j *job) float64 { return j.task.Func.Growth }

// compare compares output i of a job with its range.
func (g *judge) compare(j *job, i int, v *graph.Value, values map[*graph.Value]*graph.Tensor, k *ranged) error {
	got := values[v]
	if !slices.Equal(got.Shape, k.v.Shape) {
		return fmt.Errorf("output %s has the shape %v, and %v by the reference", v, got.Shape, k.v.Shape)
	}
	g.judged.Elements += int64(got.Len())
	var list []suspect
	beyond := extent.Outside(g.model.layout.needs[v], g.shapes[g.model.layout.extents])
	for e := range got.Len() {
		x, want := got.At(e), k.v.At(e)
		if beyond != nil && beyond[e] { // nobody needs it
			continue
		}
		if x == want && same(got, k.v, e) || x != x && want != want {
			continue
		}
		lo, hi := k.lo.At(e), k.hi.At(e)
		if k.vague {
			by := unitsOfOp * compute.Unit(v.Type) * math.Abs(want)
			lo, hi = want-by, want+by
		}
		if x >= lo && x <= hi {
			if !v.Type.IsFloat() {
				g.judged.Stepped++
			}
			continue
		}
		off := max(lo-x, x-hi) / max(hi-lo, compute.Unit(v.Type)*math.Abs(want), math.SmallestNonzeroFloat64)
		if off != off {
			off = math.Inf(1)
		}
		list = append(list, suspect{e, off})
	}
	if len(list) == 0 {
		return nil
	}
	slices.SortStableFunc(list, func(a, b suspect) int { return -cmp.Compare(a.off, b.off) })
	wrong, err := g.second(j, i, list, values, k)
	if err != nil || wrong < 0 {
		return err
	}
	at := list[wrong].at
	return fmt.Errorf("output %s, element %d: got %v, the reference has %v, and what rounds has from %v to %v",
		v, at, got.At(at), k.v.At(at), k.lo.At(at), k.hi.At(at))
}

// A suspect is an element beyond its range, by so many times the range.
type suspect struct {
	at  int
	off float64
}

// mostPoints bounds the points that bounds of a compute DAG may take in one comparison.
const mostPoints = 1_000_000

// second judges suspects by the bounds of the compute DAG, which know the very expressions of the kernel; the farthest
// first, until the points are used up. It returns the first that is wrong, or -1.
func (g *judge) second(j *job, i int, list []suspect, values map[*graph.Value]*graph.Tensor, k *ranged) (int, error) {
	d := j.task.DAG
	if d == nil {
		return largely(values[j.outputs[i]], k, list, termsOf(j)), nil
	}
	var inputs []func(at int64) float64
	for _, v := range j.inputs {
		t := values[v]
		if t == nil {
			t = v.Const.Tensor()
		}
		inputs = append(inputs, func(at int64) float64 { return t.At(int(at)) })
	}
	e := compute.NewEvaluatorOf(d, inputs)
	e.Arithmetic, e.Limit, e.Growth = compute.Bounded, mostPoints, growthOf(j)
	got, b := values[j.outputs[i]], d.Results()[i]
	for n, s := range list {
		index := make([]int64, len(b.Shape))
		at := int64(s.at)
		for x := len(index) - 1; x >= 0; x-- {
			index[x], at = at%b.Shape[x], at/b.Shape[x]
		}
		r, err := e.Bounds(b, index)
		if errors.Is(err, compute.ErrTooManyPoints) && n > 0 {
			g.judged.Skipped += int64(len(list) - n)
			return -1, nil
		}
		if err != nil {
			return n, nil
		}
		// The reference must lie within these bounds, too: they are made of the same expressions as the kernel.
		if !mayBe(r, got.At(s.at), b.Type) || !k.vague && !mayBe(r, k.v.At(s.at), b.Type) {
			return n, nil
		}
	}
	return -1, nil
}

// mayBe reports whether a program may get x for an element of a type.
func mayBe(r compute.Range, x float64, t tir.DType) bool {
	if math.IsInf(x, 0) || x != x {
		return r.Holds(tir.Rounded(t, x), 0)
	}
	if !t.IsFloat() {
		return r.Holds(x, 0)
	}
	work, store := unitOf(t)
	return r.Holds(x, (unitsOfOp*work+store)*math.Abs(x)+compute.Smallest(t))
}

// largely judges suspects of a function written by hand, of whose operator no rule says how far it may be off: by the
// largest element. It returns the first that is wrong, or -1.
func largely(got *graph.Tensor, k *ranged, list []suspect, terms float64) int {
	if !k.vague {
		return 0
	}
	scale := 0.0
	for _, x := range k.v.F {
		if !math.IsInf(x, 0) {
			scale = max(scale, math.Abs(x))
		}
	}
	work, store := unitOf(got.Type)
	by := noiseFactor*(sumUnits(terms)*work+store)*scale + compute.Smallest(got.Type)
	for n, s := range list {
		if x := got.At(s.at); !(math.Abs(x-k.v.At(s.at)) <= by) {
			return n
		}
	}
	return -1
}
