package gbt

import (
	"maps"
	"math"
	"slices"

	"github.com/wmtune/wmtune/ranker/feature"
)

// samples is what there is to learn from.
type samples struct {
	list []sample
	best map[string]float64 // by group: the smallest time in seconds
}

// A sample is one measured program.
type sample struct {
	rows  []float32
	cost  float64 // seconds; 0 if it failed
	group string  // whose times compare
}

func (d *samples) len() int { return len(d.list) }

// clone returns the same samples, to be added to apart. The samples themselves are
// never written to.
func (d *samples) clone() samples {
	return samples{list: slices.Clip(d.list), best: maps.Clone(d.best)}
}

// add adds samples. Those without rows are left out.
func (d *samples) add(list []sample) {
	if d.best == nil {
		d.best = map[string]float64{}
	}
	for _, s := range list {
		if len(s.rows) == 0 {
			continue
		}
		if best, ok := d.best[s.group]; s.cost > 0 && (!ok || s.cost < best) {
			d.best[s.group] = s.cost
		}
		d.list = append(d.list, s)
	}
}

// A pack is a sample as the training sees it: some rows, whose predictions are
// to sum up to the label.
type pack struct {
	first, end int
	label      float32
}

// packs returns the rows of all samples, one after the other, and the packs that
// they form. Labels are in (0, 1], 1 for the best of a group, and 0 for what
// failed; a new best changes all labels of its group.
func (d *samples) packs() (rows []float32, list []pack) {
	for _, s := range d.list {
		first := len(rows) / feature.Columns
		rows = append(rows, s.rows...)
		p := pack{first: first, end: len(rows) / feature.Columns}
		if s.cost > 0 {
			p.label = float32(d.best[s.group] / s.cost)
		}
		list = append(list, p)
	}
	return rows, list
}

// rootMeanSquare returns the root of the mean squared error of the sums of predictions.
func rootMeanSquare(list []pack, pred []float32) float64 {
	sum := 0.0
	for _, p := range list {
		e := float64(p.sum(pred) - p.label)
		sum += e * e
	}
	return math.Sqrt(sum / float64(len(list)))
}

// sum adds up the predictions of the rows of a pack.
func (p pack) sum(pred []float32) float32 {
	var s float32
	for _, v := range pred[p.first:p.end] {
		s += v
	}
	return s
}
