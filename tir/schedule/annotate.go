package schedule

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

var annotations = [...]string{
	None: "for", Unroll: "unroll", Vectorize: "vectorize", Parallel: "parallel", VThread: "vthread",
	BlockX: "blockIdx.x", ThreadX: "threadIdx.x", BlockY: "blockIdx.y", ThreadY: "threadIdx.y",
	BlockZ: "blockIdx.z", ThreadZ: "threadIdx.z", Tensorize: "tensorize",
}

// String returns the word that prints before a loop, such as "for" or
// "threadIdx.x".
func (a Annotation) String() string {
	if int(a) >= len(annotations) {
		return fmt.Sprintf("annotation(%d)", uint8(a))
	}
	return annotations[a]
}

// IsThread reports whether a binds a loop to GPU threads, virtual ones included.
func (a Annotation) IsThread() bool { return a >= VThread && a <= ThreadZ }

// IsBlock reports whether a binds a loop to the thread blocks of a GPU.
func (a Annotation) IsBlock() bool { return a == BlockX || a == BlockY || a == BlockZ }

func (s Annotate) apply(b *builder) error {
	st, it, err := b.iterator(s.At, s.Iter)
	if err != nil {
		return err
	}
	switch {
	case s.Ann > Tensorize:
		return fmt.Errorf("unknown annotation %d", s.Ann)
	case it.Ann != None:
		return fmt.Errorf("iterator %s of stage %s is annotated already: %s", it.Name, st.Op.Name, it.Ann)
	}
	if s.Ann == Tensorize {
		if err := st.tensorize(s.Iter); err != nil {
			return fmt.Errorf("tensorize: %w", err)
		}
	} else if it.Kind == Reduction || it.Kind == Mixed {
		switch s.Ann {
		case None, Unroll:
		case ThreadX, ThreadY, ThreadZ:
			if !st.Op.Combine.Neutral() {
				return fmt.Errorf("%s over iterator %s: %w", s.Ann, it.Name, countedAgain(st))
			}
		default:
			return fmt.Errorf("%s over iterator %s of stage %s, whose iterations share a reduction", s.Ann, it.Name, st.Op.Name)
		}
	}
	c := *it
	c.Ann = s.Ann
	b.setIter(s.At, s.Iter, &c)
	return nil
}

// setIter replaces one iterator.
func (b *builder) setIter(stage, iter int, it *Iterator) {
	st := b.stage(stage)
	iters := append([]*Iterator(nil), st.Iters...)
	iters[iter] = it
	st.Iters = iters
}

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

func (s StorageAlign) apply(b *builder) error {
	st, it, err := b.iterator(s.At, s.Iter)
	if err != nil {
		return err
	}
	dim := st.loops.leaves[s.Iter]
	switch {
	case dim >= len(st.Op.Axes):
		return fmt.Errorf("iterator %s is not a whole spatial axis of stage %s", it.Name, st.Op.Name)
	case s.Factor < 1 || s.Offset < 0 || s.Factor > math.MaxInt32 || s.Offset > math.MaxInt32:
		return fmt.Errorf("factor %d or offset %d is out of range", s.Factor, s.Offset)
	}
	st = b.stage(s.At)
	st.StorageOffset = int(s.Offset)
	st.Aligns = append(slices.Clip(st.Aligns), Align{Dim: dim, Factor: s.Factor, Offset: s.Offset})
	return nil
}
