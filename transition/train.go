package transition

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/gob"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
)

// A Training is one that tells how far it is and can go on after it was killed.
type Training struct {
	Progress func(step, steps int, loss float64) // after each batch; may be nil

	Every int                           // batches between checkpoints
	Save  func(checkpoint []byte) error // may be nil
	From  []byte                        // the last checkpoint of the same training; nil: from the beginning
}

// A checkpoint is where a training is.
type checkpoint struct {
	Recipe  Recipe
	Seed    uint64
	Member  int    // that is being trained
	Step    int    // batches that it has learned from
	Random  []byte // state of the source
	Weights []byte // graph.Parameters.Snapshot
	Done    []byte // the members before, as a model; nil if there is none
}

// Train trains the networks of a recipe. Progress, which may be nil, is told after
// each batch. The same data, recipe and seed give the same model.
func Train(ctx context.Context, d *Data, r Recipe, seed uint64, progress func(step, steps int, loss float64)) (*Model, error) {
	return (&Training{Progress: progress}).Run(ctx, d, r, seed)
}

// Run is Train. A training that goes on from a checkpoint ends with the same bytes as
// one that was never interrupted.
func (o *Training) Run(ctx context.Context, d *Data, r Recipe, seed uint64) (*Model, error) {
	if len(d.Groups) == 0 {
		return nil, fmt.Errorf("transition: no task to learn from")
	}
	m := &Model{Form: r.Form}
	var from checkpoint
	if o.From != nil {
		if err := from.decode(o.From); err != nil {
			return nil, err
		}
		if fmt.Sprint(from.Recipe, from.Seed) != fmt.Sprint(r, seed) {
			return nil, fmt.Errorf("transition: the checkpoint is of another recipe or seed: delete it")
		}
		if from.Done != nil {
			done, err := Load(from.Done)
			if err != nil {
				return nil, fmt.Errorf("transition: checkpoint: %w", err)
			}
			m.Members = done.Members
		}
	}
	for k := len(m.Members); k < max(r.Members, 1); k++ {
		t := &trainer{recipe: r, data: d, source: rand.NewPCG(seed, uint64(5+k))}
		t.rng = rand.New(t.source)
		t.measure()
		if err := t.build(seed + uint64(k)<<32); err != nil {
			return nil, err
		}
		first := 0
		if from.Weights != nil && from.Member == k {
			if err := t.restore(&from); err != nil {
				return nil, err
			}
			first = from.Step
		}
		if err := o.member(ctx, t, m, checkpoint{Recipe: r, Seed: seed, Member: k, Step: first}); err != nil {
			return nil, err
		}
		m.Members = append(m.Members, t.member())
		if err := t.net.Close(); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// member trains one network from where c says.
func (o *Training) member(ctx context.Context, t *trainer, before *Model, c checkpoint) error {
	for step := c.Step; step < c.Recipe.Steps; step++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := t.step(step); err != nil {
			return err
		}
		if o.Progress != nil {
			o.Progress(c.Member*c.Recipe.Steps+step+1, max(c.Recipe.Members, 1)*c.Recipe.Steps, t.loss)
		}
		if o.Save == nil || o.Every <= 0 || (step+1)%o.Every != 0 {
			continue
		}
		c.Step = step + 1
		data, err := c.encode(t, before)
		if err != nil {
			return err
		}
		if err := o.Save(data); err != nil {
			return err
		}
	}
	return nil
}

func (c checkpoint) encode(t *trainer, before *Model) ([]byte, error) {
	var err error
	if c.Random, err = t.source.MarshalBinary(); err != nil {
		return nil, err
	}
	c.Weights = t.net.Parameters().Snapshot()
	if len(before.Members) > 0 {
		if c.Done, err = before.Bytes(); err != nil {
			return nil, err
		}
	}
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(c); err != nil {
		return nil, err
	}
	return binary.LittleEndian.AppendUint32(b.Bytes(), crc32.ChecksumIEEE(b.Bytes())), nil
}

func (c *checkpoint) decode(data []byte) error {
	n := len(data) - 4
	if n < 0 || crc32.ChecksumIEEE(data[:n]) != binary.LittleEndian.Uint32(data[n:]) {
		return fmt.Errorf("transition: the checkpoint is damaged (%d bytes): delete it", len(data))
	}
	if err := gob.NewDecoder(bytes.NewReader(data[:n])).Decode(c); err != nil {
		return fmt.Errorf("transition: checkpoint: %w", err)
	}
	return nil
}

func (t *trainer) restore(c *checkpoint) error {
	if err := t.source.UnmarshalBinary(c.Random); err != nil {
		return fmt.Errorf("transition: checkpoint: %w", err)
	}
	return t.net.Parameters().Restore(c.Weights)
}
