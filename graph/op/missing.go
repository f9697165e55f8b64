package op

import (
	"fmt"
	"slices"
	"strings"

	"github.com/wmtune/wmtune/graph"
)

// without says why operators that have no row have none.
var without = map[string]string{}

func init() {
	for reason, names := range map[string]string{
		"write what it does for each tensor as nodes": "SequenceMap",
		"wmtune has no values that are text": "StringNormalizer StringConcat StringSplit RegexFullMatch " +
			"ai.onnx.ml.CategoryMapper",
		"quantize the model with MatMulNBitsQuantizer, or with quantize_dynamic to int8": "" +
			"com.microsoft.MatMulBnb4 com.microsoft.MatMulFpQ4",
		"export the decoder alone, and search for the best words in the program around it": "" +
			"com.microsoft.BeamSearch com.microsoft.GreedySearch com.microsoft.Sampling com.microsoft.WhisperBeamSearch",
		"quantize the model before ONNX Runtime's optimizer runs": "" +
			"com.microsoft.QAttention com.microsoft.QEmbedLayerNormalization",
	} {
		for _, name := range strings.Fields(names) {
			without[name] = reason
		}
	}
}

// withoutDomain says what avoids the operators of a domain that have no row.
var withoutDomain = map[string]string{
	"com.microsoft": "compile the file from before ONNX Runtime's optimizer ran, or set graph_optimization_level to " +
		"ORT_ENABLE_BASIC where it is written",
	"com.microsoft.nchwc": "it fits the processor on which ONNX Runtime's optimizer wrote it; set " +
		"graph_optimization_level to ORT_ENABLE_EXTENDED instead of ORT_ENABLE_ALL where the file is written",
	"com.ms.internal.nhwc": "set graph_optimization_level to ORT_ENABLE_EXTENDED instead of ORT_ENABLE_ALL where the " +
		"file is written",
}

// fullName is the name of a node's operator, with its domain before a dot, unless it is ONNX's.
func fullName(n *graph.Node) string {
	if n.Domain != "" {
		return n.Domain + "." + n.Op
	}
	return n.Op
}

// SplitName splits an operator's full name into domain and name.
func SplitName(full string) (domain, name string) {
	if i := strings.LastIndexByte(full, '.'); i >= 0 {
		return full[:i], full[i+1:]
	}
	return "", full
}

// shownNodes is how many nodes an error lists of each operator.
const shownNodes = 8

// Missing returns an error that wraps graph.ErrUnsupported and lists every operator of g and of the graphs in its nodes
// that has no row, with its nodes; or nil.
func Missing(g *graph.Graph) error {
	var reasons []string
	nodes := map[string][]string{} // by reason
	eachNode(g, func(n *graph.Node) {
		_, err := Find(n)
		if err == nil || foldsSequence(n) {
			return
		}
		reason := err.Error()
		if nodes[reason] == nil {
			reasons = append(reasons, reason)
		}
		nodes[reason] = append(nodes[reason], strings.TrimPrefix(n.Label(), "node "+n.Op+" "))
	})
	if reasons == nil {
		return nil
	}
	slices.Sort(reasons)
	var b strings.Builder
	for _, r := range reasons {
		list := nodes[r]
		fmt.Fprintf(&b, "\n  %s: %d of the nodes: %s", r, len(list), strings.Join(list[:min(shownNodes, len(list))], ", "))
		if len(list) > shownNodes {
			fmt.Fprintf(&b, " and %d more", len(list)-shownNodes)
		}
	}
	return fmt.Errorf("the model has operators that are %w:%s", graph.ErrUnsupported, b.String())
}

// eachNode calls do for each node of g and of the graphs in attributes of nodes, in order.
func eachNode(g *graph.Graph, do func(n *graph.Node)) {
	for _, n := range g.Nodes {
		do(n)
		for _, a := range n.Attrs {
			for _, sub := range a.Graphs {
				eachNode(sub, do)
			}
		}
	}
}
