package op

import (
	"fmt"
	"math"
	"slices"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/winograd"
)

// A logDAG is a DAG that public tuning logs name by the hash of its text.
type logDAG struct {
	hash      string
	style     *style
	ranks     []int // of inputs and output
	build     func(g *Builder, shapes [][]int64) result
	epilogues string
}

// images are the ranks of an image, weights, and further operands of images.
func images(n int) []int { return slices.Repeat([]int{4}, n) }

// logDAGs is the table of all DAGs of public logs that can be rebuilt.
var logDAGs = []logDAG{
	{"8654f16aeddf785bad9f028164b3a48d", &relayNames, images(3), logConv(1), ""},
	{"98b91a04dc6fb58e2f2a4ac3e509d14f", &relayNames, images(4), logConv(1), "bias"},
	{"b4cae64e5e41e91bc15653e455c801cf", &relayNames, images(4), logConv(1), "bias+relu6"},
	{"1037be767e8e18197e87653d81c34558", &relayNames, images(4), logConv(1), "bias+relu"},
	{"f751c7d737cc0d8bb09e04cdaa57a0f9", &relayNames, images(5), logConv(1), "bias+add"},
	{"3eaa6b2c4729811f2de56c4011049b02", &relayNames, images(5), logConv(1), "bias+add+relu"},
	{"4b23b0dc1d1164f464c7f5544479ae4d", &relayNames, images(4), logConv(2), "bias"},
	{"56af7508fbcdf6d851892b1e8434667b", &relayNames, images(4), logConv(2), "bias+relu"},
	{"96daaa9daa1b41bc383b7c05ce8b58de", &relayNames, images(4), logConv(2), "bias+relu"},
	{"c69885e55b33ca26c9d77f8fd355e05c", &relayNames, images(4), logConv(2), "bias+relu6"},
	{"e9e103f65702a2fd87f39e36dae33885", &relayNames, images(4), logDepthwise(1), "bias+relu6"},
	{"47af0d16939e11a8064a6de9accf0744", &relayNames, images(4), logDepthwise(2), "bias+relu6"},
	{"b8b52b9be9df6102466a22a014c44c1f", &relayNames, images(4), logWinograd, "bias+relu"},
	{"3a69f9fbc63760d99e36b4c17b3bfc57", &relayNames, images(4), logWinograd, "bias+relu"},
	{"e4cdf917b876dbdd64488c3818d9c141", &relayNames, images(4), logWinograd, "bias+relu"},
	{"b818b53148cd450f86569dfc3e04cb8a", &relayNames, images(4), logWinograd, "bias+relu"},
	{"bf0c567153187e06a6c032427f7d757d", &relayNames, images(2), logMaxPool, ""},
	{"69115f188984ae34ede37c3b8ca40b43", &relayNames, images(2), logGlobalPool, ""},
	{"7d44c6e3c81cd80f61ff2265b2bae89a", &relayNames, []int{2, 2, 2, 2}, logDense, "bias"},
	{"3458e75493bb4bb042e539b5ff4818fb", &relayNames, []int{2, 2, 2, 2}, logDense, "bias"},
	{"5b1e704ad5950c6ef36e46f1856366cd", &relayNames, []int{2, 2, 2, 2}, logPooler, ""},
	{"32a5ff201401d5600f77ced9f22defaa", &relayNames, []int{3, 3, 3}, logScores, ""},
	{"2dde9ffcbf97381c0f0307643e09dac5", &relayNames, []int{3, 3}, logMean, ""},
	{"dde89265d3f1a59075cee648386eac1e", &relayNames, []int{3, 3, 3}, logVariance, ""},
	{"80312e579af64168aa60737451fa5268", &numberedNames, []int{3, 3}, logMean, ""},
	{"f4076cf77b9c332e704707e2981ab70e", &numberedNames, []int{3, 3, 3}, logVariance, ""},
	{"f3351bf9aef587a2fb1bf57b0fc78601", &numberedNames, []int{2, 2, 2}, logMatmul, "relu"},
	{"97d6699a083ccfb8655170ee1eb94e98", &numberedNames, []int{3, 3, 3}, logBatchMatmul, ""},
	{"bc348570c541a247dd75cedb514d23c4", &numberedNames, []int{3, 3, 3}, logAttention(128), ""},
	{"96ebe7520976faa5fbf0cc027a47c728", &numberedNames, []int{3, 3, 3}, logAttention(384), ""},
	{"5ec42637ed6c80b6754448a6f0995702", &numberedNames, []int{3, 3, 3}, logAttention(512), ""},
	{"05ea4bc9dd6b49bd09addb0a73f992ce", &numberedNames, images(2), logSoftmax, ""},
}

// An UnknownHashError names a DAG of a log that no operator is known to build.
type UnknownHashError struct{ Hash string }

func (e *UnknownHashError) Error() string {
	return fmt.Sprintf("op: no operator is known for the DAG with hash %s: only its author can say what it computes",
		e.Hash)
}

// Hashes lists the hashes that FromHash knows.
func Hashes() []string {
	var list []string
	for _, l := range logDAGs {
		list = append(list, l.hash)
	}
	return list
}

// KnowsHash reports whether FromHash knows a hash.
func KnowsHash(hash string) bool { return findLog(hash) >= 0 }

func findLog(hash string) int {
	return slices.IndexFunc(logDAGs, func(l logDAG) bool { return l.hash == hash })
}

// SplitShapes splits the extents of all inputs and outputs, which older logs have
// in one row, into the shapes that FromHash takes.
func SplitShapes(hash string, extents []int64) ([][]int64, error) {
	at := findLog(hash)
	if at < 0 {
		return nil, &UnknownHashError{hash}
	}
	var shapes [][]int64
	rest := extents
	for _, rank := range logDAGs[at].ranks {
		if rank > len(rest) {
			return nil, fmt.Errorf("op: the DAG with hash %s has inputs and output of more than %d extents", hash, len(extents))
		}
		shapes, rest = append(shapes, rest[:rank:rank]), rest[rank:]
	}
	if len(rest) > 0 {
		return nil, fmt.Errorf("op: the DAG with hash %s has inputs and output of less than %d extents", hash, len(extents))
	}
	return shapes, nil
}

// maxLogExtent bounds the extents of a log's shapes: real ones have thousands.
const maxLogExtent = 1 << 24

// FromHash rebuilds the DAG of a public tuning log. Such a log has only the hash
// of the DAG's text and the shapes of its inputs and output. The error is an
// *UnknownHashError if the hash is not known, and says so if the shapes cannot
// be those of the DAG.
func FromHash(hash string, shapes [][]int64) (*compute.DAG, error) {
	at := findLog(hash)
	if at < 0 {
		return nil, &UnknownHashError{hash}
	}
	l := logDAGs[at]
	misfit := fmt.Errorf("op: the DAG with hash %s has no inputs and output of the shapes %v", hash, shapes)
	if len(shapes) != len(l.ranks) {
		return nil, misfit
	}
	for i, s := range shapes {
		if len(s) != l.ranks[i] || slices.Min(s) < 1 || slices.Max(s) > maxLogExtent {
			return nil, misfit
		}
	}
	list, err := parseEpilogues(l.epilogues)
	if err != nil {
		panic("BUG: op: " + err.Error())
	}
	g := newBuilder(l.style, tir.F32)
	d, err := g.with(l.build(g, shapes), list)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", misfit, err)
	}
	for i, t := range d.Tensors {
		if !slices.Equal(t.Shape, shapes[i]) {
			return nil, misfit
		}
	}
	if d.Hash() != hash {
		return nil, misfit
	}
	return d, nil
}

// logConv builds a convolution of an image and HWIO weights.
func logConv(stride int64) func(g *Builder, shapes [][]int64) result {
	return func(g *Builder, shapes [][]int64) result {
		data, kernel, out := shapes[0], shapes[1], shapes[len(shapes)-1]
		return g.conv("pad", &Conv{
			Layout: ChannelsLast, Batch: data[0], In: data[1:3], CI: data[3], CO: kernel[3], Groups: 1,
			Windows: windowsOf(data, kernel, out, stride),
		})
	}
}

func logDepthwise(stride int64) func(g *Builder, shapes [][]int64) result {
	return func(g *Builder, shapes [][]int64) result {
		data, out := shapes[0], shapes[len(shapes)-1]
		return g.depthwise(&Conv{
			Layout: ChannelsLast, Batch: data[0], In: data[1:3], CI: data[3],
			Windows: windowsOf(data, shapes[1], out, stride),
		})
	}
}

// windowsOf finds the windows along height and width: the padding is the least
// that gives the output's size.
func windowsOf(data, kernel, out []int64, stride int64) []Window {
	list := make([]Window, 2)
	for d := range list {
		w := Window{Size: kernel[d], Stride: stride, Dilation: 1}
		lacks := (out[d+1]-1)*stride + w.Size - data[d+1]
		w.Before = min(max((lacks+1)/2, 0), w.Size)
		w.After = w.Before
		list[d] = w
	}
	return list
}

func logWinograd(g *Builder, shapes [][]int64) result {
	data, kernel := shapes[0], shapes[1]
	tile := kernel[0] - winograd.Size + 1
	if tile != 2 && tile != 4 && tile != 6 {
		g.refuse("weights of %d rows belong to no Winograd algorithm", kernel[0])
		tile = 2
	}
	return g.winograd(winogradConv{
		batch: data[0], h: data[1], w: data[2], ci: data[3], co: kernel[2], pad: 1, tile: tile,
	})
}

// logMaxPool: no shape tells the window, which is 3×3 in all logs.
func logMaxPool(g *Builder, shapes [][]int64) result {
	data := shapes[0]
	return g.maxPool(&Pool{
		Layout: ChannelsLast, Batch: data[0], Channels: data[3], In: data[1:3],
		Windows: windowsOf(data, []int64{3, 3}, shapes[1], 2),
	})
}

// logGlobalPool is Relay's adaptive pooling to one element, which finds the
// bounds of its windows by index arithmetic:
//
//	tensor(ax0, ax1, ax2, ax3) += placeholder[ax0, ((ax1*7) + rv0), ((ax2*7) + rv1), ax3]
//	tensor(ax0, ax1, ax2, ax3) =
//	  (tensor[ax0, ax1, ax2, ax3]/(float32((select((bool)1, ((ax1 + 1)*7), ...) - (ax1*7)))*...))
func logGlobalPool(g *Builder, shapes [][]int64) result {
	data := shapes[0]
	x := g.input("x", g.store, data...)
	s := g.stage("global_sum", []int64{data[0], 1, 1, data[3]}, data[1:3])
	sum := g.SumOf(s, x.At(s.at(0), add(times(s.at(1), data[1]), s.r(0)), add(times(s.at(2), data[2]), s.r(1)), s.at(3)),
		compute.Attrs{})
	s = g.stage("avg", sum.Shape, nil)
	extent := func(d int) tir.Expr {
		next := mul(add(s.at(d), tir.Int(1)), tir.Int(data[d]))
		end := &tir.Select{Cond: tir.BoolImm(true), Then: next, Else: add(next, tir.Int(1))}
		return cast(tir.F32, sub(end, mul(s.at(d), tir.Int(data[d]))))
	}
	return result{g.Pointwise(s, tir.Bin(tir.Div, sum.At(s.index()...), mul(extent(1), extent(2)))), 3}
}

func logDense(g *Builder, shapes [][]int64) result {
	x, w := shapes[0], shapes[1]
	return g.matmul("dense", "w", free, x[0], w[0], x[1], transposed{y: true})
}

func logMatmul(g *Builder, shapes [][]int64) result {
	x, w := shapes[0], shapes[1]
	return g.matmul("matmul", "w", free, x[0], w[1], x[1], transposed{})
}

func logBatchMatmul(g *Builder, shapes [][]int64) result {
	x, y := shapes[0], shapes[1]
	return g.batchMatmul("batch_matmul", x[0], x[1], y[2], x[2], transposed{})
}

// logScores is a batch of products whose second operand is transposed.
func logScores(g *Builder, shapes [][]int64) result {
	x, y := shapes[0], shapes[1]
	return g.batchMatmul("scores", x[0], x[1], y[1], x[2], transposed{y: true})
}

// logPooler is a dense layer with a bias and the rational approximation of tanh that Relay's FastMath puts in:
//
//	T_minimum(ax0, ax1) = min(T_add[ax0, ax1], 9f)
//	T_maximum(ax0, ax1) = max(T_minimum[ax0, ax1], -9f)
//	T_fast_tanh(ax0, ax1) = ((T_maximum[ax0, ax1]*(...))/(...))
//
// The coefficients are those of topi.fast_tanh, which are Eigen's.
func logPooler(g *Builder, shapes [][]int64) result {
	r := logDense(g, shapes)
	r.Tensor = g.bias(r)
	pointwise := func(key string, f func(x tir.Expr) tir.Expr) {
		s := g.stage(key, r.Shape, nil)
		r.Tensor = g.Pointwise(s, f(r.At(s.index()...)))
	}
	pointwise("minimum", func(x tir.Expr) tir.Expr { return tir.Bin(tir.Min, x, g.constant(9)) })
	pointwise("maximum", func(x tir.Expr) tir.Expr { return tir.Bin(tir.Max, x, g.constant(-9)) })
	pointwise("fast_tanh", func(x tir.Expr) tir.Expr {
		square := mul(x, x)
		polynomial := func(highest float64, others ...float64) tir.Expr {
			p := g.constant(highest)
			for _, c := range others {
				p = add(mul(square, p), g.constant(c))
			}
			return p
		}
		odd := polynomial(-2.76076847742355e-16, 2.00018790482477e-13, -8.60467152213735e-11, 5.12229709037114e-08,
			1.48572235717979e-05, 6.37261928875436e-04, 4.89352455891786e-03)
		even := polynomial(1.19825839466702e-06, 1.18534705686654e-04, 2.26843463243900e-03, 4.89352518554385e-03)
		return tir.Bin(tir.Div, mul(x, odd), even)
	})
	return r
}

// logMean is the mean over the last of three dimensions, which stays with extent 1:
//
//	placeholder_red(ax0, ax1, ax2) += placeholder[ax0, ax1, k2]
//	T_divide(ax0, ax1, ax2) = (placeholder_red[ax0, ax1, ax2]/768f)
func logMean(g *Builder, shapes [][]int64) result {
	return g.logMeanOf(g.input("x", g.store, shapes[0]...))
}

func (g *Builder) logMeanOf(x compute.Tensor) result {
	s := g.stage("reduced", []int64{x.Shape[0], x.Shape[1], 1}, x.Shape[2:])
	s.name = x.Name + "_red"
	sum := g.SumOf(s, x.At(s.at(0), s.at(1), s.r(0)), compute.Attrs{})
	s = g.stage("divide", sum.Shape, nil)
	return result{g.Pointwise(s, tir.Bin(tir.Div, sum.At(s.index()...), g.constant(float64(x.Shape[2])))), 2}
}

// logVariance is the mean of the squares of what is left of the first operand without the second, its mean:
//
//	T_subtract(ax0, ax1, ax2) = (placeholder[ax0, ax1, ax2] - placeholder[ax0, ax1, 0])
//	T_multiply(ax0, ax1, ax2) = (T_subtract[ax0, ax1, ax2]*T_subtract[ax0, ax1, ax2])
func logVariance(g *Builder, shapes [][]int64) result {
	x, mean := g.input("x", g.store, shapes[0]...), g.input("mean", g.store, shapes[1]...)
	s := g.stage("subtract", x.Shape, nil)
	diff := g.Pointwise(s, sub(x.At(s.index()...), mean.At(broadcast(mean.Shape, s)...)))
	s = g.stage("multiply", x.Shape, nil)
	return g.logMeanOf(g.Pointwise(s, mul(diff.At(s.index()...), diff.At(s.index()...))))
}

// logAttention divides scores by the root of the sequence's length, a stage
// without axes:
//
//	compile_engine_const() = 11.3137f
//	T_divide(ax0, ax1, ax2) = (T_batch_matmul_NN[ax0, ax1, ax2]/compile_engine_const[])
func logAttention(length int64) func(g *Builder, shapes [][]int64) result {
	return func(g *Builder, shapes [][]int64) result {
		r := logBatchMatmul(g, shapes)
		root := g.Pointwise(g.stage("const", nil, nil), g.constant(math.Sqrt(float64(length))))
		s := g.stage("divide", r.Shape, nil)
		r.Tensor = g.Pointwise(s, tir.Bin(tir.Div, r.At(s.index()...), root.At()))
		return r
	}
}

func logSoftmax(g *Builder, shapes [][]int64) result { return g.softmax(shapes[0]...) }
