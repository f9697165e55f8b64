package op

import (
	"context"
	"strings"

	"github.com/wmtune/wmtune/graph"
)

// InferNode infers the types of one node's outputs, as Infer does, and reports whether they became constants.
func InferNode(ctx context.Context, n *graph.Node) (bool, error) { return inferNode(ctx, n) }

// SplitName splits an operator's full name into domain and name.
func SplitName(full string) (domain, name string) {
	if i := strings.LastIndexByte(full, '.'); i >= 0 {
		return full[:i], full[i+1:]
	}
	return "", full
}

// IsAlias reports whether output 0 of n has the elements of input 0 in their order.
func IsAlias(n *graph.Node) bool {
	r, err := Find(n)
	return err == nil && r.Alias && r.Form(n) != FormOpaque
}

// Fault says what the error flag of a node's function means.
func Fault(n *graph.Node) string {
	switch {
	case n.Op == "Fail" && n.Domain == "wmtune":
		return n.Str("message", "")
	case n.Op == "Dropout" && n.Domain == "":
		return "training_mode is on and ratio is not 0: to draw random numbers is not supported"
	}
	return "an index is out of range, or an operand contradicts the shapes that the model was compiled for"
}
