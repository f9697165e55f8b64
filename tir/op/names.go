package op

import (
	"fmt"
	"math"
	"strings"
)

// A style says how stages, axes and inputs are called, and the few ways in which
// DAGs of equal meaning differ between their authors.
type style struct {
	stages, others map[string]names // others has what stages has not
	// inputs names the inputs; empty means that they keep the operator's name.
	// A # in it stands for the input's number.
	inputs  string
	repeats bool // names may repeat

	// padAlways keeps a padding stage that pads by nothing.
	padAlways bool
	// padFlat joins the conditions of a padding from the left; otherwise those
	// of one dimension stand together.
	padFlat bool
	// wideBias gives a bias the rank of what it is added to.
	wideBias bool
	// relu6Min takes min(x, 6) first and max(x, 0) then.
	relu6Min bool
	// poolPad is the padding of a float32 max pool.
	poolPad float64
	// model says that stages are those of a whole model's nodes: their tensors may be empty, constants are as exact as
	// those of the file, and what is always so is left out of conditions and indices.
	model bool
}

// names are those of one stage: of itself and of its axes. See axisNames.
type names struct{ name, axes, reduce string }

// names returns those of the stage that the style knows as key. One that it does not know is called by the key.
func (s *style) names(key string) names {
	for _, list := range []map[string]names{s.stages, s.others} {
		if n, ok := list[key]; ok {
			return n
		}
	}
	return names{name: key, axes: "i#", reduce: "k#"}
}

// axisNames returns n names for a pattern, and whether all of them are numbered. A pattern has alternatives, divided by
// |, of which the first one that fits counts. A word of it stands for one axis: but "i#" for any number of axes i0,
// i1..., "@" for one to three spatial dimensions, and "r@" for those of a window.
func axisNames(pattern string, n int) (list []string, numbered bool) {
	for alternative := range strings.SplitSeq(pattern, "|") {
		words := strings.Fields(alternative)
		list, rest := []string{}, n-len(words)+1 // what a word of several axes stands for
		for _, w := range words {
			prefix, many := strings.CutSuffix(w, "#")
			byRank, spatial := spatialNames[w]
			switch {
			case many:
				for i := range rest {
					list = append(list, fmt.Sprint(prefix, i))
				}
			case spatial && rest >= 1 && rest <= len(byRank):
				list = append(list, strings.Fields(byRank[rest-1])...)
			case !spatial:
				list = append(list, w)
			}
		}
		if len(list) == n {
			return list, strings.HasSuffix(alternative, "#") && len(words) == 1
		}
	}
	panic(fmt.Sprintf("BUG: op: %d axes, named %q", n, pattern))
}

// spatialNames are names of one, two and three axes.
var spatialNames = map[string][]string{"@": {"i", "i j", "a i j"}, "r@": {"rw", "rh rw", "rd rh rw"}}

func (s *style) inputName(name string, number int) string {
	if s.inputs == "" {
		return name
	}
	return strings.Replace(s.inputs, "#", fmt.Sprint(number), 1)
}

// stages are the names in wmtune's own styles, of workloads and of models. The stages of the suites are called as in
// the sketches printed by TVM for them, so that texts can be compared.
var stages = map[string]names{
	"matmul":           {"matmul", "i j", "k"},
	"dense":            {"dense", "i j", "k"},
	"batch_matmul":     {"batch_matmul", "q i j|q# i j", "k"},
	"conv1d":           {"conv1d", "n @ c", "r@ rc"},
	"conv2d":           {"conv2d", "n @ c", "r@ rc"},
	"conv3d":           {"conv3d", "n @ c", "r@ rc"},
	"depthwise":        {"depthwise", "n @ q|i#", "r@|r#"},
	"conv2d_transpose": {"conv2d_transpose", "n @ c", "r@ rc"},
	"pool":             {"pool", "n @ q|i#", "rv#"},
	"pool_sum":         {"sum", "n @ q|i#", "rv#"},
	"avg":              {"avg", "n @ q|i#", ""},
	"norm":             {"norm", "i j|i#", ""},
	"row_sum":          {"sum", "i|i#", "k1|k1_#"},
	"row_mean":         {"mean", "i|i#", ""},
	"row_sqsum":        {"sqsum", "i|i#", "k2|k2_#"},
	"row_inv":          {"inv", "i|i#", ""},
	"conv4d":           {"conv4d", "i#", "r#"},
	"conv1d_transpose": {"conv1d_transpose", "n @ c", "r@ rc"},
	"conv3d_transpose": {"conv3d_transpose", "n @ c", "r@ rc"},
	"deform_conv":      {"deform_conv", "n @ c|i#", "r#"},
	"pool_place":       {"place", "n @ q|i#", "rv#"},
	"pool_norm":        {"norm", "n @ q|i#", ""},
	"pool_index":       {"index", "n @ q|i#", ""},
	"row_squares":      {"sqsum", "i|i#", "k1|k1_#"},
	"input_tile":       {"input_tile", "eps nu p ci", ""},
	"B":                {"B", "i j", ""},
	"data_pack":        {"data_pack", "eps nu p ci", "r_a r_b"},
	"bgemm":            {"bgemm", "eps nu p co", "ci"},
	"A":                {"A", "i j", ""},
	"inverse":          {"inverse", "vh vw p co", "r_a r_b"},
	"conv2d_winograd":  {"conv2d_winograd", "n h w co", ""},
}

// ownNames is the style of workloads.
var ownNames = style{
	poolPad: -3.4e38,
	others:  stages,
	stages: map[string]names{
		"depthwise_pad":  {"pad", "i#", ""},
		"pool_pad":       {"pad", "n i j q", ""},
		"pool_pad_first": {"pad", "n i j q", ""},
		"sum":            {"sum", "i o", "r"},
		"max":            {"max", "i o", "r"},
		"min":            {"min", "i o", "r"},
		"argmax":         {"argmax", "i o", "r"},
		"index":          {"index", "i o", ""},
		"mean":           {"mean", "i o", ""},
		"sub":            {"sub", "i j", ""},
		"sq":             {"sq", "i j", ""},
		"var":            {"var", "i o", ""},
		"maxelem":        {"maxelem", "i", "k1"},
		"exp":            {"exp", "i j", ""},
		"expsum":         {"expsum", "i", "k2"},
		"relu6":          {"relu", "i#", ""},
		"gelu":           {"gelu", "i|i j|q i j|n i j c|n a i j c|i#", ""},
	},
}

// modelNames is the style of the nodes of whole models. Axes are numbered where there may be any number of them.
var modelNames = style{
	model:  true,
	others: stages,
	stages: map[string]names{
		"pool_pad":       {"pad", "n @ q|i#", ""},
		"pool_pad_first": {"pad", "n q @|i#", ""},
	},
}

// relayStages are the names in tuning logs of whole models, whose DAGs TVM's
// Relay made from the operators of its library.
var relayStages = map[string]names{
	"matmul":        {"T_matmul_NN", "i j", "k"},
	"dense":         {"T_matmul_NT", "i j", "k"},
	"batch_matmul":  {"T_batch_matmul_NN", "b i j", "k"},
	"scores":        {"T_batch_matmul_NT", "b i j", "k"},
	"const":         {"compile_engine_const", "", ""},
	"divide":        {"T_divide", "ax#", ""},
	"subtract":      {"T_subtract", "ax#", ""},
	"multiply":      {"T_multiply", "ax#", ""},
	"reduced":       {"", "ax#", "k2"},
	"minimum":       {"T_minimum", "ax#", ""},
	"maximum":       {"T_maximum", "ax#", ""},
	"fast_tanh":     {"T_fast_tanh", "ax#", ""},
	"maxelem":       {"T_softmax_maxelem", "i#", "k"},
	"exp":           {"T_softmax_exp", "i#", ""},
	"expsum":        {"T_softmax_expsum", "i#", "k"},
	"norm":          {"T_softmax_norm", "i#", ""},
	"pad":           {"pad_temp", "i#", ""},
	"conv2d":        {"conv2d_nhwc", "nn yy xx ff", "ry rx rc"},
	"depthwise_pad": {"PaddedInput", "i#", ""},
	"depthwise":     {"DepthwiseConv2d", "b i j c", "di dj"},
	"pool_pad":      {"pad_temp", "ax#", ""},
	"pool":          {"tensor", "ax#", "rv#"},
	"global_sum":    {"tensor", "ax#", "rv#"},
	"avg":           {"tensor", "ax#", ""},
	"bias_add":      {"T_add", "ax#", ""},
	"add":           {"T_add", "ax#", ""},
	"relu":          {"T_relu", "ax#", ""},
	"relu6":         {"compute", "i#", ""},
}

// relayNames is the style of Relay up to 2021, when all inputs were called
// alike; numberedNames that of later versions.
var (
	relayNames    = relayStyle("placeholder")
	numberedNames = relayStyle("p#")
)

func relayStyle(inputs string) style {
	return style{
		stages: relayStages, others: stages, inputs: inputs, repeats: true,
		padAlways: true, padFlat: true, wideBias: true, relu6Min: true,
		poolPad: -math.MaxFloat32,
	}
}
