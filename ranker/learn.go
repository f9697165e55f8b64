package ranker

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/wmtune/wmtune/nn"
)

// Learning says how a network is trained: batches of so many tasks with so many
// candidates of each, pairwise loss, AdamW whose rate falls to 0 along a cosine.
type Learning struct {
	Widths     []int // of the hidden layers
	Steps      int
	Tasks      int // of a batch
	Candidates int // of each
	Rate       float64
	Decay      float64
	Clip       float64
	Dropout    float64 // share of the hidden values that a step forgets
}

// learn trains a network on what it sees of tasks. Progress, which may be nil, is called after each
// step.
func learn(ctx context.Context, tasks []Task, l Learning, sees sight, seed uint64, progress func(step int, loss float64)) (*network, error) {
	n := &network{}
	n.scale(tasks)
	n.hide(sees)
	batch := l.Tasks * l.Candidates
	g := nn.New(seed)
	x, input := g.Input(batch, len(n.shift))
	noise := &nn.Noise{Share: l.Dropout}
	for _, width := range l.Widths {
		x = g.Dropout(g.ReLU(g.Linear(x, width)), noise)
	}
	out := g.Linear(x, 1)
	quality, of := make([]float64, batch), make([]int, batch)
	loss := 0.0
	if err := g.Finish(out, g.Loss(out, func(s, derivative []float32) float64 {
		loss = PairLoss(s, quality, of, derivative)
		return loss
	})); err != nil {
		return nil, err
	}
	defer g.Close() //nolint:errcheck // it holds memory only
	rng := rand.New(rand.NewPCG(seed, 5))
	for step := range l.Steps {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		noise.Seed = rng.Uint64()
		n.draw(tasks, rng, min(l.Tasks, len(tasks)), input, quality, of)
		if _, err := g.Run(); err != nil {
			return nil, err
		}
		rate := l.Rate * (1 + math.Cos(math.Pi*float64(step)/float64(l.Steps))) / 2
		g.Step(nn.Adam{Rate: rate, Decay: l.Decay, Clip: l.Clip})
		if progress != nil {
			progress(step+1, loss)
		}
	}
	list := g.Parameters().List() // weight and bias of each layer
	for k := 0; k+1 < len(list); k += 2 {
		w, b := list[k], list[k+1]
		n.layers = append(n.layers, layer{in: w.Rows, out: w.Cols, weight: w.Value, bias: b.Value})
	}
	return n, n.ready()
}

// scale takes the mean off columns and divides them by their standard deviation; a
// column that never changes becomes 0.
func (n *network) scale(tasks []Task) {
	sum, squares, count := make([]float64, Columns), make([]float64, Columns), 0.0
	for _, t := range tasks {
		for _, row := range t.Features {
			for k, v := range row {
				sum[k] += float64(v)
				squares[k] += float64(v) * float64(v)
			}
			count++
		}
	}
	n.shift, n.factor = make([]float32, Columns), make([]float32, Columns)
	for k := range Columns {
		mean := sum[k] / count
		n.shift[k] = float32(mean)
		if deviation := math.Sqrt(max(squares[k]/count-mean*mean, 0)); deviation > 1e-4 {
			n.factor[k] = float32(1 / deviation)
		}
	}
}

// draw fills a batch with candidates of some tasks. Faster ones are drawn more
// often, as they are rarer and matter more.
func (n *network) draw(tasks []Task, rng *rand.Rand, some int, input []float32, quality []float64, of []int) {
	chosen := rng.Perm(len(tasks))[:some]
	for i := range of {
		t := &tasks[chosen[i%some]]
		k := rng.IntN(len(t.Quality))
		for (0.3+t.Quality[k])/1.3 < rng.Float64() {
			k = rng.IntN(len(t.Quality))
		}
		row := input[i*len(n.shift):][:len(n.shift)]
		for c, v := range t.Features[k] {
			row[c] = (v - n.shift[c]) * n.factor[c]
		}
		quality[i], of[i] = t.Quality[k], chosen[i%some]
	}
}
