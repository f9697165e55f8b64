// Package encoder turns the text of a program (package tir/compact) into a vector
// of 128 numbers: tokens with numbers beside them (ReadNumbers), windows of them
// through a small transformer, their means, a head, length 1. It is trained by contrast (Chen et al. 2020): a program
// and a rewriting of it that means the same are near each other, other programs of the same task and of other tasks are
// far, and twelve facts of the program can be read off the vector. A search encodes one program per task.
//
// The package must not know actions (transition), nor how vectors are scored.
package encoder

import (
	"encoding/json"
	"fmt"
	"math"
	"runtime"
	"strconv"

	"golang.org/x/sync/errgroup"

	"github.com/wmtune/wmtune/encoder/bpe"
	"github.com/wmtune/wmtune/nn"
	"github.com/wmtune/wmtune/nn/onnx"
	"github.com/wmtune/wmtune/tir/target"
)

// A Model encodes programs. It may be used by several goroutines.
type Model struct {
	forward *forward
	tok     *bpe.Tokenizer
	meta    map[string]string
}

// Load reads encoder.onnx and tokenizer.json, which must be of one training.
func Load(encoderONNX, tokenizer []byte) (*Model, error) {
	tok, err := bpe.Load(tokenizer)
	if err != nil {
		return nil, fmt.Errorf("encoder: %w", err)
	}
	file, err := onnx.Load(encoderONNX)
	if err != nil {
		return nil, fmt.Errorf("encoder: %w", err)
	}
	m := &Model{tok: tok, meta: file.Meta()}
	switch version := m.meta["wmtune.version"]; {
	case m.meta["wmtune.part"] != "encoder":
		return nil, fmt.Errorf("encoder: the ONNX file is no encoder of wmtune (its metadata call it %q)",
			m.meta["wmtune.part"])
	case version != fmt.Sprint(formatVersion):
		return nil, fmt.Errorf("encoder: the ONNX file is of version %s, this program reads version %d: train it again, or "+
			"use the wmtune that did", version, formatVersion)
	case m.meta["wmtune.numbers"] != fmt.Sprint(numbersVersion):
		return nil, fmt.Errorf("encoder: the network was trained on numbers of texts of version %q, this program computes "+
			"version %d: train it again, or use the wmtune that did", m.meta["wmtune.numbers"], numbersVersion)
	case m.meta["wmtune.tokenizer"] != tok.Hash():
		return nil, fmt.Errorf("encoder: the network was trained with another tokenizer: tokenizer.json has SHA-256 %.12s, "+
			"the metadata say %.12s; keep the two files of one training together",
			tok.Hash(), m.meta["wmtune.tokenizer"])
	}
	if m.forward, err = readForward(file, tok.Size()); err != nil {
		return nil, fmt.Errorf("encoder: encoder.onnx: %w", err)
	}
	if _, err := m.Encode([]string{"for l0 2\n"}); err != nil {
		return nil, err
	}
	return m, nil
}

// Kind returns the kind of targets whose programs it was trained on.
func (m *Model) Kind() target.Kind { return target.Kind(m.meta["wmtune.kind"]) }

// Meta returns the metadata of the file.
func (m *Model) Meta() map[string]string { return m.meta }

// Truncated reports whether a text is longer than all windows, so that its vector
// says nothing of its middle.
func (m *Model) Truncated(text string) bool {
	all := tokenize(m.tok, text)
	_, truncated := all.windows(longest)
	return truncated
}

// Encode returns a vector of length 1 for each text. A text's vector does not depend
// on the others.
func (m *Model) Encode(texts []string) ([][]float32, error) {
	list := make([][]float32, len(texts))
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i, text := range texts {
		g.Go(func() (err error) {
			if list[i], err = m.encode(text); err != nil {
				err = fmt.Errorf("encoder: text %d: %w", i, err)
			}
			return err
		})
	}
	return list, g.Wait()
}

// encode encodes one text.
func (m *Model) encode(text string) ([]float32, error) {
	all := tokenize(m.tok, text)
	all.number(m.tok, text)
	list, _ := all.windows(longest)
	z := m.forward.vector(list)
	if squares := dot(z, z); math.Abs(squares-1) > 1e-3 {
		return nil, fmt.Errorf("the network returns a vector of length %v: its weights are damaged", math.Sqrt(squares))
	} else if math.IsNaN(squares) {
		return nil, fmt.Errorf("the network returns what is no number: its weights are damaged")
	}
	return z, nil
}

// An exporter writes a network as ONNX.
type exporter struct {
	*onnx.Builder
	params *nn.Parameters
}

// export returns encoder.onnx. Its inputs are ids [windows, length] of tokens, mask
// [windows, length] that is 1 where there is a token, numbers [windows, length, Numbers]
// beside the tokens, and texts [texts, windows] that is 1 where a window is of a text;
// its output is vectors [texts, 128].
func (t *trainer) export() ([]byte, error) {
	e := &exporter{onnx.New("wmtune-encoder"), t.params}
	ids := e.Input("ids", onnx.Int64, "windows", "length")
	mask := e.Input("mask", onnx.Float32, "windows", "length")
	texts := e.Input("texts", onnx.Float32, "texts", "windows")
	numbers := e.Input("numbers", onnx.Float32, "windows", "length", strconv.Itoa(Numbers))

	length := e.Node("Slice", []string{e.Node("Shape", []string{ids}), e.ints("one", 1), e.ints("two", 2),
		e.ints("first", 0)})
	positions := e.Node("Slice", []string{e.weight("positions.table", 0), "first", length, "first"})
	h := e.Node("Add", []string{e.Node("Gather", []string{e.weight("tokens.table", 0), ids}), positions})
	e.number("root2", math.Sqrt2)
	e.number("half", 0.5)
	e.number("unit", 1)
	h = e.Node("Add", []string{h, e.linear("numbers2", e.gelu(e.linear("numbers1", numbers)))})
	unseen := e.Node("Mul", []string{e.Node("Sub", []string{mask, "unit"}), e.number("far", unseen)})
	unseen = e.Node("Unsqueeze", []string{unseen, e.ints("axes12", 1, 2)})
	e.number("scale", attentionScale)
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
	at := e.Node("Unsqueeze", []string{mask, "last"})
	heat := e.Node("Slice", []string{numbers, e.ints("heat", lineHeat), e.ints("after", lineHeat+1), "two"})
	heat = e.Node("Mul", []string{heat, e.number("heatScale", heatScale)})
	e.number("bound", nn.PoolBound)
	pooled := e.Node("Concat", []string{
		e.mean(texts, e.Node("Mul", []string{h, at}), at),
		e.pool(texts, h, e.linear("pool", h), at, e.spread()),
		e.mean(texts, e.Node("Mul", []string{numbers, at}), at),
		e.pool(texts, numbers, heat, at, ""),
	}, onnx.Int("axis", -1))
	z := e.linear("head2", e.gelu(e.linear("head1", pooled)))
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
		"wmtune.facts": string(facts), "wmtune.numbers": strconv.Itoa(numbersVersion),
	}, nil
}

// mean returns the sums of rows [windows, length, n] of each text over those of their
// weights.
func (e *exporter) mean(texts, rows, weights string) string {
	of := func(x string) string {
		return e.Node("MatMul", []string{texts, e.Node("ReduceSum", []string{x, "one"}, onnx.Int("keepdims", 0))})
	}
	return e.Node("Div", []string{of(rows), of(weights)})
}

// pool is nn.Network.SegmentPool: at is 1 where there is a token, and spread makes the
// weights of columns of those of heads; there is one head if it is "".
func (e *exporter) pool(texts, rows, scores, at, spread string) string {
	bounded := e.Node("Tanh", []string{e.Node("Div", []string{scores, "bound"})})
	weights := e.Node("Exp", []string{e.Node("Mul", []string{bounded, "bound"})})
	weights = e.Node("Mul", []string{weights, at})
	if spread != "" {
		weights = e.Node("MatMul", []string{weights, spread})
	}
	return e.mean(texts, e.Node("Mul", []string{rows, weights}), weights)
}

// spread returns a matrix that makes the weights of columns of those of heads.
func (e *exporter) spread() string {
	spread := make([]float32, heads*Size)
	for k := range Size {
		spread[k/(Size/heads)*Size+k] = 1
	}
	return e.Weight("spread", []int{heads, Size}, spread)
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
