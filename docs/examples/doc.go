// Package examples shows how another Go program uses wmtune as a library. Its files are
// tests that run, one file a use: score_test.go has states scored by a trained model,
// scorer_test.go plugs a scorer of one's own into the search, search_test.go searches on
// this machine.
//
// It must not hold anything that another package would want to call.
package examples
