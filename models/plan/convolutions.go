//go:build ignore

// Convolutions prints a plan of convolutions that Winograd's algorithm may compute, in shapes that no benchmark has:
//
//	go run models/plan/convolutions.go tiles > convolutions.plan    # the estimate prefers tiles
//	go run models/plan/convolutions.go near > near.plan             # it doubts which tiles, or whether any
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strings"

	"github.com/wmtune/wmtune/dataset/split"
	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/op"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/winograd"
)

const count = 120

func main() {
	tiles, near := &plan{seed: 1, takes: prefersTiles}, &plan{seed: 2, takes: doubts, channels: []int{448, 512, 640}}
	held := heldOut()
	switch what := strings.Join(os.Args[1:], " "); what {
	case "tiles":
		tiles.write(os.Stdout, held)
	case "near":
		tiles.write(io.Discard, held) // these are not drawn again
		near.write(os.Stdout, held)
	default:
		panic(fmt.Sprintf("%q is no plan: tiles or near", what))
	}
}

// A plan is which convolutions are drawn.
type plan struct {
	seed     uint64
	takes    func(winograd.Estimate) bool
	channels []int // besides those of all plans
}

func prefersTiles(e winograd.Estimate) bool { return e.Tile(winograd.Gain) > 0 }

func doubts(e winograd.Estimate) bool { return len(e.Within(winograd.Doubt)) > 1 }

// write writes a plan. No convolution is of a family that held has, to which it adds them.
func (p *plan) write(to io.Writer, held map[string]bool) {
	r := rand.New(rand.NewPCG(20261127, p.seed))
	out := json.NewEncoder(to)
	for n := 0; n < count; {
		w, err := op.Parse(p.draw(r))
		if err != nil {
			panic(err)
		}
		families := split.Families(w.DAG)
		if !p.has(w.DAG) || slices.ContainsFunc(families, func(f string) bool { return held[f] }) {
			continue
		}
		held[families[0]] = true // each once
		l := workload.List(w.Name, 1, w.DAG)
		l.Spec = w.Spec
		if err := out.Encode(l); err != nil {
			panic(err)
		}
		n++
	}
}

// draw returns a convolution of 2 to 400 MFLOP.
func (p *plan) draw(r *rand.Rand) string {
	pick := func(list ...int) int { return list[r.IntN(len(list))] }
	epilogue := []string{"", "bias", "bias+relu", "bias+relu6", "bias+silu", "bias+add+relu", "bn+relu", "bias+gelu"}
	for {
		h := pick(7, 8, 9, 10, 12, 13, 14, 15, 16, 17, 18, 20, 24, 26, 28, 30, 32, 35, 36, 40, 48, 52, 56, 60, 64, 80,
			112)
		w := h
		if r.IntN(3) == 0 {
			w = h + pick(-2, 1, 3, 8)
		}
		channels := append([]int{16, 24, 32, 40, 48, 64, 72, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384},
			p.channels...)
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
		text := fmt.Sprintf("%sh=%d,w=%d,ci=%d,co=%d,k=3,p=%d", kind, h, w, ci, co, pick(1, 1, 1, 1, 0))
		if e := epilogue[r.IntN(len(epilogue))]; e != "" {
			text += ",epilogue=" + e
		}
		return text
	}
}

func (p *plan) has(d *compute.DAG) bool {
	return slices.ContainsFunc(d.Ops, func(op *compute.Op) bool {
		c, err := schedule.ConvolutionOf(op)
		return err == nil && p.takes(c.Estimate())
	})
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
