package encoder

import (
	"fmt"
	"math"

	"github.com/wmtune/wmtune/nn"
)

// Size is the length of a program's vector.
const Size = 128

// The shape of the network.
const (
	layers = 2
	heads  = 4
	inner  = 512 // of the layers after attention
	hidden = 64  // of the layers of numbers
)

const headSize = Size / heads

// attentionScale is 1 over the root of headSize.
var attentionScale = float32(1 / math.Sqrt(headSize))

// unseen is what is taken from the scores of keys that nothing sees.
const unseen = 1e9

// A network is the graph of a training, for so many rows of tokens and so many
// texts.
type network struct {
	*nn.Network
	rows, texts int

	ids, positions *nn.IDs
	numbers        []float32    // of each row
	heat           []float32    // score of each row by how often its line runs
	windows        *nn.Segments // rows of each window
	spans          *nn.Segments // rows of each text
	noise          *nn.Noise
	loss           func(out, derivative []float32) float64
}

// newNetwork builds the graph over parameters, which are added if they are not
// there: rows of tokens (read), means of texts, plain and weighted, of these
// and of the numbers as they are, a head; beside it a linear reader of facts.
func newNetwork(p *nn.Parameters, vocabulary, rows, texts int) (*network, error) {
	n := &network{
		Network: nn.With(p), rows: rows, texts: texts,
		ids: &nn.IDs{}, positions: &nn.IDs{}, windows: &nn.Segments{}, spans: &nn.Segments{}, noise: &nn.Noise{},
	}
	h, numbers, heat := n.read(vocabulary)
	pooled := n.Concat(
		n.Concat(
			n.SegmentMean(h, n.spans, texts),
			n.SegmentPool(h, n.Named("pool").Linear(h, heads), n.spans, texts)),
		n.Concat(
			n.SegmentMean(numbers, n.spans, texts),
			n.SegmentPool(numbers, heat, n.spans, texts)))
	z := n.Unit(n.Named("head2").Linear(n.GELU(n.Named("head1").Linear(pooled, Size)), Size))
	facts := n.Named("facts").Linear(n.Scale(z, 11.313708), Facts) // root of Size
	out := n.Concat(z, facts)
	loss := n.Loss(out, func(s, derivative []float32) float64 { return n.loss(s, derivative) })
	if err := n.Finish(out, loss); err != nil {
		return nil, fmt.Errorf("encoder: %w", err)
	}
	return n, nil
}

// read adds the layers that make a row of each token: embeddings of tokens, of their
// positions and of the numbers beside them, layers with norms before (Xiong et al. 2020).
// It returns the rows, the numbers and how often lines run.
func (n *network) read(vocabulary int) (h, numbers, heat nn.Value) {
	h = n.Add(
		n.Named("tokens").Embedding(n.ids, n.rows, vocabulary, Size),
		n.Named("positions").Embedding(n.positions, n.rows, window, Size))
	numbers, n.numbers = n.Input(n.rows, Numbers)
	heat, n.heat = n.Input(n.rows, 1)
	h = n.Add(h, n.Named("numbers2").Linear(n.GELU(n.Named("numbers1").Linear(numbers, hidden)), Size))
	h = n.Dropout(h, n.noise)
	for i := range layers {
		at := func(part string) nn.Layer { return n.Named(fmt.Sprintf("layer%d.%s", i, part)) }
		a := n.Attention(at("qkv").Linear(at("norm1").Norm(h), 3*Size), n.windows, heads)
		h = n.Add(h, n.Dropout(at("attention").Linear(a, Size), n.noise))
		f := n.GELU(at("up").Linear(at("norm2").Norm(h), inner))
		h = n.Add(h, n.Dropout(at("down").Linear(f, Size), n.noise))
	}
	return n.Named("norm").Norm(h), numbers, heat
}

// heatScale makes a score of heat: rows weigh as often as their lines run.
const heatScale = 16 * math.Ln2

// columns of the network's output.
const columns = Size + Facts

// fill sets the inputs: the windows of each text.
func (n *network) fill(texts [][]tokens) {
	n.ids.List, n.positions.List = n.ids.List[:0], n.positions.List[:0]
	n.windows.Ends, n.spans.Ends = n.windows.Ends[:0], n.spans.Ends[:0]
	rows := 0
	for _, list := range texts {
		rows += count(list)
	}
	if rows > n.rows || len(texts) > n.texts {
		panic(fmt.Sprintf("BUG: encoder: %d tokens of %d texts in a network for %d of %d", rows, len(texts), n.rows, n.texts))
	}
	for _, list := range texts {
		for _, w := range list {
			for k, id := range w.ids {
				copy(n.numbers[len(n.ids.List)*Numbers:], w.numbers[k][:])
				n.heat[len(n.ids.List)] = w.numbers[k][lineHeat] * heatScale
				n.ids.List = append(n.ids.List, id)
				n.positions.List = append(n.positions.List, int32(k))
			}
			n.windows.Ends = append(n.windows.Ends, len(n.ids.List))
		}
		n.spans.Ends = append(n.spans.Ends, len(n.ids.List))
	}
}

// Weights of the loss. The temperature has a type: its reciprocal is then rounded twice, as in the training of the
// shipped encoders.
const (
	temperature float64 = 0.07
	factWeight  float64 = 0.5
)

// A pairing says what the rows of a batch are: row i and row i+half are two views of
// one program.
type pairing struct {
	half  int
	facts [][Facts]float32 // of each row
}

// contrast returns the mean over rows of the cross-entropy of finding the other view
// of a row among all other rows (Chen et al. 2020); and adds its derivative. Each row of
// z has cols numbers, the first Size of which are a vector of length 1.
func (p *pairing) contrast(z []float32, cols int, derivative []float32) float64 {
	rows := 2 * p.half
	total := 0.0
	logits := make([]float64, rows)
	for i := range rows {
		zi := z[i*cols:][:Size]
		most := math.Inf(-1)
		for j := range rows {
			logits[j] = math.Inf(-1)
			if j != i {
				logits[j] = dot(zi, z[j*cols:][:Size]) / temperature
				most = max(most, logits[j])
			}
		}
		sum := 0.0
		for j, l := range logits {
			logits[j] = math.Exp(l - most)
			sum += logits[j]
		}
		other := (i + p.half) % rows
		total -= math.Log(logits[other] / sum)
		for j := range rows {
			g := logits[j] / sum
			if j == other {
				g--
			}
			if g == 0 {
				continue
			}
			g *= 1 / temperature / float64(rows)
			addTimes(derivative[i*cols:][:Size], z[j*cols:][:Size], float32(g))
			addTimes(derivative[j*cols:][:Size], zi, float32(g))
		}
	}
	return total / float64(rows)
}

// telling returns the Huber loss of the facts that are read off the vectors, the sum
// over facts and the mean over rows, and adds its derivative.
func (p *pairing) telling(out []float32, cols int, derivative []float32) float64 {
	total, scale := 0.0, 1/float64(2*p.half)
	for i := range 2 * p.half {
		for k, want := range p.facts[i] {
			d := float64(out[i*cols+Size+k] - want)
			if math.Abs(d) <= 1 {
				total += d * d / 2 * scale
			} else {
				total += (math.Abs(d) - 0.5) * scale
			}
			derivative[i*cols+Size+k] += float32(factWeight * scale * max(-1, min(1, d)))
		}
	}
	return total
}

func dot(x, y []float32) float64 {
	sum := 0.0
	for i, a := range x {
		sum += float64(a) * float64(y[i])
	}
	return sum
}

func addTimes(to, x []float32, by float32) {
	for i, a := range x {
		to[i] += by * a
	}
}
