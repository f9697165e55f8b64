package mlp

import (
	"math"
	"slices"

	"github.com/wmtune/wmtune/nn"
	"github.com/wmtune/wmtune/ranker/feature"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/tape"
)

// A network is the weights as they were after a training.
type network struct{ rows1, rows2, sum1, sum2, out nn.Dense }

func newNetwork(p *nn.Parameters) network {
	return network{p.Dense("rows1"), p.Dense("rows2"), p.Dense("sum1"), p.Dense("sum2"), p.Dense("out")}
}

// relu sets negative values to 0.
func relu(y []float32) []float32 {
	for i, v := range y {
		y[i] = max(v, 0)
	}
	return y
}

// back returns the derivative by the input of a layer from that by its output y, which no negative value is in.
func back(l *nn.Dense, y, by []float32) []float32 {
	for i, v := range y {
		if v <= 0 {
			by[i] = 0
		}
	}
	return l.Back(by)
}

// score returns the score of rows, and sets the derivative by each number of them unless slopes is nil.
func (n *network) score(x, slopes []float32) float64 {
	a := relu(n.rows1.Of(x))
	b := relu(n.rows2.Of(a))
	sum := make([]float32, width)
	for row := range slices.Chunk(b, width) {
		for k, v := range row {
			sum[k] += v
		}
	}
	add := func(x, y []float32) []float32 {
		z := slices.Clone(x)
		for k, v := range y {
			z[k] += v
		}
		return z
	}
	c := relu(n.sum1.Of(sum))
	d := add(sum, c)
	e := relu(n.sum2.Of(d))
	score := float64(n.out.Of(add(d, e))[0])
	if slopes == nil {
		return score
	}
	by := slices.Clone(n.out.Weight)
	by = add(by, back(&n.sum2, e, slices.Clone(by)))
	by = add(by, back(&n.sum1, c, slices.Clone(by)))
	copy(slopes, back(&n.rows1, a, back(&n.rows2, b, slices.Repeat(by, len(b)/width))))
	return score
}

// Sharpness is that of the features that are descended. They are near those of a program that can be built, which
// the network has learned, and still tell of programs that are a little different.
const Sharpness = 4

// Relax returns the score of a state as a function of its split lengths. It is of the weights as they are now.
func (m *Model) Relax(s *schedule.State, line float64, free func(step int) bool) (*Relaxed, error) {
	t := &tape.Tape{Sharpness: Sharpness}
	r, rows, err := feature.Relax(t, s, line, free)
	if err != nil {
		return nil, err
	}
	x := &Relaxed{net: m.net, tape: t, vars: r.Vars, rows: Columns(rows)}
	x.in, x.by = make([]float32, len(x.rows)), make([]float32, len(x.rows))
	x.weights = make([]float64, len(x.rows))
	return x, nil
}

// A Relaxed is a score as a function of lengths. It may be used by one goroutine at a time.
type Relaxed struct {
	net     network
	tape    *tape.Tape
	vars    []schedule.Length
	rows    []tape.Real
	in, by  []float32
	weights []float64
}

// Vars returns the lengths.
func (x *Relaxed) Vars() []schedule.Length { return x.vars }

// Value returns the score for logarithms of the lengths, and sets its derivative by each.
func (x *Relaxed) Value(y, slope []float64) float64 {
	x.tape.Run(y)
	for i, v := range x.rows {
		x.in[i] = float32(v.At()) * math.Ln2
	}
	score := x.net.score(x.in, x.by)
	for i, g := range x.by {
		x.weights[i] = float64(g) * math.Ln2
	}
	x.tape.Slopes(x.rows, x.weights, slope)
	return score
}
