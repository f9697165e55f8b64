// Package touch computes the features of AutoTVM's cost models: what the loops of a program touch of its buffers
// ("Learning to Optimize Tensor Programs", Chen et al., 2018, section 3; src/autotvm/touch_extractor.cc).
//
// The package must not know what the features are for.
package touch

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/wmtune/wmtune/ranker/feature"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/schedule"
)

// An Access is what an iteration variable has to do with one place in the text.
type Access struct {
	Name   string // of the buffer, and which of its places it is: A_0, A_1
	Stride int64  // what the variable is multiplied with in the index, 0 if it is not there

	// Count is how many elements one run of the loop touches, Reuse how often each. ThreadCount and ThreadReuse are how
	// many times as many that is as inside one thread or block, where the loop is the border between them; else 0.
	Count, Reuse, ThreadCount, ThreadReuse int64
}

// A Row is an iteration variable: a loop, or a kind of threads.
type Row struct {
	Ann          schedule.Annotation
	Length       int64
	Level        int   // from 1, the outermost
	Down, Up     int64 // product of the lengths from the outermost to it; the most that an access does inside it
	Add, Mul, Of int   // additions, products and quotients of floats directly inside
	Accesses     []Access
}

// Rows returns the iteration variables of a text in order of entry. Name names a buffer; nil: by its own name.
func Rows(t *feature.Text, name func(*tir.Buffer) string) []Row {
	if name == nil {
		name = func(b *tir.Buffer) string { return b.Name }
	}
	w := &walker{text: t, rows: make([]Row, len(t.Loops)), down: 1}
	numbers := map[string]int{}
	for i, n := range t.Nests {
		for len(w.stack) > 0 && (len(w.stack) > len(n.Loops) || !slices.Equal(w.stack, n.Loops[:len(w.stack)])) {
			w.leave()
		}
		for _, l := range n.Loops[len(w.stack):] {
			w.enter(l)
		}
		if len(n.Loops) > 0 {
			in := &w.rows[n.Loops[len(n.Loops)-1]]
			in.Add, in.Mul, in.Of = in.Add+n.Ops.Float.AddSub, in.Mul+n.Ops.Float.Mul, in.Of+n.Ops.Float.DivMod
		}
		for _, p := range t.Places[i] {
			base := name(t.Buffers[p.Buffer])
			for k, l := range n.Loops {
				w.rows[l].Accesses = append(w.rows[l].Accesses,
					Access{Name: fmt.Sprintf("%s_%d", base, numbers[base]), Stride: p.Strides[k], Count: 1, Reuse: 1})
			}
			numbers[base]++
		}
	}
	for len(w.stack) > 0 {
		w.leave()
	}
	for i := range w.rows {
		slices.SortFunc(w.rows[i].Accesses, func(a, b Access) int { return cmp.Compare(a.Name, b.Name) })
	}
	return w.rows
}

// A walker goes through the loops of a text.
type walker struct {
	text  *feature.Text
	rows  []Row
	stack []int
	down  int64
}

func (w *walker) enter(loop int) {
	w.stack = append(w.stack, loop)
	l := w.text.Loops[loop]
	w.down *= int64(l.Extent)
	w.rows[loop] = Row{Ann: l.Ann, Length: int64(l.Extent), Level: len(w.stack), Down: w.down}
}

// leave has all loops around count what the innermost one repeats.
func (w *walker) leave() {
	last := w.stack[len(w.stack)-1]
	row := &w.rows[last]
	for _, a := range row.Accesses {
		for _, l := range w.stack {
			of := w.rows[l].access(a.Name)
			if a.Stride != 0 {
				of.Count *= row.Length
			} else {
				of.Reuse *= row.Length
			}
		}
	}
	w.stack = w.stack[:len(w.stack)-1]
	w.down /= row.Length
	row.Up = -1
	for _, a := range row.Accesses {
		row.Up = max(row.Up, a.Count*a.Reuse)
	}
	// Where threads end and blocks begin, blocks remember what a thread does, as negative numbers.
	if n := len(w.stack); n > 0 && level(w.rows[w.stack[n-1]].Ann) == level(row.Ann)+1 {
		for _, a := range row.Accesses {
			for _, l := range w.stack {
				if level(w.rows[l].Ann) == level(row.Ann)+1 {
					of := w.rows[l].access(a.Name)
					of.ThreadCount, of.ThreadReuse = -a.Count, -a.Reuse
				}
			}
		}
	}
	for i := range row.Accesses {
		if a := &row.Accesses[i]; a.ThreadCount < 0 {
			a.ThreadCount, a.ThreadReuse = a.Count/-a.ThreadCount, a.Reuse/-a.ThreadReuse
		}
	}
}

func (r *Row) access(name string) *Access {
	i := slices.IndexFunc(r.Accesses, func(a Access) bool { return a.Name == name })
	return &r.Accesses[i]
}

// level is how far out in a machine a loop runs: 2 for blocks, 1 for threads and cores, else 0.
func level(a schedule.Annotation) int {
	switch {
	case a.IsBlock():
		return 2
	case a.IsThread() && a != schedule.VThread, a == schedule.Parallel:
		return 1
	}
	return 0
}

// annotations are AutoTVM's, in the order of its flags.
var annotations = []schedule.Annotation{
	schedule.BlockX, schedule.BlockY, schedule.BlockZ, schedule.ThreadX, schedule.ThreadY, schedule.ThreadZ,
	schedule.Unroll, schedule.Vectorize, schedule.Parallel, schedule.None, schedule.VThread,
}

// scaled returns the signed logarithm of a number and 1.
func scaled(n int64) float64 {
	if n < 0 {
		return -math.Log2(float64(1 - n))
	}
	return math.Log2(float64(n + 1))
}

// Itervar returns the "itervar" features: of each row 15 numbers of the loop, 3 of arithmetic, and 6 of each access.
func Itervar(rows []Row) []float64 {
	var v []float64
	for _, r := range rows {
		v = append(v, scaled(r.Length), float64(r.Level), scaled(r.Down), scaled(r.Up))
		for _, a := range annotations {
			flag := 0.0
			if a == r.Ann {
				flag = 1
			}
			v = append(v, flag)
		}
		v = append(v, scaled(int64(r.Add)), scaled(int64(r.Mul)), scaled(int64(r.Of)))
		for _, a := range r.Accesses {
			const mod = -1 // AutoTVM never sets it
			v = append(v, scaled(a.Stride), scaled(mod), scaled(a.Count), scaled(a.Reuse), scaled(a.ThreadCount),
				scaled(a.ThreadReuse))
		}
	}
	return v
}

// deepest returns the accesses of the deepest loops, sorted: of each buffer, whatever the memory that a copy of it is
// in, the last one.
func deepest(rows []Row) []string {
	depth := 0
	for _, r := range rows {
		depth = max(depth, r.Level)
	}
	of := map[string]string{}
	for _, r := range slices.Backward(rows) {
		if r.Level != depth {
			continue
		}
		for _, a := range slices.Backward(r.Accesses) {
			raw, _, _ := strings.Cut(a.Name[:strings.LastIndexByte(a.Name, '_')], ".")
			if _, ok := of[raw]; !ok {
				of[raw] = a.Name
			}
		}
	}
	return slices.Sorted(maps.Values(of))
}

// A series is the logarithms of count, reuse and Row.Down of an access, by loop around it from the outermost on.
type series struct{ count, reuse, down []float64 }

func seriesOf(rows []Row, name string) (s series) {
	for _, r := range rows {
		if i := slices.IndexFunc(r.Accesses, func(a Access) bool { return a.Name == name }); i >= 0 {
			s.count = append(s.count, math.Log2(float64(r.Accesses[i].Count)))
			s.reuse = append(s.reuse, math.Log2(float64(r.Accesses[i].Reuse)))
			s.down = append(s.down, math.Log2(float64(r.Down)))
		}
	}
	return s
}

// Samples is how many points the features take of a curve.
const Samples = 20

// Curve returns the "curve" features: of each access of the deepest loops 4 curves, Samples times the value and how far
// on the next point to the left is. Each of the numbers of loops is sorted by itself, as upstream's.
func Curve(rows []Row) []float64 {
	var v []float64
	for _, name := range deepest(rows) {
		s := seriesOf(rows, name)
		for _, x := range []*[]float64{&s.count, &s.reuse, &s.down} {
			*x = append(*x, 0)
			slices.Sort(*x)
		}
		v = sample(v, s.count, s.reuse)
		v = sample(v, s.reuse, s.count)
		v = sample(v, s.count, s.down)
		v = sample(v, s.down, s.count)
	}
	return v
}

func sample(v, x, y []float64) []float64 {
	for i := range Samples {
		for j := len(x) - 1; j >= 0; j-- {
			if float64(i) > x[j]-1e-6 {
				v = append(v, y[j], float64(i)-x[j])
				break
			}
		}
	}
	return v
}

// Relation returns the paper's relation features R_t of the same four pairs: of each threshold 0 to Samples-1 the
// largest second number of the loops whose first one is below it, or equal; 0 if there is none. All are logarithms.
func Relation(rows []Row) []float64 {
	var v []float64
	for _, name := range deepest(rows) {
		s := seriesOf(rows, name)
		for _, pair := range [][2][]float64{{s.count, s.reuse}, {s.reuse, s.count}, {s.count, s.down}, {s.down, s.count}} {
			for t := range Samples {
				most := 0.0
				for k, x := range pair[0] {
					if x < float64(t)+1e-6 {
						most = max(most, pair[1][k])
					}
				}
				v = append(v, most)
			}
		}
	}
	return v
}
