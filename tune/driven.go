package tune

import (
	"context"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/tir/schedule"
)

// Resume prepares a session whose rounds the caller asks for one by one: Resume, Round and Try stand in the place of
// Begin, Step and End. Budgets of the options do not count. No untuned loop nest is timed, and nothing is exported at
// the end: the log is what remains.
func (s *Session) Resume(ctx context.Context) error {
	s.Phase("computing the reference")
	if err := s.setTask(ctx); err != nil {
		return err
	}
	var err error
	s.search, err = s.tuner().Start(ctx, s.past)
	return err
}

// Round measures a round of up to n candidates and returns their records: none if no candidate is left. With an error,
// it returns those that are in the log.
func (s *Session) Round(ctx context.Context, n int) ([]dataset.Record, error) {
	return s.driven(func(r *search.Search) error {
		_, err := r.Round(ctx, n)
		return err
	})
}

// Try measures states as a round, whatever the scorer thinks of them.
func (s *Session) Try(ctx context.Context, states []*schedule.State) ([]dataset.Record, error) {
	return s.driven(func(r *search.Search) error { return r.Try(ctx, states) })
}

// Finals measures the best candidates of the log again, in turns, and returns them, the fastest first: none if the
// machine cannot, or with the error of ctx if it ends. Candidates with the steps defended take part, however slow they
// were. No round may follow. A candidate that fails this time is withdrawn in the log.
func (s *Session) Finals(ctx context.Context, defended ...string) ([]search.Finalist, error) {
	s.search.Defend(defended...)
	out, err := s.search.End(ctx, nil)
	return out.Finalists, err
}

func (s *Session) driven(round func(*search.Search) error) ([]dataset.Record, error) {
	s.last = nil
	err := round(s.search)
	return s.last, err
}
