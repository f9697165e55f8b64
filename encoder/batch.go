package encoder

import (
	"math/rand/v2"
	"slices"

	"github.com/wmtune/wmtune/encoder/bpe"
)

// A batcher makes batches of a sample. A batch depends on the seed and its number
// only.
type batcher struct {
	opts   *Options
	tok    *bpe.Tokenizer
	sample *sample
	scale  scaling
}

// scaling is the mean of each fact and 1 over its deviation.
type scaling struct{ mean, over [Facts]float32 }

func (s *scaling) apply(f [Facts]float32) [Facts]float32 {
	for k := range f {
		f[k] = (f[k] - s.mean[k]) * s.over[k]
	}
	return f
}

// A batch is what a network is filled with: first views, then second ones.
type batch struct {
	texts  [][][]int32
	pairs  pairing
	tokens int
}

// cut returns the windows of a text, at most so many.
func (b *batcher) cut(text string) [][]int32 {
	list, _ := windows(tokens(b.tok, text), b.opts.Windows)
	return list
}

// make makes a batch: some programs of some tasks, each as it is and rewritten. Two
// programs are always taken; further ones while they fit.
func (b *batcher) make(number int) *batch {
	rng := rand.New(rand.NewPCG(b.opts.Seed, uint64(number)<<8|2))
	out := &batch{pairs: pairing{intra: b.opts.Intra, inter: b.opts.Inter}}
	var second [][][]int32
	tasks := rng.Perm(len(b.sample.tasks))[:min(b.opts.Tasks, len(b.sample.tasks))]
	for _, t := range tasks {
		list := b.sample.tasks[t]
		for _, i := range rng.Perm(len(list))[:min(b.opts.States, len(list))] {
			p := &list[i]
			one, two := b.cut(p.text), b.cut(Rewrite(p.text, rng))
			n := count(one) + count(two)
			if out.tokens+n > b.opts.Tokens && len(second) >= 2 {
				continue
			}
			out.tokens += n
			out.texts, second = append(out.texts, one), append(second, two)
			out.pairs.add(t, len(out.pairs.state), b.scale.apply(ReadFacts(p.text)))
		}
	}
	out.texts = append(out.texts, second...)
	out.pairs.double()
	return out
}

func count(list [][]int32) int {
	n := 0
	for _, w := range list {
		n += len(w)
	}
	return n
}

// add adds a program to the first views.
func (p *pairing) add(task, state int, facts [Facts]float32) {
	p.task, p.state, p.facts = append(p.task, task), append(p.state, state), append(p.facts, facts)
}

// double adds the second views.
func (p *pairing) double() {
	p.half = len(p.task)
	p.task, p.state, p.facts = slices.Repeat(p.task, 2), slices.Repeat(p.state, 2), slices.Repeat(p.facts, 2)
}
