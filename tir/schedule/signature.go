package schedule

import (
	"crypto/sha256"
	"encoding/binary"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
)

// Signature returns a hash of the DAG and the loop structure, extent-1 loops included:
// states with equal signatures lower to equal programs, up to names. It does not
// depend on whether bounds were inferred, on the order of the steps, or on the
// order in which stages were attached.
func (s *State) Signature() [16]byte {
	h := naive(s.Current).Hash()
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

// naive writes a DAG as loops, which serve for hashing only: a reduction shows
// as its source, its combiner and its identity in turn.
func naive(d *compute.DAG) *tir.Func {
	var body []tir.Stmt
	for _, op := range d.Ops {
		if op.IsPlaceholder() {
			continue
		}
		at := axisVars(op.Axes)
		var stores []tir.Stmt
		store := func(values []tir.Expr) {
			for k, v := range values {
				stores = append(stores, &tir.Store{Buffer: op.Results[k], Index: at, Value: v})
			}
		}
		store(op.Body)
		if op.Combine != nil {
			store(op.Combine.Result)
			store(op.Combine.Identity)
		}
		var nest tir.Stmt = &tir.Seq{Stmts: stores}
		for k := len(op.Axes) + len(op.ReduceAxes) - 1; k >= 0; k-- {
			a := axisOf(op, k)
			nest = &tir.For{Var: a.Var, Extent: tir.Int(a.Extent), Body: nest}
		}
		body = append(body, &tir.Block{Name: op.Name, Body: nest})
	}
	return &tir.Func{Params: d.Tensors, Outputs: d.Outputs, Body: &tir.Seq{Stmts: body}}
}
