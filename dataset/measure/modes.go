package measure

import "context"

// A Running checks and times candidates that were built. Results align with inputs.
type Running func(context.Context, []Input, []BuildResult) ([]Result, error)

// A Streaming is a Running for inputs whose builds come in pieces, in their order. It checks those of a piece at once,
// and times all when there are no more: compilers slow no program that is timed. Results align with the builds that
// came.
type Streaming func(context.Context, []Input, <-chan []BuildResult) ([]Result, error)

// Modes are the ways in which a runner measures besides Run; nil is one that it does not have.
type Modes struct {
	Stream  Streaming
	InTurns Running // of a few candidates, which see the same disturbances, so that their order can be trusted
}
