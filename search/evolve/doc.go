// Package evolve improves a population of states by mutation and selection, as
// AutoScheduler's evolutionary search does
// (src/auto_scheduler/search_policy/sketch_policy.cc), without its traps:
// selection goes by rank, so scores may have any scale and sign; a state that
// cannot be scored is never selected; and mutation that fails gives up after a
// few tries instead of trying for ever.
//
// To add a mutator, write a file with its function and add a row with its weight
// to a target's table in mutators.go.
//
// The package must not know what scores mean or where they come from.
package evolve
