package trajectory

import (
	"cmp"
	"fmt"
	"slices"
)

// Merge joins the shards of a dataset, in any order, into the dataset that one run
// would have made, in dir. It is an error if a shard is missing or comes twice, or
// if they were not made from the same logs in the same way.
func Merge(shards []string, dir string) (Meta, error) {
	type shard struct {
		dir  string
		meta Meta
	}
	var list []shard
	for _, path := range shards {
		s, err := Open(path)
		if err != nil {
			return Meta{}, err
		}
		list = append(list, shard{path, s.Meta()})
		s.Close()
	}
	slices.SortStableFunc(list, func(a, b shard) int { return cmp.Compare(a.meta.Shard, b.meta.Shard) })
	if len(list) == 0 {
		return Meta{}, fmt.Errorf("dataset: no shards to merge")
	}
	first := list[0]
	var paths []string
	for i, s := range list {
		switch {
		case s.meta.like() != first.meta.like():
			return Meta{}, fmt.Errorf("dataset %s: it is no shard of what %s is one of: its logs, seed, splits or "+
				"version of wmtune are others",
				s.dir, first.dir)
		case s.meta.Shard != i:
			return Meta{}, fmt.Errorf("dataset %s: it is shard %d/%d, where shard %d is missing; name "+
				"each of the %d shards once",
				s.dir, s.meta.Shard, s.meta.Shards, i, first.meta.Shards)
		}
		paths = append(paths, s.dir)
	}
	if len(list) != first.meta.Shards {
		return Meta{}, fmt.Errorf("dataset: %d of %d shards are named: shard %d is missing", len(list),
			first.meta.Shards, len(list))
	}
	m := first.meta
	m.Shard, m.Shards = 0, 1
	return complete(dir, m, nil, func() ([]string, error) { return paths, nil })
}

// like returns what shards of one dataset have in common.
func (m Meta) like() string {
	m.Shard, m.Tasks, m.Trajectories, m.States, m.Actions = 0, 0, 0, 0, 0
	return fmt.Sprint(m)
}
