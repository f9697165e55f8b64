// Package metric says how good a ranking of measured candidates is.
//
// All functions are about the n candidates of one task: s holds their scores
// (higher is better, -Inf is possible) and y their quality, the best cost of the
// task over their own: 1 for the fastest, 0 for what failed. Candidates of equal
// score are taken in their order. A figure for several tasks is the unweighted
// mean of the tasks' figures.
//
// The package must not know where scores or measurements come from.
package metric
