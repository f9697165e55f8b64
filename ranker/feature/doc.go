// Package feature computes AutoScheduler's 164 features of a state: one row for
// each buffer that its program stores to. They are those of TVM
// (src/auto_scheduler/feature.cc), its oddities included, so that what is known
// of them and what was trained on them holds here; docs/features.md says how far.
//
// The features are about the loops that TVM would make of the state, before any
// pass of a compiler: Outline writes them down, without guards, as a Program.
// What Rows computes of a Program is generic over the numbers in it, for extents
// and coefficients that carry derivatives by tile sizes.
//
// The package must not know what the features are for, and nothing of how we
// lower: a pass that is added to tir/lower changes no feature.
package feature
