package driver

import (
	"testing"

	"github.com/ebitengine/purego"
)

// TestNoWords: a driver that has no words for any code, that of its refusal included.
func TestNoWords(t *testing.T) {
	refuse := purego.NewCallback(func(code, text uintptr) uintptr { return 4 })
	d := &Driver{cu: functions{GetErrorName: refuse, GetErrorString: refuse}}
	if err := d.failed("cuCall", 4); err.Error() != "driver: cuCall: code 4" {
		t.Errorf("got %v", err)
	}
}
