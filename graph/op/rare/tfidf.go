package rare

import (
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	. "github.com/wmtune/wmtune/graph/op/expr"
	"github.com/wmtune/wmtune/tir"
)

// Counting has TfIdfVectorizer, which counts how often sequences of a few numbers occur in each row.
var Counting = []op.Row{
	{Op: "TfIdfVectorizer", Since: 9, In: "T:I", Infer: inferTfIdf, Eval: evalTfIdf,
		Opaque: &op.Function{Make: opaqueTfIdf}},
}

// tfidfLimit is the number of comparisons that the program of a TfIdfVectorizer may have.
const tfidfLimit = 1 << 14

// A gram is a sequence that is counted in a column of the result.
type gram struct {
	items  []int64
	column int64
}

// tfidf is what the attributes of a TfIdfVectorizer say.
type tfidf struct {
	grams   []gram
	columns int64
	skips   int64 // how many numbers may be left out between those of a sequence, at most
	least   int64 // of the numbers of a sequence
	mode    string
	weights []float64 // by column, or nil
	rows    []int64   // of the operand: none, or one extent
	length  int64     // of a row
}

func tfidfOf(n *graph.Node, shape []int64) (*tfidf, error) {
	k := &tfidf{
		skips: n.Int("max_skip_count", 0), least: n.Int("min_gram_length", 1), mode: n.Str("mode", ""),
		weights: n.Floats("weights"),
	}
	pool, counts, indexes := n.Ints("pool_int64s"), n.Ints("ngram_counts"), n.Ints("ngram_indexes")
	switch {
	case n.Has("pool_strings"):
		return nil, op.Unsupported("a pool of strings")
	case !slices.Contains([]string{"TF", "IDF", "TFIDF"}, k.mode):
		return nil, fmt.Errorf("attribute mode is %q: it must be TF, IDF or TFIDF", k.mode)
	case len(indexes) == 0 || slices.Min(indexes) < 0:
		return nil, fmt.Errorf("attribute ngram_indexes is %v", indexes)
	case len(shape) > 2:
		return nil, fmt.Errorf("an operand of shape %v: it must have 1 or 2 dimensions", shape)
	}
	k.columns = slices.Max(indexes) + 1
	for i, c := range indexes {
		if k.weights != nil && (c != int64(i) || len(k.weights) != len(indexes)) {
			return nil, op.Unsupported("weights of sequences that are not in the order of the result")
		}
	}
	k.length = 1
	if len(shape) > 0 {
		k.rows, k.length = shape[:len(shape)-1], shape[len(shape)-1]
	}
	return k, k.fill(pool, counts, indexes, n.Int("max_gram_length", 1))
}

// fill takes the sequences of allowed lengths from the pool. Of sequences that are there twice, the last one counts.
func (k *tfidf) fill(pool, counts, indexes []int64, most int64) error {
	id := 0
	at := map[string]int{} // of k.grams, by their numbers
	for i, start := range counts {
		end := int64(len(pool))
		if i+1 < len(counts) {
			end = counts[i+1]
		}
		size := int64(i + 1)
		if start < 0 || end < start || end > int64(len(pool)) {
			return fmt.Errorf("attribute ngram_counts is %v, for a pool of %d numbers", counts, len(pool))
		}
		for ; start+size <= end; start += size {
			if id >= len(indexes) {
				return fmt.Errorf("attribute ngram_indexes has %d numbers, and the pool more sequences", len(indexes))
			}
			g := gram{items: pool[start : start+size], column: indexes[id]}
			id++
			if size < k.least || size > most {
				continue
			}
			key := fmt.Sprint(g.items)
			if old, ok := at[key]; ok {
				k.grams[old].items = nil
			}
			at[key] = len(k.grams)
			k.grams = append(k.grams, g)
		}
	}
	k.grams = slices.DeleteFunc(k.grams, func(g gram) bool { return g.items == nil })
	return nil
}

// strides returns how far apart the numbers of a sequence may stand: of a single number that is counted once.
func (k *tfidf) strides(g gram) int64 {
	if len(g.items) == 1 {
		return 1
	}
	return min(k.skips, (k.length-1)/int64(len(g.items)-1)-1) + 1 // of a longer one the last number is beyond the row
}

func inferTfIdf(n *graph.Node) ([]op.Type, error) {
	x := n.Inputs[0]
	if x.Type != tir.I32 && x.Type != tir.I64 {
		return nil, op.Unsupported("an operand of type %s", x.Type)
	}
	k, err := tfidfOf(n, x.Shape)
	if err != nil {
		return nil, err
	}
	return []op.Type{{DType: tir.F32, Shape: append(slices.Clone(k.rows), k.columns)}}, nil
}

func evalTfIdf(_ *graph.Call, n *graph.Node, in []*graph.Tensor) ([]*graph.Tensor, error) {
	x := in[0]
	k, err := tfidfOf(n, x.Shape)
	if err != nil {
		return nil, err
	}
	r := graph.NewTensor(tir.F32, append(slices.Clone(k.rows), k.columns)...)
	for row := range graph.Elems(k.rows) {
		list := x.I[row*k.length : (row+1)*k.length]
		counts := r.F[row*k.columns : (row+1)*k.columns]
		for _, g := range k.grams {
			for stride := int64(1); stride <= k.strides(g); stride++ {
				for start := int64(0); start+stride*int64(len(g.items)-1) < k.length; start++ {
					found := true
					for j, item := range g.items {
						found = found && list[start+stride*int64(j)] == item
					}
					if found {
						counts[g.column]++
					}
				}
			}
		}
		for c := range counts {
			if k.mode == "IDF" {
				counts[c] = min(counts[c], 1)
			}
			if k.mode != "TF" && k.weights != nil {
				counts[c] *= k.weights[c]
			}
		}
	}
	return []*graph.Tensor{r}, nil
}

// countedLanes is how many places of a row are compared at once.
const countedLanes = 16

// opaqueTfIdf compares every place of a row with each sequence, in vectors.
func opaqueTfIdf(n *graph.Node) (*tir.Func, error) {
	k, err := tfidfOf(n, n.Inputs[0].Shape)
	if err != nil {
		return nil, err
	}
	rows := graph.Elems(k.rows)
	x := &tir.Buffer{Name: "x", Type: n.Inputs[0].Type, Shape: []int64{rows, k.length}}
	out := &tir.Buffer{Name: "out", Type: tir.F32, Shape: []int64{rows, k.columns}}
	lanes, sum := Scratch("lanes", tir.I32, countedLanes), Scratch("sum", tir.I32, 1)
	comparisons := int64(0)
	v := tir.NewVar("row")
	s := []tir.Stmt{Loop("c", k.columns, func(c tir.Expr) tir.Stmt { return Store(out, tir.Float(tir.F32, 0), v, c) })}
	for i, g := range k.grams {
		for stride := int64(1); stride <= k.strides(g); stride++ {
			places := k.length - stride*int64(len(g.items)-1)
			if comparisons += int64(len(g.items)); places <= 0 {
				continue
			}
			found := func(at tir.Expr) tir.Expr {
				var all []tir.Expr
				for j, item := range g.items {
					e := Load(x, v, Add(at, tir.Int(stride*int64(j))))
					all = append(all, Eq(Cast(e, tir.I64), tir.Int(item)))
				}
				return tir.AllOf(all...)
			}
			cell := []tir.Expr{v, tir.Int(g.column)}
			s = append(s, Vector("clear", countedLanes, func(l tir.Expr) tir.Stmt { return Store(lanes, Num32(0), l) }),
				Chunks(fmt.Sprintf("i%d_%d", i, stride), places, func(base tir.Expr, width int64) tir.Stmt {
					return Vector("place", width, func(l tir.Expr) tir.Stmt {
						return Store(lanes, Add(Load(lanes, l), Sel(found(Add(base, l)), Num32(1), Num32(0))), l)
					})
				}),
				Store(sum, Num32(0), Zero),
				Loop("l", countedLanes, func(l tir.Expr) tir.Stmt {
					return Store(sum, Add(Load(sum, Zero), Load(lanes, l)), Zero)
				}),
				Store(out, Add(Load(out, cell...), Cast(Load(sum, Zero), tir.F32)), cell...))
		}
	}
	if comparisons > tfidfLimit {
		return nil, op.Unsupported("a program of %d comparisons: a pool of sequences that long", comparisons)
	}
	for c := range k.columns {
		cell := []tir.Expr{v, tir.Int(c)}
		e := Load(out, cell...)
		if k.mode == "IDF" {
			e = MinOf(e, Num(e, 1))
		}
		if k.mode != "TF" && k.weights != nil {
			e = Mul(e, Num(e, k.weights[c]))
		}
		if k.mode == "IDF" || k.mode != "TF" && k.weights != nil {
			s = append(s, Store(out, e, cell...))
		}
	}
	body := &tir.For{Var: v, Extent: tir.Int(rows), Kind: tir.Parallel, Body: Allocs(Seq(s...), lanes, sum)}
	return NewFunc(n.Op, 1, body, x, out), nil
}
