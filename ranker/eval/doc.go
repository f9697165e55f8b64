// Package eval judges scorers offline, on candidates that were measured before:
// it splits tasks into folds, trains each scorer of a table on one side, and
// compares its order of the other side with what was measured (ranker/metric).
//
// Where the candidates come from it must not know: a tuning log, a public log and
// a dataset all become Tasks. Nor does it search or measure anything.
package eval
