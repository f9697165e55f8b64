// Package codegen knows the machine at hand as a target, and which emitter
// writes code for a target. The emitters and what compiles and runs their text
// are its subpackages.
//
// It must not know of search.
package codegen
