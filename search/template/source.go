package template

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/script"
	"github.com/wmtune/wmtune/tir/target"
)

// A program writes the script of a configuration. It may only branch on the configuration.
type program func(c *config)

// programs is the table of templates that make states here, by kind of target: the first that fits a task is its
// template.
var programs = []struct {
	kind target.Kind
	name string
	fits func(s *sum) bool
	make program
}{
	{target.LLVM, "conv2d_NCHWc.x86", isConvolution, convolve},
	{target.LLVM, "depthwise_conv2d_NCHWc.x86", isDepthwise, convolveDepthwise},
	{target.LLVM, "dense_pack.x86", isProduct, multiply},
	{target.LLVM, "batch_matmul.x86", isBatchProduct, multiplyBatch},
	{target.CUDA, "conv2d_nchw.cuda", isConvolution, convolveGPU},
	{target.CUDA, "batch_matmul.cuda", isBatchProduct, multiplyBatchGPU},
}

func isProduct(s *sum) bool {
	return len(s.windows) == 0 && len(s.rows) == 1 && len(s.batch) == 0 && len(s.op.Axes) == 2
}

func isBatchProduct(s *sum) bool {
	return len(s.windows) == 0 && len(s.rows) == 1 && len(s.batch) == 1 && len(s.op.Axes) == 3
}

func isConvolution(s *sum) bool { return len(s.windows) == 2 && len(s.op.Axes) == 4 && !s.channelWise }

func isDepthwise(s *sum) bool { return len(s.windows) == 2 && len(s.op.Axes) == 4 && s.channelWise }

// Open is that of a search.Space: the template of a task.
func Open(_ context.Context, t *search.Task) (search.Source, error) {
	s, at, err := match(t.DAG, t.Target.Kind)
	if err != nil {
		return nil, noTemplate(t, err)
	}
	space, err := Of(programs[at].name, s.problem())
	if err != nil {
		return nil, err
	}
	return &source{dag: t.DAG, sum: s, space: space, program: programs[at].make, known: map[[16]byte]int64{},
		made: map[int64]*schedule.State{}}, nil
}

// Describe returns the name and the space of the template of a DAG. The error says why there is none.
func Describe(d *compute.DAG, kind target.Kind) (string, Space, error) {
	s, at, err := match(d, kind)
	if err != nil {
		return "", nil, err
	}
	space, err := Of(programs[at].name, s.problem())
	return programs[at].name, space, err
}

// match returns the sum of a DAG and the place of its template among programs.
func match(d *compute.DAG, kind target.Kind) (*sum, int, error) {
	s, err := find(d)
	if err != nil {
		return nil, 0, err
	}
	for i, p := range programs {
		if p.kind == kind && p.fits(s) {
			return s, i, nil
		}
	}
	return nil, 0, errors.New("no template fits")
}

// noTemplate says which workloads have one.
func noTemplate(t *search.Task, why error) error {
	var names []string
	for _, p := range programs {
		if p.kind == t.Target.Kind {
			names = append(names, p.name)
		}
	}
	if names == nil {
		return fmt.Errorf("the space of templates has none for %s: use another --space", t.Target.Kind)
	}
	return fmt.Errorf("the space of templates has none for %s: %w; there are %s: use another --space", t.Name, why,
		strings.Join(names, ", "))
}

// A source is the configurations of a template.
type source struct {
	dag     *compute.DAG
	sum     *sum
	space   Space
	program program

	mu    sync.Mutex
	known map[[16]byte]int64 // indices of states that were made, by their signatures
	made  map[int64]*schedule.State
}

// mostKept is how many configurations a space may have whose states are kept.
const mostKept = 4096

// A config is a configuration, and the script that is written for it.
type config struct {
	*sum
	*script.Script
	space  Space
	digits []int
	splits map[int]int // by the number of a step: the knob that it splits by
}

// value returns the value of a knob.
func (c *config) value(name string) (int, Value) {
	i := slices.IndexFunc(c.space, func(k Knob) bool { return k.Name == name })
	return i, c.space[i].Values[c.digits[i]]
}

// option reports whether a knob is on.
func (c *config) option(name string) float64 {
	_, v := c.value(name)
	return number(v.Option)
}

// piece returns the length of a piece of a knob, not that of the first, which is what remains.
func (c *config) piece(name string, i int) int64 {
	_, v := c.value(name)
	return v.Lengths[i]
}

// inner returns the length of the innermost piece of a knob.
func (c *config) inner(name string) int64 {
	_, v := c.value(name)
	return v.Lengths[len(v.Lengths)-1]
}

// split splits a loop by a knob.
func (c *config) split(l *script.Loop, name string) []*script.Loop {
	knob, v := c.value(name)
	c.splits[c.Len()] = knob
	return l.Split(v.Lengths)
}

// config writes the script of a configuration.
func (s *source) config(digits []int) *config {
	c := &config{sum: s.sum, Script: script.New(s.dag), space: s.space, digits: digits, splits: map[int]int{}}
	s.program(c)
	return c
}

// at returns the state of an index.
func (s *source) at(index int64) (*schedule.State, error) {
	s.mu.Lock()
	made := s.made[index]
	s.mu.Unlock()
	if made != nil {
		return made, nil
	}
	state, err := s.config(s.space.Digits(index)).State()
	if err != nil {
		return nil, fmt.Errorf("template: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.known[state.Signature()] = index
	if s.space.Len() <= mostKept {
		s.made[index] = state
	}
	return state, nil
}

// Structures is 1: a template.
func (s *source) Structures() int { return 1 }

// Sample returns a configuration at random.
func (s *source) Sample(rng *rand.Rand) (*schedule.State, error) {
	return s.at(rng.Int64N(s.space.Len()))
}

// Step walks to another configuration, see Space.Walk.
func (s *source) Step(of *schedule.State, rng *rand.Rand) (*schedule.State, error) {
	index, err := s.index(of)
	if err != nil {
		return nil, err
	}
	if index, err = s.space.Walk(index, rng); err != nil {
		return nil, err
	}
	return s.at(index)
}

// Parts returns a hash for the value of each knob.
func (s *source) Parts(of *schedule.State) []uint64 {
	index, err := s.index(of)
	if err != nil {
		return search.Parts(of.Steps)
	}
	var parts []uint64
	for i, d := range s.space.Digits(index) {
		h := fnv.New64a()
		fmt.Fprint(h, s.space[i].Name, " ", d)
		parts = append(parts, h.Sum64())
	}
	return parts
}

// Traits says that candidates have numbers.
func (s *source) Traits() search.SourceTraits {
	return search.SourceTraits{Configs: &search.Configs{Len: s.space.Len(), At: s.at, Cross: s.cross}}
}

// cross is AutoTVM's crossover of knobs at one point (python/tvm/autotvm/tuner/ga_tuner.py).
func (s *source) cross(a, b *schedule.State, anew float64, rng *rand.Rand) (*schedule.State, error) {
	first, err := s.index(a)
	if err != nil {
		return nil, err
	}
	second, err := s.index(b)
	if err != nil {
		return nil, err
	}
	digits := s.space.Digits(first)
	point := rng.IntN(len(digits))
	copy(digits[point:], s.space.Digits(second)[point:])
	for i := range digits {
		if rng.Float64() < anew {
			digits[i] = rng.IntN(len(s.space[i].Values))
		}
	}
	return s.at(s.space.Index(digits))
}

// index returns the index of a state. One that was not made here, but comes from a log, is found by its steps: whatever
// decides which steps there are is tried, and the lengths are read off.
func (s *source) index(of *schedule.State) (int64, error) {
	s.mu.Lock()
	index, ok := s.known[of.Signature()]
	s.mu.Unlock()
	if ok {
		return index, nil
	}
	digits := make([]int, len(s.space))
	if index, ok = s.search(of, digits, 0); !ok {
		return 0, fmt.Errorf("template: the state is of no configuration")
	}
	return index, nil
}

// search tries the values of knobs from one on that may decide which steps there are: all of an option, and the first
// two of a split.
func (s *source) search(of *schedule.State, digits []int, knob int) (int64, bool) {
	if knob == len(s.space) {
		return s.read(of, digits)
	}
	n := len(s.space[knob].Values)
	if s.space[knob].Split != nil {
		n = min(n, 2)
	}
	for d := range n {
		digits[knob] = d
		if index, ok := s.search(of, digits, knob+1); ok {
			return index, true
		}
	}
	return 0, false
}

// read takes the lengths of a state's splits for those of a configuration with the same steps, and reports whether the
// state is that of the configuration then.
func (s *source) read(of *schedule.State, digits []int) (int64, bool) {
	c := s.config(digits)
	if c.Len() != len(of.Steps) {
		return 0, false
	}
	found := slices.Clone(digits)
	for step, knob := range c.splits {
		sp, ok := of.Steps[step].(schedule.Split)
		if !ok {
			return 0, false
		}
		found[knob] = slices.IndexFunc(s.space[knob].Values, func(v Value) bool {
			return slices.Equal(v.Lengths[1:], sp.Lengths)
		})
		if found[knob] < 0 {
			return 0, false
		}
	}
	index := s.space.Index(found)
	state, err := s.at(index)
	return index, err == nil && state.Signature() == of.Signature()
}
