package table

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir"
)

// TestFeatures: operators of ai.onnx.ml and of training.
func TestFeatures(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	check := func(domain, op string, version, outputs int, in []*graph.Tensor, attrs ...graph.Attr) {
		t.Helper()
		checkNode(t, strings.TrimPrefix(domain+"."+op, "."), version, outputs, in, nil, attrs...)
	}
	for _, dt := range []tir.DType{tir.F32, tir.F64, tir.I32, tir.I64} {
		x := random(rng, dt, -3, 3, 4, 5)
		check("ai.onnx.ml", "Binarizer", 1, 1, []*graph.Tensor{x}, graph.FloatAttr("threshold", 0.5))
		check("ai.onnx.ml", "ArrayFeatureExtractor", 1, 1, []*graph.Tensor{x, graph.Ints(3, 0, 3)})
	}
	check("ai.onnx.ml", "ArrayFeatureExtractor", 1, 1, []*graph.Tensor{random(rng, tir.F32, 0, 1, 5), graph.Ints(3, 0)})
	for op, states := range map[string]int{"Adagrad": 1, "Adam": 2, "Momentum": 1} {
		for step := range 3 {
			in := []*graph.Tensor{scalar(tir.F32, 0.1), scalar(tir.I64, float64(step))}
			for range 2 + states {
				in = append(in, random(rng, tir.F32, 0.5, 1, 2), random(rng, tir.F32, 0.5, 1, 3, 1))
			}
			attrs := []graph.Attr{graph.FloatAttr("norm_coefficient", 0.01), graph.FloatAttr("decay_factor", 0.1)}
			attrs = append(attrs, graph.FloatAttr("alpha", 0.9), graph.FloatAttr("beta", 0.8))
			mode := []string{"standard", "nesterov"}[step%2]
			attrs = append(attrs, graph.FloatAttr("norm_coefficient_post", 0.02), graph.StrAttr("mode", mode))
			check("ai.onnx.preview.training", op, 1, 2*(1+states), in, attrs...)
		}
	}
	// ONNX's case test_tfidfvectorizer_tf_onlybigrams_skip5.
	in := []*graph.Tensor{graph.Ints(1, 1, 3, 3, 3, 7, 8, 6, 7, 5, 6, 8)}
	for _, c := range []struct {
		skips    int64
		pool     []int64 // of bigrams
		want     []float64
		comments string
	}{
		{5, []int64{5, 6, 7, 8, 6, 7}, []float64{0, 0, 0, 0, 1, 3, 1}, "ONNX's"},
		{math.MaxInt64, []int64{5, 6, 7, 8, 6, 7}, []float64{0, 0, 0, 0, 1, 3, 1}, "as far apart as the row is long"},
		{5, []int64{5, 6, 7, 8, 6, 7, 5, 6}, []float64{0, 0, 0, 0, 0, 3, 1, 1}, "the last of equal ones counts"},
	} {
		n := nodeCase{op: "TfIdfVectorizer", version: 9, in: in, attrs: []graph.Attr{
			graph.StrAttr("mode", "TF"), graph.IntAttr("max_skip_count", c.skips), graph.IntAttr("min_gram_length", 2),
			graph.IntAttr("max_gram_length", 2), graph.IntsAttr("ngram_counts", 0, 4),
			graph.IntsAttr("ngram_indexes", []int64{0, 1, 2, 3, 4, 5, 6, 7}[:4+len(c.pool)/2]...),
			graph.IntsAttr("pool_int64s", append([]int64{2, 3, 5, 4}, c.pool...)...),
		}}.node()
		if got, err := reference(n, in); err != nil || !slices.Equal(got[0].F, c.want) {
			t.Errorf("bigrams, %s: %v, %v", c.comments, got, err)
		}
	}
	words := random(rng, tir.I64, 1, 4, 3, 7)
	for _, skip := range []int64{0, 1, 2, math.MaxInt64} {
		for _, mode := range []string{"TF", "IDF", "TFIDF"} {
			check("", "TfIdfVectorizer", 9, 1, []*graph.Tensor{words}, graph.StrAttr("mode", mode),
				graph.IntAttr("max_skip_count", skip), graph.IntAttr("min_gram_length", 1), graph.IntAttr("max_gram_length", 2),
				graph.IntsAttr("ngram_counts", 0, 2),
				graph.IntsAttr("ngram_indexes", 0, 1, 2, 3), graph.IntsAttr("pool_int64s", 1, 2, 1, 3, 2, 2),
				graph.Attr{Name: "weights", Kind: graph.AttrFloats, Floats: []float64{1, 2, 3, 4}})
		}
	}
}

// TestUnknownCategory: with zeros=0, a number that is no category is an error, of the reference and at run time.
func TestUnknownCategory(t *testing.T) {
	for number, wrong := range map[float64]bool{2: false, 3: true} {
		x := graph.NewTensor(tir.F32, 1, 2)
		x.F[0], x.F[1] = 5, number
		c := nodeCase{op: "ai.onnx.ml.OneHotEncoder", version: 1, in: []*graph.Tensor{x},
			attrs: []graph.Attr{graph.IntsAttr("cats_int64s", 5, 2), graph.IntAttr("zeros", 0)}}
		n := c.node()
		if err := inferOnly(n); err != nil {
			t.Fatal(err)
		}
		_, err := reference(n, c.in)
		_, err2 := compiled(n, c.in)
		if wrong != (err != nil) || wrong != errors.Is(err2, ErrRunTime) {
			t.Errorf("%v: %v, %v", number, err, err2)
		}
	}
}
