// Package trajectory holds the training data of the world model: for each record
// of a tuning log the programs that its steps lead through, the steps as actions,
// and what the last program costs.
//
// A dataset is a folder of Arrow IPC files, compressed with zstd, that any reader
// of Arrow opens:
//
//	states.arrow        distinct programs: ID and text (package tir/compact)
//	actions.arrow       distinct actions: kind, text and vector
//	tasks.arrow         what is computed, on which target, and which part of each split it is in
//	trajectories.arrow  one row a record: rows of states and actions, costs, labels
//	meta.arrow          one row: inputs with their hashes, versions, counts
//	SHA256SUMS          of these files; written last, so a folder without it is not whole
//
// docs/manual/dataset.md explains the columns. Rows of a table refer to rows of another by
// number, from 0. Everything is in the order of tasks, and those in the order of
// their workload keys, so the bytes depend on the inputs only.
//
// The package must not know how actions become vectors (transition), nor what is
// learned from them; who builds a dataset passes that in.
package trajectory
