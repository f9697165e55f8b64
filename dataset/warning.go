package dataset

import "fmt"

// A Warning says which part of a log was left out, and why. It is not an error: the
// reader reads the rest of the log.
type Warning struct {
	Path     string
	From, To int64 // the bytes left out; both 0 if the warning is about records
	What     string
}

func (w Warning) String() string {
	if w.To == 0 {
		return fmt.Sprintf("log %s: %s", w.Path, w.What)
	}
	return fmt.Sprintf("log %s: bytes %d to %d: %s", w.Path, w.From, w.To, w.What)
}
