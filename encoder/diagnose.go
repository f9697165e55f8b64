package encoder

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/wmtune/wmtune/dataset/split"
	"github.com/wmtune/wmtune/nn"
)

// A Report says what the vectors of an encoder are worth on tasks that it was not
// trained on.
type Report struct {
	Part     split.Part
	Programs int
	Tasks    int

	Retrieval float64 // share of programs found by a rewriting, among so many:
	Among     int

	Cosine    float64 // mean of pairs of programs of one task
	Deviation float64 // mean over the 128 numbers; evenly on a sphere it is .088
	Rank      float64 // exp of the entropy of the singular values, as shares

	R2        float64 // of the facts, by a linear probe that was fitted on tasks to learn from
	FactR2    [Facts]float64
	Spearman  float64 // of a linear probe of the label, inside of tasks, of last programs
	Truncated int     // programs longer than all windows
}

// The limits that a report's figures must keep (what a good encoder needs before a
// transition is worth training on it).
const (
	leastRetrieval = 0.95
	mostCosine     = 0.9
	leastDeviation = 0.03
	leastRank      = 16
	leastR2        = 0.8
)

// String returns a table, one row a figure, with what it should be.
func (r Report) String() string {
	var b strings.Builder
	row := func(name string, v float64, want string, good bool) {
		verdict := "ok"
		if !good {
			verdict = "NOT MET"
		}
		fmt.Fprintf(&b, "%-44s %7.3f  %-7s %s\n", name, v, want, verdict)
	}
	fmt.Fprintf(&b, "encoder on %d programs of %d tasks for %s, %d longer than all windows\n", r.Programs, r.Tasks, r.Part,
		r.Truncated)
	row(fmt.Sprintf("rewriting found among %d programs", r.Among), r.Retrieval, "> .95", r.Retrieval > leastRetrieval)
	row("mean cosine inside a task", r.Cosine, "< .9", r.Cosine < mostCosine)
	row("mean deviation of a number", r.Deviation, "> .03", r.Deviation > leastDeviation)
	row("effective rank of 128", r.Rank, "> 16", r.Rank > leastRank)
	row("facts from vectors, R2", r.R2, "> .8", r.R2 > leastR2)
	for k, v := range r.FactR2 {
		if !math.IsNaN(v) {
			fmt.Fprintf(&b, "  %-42s %7.3f\n", FactNames[k], v)
		}
	}
	fmt.Fprintf(&b, "%-44s %7.3f\n", "label from vectors inside a task, Spearman", r.Spearman)
	return b.String()
}

// A measured program.
type measured struct {
	*program
	z     []float64
	facts []float64
}

// Diagnose measures an encoder on the tasks of a part of a split.
func Diagnose(ctx context.Context, m *Model, d Data, part split.Part) (Report, error) {
	const perTask = 32
	r := Report{Part: part}
	learn, err := d.draw(ctx, split.Train, perTask)
	if err != nil {
		return r, err
	}
	held, err := d.draw(ctx, part, perTask)
	if err != nil {
		return r, err
	}
	fitted, err := m.measure(ctx, learn)
	if err != nil {
		return r, err
	}
	list, err := m.measure(ctx, held)
	if err != nil {
		return r, err
	}
	r.Programs, r.Tasks = len(list), len(held.tasks)
	for _, p := range list {
		if m.Truncated(p.text) {
			r.Truncated++
		}
	}
	if err := r.views(m, held.spread(retrieved), d.Seed); err != nil {
		return r, err
	}
	r.spread(list)
	return r, r.probes(fitted, list)
}

// measure encodes all programs of a sample.
func (m *Model) measure(ctx context.Context, s *sample) ([]measured, error) {
	var list []measured
	for _, task := range s.tasks {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("encoder: diagnosis stopped: %w", err)
		}
		var texts []string
		for i := range task {
			texts = append(texts, task[i].text)
		}
		z, err := m.Encode(texts)
		if err != nil {
			return nil, err
		}
		for i := range task {
			f := ReadFacts(task[i].text)
			list = append(list, measured{&task[i], widen(z[i]), widen(f[:])})
		}
	}
	return list, nil
}

// views looks for programs by rewritings of them.
func (r *Report) views(m *Model, list []*program, seed uint64) error {
	var texts, rewritten []string
	for i, p := range list {
		texts = append(texts, p.text)
		rewritten = append(rewritten, Rewrite(p.text, rand.New(rand.NewPCG(seed, uint64(i)<<8|4))))
	}
	one, err := m.Encode(texts)
	if err != nil {
		return err
	}
	two, err := m.Encode(rewritten)
	if err != nil {
		return err
	}
	r.Among, r.Retrieval = len(list), retrieval(two, one)
	return nil
}

// spread measures how far vectors are from each other.
func (r *Report) spread(list []measured) {
	tasks := 0.0
	for i := 0; i < len(list); {
		end, sum, n := i, 0.0, 0.0
		for end < len(list) && list[end].task == list[i].task {
			for k := i; k < end; k++ {
				sum += inner64(list[k].z, list[end].z)
				n++
			}
			end++
		}
		if n > 0 {
			r.Cosine += sum / n
			tasks++
		}
		i = end
	}
	r.Cosine /= max(1, tasks)
	covariance := mat.NewSymDense(Size, nil)
	mean := make([]float64, Size)
	for _, p := range list {
		for k, v := range p.z {
			mean[k] += v / float64(len(list))
		}
	}
	centred := make([]float64, Size)
	for _, p := range list {
		for k, v := range p.z {
			centred[k] = v - mean[k]
		}
		covariance.SymRankOne(covariance, 1/float64(len(list)), mat.NewVecDense(Size, centred))
	}
	for k := range Size {
		r.Deviation += math.Sqrt(covariance.At(k, k)) / Size
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(covariance, false) {
		return // a rank of 0 is not met
	}
	total, entropy := 0.0, 0.0
	values := eigen.Values(nil)
	for _, v := range values {
		total += math.Sqrt(max(v, 0))
	}
	for _, v := range values {
		if share := math.Sqrt(max(v, 0)) / total; share > 0 {
			entropy -= share * math.Log(share)
		}
	}
	r.Rank = math.Exp(entropy)
}

func inner64(x, y []float64) float64 {
	sum := 0.0
	for i, a := range x {
		sum += a * y[i]
	}
	return sum
}

// probes fits linear probes on one list and judges them by another.
func (r *Report) probes(fitted, list []measured) error {
	targets := func(list []measured) (z, facts [][]float64) {
		for _, p := range list {
			z, facts = append(z, p.z), append(facts, p.facts)
		}
		return z, facts
	}
	z, facts := targets(fitted)
	probe, err := fitRidge(z, facts)
	if err != nil {
		return err
	}
	held, truth := targets(list)
	told := make([][]float64, len(held))
	for i, v := range held {
		told[i] = probe.tell(v)
	}
	r.R2 = meanR2(told, truth)
	for k := range r.FactR2 {
		var ok bool
		if r.FactR2[k], ok = columnR2(told, truth, k); !ok {
			r.FactR2[k] = math.NaN()
		}
	}
	zs, ys := inside(fitted)
	if len(zs) < 2 {
		return nil
	}
	var all, labels [][]float64
	for i := range zs {
		all, labels = append(all, zs[i]...), append(labels, ys[i]...)
	}
	if probe, err = fitRidge(all, labels); err != nil {
		return err
	}
	tasks := 0.0
	zs, ys = inside(list)
	for i := range zs {
		var guess, y []float64
		for k, v := range zs[i] {
			guess, y = append(guess, probe.tell(v)[0]), append(y, ys[i][k][0])
		}
		r.Spearman += nn.Spearman(guess, y)
		tasks++
	}
	r.Spearman /= max(1, tasks)
	return nil
}

// inside returns the vectors and labels of the last programs of each task that has
// at least 8, less the task's means.
func inside(list []measured) (z, y [][][]float64) {
	for i := 0; i < len(list); {
		var zs, ys [][]float64
		task := list[i].task
		for ; i < len(list) && list[i].task == task; i++ {
			if list[i].label >= 0 {
				zs, ys = append(zs, slices.Clone(list[i].z)), append(ys, []float64{list[i].label})
			}
		}
		if len(zs) >= 8 {
			z, y = append(z, centre(zs)), append(y, centre(ys))
		}
	}
	return z, y
}

func centre(rows [][]float64) [][]float64 {
	for k := range rows[0] {
		mean := 0.0
		for _, row := range rows {
			mean += row[k] / float64(len(rows))
		}
		for _, row := range rows {
			row[k] -= mean
		}
	}
	return rows
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
		if r, ok := columnR2(told, truth, k); ok {
			sum += r
			n++
		}
	}
	return sum / float64(max(1, n))
}

// columnR2 is meanR2 of one column; not ok if it does not vary.
func columnR2(told, truth [][]float64, k int) (r2 float64, ok bool) {
	mean := 0.0
	for _, row := range truth {
		mean += row[k] / float64(len(truth))
	}
	wrong, all := 0.0, 0.0
	for i, row := range truth {
		wrong += (row[k] - told[i][k]) * (row[k] - told[i][k])
		all += (row[k] - mean) * (row[k] - mean)
	}
	if all < 1e-6*float64(len(truth)) {
		return 0, false
	}
	return 1 - wrong/all, true
}

// A ridge is a linear probe: what is told is the mean plus a product.
type ridge struct {
	weights *mat.Dense // Size x columns
	z, y    []float64  // means
}

// ridgePenalty is what keeps weights small, times the number of rows: vectors have
// length 1, so their 128 numbers vary by about 1/128.
const ridgePenalty = 1e-5

// fitRidge fits a probe that tells columns of y from rows of z.
func fitRidge(z, y [][]float64) (*ridge, error) {
	r := &ridge{z: means(z), y: means(y)}
	rows := func(yield func(x, t []float64) bool) {
		x, t := make([]float64, len(r.z)), make([]float64, len(r.y))
		for i := range z {
			floats.SubTo(x, z[i], r.z)
			floats.SubTo(t, y[i], r.y)
			if !yield(x, t) {
				return
			}
		}
	}
	var err error
	if r.weights, err = nn.Ridge(rows, len(r.z), len(r.y), ridgePenalty*float64(len(z))); err != nil {
		return nil, fmt.Errorf("encoder: a probe of vectors: %w", err)
	}
	return r, nil
}

func means(rows [][]float64) []float64 {
	out := make([]float64, len(rows[0]))
	for _, row := range rows {
		for k, v := range row {
			out[k] += v / float64(len(rows))
		}
	}
	return out
}

func (r *ridge) tell(z []float64) []float64 {
	out := append([]float64(nil), r.y...)
	for k := range out {
		for i, v := range z {
			out[k] += (v - r.z[i]) * r.weights.At(i, k)
		}
	}
	return out
}
