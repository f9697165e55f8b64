package transition

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/op"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
	"github.com/wmtune/wmtune/tir/tirtest"
)

// untrained returns a model with random weights.
func untrained() *Model {
	return untrainedOf(sizes{start: StartSize, embed: 24, latent: 20, hidden: 40})
}

func untrainedOf(of sizes) *Model {
	rng := rand.New(rand.NewPCG(4, 0))
	m := &Model{sizes: of}
	for i, s := range rolloutShapes(of) {
		m.rollout[i] = uniform(rng, s.rows*s.cols)
		for j := range m.rollout[i] {
			m.rollout[i][j] *= 0.2
		}
	}
	m.head = []layer{{uniform(rng, of.latent*16), uniform(rng, 16)}, {uniform(rng, 16), uniform(rng, 1)}}
	return m
}

// population is random candidates of one DAG, many of which begin alike.
func population(t testing.TB, seed uint64, n int) (*compute.DAG, []*schedule.State) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 8))
	_, d := tirtest.RandomDAG(rng)
	var list []*schedule.State
	for len(list) < n {
		steps := tirtest.RandomSteps(rng, d, 14)
		for cut := len(steps); cut >= 0; cut -= 1 + rng.IntN(5) {
			s, err := schedule.Replay(d, steps[:cut])
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, s)
		}
	}
	rng.Shuffle(len(list), func(i, k int) { list[i], list[k] = list[k], list[i] })
	return d, list[:n]
}

// rolledOut returns what a roller says of states.
func rolledOut(t testing.TB, m *Model, r *Roller, states []*schedule.State) ([][]float32, []float32) {
	t.Helper()
	latents, values := make([][]float32, len(states)), make([]float32, len(states))
	for i := range latents {
		latents[i] = make([]float32, m.LatentSize())
	}
	for i, err := range r.Roll(states, latents, values) {
		if err != nil {
			t.Fatalf("candidate %d: %v", i, err)
		}
	}
	return latents, values
}

func near(a, b []float32, within float64) bool {
	return slices.EqualFunc(a, b, func(x, y float32) bool {
		return float64(x-y) < within && float64(y-x) < within
	})
}

// A roller says of candidates what the network that is trained says, in whatever
// order, company, number of goroutines and number of calls.
func TestRoller(t *testing.T) {
	for seed := range uint64(8) {
		d, states := population(t, seed, 150)
		m := untrained()
		start := Start(nil, d, target.Generic(32, 2))
		data := &Data{Groups: []Group{{Start: start}}}
		for _, s := range states {
			v, err := Vectors(d, s.Steps)
			if err != nil {
				t.Fatal(err)
			}
			sample := Sample{}
			for k := range s.Steps {
				sample.Actions = append(sample.Actions, int32(len(data.Actions)/Size+k))
			}
			data.Actions = append(data.Actions, v...)
			data.Groups[0].Samples = append(data.Groups[0].Samples, sample)
		}
		samples := pointers(data.Groups[0].Samples)
		want, scores := m.final(data, 0, samples), m.Score(data, 0, samples)

		latents, values := rolledOut(t, m, m.NewRoller(start, d), states)
		for i := range states {
			if !near(latents[i], want[i*20:][:20], 1e-4) || !near(values[i:i+1], []float32{float32(scores[i])}, 1e-4) {
				t.Fatalf("seed %d: candidate %d is %v with value %v, the network says %v and %v",
					seed, i, latents[i], values[i], want[i*20:][:20], scores[i])
			}
		}
		other := m.NewRoller(start, d)
		other.Workers = 1 + int(seed%3)
		for at := len(states); at > 0; {
			from := max(0, at-37)
			part, v := rolledOut(t, m, other, states[from:at])
			if !slices.Equal(v, values[from:at]) || !slices.EqualFunc(part, latents[from:at], slices.Equal) {
				t.Fatalf("seed %d: other company, other results", seed)
			}
			at = from
		}
	}
}

// A weight of one row is a weight: a model of width 1 is read and rolled out.
func TestRollerNarrow(t *testing.T) {
	d, states := population(t, 1, 20)
	start := Start(nil, d, target.Generic(32, 2))
	for i, of := range []sizes{{embed: 1, latent: 4, hidden: 4}, {embed: 4, latent: 1, hidden: 4},
		{embed: 4, latent: 4, hidden: 1}} {
		of.start = StartSize
		m := untrainedOf(of)
		_, want := rolledOut(t, m, m.NewRoller(start, d), states)
		read, err := Load(written(t, m))
		if err != nil {
			t.Fatal(err)
		}
		if _, got := rolledOut(t, read, read.NewRoller(start, d), states); !slices.Equal(got, want) || want[0] == want[7] {
			t.Errorf("%d: values %v, want %v", i, got, want)
		}
	}
}

// A candidate that cannot be replayed has an error, and others do not suffer.
func TestRollerErrors(t *testing.T) {
	d, states := population(t, 3, 40)
	m := untrained()
	start := Start(nil, d, target.Generic(32, 2))
	_, want := rolledOut(t, m, m.NewRoller(start, d), states)
	bad := *states[7]
	bad.Steps = append(slices.Clip(bad.Steps), schedule.Annotate{At: 99})
	mixed := append([]*schedule.State{&bad}, states...)
	values := make([]float32, len(mixed))
	errs := m.NewRoller(start, d).Roll(mixed, nil, values)
	if errs[0] == nil || !slices.Equal(values[1:], want) {
		t.Errorf("error %v, values %v, want %v", errs[0], values[1:], want)
	}
}

// A path resolves steps as Resolve does.
func TestPath(t *testing.T) {
	reused := 0
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 5))
		_, d := tirtest.RandomDAG(rng)
		steps := tirtest.RandomSteps(rng, d, 16)
		if seed%3 == 0 {
			steps = tirtest.RandomGPUSteps(rng, d, 16)
		}
		got, err := Vectors(d, steps)
		if err != nil {
			t.Fatal(err)
		}
		p := NewPath(d)
		want := make([]float32, Size)
		for k, step := range steps {
			if p.bound != nil {
				reused++
			}
			a := Resolve(p.State, step)
			a.Vector(want)
			if !slices.Equal(got[k*Size:][:Size], want) {
				t.Fatalf("seed %d: step %d, %s: %v, want %v", seed, k, step, got[k*Size:][:Size], want)
			}
			next, err := p.Apply(step)
			if err != nil {
				t.Fatal(err)
			}
			p.Resolve(step)
			next.inherit(&p, step)
			p = next
		}
	}
	if reused < 20 {
		t.Errorf("bounds were used again for %d steps", reused)
	}
}

// A convolution is the choices of a sketch of paper22/r50-t3.
type convolution struct {
	tiles  [7][]int64 // lengths: batch, height, width, channels; the three reduce axes
	unroll int
}

var convolutionAxes = [7]int64{1, 56, 56, 64, 3, 3, 64}

func (c *convolution) text() string {
	first := []int{0, 4, 8, 12, 16, 18, 20}
	text := `[["CI",5]`
	for k, lengths := range c.tiles {
		text += fmt.Sprintf(`,["SP",3,%d,%d,[%s],1]`, first[k], convolutionAxes[k], numbers(lengths))
	}
	text += `,["RE",3,[0,4,8,12,1,5,9,13,16,18,20,2,6,10,14,17,19,21,3,7,11,15]],["FSP",6,0,1,2],["FSP",6,3,2,2],` +
		`["FSP",6,6,3,2],["FSP",6,9,4,2],` +
		`["RE",6,[0,3,6,9,1,4,7,10,2,5,8,11]],["CA",3,6,7],["CI",1],["FU",6,[0,1,2,3,4,5]],["AN",6,0,3],` +
		fmt.Sprintf(`["PR",3,0,"auto_unroll_max_step$%d"],["AN",3,21,2],["AN",6,6,2]]`, c.unroll)
	return text
}

func numbers(list []int64) string {
	text := ""
	for i, n := range list {
		if i > 0 {
			text += ","
		}
		text += fmt.Sprint(n)
	}
	return text
}

// choose draws the lengths of one axis.
func (c *convolution) choose(rng *rand.Rand, axis int) {
	n := 3
	if axis > 3 {
		n = 1
	}
	rest := convolutionAxes[axis]
	list := make([]int64, n)
	for k := range list {
		var divisors []int64
		for d := int64(1); d <= rest; d++ {
			if rest%d == 0 {
				divisors = append(divisors, d)
			}
		}
		list[k] = divisors[rng.IntN(len(divisors))]
		rest /= list[k]
	}
	c.tiles[axis] = list
}

// round returns the populations that one round of an evolution scores: random ones
// first, then mutants of those.
func round(t testing.TB, populations, size int) (*compute.DAG, [][]*schedule.State) {
	t.Helper()
	w, err := op.Parse("paper22/r50-t3")
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	now := make([]convolution, size)
	for i := range now {
		for axis := range now[i].tiles {
			now[i].choose(rng, axis)
		}
		now[i].unroll = []int{0, 16, 64, 512}[rng.IntN(4)]
	}
	var list [][]*schedule.State
	for range populations {
		var states []*schedule.State
		for i := range now {
			steps, err := schedule.ParseSteps([]byte(now[i].text()))
			if err != nil {
				t.Fatal(err)
			}
			s, err := schedule.Replay(w.DAG, steps)
			if err != nil {
				t.Fatal(err)
			}
			states = append(states, s)
		}
		list = append(list, states)
		next := make([]convolution, size)
		for i := range next {
			next[i] = now[rng.IntN(1+rng.IntN(size))] // some have more children than others
			if axis := rng.IntN(9); axis < 7 {
				next[i].choose(rng, axis)
			} else {
				next[i].unroll = []int{0, 16, 64, 512}[rng.IntN(4)]
			}
		}
		now = next
	}
	return w.DAG, list
}

// shipped returns a model of the size of the shipped ones.
func shipped() *Model {
	r := Default()
	m := untrainedOf(sizes{start: StartSize, embed: r.Embed, latent: r.Latent, hidden: r.Hidden})
	rng := rand.New(rand.NewPCG(4, 4))
	m.head = nil
	width := r.Latent
	for _, n := range append(slices.Clone(r.Head), 1) {
		m.head = append(m.head, layer{uniform(rng, width*n), uniform(rng, n)})
		width = n
	}
	return m
}

// BenchmarkRoll rolls a round out: 4 populations of 2,048, with replay and action
// vectors.
func BenchmarkRoll(b *testing.B) {
	d, list := round(b, 4, 2048)
	m := shipped()
	start := Start(nil, d, target.Generic(32, 2))
	values := make([]float32, 2048)
	for b.Loop() {
		r := m.NewRoller(start, d)
		for _, states := range list {
			for _, err := range r.Roll(states, nil, values) {
				if err != nil {
					b.Fatal(err)
				}
			}
		}
	}
	b.ReportMetric(4*2048*float64(b.N)/b.Elapsed().Seconds(), "candidates/s")
}
