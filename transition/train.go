package transition

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/gob"
	"fmt"
	"hash/crc32"
	"math"
	"math/rand/v2"

	"github.com/wmtune/wmtune/nn"
	"github.com/wmtune/wmtune/nn/kernel"
)

// A Training is one that tells how far it is and can go on after it was killed.
type Training struct {
	Progress func(step, steps int, loss float64) // after each batch; may be nil

	Every int                           // batches between checkpoints
	Save  func(checkpoint []byte) error // may be nil
	From  []byte                        // the last checkpoint of the same training; nil: from the beginning
}

// A checkpoint is where a training is.
type checkpoint struct {
	Recipe  Recipe
	Seed    uint64
	Member  int    // that is being trained
	Step    int    // batches that it has learned from
	Random  []byte // state of the source
	Weights []byte // nn.Parameters.Snapshot
	Done    []byte // the members before, as a model; nil if there is none
}

// Train trains the networks of a recipe. Progress, which may be nil, is told after
// each batch. The same data, recipe and seed give the same model.
func Train(
	ctx context.Context, d *Data, r Recipe, seed uint64, progress func(step, steps int, loss float64),
) (*Model, error) {
	return (&Training{Progress: progress}).Run(ctx, d, r, seed)
}

// Run is Train. A training that goes on from a checkpoint ends with the same bytes as
// one that was never interrupted.
func (o *Training) Run(ctx context.Context, d *Data, r Recipe, seed uint64) (*Model, error) {
	if len(d.Groups) == 0 {
		return nil, fmt.Errorf("transition: no task to learn from")
	}
	m := &Model{Form: r.Form}
	var from checkpoint
	if o.From != nil {
		if err := from.decode(o.From); err != nil {
			return nil, err
		}
		if fmt.Sprint(from.Recipe, from.Seed) != fmt.Sprint(r, seed) {
			return nil, fmt.Errorf("transition: the checkpoint is of another recipe or seed: delete it")
		}
		if from.Done != nil {
			done, err := Load(from.Done)
			if err != nil {
				return nil, fmt.Errorf("transition: checkpoint: %w", err)
			}
			m.Members = done.Members
		}
	}
	for k := len(m.Members); k < max(r.Members, 1); k++ {
		t := &trainer{recipe: r, data: d, source: rand.NewPCG(seed, uint64(5+k))}
		member, err := o.member(ctx, t, m, &from, checkpoint{Recipe: r, Seed: seed, Member: k})
		if err != nil {
			return nil, err
		}
		m.Members = append(m.Members, member)
	}
	return m, nil
}

// member trains the network of c, from where a checkpoint says if that is of it.
func (o *Training) member(
	ctx context.Context, t *trainer, before *Model, from *checkpoint, c checkpoint,
) (*Member, error) {
	t.rng = rand.New(t.source)
	t.measure()
	if err := t.build(c.Seed + uint64(c.Member)<<32); err != nil {
		return nil, err
	}
	defer t.net.Close() //nolint:errcheck // it holds memory only
	if from.Weights != nil && from.Member == c.Member {
		if err := t.restore(from); err != nil {
			return nil, err
		}
		c.Step = from.Step
	}
	for step := c.Step; step < c.Recipe.Steps; step++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := t.step(step); err != nil {
			return nil, err
		}
		if o.Progress != nil {
			o.Progress(c.Member*c.Recipe.Steps+step+1, max(c.Recipe.Members, 1)*c.Recipe.Steps, t.loss)
		}
		if o.Save == nil || o.Every <= 0 || (step+1)%o.Every != 0 {
			continue
		}
		c.Step = step + 1
		data, err := c.encode(t, before)
		if err != nil {
			return nil, err
		}
		if err := o.Save(data); err != nil {
			return nil, err
		}
	}
	return t.member(), nil
}

func (c checkpoint) encode(t *trainer, before *Model) ([]byte, error) {
	var err error
	if c.Random, err = t.source.MarshalBinary(); err != nil {
		return nil, err
	}
	c.Weights = t.net.Parameters().Snapshot()
	if len(before.Members) > 0 {
		if c.Done, err = before.Bytes(); err != nil {
			return nil, err
		}
	}
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(c); err != nil {
		return nil, err
	}
	return binary.LittleEndian.AppendUint32(b.Bytes(), crc32.ChecksumIEEE(b.Bytes())), nil
}

func (c *checkpoint) decode(data []byte) error {
	n := len(data) - 4
	if n < 0 || crc32.ChecksumIEEE(data[:n]) != binary.LittleEndian.Uint32(data[n:]) {
		return fmt.Errorf("transition: the checkpoint is damaged (%d bytes): delete it", len(data))
	}
	if err := gob.NewDecoder(bytes.NewReader(data[:n])).Decode(c); err != nil {
		return fmt.Errorf("transition: checkpoint: %w", err)
	}
	return nil
}

func (t *trainer) restore(c *checkpoint) error {
	if err := t.source.UnmarshalBinary(c.Random); err != nil {
		return fmt.Errorf("transition: checkpoint: %w", err)
	}
	return t.net.Parameters().Restore(c.Weights)
}

// Data is what networks learn from: trajectories of tasks.
type Data struct {
	Actions []float32   // vectors, Size numbers each
	Vectors [][]float32 // of states, from the encoder; nil without one
	Groups  []Group
}

// A Group is the trajectories of a task.
type Group struct {
	Start   []float32 // Start's numbers of the task
	Samples []Sample
}

// A Sample is one trajectory.
type Sample struct {
	Actions []int32   // rows of Data.Actions
	States  []int32   // rows of Data.Vectors, one more than actions; nil if not known
	Partial int       // actions up to the partial state (Partial); 0: not known
	Quality float64   // the task's best cost over its own; 0 if it failed
	Last    []float32 // facts about the last state; nil if not known
}

// action returns the vector of a row.
func (d *Data) action(row int32) []float32 { return d.Actions[int(row)*Size:][:Size] }

// A Recipe says what network is trained and how.
type Recipe struct {
	Form   Form
	Embed  int   // width of an action inside the network
	Latent int   // of a state
	Hidden int   // of the residual network of a step
	Head   []int // widths of the hidden layers of the value head

	// Weights of the parts of what is minimised; 0 leaves one out.
	Rank   float64 // logistic loss of pairs of a task whose qualities differ by more than MinGap
	Facts  float64 // Huber loss of a linear decoder of facts about last states
	Match  float64 // 1 - cosine between a linear map of states and the encoder's vectors
	Plan   float64 // the same loss as Rank, of partial states: what may become of them
	Margin float64 // by how much the hardest negative must be farther than the true vector, if Match

	Windows float64 // share of trajectories that begin on the way, if Match: they teach steps, not ranks

	Tasks, PerTask int // a batch is so many trajectories of so many tasks
	Probes         int // states on the way of a trajectory that Match sees, beside the last
	Steps          int // batches
	Rate, Decay    float64
	Drop           float64
	// how often a number of the encoder's vector is left out: a task has one vector, which is easily learned by heart
	Blind   float64
	Members int // networks with seeds of their own, whose values are averaged
}

// MinGap is by how much qualities differ that are worth telling apart.
const MinGap = 0.02

// Default is the recipe of the shipped models (learned-models note, B.8).
func Default() Recipe {
	return Recipe{
		Form: Free, Embed: 128, Latent: 128, Hidden: 256, Head: []int{128, 128},
		Rank: 1, Facts: 0.5, Plan: 0.3, Tasks: 8, PerTask: 64, Steps: 400,
		Rate: 2e-3, Decay: 0.02, Drop: 0.1, Blind: 0.8, Members: 1,
	}
}

// probes is how many states on the way of a trajectory are looked at.
func (r *Recipe) probes() int {
	if r.Plan > 0 {
		return r.Probes + 1
	}
	return r.Probes
}

// An objective is what is minimised: of the scores, decoded facts and mapped states
// of the rows that a rollout returns.
type objective struct {
	recipe  *Recipe
	factors int // facts of a state

	quality []float64
	task    []int // by trajectory
	facts   [][]float32
	states  []matching
	partial []int // rows of the partial states of trajectories; nil: they are not learned
}

// A matching is the encoder's vector of a row, and others that it must not be
// mistaken for.
type matching struct {
	want []float32 // nil: not known
	not  [][]float32
}

// loss returns the loss, and sets the derivatives by its inputs: scores first, then
// those of facts and states that the recipe has.
func (o *objective) loss(in [][]float32, by [][]float32) float64 {
	for _, g := range by {
		clear(g)
	}
	at := 0
	next := func() (values, grad []float32) {
		values, at = in[at], at+1
		if by == nil {
			return values, make([]float32, len(values))
		}
		return values, by[at-1]
	}
	sum, n := 0.0, len(o.quality)
	if values, grad := next(); o.recipe.Rank > 0 {
		sum += pairs(values[:n], o.quality, o.task, grad[:n], o.recipe.Rank)
		sum += o.plan(values, grad)
	}
	if o.recipe.Facts > 0 {
		values, grad := next()
		sum += o.huber(values, grad)
	}
	if o.recipe.Match > 0 {
		values, grad := next()
		sum += o.match(values, grad)
	}
	return sum
}

// pairs is nn.PairLoss of qualities that differ by more than MinGap, the mean over pairs,
// times a weight.
func pairs(s []float32, quality []float64, task []int, grad []float32, weight float64) float64 {
	sum, n := nn.PairLoss(s, quality, task, MinGap, grad)
	count := float64(max(n, 1))
	for i := range grad {
		grad[i] *= float32(weight / count)
	}
	return weight * sum / count
}

// plan is the loss of pairs of partial states. What a trajectory came to is a sample of
// what its partial state may become, so that over many of them values tell how fast
// programs behind a state tend to be.
func (o *objective) plan(values, grad []float32) float64 {
	if len(o.partial) == 0 {
		return 0
	}
	s, g := make([]float32, len(o.partial)), make([]float32, len(o.partial))
	quality, task := make([]float64, len(o.partial)), make([]int, len(o.partial))
	for i, row := range o.partial {
		k := row % len(o.quality) // one probe of each trajectory, in order
		s[i], quality[i], task[i] = values[row], o.quality[k], o.task[k]
	}
	sum := pairs(s, quality, task, g, o.recipe.Plan)
	for i, row := range o.partial {
		grad[row] += g[i]
	}
	return sum
}

// huber is the mean Huber loss of decoded facts.
func (o *objective) huber(got, grad []float32) float64 {
	rows := 0
	for _, f := range o.facts {
		if f != nil {
			rows++
		}
	}
	if rows == 0 {
		return 0
	}
	scale := o.recipe.Facts / float64(rows*o.factors)
	sum := 0.0
	for r, want := range o.facts {
		for k, w := range want {
			d := float64(got[r*o.factors+k] - w)
			a := math.Abs(d)
			if a <= 1 {
				sum += d * d / 2
			} else {
				sum += a - 0.5
				d /= a
			}
			grad[r*o.factors+k] = float32(scale * d)
		}
	}
	return scale * sum
}

// match is the mean of 1 - cosine to the true vector, and of what is missing to the
// margin over the hardest of the others.
func (o *objective) match(got, grad []float32) float64 {
	rows := 0
	for _, m := range o.states {
		if m.want != nil {
			rows++
		}
	}
	if rows == 0 {
		return 0
	}
	scale := o.recipe.Match / float64(rows)
	sum := 0.0
	for r, m := range o.states {
		if m.want == nil {
			continue
		}
		v, g := got[r*len(m.want):][:len(m.want)], grad[r*len(m.want):][:len(m.want)]
		length := math.Sqrt(float64(kernel.Dot(v, v)) + 1e-12)
		cosine := func(w []float32) float64 { return float64(kernel.Dot(v, w)) / length }
		c := cosine(m.want)
		sum += 1 - c
		toward(g, v, m.want, c, length, -scale)
		if o.recipe.Margin == 0 {
			continue
		}
		hardest, worst := -1, -1.0
		for k, w := range m.not {
			if x := cosine(w); x > worst {
				hardest, worst = k, x
			}
		}
		if missing := o.recipe.Margin - c + worst; hardest >= 0 && missing > 0 {
			sum += missing / 2
			toward(g, v, m.want, c, length, -scale/2)
			toward(g, v, m.not[hardest], worst, length, scale/2)
		}
	}
	return scale * sum
}

// toward adds scale times the derivative of the cosine of v and the unit vector w,
// which is c, by v.
func toward(grad, v, w []float32, c, length, scale float64) {
	for k := range v {
		grad[k] += float32(scale * (float64(w[k]) - c*float64(v[k])/length) / length)
	}
}
