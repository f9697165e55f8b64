package compile

import (
	"testing"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/graphtest"
	"github.com/wmtune/wmtune/tir"
)

// TestWholeQuotients: 41*k by 41 is k wherever the quotient goes from where it is stored. 41*k times 1/41 is less for
// many k.
func TestWholeQuotients(t *testing.T) {
	b := needBundles(t)
	const head = `
		input x: float32[4,512]
		input d: float32[1]
		q = Div(x, d)
	`
	for what, text := range map[string]string{
		"floor, and an output":    "z = Floor(q)\n output z\n output q",
		"floor, and a matmul":     "z = Floor(q)\n t = Transpose(q) perm=[1,0]\n m = MatMul(q, t)\n output z\n output m",
		"compared, and an output": "g = Floor(q)\n c = GreaterOrEqual(q, g)\n z = Where(c, q, g)\n output z\n output q",
		"round and cast":          "r = Round(q)\n c = Cast(r) to=7\n z = Cast(c) to=1\n output z\n output q",
		"the cast of a maximum":   "m = ReduceMax(q) axes=[0] keepdims=0\n c = Cast(m) to=7\n z = Cast(c) to=1\n output z",
	} {
		g := graphtest.MustParse(head+text, 17)
		x, d := graph.NewTensor(tir.F32, 4, 512), graph.NewTensor(tir.F32, 1)
		for i := range x.F {
			x.F[i] = float64(41 * i)
		}
		d.F[0] = 41
		out, err := b.run(t.Context(), g, []*graph.Tensor{x, d})
		if err != nil {
			t.Fatal(what, err)
		}
		wrong, from := 0, len(x.F)-len(out[0].F)
		for i, z := range out[0].F {
			if z != float64(from+i) {
				wrong++
			}
		}
		if wrong > 0 {
			t.Errorf("%s: %d of %d numbers are wrong", what, wrong, len(out[0].F))
		}
	}
}
