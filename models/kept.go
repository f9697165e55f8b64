package models

import (
	"sync"

	"github.com/wmtune/wmtune/tir/schedule"
)

// kept holds the rows of the states of the last call. An evolution scores its best states again with each generation,
// and passes some on as they are: one in five of a generation, or half of a small one.
type kept struct {
	mu   sync.Mutex
	rows map[*schedule.State]row
}

// get returns the rows of states, and the indices of those that it has not.
func (k *kept) get(states []*schedule.State) (rows []row, missing []int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	rows = make([]row, len(states))
	for i, s := range states {
		r, ok := k.rows[s]
		if !ok {
			missing = append(missing, i)
		}
		rows[i] = r
	}
	return rows, missing
}

// set replaces what is kept.
func (k *kept) set(states []*schedule.State, rows []row) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.rows = make(map[*schedule.State]row, len(states))
	for i, s := range states {
		k.rows[s] = rows[i]
	}
}
