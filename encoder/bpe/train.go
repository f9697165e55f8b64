package bpe

import (
	"container/heap"
	"fmt"
	"slices"
	"strings"
)

// A Trainer learns the tokens of texts.
type Trainer struct{ words map[string]int }

// Add counts the words of a text.
func (t *Trainer) Add(text string) {
	if t.words == nil {
		t.words = map[string]int{}
	}
	for text = strings.ToValidUTF8(text, "\uFFFD"); text != ""; {
		n := next(text)
		t.words[text[:n]]++
		text = text[n:]
	}
}

// pair is two tokens, one after the other.
type pair struct{ left, right int32 }

// A counted pair, as it was when it entered the heap.
type counted struct {
	pair
	count int
}

// pairs is a heap, the most frequent pair first; of equals that with the smaller
// left token, then the smaller right one.
type pairs []counted

func (p pairs) Len() int { return len(p) }
func (p pairs) Less(i, j int) bool {
	a, b := p[i], p[j]
	if a.count != b.count {
		return a.count > b.count
	}
	return a.left < b.left || a.left == b.left && a.right < b.right
}
func (p pairs) Swap(i, j int) { p[i], p[j] = p[j], p[i] }
func (p *pairs) Push(x any)   { *p = append(*p, x.(counted)) }
func (p *pairs) Pop() any {
	last := (*p)[len(*p)-1]
	*p = (*p)[:len(*p)-1]
	return last
}

// learning is a training.
type learning struct {
	words  [][]int32
	counts []int
	pairs  map[pair]int
	where  map[pair][]int32 // words that had the pair, in order; they may have lost it
	queue  pairs
}

// Train returns a tokenizer of at most so many tokens: the special ones, the bytes,
// and the pairs that are the most frequent, one after the other, while they occur
// more than once.
func (t *Trainer) Train(size int) (*Tokenizer, error) {
	if size < firstMerged {
		return nil, fmt.Errorf("bpe: a vocabulary of %d tokens: bytes and special tokens are %d", size, firstMerged)
	}
	l := &learning{pairs: map[pair]int{}, where: map[pair][]int32{}}
	texts := make([]string, 0, len(t.words))
	for w := range t.words {
		texts = append(texts, w)
	}
	slices.Sort(texts)
	for i, w := range texts {
		word := make([]int32, len(w))
		for k := range word {
			word[k] = firstByte + int32(w[k])
		}
		l.words, l.counts = append(l.words, word), append(l.counts, t.words[w])
		l.count(int32(i))
	}
	for p, n := range l.pairs {
		l.queue = append(l.queue, counted{p, n})
	}
	heap.Init(&l.queue) // which orders all of it: no two are equal
	tokens := basic()
	ids := map[string]int32{}
	for i, s := range tokens {
		ids[s] = int32(i)
	}
	var merges []pair
	for len(tokens) < size {
		p, ok := l.best()
		if !ok {
			break
		}
		text := tokens[p.left] + tokens[p.right]
		id, old := ids[text]
		if !old {
			id = int32(len(tokens))
			tokens, ids[text] = append(tokens, text), id
		}
		merges = append(merges, p)
		l.merge(p, id)
	}
	return build(tokens, merges)
}

// count adds a word's pairs.
func (l *learning) count(word int32) {
	w := l.words[word]
	for k := 1; k < len(w); k++ {
		p := pair{w[k-1], w[k]}
		l.pairs[p] += l.counts[word]
		l.found(p, word)
	}
}

// found notes that a word has a pair.
func (l *learning) found(p pair, word int32) {
	if list := l.where[p]; len(list) == 0 || list[len(list)-1] != word {
		l.where[p] = append(list, word)
	}
}

// best takes the most frequent pair out of the queue.
func (l *learning) best() (pair, bool) {
	for len(l.queue) > 0 {
		top := heap.Pop(&l.queue).(counted)
		now := l.pairs[top.pair]
		if now == top.count {
			return top.pair, now > 1
		}
		if now > 1 { // it was counted before a merge took some
			heap.Push(&l.queue, counted{top.pair, now})
		}
	}
	return pair{}, false
}

// merge replaces a pair by a token. Only pairs that have the token are new, and only
// those are noted, so the notes of a word stay few.
func (l *learning) merge(p pair, id int32) {
	touched := map[pair]bool{}
	for _, word := range l.where[p] {
		w, n := l.words[word], l.counts[word]
		for k := 1; k < len(w); k++ {
			l.pairs[pair{w[k-1], w[k]}] -= n
		}
		w = replace(w, p, id)
		l.words[word] = w
		for k := 1; k < len(w); k++ {
			q := pair{w[k-1], w[k]}
			l.pairs[q] += n
			if q.left == id || q.right == id {
				l.found(q, word)
				touched[q] = true
			}
		}
	}
	delete(l.pairs, p)
	delete(l.where, p)
	for q := range touched { // the heap's order does not depend on that of pushes
		heap.Push(&l.queue, counted{q, l.pairs[q]})
	}
}

// replace replaces a pair by a token, in place, from left to right.
func replace(w []int32, p pair, id int32) []int32 {
	n := 0
	for k := 0; k < len(w); k++ {
		if k+1 < len(w) && w[k] == p.left && w[k+1] == p.right {
			w[n] = id
			k++
		} else {
			w[n] = w[k]
		}
		n++
	}
	return w[:n]
}
