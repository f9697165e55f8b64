package transition

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/wmtune/wmtune/nn/kernel"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/schedule"
)

// A Roller rolls candidates of one task out. It keeps what it has computed of
// prefixes: candidates of a population share most of their steps. Its results do
// not depend on what it was asked before, nor on the number of goroutines. One call
// at a time.
type Roller struct {
	Workers int // goroutines; 0 means one per processor

	network *rolled
	dag     *compute.DAG

	// Prefixes of step lists, as a trie; 0 is the empty one.
	stepOf map[string]int32 // number of a step, by its key
	child  map[[2]int32]int32
	action []int32 // by prefix: the row of the action of its last step

	// Distinct actions.
	rowOf   map[[Size]uint32]int32
	actions int

	// Prefixes of lists of actions, which are what states depend on: step lists that
	// resolve to the same actions share them. 0 is the empty one.
	next map[[2]int32]int32

	key []byte
}

const (
	rollRows    = 96      // rows that go through a step together
	chunk       = 16      // candidates that are replayed by one goroutine, in order
	mostLatents = 1 << 17 // when there are more, all is forgotten
)

// NewRoller returns a roller for a task. Start is what function Start returns of it.
func (m *Model) NewRoller(start []float32, d *compute.DAG) *Roller {
	r := &Roller{dag: d, network: pack(m)}
	r.network.root = m.first(start)
	r.forget()
	return r
}

// forget empties the caches.
func (r *Roller) forget() {
	r.stepOf, r.child, r.action = map[string]int32{}, map[[2]int32]int32{}, []int32{-1}
	r.rowOf, r.actions = map[[Size]uint32]int32{}, 0
	r.next = map[[2]int32]int32{}
	m := r.network
	m.latents.rows, m.w.rows, m.d.rows, m.c.rows = 0, 0, 0, 0
	copy(m.latents.row(m.latents.grow(1)), m.root)
}

// LatentSize is how many numbers a state has.
func (m *Model) LatentSize() int { return m.latent }

// Roll writes the last state of each candidate and its value: higher is faster. Latents may be nil. Of a
// candidate that cannot be replayed it writes nothing, and returns why.
func (r *Roller) Roll(states []*schedule.State, latents [][]float32, values []float32) []error {
	if len(r.next) > mostLatents || len(r.child) > 4*mostLatents {
		r.forget()
	}
	errs := make([]error, len(states))
	paths := r.resolve(states, errs)
	ends := r.roll(paths, errs)
	for i, v := range r.network.values(ends, r.workers()) {
		if errs[i] != nil {
			continue
		}
		values[i] = v
		if latents != nil {
			copy(latents[i], r.network.latents.row(int(ends[i])))
		}
	}
	return errs
}

func (r *Roller) workers() int {
	if r.Workers > 0 {
		return r.Workers
	}
	return runtime.GOMAXPROCS(0)
}

// A missing candidate has steps that were not seen before.
type missing struct {
	candidate int
	steps     []int32 // numbers
	known     int     // that many steps are a known prefix
	vectors   []float32
	from      int // vectors are of the steps from here on
}

// resolve returns the rows of the actions of all candidates.
func (r *Roller) resolve(states []*schedule.State, errs []error) [][]int32 {
	var list []*missing
	nodes := make([][]int32, len(states))
	for i, s := range states {
		m := &missing{candidate: i, steps: make([]int32, len(s.Steps)), known: -1}
		at := int32(0)
		path := make([]int32, 0, len(s.Steps))
		for t, step := range s.Steps {
			m.steps[t] = r.number(step)
			if m.known >= 0 {
				continue
			}
			to, ok := r.child[[2]int32{at, m.steps[t]}]
			if !ok {
				m.known = t
				continue
			}
			at, path = to, append(path, to)
		}
		if nodes[i] = path; m.known >= 0 {
			list = append(list, m)
		}
	}
	slices.SortStableFunc(list, func(a, b *missing) int { return slices.Compare(a.steps, b.steps) })
	var g errgroup.Group
	g.SetLimit(r.workers())
	for some := range slices.Chunk(list, chunk) {
		g.Go(func() error { r.replay(states, some, errs); return nil })
	}
	_ = g.Wait() // errs has what failed
	added := r.actions
	var fresh []float32
	for _, m := range list { // of those that failed, what came before
		nodes[m.candidate], fresh = r.learn(m, nodes[m.candidate], fresh)
	}
	if r.actions > added {
		r.network.table(fresh, r.workers())
	}
	for _, path := range nodes {
		for t, n := range path {
			path[t] = r.action[n]
		}
	}
	return nodes
}

// number returns the number of a step.
func (r *Roller) number(step schedule.Step) int32 {
	r.key = appendKey(r.key[:0], step)
	n, ok := r.stepOf[string(r.key)]
	if !ok {
		n = int32(len(r.stepOf))
		r.stepOf[string(r.key)] = n
	}
	return n
}

// replay computes the vectors of neighbours in the order of step lists: a state is
// replayed once for those that follow each other.
func (r *Roller) replay(states []*schedule.State, list []*missing, errs []error) {
	var path []Path // after 0, 1, ... steps of the one before
	var before *missing
	for _, m := range list {
		steps := states[m.candidate].Steps
		common := 0
		if before != nil {
			for common < min(len(m.steps), len(path)-1) && m.steps[common] == before.steps[common] {
				common++
			}
		}
		path = path[:min(len(path), common+1)]
		if len(path) == 0 {
			path = append(path, NewPath(r.dag))
		}
		before = m
		m.from = max(m.known, common)
		m.vectors = make([]float32, (len(steps)-m.from)*Size)
		for t := common; t < len(steps); t++ {
			p := &path[t]
			next, err := p.Apply(steps[t])
			if err != nil {
				errs[m.candidate] = err
				m.steps, m.vectors = m.steps[:t], m.vectors[:max(t-m.from, 0)*Size]
				break
			}
			if t >= m.known {
				a := p.Resolve(steps[t])
				a.Vector(m.vectors[(t-m.from)*Size:])
				next.inherit(p, steps[t])
			}
			path = append(path, next)
		}
	}
}

// learn adds the prefixes of a candidate. Those up to its from are there by now.
func (r *Roller) learn(m *missing, path []int32, fresh []float32) ([]int32, []float32) {
	at := int32(0)
	path = path[:0]
	for t, step := range m.steps {
		edge := [2]int32{at, step}
		to, ok := r.child[edge]
		if !ok {
			if t < m.from {
				panic(fmt.Sprintf("BUG: transition: prefix of %d steps of candidate %d was not resolved", t+1, m.candidate))
			}
			v := m.vectors[(t-m.from)*Size:][:Size]
			var key [Size]uint32 // bits hash faster than floats
			for k, x := range v {
				key[k] = math.Float32bits(x)
			}
			row, seen := r.rowOf[key]
			if !seen {
				row = int32(r.actions)
				r.rowOf[key] = row
				r.actions++
				fresh = append(fresh, v...)
			}
			to = int32(len(r.action))
			r.action = append(r.action, row)
			r.child[edge] = to
		}
		at, path = to, append(path, to)
	}
	return path, fresh
}

// roll returns the rows of the last states, after rolling out what is new.
func (r *Roller) roll(paths [][]int32, errs []error) []int32 {
	ends := make([]int32, len(paths))
	for t := 0; ; t++ {
		var parents, actions []int32
		more := false
		for i, p := range paths {
			if errs[i] != nil || t >= len(p) {
				continue
			}
			more = true
			key := [2]int32{ends[i], p[t]}
			to, ok := r.next[key]
			if !ok {
				to = int32(len(r.next) + 1)
				r.next[key] = to
				parents, actions = append(parents, key[0]), append(actions, key[1])
			}
			ends[i] = to
		}
		if !more {
			return ends
		}
		r.network.step(parents, actions, r.workers())
	}
}

// rolled is a network ready to be rolled out, and what it has computed.
type rolled struct {
	*Model
	root    []float32 // the state that the task begins with
	packed  [rolloutInputs]*kernel.Packed
	layers  []*kernel.Packed
	latents pages // by prefix
	w, d, c pages // by action
}

// Pages are rows of numbers in memory that never moves.
type pages struct {
	columns int
	list    [][]float32
	rows    int
}

// pageRows is how many rows a page has: whole blocks of rows.
const pageRows = 16 * rollRows

// grow adds rows and returns the number of the first.
func (p *pages) grow(rows int) int {
	first := p.rows
	for p.rows += rows; len(p.list)*pageRows < p.rows; {
		p.list = append(p.list, make([]float32, pageRows*p.columns))
	}
	return first
}

// row returns row i.
func (p *pages) row(i int) []float32 {
	return p.list[i/pageRows][i%pageRows*p.columns:][:p.columns]
}

// run returns the rows from i to the end of its page, at most n.
func (p *pages) run(i, n int) []float32 {
	at := i % pageRows
	return p.list[i/pageRows][at*p.columns:][:min(n, pageRows-at)*p.columns]
}

func pack(m *Model) *rolled {
	p := &rolled{Model: m}
	p.latents.columns, p.w.columns, p.d.columns, p.c.columns = m.latent, m.latent, m.latent, m.hidden
	for i, s := range rolloutShapes(m.sizes) {
		if s.part != "bias" {
			p.packed[i] = kernel.Pack(kernel.M(m.rollout[i], s.cols))
		}
	}
	for _, l := range m.head {
		p.layers = append(p.layers, kernel.Pack(kernel.M(l.weight, len(l.bias))))
	}
	return p
}

// runs calls f for runs of new rows that lie on one page, from the first of n.
func runs(first, n, workers int, f func(row, rows int)) {
	if first%rollRows+n <= rollRows { // one run, as after most steps: no goroutine is worth it
		if n > 0 {
			f(first, n)
		}
		return
	}
	var g errgroup.Group
	g.SetLimit(workers)
	for row := first; row < first+n; {
		from, rows := row, min(first+n-row, rollRows-row%rollRows)
		g.Go(func() error { f(from, rows); return nil })
		row += rows
	}
	_ = g.Wait() // f does not fail
}

// table computes what depends on new actions only.
func (m *rolled) table(actions []float32, workers int) {
	n := len(actions) / Size
	first := m.w.grow(n)
	m.d.grow(n)
	m.c.grow(n)
	runs(first, n, workers, func(row, rows int) {
		a := make([]float32, rows*m.embed)
		m.linear(a, actions[(row-first)*Size:][:rows*Size], Size, embedWeight, embedBias)
		kernel.GELU(a, a)
		x := kernel.M(a, m.embed)
		w := m.w.run(row, rows)
		m.packed[normalWeight].Multiply(w, x, false)
		for k := range rows {
			normalise(w[k*m.latent:][:m.latent])
		}
		m.packed[translationWeight].Multiply(m.d.run(row, rows), x, false)
		m.linear(m.c.run(row, rows), a, m.embed, hiddenAction, hiddenBias)
	})
}

// linear sets out to x*W + b.
func (m *rolled) linear(out, x []float32, columns, weight, bias int) {
	for at := 0; at < len(out); at += len(m.rollout[bias]) {
		copy(out[at:], m.rollout[bias])
	}
	m.packed[weight].Multiply(out, kernel.M(x, columns), true)
}

// blocks has memory for the rows that go through a step together.
var blocks = sync.Pool{New: func() any { return new([]float32) }}

// step adds the states that actions make of parents.
func (m *rolled) step(parents, actions []int32, workers int) {
	d, h := m.latent, m.hidden
	first := m.latents.grow(len(parents))
	runs(first, len(parents), workers, func(row, rows int) {
		from := row - first
		held := blocks.Get().(*[]float32)
		defer blocks.Put(held)
		*held = slices.Grow((*held)[:0], rows*(d+h))[:rows*(d+h)]
		u, hid := (*held)[:rows*d], (*held)[rows*d:]
		out := m.latents.run(row, rows)
		for i := range rows {
			id := int(actions[from+i])
			project(u[i*d:][:d], m.latents.row(int(parents[from+i])), m.w.row(id), m.d.row(id))
			copy(hid[i*h:][:h], m.c.row(id))
		}
		m.packed[hiddenState].Multiply(hid, kernel.M(u, d), true)
		kernel.Tanh(hid, hid)
		for i := range rows {
			add2(out[i*d:][:d], u[i*d:][:d], m.rollout[residualBias])
		}
		m.packed[residual].Multiply(out, kernel.M(hid, h), true)
	})
}

// values returns the values of states.
func (m *rolled) values(rows []int32, workers int) []float32 {
	out := make([]float32, len(rows))
	runs(0, len(rows), workers, func(from, n int) {
		z := make([]float32, 0, n*m.latent)
		for _, r := range rows[from : from+n] {
			z = append(z, m.latents.row(int(r))...)
		}
		for i, l := range m.layers {
			next := make([]float32, 0, n*len(m.head[i].bias))
			for range n {
				next = append(next, m.head[i].bias...)
			}
			l.Multiply(next, kernel.M(z, len(z)/n), true)
			if z = next; i < len(m.layers)-1 {
				kernel.GELU(z, z)
			}
		}
		copy(out[from:from+n], z)
	})
	return out
}

// first returns the state that a task begins with.
func (m *Model) first(start []float32) []float32 {
	out := slices.Clone(m.rollout[startBias])
	kernel.Pack(kernel.M(m.rollout[startWeight], m.latent)).Multiply(out, kernel.M(start, m.start), true)
	return out
}
