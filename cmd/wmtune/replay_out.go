package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/wmtune/wmtune/dataset"
)

// A replayLog is a new log of records with what was measured now. Its methods do
// nothing if it is nil.
type replayLog struct {
	log     *dataset.Writer
	pending []dataset.Record
}

// newReplayLog makes a log that must not be there yet.
func newReplayLog(path string) (*replayLog, error) {
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("--out %s: it exists already: name a new log", path)
	}
	log, err := dataset.OpenWriter(path, dataset.WriterOptions{})
	if err != nil {
		return nil, err
	}
	return &replayLog{log: log}, nil
}

// add keeps how a record ended, until the next flush.
func (l *replayLog) add(p *pending) {
	if l == nil {
		return
	}
	rec, res := p.record, p.result
	rec.Status, rec.Message, rec.Costs = res.Status, res.Message, res.Costs
	rec.BuildSeconds, rec.RunSeconds, rec.Unix = p.built, res.Seconds, res.Unix
	if rec.Unix == 0 {
		rec.Unix = time.Now().Unix()
	}
	if p.target.Kind != "" {
		rec.Target = p.target
	}
	rec.Source = dataset.Source{} // what another tool measured
	l.pending = append(l.pending, rec)
}

// flush writes what was added, as a round.
func (l *replayLog) flush() error {
	if l == nil {
		return nil
	}
	err := l.log.Append(l.pending)
	l.pending = nil
	return err
}

func (l *replayLog) close() error {
	if l == nil {
		return nil
	}
	return errors.Join(l.flush(), l.log.Close())
}
