package transition

import (
	"fmt"
	"math"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/schedule"
)

// A Roller rolls candidates of one task out. It keeps what it has computed of
// prefixes: candidates of a population share most of their steps. Its results do
// not depend on what it was asked before, nor on the number of goroutines. One call
// at a time.
type Roller struct {
	Workers int // goroutines; 0 means one per processor

	members []*rolled
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
	r := &Roller{dag: d}
	for _, member := range m.Members {
		p := pack(member)
		p.first = member.First(start)
		r.members = append(r.members, p)
	}
	r.forget()
	return r
}

// forget empties the caches.
func (r *Roller) forget() {
	r.stepOf, r.child, r.action = map[string]int32{}, map[[2]int32]int32{}, []int32{-1}
	r.rowOf, r.actions = map[[Size]uint32]int32{}, 0
	r.next = map[[2]int32]int32{}
	for _, m := range r.members {
		m.latents.rows, m.w.rows, m.d.rows, m.c.rows = 0, 0, 0, 0
		copy(m.latents.row(m.latents.grow(1)), m.first)
	}
}

// LatentSize is how many numbers a state has: that of the first network.
func (m *Model) LatentSize() int { return m.Members[0].latent }

// Roll writes the last state of each candidate as the first network sees it, and
// its value: the mean over networks, higher is faster. Latents may be nil. Of a
// candidate that cannot be replayed it writes nothing, and returns why.
func (r *Roller) Roll(states []*schedule.State, latents [][]float32, values []float32) []error {
	if len(r.next) > mostLatents || len(r.child) > 4*mostLatents {
		r.forget()
	}
	errs := make([]error, len(states))
	paths := r.resolve(states, errs)
	ends := r.roll(paths, errs)
	for k, m := range r.members {
		out := m.values(ends, r.workers())
		for i, v := range out {
			if errs[i] != nil {
				continue
			}
			if k == 0 {
				values[i] = 0
				if latents != nil {
					copy(latents[i], m.latents.row(int(ends[i])))
				}
			}
			values[i] += v / float32(len(r.members))
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
		for _, p := range r.members {
			p.table(fresh, r.workers())
		}
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
		for _, m := range r.members {
			m.step(parents, actions, r.workers())
		}
	}
}
