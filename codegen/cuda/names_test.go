package cuda

import (
	"regexp"
	"strings"
	"testing"
)

// TestReserved: what kernels call is no name of a tensor.
func TestReserved(t *testing.T) {
	called := []string{}
	for _, h := range helpers {
		for _, m := range regexp.MustCompile(`__forceinline__ .*?(\w+)\(`).FindAllStringSubmatch(h.text, -1) {
			called = append(called, m[1])
		}
	}
	if len(called) < len(helpers) {
		t.Errorf("%d functions in %d helpers", len(called), len(helpers))
	}
	for _, typ := range types {
		for _, wide := range typ.wide {
			called = append(called, wide)
		}
	}
	for _, f := range functions {
		called = append(called, f, f+"f")
	}
	for _, name := range called {
		if got := newNames().fresh(name); got == name {
			t.Errorf("a tensor may be called %s", name)
		}
	}
}

// TestLongNames: what NVRTC reads has names of bounded length, different for different tensors.
func TestLongNames(t *testing.T) {
	long := strings.Repeat("tensor_", 500)
	x, y := newNames().fresh(long+"x"), newNames().fresh(long+"y")
	if x == y || len(x) > 250 || !strings.HasPrefix(x, "tensor_tensor_") {
		t.Errorf("%s and %s", x, y)
	}
}
