package cuda_test

import (
	"io"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/codegen/cuda"
)

// A GPU that cannot copy asynchronously, or multiply tiles, is not given a program that does.
func TestEmitRefusesWhatTheTargetLacks(t *testing.T) {
	for _, c := range goldenPrograms(t) {
		err := cuda.Emit(io.Discard, c.fn, gpu)
		want := ""
		switch {
		case strings.HasPrefix(c.name, "async"):
			want = "copies asynchronously, which cuda -arch=sm_75 cannot"
		case strings.HasPrefix(c.name, "tensor"):
			want = "multiplies tiles by mma.sync, which cuda -arch=sm_75 does not have"
		}
		if (err != nil) != (want != "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", c.name, err, want)
		}
	}
}
