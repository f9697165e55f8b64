// Package tirtest makes random compute DAGs, step lists and tensors for tests:
// of lowering against the interpreter, of emitters against both. Everything is
// drawn from the generator that the caller passes, so a seed names a test case.
//
// It must not be imported by anything but tests.
package tirtest
