package dataset

import "fmt"

// A Warning says which part of a log was left out, and why. It is no error: the
// rest of the log was read.
type Warning struct {
	Path     string
	From, To int64 // the bytes left out
	What     string
}

func (w Warning) String() string {
	return fmt.Sprintf("log %s: bytes %d to %d: %s", w.Path, w.From, w.To, w.What)
}
