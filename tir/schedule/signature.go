package schedule

import (
	"crypto/sha256"
	"encoding/binary"
)

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
