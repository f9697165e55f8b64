// Package graph holds whole models: values, nodes and initializers, as an ONNX file has them, with a printer, a
// checker, numbers for values (Tensor) and the reference evaluator, which computes a graph node by node in float64.
//
// A graph is edited in place by the passes of graph/pass; Clone it first where the old one is still needed. Values
// and nodes are known by their address.
//
// The package must not know operators (graph/op), files (graph/onnx), schedules or code.
package graph
