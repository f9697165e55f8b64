package compile

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/graphtest"
	"github.com/wmtune/wmtune/graph/pass"
)

// verified compiles a graph with plain schedules and verifies it with inputs, as Run does.
func (b *bundles) verified(ctx context.Context, g *graph.Graph, inputs []*graph.Tensor) (*Result, []string, error) {
	m, err := New(ctx, g, pass.Options{})
	if err != nil {
		return nil, nil, err
	}
	dir, err := os.MkdirTemp(b.dir, "verified")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(dir)
	p, err := b.build(ctx, m, dir)
	if err != nil {
		return nil, nil, err
	}
	l, err := b.machine.load(ctx, loadConfig(dir, p, 2, false))
	if err != nil {
		return nil, nil, err
	}
	defer l.Close()
	said := &saying{}
	c := &compilation{machine: b.machine, model: m, opt: Options{Observer: said}, judge: newJudge(m, p),
		doubts: map[int]*doubt{}}
	err = c.verifyRun(ctx, l, p, inputs)
	c.result.Judgement = c.judge.judgement()
	return &c.result, said.lines, err
}

// conditioned are graphs whose results have few digits that are right, or none: for x of shape [n, m] near a number.
var conditioned = map[string]struct {
	text         string
	near, spread float64
}{
	"a sum that cancels":        {"const k: int64[1] {1}\ny = ReduceSum(x, k)", 0, 1e8},
	"a sum of large numbers":    {"const k: int64[1] {1}\nconst c: float32[1] {-1000}\nm = ReduceMean(x, k)\ny = Add(m, c)", 1000, 1},
	"a norm far from zero":      {"const s: float32[%[2]d] {1}\nconst b: float32[%[2]d]\ny = LayerNormalization(x, s, b)", 100, 1e-2},
	"a variance of little":      {"const k: int64[1] {1}\nm = ReduceMean(x, k)\nd = Sub(x, m)\nq = Mul(d, d)\ny = ReduceMean(q, k)", 300, 1e-3},
	"a variance by two moments": {"const k: int64[1] {1}\nq = Mul(x, x)\na = ReduceMean(q, k)\nm = ReduceMean(x, k)\nb = Mul(m, m)\ny = Sub(a, b)", 100, 1},
	"a large angle":             {"const c: float32[1] {3.3}\nz = Mul(x, c)\ny = Sin(z)", 0, 1e4},
	"a step":                    {"const c: float32[1] {3}\nz = Mul(x, c)\ny = Round(z)", 0, 8},
	"the place of the largest":  {"const c: float32[1] {1e6}\nz = Add(x, c)\ny = ArgMax(z) axis=1", 0, 0.1},
	"a comparison":              {"const c: float32[1] {0.1}\nz = Mul(x, c)\nw = Div(x, c)\nq = Mul(w, c)\ny = Less(q, x)", 1, 1},
	"a product that cancels":    {"const c: float32[%[2]d, 5]\nn = Neg(x)\na = MatMul(x, c)\nb = MatMul(n, c)\nd = Sub(a, b)\ns = Add(a, b)\ny = Add(s, d)", 0, 1e3},

	"1 less a sum of a softmax": {"const k: int64[1] {1}\nconst o: float32[1] {1}\ns = Softmax(x)\nt = ReduceSum(s, k)\ny = Sub(o, t)", 0, 1},
	"sine and cosine":           {"const o: float32[1] {1}\na = Sin(x)\nb = Cos(x)\nc = Mul(a, a)\nd = Mul(b, b)\ne = Add(c, d)\ny = Sub(e, o)", 0, 3},
	"a logarithm of a power":    {"a = Exp(x)\nb = Log(a)\ny = Sub(b, x)", 0, 1},
	"there and back":            {"const c: float32[1] {3.7}\na = Add(x, c)\nb = Sub(a, c)\ny = Sub(b, x)", 0, 1},
	"the mean of what has none": {"const k: int64[1] {1}\nm = ReduceMean(x, k)\nd = Sub(x, m)\ny = ReduceMean(d, k)", 0, 1},
	"the mean of a norm":        {"const k: int64[1] {1}\nconst s: float32[%[2]d] {1}\nd = LayerNormalization(x, s)\ny = ReduceMean(d, k)", 0, 1},
	"a square of a root":        {"a = Abs(x)\nb = Sqrt(a)\nc = Mul(b, b)\ny = Sub(c, a)", 0, 1},
	"two tangents":              {"e = Exp(x)\nm = Neg(x)\nf = Exp(m)\np = Sub(e, f)\nq = Add(e, f)\nt = Div(p, q)\nh = Tanh(x)\ny = Sub(t, h)", 0, 1},
	"two sigmoids":              {"const o: float32[1] {1}\nm = Neg(x)\na = Sigmoid(x)\nb = Sigmoid(m)\nc = Add(a, b)\ny = Sub(c, o)", 0, 1},
	"small numbers":             {"const c: float32[1] {1e-30}\na = Mul(x, c)\ny = Mul(a, c)", 0, 1},
}

// TestConditioned: models whose results are nothing but rounding, or nearly so, are verified, and how far they are off
// is stated.
func TestConditioned(t *testing.T) {
	b := needBundles(t)
	for name, k := range conditioned {
		for seed := range uint64(2) {
			r := rand.New(rand.NewPCG(seed, 5))
			rows, row := 2+r.IntN(9), 8+r.IntN(200)
			text := fmt.Sprintf("input x: float32[%[1]d, %[2]d]\n"+k.text+"\noutput y", rows, row)
			g := graphtest.MustParse(text, 18)
			x := graph.NewTensor(g.Inputs[0].Type, g.Inputs[0].Shape...)
			for i := range x.F {
				x.F[i] = float64(float32(k.near + k.spread*(2*r.Float64()-1)))
			}
			result, said, err := b.verified(t.Context(), g, []*graph.Tensor{x})
			if err != nil {
				t.Errorf("%s, seed %d: %v", name, seed, err)
				continue
			}
			if result.MaxError > 1e-4 && len(said) == 0 || math.IsNaN(result.Absolute) {
				t.Errorf("%s, seed %d: off by %g, which is not said", name, seed, result.MaxError)
			}
		}
	}
}

// TestQuantizedByChance: what rounds the results of products is verified, whatever the inputs.
func TestQuantizedByChance(t *testing.T) {
	b := needBundles(t)
	for name, text := range map[string]string{
		"quantized": "const s: float32[] {0.5}\nconst z: int8[] {0}\nq = QuantizeLinear(m, s, z)\ny = DequantizeLinear(q, s, z)",
		"rounded":   "const c: float32[1] {3}\nn = Mul(m, c)\ny = Round(n)",
		"multiplied again": "const s: float32[] {0.5}\nconst z: int8[] {0}\nconst v: float32[64, 64]\nq = QuantizeLinear(m, s, z)\n" +
			"d = DequantizeLinear(q, s, z)\ny = MatMul(d, v)",
		"truncated": "const c: float32[1] {7}\nn = Mul(m, c)\nk = Cast(n) to=6\nf = Cast(k) to=1\ny = Sigmoid(f)",
	} {
		g := graphtest.MustParse("input x: float32[96, 64]\nconst w: float32[64, 64]\nm = MatMul(x, w)\n"+text+"\noutput y", 18)
		stepped := int64(0)
		for seed := range uint64(5) {
			result, _, err := b.verified(t.Context(), g, drawInputs(g, []int64{0}, seed))
			if err != nil {
				t.Errorf("%s, seed %d: %v", name, seed, err)
				continue
			}
			stepped += result.Judgement.Elements
		}
		if stepped == 0 {
			t.Errorf("%s: nothing was compared", name)
		}
	}
}
