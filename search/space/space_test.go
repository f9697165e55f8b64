package space

import (
	"strings"
	"testing"

	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/tir/target"
)

func TestFind(t *testing.T) {
	for _, kind := range []target.Kind{target.LLVM, target.CUDA} {
		for i, name := range Names(kind) {
			s, err := Find(kind, name, Config{})
			if err != nil || s.Open == nil {
				t.Errorf("%s of %s: %v", name, kind, err)
			}
			if d, err := find(kind, ""); i == 0 && (err != nil || d.name != name) {
				t.Errorf("the default of %s is %s, not %s: %v", kind, d.name, name, err)
			}
		}
		if _, err := Find(kind, "other", Config{}); err == nil || !strings.Contains(err.Error(), "wmtune, autoscheduler") {
			t.Errorf("unknown space of %s: %v", kind, err)
		}
	}
	if len(Names("tpu")) != 0 {
		t.Error("an unknown kind has spaces")
	}
}

// TestLayout: where weights stay as they are, none are transformed or put in groups ahead of time.
func TestLayout(t *testing.T) {
	w, err := workload.Find("dense:m=16,n=32,k=64,dtype=i8,epilogue=requantize")
	if err != nil {
		t.Fatal(err)
	}
	count := func(l target.Layout) int {
		on := target.Generic(32, 2)
		on.Features = []string{"avx2", "avxvnni"}
		task := &search.Task{DAG: w.DAG, Target: on}
		source, err := Default(target.LLVM, Config{Layout: l}).Open(t.Context(), task)
		if err != nil {
			t.Fatal(err)
		}
		return source.Structures()
	}
	if keep, rewrite := count(target.Keep), count(target.Rewrite); keep >= rewrite || keep == 0 {
		t.Errorf("%d sketches where weights stay as they are, %d where they do not", keep, rewrite)
	}
}
