// Package encoder turns the text of a program (package tir/compact) into a vector
// of 128 numbers: tokens, windows of tokens through a small transformer, their mean,
// a head, length 1. It is trained by contrast (Chen et al. 2020): a program and a
// rewriting of it that means the same are near each other, other programs of the
// same task and of other tasks are far, and twelve facts of the program can be read
// off the vector. A search encodes the first program of each task, once.
//
// The package must not know actions (transition), nor how vectors are scored.
package encoder
