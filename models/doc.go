// Package models opens trained models of the world and scores candidates with them.
//
// A model is a folder. Its manifest, model.json, says for which kind of target it is,
// which parts it has, and the SHA-256 of every file, so that what is missing, swapped
// or cut short is refused with a sentence instead of ranking badly. The parts are the
// encoder (tokenizer.json, encoder.onnx), the transition (transition.onnx) and the
// ranker (ranker.*); a model without the first two ranks by features of the steps
// alone, which is also what a model falls back to for a task that is unlike all that
// it was trained on (ood.go).
//
// The default models are embedded in the program: Default. docs/world-model.md says how
// they were trained and what they are worth.
//
// The package must not know how candidates come about or what becomes of their order.
package models
