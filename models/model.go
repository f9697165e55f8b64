// Package models opens trained models of the world and scores candidates with them.
//
// A model is a folder. Its manifest, model.json, says for which kind of target it is,
// which parts it has, and the SHA-256 of every file, so that what is missing, swapped
// or cut short is refused with a sentence instead of ranking badly. The parts are the
// encoder (tokenizer.json, encoder.onnx), the transition (transition.onnx) and the
// ranker (ranker.*), and a refiner (refiner-ranker.*), which looks closer at the best
// of them; a model without the first two ranks by features of the steps alone, which is also what a model falls back
// to for a task that is unlike all that it was trained on (ood.go).
//
// The default models are embedded in the program: Default. docs/manual/world-model.md says how
// they were trained and what they are worth.
//
// The package must not know how candidates come about or what becomes of their order.
package models

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"runtime"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/encoder"
	"github.com/wmtune/wmtune/ranker"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
	"github.com/wmtune/wmtune/transition"
)

// A Model scores candidates. It may be used by several goroutines at once.
type Model struct {
	Workers int // goroutines; 0 means one per processor

	// Tell, if not nil, receives one warning per task about the scores.
	Tell func(text string)

	manifest *Manifest
	parts    parts

	mu       sync.Mutex
	sessions map[sessionKey]*session
	asked    uint64 // how often a session was asked for
}

// open reads the model in a folder.
func open(dir fs.FS) (*Model, error) {
	manifest, files, err := readFiles(dir)
	if err != nil {
		return nil, err
	}
	m := &Model{manifest: manifest, sessions: map[sessionKey]*session{}}
	if m.parts, err = openParts(manifest, files); err != nil {
		return nil, err
	}
	return m, nil
}

// Forget drops what the model remembers of tasks, which takes memory. Asked again, it computes that again.
func (m *Model) Forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	clear(m.sessions)
}

// ForgetTask is Forget for one task.
func (m *Model) ForgetTask(t workload.Task) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.sessions, keyOf(t))
}

// Manifest returns what the model says of itself. It must not be changed.
func (m *Model) Manifest() *Manifest { return m.manifest }

// Score returns one value per state, in order; higher is faster, comparable within
// one call. A state that cannot be replayed or has no features scores -Inf. The values
// do not depend on the number of workers.
//
// It is an error if the task is not of the model's kind of target, or if the model
// says something that is not a number.
func (m *Model) Score(ctx context.Context, t workload.Task, states []*schedule.State) ([]float64, error) {
	s, err := m.session(t)
	if err != nil {
		return nil, err
	}
	rows, err := s.rows(ctx, states)
	if err != nil {
		return nil, err
	}
	defer s.kept.set(states, rows)
	return s.global(rows)
}

// A row is what is known of a state.
type row struct {
	features []float32
	latent   []float32 // nil on the safe rung
	value    float32
	err      error // why it cannot be scored

	scored bool // by the trained model, whose score of a row is the same in every call
	score  float64
}

// global ranks rows among each other, as the trained model does. Rows remember their scores.
func (s *session) global(rows []row) ([]float64, error) {
	scores := make([]float64, len(rows))
	for i, r := range rows {
		scores[i] = math.Inf(-1)
		if r.scored {
			scores[i] = r.score
		}
	}
	at, features, values := s.seen(rows, func(r *row) bool { return !r.scored })
	if len(at) == 0 {
		return scores, nil
	}
	ranks := s.ranks()
	out := make([]float64, len(at))
	g := s.model.workers()
	for from := 0; from < len(at); from += chunk {
		g.Go(func() error {
			to := min(from+chunk, len(at))
			v := values
			if s.rolls() {
				v = values[from:to]
			}
			copy(out[from:to], ranks.Score(features[from:to], v))
			return nil
		})
	}
	_ = g.Wait() // scoring does not fail
	for k, v := range out {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("models: the score of a state is %v: the model is damaged", v)
		}
		scores[at[k]] = v
		rows[at[k]].score, rows[at[k]].scored = v, true
	}
	return scores, nil
}

// seen returns what the ranker sees of those rows that can be scored and are wanted, and where they stand. Values are
// nil where the ranker sees none.
func (s *session) seen(rows []row, wanted func(*row) bool) (at []int, features [][]float32, values []float32) {
	for i := range rows {
		r := &rows[i]
		if r.err != nil || !wanted(r) {
			continue
		}
		at, features = append(at, i), append(features, r.features)
		if s.rolls() {
			values = append(values, r.value)
		}
	}
	return at, features, values
}

// ranks returns the ranker for the task.
func (s *session) ranks() ranks {
	if s.outOfDistribution != "" {
		return s.model.parts.safe
	}
	return s.model.parts.ranker
}

// workers returns a group of the model's goroutines.
func (m *Model) workers() *errgroup.Group {
	g := &errgroup.Group{}
	g.SetLimit(cmp.Or(m.Workers, runtime.GOMAXPROCS(0)))
	return g
}

// chunk is how many candidates a goroutine ranks at a time, few of how many it computes the
// features: the score of one does not depend on the others.
const chunk, few = 128, 16

// rows returns what is known of states, and finds it out of those that the last call had not.
func (s *session) rows(ctx context.Context, states []*schedule.State) ([]row, error) {
	rows, missing := s.kept.get(states)
	fresh := make([]*schedule.State, len(missing))
	for k, i := range missing {
		fresh[k] = states[i]
	}
	found, err := s.find(ctx, fresh, s.rolls())
	if err != nil {
		return nil, err
	}
	for k, i := range missing {
		rows[i] = found[k]
	}
	return rows, nil
}

// find finds out about states. Decisions that AutoScheduler never takes (schedule.Beyond) are passed over, in training
// as well: a state is ranked as the one without them. Without roll, rows have neither latents nor values.
// Rolling out has parts that one goroutine does alone: features are computed beside it.
func (s *session) find(ctx context.Context, states []*schedule.State, roll bool) ([]row, error) {
	rows := make([]row, len(states))
	states = slices.Clone(states)
	for i, state := range states {
		known, err := schedule.Conventional(state, s.groups)
		if err != nil {
			rows[i].err = err
			continue
		}
		states[i] = known
	}
	var latents [][]float32
	var values []float32
	var errs []error
	var beside sync.WaitGroup
	if roll {
		beside.Go(func() { latents, values, errs = s.roll(states) })
	}
	g := s.model.workers()
	for from := 0; from < len(states); from += few {
		g.Go(func() error {
			for i := from; i < min(from+few, len(states)) && ctx.Err() == nil; i++ {
				if rows[i].err == nil {
					rows[i].features, rows[i].err = s.model.parts.features(states[i], s.task.Target)
				}
			}
			return nil
		})
	}
	_ = g.Wait() // rows have what failed
	beside.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if !roll {
		return rows, nil
	}
	for i := range rows {
		rows[i].latent, rows[i].value = latents[i], values[i]
		if rows[i].err == nil {
			rows[i].err = errs[i]
		}
		if rows[i].err == nil && !(finite(latents[i]) && finite(values[i:i+1])) {
			return nil, errors.New("models: a predicted state is not a number: the model is damaged")
		}
	}
	return rows, nil
}

// roll predicts what programs states are, and what they are worth.
func (s *session) roll(states []*schedule.State) (latents [][]float32, values []float32, errs []error) {
	latents, values = make([][]float32, len(states)), make([]float32, len(states))
	size := s.model.parts.transition.latentSize()
	all := make([]float32, len(states)*size)
	for i := range latents {
		latents[i] = all[i*size:][:size:size]
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	errs = s.roller.Roll(states, latents, values)
	if len(errs) != len(states) {
		panic(fmt.Sprintf("BUG: models: %d outcomes of %d rollouts", len(errs), len(states)))
	}
	return latents, values, errs
}

// Promise returns one value per partial state: the higher, the faster the best program
// that it may become, as far as the transition can tell; comparable within one call.
// States of which nothing can be told have -Inf: all of them, if the model has no
// transition, does not use it, or the task is unlike its training.
func (m *Model) Promise(ctx context.Context, t workload.Task, partial []*schedule.State) ([]float64, error) {
	s, err := m.session(t)
	if err != nil {
		return nil, err
	}
	promise := slices.Repeat([]float64{math.Inf(-1)}, len(partial))
	if s.roller == nil {
		return promise, ctx.Err()
	}
	_, values, errs := s.roll(partial)
	for i, v := range values {
		switch {
		case errs[i] != nil:
		case !finite(values[i : i+1]):
			return nil, errors.New("models: a predicted value is not a number: the transition is damaged")
		default:
			promise[i] = float64(v)
		}
	}
	return promise, ctx.Err()
}

// parts are the trained parts of a model, as it uses them.
type parts struct {
	encoder    encodes  // nil: there is none
	transition newRolls // nil: there is none
	features   func(s *schedule.State, t target.Target) ([]float32, error)
	ranker     ranks
	safe       ranks // without values

	valued bool // the ranker's score depends on values of the transition
	rolled bool // a score, of the refiner too, depends on what the transition says

	refiner ranks // nil: there is none
	closer  func(features []float32, s *schedule.State, t target.Target, layout target.Layout) ([]float32, error)
}

// encodes is what is used of an encoder.
type encodes interface {
	Encode(texts []string) ([][]float32, error)
	Truncated(text string) bool // Encode does not see all of it
}

// newRolls is what is used of a transition.
type newRolls interface {
	newRoller(z0 []float32, t workload.Task, workers int) roller
	latentSize() int
	contributions(z0 []float32, t workload.Task, state *schedule.State) ([]Contribution, error)
}

// A roller predicts what becomes of a task's program; see transition.Roller.
type roller interface {
	Roll(states []*schedule.State, latents [][]float32, values []float32) []error
}

// ranks is what is used of a ranker. Values may be nil if it was trained
// without.
type ranks interface {
	Score(features [][]float32, values []float32) []float64
	Spread(features [][]float32, values []float32) []float64
}

// openParts decodes the parts of a model.
func openParts(m *Manifest, files map[string][]byte) (parts, error) {
	p := parts{features: ranker.Features}
	var whole *ranker.Model
	var err error
	var beside sync.WaitGroup
	beside.Go(func() { whole, err = ranker.TableOf(m.Kind).Load(files) })
	latent := p.openLatent(m, files)
	if beside.Wait(); latent != nil || err != nil {
		return p, cmp.Or(latent, err)
	}
	p.ranker, p.safe = whole, whole.TreesAlone()
	if err := p.openRefiner(m, files); err != nil {
		return p, err
	}
	p.valued = whole.Parts().Value > 0
	p.rolled = p.rolled || p.valued
	if p.transition == nil && p.valued {
		return p, fmt.Errorf("%s: the ranker was trained on predicted states, and there is no transition to predict them",
			ManifestName)
	}
	return p, nil
}

// openLatent decodes the parts of a model that predict states: the encoder and the
// transition.
func (p *parts) openLatent(m *Manifest, files map[string][]byte) error {
	if m.Has(Encoder) {
		e, err := encoder.Load(files["encoder.onnx"], files["tokenizer.json"])
		if err != nil {
			return err
		}
		if e.Kind() != m.Kind {
			return otherKind("encoder.onnx", e.Kind(), m.Kind)
		}
		p.encoder = e
		if err := m.OOD.check(encoder.Size); err != nil {
			return err
		}
	}
	if !m.Has(Transition) {
		return nil
	}
	t, err := transition.Load(files["transition.onnx"])
	if err != nil {
		return err
	}
	if t.Kind != "" && t.Kind != m.Kind {
		return otherKind("transition.onnx", t.Kind, m.Kind)
	}
	p.transition = rolls{t}
	return nil
}

// otherKind is the error of a part that learned from tasks of another kind of target.
func otherKind(name string, of, want target.Kind) error {
	return fmt.Errorf("%s is for target %s, %s says %s: they are not of one model; train all parts for one target",
		name, of, ManifestName, want)
}

// rolls is a transition as a model uses it.
type rolls struct{ *transition.Model }

func (r rolls) latentSize() int { return r.LatentSize() }

func (r rolls) newRoller(z0 []float32, t workload.Task, workers int) roller {
	roller := r.NewRoller(transition.Start(z0, t.DAG, t.Target), t.DAG)
	roller.Workers = workers
	return roller
}
