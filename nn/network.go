package nn

import (
	"cmp"
	"fmt"
	"math"
	"runtime"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// A Network is a graph under construction, and then trained. The first mistake is
// kept and returned by Finish.
type Network struct {
	graph   *G.ExprGraph
	shared  *Parameters
	params  []*param
	machine G.VM
	output  G.Value
	err     error
}

// A param is the place of a parameter in a network.
type param struct {
	*Parameter
	node *G.Node
	grad G.Value
}

// A Value is rows inside a network.
type Value struct {
	node       *G.Node
	rows, cols int
	fixed      bool // nothing is learned before it
}

// New returns an empty network. Weights are drawn from the seed.
func New(seed uint64) *Network { return With(NewParameters(seed)) }

// With returns an empty network that learns the parameters p: those that p has are
// shared with the networks that p has them from, others are added to p. Name the
// layers (Named) of networks that share.
func With(p *Parameters) *Network { return &Network{graph: G.NewGraph(), shared: p} }

// Parameters returns what the network learns.
func (n *Network) Parameters() *Parameters { return n.shared }

// A Layer is a place for a layer with parameters in a network. Those of a linear
// layer x are x.weight and x.bias.
type Layer struct {
	net  *Network
	name string
}

// Named names a layer that is to be added. Without names layers are numbered.
func (n *Network) Named(name string) Layer { return Layer{n, name} }

// unnamed numbers a layer.
func (n *Network) unnamed() Layer { return n.Named(fmt.Sprintf("layer%d", len(n.params))) }

// Input adds an input, and returns it and its rows, to be filled before each run.
func (n *Network) Input(rows, cols int) (Value, []float32) {
	data := make([]float32, rows*cols)
	return Value{node: n.leaf(rows, cols, data), rows: rows, cols: cols, fixed: true}, data
}

func (n *Network) leaf(rows, cols int, data []float32) *G.Node {
	t := tensor.New(tensor.WithShape(rows, cols), tensor.WithBacking(data))
	name := fmt.Sprintf("leaf%d", len(n.graph.AllNodes()))
	return G.NewMatrix(n.graph, G.Float32, G.WithShape(rows, cols), G.WithName(name), G.WithValue(t))
}

// param adds a parameter of the layer, drawn evenly from -scale to scale if it is
// new.
func (l Layer) param(part string, rows, cols int, scale float64) *G.Node {
	m, err := l.net.shared.get(l.name+"."+part, rows, cols, scale)
	if err != nil {
		l.net.err = cmp.Or(l.net.err, err)
		return nil
	}
	p := &param{Parameter: m, node: l.net.leaf(rows, cols, m.Value)}
	l.net.params = append(l.net.params, p)
	return p.node
}

// add adds an operation.
func (n *Network) add(o *op, fixed bool) Value {
	v := Value{rows: o.rows, cols: o.cols, fixed: fixed}
	if n.err == nil {
		v.node, n.err = o.apply()
	}
	return v
}

// Weights returns how many numbers are learned.
func (n *Network) Weights() int {
	sum := 0
	for _, p := range n.params {
		sum += len(p.Value)
	}
	return sum
}

// Finish ends the construction: output is what Run returns, and loss is what is
// minimised.
func (n *Network) Finish(output, loss Value) error {
	if n.err != nil {
		return fmt.Errorf("graph: %w", n.err)
	}
	var nodes G.Nodes
	for _, p := range n.params {
		nodes = append(nodes, p.node)
	}
	grads, err := G.Grad(loss.node, nodes...)
	if err != nil {
		return fmt.Errorf("graph: derivatives: %w", err)
	}
	for i, p := range n.params {
		G.Read(grads[i], &p.grad)
	}
	G.Read(output.node, &n.output)
	n.machine = G.NewTapeMachine(n.graph)
	return nil
}

// Run computes the output of the inputs as they are. It is valid until the next
// run.
func (n *Network) Run() ([]float32, error) {
	n.machine.Reset()
	if err := n.machine.RunAll(); err != nil {
		return nil, fmt.Errorf("graph: %w", err)
	}
	return n.output.Data().([]float32), nil
}

// Close gives back what the machine holds.
func (n *Network) Close() error {
	// It has a finalizer, and is in a cycle with n, whose fields its program reads values
	// into: the collector would never free either.
	runtime.SetFinalizer(n.machine, nil)
	return n.machine.Close()
}

// Adam is how weights are learned (Kingma and Ba 2015), with weight decay apart
// from the derivatives (Loshchilov and Hutter 2019).
type Adam struct {
	Rate  float64
	Decay float64
	Clip  float64 // of the length of all derivatives together; 0 means none
}

// Step changes the weights by the derivatives of the last run.
func (n *Network) Step(a Adam) {
	const beta1, beta2, epsilon = 0.9, 0.999, 1e-8
	n.shared.steps++
	scale := 1.0
	if a.Clip > 0 {
		squares := 0.0
		for _, p := range n.params {
			for _, g := range p.grad.Data().([]float32) {
				squares += float64(g) * float64(g)
			}
		}
		if length := math.Sqrt(squares); length > a.Clip {
			scale = a.Clip / length
		}
	}
	fix1, fix2 := 1-math.Pow(beta1, float64(n.shared.steps)), 1-math.Pow(beta2, float64(n.shared.steps))
	rate, keep := float32(a.Rate/fix1), float32(1-a.Rate*a.Decay)
	root := float32(1 / math.Sqrt(fix2))
	for _, p := range n.params {
		for i, g := range p.grad.Data().([]float32) {
			g *= float32(scale)
			p.m1[i] = beta1*p.m1[i] + (1-beta1)*g
			p.m2[i] = beta2*p.m2[i] + (1-beta2)*g*g
			p.Value[i] = keep*p.Value[i] - rate*p.m1[i]/(float32(math.Sqrt(float64(p.m2[i])))*root+epsilon)
		}
	}
}
