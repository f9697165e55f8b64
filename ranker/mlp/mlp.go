// Package mlp is Felix's cost model: a network on the features of the statements of a program (ranker/feature),
// which is smooth in tile lengths ("Felix: Optimizing Tensor Programs with Gradient Descent", Zhao et al., 2024;
// python/tvm/auto_scheduler/cost_model/mlp_model.py). It has Felix's layers and learns from what was measured.
//
// It differs from Felix's where that would score other values than it descends: the columns are those of
// ranker/feature, sharp, without the curve of arithmetic intensity. The label is the logarithm of the best time of
// the task so far over the program's, so tasks compare. The package must not know how candidates come about.
package mlp

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/nn"
	"github.com/wmtune/wmtune/ranker/feature"
	"github.com/wmtune/wmtune/tir/schedule"
)

const (
	columns = feature.Columns - 10 // all but the curve
	width   = 256

	warmUp    = 32  // programs up to which a model that was not pretrained is of no use
	mostSlow  = 5   // labels of slower programs, and of those that failed, are this
	batch     = 32  // programs
	lessons   = 4e3 // programs that a training of few sees, one after the other
	pretrains = 30  // times that a pretraining sees each program
	mostRows  = 64  // statements of a program that is learned
)

// how the weights are learned: Felix's.
var (
	first = nn.Adam{Rate: 7e-4, Decay: 1e-6, Clip: 0.5}
	later = nn.Adam{Rate: 1e-4, Decay: 1e-6, Clip: 0.5}
)

// A Model scores programs. Its methods may not be called at the same time, but for those of what Relax returns.
type Model struct {
	// Workers is the number of goroutines that score; 0 means one per processor. The scores do not depend on it.
	Workers int

	seed       uint64
	params     *nn.Parameters // nil before the first training
	net        network
	samples    []sample
	best       map[string]float64 // by group: the smallest time in seconds
	pretrained bool
}

// A sample is one measured program.
type sample struct {
	rows  []float32
	cost  float64 // seconds; 0 if it failed
	group string  // whose times compare
}

// New returns a model that has learned nothing. Weights are drawn from the seed.
func New(seed uint64) *Model { return &Model{seed: seed, best: map[string]float64{}} }

// Ready reports whether the model has learned enough for scores that mean something.
func (m *Model) Ready() bool { return m.params != nil && (m.pretrained || len(m.samples) >= warmUp) }

// Add takes over records to learn from at the next Train. Those whose steps do not apply to the task are left out.
func (m *Model) Add(ctx context.Context, task workload.Task, records []dataset.Record) error {
	list := make([][]float32, len(records))
	err := m.each(ctx, len(records), func(i int) {
		if s, err := schedule.Replay(task.DAG, records[i].Steps); err == nil {
			list[i] = rowsOf(s, float64(task.Target.Hardware.CacheLineBytes))
		}
	})
	if err != nil {
		return err
	}
	for i := range records {
		r := &records[i]
		m.AddRows(list[i], r.Cost(), r.WorkloadKey+"\x00"+r.Target.String()+"\x00"+r.Timing.String())
	}
	return nil
}

// AddRows takes over a program that was measured, as rows of the columns that the network has, the time in
// seconds, 0 if it failed, and the name of the task inside which times compare.
func (m *Model) AddRows(rows []float32, cost float64, group string) {
	if n := len(rows) / columns; n == 0 || n > mostRows {
		return
	}
	if best, ok := m.best[group]; cost > 0 && (!ok || cost < best) {
		m.best[group] = cost
	}
	m.samples = append(m.samples, sample{rows, cost, group})
}

// Pretrain learns from all that was added. The model is ready then, if any of it was timed.
func (m *Model) Pretrain() error {
	m.pretrained = true
	return m.train(first, pretrains)
}

// Train learns from all that was added, on from the weights that there are.
func (m *Model) Train() error {
	how := later
	if m.params == nil {
		how = first
	}
	return m.train(how, int(math.Ceil(lessons/float64(max(len(m.samples), 1)))))
}

// label is what the network is to say of a sample.
func (m *Model) label(s *sample) float32 {
	if s.cost <= 0 {
		return -mostSlow
	}
	return float32(max(-mostSlow, math.Log(m.best[s.group]/s.cost)))
}

// train sees each sample so many times, in batches, by the squared error. It does nothing if none was timed.
func (m *Model) train(how nn.Adam, times int) error {
	if len(m.best) == 0 {
		return nil
	}
	if m.params == nil {
		m.params = nn.NewParameters(m.seed)
	}
	most := 0
	for _, s := range m.samples {
		most = max(most, len(s.rows)/columns)
	}
	net := nn.With(m.params)
	defer net.Close()
	x, rows := net.Input(batch*most, columns)
	segments, labels := &nn.Segments{}, make([]float32, batch)
	out := m.layers(net, x, segments)
	loss := net.Loss(out, func(s, derivative []float32) float64 {
		sum, n := 0.0, float64(len(segments.Ends))
		clear(derivative)
		for i := range segments.Ends {
			d := float64(s[i] - labels[i])
			sum += d * d / n
			derivative[i] = float32(2 * d / n)
		}
		return sum
	})
	if err := net.Finish(out, loss); err != nil {
		return err
	}
	rng := rand.New(rand.NewPCG(m.seed, uint64(len(m.samples))))
	for range times {
		for order := range slices.Chunk(rng.Perm(len(m.samples)), batch) {
			clear(rows)
			at := 0
			segments.Ends = segments.Ends[:0]
			for k, i := range order {
				at += copy(rows[at:], m.samples[i].rows)
				segments.Ends = append(segments.Ends, at/columns)
				labels[k] = m.label(&m.samples[i])
			}
			if _, err := net.Run(); err != nil {
				return err
			}
			net.Step(how)
		}
	}
	m.net = newNetwork(m.params)
	return nil
}

// layers are Felix's: two layers a statement, the sum over statements, two layers that add to what comes in, and
// one number.
func (m *Model) layers(net *nn.Network, x nn.Value, segments *nn.Segments) nn.Value {
	h := net.ReLU(net.Named("rows1").Linear(x, width))
	h = net.ReLU(net.Named("rows2").Linear(h, width))
	h = net.SegmentSum(h, segments, batch)
	h = net.Add(net.ReLU(net.Named("sum1").Linear(h, width)), h)
	h = net.Add(net.ReLU(net.Named("sum2").Linear(h, width)), h)
	return net.Named("out").Linear(h, 1)
}

// Score returns one value per state, in order; higher is faster. A state that cannot be lowered scores -Inf.
func (m *Model) Score(ctx context.Context, task workload.Task, states []*schedule.State) ([]float64, error) {
	scores := make([]float64, len(states))
	err := m.each(ctx, len(states), func(i int) {
		scores[i] = math.Inf(-1)
		if rows := rowsOf(states[i], float64(task.Target.Hardware.CacheLineBytes)); rows != nil {
			scores[i] = m.ScoreRows(rows)
		}
	})
	return scores, err
}

// ScoreRows returns the score of rows that AddRows takes. The model must have been trained.
func (m *Model) ScoreRows(rows []float32) float64 { return m.net.score(rows, nil) }

// Columns returns the columns of rows of ranker/feature that the network reads.
func Columns[T any](wide []T) []T {
	var list []T
	for row := range slices.Chunk(wide, feature.Columns) {
		list = append(append(list, row[:feature.Curve]...), row[feature.Curve+10:]...)
	}
	return list
}

// rowsOf returns what the network reads of a state, nil if it cannot be lowered.
func rowsOf(s *schedule.State, line float64) []float32 {
	p, err := feature.Outline(s)
	if err != nil {
		return nil
	}
	wide, err := feature.Rows(p, line)
	if err != nil {
		return nil
	}
	rows := make([]float32, 0, len(wide))
	for _, v := range Columns(wide) {
		rows = append(rows, float32(v)*math.Ln2) // as Felix has it: natural logarithms
	}
	return rows
}

func (m *Model) each(ctx context.Context, n int, f func(i int)) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(cmp.Or(m.Workers, runtime.GOMAXPROCS(0)))
	const few = 16
	for from := 0; from < n; from += few {
		g.Go(func() error {
			for i := from; i < min(from+few, n) && ctx.Err() == nil; i++ {
				f(i)
			}
			return ctx.Err()
		})
	}
	return g.Wait()
}
