package collect

import (
	"context"
	"fmt"

	"github.com/wmtune/wmtune/search"
)

// choose measures, of one workload, some of the candidates that the scorer thinks best. Among these a scorer is wrong
// by its own choice: data that it did not choose does not show where.
func (s *session) choose(ctx context.Context, t *search.Tuner) error {
	t.Options.Propose = search.Evolve{Evolution: search.Quick}
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
