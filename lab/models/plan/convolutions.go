// Convolutions prints a plan of convolutions in shapes that no benchmark has. Winograd's algorithm may compute those
// of the first two; the others are products, whose rows are the points of images:
//
//	go run ./models/plan tiles > convolutions.plan    # the estimate prefers tiles
//	go run ./models/plan near > near.plan             # it doubts which tiles, or whether any
//	go run ./models/plan points > points.plan         # 1x1, of images of few divisors
//	go run ./models/plan thin > thin.plan             # 1x1, of large images with few channels
//
// The last are of families of which the model had seen little:
//
//	go run ./models/plan volumes > volumes.plan       # 3-D convolutions, to 6 GFLOP
//	go run ./models/plan depths > depths.plan         # depthwise
//	go run ./models/plan batches > batches.plan       # products of batches of matrices
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"

	"github.com/wmtune/wmtune/dataset/split"
	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/winograd"
)

const count = 120

func main() {
	tiles := &plan{seed: 1, draw: window, takes: inTiles(prefersTiles)}
	near := &plan{seed: 2, draw: window, takes: inTiles(doubts), channels: []int{448, 512, 640}}
	points := &plan{seed: 3, draw: point, takes: ofFewDivisors}
	plans := map[string]*plan{
		"tiles": tiles, "near": near, "points": points,
		"thin":    {seed: 4, draw: thinPoint, takes: all},
		"volumes": {seed: 5, draw: volume, takes: all},
		"depths":  {seed: 6, draw: depth, takes: all},
		"batches": {seed: 7, draw: batch, takes: all},
	}
	what := strings.Join(os.Args[1:], " ")
	p := plans[what]
	if p == nil {
		panic(fmt.Sprintf("%q is none of the plans %s", what, slices.Sorted(maps.Keys(plans))))
	}
	held := heldOut()
	if what == "near" {
		tiles.write(io.Discard, held) // these are not drawn again
	}
	p.write(os.Stdout, held)
}

func all(workload.Workload) bool { return true }

// A plan is which convolutions are drawn.
type plan struct {
	seed     uint64
	draw     func(r *rand.Rand, channels []int) string // the spec of one
	takes    func(workload.Workload) bool
	channels []int // besides those of all plans
}

func prefersTiles(e winograd.Estimate) bool { return e.Tile(winograd.Gain) > 0 }

func doubts(e winograd.Estimate) bool { return len(e.Within(winograd.Doubt)) > 1 }

// write writes a plan. No convolution is of a family that held has, to which it adds them.
func (p *plan) write(to io.Writer, held map[string]bool) {
	r := rand.New(rand.NewPCG(20261127, p.seed))
	out := json.NewEncoder(to)
	for n := 0; n < count; {
		w, err := workload.Find(p.draw(r, p.channels))
		if err != nil {
			panic(err)
		}
		family := split.Family(w.DAG)
		if !p.takes(w) || held[family] {
			continue
		}
		held[family] = true // each once
		l := workload.List(w.Name, 1, w.DAG)
		l.Spec = w.Text
		if err := out.Encode(l); err != nil {
			panic(err)
		}
		n++
	}
}

var epilogues = []string{"", "bias", "bias+relu", "bias+relu6", "bias+silu", "bias+add+relu", "bn+relu", "bias+gelu"}

// epilogue draws what follows a convolution, as the end of a spec.
func epilogue(r *rand.Rand) string {
	if e := epilogues[r.IntN(len(epilogues))]; e != "" {
		return ",epilogue=" + e
	}
	return ""
}

// window draws a convolution of 3x3 of 2 to 400 MFLOP.
func window(r *rand.Rand, more []int) string {
	pick := func(list ...int) int { return list[r.IntN(len(list))] }
	for {
		h := pick(7, 8, 9, 10, 12, 13, 14, 15, 16, 17, 18, 20, 24, 26, 28, 30, 32, 35, 36, 40, 48, 52, 56, 60, 64, 80,
			112)
		w := h
		if r.IntN(3) == 0 {
			w = h + pick(-2, 1, 3, 8)
		}
		channels := append([]int{16, 24, 32, 40, 48, 64, 72, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384},
			more...)
		ci, co := pick(channels...), pick(channels...)
		kind, work := "conv2d:", 18*h*w*ci*co
		if r.IntN(8) == 0 {
			d := pick(4, 6, 8, 10, 12)
			kind, work = fmt.Sprintf("conv3d:d=%d,", d), 54*d*h*w*ci*co
		} else if b := pick(1, 1, 1, 1, 2, 4); b > 1 {
			kind, work = fmt.Sprintf("conv2d:batch=%d,", b), b*work
		}
		if work < 2e6 || work > 4e8 {
			continue
		}
		return fmt.Sprintf("%sh=%d,w=%d,ci=%d,co=%d,k=3,p=%d", kind, h, w, ci, co, pick(1, 1, 1, 1, 0)) + epilogue(r)
	}
}

func inTiles(takes func(winograd.Estimate) bool) func(workload.Workload) bool {
	return func(w workload.Workload) bool {
		return slices.ContainsFunc(w.DAG.Ops, func(op *compute.Op) bool {
			c, err := schedule.ConvolutionOf(op)
			return err == nil && takes(c.Estimate())
		})
	}
}

// point draws a convolution of 1x1 of 2 to 200 MFLOP, collapsed.
func point(r *rand.Rand, _ []int) string {
	pick := func(list ...int) int { return list[r.IntN(len(list))] }
	for {
		h := pick(5, 7, 7, 7, 7, 9, 10, 11, 13, 14, 14, 15, 17, 19, 22, 25, 26)
		w := h
		if r.IntN(4) == 0 {
			w = h + pick(-1, 1, 2, 3)
		}
		ci, co := 8*(2+r.IntN(190)), 8*(2+r.IntN(190))
		b := pick(1, 1, 1, 1, 2, 4)
		if work := 2 * b * h * w * ci * co; work < 2e6 || work > 2e8 {
			continue
		}
		return fmt.Sprintf("collapsed conv2d:batch=%d,h=%d,w=%d,ci=%d,co=%d,k=1", b, h, w, ci, co) + epilogue(r)
	}
}

// thinPoint draws a convolution of 1x1 of 4 to 200 MFLOP.
func thinPoint(r *rand.Rand, _ []int) string {
	pick := func(list ...int) int { return list[r.IntN(len(list))] }
	for {
		h := pick(24, 28, 28, 32, 36, 40, 48, 56, 56, 56, 64, 80, 96, 112)
		ci, co := 8*(2+r.IntN(23)), 8*(2+r.IntN(63))
		if work := 2 * h * h * ci * co; work < 4e6 || work > 2e8 {
			continue
		}
		return fmt.Sprintf("conv2d:h=%d,w=%d,ci=%d,co=%d,k=1", h, h, ci, co) + epilogue(r)
	}
}

// volume draws a 3-D convolution of 10 MFLOP to 6 GFLOP.
func volume(r *rand.Rand, _ []int) string {
	pick := func(list ...int) int { return list[r.IntN(len(list))] }
	for {
		d := pick(2, 4, 5, 6, 8, 8, 10, 12, 16, 16, 20, 24)
		h := pick(7, 10, 12, 14, 16, 20, 24, 28, 32, 40, 48, 56, 64, 80, 112)
		ci, co := pick(16, 32, 48, 64, 64, 96, 128, 160, 192, 256), pick(16, 32, 48, 64, 64, 96, 128, 160, 192, 256)
		k, stride := pick(3, 3, 3, 1), pick(1, 1, 2)
		if work := 2 * d * h * h * ci * co * k * k * k / (stride * stride * stride); work < 1e7 || work > 6e9 {
			continue
		}
		return fmt.Sprintf("conv3d:d=%d,h=%d,w=%d,ci=%d,co=%d,k=%d,s=%d,p=%d", d, h, h, ci, co, k, stride, k/2) + epilogue(r)
	}
}

// depth draws a depthwise convolution of 0.2 to 100 MFLOP.
func depth(r *rand.Rand, _ []int) string {
	pick := func(list ...int) int { return list[r.IntN(len(list))] }
	for {
		h, c := pick(7, 8, 10, 12, 14, 14, 15, 16, 18, 20, 24, 28, 32, 40, 48, 56, 64, 80, 96, 112), 8*(2+r.IntN(120))
		k, stride := pick(3, 3, 3, 5, 7), pick(1, 1, 1, 2)
		if work := 2 * h * h * c * k * k; work < 2e5 || work > 1e8 {
			continue
		}
		p := pick(k/2, k/2, k/2, 0)
		return fmt.Sprintf("depthwise:h=%d,w=%d,c=%d,k=%d,s=%d,p=%d", h, h, c, k, stride, p) + epilogue(r)
	}
}

// batch draws products of a batch of matrices, of 1 to 400 MFLOP.
func batch(r *rand.Rand, _ []int) string {
	pick := func(list ...int) int { return list[r.IntN(len(list))] }
	for {
		b, m, n := pick(2, 3, 4, 6, 8, 10, 12, 14, 16, 20, 24, 32, 40, 48), 16*(1+r.IntN(16)), 16*(1+r.IntN(16))
		k := pick(16, 24, 32, 40, 48, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384)
		if work := 2 * b * m * n * k; work < 1e6 || work > 4e8 {
			continue
		}
		return fmt.Sprintf("batch_matmul:b=%d,m=%d,n=%d,k=%d,tb=%d", b, m, n, k, r.IntN(2))
	}
}

// ofFewDivisors says, as a search does, that collapsing pays.
func ofFewDivisors(w workload.Workload) bool {
	given, err := workload.Find(strings.TrimPrefix(w.Text, "collapsed "))
	return err == nil && compute.FewerSparse(given.DAG, w.DAG)
}

// heldOut returns the families of benchmarks.
func heldOut() map[string]bool {
	f, err := os.Open("models/plan/held-out.jsonl")
	if err != nil {
		panic(err)
	}
	held := map[string]bool{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var l struct{ Families []string }
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			panic(err)
		}
		for _, f := range l.Families {
			held[f] = true
		}
	}
	return held
}
