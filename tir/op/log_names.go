package op

import "math"

// relayStages are the names in tuning logs of whole models, whose DAGs TVM's
// Relay made from the operators of its library.
var relayStages = map[string]names{
	"matmul":        {"T_matmul_NN", "i j", "k"},
	"dense":         {"T_matmul_NT", "i j", "k"},
	"batch_matmul":  {"T_batch_matmul_NN", "b i j", "k"},
	"const":         {"compile_engine_const", "", ""},
	"divide":        {"T_divide", "ax#", ""},
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
