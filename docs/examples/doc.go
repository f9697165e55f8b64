// Package examples shows how another Go program uses wmtune as a library. Its files are tests that run, one file a
// use: scorer_test.go tunes with a Scorer of one's own, log_test.go reads a tuning log, score_test.go has states scored
// by a trained model, model_test.go compiles a model. docs/manual/api.md describes what they use.
//
// It must not hold anything that another package would want to call.
package examples
