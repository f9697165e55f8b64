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
	bufferPragma = "double_buffer"
)

// UnrollPragma returns the text of a Pragma that lets loops be unrolled up to
// so many steps.
func UnrollPragma(steps int) string { return unrollPragma + "$" + strconv.Itoa(steps) }

// BufferPragma returns the text of a Pragma that has a copy in shared memory refilled so.
func BufferPragma(b Buffering) string { return bufferPragma + "$" + strconv.Itoa(int(b)) }

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
	if text, ok := strings.CutPrefix(s.Text, bufferPragma+"$"); ok {
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 || n > int(TwoBuffersByAsync) {
			return fmt.Errorf("pragma %q: the number is 0 to %d", s.Text, TwoBuffersByAsync)
		}
		b.stage(s.At).Buffering = Buffering(n)
		return nil
	}
	text, ok := strings.CutPrefix(s.Text, unrollPragma+"$")
	if !ok {
		return fmt.Errorf("unknown pragma %q: known are %s$N, %s$N and %s", s.Text, unrollPragma, bufferPragma, skipPragma)
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > math.MaxInt32 {
		return fmt.Errorf("pragma %q has no number of steps", s.Text)
	}
	b.stage(s.At).AutoUnroll = n
	return nil
}
