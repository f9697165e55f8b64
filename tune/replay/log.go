package replay

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/tune"
)

// An outLog is a new log of the records as they are measured now. Its methods do
// nothing if it is nil.
type outLog struct {
	path    string
	log     *dataset.Writer
	pending []dataset.Record
	held    map[string][]measure.Result // of a program's records that it held when it was opened, in order
}

// programOf identifies the program of a record, whatever measured it.
func programOf(rec *dataset.Record) string {
	return rec.Trajectory + " " + rec.Layout.String()
}

// apartFrom rejects an output log that is one of the replayed logs, by whatever name: its
// records would pass for measured now.
func apartFrom(out string, logs []string) error {
	there, err := os.Stat(out)
	if err != nil {
		return nil // a new log, or openOutLog says what is wrong with it
	}
	for _, log := range logs {
		if info, err := os.Stat(log); err == nil && os.SameFile(there, info) {
			return tune.Optionf("--out %s: it is the log %s, which is replayed: name a new log", out, log)
		}
	}
	return nil
}

// openOutLog makes a log, or goes on with one that an interrupted replay left.
func openOutLog(path string) (*outLog, error) {
	l := &outLog{path: path, held: map[string][]measure.Result{}}
	past := func(r dataset.Record) {
		program := programOf(&r)
		l.held[program] = append(l.held[program], measure.Result{Status: r.Status, Message: r.Message})
	}
	var err error
	l.log, err = dataset.OpenWriter(path, dataset.WriterOptions{Past: past})
	if err != nil {
		return nil, fmt.Errorf("--out: %w", err)
	}
	return l, nil
}

// leaveOut takes the records that a log holds already out of those chosen of logs, and
// calls note for each, with the result that the log has.
func (l *outLog) leaveOut(ctx context.Context, logs []string, chosen map[string]choice, note func(*pending)) error {
	if l == nil || len(l.held) == 0 {
		return nil
	}
	for _, log := range logs {
		rest := choice{}
		_, err := dataset.Each(ctx, log, func(number int, rec *dataset.Record) error {
			program := programOf(rec)
			switch {
			case !chosen[log].has(number):
			case len(l.held[program]) > 0:
				note(&pending{log: log, number: number, record: *rec, result: l.held[program][0]})
				l.held[program] = l.held[program][1:]
			default:
				rest[number] = true
			}
			return nil
		})
		if err != nil {
			return err
		}
		chosen[log] = rest
	}
	for _, rest := range l.held {
		if len(rest) > 0 {
			return fmt.Errorf("--out %s: it exists, and holds records that are not replayed now: name a new log", l.path)
		}
	}
	return nil
}

// add keeps how a record ended, until the next flush.
func (l *outLog) add(p *pending) {
	if l == nil {
		return
	}
	rec, res := p.record, p.result
	rec.Status, rec.Message, rec.Costs = res.Status, res.Message, res.Costs
	rec.Timing = measure.Repeated // now
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
func (l *outLog) flush() error {
	if l == nil {
		return nil
	}
	err := l.log.Append(l.pending)
	l.pending = nil
	return err
}

func (l *outLog) close() error {
	if l == nil {
		return nil
	}
	return errors.Join(l.flush(), l.log.Close())
}
