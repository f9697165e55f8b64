package tape

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestConditions: they are what the paper has them be, the kernel of the step has the integral 1, and where they
// are sharp they are 0 or 1.
func TestConditions(t *testing.T) {
	for _, k := range []float64{1, 4, 1000} {
		tp := &Tape{Sharpness: k}
		x, y := tp.Variable(math.Log(3)), tp.Variable(math.Log(2))
		d := k * math.Log(1.5)
		if got, want := x.Above(y).Value(), (1+d/math.Sqrt(1+d*d))/2; math.Abs(got-want) > 1e-12 {
			t.Errorf("sharpness %v: 3 > 2 is %v, want %v", k, got, want)
		}
		if got, want := x.Equal(y).Value(), 1/math.Sqrt(1+d*d); math.Abs(got-want) > 1e-12 {
			t.Errorf("sharpness %v: 3 = 2 is %v, want %v", k, got, want)
		}
	}
	tp := &Tape{Sharpness: 1}
	x, sum, by := tp.Variable(0), 0.0, []float64{0}
	above := x.Above(x.Const(1))
	for y := -300.0; y < 300; y += 0.01 {
		tp.Run([]float64{y})
		tp.Slopes([]Real{above}, []float64{1}, by)
		sum += 0.01 * by[0]
	}
	if math.Abs(sum-1) > 1e-3 {
		t.Errorf("the integral of the derivative of a step is %v", sum)
	}
	sharp := &Tape{}
	three, two := sharp.Variable(math.Log(3)), sharp.Variable(math.Log(2))
	six := three.Times(two)
	if three.Above(two).Value() != 1 || two.Above(three).Value() != 0 || six.Equal(six.Const(6)).Value() != 1 ||
		six.Over(three).Floor().Value() != 2 || six.Above(six.Const(6)).Value() != 0 {
		t.Error("sharp conditions and floors of whole numbers are not exact")
	}
}

// TestSlopes: derivatives are those of differences, also of numbers that were computed again.
func TestSlopes(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	tp := &Tape{Sharpness: 2}
	vars := []Real{tp.Variable(1), tp.Variable(0.5), tp.Variable(2)}
	one := Real{}.Const(1)
	list := append([]Real{}, vars...)
	for range 200 {
		x, y := list[rng.IntN(len(list))], list[rng.IntN(len(list))]
		next := []Real{x.Plus(y), x.Minus(y), x.Times(y).Over(x.Plus(one)), x.Over(y.Times(y).Plus(one)), x.Least(y), x.Most(y),
			x.Above(y), x.Equal(y), x.Times(x).Plus(one).Log2()}
		list = append(list, next[rng.IntN(len(next))])
	}
	last := list[len(list)-40:]
	weights, by := make([]float64, len(last)), make([]float64, 3)
	for i := range weights {
		weights[i] = rng.NormFloat64()
	}
	value := func(y []float64) float64 {
		tp.Run(y)
		sum := 0.0
		for i, x := range last {
			sum += weights[i] * x.At()
		}
		return sum
	}
	for range 50 {
		y := []float64{3 * rng.Float64(), 3 * rng.Float64(), 3 * rng.Float64()}
		value(y)
		tp.Slopes(last, weights, by)
		for k := range y {
			const h = 1e-6
			up, down := []float64{y[0], y[1], y[2]}, []float64{y[0], y[1], y[2]}
			up[k] += h
			down[k] -= h
			if want := (value(up) - value(down)) / (2 * h); math.Abs(by[k]-want) > 1e-4*max(1, math.Abs(want)) {
				t.Errorf("at %v: slope %d is %v, by differences %v", y, k, by[k], want)
			}
		}
	}
}
