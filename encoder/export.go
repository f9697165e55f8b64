package encoder

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"

	"github.com/wmtune/wmtune/nn"
	"github.com/wmtune/wmtune/nn/onnx"
)

// An exporter writes a network as ONNX.
type exporter struct {
	*onnx.Builder
	params *nn.Parameters
}

// export returns encoder.onnx. Its inputs are ids [windows, length] of tokens, mask
// [windows, length] that is 1 where there is a token, and texts [texts, windows] that
// is 1 where a window is of a text; its output is vectors [texts, 128].
func (t *trainer) export() ([]byte, error) {
	e := &exporter{onnx.New("wmtune-encoder"), t.params}
	ids := e.Input("ids", onnx.Int64, "windows", "length")
	mask := e.Input("mask", onnx.Float32, "windows", "length")
	texts := e.Input("texts", onnx.Float32, "texts", "windows")

	length := e.Node("Slice", []string{e.Node("Shape", []string{ids}), e.ints("one", 1), e.ints("two", 2), e.ints("first", 0)})
	positions := e.Node("Slice", []string{e.weight("positions.table", 0), "first", length, "first"})
	h := e.Node("Add", []string{e.Node("Gather", []string{e.weight("tokens.table", 0), ids}), positions})
	unseen := e.Node("Mul", []string{e.Node("Sub", []string{mask, e.number("unit", 1)}), e.number("far", 1e9)})
	unseen = e.Node("Unsqueeze", []string{unseen, e.ints("axes12", 1, 2)})
	e.number("root2", math.Sqrt2)
	e.number("half", 0.5)
	e.number("scale", float32(1/math.Sqrt(Size/heads)))
	e.Ints("heads", []int{4}, []int64{0, 0, heads, Size / heads})
	e.Ints("joined", []int{3}, []int64{0, 0, Size})
	for i := range layers {
		name := func(part string) string { return fmt.Sprintf("layer%d.%s", i, part) }
		h = e.Node("Add", []string{h, e.attention(name, e.norm(name("norm1"), h), unseen)})
		up := e.gelu(e.linear(name("up"), e.norm(name("norm2"), h)))
		h = e.Node("Add", []string{h, e.linear(name("down"), up)})
	}
	h = e.norm("norm", h)
	e.Ints("last", []int{1}, []int64{-1})
	seen := e.Node("Mul", []string{h, e.Node("Unsqueeze", []string{mask, "last"})})
	sums := e.Node("MatMul", []string{texts, e.Node("ReduceSum", []string{seen, "one"}, onnx.Int("keepdims", 0))})
	counts := e.Node("MatMul", []string{texts, e.Node("ReduceSum", []string{mask, "one"}, onnx.Int("keepdims", 1))})
	z := e.linear("head2", e.gelu(e.linear("head1", e.Node("Div", []string{sums, counts}))))
	square := e.Node("ReduceSum", []string{e.Node("Mul", []string{z, z}), "last"}, onnx.Int("keepdims", 1))
	size := e.Node("Max", []string{e.Node("Sqrt", []string{square}), e.number("least", nn.UnitEpsilon)})
	e.Named("vectors", "Div", []string{z, size})
	e.Output("vectors", onnx.Float32, "texts", strconv.Itoa(Size))
	meta, err := t.meta()
	if err != nil {
		return nil, err
	}
	data, err := e.Bytes(meta)
	if err != nil {
		return nil, fmt.Errorf("encoder: %w", err)
	}
	return data, nil
}

// meta says what the network is and how it was trained.
func (t *trainer) meta() (map[string]string, error) {
	facts, err := json.Marshal(map[string]any{"mean": t.batches.scale.mean, "over": t.batches.scale.over})
	if err != nil {
		return nil, fmt.Errorf("encoder: %w", err)
	}
	return map[string]string{
		"wmtune.part": "encoder", "wmtune.version": strconv.Itoa(formatVersion), "wmtune.tokenizer": t.batches.tok.Hash(),
		"wmtune.kind": string(t.opts.Kind), "wmtune.training": t.identity, "wmtune.split": t.opts.Split,
		"wmtune.seed": strconv.FormatUint(t.opts.Seed, 10), "wmtune.batches": strconv.Itoa(t.params.Steps()),
		"wmtune.facts": string(facts),
	}, nil
}

func (e *exporter) weight(name string, add float32) string {
	p := e.params.Find(name)
	if p == nil {
		panic("BUG: encoder: no parameter " + name)
	}
	data := append([]float32(nil), p.Value...)
	for i := range data {
		data[i] += add
	}
	shape := []int{p.Rows, p.Cols}
	if p.Rows == 1 {
		shape = shape[1:]
	}
	return e.Weight(name, shape, data)
}

func (e *exporter) number(name string, v float32) string { return e.Weight(name, nil, []float32{v}) }

func (e *exporter) ints(name string, v ...int64) string { return e.Ints(name, []int{len(v)}, v) }

func (e *exporter) linear(name, x string) string {
	return e.Node("Add", []string{e.Node("MatMul", []string{x, e.weight(name+".weight", 0)}), e.weight(name+".bias", 0)})
}

func (e *exporter) norm(name, x string) string {
	return e.Node("LayerNormalization", []string{x, e.weight(name+".scale", 1), e.weight(name+".bias", 0)},
		onnx.Int("axis", -1), onnx.Float("epsilon", nn.NormEpsilon))
}

// gelu is x * (1 + erf(x/root 2)) * 1/2.
func (e *exporter) gelu(x string) string {
	erf := e.Node("Erf", []string{e.Node("Div", []string{x, "root2"})})
	return e.Node("Mul", []string{e.Node("Mul", []string{x, e.Node("Add", []string{erf, "unit"})}), "half"})
}

func (e *exporter) attention(name func(string) string, x, unseen string) string {
	parts := e.NodeN("Split", []string{e.linear(name("qkv"), x)}, 3, onnx.Int("axis", -1))
	for i, order := range [][]int64{{0, 2, 1, 3}, {0, 2, 3, 1}, {0, 2, 1, 3}} {
		parts[i] = e.Node("Transpose", []string{e.Node("Reshape", []string{parts[i], "heads"})}, onnx.Ints("perm", order...))
	}
	scores := e.Node("Mul", []string{e.Node("MatMul", []string{parts[0], parts[1]}), "scale"})
	weights := e.Node("Softmax", []string{e.Node("Add", []string{scores, unseen})}, onnx.Int("axis", -1))
	o := e.Node("Transpose", []string{e.Node("MatMul", []string{weights, parts[2]})}, onnx.Ints("perm", 0, 2, 1, 3))
	return e.linear(name("attention"), e.Node("Reshape", []string{o, "joined"}))
}
