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
)

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
	text += `,["RE",3,[0,4,8,12,1,5,9,13,16,18,20,2,6,10,14,17,19,21,3,7,11,15]],["FSP",6,0,1,2],["FSP",6,3,2,2],["FSP",6,6,3,2],["FSP",6,9,4,2],` +
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
func shipped(members int) *Model {
	rng := rand.New(rand.NewPCG(4, 4))
	r := Default()
	m := &Model{Form: r.Form}
	for range members {
		k := &Member{sizes: sizes{start: StartSize, embed: r.Embed, latent: r.Latent, hidden: r.Hidden}, form: r.Form}
		for i, s := range rolloutShapes(k.sizes) {
			k.rollout[i] = uniform(rng, s.rows*s.cols)
			for j := range k.rollout[i] {
				k.rollout[i][j] *= 0.1
			}
		}
		width := r.Latent
		for _, n := range append(slices.Clone(r.Head), 1) {
			k.head = append(k.head, layer{uniform(rng, width*n), uniform(rng, n)})
			width = n
		}
		m.Members = append(m.Members, k)
	}
	return m
}

// BenchmarkRoll rolls a round out: 4 populations of 2,048, with replay and action
// vectors.
func BenchmarkRoll(b *testing.B) {
	d, list := round(b, 4, 2048)
	for _, members := range []int{1, 2} {
		b.Run(fmt.Sprintf("%d networks", members), func(b *testing.B) {
			m := shipped(members)
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
		})
	}
}
