// Package codegen knows the machine at hand as a target: its features, cores and
// caches. The emitters and what compiles and runs their text are its
// subpackages.
//
// It must not know of search.
package codegen
