// Package driver is NVIDIA's driver as far as a tuner needs it: which GPUs there are,
// how fast one runs, memory on one, kernels of a compiled module, launches and graphs
// of launches, and events that time them. Its library is loaded without cgo when it is
// asked for, so programs that import the package run where there is none.
//
// An error of a call is an *Error with the driver's name for it. A kernel runs
// beside the program that launched it: what it does wrong is the error of a later
// call, of Synchronize at the latest. Most such errors poison the context
// (Error.Poisons): every later call fails in the same way, in this process for good.
//
// The package must not know how kernels came about, what GPUs can do, or what a
// failure says of a candidate: it passes calls on.
package driver
