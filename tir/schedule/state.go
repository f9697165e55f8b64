// Package schedule holds states: a compute DAG together with the steps that
// transform its loop nests, and the loop structure that results. Steps, their
// numbering and their record form are those of TVM's AutoScheduler, so that
// public tuning logs replay here and ours replay there, but for the steps WG and PH, which are ours.
//
// It must not know which steps are worth taking (search), or how loops become
// programs (tir/lower).
package schedule

import (
	"crypto/sha256"
	"encoding/binary"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
)

// A State is a compute DAG, steps, and the loop structure after them. States
// are immutable: applying a step returns a new state that shares what did not
// change.
type State struct {
	DAG     *compute.DAG // as given; step replay starts from it
	Current *compute.DAG // with the stages that CHR, CHW, RF, WG and PH added; DAG if none did
	Stages  []*Stage     // one per op of Current, in its order
	Steps   []Step
	Attach  AttachMap

	Prepared []Prepared // inputs that a WG step replaced

	flow   *flow    // of Current, with what is inlined now; shared while neither changes
	bounds *Bounds  // of this state, if it came of them
	draft  *builder // changes this state in place; nil for all but drafts
}

// A Stage is the loop nest of one op.
type Stage struct {
	Op            *compute.Op
	Iters         []*Iterator // leaf loops, outermost first; nil for a placeholder
	At            Location
	AutoUnroll    int // auto_unroll_max_step; 0 if none
	StorageOffset int // of a SA step; only printed
	Aligns        []Align
	Buffering     Buffering
	loops         loopTree
}

// An Align pads the strides of a stage's buffer, as asked by a SA step: the
// stride of dimension Dim becomes the next number that is Offset modulo Factor.
type Align struct {
	Dim            int
	Factor, Offset int64
}

// A Buffering says how a copy in shared memory is refilled in the loop that it is
// computed in.
type Buffering uint8

// The ways of refilling a copy. With two buffers the next iteration's elements are
// fetched into one while this iteration's are used in the other.
const (
	OneBuffer         Buffering = iota
	TwoBuffers                  // by way of registers
	TwoBuffersByAsync           // by asynchronous stores where the target has them
)

// A Location says where a stage is computed.
type Location uint8

// The locations of a stage.
const (
	AtRoot Location = iota
	Inlined
	AtIter // inside a loop of another stage; see State.Attach
)

// An Iterator is one loop of a stage. Its identity inside a state is its
// position; names carry history for people and for Ansor's rules.
type Iterator struct {
	Name   string
	Min    tir.Expr // nil means 0; else the symbolic start, over loop variables of enclosing stages
	Extent int64    // Unknown until bound inference has run
	Kind   IterKind
	Ann    Annotation
}

// Unknown is the extent of an iterator before bound inference.
const Unknown = -1

// An IterKind says what a loop ranges over.
type IterKind uint8

// The kinds of iterators, numbered as in AutoScheduler.
const (
	Spatial IterKind = iota
	Reduction
	Mixed   // fused from both
	Special // virtual
)

// An Annotation says how a loop is carried out. The numbers are those of AN
// steps in logs.
type Annotation uint8

// The annotations, numbered as in AutoScheduler.
const (
	None Annotation = iota
	Unroll
	Vectorize
	Parallel
	VThread
	BlockX
	ThreadX
	BlockY
	ThreadY
	BlockZ
	ThreadZ
	Tensorize
)

// An IterKey names an iterator of a state.
type IterKey struct{ Stage, Iter int }

// Signature returns a hash of the DAG and the loop structure, extent-1 loops included:
// states with equal signatures lower to equal programs, up to names. It does not
// depend on whether bounds were inferred, on the order of the steps, or on the
// order in which stages were attached.
func (s *State) Signature() [16]byte {
	if s.bounds == nil {
		return s.signature()
	}
	s.bounds.signed.Do(func() { s.bounds.signature = s.signature() })
	return s.bounds.signature
}

func (s *State) signature() [16]byte {
	h := s.Current.ProgramHash()
	buf := append(make([]byte, 0, 1024), h[:]...)
	num := func(list ...int) {
		for _, v := range list {
			buf = binary.AppendVarint(buf, int64(v))
		}
	}
	for i, st := range s.Stages {
		num(int(st.At), st.AutoUnroll, len(st.Aligns), len(st.Iters), len(st.loops.rels))
		if at, ok := s.Attach.At(i); ok {
			num(at.Stage, at.Iter)
		}
		for _, a := range st.Aligns {
			num(a.Dim, int(a.Factor), int(a.Offset))
		}
		if st.Buffering != OneBuffer {
			num(-1, int(st.Buffering)) // of a state without it, the signature is what it always was
		}
		for k, it := range st.Iters {
			num(st.loops.leaves[k], int(it.Ann))
		}
		for _, r := range st.loops.rels {
			num(int(r.kind), r.parent, r.outer, r.inner, int(r.length))
			if r.nparts {
				num(1)
			}
		}
	}
	sum := sha256.Sum256(buf)
	return [16]byte(sum[:16])
}
