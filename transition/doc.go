// Package transition is the part of the world model that knows actions: what a
// step does to a state, as numbers and as text, and what becomes of a state that
// only a network knows.
//
// An Action is a step resolved against the state that it is applied to: FSP and
// FFSP steps carry the lengths that they come to, iterators their extents, stages
// their roles. Its vector has Size numbers, most of them between 0 and 1; vector.go
// says which is which. 24 iterations are 2^3 times 3^1 there, so that a size never
// seen is made of known ones.
//
// A Model takes a latent state through actions (rollout.go has the formulas) and
// says how good the last one is. Train makes one of Data, by a Recipe; a Roller rolls
// the candidates of a search out.
//
// The package must not know how steps are chosen (search), how programs are
// lowered, or how values are mixed with other scores (ranker).
package transition
