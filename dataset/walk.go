package dataset

import (
	"fmt"
	"io"
)

// A walker goes through the frames of a log that may be damaged, torn at its
// end, or growing. It never returns a frame whose seal does not fit.
type walker struct {
	path     string
	f        io.ReaderAt
	at       int64  // where the next frame begins
	number   uint32 // that it should have
	version  uint8  // of the schema
	warnings []Warning
}

// next returns the next whole frame of a file of size bytes, or io.EOF if there
// is none up to its end; then at stays where the last frame ended, and the file
// may have a torn frame behind it, or grow. What lies between two frames was
// damaged; it is skipped with a warning.
func (w *walker) next(size int64) (frame, error) {
	for {
		fr, err := readFrame(w.f, w.at, size)
		if err == errNoFrame {
			fr, err = findFrame(w.f, w.at+1, size)
		}
		switch {
		case err == errNoFrame:
			return frame{}, io.EOF
		case err != nil:
			return frame{}, fmt.Errorf("log %s: read at byte %d: %w", w.path, w.at, err)
		}
		joined := fr.number == 0 && fr.at > 0 // the schema of another log
		if fr.at > w.at {
			w.warn(w.at, fr.at, fmt.Sprintf("damaged; %s dropped", rounds(w.number, fr.number)))
		} else if fr.number != w.number && !joined {
			w.warn(w.at, w.at, fmt.Sprintf("round %d follows round %d; the log was edited", fr.number, int64(w.number)-1))
		}
		if joined {
			if err := w.checkSchema(&fr); err != nil {
				return frame{}, err
			}
			w.warn(fr.at, fr.at, "another log was appended here; both are read ('wmtune dataset pack' makes one log of them)")
		}
		w.at, w.number = fr.end(), fr.number+1
		if !joined {
			return fr, nil
		}
	}
}

// torn warns of the bytes behind the last whole frame, if there are any.
func (w *walker) torn(size int64) {
	if size > w.at {
		w.warn(w.at, size, fmt.Sprintf("round %d is not whole: writing it was interrupted, or goes on; dropped", w.number))
	}
}

func (w *walker) warn(from, to int64, what string) {
	w.warnings = append(w.warnings, Warning{Path: w.path, From: from, To: to, What: what})
}

// rounds names the frames from number from up to and without number to.
func rounds(from, to uint32) string {
	switch {
	case to <= from:
		return "some rounds were"
	case to == 1:
		return "the schema was"
	case from == 0 && to == 2:
		return "the schema and round 1 were"
	case from == 0:
		return fmt.Sprintf("the schema and rounds 1 to %d were", to-1)
	case to == from+1:
		return fmt.Sprintf("round %d was", from)
	}
	return fmt.Sprintf("rounds %d to %d were", from, to-1)
}
