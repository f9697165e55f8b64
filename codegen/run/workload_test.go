package run_test

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/op"
)

// maxPoints bounds the evaluations of a random workload, so that the interpreter
// takes milliseconds.
const maxPoints = 40_000

// randomWorkload returns a small workload of a random operator: prime extents,
// windows that overhang, every type and epilogue that the operator takes.
func randomWorkload(r *rand.Rand) *op.Workload {
	operators := op.Operators()
	for {
		o := operators[r.IntN(len(operators))]
		var parts []string
		for _, k := range o.Keys {
			if v := randomValue(r, o, k); v != "" {
				parts = append(parts, k.Name+"="+v)
			}
		}
		w, err := op.Parse(o.Name + ":" + strings.Join(parts, ","))
		if err == nil && points(w.DAG) <= maxPoints {
			return w
		}
	}
}

// randomValue returns a value for a key, or "" to leave it out.
func randomValue(r *rand.Rand, o op.Operator, k op.Key) string {
	oneOf := func(list ...string) string { return list[r.IntN(len(list))] }
	between := func(low, high int) string { return fmt.Sprint(low + r.IntN(high-low+1)) }
	window := strings.Contains(o.Name, "conv") || strings.Contains(o.Name, "pool") || o.Name == "depthwise"
	switch k.Name {
	case "k":
		if window {
			return between(1, 4)
		}
		return between(1, 31)
	case "s", "dilation":
		return oneOf("", "1", "2", "3")
	case "p":
		return between(0, 2)
	case "out_pad", "ta", "tb", "axis", "count_pad":
		return between(0, 1)
	case "groups":
		return oneOf("", "", "2")
	case "tile":
		return oneOf("2", "4", "6")
	case "layout":
		return oneOf("NHWC", "NCHW")
	case "batch":
		return oneOf("", "", "2", "3")
	case "dtype":
		return oneOf("", "", "", "f64", "f16", "bf16", "i8", "u8", "i32", "i64")
	case "epilogue":
		return randomEpilogue(r)
	case "fn":
		return oneOf(strings.Fields(k.Help)...)
	case "shape":
		return oneOf("17", "5x13", "3x7x11", "1x64", "2x3x4x5")
	case "y":
		return ""
	case "c", "ci", "co":
		return oneOf("1", "2", "3", "4", "5", "8", "16", "17")
	case "d", "h", "w":
		return between(1, 13)
	}
	return between(1, 37)
}

func randomEpilogue(r *rand.Rand) string {
	list := op.Epilogues()
	var names []string
	for range r.IntN(4) {
		names = append(names, list[r.IntN(len(list))].Name)
	}
	return strings.Join(names, "+")
}

// points returns how many bodies a DAG evaluates.
func points(d *compute.DAG) int64 {
	total := int64(0)
	for _, o := range d.Ops {
		n := int64(1)
		for _, a := range append(append([]*compute.Axis(nil), o.Axes...), o.ReduceAxes...) {
			n *= a.Extent
		}
		if !o.IsPlaceholder() {
			total += n
		}
	}
	return total
}
