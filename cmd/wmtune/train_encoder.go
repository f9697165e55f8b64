package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/wmtune/wmtune/encoder"
	"github.com/wmtune/wmtune/models"
)

// encoderData says what the tokenizer and the encoder learn from.
func (t *training) encoderData() encoder.Data {
	return encoder.Data{Dirs: t.data, Kind: t.kind, Split: t.split, Seed: t.seed}
}

func trainTokenizer(ctx context.Context, t *training) error {
	data, err := encoder.TrainTokenizer(ctx, t.encoderData())
	if err != nil {
		return err
	}
	return t.putFiles(map[string][]byte{"tokenizer.json": data})
}

// trainEncoder trains the encoder, with its own checkpoints.
func trainEncoder(ctx context.Context, t *training) error {
	tokenizer, err := os.ReadFile(filepath.Join(t.out, "tokenizer.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no tokenizer.json in %s: train the tokenizer first, or all", t.out)
	}
	if err != nil {
		return err
	}
	o := encoder.Defaults(t.kind)
	o.Data, o.Tokenizer, o.Batches = t.encoderData(), tokenizer, t.steps(o.Batches)
	o.Every = min(o.Every, o.Batches)
	if o.Checkpoint, err = t.checkpoint("encoder"); err != nil {
		return err
	}
	o.Progress = func(p encoder.Progress) {
		t.tell("batches", p.Batch, p.Batches, p.Contrast+p.Tell)
		if p.Validated {
			t.progress.say("encoder: after %d batches: retrieval %.3f, R2 of facts %.3f", p.Batch, p.Retrieval, p.R2)
		}
		if p.Best {
			t.notes["encoder retrieval"], t.notes["encoder R2 of facts"] = p.Retrieval, p.R2
		}
	}
	data, err := encoder.Train(ctx, o)
	if err != nil {
		return err
	}
	return t.putFiles(map[string][]byte{"encoder.onnx": data})
}

// openEncoder opens the encoder in the folder, if there is one.
func (t *training) openEncoder() (*rolling, error) {
	m, err := t.loadEncoder()
	if errors.Is(err, fs.ErrNotExist) {
		return &rolling{}, nil
	}
	if err != nil {
		return nil, err
	}
	return &rolling{encode: m.Encode}, nil
}

// loadEncoder loads the encoder in the folder.
func (t *training) loadEncoder() (*encoder.Model, error) {
	network, err := os.ReadFile(filepath.Join(t.out, "encoder.onnx"))
	if err != nil {
		return nil, fmt.Errorf("the encoder is to be trained first: %w", err)
	}
	tokenizer, err := os.ReadFile(filepath.Join(t.out, "tokenizer.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no tokenizer.json in %s, which its encoder.onnx needs: train the tokenizer, or all", t.out)
	}
	if err != nil {
		return nil, err
	}
	return encoder.Load(network, tokenizer)
}

// embed encodes the program without steps of a task; zeros without an encoder.
func (m *rolling) embed(t *trainTask) ([]float32, error) {
	if m.encode == nil {
		return make([]float32, encoder.Size), nil
	}
	text, err := models.ProgramText(t.dag)
	if err != nil {
		return nil, err
	}
	z, err := m.encode([]string{text})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.Title(), err)
	}
	return z[0], nil
}
