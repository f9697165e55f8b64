// Package onnx writes networks as ONNX files, and reads and runs such files.
//
// Writing: a Builder collects weights and nodes and encodes them (opset 17, IR 8).
// The bytes are written with protowire, field by field: the code that protoc would
// generate from onnx.proto is longer than this writer, and under its own name it
// panics at start beside the copy inside onnx-go, since both register onnx.* .
//
// Reading: the bytes are checked before anything is decoded (check.go), onnx-go
// decodes them into our backend (backend.go), and the program that results runs
// node by node (reference.go) or, where its patterns are known, as fused layers over
// nn/kernel (fuse.go). Both give the same numbers up to rounding.
//
// The package must not know what a network computes: names of weights and of inputs
// are the caller's.
package onnx
