package treegru

import (
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/wmtune/wmtune/nn"
	"github.com/wmtune/wmtune/ranker/lesson"
	"github.com/wmtune/wmtune/ranker/touch"
)

const (
	width = 128 // of the state of a loop, of its features, and of the layer after the slots
	slots = 8   // of memory

	batch     = 16    // programs
	lessons   = 10000 // programs that a training in a search sees, one after the other
	mostSeen  = 200   // times that it sees each program
	pretrains = 20    // times that a pretraining sees each
)

// adam is how weights are learned. The rate falls evenly to 0.
var adam = nn.Adam{Rate: 1e-3, Decay: 1e-4, Clip: 5}

// gather sets what a network reads of trees: their loops, innermost ones first, and the numbers of those. It returns
// which loop of its tree each is.
func gather(list []*Tree, t *nn.Trees, x []float32) (loops []int32) {
	t.Up, t.Ends, t.Of = t.Up[:0], t.Ends[:0], t.Of[:0]
	heights, rows := make([][]int, len(list)), make([][]int32, len(list))
	highest := 0
	for p, tree := range list {
		h := make([]int, len(tree.Up))
		for l := len(h) - 1; l >= 0; l-- { // a loop comes before those in it
			highest = max(highest, h[l])
			if up := tree.Up[l]; up >= 0 {
				h[up] = max(h[up], h[l]+1)
			}
		}
		heights[p], rows[p] = h, make([]int32, len(h))
	}
	for level := range highest + 1 {
		for p, h := range heights {
			for l := range h {
				if h[l] == level {
					rows[p][l] = int32(len(t.Of))
					copy(x[len(t.Of)*touch.Columns:], list[p].X[l*touch.Columns:][:touch.Columns])
					t.Of = append(t.Of, int32(p))
					loops = append(loops, int32(l))
				}
			}
		}
		t.Ends = append(t.Ends, len(t.Of))
	}
	for r, l := range loops {
		up := list[t.Of[r]].Up[l]
		if up >= 0 {
			up = rows[t.Of[r]][up]
		}
		t.Up = append(t.Up, up)
	}
	return loops
}

// learn returns a network that has learned the labels of programs, in the order of the seed.
func learn(o Options, d *lesson.List[*Tree], labels, margins []float64, see int) (*network, error) {
	loops, number := 0, map[string]int{}
	for i, t := range d.Programs {
		loops = max(loops, len(t.Up))
		if _, ok := number[d.Tasks[i]]; !ok {
			number[d.Tasks[i]] = len(number)
		}
	}
	params := nn.NewParameters(o.Seed)
	net := nn.With(params)
	defer net.Close()
	trees := &nn.Trees{}
	x, rows := net.Input(min(batch, len(d.Programs))*loops, touch.Columns)
	h := net.Sigmoid(net.Named("embed").Linear(x, width))
	h = net.Named("tree").TreeGRU(net.Named("gates").Linear(h, 3*width), trees)
	h = net.Named("scatter").Scatter(h, trees, slots, batch)
	out := net.Named("out").Linear(net.Sigmoid(net.Named("hidden").Linear(h, width)), 1)
	mean, deviation := 0.0, 1.0
	if o.Regression { // of labels that lie close together a network would learn the mean for long
		rest := slices.Clone(labels)
		floats.Sub(rest, margins)
		mean, deviation = stat.PopMeanStdDev(rest, nil)
		deviation = max(deviation, 1e-6)
	}
	shifted, quality, task := make([]float32, batch), make([]float64, batch), make([]int, batch)
	var chosen []int
	loss := net.Loss(out, func(s, derivative []float32) float64 {
		clear(derivative)
		for k := range task {
			task[k] = -1
			if k < len(chosen) {
				i := chosen[k]
				shifted[k], quality[k], task[k] = s[k]+float32(margins[i]), labels[i], number[d.Tasks[i]]
				if o.Regression {
					shifted[k], quality[k] = s[k], (labels[i]-margins[i]-mean)/deviation
				}
			}
		}
		return lossOf(o.Regression, shifted, quality, task, derivative)
	})
	if err := net.Finish(out, loss); err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(o.Seed, uint64(len(labels))))
	see = min(see, mostSeen*len(labels))
	list := make([]*Tree, 0, batch)
	for seen := 0; seen < see; {
		order := rng.Perm(len(labels))
		for ; len(order) > 0 && seen < see; seen += len(chosen) {
			chosen = order[:min(batch, len(order))]
			order, list = order[len(chosen):], list[:0]
			for _, i := range chosen {
				list = append(list, d.Programs[i])
			}
			gather(list, trees, rows)
			if _, err := net.Run(); err != nil {
				return nil, err
			}
			how := adam
			how.Rate *= 1 - float64(seen)/float64(see)
			net.Step(how)
		}
	}
	learned := newNetwork(params)
	for i := range learned.out.Weight {
		learned.out.Weight[i] *= float32(deviation)
	}
	learned.out.Bias[0] = learned.out.Bias[0]*float32(deviation) + float32(mean)
	return learned, nil
}

// lossOf returns the mean loss of scores, and sets its derivatives: of the squares of what they are off the quality, or
// of pairs of a task. Scores of no task, which is negative, do not count.
func lossOf(regression bool, s []float32, quality []float64, task []int, derivative []float32) float64 {
	sum, n := 0.0, 0
	if regression {
		for k, t := range task {
			if t >= 0 {
				off := float64(s[k]) - quality[k]
				sum, n = sum+off*off/2, n+1
				derivative[k] = float32(off)
			}
		}
	} else {
		sum, n = nn.PairLoss(s, quality, task, 0, derivative)
	}
	for k := range derivative {
		derivative[k] /= float32(max(n, 1))
	}
	return sum / float64(max(n, 1))
}

// A network is the weights as they were after a training.
type network struct {
	embed, gates, hidden, out nn.Dense
	tree                      [3][]float32
	slots                     []float32
}

func newNetwork(p *nn.Parameters) *network {
	of := func(name string) []float32 { return append([]float32(nil), p.Find(name).Value...) }
	return &network{
		p.Dense("embed"), p.Dense("gates"), p.Dense("hidden"), p.Dense("out"),
		[3][]float32{of("tree.gates"), of("tree.new"), of("tree.bias")}, of("scatter.slots"),
	}
}

// score returns the score of a program, and sets the derivatives by its numbers unless by is nil.
func (n *network) score(t *Tree, by []float32) float64 {
	var trees nn.Trees
	x := make([]float32, len(t.X))
	loops := gather([]*Tree{t}, &trees, x)
	embedded := n.embed.Of(x)
	nn.Sigmoid(embedded, embedded)
	gru := nn.TreeGRU{Trees: &trees, Width: width}
	in := [][]float32{n.gates.Of(embedded), n.tree[0], n.tree[1], n.tree[2]}
	states := make([]float32, len(t.Up)*width)
	gru.Forward(in, states)
	scatter := nn.Scatter{Trees: &trees, Width: width, Slots: slots}
	memory := make([]float32, slots*width)
	scatter.Forward([][]float32{states, n.slots}, memory)
	hidden := n.hidden.Of(memory)
	nn.Sigmoid(hidden, hidden)
	score := float64(n.out.Of(hidden)[0])
	if by == nil {
		return score
	}
	back := n.out.Back([]float32{1})
	byStates, byGates := make([]float32, len(states)), make([]float32, 3*len(states))
	scatter.Backward([][]float32{states, n.slots}, n.hidden.Back(bySigmoid(hidden, back)), [][]float32{byStates, nil})
	gru.Backward(in, byStates, [][]float32{byGates, nil, nil, nil})
	byX := n.embed.Back(bySigmoid(embedded, n.gates.Back(byGates)))
	for r, l := range loops {
		copy(by[l*touch.Columns:][:touch.Columns], byX[r*touch.Columns:])
	}
	return score
}

// bySigmoid turns a derivative by s = sig(x) into that by x.
func bySigmoid(s, by []float32) []float32 {
	for i, v := range s {
		by[i] *= v * (1 - v)
	}
	return by
}
