// Package op is the operator library: matrix products, convolutions, pooling,
// reductions, norms and elementwise functions as compute DAGs, the notation in
// which users name them, and the named suites of workloads.
//
// One operator is one file and one row of the table in operators.go. A DAG is
// built from sizes alone; the names of its stages come from a style, so that
// the operators also rebuild the DAGs of public tuning logs (FromHash).
//
// It must not know of schedules, targets, search or code: only of what is to be
// computed.
package op
