package run

import (
	"fmt"
	"slices"
	"strings"

	"github.com/wmtune/wmtune/codegen/driver"
)

// Clocks are those of a GPU's multiprocessors that were seen while candidates were timed.
// Times of candidates that ran at different clocks do not compare.
type Clocks struct {
	Low, High int      // MHz; 0 if none could be read
	Held      []string // what held them below the most that the GPU has, sorted
}

// note adds a clock, if it could be read.
func (c *Clocks) note(seen driver.Clock) {
	if seen.MHz == 0 {
		return
	}
	if c.Low == 0 || seen.MHz < c.Low {
		c.Low = seen.MHz
	}
	c.High = max(c.High, seen.MHz)
	if at, known := slices.BinarySearch(c.Held, seen.Held); seen.Held != "" && !known {
		c.Held = slices.Insert(c.Held, at, seen.Held)
	}
}

// String returns "1695 to 1980 MHz, held by heat", or "".
func (c Clocks) String() string {
	if c.Low == 0 {
		return ""
	}
	text := fmt.Sprintf("%d MHz", c.High)
	if c.Low < c.High {
		text = fmt.Sprintf("%d to %s", c.Low, text)
	}
	if c.Held != nil {
		text += ", held by " + strings.Join(c.Held, "; ")
	}
	return text
}

// Clocks returns those that were seen so far; none, if candidates do not run on a GPU.
func (r *Runner) Clocks() Clocks {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.clocks
}
