package transition

import (
	"math"

	"github.com/wmtune/wmtune/nn/kernel"
)

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

// pairs is the logistic loss of pairs of a task that differ by more than MinGap, the
// mean over pairs, times a weight.
func pairs(s []float32, quality []float64, task []int, grad []float32, weight float64) float64 {
	sum, count := 0.0, 0
	for i := range s {
		for j := range s {
			if task[i] != task[j] || quality[i]-quality[j] <= MinGap {
				continue
			}
			l, d := logistic(float64(s[i] - s[j]))
			sum, count = sum+l, count+1
			grad[i] += float32(d)
			grad[j] -= float32(d)
		}
	}
	if count == 0 {
		return 0
	}
	for i := range grad {
		grad[i] *= float32(weight / float64(count))
	}
	return weight * sum / float64(count)
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

// logistic returns log(1 + e^-x) and its derivative.
func logistic(x float64) (value, derivative float64) {
	if x > 0 {
		e := math.Exp(-x)
		return math.Log1p(e), -e / (1 + e)
	}
	e := math.Exp(x)
	return math.Log1p(e) - x, -1 / (1 + e)
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
