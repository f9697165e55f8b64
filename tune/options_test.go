package tune

import (
	"errors"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/tir/target"
)

// TestName: a name that the exported function cannot have is bad usage, before anything is measured.
func TestName(t *testing.T) {
	for name, says := range map[string]string{
		"": "", "fast": "", "1a": "use letters", "float": "word of C", "main": "word of C", "exp": "C library",
	} {
		_, err := Options{Name: name}.withDefaults(target.LLVM)
		var bad *OptionError
		if says == "" && err != nil || says != "" && (!errors.As(err, &bad) || !strings.Contains(err.Error(), says)) {
			t.Errorf("%q: %v, want %q", name, err, says)
		}
	}
}
