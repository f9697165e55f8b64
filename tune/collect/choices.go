package collect

import (
	"context"
	"fmt"

	"github.com/wmtune/wmtune/search"
)

// choose collects, of one workload, what a closer look would choose from without measuring. Among its best candidates a
// scorer is wrong by its own choice: data that it did not choose does not show where.
func (s *session) choose(ctx context.Context, t *search.Tuner) error {
	t.Options.Evolution = search.Quick
	records, err := t.InTurns(ctx, s.PerTask)
	if err != nil {
		return err
	}
	if err := s.round(search.Round{Records: records}); err != nil {
		return err
	}
	if n := len(records); n < s.PerTask {
		s.result.Exhausted++
		s.end(fmt.Sprintf("search space exhausted after %d candidates", n))
		return nil
	}
	s.result.Complete++
	s.end("")
	return nil
}
