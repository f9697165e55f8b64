package encoder

import (
	"fmt"

	"github.com/wmtune/wmtune/nn"
)

// Size is the length of a program's vector.
const Size = 128

// The shape of the network.
const (
	layers = 2
	heads  = 4
	inner  = 512 // of the layers after attention
)

// A network is the graph of a training, for so many rows of tokens and so many
// texts.
type network struct {
	*nn.Network
	rows, texts int

	ids, positions *nn.IDs
	windows        *nn.Segments // rows of each window
	spans          *nn.Segments // rows of each text
	noise          *nn.Noise
	loss           func(out, derivative []float32) float64
}

// newNetwork builds the graph over parameters, which are added if they are not
// there: token and position embedding, layers with norms before (Xiong et al. 2020),
// means of texts, a head; beside it a linear reader of facts.
func newNetwork(p *nn.Parameters, vocabulary, rows, texts int) (*network, error) {
	n := &network{
		Network: nn.With(p), rows: rows, texts: texts,
		ids: &nn.IDs{}, positions: &nn.IDs{}, windows: &nn.Segments{}, spans: &nn.Segments{}, noise: &nn.Noise{},
	}
	h := n.Add(
		n.Named("tokens").Embedding(n.ids, rows, vocabulary, Size),
		n.Named("positions").Embedding(n.positions, rows, window, Size))
	h = n.Dropout(h, n.noise)
	for i := range layers {
		at := func(part string) nn.Layer { return n.Named(fmt.Sprintf("layer%d.%s", i, part)) }
		a := n.Attention(at("qkv").Linear(at("norm1").Norm(h), 3*Size), n.windows, heads)
		h = n.Add(h, n.Dropout(at("attention").Linear(a, Size), n.noise))
		f := n.GELU(at("up").Linear(at("norm2").Norm(h), inner))
		h = n.Add(h, n.Dropout(at("down").Linear(f, Size), n.noise))
	}
	mean := n.SegmentMean(n.Named("norm").Norm(h), n.spans, texts)
	z := n.Unit(n.Named("head2").Linear(n.GELU(n.Named("head1").Linear(mean, Size)), Size))
	facts := n.Named("facts").Linear(n.Scale(z, 11.313708), Facts) // root of Size
	out := n.Concat(z, facts)
	loss := n.Loss(out, func(s, derivative []float32) float64 { return n.loss(s, derivative) })
	if err := n.Finish(out, loss); err != nil {
		return nil, fmt.Errorf("encoder: %w", err)
	}
	return n, nil
}

// columns of the network's output.
const columns = Size + Facts

// fill sets the inputs: the windows of each text.
func (n *network) fill(texts [][][]int32) {
	n.ids.List, n.positions.List = n.ids.List[:0], n.positions.List[:0]
	n.windows.Ends, n.spans.Ends = n.windows.Ends[:0], n.spans.Ends[:0]
	for _, list := range texts {
		for _, w := range list {
			for k, id := range w {
				n.ids.List = append(n.ids.List, id)
				n.positions.List = append(n.positions.List, int32(k))
			}
			n.windows.Ends = append(n.windows.Ends, len(n.ids.List))
		}
		n.spans.Ends = append(n.spans.Ends, len(n.ids.List))
	}
	if len(n.ids.List) > n.rows || len(texts) > n.texts {
		panic(fmt.Sprintf("BUG: encoder: %d tokens of %d texts in a network for %d of %d", len(n.ids.List), len(texts), n.rows, n.texts))
	}
}
