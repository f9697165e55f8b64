package pass

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/array"
	"github.com/wmtune/wmtune/tir"
)

// A Precision is a way in which a user allows a model to be rounded.
type Precision struct {
	Name string
	What string    // is rounded, and how
	Type tir.DType // of the operands of products, where instructions for it are faster than float32's; Invalid: theirs

	// nil: nothing
	round func(ctx context.Context, g *graph.Graph, opt Options) (products int, err error)
	least string // what a product must have
}

const pairsOfWeights = "pairs of weights to add up, but for what Winograd's algorithm computes faster in float32"

// Precisions has all precisions, that of the model first.
var Precisions = []Precision{
	{Name: "float32", What: "nothing"},
	{"bf16", "operands of products (Conv, MatMul, Gemm), to bfloat16", tir.BF16, halve(tir.BF16),
		pairsOfWeights},
	{"f16", "operands and sums of products by weights (Conv, MatMul, Gemm), to float16", tir.F16, halve(tir.F16),
		pairsOfWeights},
	{"int8w", "weights of matrix products, to 8 bits in blocks of 32, symmetric, by the largest of each", tir.Invalid,
		roundWeights(8), fmt.Sprint(roundedBlock, " rows or more")},
	{"int4w", "weights of matrix products, to 4 bits in blocks of 32, symmetric, by the largest of each", tir.Invalid,
		roundWeights(4), fmt.Sprint(roundedBlock, " rows or more")},
	{"int8a", "the operand of matrix products that is multiplied by weights of few bits, to 8 bits in the weights' blocks",
		tir.Invalid, roundRows, "weights of few bits in whole blocks of rows"},
	{"int8w-int8a", "weights as int8w, and what they are multiplied by as int8a", tir.Invalid, both(8), wholeBlocks},
	{"int4w-int8a", "weights as int4w, and what they are multiplied by as int8a", tir.Invalid, both(4), wholeBlocks},
}

const wholeBlocks = "whole blocks of 32 rows"

// both rounds weights to bits, and then rows to bytes.
func both(bits int64) func(ctx context.Context, g *graph.Graph, opt Options) (int, error) {
	return func(ctx context.Context, g *graph.Graph, opt Options) (int, error) {
		if _, err := roundWeights(bits)(ctx, g, opt); err != nil {
			return 0, err
		}
		return roundRows(ctx, g, opt)
	}
}

// PrecisionOf returns the precision of a name; "" is that of the model.
func PrecisionOf(name string) (p Precision, ok bool) {
	i := slices.IndexFunc(Precisions, func(p Precision) bool { return p.Name == name || name == "" })
	if i < 0 {
		return p, false
	}
	return Precisions[i], true
}

// PrecisionNames lists the names of Precisions.
func PrecisionNames() string {
	var names []string
	for _, p := range Precisions {
		names = append(names, p.Name)
	}
	return strings.Join(names, ", ")
}

// SumType is the type of the sums of products of Type.
func (p Precision) SumType() tir.DType {
	if p.Type == tir.F16 {
		return tir.F16
	}
	return tir.F32
}

// roundedBlock is how many rows of a weight have one scale.
const roundedBlock = 32

// Rounded returns a graph that is rounded as the precision of the options says, and how many products are; g itself
// where it rounds nothing.
func Rounded(ctx context.Context, g *graph.Graph, opt Options) (*graph.Graph, int, error) {
	precision := opt.Precision
	p, ok := PrecisionOf(precision)
	switch {
	case !ok:
		return nil, 0, fmt.Errorf("precision %q is unknown: there are %s", precision, PrecisionNames())
	case p.round == nil:
		return g, 0, nil
	}
	g, _ = g.Clone()
	if err := infer(ctx, g); err != nil {
		return nil, 0, err
	}
	count, err := p.round(ctx, g, opt)
	if err == nil && count == 0 {
		err = fmt.Errorf("precision %s rounds %s, and the model has none of %s: leave --precision out",
			p.Name, p.What, p.least)
	}
	return g, count, err
}

// roundWeights returns what rounds weights to bits. Other passes find what the weights were dequantized from
// (packWeights).
func roundWeights(bits int64) func(ctx context.Context, g *graph.Graph, opt Options) (int, error) {
	return func(ctx context.Context, g *graph.Graph, _ Options) (count int, err error) {
		done := map[*graph.Value]*graph.Value{}
		err = subgraphs(g, func(g *graph.Graph) error {
			for _, n := range g.Nodes {
				if n.Op != "MatMul" && n.Op != "Gemm" || n.Domain != "" {
					continue
				}
				w, turned := n.Inputs[1], n.Op == "Gemm" && n.Int("transB", 0) != 0
				if w.Const == nil || w.Dequantized != nil || len(w.Shape) != 2 || w.Type != tir.F32 && w.Type != tir.F16 {
					continue
				}
				if done[w] == nil {
					d, err := roundedWeights(ctx, w, turned, bits)
					if err != nil {
						return err
					}
					done[w] = d
				}
				if done[w] != w {
					count++
				}
				n.Inputs[1] = done[w]
			}
			return nil
		})
		return count, err
	}
}

// roundedWeights returns weights that are dequantized from integers, or w if it has few rows, or numbers that are not
// finite. Turned says that the rows of the product are the columns of w.
func roundedWeights(ctx context.Context, w *graph.Value, turned bool, bits int64) (*graph.Value, error) {
	x := w.Const.Tensor()
	axis := 0
	if turned {
		axis = 1
	}
	if w.Shape[axis] < roundedBlock || !array.AllFinite(x.F) {
		return w, nil
	}
	shape := slices.Clone(w.Shape)
	shape[axis] = (shape[axis] + roundedBlock - 1) / roundedBlock
	at := func(i int) int64 {
		p := [2]int64{int64(i) / w.Shape[1], int64(i) % w.Shape[1]}
		p[axis] /= roundedBlock
		return p[0]*shape[1] + p[1]
	}
	most := float64(int64(1)<<(bits-1) - 1)
	scale, q := graph.NewTensor(w.Type, shape...), graph.NewTensor(tir.I8, w.Shape...)
	for i, v := range x.F {
		scale.F[at(i)] = max(scale.F[at(i)], math.Abs(v)/most)
	}
	scale = scale.Const().Tensor()
	for i, v := range x.F {
		if s := scale.F[at(i)]; s > 0 {
			q.I[i] = int64(max(-most, min(most, math.RoundToEven(v/s))))
		}
	}
	y := &graph.Value{Name: w.Name + ".rounded"}
	n := &graph.Node{Op: "DequantizeLinear", Version: op.Newest, Outputs: []*graph.Value{y},
		Inputs: []*graph.Value{graph.Constant(w.Name+".integers", q), graph.Constant(w.Name+".scale", scale)}}
	n.SetAttr(graph.IntAttr("axis", int64(axis)), graph.IntAttr("block_size", roundedBlock))
	_, err := op.InferNode(ctx, n)
	return y, err
}
