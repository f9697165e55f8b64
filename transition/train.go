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
	Step    int    // batches that it has learned from
	Random  []byte // state of the source
	Weights []byte // nn.Parameters.Snapshot
}

// Run trains the network of a recipe. The same data, recipe and seed give the same model: a training that goes on from
// a checkpoint ends with the same bytes as one that was never interrupted.
func (o *Training) Run(ctx context.Context, d *Data, r Recipe, seed uint64) (*Model, error) {
	if len(d.Groups) == 0 {
		return nil, fmt.Errorf("transition: no task to learn from")
	}
	t := &trainer{recipe: r, data: d, source: rand.NewPCG(seed, 5)}
	t.rng = rand.New(t.source)
	t.measure()
	if err := t.build(seed); err != nil {
		return nil, err
	}
	defer t.net.Close() //nolint:errcheck // it holds memory only
	c := checkpoint{Recipe: r, Seed: seed}
	if o.From != nil {
		if err := t.restore(o.From, &c); err != nil {
			return nil, err
		}
	}
	for c.Step < r.Steps {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := t.step(c.Step); err != nil {
			return nil, err
		}
		c.Step++
		if o.Progress != nil {
			o.Progress(c.Step, r.Steps, t.loss)
		}
		if o.Save == nil || o.Every <= 0 || c.Step%o.Every != 0 {
			continue
		}
		data, err := t.checkpoint(c)
		if err != nil {
			return nil, err
		}
		if err := o.Save(data); err != nil {
			return nil, err
		}
	}
	return t.model(), nil
}

// checkpoint encodes where a training is.
func (t *trainer) checkpoint(c checkpoint) ([]byte, error) {
	var err error
	if c.Random, err = t.source.MarshalBinary(); err != nil {
		return nil, err
	}
	c.Weights = t.net.Parameters().Snapshot()
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(c); err != nil {
		return nil, err
	}
	return binary.LittleEndian.AppendUint32(b.Bytes(), crc32.ChecksumIEEE(b.Bytes())), nil
}

// restore goes on from the checkpoint of a training like c, whose step it sets.
func (t *trainer) restore(data []byte, c *checkpoint) error {
	n := len(data) - 4
	if n < 0 || crc32.ChecksumIEEE(data[:n]) != binary.LittleEndian.Uint32(data[n:]) {
		return fmt.Errorf("transition: the checkpoint is damaged (%d bytes): delete it", len(data))
	}
	var from checkpoint
	if err := gob.NewDecoder(bytes.NewReader(data[:n])).Decode(&from); err != nil {
		return fmt.Errorf("transition: checkpoint: %w", err)
	}
	if fmt.Sprint(from.Recipe, from.Seed) != fmt.Sprint(c.Recipe, c.Seed) {
		return fmt.Errorf("transition: the checkpoint is of another recipe or seed: delete it")
	}
	if err := t.source.UnmarshalBinary(from.Random); err != nil {
		return fmt.Errorf("transition: checkpoint: %w", err)
	}
	c.Step = from.Step
	return t.net.Parameters().Restore(from.Weights)
}

// Data is what networks learn from: trajectories of tasks.
type Data struct {
	Actions []float32 // vectors, Size numbers each
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
	Partial int       // actions up to the partial state (Partial); 0: not known
	Quality float64   // the task's best cost over its own; 0 if it failed
	Last    []float32 // facts about the last state; nil if not known
}

// action returns the vector of a row.
func (d *Data) action(row int32) []float32 { return d.Actions[int(row)*Size:][:Size] }

// A Recipe says what network is trained and how.
type Recipe struct {
	Embed  int   // width of an action inside the network
	Latent int   // of a state
	Hidden int   // of the residual network of a step
	Head   []int // widths of the hidden layers of the value head

	// Weights of the parts of what is minimised; 0 leaves one out.
	Rank  float64 // logistic loss of pairs of a task whose qualities differ by more than MinGap
	Facts float64 // Huber loss of a linear decoder of facts about last states
	Plan  float64 // the same loss as Rank, of partial states: what may become of them

	Tasks, PerTask int // a batch is so many trajectories of so many tasks
	Steps          int // batches
	Rate, Decay    float64
	Drop           float64
	// how often a number of the encoder's vector is left out: a task has one vector, which is easily learned by heart
	Blind float64
}

// MinGap is by how much qualities differ that are worth telling apart.
const MinGap = 0.02

// Default is the recipe of the shipped models.
func Default() Recipe {
	return Recipe{
		Embed: 128, Latent: 128, Hidden: 256, Head: []int{128, 128},
		Rank: 1, Facts: 0.5, Plan: 0.3, Tasks: 8, PerTask: 64, Steps: 400,
		Rate: 2e-3, Decay: 0.02, Drop: 0.1, Blind: 0.8,
	}
}

// An objective is what is minimised: of the scores and decoded facts of the rows that a rollout returns.
type objective struct {
	recipe  *Recipe
	factors int // facts of a state

	quality []float64
	task    []int // by trajectory
	facts   [][]float32
	partial []int // rows of the partial states of trajectories; nil: they are not learned
}

// loss returns the loss, and sets the derivatives by its inputs: scores first, then
// those of facts if the recipe has them.
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
