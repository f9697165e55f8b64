package encoder

import (
	"fmt"
	"math"
	"runtime"

	"golang.org/x/sync/errgroup"

	"github.com/wmtune/wmtune/encoder/bpe"
	"github.com/wmtune/wmtune/nn/onnx"
	"github.com/wmtune/wmtune/tir/target"
)

// A Model encodes programs. It may be used by several goroutines.
type Model struct {
	program *onnx.Program
	tok     *bpe.Tokenizer
	meta    map[string]string
}

// Load reads encoder.onnx and tokenizer.json, which must be of one training.
func Load(encoderONNX, tokenizer []byte) (*Model, error) {
	tok, err := bpe.Load(tokenizer)
	if err != nil {
		return nil, fmt.Errorf("encoder: %w", err)
	}
	program, err := onnx.Load(encoderONNX)
	if err != nil {
		return nil, fmt.Errorf("encoder: %w", err)
	}
	m := &Model{program: program, tok: tok, meta: program.Meta()}
	switch version := m.meta["wmtune.version"]; {
	case m.meta["wmtune.part"] != "encoder":
		return nil, fmt.Errorf("encoder: the ONNX file is no encoder of wmtune (its metadata call it %q)", m.meta["wmtune.part"])
	case version != fmt.Sprint(formatVersion):
		return nil, fmt.Errorf("encoder: the ONNX file is of version %s, this program reads version %d: train it again, or use the wmtune that did", version, formatVersion)
	case m.meta["wmtune.tokenizer"] != tok.Hash():
		return nil, fmt.Errorf("encoder: the network was trained with another tokenizer: tokenizer.json has SHA-256 %.12s, the metadata say %.12s; keep the two files of one training together",
			tok.Hash(), m.meta["wmtune.tokenizer"])
	}
	if shape, data, ok := program.Weight("tokens.table"); !ok || len(shape) != 2 || shape[0] != tok.Size() || shape[1] != Size {
		return nil, fmt.Errorf("encoder: the network has a table of %v (%d numbers) for a vocabulary of %d tokens", shape, len(data), tok.Size())
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
	_, truncated := windows(tokens(m.tok, text), longest)
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
	list, _ := windows(tokens(m.tok, text), longest)
	length := 0
	for _, w := range list {
		length = max(length, len(w))
	}
	ids, mask := make([]int64, len(list)*length), make([]float32, len(list)*length)
	texts := make([]float32, len(list))
	for i, w := range list {
		texts[i] = 1
		for k, id := range w {
			ids[i*length+k], mask[i*length+k] = int64(id), 1
		}
	}
	out, err := m.program.Run(map[string]onnx.Tensor{
		"ids":   onnx.IntTensor(ids, len(list), length),
		"mask":  onnx.FloatTensor(mask, len(list), length),
		"texts": onnx.FloatTensor(texts, 1, len(list)),
	})
	if err != nil {
		return nil, err
	}
	z := out["vectors"].Floats
	if len(z) != Size {
		return nil, fmt.Errorf("the network returns %d numbers, not %d", len(z), Size)
	}
	if squares := dot(z, z); math.Abs(squares-1) > 1e-3 { // also what is no number
		return nil, fmt.Errorf("the network returns a vector of length %v: its weights are damaged", math.Sqrt(squares))
	} else if math.IsNaN(squares) {
		return nil, fmt.Errorf("the network returns what is no number: its weights are damaged")
	}
	return z, nil
}
