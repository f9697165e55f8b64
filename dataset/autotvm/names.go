package autotvm

import "strings"

// names are what upstream calls the tensors of templates, by our names. A name with a memory is that of a copy there.
var names = map[string]map[string]string{
	"conv2d_NCHWc.x86":           {"pad": "data_pad", "conv": "conv2d_NCHWc"},
	"depthwise_conv2d_NCHWc.x86": {"pad": "PaddedInput", "conv": "DepthwiseConv2d"},
	"dense_pack.x86":             {"data": "placeholder", "dense": "compute"},
	"dense_nopack.x86":           {"data": "placeholder", "weight": "placeholder", "lanes": "compute", "dense": "compute"},
	"batch_matmul.x86":           {"p": "placeholder", "q": "placeholder", "matmul": "T_batch_matmul_NT"},
	"conv2d_nchw.cuda": {"data": "placeholder", "data.shared": "pad_temp.shared", "kernel": "placeholder",
		"pad": "pad_temp", "conv": "conv2d_nchw"},
	"depthwise_conv2d_nchw.cuda": {"data": "placeholder", "data.shared": "PaddedInput.shared", "kernel": "placeholder",
		"pad": "PaddedInput", "conv": "DepthwiseConv2d"},
	"batch_matmul.cuda": {"p": "placeholder", "q": "placeholder", "q.shared": "placeholder.d.shared",
		"matmul": "T_batch_matmul_NT"},
}

// Upstream returns what upstream calls a tensor of the line's program.
func (l *Line) Upstream(name string) string {
	best, to := "", ""
	for ours, theirs := range names[l.Template] {
		if len(ours) > len(best) && (name == ours || strings.HasPrefix(name, ours+".")) {
			best, to = ours, theirs
		}
	}
	return to + strings.TrimPrefix(name, best)
}

// OneThread reports whether upstream's template binds all loops over the same threads to one variable.
func (l *Line) OneThread() bool { return l.Template == "batch_matmul.cuda" }
