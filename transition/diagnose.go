package transition

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/wmtune/wmtune/nn"
	"github.com/wmtune/wmtune/nn/kernel"
)

// A Diagnosis says how well a model knows what steps do. Errors are 1 - cosine to
// the encoder's vector of the true state; steps that change nothing are left out.
type Diagnosis struct {
	Steps int // that were looked at

	// Errors after one step from a true state: of the model, of saying that nothing
	// changes, of adding what steps of the kind do on average, and of a linear map of
	// state and action. The last two are fitted on the training part.
	Model, Identity, Delta, Linear float64

	// Of up to 64 states of the same task at the same depth, how often the prediction is
	// nearest to the true one, and the mean of one over its rank. Among is how many there
	// were, on average: a task whose trajectories are few has fewer.
	Hits, MRR float64
	Among     float64
	ByKind    map[string]float64 // hits by kind of step

	// Errors after 1, 2, ... steps, all predicted, and with the last one predicted
	// from the true state before it.
	Free, Forced []float64

	// Pairs in order, by value: as it is, with steps in random order, and with states
	// of candidates exchanged.
	Pairs, Shuffled, Permuted float64
}

// The limits that a diagnosis must keep (learned-models note, B.7).
const (
	mostOfIdentity = 0.5
	leastHits      = 0.7
	leastAmong     = 60
)

// String returns a table, one row a figure, with what it should be.
func (d *Diagnosis) String() string {
	var b strings.Builder
	verdict := func(good bool) string {
		if good {
			return "ok"
		}
		return "NOT MET"
	}
	fmt.Fprintf(&b, "transition on %d steps that change a state; errors are 1 - cosine\n", d.Steps)
	fmt.Fprintf(&b, "%-44s %7.4f\n", "error if nothing changed", d.Identity)
	fmt.Fprintf(&b, "%-44s %7.4f\n", "error of the mean change of the kind", d.Delta)
	fmt.Fprintf(&b, "%-44s %7.4f\n", "error of a linear map (ridge)", d.Linear)
	fmt.Fprintf(&b, "%-44s %7.4f  %-22s %s\n", "error of the network", d.Model, "< half of no change",
		verdict(d.Model < mostOfIdentity*d.Identity))
	fmt.Fprintf(&b, "%-44s %7.4f  %-22s %s\n", "", d.Model, "< the linear map", verdict(d.Model < d.Linear))
	fmt.Fprintf(&b, "%-44s %7.3f  %-22s %s\n", fmt.Sprintf("true state found among %.1f of its task", d.Among), d.Hits,
		"> .7 among 64", verdict(d.Hits > leastHits && d.Among > leastAmong))
	for _, kind := range slices.Sorted(maps.Keys(d.ByKind)) {
		fmt.Fprintf(&b, "  %-42s %7.3f\n", kind, d.ByKind[kind])
	}
	fmt.Fprintf(&b, "%-44s %7.3f\n", "mean of one over the rank", d.MRR)
	for _, t := range []int{1, 2, 4, 8, 16, 32} {
		if t <= len(d.Free) {
			fmt.Fprintf(&b, "error at step %-30d %7.4f  after true states %.4f\n", t, d.Free[t-1], d.Forced[t-1])
		}
	}
	fmt.Fprintf(&b, "%-44s %7.3f  steps shuffled %.3f, states exchanged %.3f\n", "pairs in order", d.Pairs, d.Shuffled,
		d.Permuted)
	return b.String()
}

// a transition is one step of a trajectory.
type oneStep struct {
	group, at int
	sample    *Sample
}

// Diagnose looks at the first network. Train is what it learned from and d what it
// did not, both with the encoder's vectors; without them only Pairs to Permuted are
// set.
func (m *Model) Diagnose(train, d *Data, seed uint64) (*Diagnosis, error) {
	g := &diagnosing{member: m.Members[0], model: m, data: d, rng: rand.New(rand.NewPCG(seed, 13))}
	g.order()
	if d.Vectors == nil {
		return &g.Diagnosis, nil
	}
	if len(g.member.match.bias) == 0 {
		return nil, errors.New("transition: the network was not trained to match the encoder's vectors (Recipe.Match), so " +
			"its states cannot be compared with them")
	}
	list := draw(d, g.rng, 2000)
	fit := draw(train, g.rng, 6000)
	if len(list) == 0 || len(fit) == 0 {
		return nil, errors.New("transition: no step that changes a state to look at")
	}
	predicted := g.oneStep(list)
	if err := g.errors(list, predicted, train, fit); err != nil {
		return nil, err
	}
	g.hits(list, predicted)
	g.free()
	return &g.Diagnosis, nil
}

type diagnosing struct {
	Diagnosis
	member *Member
	model  *Model
	data   *Data
	rng    *rand.Rand
}

// draw returns up to n steps that change states, from samples at random.
func draw(d *Data, rng *rand.Rand, n int) []oneStep {
	var list []oneStep
	for range 4 * n {
		if len(list) == n {
			break
		}
		g := rng.IntN(len(d.Groups))
		samples := d.Groups[g].Samples
		s := &samples[rng.IntN(len(samples))]
		if len(s.Actions) == 0 || len(s.States) <= len(s.Actions) {
			continue
		}
		if t := rng.IntN(len(s.Actions)); s.States[t] != s.States[t+1] {
			list = append(list, oneStep{g, t, s})
		}
	}
	return list
}

// oneStep predicts the vectors after steps from the true states before them.
func (g *diagnosing) oneStep(list []oneStep) [][]float32 {
	var batch []picked
	for _, s := range list {
		one := &Sample{Actions: s.sample.Actions[s.at : s.at+1]}
		batch = append(batch, picked{group: s.group, sample: one, state: int(s.sample.States[s.at]) + 1})
	}
	return g.seen(g.member.final(g.data, batch))
}

// seen returns the vectors that states are mapped to, of length 1.
func (g *diagnosing) seen(states []float32) [][]float32 {
	mapped := g.member.match.apply(states)
	width := len(g.member.match.bias)
	var out [][]float32
	for at := 0; at < len(mapped); at += width {
		normalise(mapped[at : at+width])
		out = append(out, mapped[at:at+width])
	}
	return out
}

func distance(a, b []float32) float64 { return 1 - float64(kernel.Dot(a, b)) }

// errors compares predictions with those of simple rules.
func (g *diagnosing) errors(list []oneStep, predicted [][]float32, train *Data, fit []oneStep) error {
	d := g.data
	before := func(d *Data, s oneStep) []float32 { return d.Vectors[s.sample.States[s.at]] }
	after := func(d *Data, s oneStep) []float32 { return d.Vectors[s.sample.States[s.at+1]] }
	action := func(d *Data, s oneStep) []float32 { return d.action(s.sample.Actions[s.at]) }
	width := len(d.Vectors[0])
	var delta [len(kinds)][]float32
	var x, y [][]float32
	for _, s := range fit {
		k := kindOf(action(train, s))
		if delta[k] == nil {
			delta[k] = make([]float32, width+1)
		}
		for i, v := range after(train, s) {
			delta[k][i] += v - before(train, s)[i]
		}
		delta[k][width]++
		x, y = append(x, slices.Concat(before(train, s), action(train, s))), append(y, after(train, s))
	}
	w, err := ridge(x, y, 1)
	if err != nil {
		return err
	}
	for i, s := range list {
		b, a := before(d, s), after(d, s)
		g.Model += distance(predicted[i], a)
		g.Identity += distance(b, a)
		moved := slices.Clone(b)
		if sum := delta[kindOf(action(d, s))]; sum != nil {
			for k := range moved {
				moved[k] += sum[k] / sum[width]
			}
		}
		normalise(moved)
		g.Delta += distance(moved, a)
		linear := make([]float32, width)
		for k, v := range append(slices.Concat(b, action(d, s)), 1) {
			for j, u := range w.RawRowView(k) {
				linear[j] += float32(float64(v) * u)
			}
		}
		normalise(linear)
		g.Linear += distance(linear, a)
	}
	g.Steps = len(list)
	n := float64(len(list))
	g.Model, g.Identity, g.Delta, g.Linear = g.Model/n, g.Identity/n, g.Delta/n, g.Linear/n
	return nil
}

// kindOf returns the kind of an action, as its vector says.
func kindOf(v []float32) int {
	for kind := range kinds {
		if v[kindSlot(kind)] == 1 {
			return kind
		}
	}
	panic("BUG: transition: an action of no kind")
}

// hits looks for the true next states among others.
func (g *diagnosing) hits(list []oneStep, predicted [][]float32) {
	const among = 64
	right, all := [len(kinds)]float64{}, [len(kinds)]float64{}
	for i, s := range list {
		true_ := s.sample.States[s.at+1]
		others := map[int32]bool{}
		samples := g.data.Groups[s.group].Samples
		rank := 1
		own := distance(predicted[i], g.data.Vectors[true_])
		for range 4 * among {
			o := &samples[g.rng.IntN(len(samples))]
			if len(others) == among-1 || s.at+1 >= len(o.States) {
				continue
			}
			if row := o.States[s.at+1]; row != true_ && !others[row] {
				others[row] = true
				if distance(predicted[i], g.data.Vectors[row]) <= own {
					rank++
				}
			}
		}
		k := kindOf(g.data.action(s.sample.Actions[s.at]))
		all[k]++
		if rank == 1 {
			right[k]++
			g.Hits++
		}
		g.MRR += 1 / float64(rank)
		g.Among += float64(len(others) + 1)
	}
	n := float64(len(list))
	g.Hits, g.MRR, g.Among, g.ByKind = g.Hits/n, g.MRR/n, g.Among/n, map[string]float64{}
	for k, n := range all {
		if n > 0 {
			g.ByKind[string(kinds[k])] = right[k] / n
		}
	}
}

// free lets trajectories run and compares their states on the way.
func (g *diagnosing) free() {
	var sums, forced, count []float64
	for range 200 {
		k := g.rng.IntN(len(g.data.Groups))
		samples := g.data.Groups[k].Samples
		s := &samples[g.rng.IntN(len(samples))]
		if len(s.States) <= len(s.Actions) || len(s.Actions) == 0 {
			continue
		}
		var rolled []picked
		var steps []oneStep
		for t := range s.Actions {
			rolled = append(rolled, picked{group: k, sample: &Sample{Actions: s.Actions[:t+1]}})
			steps = append(steps, oneStep{k, t, s})
		}
		all, one := g.seen(g.member.final(g.data, rolled)), g.oneStep(steps)
		for t := range s.Actions {
			if t == len(sums) {
				sums, forced, count = append(sums, 0), append(forced, 0), append(count, 0)
			}
			truth := g.data.Vectors[s.States[t+1]]
			sums[t] += distance(all[t], truth)
			forced[t] += distance(one[t], truth)
			count[t]++
		}
	}
	for t, n := range count {
		g.Free, g.Forced = append(g.Free, sums[t]/n), append(g.Forced, forced[t]/n)
	}
}

// order measures what the order of steps and the states of candidates are worth.
func (g *diagnosing) order() {
	var groups float64
	for k, group := range g.data.Groups {
		var list, mixed []*Sample
		for i := range group.Samples {
			s := &group.Samples[i]
			other := &Sample{Actions: slices.Clone(s.Actions)}
			g.rng.Shuffle(len(other.Actions),
				func(i, j int) { other.Actions[i], other.Actions[j] = other.Actions[j], other.Actions[i] })
			list, mixed = append(list, s), append(mixed, other)
		}
		values := g.model.Score(g.data, k, list)
		right, all := inOrder(values, list)
		if all == 0 {
			continue
		}
		groups++
		g.Pairs += right / all
		right, _ = inOrder(g.model.Score(g.data, k, mixed), list)
		g.Shuffled += right / all
		g.rng.Shuffle(len(values), func(i, j int) { values[i], values[j] = values[j], values[i] })
		right, _ = inOrder(values, list)
		g.Permuted += right / all
	}
	if groups > 0 {
		g.Pairs, g.Shuffled, g.Permuted = g.Pairs/groups, g.Shuffled/groups, g.Permuted/groups
	}
}

// inOrder counts pairs whose qualities differ, and those that values order right.
func inOrder(values []float64, list []*Sample) (right, all float64) {
	for i, a := range list {
		for j, b := range list {
			if a.Quality-b.Quality > MinGap {
				if all++; values[i] > values[j] {
					right++
				}
			}
		}
	}
	return right, all
}

// ridge fits y = W'[x; 1] by least squares with a penalty on W, and returns W by
// rows of x, the constant last.
func ridge(x, y [][]float32, penalty float64) (*mat.Dense, error) {
	n, k := len(x[0])+1, len(y[0])
	rows := func(yield func(row, told []float64) bool) {
		row, told := make([]float64, n), make([]float64, k)
		row[n-1] = 1
		for s := range x {
			for i, v := range x[s] {
				row[i] = float64(v)
			}
			for i, v := range y[s] {
				told[i] = float64(v)
			}
			if !yield(row, told) {
				return
			}
		}
	}
	w, err := nn.Ridge(rows, n, k, penalty)
	if err != nil {
		return nil, fmt.Errorf("transition: a linear map of states: %w", err)
	}
	return w, nil
}
