// Package tir is TensorIR, the program form between a schedule and the code
// emitters: scalar expressions, buffers, loops, blocks and functions, with a
// printer, a structural hash and a checker.
//
// Everything here is an immutable value that prints. A transformation returns a
// new tree and shares what it did not change.
//
// The package must not know where programs come from (compute DAGs, schedules),
// how they are transformed (tir/lower) or what they are emitted as (codegen).
package tir
