package schedule

import "fmt"

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
