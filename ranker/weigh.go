package ranker

import (
	"math"

	"github.com/wmtune/wmtune/ranker/metric"
)

// worthOf are how many candidates are taken, as Worth has it: from the choice that nobody measures to a round.
var worthOf = []int{1, 2, 4, 8, 16}

// Worth is what parts and objectives are chosen by, higher is better: the mean over tasks and over worthOf of the best
// quality among so many candidates with the highest scores.
func Worth(tasks []Candidates, score func(t *Candidates) []float64) float64 {
	sum := 0.0
	for i := range tasks {
		s := score(&tasks[i])
		for _, k := range worthOf {
			sum += metric.TopK(s, tasks[i].Quality, k)
		}
	}
	return sum / float64(max(len(tasks)*len(worthOf), 1))
}

// First is the mean quality of the candidates with the highest scores.
func First(tasks []Candidates, score func(t *Candidates) []float64) float64 {
	sum := 0.0
	for i := range tasks {
		sum += metric.TopK(score(&tasks[i]), tasks[i].Quality, 1)
	}
	return sum / float64(max(len(tasks), 1))
}

// tellingCandidates is how many timed candidates a task has whose order tells scorers apart, and tellingTasks how many
// such tasks choose alone: among the best 16 of 20 in any order there is one of the fastest.
const tellingCandidates, tellingTasks = 40, 40

// telling returns the tasks with tellingCandidates or more, or all if there are few.
func telling(tasks []Candidates) []Candidates {
	var list []Candidates
	for _, t := range tasks {
		timed := 0
		for _, q := range t.Quality {
			if q > 0 {
				timed++
			}
		}
		if timed >= tellingCandidates {
			list = append(list, t)
		}
	}
	if len(list) < tellingTasks {
		return tasks
	}
	return list
}

// weightSteps is how finely weights are looked for.
const weightSteps = 10

// evenWorth is what even weights are worth on evenTasks tasks or fewer, times 2/3, more than a part alone. On a dozen
// tasks, which is what the logs of one GPU leave for validation, most weights are of equal Worth and the best of them
// by chance; parts that err in different tasks err less together (docs/design/world-model.md, "Weights"). Chance
// shrinks with the root of the number of tasks, and so does this.
const (
	evenWorth = 0.02
	evenTasks = 40
)

// weigh chooses the weights of the parts.
func (m *Model) weigh(tasks []Candidates, o Options, r *Report) {
	best, scale := weights(tasks, m.alone(tasks), o.Fixed, r)
	m.parts = Parts{
		Trees: best[0], Network: best[1], Value: best[2],
		TreesScale: scale[0], NetworkScale: scale[1], ValueScale: scale[2],
	}
	r.Parts = m.parts
}

// weights returns the weights of parts that are of the best Worth on validation, of
// nearly equal ones the more even, and the parts' scales. Parts are scores by part,
// task and candidate. If weights are fixed, it returns these.
func weights(tasks []Candidates, parts [3][][]float64, fixed *Parts, r *Report) (best, scale [3]float64) {
	for p, scores := range parts {
		if scores == nil {
			continue
		}
		for _, s := range scores {
			scale[p] += deviation(s) / float64(len(scores))
		}
	}
	summed := func(w [3]float64) func(*Candidates) []float64 {
		i := -1
		return func(*Candidates) []float64 {
			i++
			sum := make([]float64, len(tasks[i].Quality))
			for p, scores := range parts {
				if w[p] > 0 {
					addTimes(sum, w[p]/scale[p], scores[i])
				}
			}
			return sum
		}
	}
	bonus := evenWorth * min(1, math.Sqrt(evenTasks/float64(len(tasks))))
	most := math.Inf(-1)
	for a := range weightSteps + 1 {
		for b := range weightSteps + 1 - a {
			w := [3]float64{float64(a), float64(b), float64(weightSteps - a - b)}
			usable := true
			for p := range w {
				w[p] /= weightSteps
				usable = usable && (w[p] == 0 || scale[p] > 0)
			}
			if !usable {
				continue
			}
			v := Worth(tasks, summed(w))
			for p, name := range []string{"trees", "network", "value"} {
				if w[p] == 1 {
					r.Scores[name], r.Scores[name+", first"] = v, First(tasks, summed(w))
				}
			}
			if even := bonus * (1 - w[0]*w[0] - w[1]*w[1] - w[2]*w[2]); v+even > most {
				most, best = v+even, w
			}
		}
	}
	if fixed != nil {
		best = [3]float64{fixed.Trees, fixed.Network, fixed.Value}
	}
	r.Scores["all"], r.Scores["all, first"] = Worth(tasks, summed(best)), First(tasks, summed(best))
	return best, scale
}

// alone returns the scores of trees, networks and values, by task; nil for a part
// that there is not.
func (m *Model) alone(tasks []Candidates) [3][][]float64 {
	var parts [3][][]float64
	for i := range tasks {
		t := &tasks[i]
		if m.trees != nil {
			parts[0] = append(parts[0], m.trees.scores(t))
		}
		if len(m.networks) > 0 {
			sum, part := make([]float64, len(t.Features)), make([]float64, len(t.Features))
			for _, n := range m.networks {
				n.score(t.Features, part)
				addTimes(sum, 1/float64(len(m.networks)), part)
			}
			parts[1] = append(parts[1], sum)
		}
		if t.Values != nil {
			s := make([]float64, len(t.Values))
			for k, v := range t.Values {
				s[k] = float64(v)
			}
			parts[2] = append(parts[2], s)
		}
	}
	return parts
}

// deviation returns the standard deviation.
func deviation(v []float64) float64 {
	sum, squares := 0.0, 0.0
	for _, x := range v {
		sum += x
	}
	mean := sum / float64(len(v))
	for _, x := range v {
		squares += (x - mean) * (x - mean)
	}
	return math.Sqrt(squares / float64(len(v)))
}
