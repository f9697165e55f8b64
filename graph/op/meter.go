package op

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir"
)

// A Limit bounds what the reference may take of a model. The zero value bounds nothing.
type Limit struct {
	Memory uint64        // bytes of all tensors that are held at one time; 0: no limit
	Time   time.Duration // of one evaluation, as far as it is estimated; 0: no limit
}

type limitKey struct{}

// WithLimit returns a context in which Infer returns an error, before it computes anything of that size, for a node
// that the reference cannot evaluate within the limit.
func WithLimit(ctx context.Context, l Limit) context.Context {
	return context.WithValue(ctx, limitKey{}, l)
}

// A meter estimates what the reference takes of the nodes that are inferred, in the order in which it evaluates them.
// It holds numbers of all types in 8 bytes each, what it computes until the last reader, and all values of a graph in
// a node until the node is done.
type meter struct {
	Limit
	copies int64 // of what is inferred, in iterations of loops around that were unrolled

	runs    float64 // how often the graph at work runs
	inside  bool    // of the graph of a node
	live    int64   // bytes
	seconds float64
	slowest *graph.Node // the node of the model that takes the most of them,
	most    float64     // and how many
}

func newMeter(ctx context.Context) *meter {
	l, _ := ctx.Value(limitKey{}).(Limit)
	return &meter{Limit: l, copies: 1, runs: 1}
}

// within has do infer the graphs of a node.
func (m *meter) within(n *graph.Node, do func() error) error {
	runs, inside, live, seconds := m.runs, m.inside, m.live, m.seconds
	m.runs, m.inside = m.runs*runsOf(n), true
	err := do()
	m.runs, m.inside, m.live = runs, inside, live
	if err == nil {
		err = m.spend(n, m.seconds-seconds, 0)
	}
	return err
}

// runsOf returns how often the graphs of a node run, 1 if that is not known.
func runsOf(n *graph.Node) float64 {
	switch {
	case n.Op == "Loop":
		if l, err := LoopOf(n); err == nil {
			if trips, constant := l.Trips(); constant {
				return float64(trips)
			}
		}
	case n.Op == "Scan":
		length := int64(1)
		for i, v := range n.Inputs {
			if v != nil && int64(len(n.Inputs)-i) <= n.Int("num_scan_inputs", 0) {
				for _, d := range v.Shape { // whichever axis it is
					length = max(length, d)
				}
			}
		}
		return float64(length)
	}
	return 1
}

// drops returns a function that is told of each node of a list when it is done, and whether it is kept in the graph.
// What no later node reads is dropped, and what only folded nodes read loses its elements.
func (m *meter) drops(list []*graph.Node, outputs []*graph.Value) func(i int, kept bool) {
	if m.Memory == 0 || m.inside {
		return func(int, bool) {}
	}
	held, last := map[*graph.Value]bool{}, map[*graph.Value]int{}
	reads := make([][]*graph.Value, len(list)) // what graphs in nodes read, too, before it is folded
	for i, n := range list {
		reads[i] = n.Reads()
		for _, v := range reads[i] {
			last[v] = i
		}
		for _, v := range n.Outputs {
			held[v] = v != nil && n.Op != "Constant" // whose elements stay in the file
		}
	}
	for _, v := range outputs {
		delete(held, v)
	}
	needed := map[*graph.Value]bool{}
	return func(i int, kept bool) {
		for _, v := range reads[i] {
			if needed[v] = needed[v] || kept; !held[v] || last[v] != i {
				continue
			}
			if m.live -= 8 * v.Elems(); !needed[v] {
				v.Const = nil
			}
		}
	}
}

// foldSeconds is what a node may take that is computed ahead of time.
const foldSeconds = 30

// node adds a node whose outputs have types, and reports whether it takes long. It returns an error if the reference
// cannot evaluate it within the limit.
func (m *meter) node(n *graph.Node, r *Row) (slow bool, err error) {
	in, constants, out := int64(0), int64(0), int64(0)
	largest := n.Outputs[0]
	for i, v := range append(n.Inputs[:len(n.Inputs):len(n.Inputs)], n.Outputs...) {
		switch {
		case v == nil:
			continue
		case i >= len(n.Inputs):
			out += v.Elems()
		default:
			if in += v.Elems(); v.Const != nil {
				constants += v.Elems()
			}
		}
		if largest == nil || v.Elems() > largest.Elems() {
			largest = v
		}
	}
	m.live += 8 * out
	if need := m.live + 8*(constants+2*in); m.Memory > 0 && r.Enter == nil && uint64(need) > m.Memory {
		return false, &LimitError{fmt.Sprintf("the reference, which the bundle is verified with, needs %s here, %s of them "+
			"for %s, and %s may be used: make it smaller, or allow more with --memory", sizeText(need),
			sizeText(8*largest.Elems()), largest, sizeText(int64(m.Memory)))}
	}
	took := nodeSeconds + seconds(n, r, in, out)
	return took > foldSeconds, m.spend(n, m.runs*took, m.runs*took)
}

// spend adds seconds, of which n takes own.
func (m *meter) spend(n *graph.Node, own, add float64) error {
	m.seconds += add
	if !m.inside && own > m.most {
		m.most, m.slowest = own, n
	}
	if m.Time > 0 && !m.inside && m.seconds > m.Time.Seconds() {
		return &LimitError{fmt.Sprintf("the reference, which the bundle is verified with, needs about %s, %s of it for %s, "+
			"and the check may take %s: make the model smaller, or allow more with --verify-time", timeText(m.seconds),
			timeText(m.most), m.slowest.Label(), m.Time)}
	}
	return nil
}

// A LimitError says that the reference cannot evaluate a node within a Limit.
type LimitError struct{ text string }

func (e *LimitError) Error() string { return e.text }

// timeText prints seconds.
func timeText(s float64) string {
	if s > 3e9 {
		return fmt.Sprintf("%.2g years", s/(365*24*3600))
	}
	return time.Duration(s * float64(time.Second)).Round(time.Second).String()
}

// sizeText prints a number of bytes.
func sizeText(bytes int64) string {
	if bytes < 1e9 {
		return fmt.Sprintf("%.0f MB", float64(bytes)/1e6)
	}
	return fmt.Sprintf("%.1f GB", float64(bytes)/1e9)
}

// What the reference takes on one core, in seconds: a node, a number that is read or written, a multiplication and
// addition of a product of floats, and a step of a loop.
const (
	nodeSeconds    = 1e-6
	elementSeconds = 3e-9
	productSeconds = 0.3e-9
	stepSeconds    = 2e-9
)

// manySteps is the number of pairs of an element of the inputs and one of the outputs from which on the loops of a
// function are counted: few functions look at each pair more than once.
const manySteps = 1e8

// seconds estimates what the reference takes for a node with so many elements of its inputs and outputs.
func seconds(n *graph.Node, r *Row, in, out int64) float64 {
	s := float64(in+out) * elementSeconds
	x, w := n.Input(0), n.Input(1)
	switch window := graph.Elems(n.Ints("kernel_shape")); {
	case r.Class == ComplexOut && x != nil && w != nil && len(w.Shape) > 2 && strings.Contains(n.Op, "Conv"):
		most := max(in-w.Elems(), out) // of a ConvTranspose the former; dimension 0 of weights is that of the other
		return s + productSeconds*float64(most)*float64(w.Elems()/max(1, w.Shape[0]))
	case r.Class == ComplexOut && x != nil && w != nil: // m*k, k*n and m*n elements: m*k*n products
		return s + productSeconds*math.Sqrt(float64(x.Elems())*float64(w.Elems())*float64(out))
	case r.Class == Reduction && window > 1:
		return s + stepSeconds*float64(window)*float64(out)
	case n.Op == "Einsum":
		return s + stepSeconds*einsumSteps(n)
	case r.Form(n) == FormOpaque && r.Enter == nil && in > 0 && out > 0 && float64(in)*float64(out) > manySteps:
		if f, err := r.Opaque.Make(n); err == nil {
			return s + stepSeconds*steps(f.Body)
		}
	}
	return s
}

// einsumSteps is the product of the extents of all letters.
func einsumSteps(n *graph.Node) float64 {
	terms, _, _ := strings.Cut(strings.ReplaceAll(n.Str("equation", ""), " ", ""), "->")
	extents := map[rune]int64{}
	for i, term := range strings.Split(terms, ",") {
		if v := n.Input(i); v != nil && len(term) == len(v.Shape) { // else with an ellipsis: dimensions that broadcast
			for d, letter := range term {
				extents[letter] = max(extents[letter], v.Shape[d])
			}
		}
	}
	steps := 1.0
	for _, e := range extents {
		steps *= float64(e)
	}
	return steps
}

// steps returns how often the innermost statements of s run, at most.
func steps(s tir.Stmt) float64 {
	switch s := s.(type) {
	case nil:
		return 0
	case *tir.Seq:
		sum := 0.0
		for _, t := range s.Stmts {
			sum += steps(t)
		}
		return sum
	case *tir.For:
		return atMost(s.Extent) * max(1, steps(s.Body))
	case *tir.If:
		return 1 + max(steps(s.Then), steps(s.Else))
	case *tir.Alloc:
		return steps(s.Body)
	case *tir.Block:
		return steps(s.Body)
	}
	return 1
}

// atMost returns a bound of an extent, 1 if none is known.
func atMost(e tir.Expr) float64 {
	switch e := e.(type) {
	case *tir.IntImm:
		return float64(e.Value)
	case *tir.Binary:
		a, b := atMost(e.X), atMost(e.Y)
		switch {
		case e.Op == tir.Min && (b <= 1 || a > 1 && a < b):
			return a
		case e.Op == tir.Min:
			return b
		case e.Op == tir.Max:
			return max(a, b)
		case e.Op == tir.Add:
			return a + b
		case e.Op == tir.FloorDiv && a > 1:
			return math.Ceil(a / b)
		}
	}
	return 1
}
