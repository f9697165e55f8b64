package models

import (
	"context"
	"errors"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/tir/schedule"
)

// A residual is what a task's own measurements say beyond the trained model, which
// stays as it is: kernel ridge regression on the features of what was measured, with
// the model's score as the base margin. The base fades by half with every fadeRecords
// records, as AutoTVM's transfer does (Chen et al., "Learning to Optimize Tensor
// Programs", section 4); its residual is boosted trees there.
type residual struct {
	seen map[string]bool // by trajectory
	rows []row           // of what was timed
	y    []float64       // -log of the time

	fade   float64   // weight of the base, from 1 down to 0
	centre []float64 // by feature, over rows
	scale  []float64 // 0 for a feature that does not vary
	x      [][]float64
	alpha  []float64
}

const (
	fadeRecords  = 64
	fadeLeast    = 0.05 // a base of less weight is dropped
	residualMin  = 8    // records with which a residual begins
	residualMost = 512  // records that it is fitted to, the earliest
	ridge        = 0.5
)

// Update learns from records of a task, for Score to add to what the model says. The
// model itself does not change. Records of failures are passed over.
func (m *Model) Update(ctx context.Context, t workload.Task, records []dataset.Record) error {
	s, err := m.session(t)
	if err != nil {
		return err
	}
	s.learning.Lock()
	defer s.learning.Unlock()
	if s.residual == nil {
		s.residual = &residual{seen: map[string]bool{}}
	}
	r := s.residual
	var states []*schedule.State
	var y []float64
	for _, rec := range records {
		if !rec.Timed() || r.seen[rec.Trajectory] || len(r.rows)+len(states) >= residualMost {
			continue
		}
		state, err := schedule.Replay(t.DAG, rec.Steps)
		if err == nil {
			state, err = state.InferBound()
		}
		if err != nil {
			continue
		}
		r.seen[rec.Trajectory] = true
		states, y = append(states, state), append(y, -math.Log(rec.Cost()))
	}
	rows, err := s.rows(ctx, states)
	if err != nil {
		return err
	}
	for i, row := range rows {
		if row.err == nil {
			r.rows, r.y = append(r.rows, row), append(r.y, y[i])
		}
	}
	return s.fit()
}

// fit fits the residual to all records so far.
func (s *session) fit() error {
	r := s.residual
	n := len(r.rows)
	r.alpha = nil
	if n < residualMin {
		return nil
	}
	if r.fade = math.Exp2(-float64(n) / fadeRecords); r.fade < fadeLeast {
		r.fade = 0
	}
	base, err := s.global(r.rows)
	if err != nil {
		return err
	}
	y := standard(r.y, len(r.y))
	base = standard(base, len(base))
	r.standardise()
	k, rest := mat.NewSymDense(n, nil), mat.NewVecDense(n, nil)
	for i := range n {
		for j := range i + 1 {
			k.SetSym(i, j, kernel(r.x[i], r.x[j]))
		}
		k.SetSym(i, i, k.At(i, i)+ridge)
		rest.SetVec(i, y[i]-r.fade*base[i])
	}
	var factors mat.Cholesky
	if !factors.Factorize(k) {
		return errors.New("models: what the records say of the model's errors cannot be fitted: features hold what is no " +
			"number")
	}
	alpha := mat.NewVecDense(n, nil)
	var ill mat.Condition // ridge bounds what it does
	if err := factors.SolveVecTo(alpha, rest); err != nil && !errors.As(err, &ill) {
		return err
	}
	r.alpha = alpha.RawVector().Data
	return nil
}

// standardise prepares the features of the rows.
func (r *residual) standardise() {
	columns := len(r.rows[0].features)
	r.centre, r.scale = make([]float64, columns), make([]float64, columns)
	n := float64(len(r.rows))
	for c := range columns {
		sum, squares := 0.0, 0.0
		for _, row := range r.rows {
			sum += float64(row.features[c])
		}
		r.centre[c] = sum / n
		for _, row := range r.rows {
			d := float64(row.features[c]) - r.centre[c]
			squares += d * d
		}
		if sd := math.Sqrt(squares / n); sd > 1e-6 {
			r.scale[c] = 1 / sd
		}
	}
	r.x = make([][]float64, len(r.rows))
	for i, row := range r.rows {
		r.x[i] = r.standardised(row)
	}
}

// standardised returns the features of a row, as the residual reads them.
func (r *residual) standardised(of row) []float64 {
	x := make([]float64, len(of.features))
	vary := 0.0
	for _, s := range r.scale {
		if s > 0 {
			vary++
		}
	}
	for c, v := range of.features {
		d := (float64(v) - r.centre[c]) * r.scale[c]
		x[c] = max(-4, min(4, d)) / math.Sqrt(max(vary, 1))
	}
	return x
}

// kernel is Gaussian; features are scaled so that records are about 1 apart.
func kernel(a, b []float64) float64 {
	sum := 0.0
	for i, v := range a {
		d := v - b[i]
		sum += d * d
	}
	return math.Exp(-sum / 2)
}

// correct ranks rows by the model and what was learned. The records are ranked with
// them, since scores compare within one call only.
func (s *session) correct(rows []row) ([]float64, error) {
	r := s.residual
	n := len(r.rows)
	all, err := s.global(append(append(make([]row, 0, n+len(rows)), r.rows...), rows...))
	if err != nil {
		return nil, err
	}
	all = standard(all, n)[n:]
	g := s.model.workers()
	for i, row := range rows {
		if row.err != nil {
			continue
		}
		g.Go(func() error {
			x := r.standardised(row)
			sum := r.fade * all[i]
			for k, a := range r.alpha {
				sum += a * kernel(x, r.x[k])
			}
			all[i] = sum
			return nil
		})
	}
	_ = g.Wait() // predicting does not fail
	return all, nil
}

// standard returns values less the mean of the first n and over their deviation; -Inf
// stays.
func standard(values []float64, n int) []float64 {
	mean, squares := 0.0, 0.0
	for _, v := range values[:n] {
		mean += v / float64(n)
	}
	for _, v := range values[:n] {
		squares += (v - mean) * (v - mean)
	}
	scale := 1.0
	if sd := math.Sqrt(squares / float64(n)); sd > 1e-12 {
		scale = 1 / sd
	}
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = (v - mean) * scale
	}
	return out
}
