package budget

// A gain is what the next round of a task is expected to bring: seconds of the model, per trial or per second of
// tuning.
type gain struct {
	value float64
	why   Why
}

// gains returns what is expected of each task.
func (s *Scheduler) gains() []gain {
	limit := s.limit()
	each := s.secondsPerTrial()
	list := make([]gain, len(s.tasks))
	for i, t := range s.tasks {
		if t.best() == 0 { // it has trials, and none gave a time
			list[i] = gain{t.share() / t.rounds(), Guess}
		} else {
			list[i] = s.gain(t, limit)
		}
		if s.opt.PerSecond {
			list[i].value /= t.secondsPerTrial(each)
		}
	}
	return list
}

// gain returns what a round of a task is expected to shorten the model by. It is alpha times what the last rounds
// brought, and else what is hoped for: an optimistic guess, that t more rounds bring the time down to nothing where t
// rounds have led to it; or that it comes near to what similar tasks do per FLOP. Neither goes below the machine's
// limit.
func (s *Scheduler) gain(t *curve, limit limit) gain {
	g := t.best()
	hope, why := g/t.rounds(), Guess
	if like := g - s.similar(t); like > hope {
		hope, why = like, Similar
	}
	if left := max(g-limit.seconds(t.Work), 0); left < hope {
		hope, why = left, Limit
	}
	slope := t.slope()
	if alpha*slope > (1-alpha)*hope {
		why = Slope
	}
	return gain{t.Weight * (alpha*slope + (1-alpha)*hope), why}
}

// similar returns the time at which t would be beta times as slow per FLOP as the fastest task that is like it; its own
// time if there is none, or if it had more rounds than they.
func (s *Scheduler) similar(t *curve) float64 {
	perFLOP, most := 0.0, 0.0
	for _, other := range s.tasks {
		if other == t || other.Like != t.Like || t.Like == "" || other.best() == 0 || other.FLOPs <= 0 {
			continue
		}
		if r := other.best() / other.FLOPs; perFLOP == 0 || r < perFLOP {
			perFLOP = r
		}
		most = max(most, other.rounds())
	}
	if perFLOP == 0 || t.rounds() > most {
		return t.best()
	}
	return beta * perFLOP * t.FLOPs
}

// A limit is what the machine can do: FLOPs and bytes per second.
type limit struct{ flops, bytes float64 }

// limit estimates it by the tasks that come nearest to it.
func (s *Scheduler) limit() limit {
	var l limit
	for _, t := range s.tasks {
		if g := t.best(); g > 0 {
			l.flops = max(l.flops, headroom*t.FLOPs/g)
			l.bytes = max(l.bytes, headroom*t.Bytes/g)
		}
	}
	return l
}

// seconds returns the least time that a task can take.
func (l limit) seconds(t Work) float64 {
	sum := 0.0
	if l.flops > 0 {
		sum = t.FLOPs / l.flops
	}
	if l.bytes > 0 {
		sum = max(sum, t.Bytes/l.bytes)
	}
	return sum
}

// secondsPerTrial returns the mean of all tasks; 0 if nothing is known.
func (s *Scheduler) secondsPerTrial() float64 {
	took, trials := 0.0, 0
	for _, t := range s.tasks {
		took += t.took
		trials += t.tookFor
	}
	return took / float64(max(trials, 1))
}
