package compute

import (
	"slices"

	"github.com/wmtune/wmtune/tir"
)

// ProgramHash returns a hash of what the DAG computes, made on the first call: DAGs that differ
// in names only have the same.
func (d *DAG) ProgramHash() [16]byte {
	d.hashed.Do(func() { d.hash = naive(d).Hash() })
	return d.hash
}

// Derived returns what make makes of the DAG, made on the first call: the room in which
// tir/schedule keeps the state that all others start from.
func (d *DAG) Derived(make func() any) any {
	d.derive.Do(func() { d.derived = make() })
	return d.derived
}

// naive writes a DAG as loops, which serve for hashing only: a reduction shows
// as its source, its combiner and its identity in turn.
func naive(d *DAG) *tir.Func {
	var body []tir.Stmt
	for _, op := range d.Ops {
		if op.IsPlaceholder() {
			continue
		}
		at := make([]tir.Expr, len(op.Axes))
		for k, a := range op.Axes {
			at[k] = a.Var
		}
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
		for _, a := range slices.Backward(slices.Concat(op.Axes, op.ReduceAxes)) {
			nest = &tir.For{Var: a.Var, Extent: tir.Int(a.Extent), Body: nest}
		}
		body = append(body, &tir.Block{Name: op.Name, Body: nest})
	}
	return &tir.Func{Params: d.Tensors, Outputs: d.Outputs, Body: &tir.Seq{Stmts: body}}
}
