// Package split decides which part of a dataset a task is in: what may be learned
// from, what chooses among models, and what is looked at once. The rules are
// committed (splits/v3.json), so that all that is learned and all that it is
// compared with keep to one of them.
//
// The unit is never a record or a program, since records of one task share most
// of what is in them. It is the family (a DAG up to its batch), the DAG (up to all
// shapes), or the target.
//
// The package must not know records.
package split
