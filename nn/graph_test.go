package nn

import (
	"math"
	"math/rand/v2"
	"runtime"
	"testing"
	"weak"
)

// A case of TestGradients: a network with one output per segment.
type layerCase struct {
	name string
	net  func(n *Network, x Value, s *Segments) Value
}

// product multiplies values of 9 rows of 5 element by element, as a fused operation.
func product(n *Network, x, y Value) Value {
	return n.Fused(Fused{
		Name: "product", Rows: 9, Cols: 5, Inputs: []Value{x, y},
		Forward: func(in [][]float32, out []float32) {
			for i, a := range in[0] {
				out[i] = a * in[1][i]
			}
		},
		Backward: func(in [][]float32, grad []float32, by [][]float32) {
			for i, g := range grad {
				by[0][i], by[1][i] = g*in[1][i], g*in[0][i]
			}
		},
	})
}

// Derivatives by every weight equal differences, for each layer with a linear one
// before it, so that there is something to learn before the layer.
func TestGradients(t *testing.T) {
	const rows, cols, segments = 9, 4, 3
	for _, c := range []layerCase{
		{"linear", func(n *Network, x Value, s *Segments) Value { return n.SegmentSum(n.Linear(x, 1), s, segments) }},
		{"relu", func(n *Network, x Value, s *Segments) Value {
			return n.SegmentSum(n.Linear(n.ReLU(n.Linear(x, 6)), 1), s, segments)
		}},
		{"add", func(n *Network, x Value, s *Segments) Value {
			h := n.Linear(x, 5)
			return n.SegmentSum(n.Linear(n.Add(h, n.ReLU(n.Linear(h, 5))), 1), s, segments)
		}},
		{"sum", func(n *Network, x Value, s *Segments) Value {
			return n.Linear(n.ReLU(n.SegmentSum(n.Linear(x, 5), s, segments)), 1)
		}},
		{"attention", func(n *Network, x Value, s *Segments) Value {
			return n.SegmentSum(n.Linear(n.Attention(n.Linear(x, 12), s, 2), 1), s, segments)
		}},
		{"fused", func(n *Network, x Value, s *Segments) Value {
			return n.SegmentSum(n.Linear(product(n, n.Linear(x, 5), n.Named("m").Matrix("weight", rows, 5, 1)), 1), s, segments)
		}},
		{"gelu", func(n *Network, x Value, s *Segments) Value {
			return n.SegmentSum(n.Linear(n.GELU(n.Linear(x, 6)), 1), s, segments)
		}},
		{"norm", func(n *Network, x Value, s *Segments) Value {
			return n.SegmentSum(n.Linear(n.Named("norm").Norm(n.Linear(x, 6)), 1), s, segments)
		}},
		{"embedding", func(n *Network, x Value, s *Segments) Value {
			e := n.Named("tokens").Embedding(&IDs{List: []int32{2, 0, 2, 1, 4, 4, 2, 0}}, rows, 5, 4)
			return n.SegmentSum(n.Linear(n.Add(x, e), 1), s, segments)
		}},
		{"dropout", func(n *Network, x Value, s *Segments) Value {
			return n.SegmentSum(n.Linear(n.Dropout(n.Linear(x, 6), &Noise{Share: 0.4, Seed: 3}), 1), s, segments)
		}},
		{"mean", func(n *Network, x Value, s *Segments) Value {
			return n.Linear(n.ReLU(n.SegmentMean(n.Linear(x, 5), s, segments)), 1)
		}},
		{"pool", func(n *Network, x Value, s *Segments) Value {
			return n.Linear(n.SegmentPool(n.Linear(x, 6), n.Scale(n.Linear(x, 2), 9), s, segments), 1)
		}},
		{"sigmoid", func(n *Network, x Value, s *Segments) Value {
			return n.SegmentSum(n.Linear(n.Sigmoid(n.Linear(x, 6)), 1), s, segments)
		}},
		{"tree", func(n *Network, x Value, _ *Segments) Value {
			h := n.Named("gru").TreeGRU(n.Linear(x, 15), forest())
			return n.Linear(n.Named("scatter").Scatter(h, forest(), 2, segments), 1)
		}},
		{"unit", func(n *Network, x Value, s *Segments) Value {
			return n.SegmentSum(n.Linear(n.Unit(n.Linear(x, 4)), 1), s, segments)
		}},
		{"concat and scale", func(n *Network, x Value, s *Segments) Value {
			h := n.Linear(x, 3)
			return n.SegmentSum(n.Linear(n.Concat(n.Scale(h, 1.5), n.GELU(h)), 1), s, segments)
		}},
	} {
		n := New(7)
		x, data := n.Input(rows, cols)
		rng := rand.New(rand.NewPCG(1, 1))
		for i := range data {
			data[i] = rng.Float32()*2 - 1
		}
		s := &Segments{Ends: []int{4, 4, 8}} // one is empty, and the last row belongs to none
		out := c.net(n, x, s)
		target := []float32{0.3, 0, -0.2}
		value := 0.0
		loss := n.Loss(out, func(v, derivative []float32) float64 {
			sum := 0.0
			for i := range v {
				derivative[i] = 2 * (v[i] - target[i])
				sum += float64(v[i]-target[i]) * float64(v[i]-target[i])
			}
			value = sum
			return sum
		})
		if err := n.Finish(out, loss); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		run := func() float64 {
			if _, err := n.Run(); err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			return value
		}
		run()
		var grads [][]float32
		for _, p := range n.params {
			grads = append(grads, append([]float32(nil), p.grad.Data().([]float32)...))
		}
		const h = 1e-2
		for k, p := range n.params {
			for i := range p.Value {
				was := p.Value[i]
				p.Value[i] = was + h
				up := run()
				p.Value[i] = was - h
				down := run()
				p.Value[i] = was
				want := (up - down) / (2 * h)
				if got := float64(grads[k][i]); math.Abs(got-want) > 2e-2*math.Max(0.1, math.Abs(want)) {
					t.Errorf("%s: derivative by weight %d of matrix %d is %v, differences say %v", c.name, i, k, got, want)
				}
			}
		}
		if err := n.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A network learns, and two with one seed learn the same.
func TestLearns(t *testing.T) {
	var ends [2]float64
	for k := range ends {
		n := New(3)
		x, data := n.Input(64, 3)
		s := &Segments{}
		rng := rand.New(rand.NewPCG(5, 5))
		var want []float32
		for i := range 32 {
			s.Ends = append(s.Ends, 2*i+2)
			for j := range 6 {
				data[6*i+j] = rng.Float32()
			}
			want = append(want, data[6*i]*data[6*i+1]+data[6*i+5])
		}
		out := n.Linear(n.ReLU(n.Linear(n.SegmentSum(n.ReLU(n.Linear(x, 16)), s, 32), 16)), 1)
		var value float64
		loss := n.Loss(out, func(v, derivative []float32) float64 {
			value = 0
			for i := range v {
				d := v[i] - want[i]
				derivative[i] = 2 * d / 32
				value += float64(d*d) / 32
			}
			return value
		})
		if err := n.Finish(out, loss); err != nil {
			t.Fatal(err)
		}
		weights := 0
		for _, p := range n.params {
			weights += len(p.Value)
		}
		if weights != 3*16+16+16*16+16+16+1 {
			t.Errorf("%d weights", weights)
		}
		first := 0.0
		for step := range 400 {
			if _, err := n.Run(); err != nil {
				t.Fatal(err)
			}
			if step == 0 {
				first = value
			}
			n.Step(Adam{Rate: 0.01, Decay: 1e-4, Clip: 1})
		}
		if ends[k] = value; value > first/20 {
			t.Errorf("the loss went from %v to %v", first, value)
		}
	}
	if ends[0] != ends[1] {
		t.Errorf("the same training ended with %v and %v", ends[0], ends[1])
	}
}

// A network that was closed is collected.
func TestCloseFrees(t *testing.T) {
	made := func() weak.Pointer[Network] {
		n := New(1)
		x, _ := n.Input(4, 3)
		out := n.Linear(x, 1)
		loss := n.Loss(out, func(v, derivative []float32) float64 {
			clear(derivative)
			return 0
		})
		if err := n.Finish(out, loss); err != nil {
			t.Fatal(err)
		}
		if _, err := n.Run(); err != nil {
			t.Fatal(err)
		}
		if err := n.Close(); err != nil {
			t.Fatal(err)
		}
		return weak.Make(n)
	}()
	for range 10 { // pools keep what they hold for a cycle or two
		if runtime.GC(); made.Value() == nil {
			return
		}
	}
	t.Error("a closed network is still reachable")
}
