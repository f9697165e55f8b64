package encoder

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// retrieved is among how many programs a view is looked for.
const retrieved = 256

// validate measures the network on tasks that it does not learn from, and saves a
// checkpoint.
func (t *trainer) validate(p *Progress) error {
	programs := t.validation.spread(retrieved)
	var texts, rewritten []string
	for i, s := range programs {
		texts = append(texts, s.text)
		rewritten = append(rewritten, Rewrite(s.text, rand.New(rand.NewPCG(t.opts.Seed, uint64(i)<<8|3))))
	}
	one, err := t.encode(texts)
	if err != nil {
		return err
	}
	two, err := t.encode(rewritten)
	if err != nil {
		return err
	}
	p.Validated = true
	p.Retrieval = retrieval(vectorsOf(one), vectorsOf(two))
	var told, facts [][]float64
	for i, s := range programs {
		f := t.batches.scale.apply(ReadFacts(s.text))
		told, facts = append(told, widen(one[i][Size:])), append(facts, widen(f[:]))
	}
	p.R2 = meanR2(told, facts)
	t.state.Waited++
	t.state.State = t.params.Snapshot()
	if score := p.Retrieval + p.R2; score > t.state.Score {
		t.state.Score, t.state.Best, t.state.Waited = score, t.state.State, 0
		t.state.Retrieval, t.state.R2 = p.Retrieval, p.R2
		p.Best = true
	}
	if t.opts.Checkpoint == "" {
		return nil
	}
	return t.state.save(t.opts.Checkpoint)
}

// spread returns at most so many programs of tasks that are spread over all, the first of each task at another place.
// Programs that begin their tasks have neither parallel loops nor vectors: what an encoder knows of these would not
// show.
func (s *sample) spread(most int) []*program {
	tasks := slices.DeleteFunc(slices.Clone(s.tasks), func(task []program) bool { return len(task) == 0 })
	n := min(len(tasks), most)
	var list []*program
	for k := 0; ; k++ {
		before := len(list)
		for i := range n {
			if task := tasks[i*len(tasks)/n]; k < len(task) && len(list) < most {
				list = append(list, &task[(i+k)%len(task)])
			}
		}
		if len(list) == before {
			return list
		}
	}
}

// encode runs the network without noise: a vector and facts for each text.
func (t *trainer) encode(texts []string) ([][]float32, error) {
	t.net.noise.Share = 0
	t.net.loss = func(_, derivative []float32) float64 { clear(derivative); return 0 }
	var list [][]float32
	var part [][]tokens
	size := 0
	run := func() error {
		t.net.fill(part)
		out, err := t.net.Run()
		if err != nil {
			return fmt.Errorf("encoder: validation: %w", err)
		}
		for i := range part {
			list = append(list, append([]float32(nil), out[i*columns:][:columns]...))
		}
		part, size = nil, 0
		return nil
	}
	for _, text := range texts {
		w := t.batches.cut(text)
		if n := count(w); size+n > t.net.rows || len(part) == t.net.texts {
			if err := run(); err != nil {
				return nil, err
			}
		}
		part, size = append(part, w), size+count(w)
	}
	if err := run(); err != nil {
		return nil, err
	}
	return list, nil
}

// retrieval returns the share of vectors whose other view is nearer than any other
// program's.
func retrieval(one, two [][]float32) float64 {
	found := 0
	for i, z := range one {
		best, at := math.Inf(-1), -1
		for j, w := range two {
			if c := dot(z, w); c > best {
				best, at = c, j
			}
		}
		if at == i {
			found++
		}
	}
	return float64(found) / float64(max(1, len(one)))
}

// vectorsOf returns the vectors of a network's output.
func vectorsOf(rows [][]float32) [][]float32 {
	list := make([][]float32, len(rows))
	for i, r := range rows {
		list[i] = r[:Size]
	}
	return list
}

func widen(v []float32) []float64 {
	out := make([]float64, len(v))
	for i, x := range v {
		out[i] = float64(x)
	}
	return out
}

// meanR2 returns the share of the variance of each column that is explained, and of
// these the mean. Columns that do not vary are left out.
func meanR2(told, truth [][]float64) float64 {
	sum, n := 0.0, 0
	for k := range truth[0] {
		mean := 0.0
		for _, row := range truth {
			mean += row[k] / float64(len(truth))
		}
		wrong, all := 0.0, 0.0
		for i, row := range truth {
			wrong += (row[k] - told[i][k]) * (row[k] - told[i][k])
			all += (row[k] - mean) * (row[k] - mean)
		}
		if all >= 1e-6*float64(len(truth)) {
			sum += 1 - wrong/all
			n++
		}
	}
	return sum / float64(max(1, n))
}
