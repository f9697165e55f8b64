// Package compile makes a library of a whole model: it runs the passes, divides the graph into groups, schedules each
// kernel, plans memory, packs weights, emits a bundle, and verifies it against the reference evaluator of the original
// graph before it is put in place.
//
// It must not know of flags, terminals or the environment.
package compile
