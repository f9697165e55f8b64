package budget

import "slices"

// A curve is what was measured of a task.
type curve struct {
	Work
	round     int // trials of a round
	trials    int
	at        []int     // trials at which there was a better time, from 1
	times     []float64 // those times, in seconds
	took      float64   // seconds that tookFor trials took
	tookFor   int
	exhausted bool
	passed    bool
}

func (c *curve) add(seconds float64) {
	c.trials++
	if b := c.best(); seconds > 0 && (b == 0 || seconds < b) {
		c.at, c.times = append(c.at, c.trials), append(c.times, seconds)
	}
}

// best returns the best time, 0 if there is none.
func (c *curve) best() float64 { return c.bestAt(c.trials) }

// bestAt returns the best time after a number of trials.
func (c *curve) bestAt(trials int) float64 {
	i, found := slices.BinarySearch(c.at, trials)
	if found {
		i++
	}
	if i == 0 {
		return 0
	}
	return c.times[i-1]
}

// rounds returns how many rounds the trials are worth, one at the least.
func (c *curve) rounds() float64 { return max(float64(c.trials)/float64(c.round), 1) }

// slope returns what the last rounds shortened the task by, per round; 0 before there was a full window of them after
// the first round, which falls steeply whatever the task.
func (c *curve) slope() float64 {
	from := c.trials - window*c.round
	if from < c.round || c.bestAt(from) == 0 {
		return 0
	}
	return (c.bestAt(from) - c.best()) / window
}

// live reports whether the task may be given rounds.
func (c *curve) live() bool {
	return !c.exhausted && !c.passed && (c.best() > 0 || c.trials < dead*c.round)
}

// converged reports whether long nothing came of rounds: of a good part of all that the task had.
func (c *curve) converged() bool {
	from := min(c.trials-patience*c.round, c.trials/2)
	return c.best() > 0 && from > 0 && c.bestAt(from) > 0 && c.best() > (1-progress)*c.bestAt(from)
}

// share is the time that the model spends in the task.
func (c *curve) share() float64 {
	if b := c.best(); b > 0 {
		return c.Weight * b
	}
	return c.Weight * c.Guess()
}

// secondsPerTrial returns how long a trial is expected to take; mean is that of all tasks.
func (c *curve) secondsPerTrial(mean float64) float64 {
	const prior = 4 // trials that the mean counts for
	if mean == 0 {
		return 1
	}
	return (c.took + prior*mean) / float64(c.tookFor+prior)
}
