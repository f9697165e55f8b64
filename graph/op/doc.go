// Package op is the table of operators of whole models: a row for an operator and a range of versions. A row says which
// types and shapes an operator has (Infer), what it computes, in float64 (Eval: the reference), and how it becomes a
// program: a piece of a compute DAG (Body), other nodes (Decompose), or a TensorIR function written by hand (Opaque).
//
// A family of operators is a file with a table; tables lists them. Eval shares no code with Body, Decompose and Opaque,
// so that each is a witness against the other.
//
// The package must not know how nodes are grouped, scheduled or run.
package op
