package op

import (
	"fmt"
	"strings"

	"github.com/wmtune/wmtune/graph"
)

// attrKinds has the names of attributes by the kind that they have in all operators of ONNX, from the schemas of onnx
// 1.23. The exceptions are not here: p, seed, to and value.
var attrKinds = func() map[string]graph.AttrKind {
	kinds := map[string]graph.AttrKind{}
	for kind, names := range map[graph.AttrKind]string{
		graph.AttrInt: "align_corners allowzero antialias axis batch_axis batch_dims block_size blocksize broadcast " +
			"ceil_mode center_point_box chunk_size count_include_pad detect_negative detect_positive dtype end " +
			"exclude_outside exclusive fmod group hidden_size ignore_index input_forget interleaved inverse " +
			"is_causal is_test k keepdims kv_num_heads largest layout left_window_size linear_before_reset " +
			"max_gram_length max_skip_count min_gram_length new_axis noop_with_empty_axes num_groups num_heads " +
			"num_outputs num_scan_inputs offset_group onesided output_datatype output_dtype output_height " +
			"output_width periodic precision q_num_heads qk_matmul_output_mode reverse right_window_size " +
			"rotary_embedding_dim sample_size sampling_ratio saturate select_last_index size softmax_precision " +
			"sorted spatial start stash_type storage_order time_axis training_mode transA transB upper " +
			"value_int",
		graph.AttrFloat: "alpha beta bias clip cubic_coeff_a epsilon extrapolation_value gamma height_scale high " +
			"lambd low max mean min momentum ratio scale softcap spatial_scale value_float width_scale",
		graph.AttrString: "activation approximate auto_pad coordinate_transformation_mode direction equation " +
			"keep_aspect_ratio_policy mode nearest_mode padding_mode reduction round_mode update_rule value_string",
		graph.AttrInts: "axes dilations directions ends kernel_shape ngram_counts ngram_indexes output_padding " +
			"output_shape paddings pads perm pool_int64s pooled_shape scan_input_axes scan_input_directions scan_output_axes " +
			"scan_output_directions shape split starts strides value_ints",
		graph.AttrFloats:  "activation_alpha activation_beta scales value_floats weights",
		graph.AttrStrings: "activations pool_strings value_strings",
		graph.AttrGraph:   "body else_branch then_branch",
	} {
		for _, name := range strings.Fields(names) {
			kinds[name] = kind
		}
	}
	return kinds
}()

// checkAttrs returns an error if an attribute of one of ONNX's operators has another kind than it must. Without it, the
// attribute would count as left out.
func checkAttrs(n *graph.Node) error {
	if n.Domain != "" {
		return nil
	}
	for _, a := range n.Attrs {
		if kind, ok := attrKinds[a.Name]; ok && a.Kind != kind {
			return fmt.Errorf("attribute %s is %s, and must be %s", a.Name, a.Kind, kind)
		}
	}
	return nil
}
