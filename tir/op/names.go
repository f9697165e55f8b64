package op

import (
	"fmt"
	"math"
	"strings"
)

// A style says how stages, axes and inputs are called, and the few ways in which
// DAGs of equal meaning differ between their authors.
type style struct {
	stages map[string]names
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
}

// names are those of one stage: of itself and of its axes, separated by blanks.
// "i#" numbers the axes i0, i1...; "@" takes letters by rank.
type names struct{ name, axes, reduce string }

// letters are axis names by rank.
var letters = []string{"", "i", "i j", "q i j", "n i j c", "n a i j c"}

// axisNames returns n names for a pattern.
func axisNames(pattern string, n int) []string {
	if pattern == "@" && n < len(letters) {
		pattern = letters[n]
	}
	if prefix, ok := strings.CutSuffix(strings.Replace(pattern, "@", "i#", 1), "#"); ok {
		list := make([]string, n)
		for i := range list {
			list[i] = fmt.Sprint(prefix, i)
		}
		return list
	}
	list := strings.Fields(pattern)
	if len(list) != n {
		panic(fmt.Sprintf("BUG: op: %d axes, named %q", n, pattern))
	}
	return list
}

func (s *style) inputName(name string, number int) string {
	if s.inputs == "" {
		return name
	}
	return strings.Replace(s.inputs, "#", fmt.Sprint(number), 1)
}

// ownNames is wmtune's style. The stages of the suites are called as in the
// sketches printed by TVM for them, so that texts can be compared.
var ownNames = style{
	poolPad: -3.4e38,
	stages: map[string]names{
		"matmul":           {"matmul", "i j", "k"},
		"dense":            {"dense", "i j", "k"},
		"batch_matmul":     {"batch_matmul", "q i j", "k"},
		"pad":              {"pad", "i#", ""},
		"depthwise_pad":    {"pad", "i#", ""},
		"conv1d":           {"conv1d", "n i c", "rw rc"},
		"conv2d":           {"conv2d", "n i j c", "rh rw rc"},
		"conv3d":           {"conv3d", "n a i j c", "rd rh rw rc"},
		"depthwise":        {"depthwise", "n i j q", "rh rw"},
		"conv2d_transpose": {"conv2d_transpose", "n i j c", "rh rw rc"},
		"dilate":           {"dilate", "i#", ""},
		"pool_pad":         {"pad", "n i j q", ""},
		"pool":             {"pool", "n i j q", "rv#"},
		"pool_sum":         {"sum", "n i j q", "rv#"},
		"global_pool":      {"pool", "n i j q", "rv#"},
		"global_sum":       {"sum", "n i j q", "rv#"},
		"avg":              {"avg", "n i j q", ""},
		"sum":              {"sum", "i o", "r"},
		"max":              {"max", "i o", "r"},
		"min":              {"min", "i o", "r"},
		"argmax":           {"argmax", "i o", "r"},
		"index":            {"index", "i o", ""},
		"mean":             {"mean", "i o", ""},
		"sub":              {"sub", "i j", ""},
		"sq":               {"sq", "i j", ""},
		"var":              {"var", "i o", ""},
		"maxelem":          {"maxelem", "i", "k1"},
		"exp":              {"exp", "i j", ""},
		"expsum":           {"expsum", "i", "k2"},
		"norm":             {"norm", "i j", ""},
		"row_sum":          {"sum", "i", "k1"},
		"row_mean":         {"mean", "i", ""},
		"row_sqsum":        {"sqsum", "i", "k2"},
		"row_inv":          {"inv", "i", ""},
		"elementwise":      {"elementwise", "i#", ""},
		"bias_add":         {"bias_add", "i#", ""},
		"bn_mul":           {"bn_mul", "i#", ""},
		"bn_add":           {"bn_add", "i#", ""},
		"add":              {"add", "i#", ""},
		"relu":             {"relu", "i#", ""},
		"relu6":            {"relu", "i#", ""},
		"gelu":             {"gelu", "@", ""},
		"sigmoid":          {"sigmoid", "i#", ""},
		"silu":             {"silu", "i#", ""},
		"cast":             {"cast", "i#", ""},
		"data_pad":         {"data_pad", "i#", ""},
		"input_tile":       {"input_tile", "eps nu p ci", ""},
		"B":                {"B", "i j", ""},
		"data_pack":        {"data_pack", "eps nu p ci", "r_a r_b"},
		"bgemm":            {"bgemm", "eps nu p co", "ci"},
		"A":                {"A", "i j", ""},
		"inverse":          {"inverse", "vh vw p co", "r_a r_b"},
		"conv2d_winograd":  {"conv2d_winograd", "n h w co", ""},
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

	"data_pad":        {"data_pad", "i#", ""},
	"input_tile":      {"input_tile", "eps nu p ci", ""},
	"B":               {"B", "i j", ""},
	"data_pack":       {"data_pack", "eps nu p ci", "r_a r_b"},
	"bgemm":           {"bgemm", "eps nu p co", "ci"},
	"A":               {"A", "i j", ""},
	"inverse":         {"inverse", "vh vw p co", "r_a r_b"},
	"conv2d_winograd": {"conv2d_winograd", "n h w co", ""},
}

// relayNames is the style of Relay up to 2021, when all inputs were called
// alike; numberedNames that of later versions.
var (
	relayNames    = relayStyle("placeholder")
	numberedNames = relayStyle("p#")
)

func relayStyle(inputs string) style {
	return style{
		stages: relayStages, inputs: inputs, repeats: true,
		padAlways: true, padFlat: true, wideBias: true, relu6Min: true,
		poolPad: -math.MaxFloat32,
	}
}
