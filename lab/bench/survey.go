package bench

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/tir/compute"
)

// A Draw is so many workloads drawn at random. The same seed draws the same.
type Draw struct {
	Rows int
	Seed uint64
	Only []string // operators; none: all
	// Types are the element types of products and convolutions, drawn among: SurveyTypes. Those that are not float32 have
	// no epilogue. Other operators stay float32, and are not drawn where float32 is not among the types. None: float32.
	Types []string
}

// SurveyTypes are the element types of surveys.
var SurveyTypes = []string{"f32", "bf16", "i8"}

// What a drawn workload has at most, so that 64 candidates of it take a minute, and at least: below that a call is all
// that is timed.
const (
	mostFLOPs, mostBytes   = 20e9, 256e6
	leastFLOPs, leastBytes = 20e3, 40e3
)

// An urn draws workloads of an operator, which is drawn so often among others.
type urn struct {
	op    string
	often int
	draw  func(d *die) string // keys and values, and what follows the operator
}

var urns = []urn{
	{"matmul", 8, func(d *die) string {
		return fmt.Sprintf("m=%d,n=%d,k=%d,ta=%d,tb=%d", d.size(1, 4096), d.size(8, 4096), d.size(8, 4096), d.bit(), d.bit())
	}},
	{"dense", 8, func(d *die) string {
		return fmt.Sprintf("m=%d,n=%d,k=%d", d.size(1, 2048), d.size(8, 8192), d.size(8, 4096)) + d.epilogue()
	}},
	{"batch_matmul", 5, func(d *die) string {
		return fmt.Sprintf("b=%d,m=%d,n=%d,k=%d,ta=%d,tb=%d", d.size(2, 64), d.size(1, 1024), d.size(8, 1024), d.size(8, 512),
			d.bit(), d.bit())
	}},
	{"conv1d", 4, func(d *die) string {
		return fmt.Sprintf("w=%d,ci=%d,co=%d", d.size(32, 8192), d.size(1, 512), d.size(1, 512)) + d.window(1) +
			d.epilogue()
	}},
	{"conv2d", 16, func(d *die) string {
		return fmt.Sprintf("h=%d,w=%d,ci=%d,co=%d", d.size(7, 256), d.size(7, 256), d.size(1, 512), d.size(1, 512)) +
			d.window(2) + d.epilogue()
	}},
	{"conv3d", 4, func(d *die) string {
		return fmt.Sprintf("d=%d,h=%d,w=%d,ci=%d,co=%d", d.size(4, 32), d.size(7, 64), d.size(7, 64), d.size(1, 128),
			d.size(4, 128)) + d.window(1) + d.epilogue()
	}},
	{"depthwise", 6, func(d *die) string {
		return fmt.Sprintf("h=%d,w=%d,c=%d", d.size(7, 224), d.size(7, 224), d.size(8, 1024)) + d.window(2) + d.epilogue()
	}},
	{"conv2d_transpose", 5, func(d *die) string {
		k, s := d.among(2, 3, 4, 5), d.among(1, 2, 2, 3)
		return fmt.Sprintf("h=%d,w=%d,ci=%d,co=%d,k=%d,s=%d,p=%d", d.size(4, 96), d.size(4, 96), d.size(1, 256),
			d.size(1, 256), k, s, d.upTo((k-1)/2))
	}},
	{"maxpool2d", 3, func(d *die) string {
		return fmt.Sprintf("h=%d,w=%d,c=%d", d.size(7, 224), d.size(7, 224), d.size(8, 512)) + d.pool()
	}},
	{"avgpool2d", 3, func(d *die) string {
		return fmt.Sprintf("h=%d,w=%d,c=%d", d.size(7, 224), d.size(7, 224), d.size(8, 512)) + d.pool()
	}},
	{"global_avgpool2d", 2, func(d *die) string {
		return fmt.Sprintf("h=%d,w=%d,c=%d", d.size(4, 64), d.size(4, 64), d.size(16, 2048))
	}},
	{"softmax", 3, (*die).rows},
	{"layernorm", 3, (*die).rows},
	{"mean", 2, (*die).axis},
	{"sum", 2, (*die).axis},
	{"max", 1, (*die).axis},
	{"argmax", 2, (*die).axis},
	{"elementwise", 3, func(d *die) string {
		fn := d.name("add", "mul", "relu", "sigmoid", "tanh", "gelu", "exp", "silu")
		return fmt.Sprintf("fn=%s,shape=%dx%d", fn, d.size(1, 2048), d.size(16, 4096))
	}},
}

// SurveyOperators names the operators of surveys.
func SurveyOperators() []string {
	var names []string
	for _, u := range urns {
		names = append(names, u.op)
	}
	return names
}

// workloads draws them. None is there twice.
func (w Draw) workloads() ([]workload.Workload, error) {
	if w.Rows < 1 {
		return nil, fmt.Errorf("%d rows: must be at least 1", w.Rows)
	}
	for _, name := range w.Types {
		if !slices.Contains(SurveyTypes, name) {
			return nil, fmt.Errorf("surveys do not know the type %q; they know %s", name, strings.Join(SurveyTypes, " "))
		}
	}
	for _, name := range w.Only {
		if !slices.Contains(SurveyOperators(), name) {
			return nil, fmt.Errorf("surveys do not know the operator %q; they know %s", name,
				strings.Join(SurveyOperators(), " "))
		}
	}
	var all []urn
	for _, u := range urns {
		if len(w.Only) == 0 || slices.Contains(w.Only, u.op) {
			all = append(all, slices.Repeat([]urn{u}, u.often)...)
		}
	}
	d := &die{rand.New(rand.NewPCG(w.Seed, 62))}
	var list []workload.Workload
	for tries := 0; len(list) < w.Rows; tries++ {
		if tries == 1000*w.Rows {
			return nil, fmt.Errorf("%d rows: only %d different workloads were drawn", w.Rows, len(list))
		}
		u := all[d.r.IntN(len(all))]
		text, ok := w.typed(u.op, u.op+":"+u.draw(d), d)
		if !ok {
			continue
		}
		found, err := workload.Find(text)
		twice := func(w workload.Workload) bool { return w.Text == found.Text }
		if err != nil || !fits(found.DAG) || slices.ContainsFunc(list, twice) {
			continue // a window larger than its image, or too large, or too small
		}
		found.Name = u.op + "-" + HashOf(found.Text)[:6]
		list = append(list, found)
	}
	return list, nil
}

// typed gives the text of a workload one of the types, if its operator may have that.
func (w Draw) typed(op, text string, d *die) (string, bool) {
	if len(w.Types) == 0 {
		return text, true
	}
	t := d.name(w.Types...)
	if t == "f32" {
		return text, true
	}
	switch op {
	case "matmul", "dense", "batch_matmul", "conv1d", "conv2d", "conv3d", "depthwise":
		text, _, _ = strings.Cut(text, ",epilogue=")
		return text + ",dtype=" + t, true
	}
	return "", false
}

// fits reports whether a workload is large enough to be timed and small enough to be searched.
func fits(d *compute.DAG) bool {
	flops, bytes := d.FLOPs(), traffic(d)
	return flops <= mostFLOPs && bytes <= mostBytes && (flops >= leastFLOPs || bytes >= leastBytes)
}

// traffic returns how many bytes a program of a DAG reads and writes at least: each tensor once.
func traffic(d *compute.DAG) float64 {
	n := 0.0
	for _, b := range d.Tensors {
		n += float64(b.Bytes())
	}
	return n
}

// A die draws the values of keys.
type die struct{ r *rand.Rand }

// size draws an extent: large ones are as frequent as small ones by their logarithms. It is any, a power of two, a
// multiple of 32, one beside a multiple of 16, or odd.
func (d *die) size(least, most int64) int64 {
	x := math.Exp(d.r.Float64()*math.Log(float64(most+1)/float64(least))) * float64(least)
	n := int64(x)
	switch d.r.IntN(5) {
	case 0:
		n = 1 << int64(math.Round(math.Log2(x)))
	case 1:
		n = int64(math.Round(x/32)) * 32
	case 2:
		n = int64(math.Round(x/16))*16 + 1 - 2*d.bit()
	case 3:
		n |= 1
	}
	return min(max(n, least), most)
}

func (d *die) bit() int64                 { return d.r.Int64N(2) }
func (d *die) upTo(most int64) int64      { return d.r.Int64N(most + 1) }
func (d *die) among(list ...int64) int64  { return list[d.r.IntN(len(list))] }
func (d *die) name(list ...string) string { return list[d.r.IntN(len(list))] }
func (d *die) rows() string               { return fmt.Sprintf("m=%d,n=%d", d.size(1, 8192), d.size(8, 65536)) }
func (d *die) axis() string               { return fmt.Sprintf("%s,axis=%d", d.rows(), d.bit()) }

// window draws that of a convolution, mostly with the padding that keeps the image's size.
func (d *die) window(strides int64) string {
	k, dilation := d.among(1, 1, 3, 3, 3, 5, 7), int64(1)
	if k > 1 && d.r.IntN(8) == 0 {
		dilation = d.among(2, 3, 6)
	}
	p := dilation * (k - 1) / 2
	if d.r.IntN(8) == 0 {
		p = 0
	}
	return fmt.Sprintf(",k=%d,s=%d,p=%d,dilation=%d", k, 1+d.r.Int64N(strides), p, dilation)
}

func (d *die) pool() string {
	k := d.among(2, 3, 3, 5)
	return fmt.Sprintf(",k=%d,s=%d,p=%d", k, d.among(1, 2, k), d.upTo((k-1)/2))
}

// epilogue draws what follows a product.
func (d *die) epilogue() string {
	if d.bit() == 0 {
		return ""
	}
	return ",epilogue=" + d.name("bias", "bias+relu", "bias+gelu", "bn+relu", "bn+silu", "bias+add+relu")
}
