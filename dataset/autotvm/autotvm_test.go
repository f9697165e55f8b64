package autotvm

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/dataset/ansor"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/dataset/metaschedule"
	"github.com/wmtune/wmtune/tir/schedule"
)

// lines returns the lines of testdata: all of TopHub's llvm_v0.04.log, and some of each template of cuda_v0.10.log and
// arm_cpu_v0.08.log (github.com/tlc-pack/tophub).
func lines(t testing.TB) []string {
	t.Helper()
	in, err := ansor.Open("testdata/tophub.json.zst")
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	var list []string
	for {
		text, _, err := in.Next()
		if err == io.EOF {
			return list
		}
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, string(text))
	}
}

// dense are lines of four more templates, of which TopHub has none.
var dense = []string{
	`{"input": ["llvm -mcpu=core-avx2", "dense_pack.x86", [["TENSOR", [8, 64], "float32"], ["TENSOR", [48, 64], "float32"], null, "float32"], {}], "config": {"index": 1, "code_hash": null, "entity": [["tile_y", "sp", [-1, 2, 4]], ["tile_x", "sp", [-1, 3, 8]], ["tile_k", "sp", [-1, 16]], ["tile_inner", "sp", [-1, 2]]]}, "result": [[1.5e-06], 0, 0.2, 1600000000.5], "version": 0.2, "tvm_version": "0.8.dev0"}`,
	`{"input": ["llvm -mcpu=core-avx2", "dense_nopack.x86", [["TENSOR", [4, 64], "float32"], ["TENSOR", [10, 64], "float32"], null, "float32"], {}], "config": {"index": 2, "code_hash": null, "entity": [["tile_y", "sp", [-1, 2]], ["tile_x", "sp", [-1, 5]], ["tile_k", "sp", [-1, 16]]]}, "result": [[2.5e-06], 0, 0.2, 1600000001.5], "version": 0.2, "tvm_version": "0.8.dev0"}`,
	`{"input": ["llvm -mcpu=core-avx2", "batch_matmul.x86", [["TENSOR", [3, 8, 64], "float32"], ["TENSOR", [3, 10, 64], "float32"], null, "float32", false, true], {}], "config": {"index": 3, "code_hash": null, "entity": [["tile_y", "sp", [-1, 4]], ["tile_x", "sp", [-1, 5]], ["tile_k", "sp", [-1, 16]]]}, "result": [[2.5e-06], 0, 0.2, 1600000001.5], "version": 0.2, "tvm_version": "0.8.dev0"}`,
	`{"input": ["llvm -mcpu=core-avx2", "depthwise_conv2d_NCHWc.x86", [["TENSOR", [1, 32, 14, 14], "float32"], ["TENSOR", [32, 1, 3, 3], "float32"], [1, 1], [1, 1, 1, 1], [1, 1], "NCHW", "NCHW", "float32"], {}], "config": {"index": 4, "code_hash": null, "entity": [["tile_ic", "sp", [-1, 4]], ["tile_oc", "sp", [-1, 8]], ["tile_ow", "sp", [-1, 7]], ["unroll_kw", "ot", true]]}, "result": [[2.5e-06], 0, 0.2, 1600000001.5], "version": 0.2, "tvm_version": "0.8.dev0"}`,
}

// TestTopHub: each line becomes a record or is of a template that has no counterpart.
func TestTopHub(t *testing.T) {
	got := map[string]int{}
	for i, text := range lines(t) {
		l, err := ParseLine([]byte(text))
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		r, err := Record(l, i)
		var unmapped *metaschedule.UnmappedError
		switch {
		case errors.As(err, &unmapped):
			got[unmapped.What]++
		case err != nil:
			t.Errorf("%s: %v", text, err)
		default:
			got[l.Template]++
			if !r.Timed() || r.Source.Format != "autotvm" || r.Unix < 1.5e9 || r.Trial != i {
				t.Errorf("%s: %+v", text, r)
			}
		}
	}
	want := map[string]int{
		"conv2d_NCHWc.x86": 35, "conv2d_nchw.cuda": 12, "depthwise_conv2d_nchw.cuda": 12, "batch_matmul.cuda": 12,
		"the template conv2d_nchw_winograd.cuda": 12, "the template conv2d_transpose_nchw.cuda": 12,
		"the template conv1d_transpose_nchw.cuda": 1, "the template conv2d_nchw_spatial_pack.arm_cpu": 2,
		"the template conv2d_nchw_winograd.arm_cpu": 2, "the template depthwise_conv2d_nchw.arm_cpu": 2,
		"the template conv2d_transpose_nchw.arm_cpu": 2,
	}
	if !maps.Equal(got, want) {
		t.Errorf("got %v", got)
	}
}

var update = flag.Bool("update", false, "rewrite testdata/states.txt")

// TestStates: the programs and loops of the first line of each template, and of a 1x1 convolution.
func TestStates(t *testing.T) {
	var got strings.Builder
	seen := map[string]bool{}
	for _, text := range append(lines(t), dense...) {
		l, err := ParseLine([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		name := l.Template
		if l.Options["tile_oh"] != nil {
			name += " 1x1"
		}
		if seen[name] || templates[l.Template] == nil {
			continue
		}
		seen[name] = true
		s, err := l.State()
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if again, err := schedule.Replay(s.DAG, s.Steps); err != nil || again.Signature() != s.Signature() {
			t.Errorf("%s: its steps lead elsewhere: %v", name, err)
		}
		fmt.Fprintf(&got, "%s\n%s\n%s\n%s\n\n", name, s.DAG.Text(), schedule.FormatSteps(s.Steps), s)
	}
	if len(seen) != len(templates)+1 {
		t.Errorf("%d of %d templates have a line", len(seen)-1, len(templates))
	}
	const path = "testdata/states.txt"
	if *update {
		if err := os.WriteFile(path, []byte(got.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(path); err != nil || string(want) != got.String() {
		t.Errorf("the states differ from %s (-update rewrites it): %v\n%s", path, err, &got)
	}
}

// TestRefused: a line that makes no sense, or has no counterpart, says so.
func TestRefused(t *testing.T) {
	all := append(lines(t), dense...)
	find := func(template string) string {
		for _, text := range all {
			if strings.Contains(text, template) {
				return text
			}
		}
		t.Fatal("no line of ", template)
		return ""
	}
	for _, c := range []struct{ template, from, to, want string }{
		{"conv2d_NCHWc.x86", `"version": 0.2`, `"version": 0.1`, `version "0.1"`},
		{"conv2d_NCHWc.x86", `"result"`, `"results"`, "no line of AutoTVM"},
		{"conv2d_NCHWc.x86", `"tile_ic"`, `"tile_id"`, "knob tile_ic has 0 lengths"},
		{"conv2d_NCHWc.x86", `"tile_ic", "sp", [1, 3]`, `"tile_ic", "sp", [1, 2]`, "blocks that do not divide the channels"},
		{"conv2d_NCHWc.x86", `"tile_ow", "sp", [14, 8]`, `"tile_ow", "sp", [14, 0]`, "knob tile_ow has the lengths [14 0]"},
		{"conv2d_NCHWc.x86", `"unroll_kw"`, `"unroll_kh"`, "no knob unroll_kw"},
		{"conv2d_NCHWc.x86", `[2, 2], [3, 3, 3, 3]`, `[0, 2], [3, 3, 3, 3]`, "a stride of [0 2]"},
		{"conv2d_NCHWc.x86", `[1, 3, 224, 224], "float32"`, `[1, 3, 224, 224], "int8"`, "elements of type int8 has no"},
		{"conv2d_NCHWc.x86", `[1, 3, 224, 224]`, `[1, 3, 2, 2]`, "the template"},
		{"dense_pack.x86", `[48, 64]`, `[48, 65]`, "do not fit each other"},
		{"dense_pack.x86", `null, "float32"`, `["TENSOR", [48], "float32"], "float32"`, "with a bias has no"},
		{"dense_nopack.x86", `"tile_k", "sp", [-1, 16]`, `"tile_k", "sp", [-1, 15]`, "lanes that do not divide"},
		{"depthwise_conv2d_NCHWc.x86", `"tile_oc", "sp", [-1, 8]`, `"tile_oc", "sp", [-1, 7]`, "blocks that do not divide"},
		{"depthwise_conv2d_NCHWc.x86", `[32, 1, 3, 3]`, `[31, 1, 3, 3]`, "31 kernels for 32 channels"},
		{"batch_matmul.x86", `[3, 10, 64]`, `[3, 10, 63]`, "do not fit each other"},
		{"batch_matmul.cuda", `"batch_matmul.cuda"`, `"batch_matmul.hip"`, "template batch_matmul.hip has no counterpart"},
	} {
		text := find(c.template)
		changed := strings.Replace(text, c.from, c.to, 1)
		if changed == text {
			t.Errorf("%q is not in %s", c.from, text)
			continue
		}
		l, err := ParseLine([]byte(changed))
		if err == nil {
			_, err = l.State()
		}
		if c.want == "the template" { // what is padded is as large as the kernel: it is right
			if err != nil {
				t.Errorf("%s: %v", changed, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q for %q: %v", c.to, c.from, err)
		}
	}
}

// TestErrors: a line that was not measured says why, in AutoTVM's name.
func TestErrors(t *testing.T) {
	for number, want := range map[string]measure.Status{
		"4": measure.Crash, "7": measure.RunTimeout, "99": measure.Unmeasured, "-1": measure.Unmeasured,
	} {
		text := strings.Replace(dense[0], "[[1.5e-06], 0,", "[[1e10], "+number+",", 1)
		l, err := ParseLine([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		r, err := Record(l, 0)
		if err != nil || r.Status != want || r.Costs != nil || !strings.HasPrefix(r.Message, "AutoTVM's error no. ") {
			t.Errorf("error %s: %v, %s: %s", number, err, r.Status, r.Message)
		}
	}
}

// TestMutants: whatever a line says, it becomes a state or an error.
func TestMutants(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	all := append(lines(t), dense...)
	states := 0
	for range 600 {
		text := []byte(all[rng.IntN(len(all))])
		for range 1 + rng.IntN(2) {
			at := rng.IntN(len(text))
			for text[at] < '0' || text[at] > '9' {
				at = rng.IntN(len(text))
			}
			text[at] = "0123456789-"[rng.IntN(11)]
		}
		if l, err := ParseLine(text); err == nil {
			if _, err := Record(l, 0); err == nil {
				states++
			}
		}
	}
	if states < 60 || states > 540 {
		t.Errorf("%d of 600 mutants have a state: the test does not try both", states)
	}
}
