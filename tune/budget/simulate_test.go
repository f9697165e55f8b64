package budget

import (
	"bufio"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"testing"
)

// A recorded is a line of testdata/curves.jsonl: a task that AutoScheduler tuned (logs of a Xeon Platinum 8358, from
// public forks of TLCBench), and the trials at which its best time fell, in microseconds.
type recorded struct {
	Task         string
	Like         string
	FLOPs, Bytes float64
	Trials       int
	Best         [][2]float64
}

func curves(t testing.TB) []recorded {
	t.Helper()
	f, err := os.Open("testdata/curves.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var list []recorded
	for s := bufio.NewScanner(f); s.Scan(); {
		var r recorded
		if err := json.Unmarshal(s.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		list = append(list, r)
	}
	if len(list) < 10 {
		t.Fatalf("%d curves", len(list))
	}
	return list
}

// at returns the cost of a trial, from 1: that of the best so far, since only that counts; 0 before the first.
func (r *recorded) at(trial int) float64 {
	cost := 0.0
	for _, b := range r.Best {
		if int(b[0]) > trial {
			break
		}
		cost = b[1] / 1e6
	}
	return cost
}

// A simulated model has tasks with recorded curves.
type simulated struct {
	tasks []Work
	curve []recorded
	scale []float64 // of times, FLOPs and bytes
}

// draw makes a model of 8 to 20 tasks. Their times, at the end of their curves, are between 20 and 400 us, as in models
// of a processor; each stands 1 to 12 times in the model.
func draw(list []recorded, seed uint64) *simulated {
	rng := rand.New(rand.NewPCG(seed, 24))
	m := &simulated{}
	for _, i := range rng.Perm(len(list))[:8+rng.IntN(13)] {
		r := list[i]
		final := 20e-6 * math.Exp(rng.Float64()*math.Log(20))
		k := final / r.at(r.Trials)
		m.curve, m.scale = append(m.curve, r), append(m.scale, k)
		weight := math.Round(math.Exp(rng.Float64() * math.Log(12)))
		m.tasks = append(m.tasks, Work{Weight: weight, FLOPs: r.FLOPs * k, Bytes: r.Bytes * k, Like: r.Like})
	}
	return m
}

func (m *simulated) cost(task, trial int) float64 { return m.scale[task] * m.curve[task].at(trial) }

// time returns what the model takes after so many trials of each task. A task without a time takes ten times as long as
// at its first.
func (m *simulated) time(trials []int) float64 {
	sum := 0.0
	for i, n := range trials {
		c := m.cost(i, n)
		if c == 0 {
			c = 10 * m.scale[i] * m.curve[i].Best[0][1] / 1e6
		}
		sum += m.tasks[i].Weight * c
	}
	return sum
}

const firstRound, otherRound = 4, 16

// gradient divides a budget with a Scheduler.
func (m *simulated) gradient(budget int, seed uint64) []int {
	s := New(m.tasks, Options{Seed: seed, First: firstRound, Round: otherRound})
	trials := make([]int, len(m.tasks))
	for {
		c, ok := s.Next(budget - s.Total())
		if !ok {
			return trials
		}
		for range c.Trials {
			trials[c.Task]++
			s.Report(c.Task, m.cost(c.Task, trials[c.Task]))
		}
	}
}

// proportional divides a budget by shares, after a first round of each task.
func (m *simulated) proportional(budget int, share func(t Work) float64) []int {
	trials := make([]int, len(m.tasks))
	left := budget
	give := func(i, n int) {
		n = min(n, left)
		trials[i] += n
		left -= n
	}
	for i := range trials {
		give(i, firstRound)
	}
	for left > 0 {
		next := 0
		for i, t := range m.tasks {
			if float64(trials[i])/share(t) < float64(trials[next])/share(m.tasks[next]) {
				next = i
			}
		}
		give(next, otherRound)
	}
	return trials
}

// TestSimulation: on 100 models of recorded tasks the gradient is better, on the mean, than to give all tasks the same,
// and than to give them trials by their weights.
func TestSimulation(t *testing.T) {
	list := curves(t)
	for _, perTask := range []int{16, 32, 64, 128, 256} {
		var robin, weight, time float64
		wins := 0
		const seeds = 100
		for seed := range uint64(seeds) {
			m := draw(list, seed)
			budget := perTask * len(m.tasks)
			ours := m.time(m.gradient(budget, seed))
			even := m.time(m.proportional(budget, func(Work) float64 { return 1 }))
			robin += math.Log(even/ours) / seeds
			weight += math.Log(m.time(m.proportional(budget, func(t Work) float64 { return t.Weight }))/ours) / seeds
			time += math.Log(m.time(m.proportional(budget, func(t Work) float64 {
				return t.Weight * t.Guess()
			}))/ours) / seeds
			if ours <= even {
				wins++
			}
		}
		t.Logf("%3d trials per task: round-robin takes %.3f times as long, by weight %.3f, by weight and FLOPs %.3f; "+
			"%d of %d better than round-robin", perTask, math.Exp(robin), math.Exp(weight), math.Exp(time), wins, seeds)
		if robin <= 0 || weight <= 0 {
			t.Errorf("%d trials per task: the gradient is no better", perTask)
		}
	}
}
