package encoder

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"

	"github.com/wmtune/wmtune/nn"
	"github.com/wmtune/wmtune/nn/kernel"
	"github.com/wmtune/wmtune/nn/onnx"
)

// A forward pass computes the vector of one text over nn/kernel: what newNetwork computes in training, and what export
// writes as ONNX. Its widths are those of the weights. It may run in several goroutines at a time.
type forward struct {
	tokens, positions  []float32 // tables of rows of Size
	numbers1, numbers2 linear
	layers             []attentionLayer
	norm               norm
	pool, head1, head2 linear

	scratch sync.Pool // of *scratch
}

type attentionLayer struct {
	norm1, norm2             norm
	qkv, attention, up, down linear
}

// A linear layer multiplies rows by a matrix and adds a row.
type linear struct {
	weight  *kernel.Packed
	bias    []float32
	in, out int
}

// A norm is a LayerNorm of rows of Size.
type norm struct{ scale, bias []float32 }

// readForward reads the weights of a file for so many tokens.
func readForward(file *onnx.File, vocabulary int) (*forward, error) {
	r := &onnx.Reader{File: file}
	row := func(name string, cols int) []float32 {
		data, _, _ := r.Matrix(name, 1, cols)
		return data
	}
	linearOf := func(name string, in, out int) linear {
		weight, in, out := r.Matrix(name+".weight", in, out)
		return linear{kernel.Pack(kernel.M(weight, out)), row(name+".bias", out), in, out}
	}
	normOf := func(name string) norm { return norm{row(name+".scale", Size), row(name+".bias", Size)} }
	f := &forward{norm: normOf("norm")}
	f.tokens, _, _ = r.Matrix("tokens.table", vocabulary, Size)
	f.positions, _, _ = r.Matrix("positions.table", window, Size)
	f.numbers1 = linearOf("numbers1", Numbers, 0)
	f.numbers2 = linearOf("numbers2", f.numbers1.out, Size)
	for i := range layers {
		name := func(part string) string { return fmt.Sprintf("layer%d.%s", i, part) }
		l := attentionLayer{norm1: normOf(name("norm1")), norm2: normOf(name("norm2"))}
		l.qkv, l.attention = linearOf(name("qkv"), Size, 3*Size), linearOf(name("attention"), Size, Size)
		l.up = linearOf(name("up"), Size, 0)
		l.down = linearOf(name("down"), l.up.out, Size)
		f.layers = append(f.layers, l)
	}
	f.pool = linearOf("pool", Size, heads)
	f.head1 = linearOf("head1", 2*Size+2*Numbers, 0)
	f.head2 = linearOf("head2", f.head1.out, Size)
	f.scratch.New = func() any { return &scratch{} }
	return f, r.Err
}

// scratch is memory for the rows of a text.
type scratch struct{ h, numbers, normal, qkv, mixed, inner, heat, scores []float32 }

// sized returns n values, which may hold anything.
func sized(v *[]float32, n int) []float32 {
	*v = slices.Grow((*v)[:0], n)[:n]
	return *v
}

// vector returns the vector of a text: of its windows.
func (f *forward) vector(windows []tokens) []float32 {
	s := f.scratch.Get().(*scratch)
	defer f.scratch.Put(s)
	rows := count(windows)
	h, numbers := sized(&s.h, rows*Size), sized(&s.numbers, rows*Numbers)
	heat, at := sized(&s.heat, rows), 0
	for _, w := range windows {
		for k, id := range w.ids {
			token := f.tokens[int(id)*Size:][:Size]
			for i, v := range f.positions[k*Size:][:Size] {
				h[at*Size+i] = token[i] + v
			}
			copy(numbers[at*Numbers:], w.numbers[k][:])
			heat[at] = w.numbers[k][lineHeat] * heatScale
			at++
		}
	}
	inner := sized(&s.inner, rows*f.numbers1.out)
	f.numbers1.apply(inner, numbers, nil, kernel.GELU)
	f.numbers2.apply(h, inner, h, nil)
	normal, qkv, mixed := sized(&s.normal, rows*Size), sized(&s.qkv, rows*3*Size), sized(&s.mixed, rows*Size)
	for i := range f.layers {
		l := &f.layers[i]
		l.norm1.apply(normal, h)
		l.qkv.apply(qkv, normal, nil, nil)
		attend(mixed, qkv, windows)
		l.attention.apply(h, mixed, h, nil)
		l.norm2.apply(normal, h)
		inner := sized(&s.inner, rows*l.up.out)
		l.up.apply(inner, normal, nil, kernel.GELU)
		l.down.apply(h, inner, h, nil)
	}
	f.norm.apply(h, h)
	scores := sized(&s.scores, rows*f.pool.out)
	f.pool.apply(scores, h, nil, nil)
	all := slices.Repeat([]float32{1}, rows)
	pooled := slices.Concat(mean(h, all, windows), mean(h, weigh(scores), windows),
		mean(numbers, all, windows), mean(numbers, weigh(heat), windows))
	hidden, z := make([]float32, f.head1.out), make([]float32, Size)
	f.head1.apply(hidden, pooled, nil, kernel.GELU)
	f.head2.apply(z, hidden, nil, nil)
	squares := 0.0
	for _, v := range z {
		squares += float64(v * v)
	}
	length := max(float32(math.Sqrt(float64(float32(squares)))), nn.UnitEpsilon)
	for i := range z {
		z[i] /= length
	}
	return z
}

// apply sets out to rows of x, multiplied, to which the residual is added if there is one, and of that to then. Out may
// be the residual.
func (l *linear) apply(out, x, residual []float32, then func(to, x []float32)) {
	share(len(x)/l.in, l.in*l.out, func(first, end int) {
		to := out[first*l.out : end*l.out]
		for at := 0; at < len(to); at += l.out {
			row := to[at:][:l.out]
			if residual == nil {
				copy(row, l.bias)
				continue
			}
			for i, v := range residual[first*l.out+at:][:l.out] {
				row[i] = l.bias[i] + v
			}
		}
		l.weight.Multiply(to, kernel.M(x[first*l.in:end*l.in], l.in), true)
		if then != nil {
			then(to, to)
		}
	})
}

// apply normalises rows.
func (n *norm) apply(out, x []float32) {
	share(len(x)/Size, 4*Size, func(first, end int) {
		for at := first * Size; at < end*Size; at += Size {
			kernel.LayerNorm(out[at:][:Size], x[at:][:Size], n.scale, n.bias, nn.NormEpsilon)
		}
	})
}

// attend sets out to softmax(q*k'/root)*v of each window and head: rows of qkv are q, k and v, in each the columns of a
// head together. The rows of a window see each other. As in the ONNX file, windows are padded to the longest with keys
// that nothing sees: the length decides the order of the sums of a softmax.
func attend(out, qkv []float32, windows []tokens) {
	length, first := 0, make([]int, len(windows))
	for i, w := range windows {
		length = max(length, len(w.ids))
		if i > 0 {
			first[i] = first[i-1] + len(windows[i-1].ids)
		}
	}
	share(len(windows)*heads, 2*length*length*headSize, func(from, end int) {
		var q, k, v, p []float32
		for i := from; i < end; i++ {
			start, rows, head := first[i/heads], len(windows[i/heads].ids), i%heads*headSize
			gather := func(to *[]float32, rows, column int) []float32 {
				block := sized(to, rows*headSize)
				clear(block)
				for r := range len(windows[i/heads].ids) {
					copy(block[r*headSize:][:headSize], qkv[(start+r)*3*Size+column+head:])
				}
				return block
			}
			queries, keys, values := gather(&q, rows, 0), gather(&k, length, Size), gather(&v, length, 2*Size)
			weights := sized(&p, rows*length)
			kernel.Multiply(weights, kernel.M(queries, headSize), kernel.M(keys, headSize).T(), false)
			for r := range rows {
				row := weights[r*length:][:length]
				for c := rows; c < length; c++ {
					row[c] = -unseen
				}
				kernel.Softmax(row, attentionScale)
			}
			kernel.Multiply(queries, kernel.M(weights, length), kernel.M(values, headSize), false)
			for r := range rows {
				copy(out[(start+r)*Size+head:][:headSize], queries[r*headSize:])
			}
		}
	})
}

// weigh replaces scores by the weights of a mean: see nn.PoolBound.
func weigh(scores []float32) []float32 {
	for i, s := range scores {
		bounded := float32(math.Tanh(float64(s / nn.PoolBound)))
		scores[i] = float32(math.Exp(float64(bounded * nn.PoolBound)))
	}
	return scores
}

// mean returns the mean of rows by weights, of which a row has one or several: the columns of each are together. Sums
// are of windows, and then of them all.
func mean(rows, weights []float32, windows []tokens) []float32 {
	n := count(windows)
	cols, groups := len(rows)/n, len(weights)/n
	out, total := make([]float32, cols), make([]float32, groups)
	at := 0
	for _, w := range windows {
		sums, weight := make([]float64, cols), make([]float64, groups)
		for range w.ids {
			for g, by := range weights[at*groups:][:groups] {
				weight[g] += float64(by)
				first, end := g*cols/groups, (g+1)*cols/groups
				for k, v := range rows[at*cols+first : at*cols+end] {
					sums[first+k] += float64(v * by)
				}
			}
			at++
		}
		for g, v := range weight {
			total[g] += float32(v)
		}
		for k, v := range sums {
			out[k] += float32(v)
		}
	}
	for k := range out {
		out[k] /= total[k*groups/cols]
	}
	return out
}

// worthwhile is how many multiplications are worth a goroutine.
const worthwhile = 1 << 20

// share cuts n things of so many multiplications each into pieces, which f computes at once. Results do not depend on
// where the cuts are.
func share(n, each int, f func(first, end int)) {
	pieces := min(runtime.GOMAXPROCS(0), n*each/worthwhile+1, n)
	if pieces < 2 {
		f(0, n)
		return
	}
	var wait sync.WaitGroup
	for p := range pieces {
		wait.Go(func() { f(p*n/pieces, (p+1)*n/pieces) })
	}
	wait.Wait()
}
