package schedule

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

const (
	unrollPragma = "auto_unroll_max_step"
	skipPragma   = "debug_skip_region"
)

// UnrollPragma returns the text of a Pragma that lets loops be unrolled up to
// so many steps.
func UnrollPragma(steps int) string { return unrollPragma + "$" + strconv.Itoa(steps) }

func (s Pragma) apply(b *builder) error {
	st, err := b.computed(s.At)
	if err != nil {
		return err
	}
	if s.Text == skipPragma {
		if st.At == AtIter {
			return b.moveToRoot(s.At)
		}
		return nil
	}
	text, ok := strings.CutPrefix(s.Text, unrollPragma+"$")
	if !ok {
		return fmt.Errorf("unknown pragma %q: known are %s$N and %s", s.Text, unrollPragma, skipPragma)
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > math.MaxInt32 {
		return fmt.Errorf("pragma %q has no number of steps", s.Text)
	}
	b.stage(s.At).AutoUnroll = n
	return nil
}
