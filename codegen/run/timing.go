package run

import (
	"fmt"
	"math"

	"github.com/wmtune/wmtune/dataset/measure"
)

// time takes one round of samples of a loaded candidate.
func (w *server) time(o *timeOrder, ans *answer) error {
	c := w.loaded[o.ID]
	bad, err := c.ready()
	if bad != "" || err != nil {
		ans.Status, ans.Message = measure.WrongAnswer, bad
		return err
	}
	if ans.Samples, ans.Repeat, err = sample(c, o.sampling); err == nil {
		ans.Status, ans.Clock = measure.OK, w.engine.clock()
	}
	return err
}

// verify calls a loaded candidate on poisoned outputs and compares them, so that
// a kernel which stops computing once it has been checked is caught.
func (w *server) verify(o *loadOrder, ans *answer) error {
	bad, _, err := w.loaded[o.ID].try(trial{side: atUpper, set: homeSet[atUpper], poison: poisonNaN, timed: true,
		arithmetic: arithmetic{o.TF32, o.Growth}})
	if err != nil {
		return err
	}
	ans.Status = measure.OK
	if bad != "" {
		ans.Status, ans.Message = measure.WrongAnswer, "after it was timed: "+bad
	}
	return nil
}

// A sampling says how a kernel is timed.
type sampling struct {
	Calls     int     // samples wanted
	MinSample float64 // seconds; shorter calls are repeated within a sample
	AtLeast   int     // samples that are taken whatever they take, if that is not seconds
	MaxTotal  float64 // seconds after which no further sample is begun; 0: no bound
	Repeat    int     // calls per sample; 0: find out
	Enough    float64 // seconds of a long call above which it is the only sample; 0: no such bound
}

// sample calls a kernel once untimed, if it is short, then takes samples, and returns seconds per
// call and the number of calls in a sample. There is always one sample.
func sample(c candidate, o sampling) (samples []float64, repeat int, err error) {
	warm, err := c.call(1)
	if err != nil {
		return nil, 0, err
	}
	repeat = o.Repeat
	if o.AtLeast > 0 && warm >= worthGivingUp {
		// Caches matter little to a call this long, and the fastest sample ranks.
		if samples, repeat = append(samples, warm), 1; o.Enough > 0 && warm > o.Enough {
			return samples, repeat, nil
		}
	}
	if repeat <= 0 {
		repeat = 1
		for {
			t, err := c.call(repeat)
			if err != nil {
				return nil, 0, err
			}
			if t >= o.MinSample || repeat >= maxRepeat {
				samples = append(samples, t/float64(repeat))
				break
			}
			more := math.Ceil(1.1 * o.MinSample / max(t/float64(repeat), 1e-9))
			repeat = int(min(max(more, float64(repeat+1)), maxRepeat))
		}
	}
	total := 0.0
	for len(samples) < o.Calls && (len(samples) < o.AtLeast || o.MaxTotal == 0 || total < o.MaxTotal) &&
		(len(samples) == 0 || total < longCall) {
		t, err := c.call(repeat)
		if err != nil {
			return nil, 0, err
		}
		total += t
		samples = append(samples, t/float64(repeat))
	}
	return samples, repeat, nil
}

// maxRepeat bounds the calls of one sample; an empty kernel takes a nanosecond.
const maxRepeat = 1 << 20

// bench times a kernel whose results are of no interest.
func (w *server) bench(o *benchOrder, runtimeObject, object []byte, ans *answer) error {
	if err := w.found(&signature{Cores: o.Cores}, runtimeObject); err != nil {
		return err
	}
	p, err := w.base.link(object, o.Symbol, nil)
	if err != nil {
		return fmt.Errorf("run: %w", err)
	}
	defer p.close()
	var tensors []*guarded
	for _, n := range o.Buffers {
		g, err := newGuarded(n, atUpper)
		if err != nil {
			return err
		}
		defer g.close()
		clear(g.data)
		tensors = append(tensors, g)
	}
	args := newArgv(tensors)
	defer args.close()
	ans.Status = measure.OK
	ans.Samples, ans.Repeat, err = sample(&hostCandidate{w: w, p: p, args: args}, o.sampling)
	return err
}

// found links the run-time, once per process.
func (w *server) found(s *signature, runtimeObject []byte) error {
	if w.base != nil {
		return nil
	}
	if err := confine(s); err != nil {
		return err
	}
	base, err := linkBase(runtimeObject, s.Cores)
	if err != nil {
		return fmt.Errorf("run: the run-time: %w", err)
	}
	w.base = base
	return nil
}
