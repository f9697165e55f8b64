package model

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestNameOf: what may be a name stays; all others become one.
func TestNameOf(t *testing.T) {
	for text, want := range map[string]string{
		"resnet18":    "resnet18",
		"bert-base.2": "bert_base_2",
		"3d_unet":     "model_3d_unet",
		"ünet":        "model__net",
		"_net":        "model__net",
		"int":         "model_int",
		"wmtune_demo": "model_wmtune_demo",
		"sem":         "model_sem",
		"":            "kernel",
		"resnet50_v1_5_imagenet_quantized_batch1_opset13": "resnet50_v1_5_imagenet_quantize_992a2ed2",
		"resnet50_v1_5_imagenet_quantized_batch1_opset14": "resnet50_v1_5_imagenet_quantize_942a26f3",
	} {
		got := NameOf(text)
		if err := ValidName(got); err != nil || got != want {
			t.Errorf("%q: %q, want %q: %v", text, got, want, err)
		}
	}
}

// TestMaxThreads: the limit is that of the library.
func TestMaxThreads(t *testing.T) {
	text, err := os.ReadFile("runtime/runtime.c")
	if err != nil {
		t.Fatal(err)
	}
	if limit := fmt.Sprintf("MAX_THREADS = %d,", MaxThreads); !strings.Contains(string(text), limit) {
		t.Errorf("runtime.c does not say %s", limit)
	}
}

// TestFunctions: the functions of a bundle are those that its header declares, but for one.
func TestFunctions(t *testing.T) {
	one := &Program{Name: "m"}
	several := &Program{Name: "m", Dims: []string{"n"}, Plans: []Plan{{Least: []int64{1}, Most: []int64{1}}}}
	levels := &Program{Name: "m", Levels: []Level{{Name: "low"}, {Name: "high"}}}
	for _, p := range []*Program{one, several, levels} {
		header := string(newNames(&Bundle{Program: p}).header(""))
		for _, f := range p.api() {
			if strings.Contains(header, " m_"+f+"(") == (f == "watch") && !strings.Contains(header, "*m_"+f+"(") {
				t.Errorf("the header has no %s", f)
			}
		}
		for _, m := range regexp.MustCompile(`(?m)^(?:int|void|const|int64_t).*\bm_([a-z_]+)\(`).FindAllStringSubmatch(header, -1) {
			if !slices.Contains(p.api(), m[1]) {
				t.Errorf("%s is missing", m[1])
			}
		}
		if strings.Contains(header, "@") {
			t.Errorf("words are left:\n%s", header)
		}
	}
}
