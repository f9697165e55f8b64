// Package nest describes the loop nests of a state without lowering it: how often
// each statement runs, how far loops reach along the axes of tensors, what each
// level of a nest touches, and what its innermost tile reads.
//
// It must not know what a machine makes of it, nor what is learned from it.
package nest
