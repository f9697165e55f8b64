// Package survey counts what is in tuning logs and datasets: tasks, targets, kinds
// of steps, labels, noise, failures, and how much of it is the same.
//
// The package must not know where records come from, nor how a survey is shown.
package survey
