package mlp

import (
	"math"
	"slices"

	"github.com/wmtune/wmtune/nn"
	"github.com/wmtune/wmtune/nn/kernel"
	"github.com/wmtune/wmtune/ranker/feature"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/tape"
)

// A network is the weights as they were after a training.
type network struct{ rows1, rows2, sum1, sum2, out linear }

// A linear is x*W + b.
type linear struct {
	weight, bias []float32
	out          int
}

func newNetwork(p *nn.Parameters) network {
	of := func(name string) linear {
		w, b := p.Find(name+".weight"), p.Find(name+".bias")
		return linear{slices.Clone(w.Value), slices.Clone(b.Value), w.Cols}
	}
	return network{of("rows1"), of("rows2"), of("sum1"), of("sum2"), of("out")}
}

// of returns max(x*W + b, 0), or x*W + b.
func (l *linear) of(x []float32, relu bool) []float32 {
	in := len(l.weight) / l.out
	y := slices.Repeat(l.bias, len(x)/in)
	kernel.Multiply(y, kernel.M(x, in), kernel.M(l.weight, l.out), true)
	if relu {
		for i, v := range y {
			y[i] = max(v, 0)
		}
	}
	return y
}

// back returns the derivative by x from that by y = max(x*W + b, 0), which is changed.
func (l *linear) back(y, by []float32) []float32 {
	for i, v := range y {
		if v <= 0 {
			by[i] = 0
		}
	}
	in := len(l.weight) / l.out
	x := make([]float32, len(y)/l.out*in)
	kernel.Multiply(x, kernel.M(by, l.out), kernel.M(l.weight, l.out).T(), false)
	return x
}

// score returns the score of rows, and sets the derivative by each number of them unless slopes is nil.
func (n *network) score(x, slopes []float32) float64 {
	a := n.rows1.of(x, true)
	b := n.rows2.of(a, true)
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
	c := n.sum1.of(sum, true)
	d := add(sum, c)
	e := n.sum2.of(d, true)
	score := float64(n.out.of(add(d, e), false)[0])
	if slopes == nil {
		return score
	}
	by := slices.Clone(n.out.weight)
	by = add(by, n.sum2.back(e, slices.Clone(by)))
	by = add(by, n.sum1.back(c, slices.Clone(by)))
	copy(slopes, n.rows1.back(a, n.rows2.back(b, slices.Repeat(by, len(b)/width))))
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
