package encoder

import (
	"bytes"
	"encoding/gob"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"
)

// A checkpoint is all that a training needs to go on.
type checkpoint struct {
	Training string // what is trained on what, and how: see Options.identity
	Batch    int    // batches done
	State    []byte // of the parameters and the optimiser
	Best     []byte // the same, where validation was best
	Score    float64
	Waited   int // validations since then

	Retrieval, R2 float64 // of the best
}

// save replaces the file of the checkpoint, which is whole at any time.
func (c *checkpoint) save(path string) error {
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(c); err != nil {
		return fmt.Errorf("encoder: checkpoint: %w", err)
	}
	if err := renameio.WriteFile(path, b.Bytes(), 0o644, renameio.WithTempDir(filepath.Dir(path))); err != nil {
		return fmt.Errorf("encoder: checkpoint: %w", err)
	}
	return nil
}

// loadCheckpoint reads the checkpoint of a training; nil if there is none.
func loadCheckpoint(path, training string) (*checkpoint, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("encoder: checkpoint: %w", err)
	}
	c := &checkpoint{}
	if err := gob.NewDecoder(bytes.NewReader(data)).Decode(c); err != nil {
		return nil, fmt.Errorf("encoder: checkpoint %s is damaged: %w; remove it to start again", path, err)
	}
	if c.Training != training {
		return nil, fmt.Errorf("encoder: checkpoint %s is of another training; remove it, or give the options and data that it began with", path)
	}
	return c, nil
}
