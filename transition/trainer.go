package transition

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/wmtune/wmtune/nn"
	"github.com/wmtune/wmtune/nn/kernel"
)

// A trainer trains one network.
type trainer struct {
	recipe Recipe
	data   *Data
	scale  affineScale // of action vectors
	start  affineScale // of what tasks begin with
	fact   affineScale
	facts  int // of a state
	source *rand.PCG
	rng    *rand.Rand

	net  *nn.Network
	roll *rollout
	goal *objective
	drop []*dropout
	loss float64
}

// A weightShape is one of the matrices of a rollout, and the scale that it begins with.
type weightShape struct {
	layer, part string
	rows, cols  int
	scale       float64
}

// rolloutShapes returns the matrices of a rollout, by input.
func rolloutShapes(s sizes) [rolloutInputs]weightShape {
	return [rolloutInputs]weightShape{
		startWeight: {"start", "weight", s.start, s.latent, 1}, startBias: {"start", "bias", 1, s.latent, 0},
		embedWeight: {"embed", "weight", Size, s.embed, 1}, embedBias: {"embed", "bias", 1, s.embed, 0},
		normalWeight:      {"normal", "weight", s.embed, s.latent, 1},
		translationWeight: {"translation", "weight", s.embed, s.latent, 0.3},
		hiddenAction:      {"hidden", "action", s.embed, s.hidden, 1}, hiddenBias: {"hidden", "bias", 1, s.hidden, 0},
		hiddenState: {"hidden", "state", s.latent, s.hidden, 1},
		residual:    {"residual", "weight", s.hidden, s.latent, 0.1}, residualBias: {"residual", "bias", 1, s.latent, 0},
	}
}

func (t *trainer) build(seed uint64) error {
	r := t.recipe
	s := sizes{start: len(t.data.Groups[0].Start), embed: r.Embed, latent: r.Latent, hidden: r.Hidden}
	t.net = nn.New(seed)
	t.roll = &rollout{sizes: s}
	var weights []nn.Value
	for _, m := range rolloutShapes(s) {
		weights = append(weights, t.net.Named(m.layer).Matrix(m.part, m.rows, m.cols, m.scale))
	}
	rows := r.Tasks * r.PerTask
	if r.Plan > 0 {
		rows *= 2 // partial states
	}
	states := t.roll.addTo(t.net, weights, rows)
	h := states
	for i, width := range r.Head {
		h = t.dropped(t.net.Named(fmt.Sprintf("head%d", i)).Linear(h, width), width, rows)
	}
	outputs := []nn.Value{t.net.Named("value").Linear(h, 1)}
	if r.Facts > 0 {
		outputs = append(outputs, t.net.Named("facts").Linear(states, t.facts))
	}
	t.goal = &objective{recipe: &t.recipe, factors: t.facts}
	loss := t.net.Fused(nn.Fused{
		Name: "objective", Inputs: outputs,
		Forward:  func(in [][]float32, out []float32) { t.loss = t.goal.loss(in, nil); out[0] = float32(t.loss) },
		Backward: func(in [][]float32, _ []float32, by [][]float32) { t.goal.loss(in, by) },
	})
	return t.net.Finish(outputs[0], loss)
}

// A dropout is GELU, of which a part is left out while learning (Srivastava et al.
// 2014).
type dropout struct{ keep []float32 }

func (t *trainer) dropped(x nn.Value, cols, rows int) nn.Value {
	d := &dropout{keep: make([]float32, rows*cols)}
	t.drop = append(t.drop, d)
	return t.net.Fused(nn.Fused{
		Name: "gelu", Rows: rows, Cols: cols, Inputs: []nn.Value{x},
		Forward: func(in [][]float32, out []float32) {
			kernel.GELU(out, in[0])
			for i, k := range d.keep {
				out[i] *= k
			}
		},
		Backward: func(in [][]float32, grad []float32, by [][]float32) {
			for i, k := range d.keep {
				by[0][i] = grad[i] * k
			}
			kernel.GELUGrad(by[0], in[0], by[0])
		},
	})
}

// draw fills factors with 0, with probability p, and else with what keeps the mean.
func (t *trainer) draw(factors []float32) {
	for i := range factors {
		factors[i] = 0
		if t.rng.Float64() >= t.recipe.Drop {
			factors[i] = float32(1 / (1 - t.recipe.Drop))
		}
	}
}

// A picked sample is in a batch.
type picked struct {
	group  int
	sample *Sample
}

// pick draws the trajectories of a batch. Faster ones are drawn more often, as
// they are rarer and matter more.
func (t *trainer) pick() []picked {
	groups := t.data.Groups
	tasks := t.rng.Perm(len(groups))
	tasks = tasks[:min(t.recipe.Tasks, len(tasks))]
	list := make([]picked, t.recipe.Tasks*t.recipe.PerTask)
	for i := range list {
		g := tasks[i%len(tasks)]
		samples := groups[g].Samples
		k := t.rng.IntN(len(samples))
		for (0.3+samples[k].Quality)/1.3 < t.rng.Float64() {
			k = t.rng.IntN(len(samples))
		}
		list[i] = picked{group: g, sample: &samples[k]}
	}
	return list
}

// step learns from one batch.
func (t *trainer) step(n int) error {
	list := t.pick()
	t.fill(list)
	for _, d := range t.drop {
		t.draw(d.keep)
	}
	if _, err := t.net.Run(); err != nil {
		return err
	}
	rate := t.recipe.Rate * (1 + math.Cos(math.Pi*float64(n)/float64(t.recipe.Steps))) / 2
	t.net.Step(nn.Adam{Rate: rate, Decay: t.recipe.Decay, Clip: 1})
	return nil
}

// fill makes samples the batch.
func (t *trainer) fill(list []picked) {
	b, order := assemble(t.data, list, t.scale, t.start)
	t.blind(b.starts)
	if t.recipe.Drop > 0 {
		b.drop = make([]float32, b.rows*t.recipe.Embed)
		t.draw(b.drop)
	}
	g := t.goal
	g.quality, g.task, g.facts = g.quality[:0], g.task[:0], g.facts[:0]
	for _, i := range order {
		g.quality, g.task = append(g.quality, list[i].sample.Quality), append(g.task, list[i].group)
	}
	t.roll.b = b
	t.probes(list, order)
}

// blind leaves out numbers of the encoder's vectors of tasks, and keeps their mean.
func (t *trainer) blind(starts []float32) {
	size := t.roll.start
	if t.recipe.Blind == 0 || size < EncodedSize {
		return
	}
	for at := 0; at < len(starts); at += size {
		for k := range EncodedSize {
			if t.rng.Float64() < t.recipe.Blind {
				starts[at+k] = 0
			} else {
				starts[at+k] /= float32(1 - t.recipe.Blind)
			}
		}
	}
}

// probes adds the partial states to the batch, and what is known of last ones.
func (t *trainer) probes(list []picked, order []int) {
	g, b := t.goal, t.roll.b
	add := func(s *Sample, at int) {
		var facts []float32
		if at == len(s.Actions) && s.Last != nil {
			facts = t.fact.apply(s.Last)
		}
		g.facts = append(g.facts, facts)
	}
	for _, i := range order {
		add(list[i].sample, len(list[i].sample.Actions))
	}
	if g.partial = g.partial[:0]; t.recipe.Plan == 0 {
		return
	}
	for k, i := range order {
		s := list[i].sample
		if s.Partial > 0 {
			g.partial = append(g.partial, len(order)+k)
		}
		b.probes = append(b.probes, probe{k, s.Partial})
		add(s, s.Partial)
	}
}

// encodedFactor brings the numbers of a vector of length 1 into the order of 1.
const encodedFactor = 8

// measure finds the scales of what is learned from.
func (t *trainer) measure() {
	seen := make([]bool, len(t.data.Actions)/Size)
	var actions, starts, facts [][]float32
	for _, g := range t.data.Groups {
		starts = append(starts, g.Start)
		for _, s := range g.Samples {
			for _, a := range s.Actions {
				if !seen[a] {
					seen[a] = true
					actions = append(actions, t.data.action(a))
				}
			}
			if s.Last != nil {
				facts = append(facts, s.Last)
			}
		}
	}
	t.scale, t.start, t.fact = scaleOf(actions, Size, nn.LeastDeviation),
		scaleOf(starts, len(starts[0]), nn.LeastDeviation), affineScale{}
	if encoded := slices.ContainsFunc(starts,
		func(v []float32) bool { return kernel.Dot(v[:EncodedSize], v[:EncodedSize]) > 0 }); encoded {
		for k := range EncodedSize { // of length 1, and not only what tasks begin with
			t.start.shift[k], t.start.factor[k] = 0, encodedFactor
		}
	}
	if len(facts) > 0 {
		t.facts = len(facts[0])
		t.fact = scaleOf(facts, t.facts, 1e-3)
	} else {
		t.recipe.Facts = 0
	}
}

// An affineScale brings columns to mean 0 and deviation 1: (v - shift) * factor.
type affineScale struct{ shift, factor []float32 }

// scaleOf measures rows. Columns that deviate by less than least are not blown up.
func scaleOf(rows [][]float32, columns int, least float64) (a affineScale) {
	a.shift, a.factor = nn.Standard(slices.Values(rows), columns, least, 1e-6)
	return a
}

func (a affineScale) apply(v []float32) []float32 {
	out := make([]float32, len(v))
	a.into(out, v)
	return out
}

func (a affineScale) into(out, v []float32) {
	for k, x := range v {
		out[k] = (x - a.shift[k]) * a.factor[k]
	}
}

// fold makes weights for scaled inputs weights for inputs as they are.
func (a affineScale) fold(weight, bias []float32) {
	cols := len(bias)
	for k, f := range a.factor {
		row := weight[k*cols:][:cols]
		for j := range row {
			row[j] *= f
			bias[j] -= a.shift[k] * row[j]
		}
	}
}

// assemble makes a batch of samples, and says which sample is in each of its places:
// the longest is first. Rows of actions are in the order in which they are first
// met.
func assemble(d *Data, list []picked, scale, start affineScale) (b *batch, order []int) {
	order = make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	steps := func(i int) int { return len(list[i].sample.Actions) }
	slices.SortStableFunc(order, func(i, k int) int { return steps(k) - steps(i) })
	b = &batch{}
	row := map[int32]int32{}
	begin := map[int]int{}
	for _, i := range order {
		p := list[i]
		s, known := begin[p.group]
		if !known {
			s = len(begin)
			begin[p.group] = s
			b.starts = append(b.starts, start.apply(d.Groups[p.group].Start)...)
		}
		b.start = append(b.start, s)
		rows := make([]int32, steps(i))
		for t, a := range p.sample.Actions {
			at, known := row[a]
			if !known {
				at = int32(b.rows)
				row[a] = at
				b.rows++
				b.actions = slices.Grow(b.actions, Size)[:b.rows*Size]
				scale.into(b.actions[int(at)*Size:], d.action(a))
			}
			rows[t] = at
		}
		b.steps = append(b.steps, rows)
	}
	return b, order
}
