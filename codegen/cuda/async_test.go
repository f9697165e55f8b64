package cuda_test

import (
	"io"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/codegen/cuda"
)

// A GPU that cannot copy asynchronously is not given a program that does.
func TestEmitRefusesAsync(t *testing.T) {
	for _, c := range goldenPrograms(t) {
		err := cuda.Emit(io.Discard, c.fn, gpu)
		if async := strings.HasPrefix(c.name, "async"); (err != nil) != async || async && !strings.Contains(err.Error(), "copies asynchronously, which cuda -arch=sm_75 cannot") {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
