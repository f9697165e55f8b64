package table

import (
	"math/rand/v2"
	"testing"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir"
)

// TestDistances: whole tiles and parts of them.
func TestDistances(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 9))
	for i, s := range [][3]int64{{1, 1, 1}, {6, 32, 3}, {7, 33, 5}, {13, 70, 2}, {5, 31, 9}, {3, 4, 0}} {
		dt := []tir.DType{tir.F32, tir.F64, tir.F16}[i%3]
		in := []*graph.Tensor{random(r, dt, -1, 1, s[0], s[2]), random(r, dt, -1, 1, s[1], s[2])}
		for _, metric := range []string{"euclidean", "sqeuclidean"} {
			attrs := []graph.Attr{graph.StrAttr("metric", metric)}
			nodeCase{op: "com.microsoft.CDist", version: 1, in: in, attrs: attrs}.check(t)
		}
	}
}
