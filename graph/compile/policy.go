package compile

import (
	"context"

	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/search/template"
	"github.com/wmtune/wmtune/tir/target"
	"github.com/wmtune/wmtune/tune"
	"github.com/wmtune/wmtune/tune/costmodel"
)

// policyOf returns how candidates of a task are sought once some were measured: the default's way where the space of
// the policy has no template for it.
func (s *scheduler) policyOf(t *Task) tune.Policy {
	p := s.policy
	if p.Space != tune.TemplateSpace {
		p.Space = untiled
		return p
	}
	if _, _, err := template.Describe(t.DAG, target.LLVM); err != nil {
		p, _ = tune.FindPolicy(tune.Policies()[0])
		p.Space = untiled
	}
	return p
}

// scorerOf returns the scorer of a policy and its name. One of a policy's own is opened once, and learns from all
// tasks.
func (t *tuning) scorerOf(ctx context.Context, p tune.Policy) (search.Scorer, string, error) {
	if p.Scorer == "" {
		return t.scorer, t.name, nil
	}
	if t.own == nil {
		var err error
		if t.own, err = costmodel.Open(ctx, p.Scorer, costmodel.Options{Seed: t.seed, Kind: target.LLVM}); err != nil {
			return nil, "", err
		}
	}
	return t.own, p.Scorer, nil
}
