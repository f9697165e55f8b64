package eval

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/wmtune/wmtune/nn"
)

// A recipe is a network over the rows of a candidate and how it is trained.
type recipe struct {
	columns int
	rows    func(s *Sample) []float32 // one row after the other; one at least
	scale   func(samples []*Sample, rows func(*Sample) []float32, columns int) affine

	batchRows, batchSize int // the most rows and candidates of a batch
	tasks                int // candidates of so many tasks make a batch; 0: of all
	steps                int
	adam                 nn.Adam // the rate falls to 0 along a cosine
	loss                 loss
	layers               func(n *nn.Network, x nn.Value, s *nn.Segments, most int) nn.Value
}

// neural is the scorer of a recipe.
type neural struct {
	recipe
	seed  uint64
	scale affine

	net      *nn.Network
	input    []float32
	segments *nn.Segments
	quality  []float64
	task     []int // of the candidates of the batch; -1: there is none
	learning bool
}

// An affine brings the columns of rows to one scale: (v - shift) * factor.
type affine struct{ shift, factor []float32 }

// byMost divides columns by their largest value in training.
func byMost(samples []*Sample, rows func(*Sample) []float32, columns int) affine {
	a := affine{make([]float32, columns), make([]float32, columns)}
	for _, s := range samples {
		for i, v := range rows(s) {
			a.factor[i%columns] = max(a.factor[i%columns], v, -v)
		}
	}
	for k, most := range a.factor {
		if most > 0 {
			a.factor[k] = 1 / most
		}
	}
	return a
}

// byDeviation takes the mean in training off columns and divides them by their
// standard deviation.
func byDeviation(samples []*Sample, rows func(*Sample) []float32, columns int) affine {
	a := affine{make([]float32, columns), make([]float32, columns)}
	sum, squares, n := make([]float64, columns), make([]float64, columns), 0.0
	for _, s := range samples {
		for i, v := range rows(s) {
			sum[i%columns] += float64(v)
			squares[i%columns] += float64(v) * float64(v)
		}
		n++
	}
	for k := range columns {
		mean := sum[k] / n
		a.shift[k] = float32(mean)
		if deviation := math.Sqrt(max(squares[k]/n-mean*mean, 0)); deviation > 1e-4 {
			a.factor[k] = float32(1 / deviation)
		}
	}
	return a
}

// asIs changes nothing.
func asIs(_ []*Sample, _ func(*Sample) []float32, columns int) affine {
	a := affine{make([]float32, columns), make([]float32, columns)}
	for k := range a.factor {
		a.factor[k] = 1
	}
	return a
}

// A candidate is a sample to learn from or to score.
type candidate struct {
	sample  *Sample
	quality float64
	task    int
}

func (n *neural) Train(groups []Group) error {
	var samples []*Sample
	for _, g := range groups {
		samples = append(samples, g.Samples...)
	}
	n.scale = n.recipe.scale(samples, n.rows, n.columns)
	if err := n.build(); err != nil {
		return err
	}
	n.learning = true
	rng := rand.New(rand.NewPCG(n.seed, 5))
	adam := n.adam
	for step := range n.steps {
		n.fill(n.draw(groups, rng))
		if _, err := n.net.Run(); err != nil {
			return err
		}
		adam.Rate = n.adam.Rate * (1 + math.Cos(math.Pi*float64(step)/float64(n.steps))) / 2
		n.net.Step(adam)
	}
	n.learning = false
	return nil
}

// build makes the network.
func (n *neural) build() error {
	n.net = nn.New(n.seed)
	x, input := n.net.Input(n.batchRows, n.columns)
	n.input, n.segments = input, &nn.Segments{}
	n.quality, n.task = make([]float64, n.batchSize), make([]int, n.batchSize)
	out := n.layers(n.net, x, n.segments, n.batchSize)
	return n.net.Finish(out, n.net.Loss(out, func(s, derivative []float32) float64 {
		if !n.learning {
			return 0
		}
		return n.loss(s, n.quality, n.task, derivative)
	}))
}

// draw returns candidates for a batch: as many as possible of each of some tasks, or
// of all tasks alike. Faster ones are drawn more often, as they are rarer and
// matter more.
func (n *neural) draw(groups []Group, rng *rand.Rand) []candidate {
	tasks := rng.Perm(len(groups))
	if n.tasks > 0 {
		tasks = tasks[:min(n.tasks, len(tasks))]
	}
	list := make([]candidate, n.batchSize)
	for i := range list {
		t := tasks[i%len(tasks)]
		g := groups[t]
		k := rng.IntN(len(g.Samples))
		for (0.3+g.Quality[k])/1.3 < rng.Float64() {
			k = rng.IntN(len(g.Samples))
		}
		list[i] = candidate{g.Samples[k], g.Quality[k], t}
	}
	return list
}

// fill makes candidates the batch, as many as fit, and returns how many do.
func (n *neural) fill(list []candidate) int {
	clear(n.input)
	n.segments.Ends = n.segments.Ends[:0]
	at := 0
	for i := range n.task {
		n.task[i] = -1
	}
	for i, c := range list {
		rows := n.rows(c.sample)
		if i == n.batchSize || at+len(rows) > len(n.input) {
			return i
		}
		for k, v := range rows {
			column := k % n.columns
			n.input[at+k] = (v - n.scale.shift[column]) * n.scale.factor[column]
		}
		at += len(rows)
		n.segments.Ends = append(n.segments.Ends, at/n.columns)
		n.quality[i], n.task[i] = c.quality, c.task
	}
	return len(list)
}

func (n *neural) Score(g Group) ([]float64, error) {
	var list []candidate
	for _, s := range g.Samples {
		list = append(list, candidate{sample: s})
	}
	var out []float64
	for len(list) > 0 {
		count := n.fill(list)
		if count == 0 {
			return nil, fmt.Errorf("a candidate of %d rows is more than fits into %d", len(n.rows(list[0].sample))/n.columns, n.batchRows)
		}
		s, err := n.net.Run()
		if err != nil {
			return nil, err
		}
		for _, v := range s[:count] {
			out = append(out, float64(v))
		}
		list = list[count:]
	}
	return out, nil
}
