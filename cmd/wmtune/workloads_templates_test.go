package main

import (
	"strings"
	"testing"
)

// TestWorkloadsTemplates: a workload, and the workloads of a suite, have their templates and the sizes that TVM has, or a
// reason.
func TestWorkloadsTemplates(t *testing.T) {
	for what, want := range map[string][]string{
		"dense:m=1024,n=1024,k=1024": {"llvm  dense_pack.x86  239580  tile_y 66, tile_x 66, tile_k 11, tile_inner 5", "no template fits"},
		"softmax:m=8,n=8":            {"none", "it has more than one reduction"},
		"paper22":                    {"conv2d_NCHWc.x86", "depthwise_conv2d_NCHWc.x86", "batch_matmul.cuda", "conv2d_nchw.cuda"},
	} {
		code, out, stderr := wmtune(t, "workloads", "--templates", what)
		for _, text := range want {
			if code != 0 || !strings.Contains(out, text) {
				t.Errorf("%s: exit code %d, no %q in\n%s%s", what, code, text, out, stderr)
			}
		}
	}
	if code, out, _ := wmtune(t, "workloads", "--templates", "dense:m=8,n=8,k=8", "--json"); code != 0 ||
		!strings.Contains(out, `"template":"dense_pack.x86","configurations":`) {
		t.Errorf("exit code %d\n%s", code, out)
	}
	for _, args := range [][]string{{"--templates", "nothing"}, {"--templates", "paper22", "--model", "a.onnx"}, {"paper22", "--templates", "paper22"}} {
		if code, _, stderr := wmtune(t, append([]string{"workloads"}, args...)...); code != exitUsage || !strings.Contains(stderr, "--templates") {
			t.Errorf("%v: exit code %d\n%s", args, code, stderr)
		}
	}
}
