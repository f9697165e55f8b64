// Package arith reasons about index expressions. It has two forms of them:
// Affine, a value that prints, with spans whose ends are symbolic, for the bounds
// of regions (tir/schedule); and the Simplifier, which knows ranges of variables
// and conditions that hold, for whole programs (tir/lower).
//
// It must not know of statements, schedules or targets, and must not change data
// arithmetic: only integers of type tir.Index, and conditions on them.
package arith
