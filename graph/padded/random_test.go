package padded

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/graph/graphtest"
)

// randomGraph writes a graph of some operators on rows of batches. Each value is [b, n, 4], where n is s or a length that
// follows from it, or [b, n, m].
func randomGraph(rng *rand.Rand, size int) string {
	var b strings.Builder
	b.WriteString("input x: float32[b, s, 4]\ninput z: float32[b, s, 4]\nconst w: float32[4, 4]\nconst row: float32[4]\n" +
		"const one: int64[1] {1}\nconst ax: int64[] {1}\nconst end: int64[1] {9223372036854775807}\nconst back: int64[1] {-1}\n" +
		"const by2: int64[1] {2}\nconst p: int64[6] {0, 1, 0, 0, 2, 0}\nconst flat: int64[2] {-1, 4}\nconst half: float32[] {0.5}\n")
	type value struct{ name, kind string }
	values := []value{{"x", "s"}, {"z", "s"}}
	count := 0
	add := func(kind, format string, args ...any) string {
		count++
		name := fmt.Sprint("v", count)
		fmt.Fprintf(&b, "%s = "+format+"\n", append([]any{name}, args...)...)
		if kind != "" {
			values = append(values, value{name, kind})
		}
		return name
	}
	for len(values) < size+2 {
		v := values[rng.IntN(len(values))]
		same := v
		for range 4 {
			if o := values[rng.IntN(len(values))]; o.kind == v.kind {
				same = o
			}
		}
		switch rng.IntN(16) {
		case 0:
			add(v.kind, "%s(%s, %s)", []string{"Add", "Mul", "Sub", "Max"}[rng.IntN(4)], v.name, same.name)
		case 1:
			add(v.kind, "%s(%s)", []string{"Tanh", "Relu", "Sigmoid", "Cos"}[rng.IntN(4)], v.name)
		case 2:
			add(v.kind, "Softmax(%s) axis=%d", v.name, 1+rng.IntN(2))
		case 3:
			sum := add("", "%s(%s) axes=[%d]", []string{"ReduceMean", "ReduceMax", "ReduceL1"}[rng.IntN(3)], v.name, 1+rng.IntN(2))
			add(v.kind, "Sub(%s, %s)", v.name, sum)
		case 4:
			add(v.kind, "MatMul(%s, w)", v.name)
		case 5, 6:
			t := add("", "Transpose(%s) perm=[0, 2, 1]", same.name)
			scores := add("", "MatMul(%s, %s)", v.name, t)
			scaled := add("", "Mul(%s, half)", scores)
			soft := add("", "Softmax(%s) axis=2", scaled)
			add(v.kind, "MatMul(%s, %s)", soft, same.name)
		case 7:
			add(v.kind, "CumSum(%s, ax) reverse=%d", v.name, rng.IntN(2))
		case 8:
			if len(v.kind) < 6 {
				add(v.kind+"-", "Slice(%s, one, end, one)", v.name)
			}
		case 9:
			if len(v.kind) < 6 {
				add(v.kind+"<", "Slice(%s, _, back, one)", v.name)
			}
		case 10:
			if len(v.kind) < 6 {
				add(v.kind+"+", "Concat(%s, %s) axis=1", v.name, values[rng.IntN(len(values))].name)
				values[len(values)-1].kind += fmt.Sprint("#", count) // nothing is alike
			}
		case 11:
			if len(v.kind) < 6 {
				add(v.kind+"p", "Pad(%s, p)", v.name)
			}
		case 12:
			add(v.kind+"2", "Slice(%s, one, end, one, by2)", v.name)
			values[len(values)-1].kind = fmt.Sprint("#", count)
		case 13:
			rows := add("", "Reshape(%s, flat)", v.name)
			p := add("", "Gemm(%s, w, row)", rows)
			shape := add("", "Shape(%s)", v.name)
			add(v.kind, "Reshape(%s, %s)", p, shape)
		case 14:
			add(v.kind, "LayerNormalization(%s, row, row) epsilon=0.1", v.name)
		case 15:
			last := add("", "Gather(%s, back) axis=1", v.name)
			add(v.kind, "Add(%s, %s)", v.name, last)
		}
	}
	text := strings.ReplaceAll(b.String(), ", _, back, one)", ", zero, back, one)")
	text = "const zero: int64[1] {0}\n" + text
	for _, v := range values[len(values)-min(3, len(values)):] {
		text += "output " + v.name + "\n"
	}
	return text
}

// TestRandomGraphs: graphs of operators drawn at random compute within bounds what they do at exact extents.
func TestRandomGraphs(t *testing.T) {
	count := 60
	if testing.Short() {
		count = 10
	}
	for seed := range count {
		rng := rand.New(rand.NewPCG(uint64(seed), 63))
		text := randomGraph(rng, 3+rng.IntN(8))
		g, err := graphtest.Parse(text, 17)
		if err != nil {
			t.Fatalf("%v:\n%s", err, text)
		}
		if !t.Run(fmt.Sprint(seed), func(t *testing.T) { checkPadded(t, g, rangesOf(t, "b=1..3 s=8..14"), 5, 1e-5) }) {
			t.Fatal(text)
		}
	}
}
