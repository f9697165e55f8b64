package run

import (
	"testing"

	"github.com/wmtune/wmtune/codegen/driver"
)

func TestClocks(t *testing.T) {
	var c Clocks
	for _, step := range []struct {
		mhz  int
		held string
		want string
	}{
		{0, "", ""}, // could not be read
		{1500, "", "1500 MHz"},
		{1800, "", "1500 to 1800 MHz"},
		{1600, "heat", "1500 to 1800 MHz, held by heat"},
		{1600, "", "1500 to 1800 MHz, held by heat"},
		{0, "", "1500 to 1800 MHz, held by heat"},
		{1200, "a", "1200 to 1800 MHz, held by a; heat"},
		{1200, "heat", "1200 to 1800 MHz, held by a; heat"},
	} {
		if c.note(driver.Clock{MHz: step.mhz, Held: step.held}); c.String() != step.want {
			t.Errorf("after %+v: %q", step, c)
		}
	}
}
