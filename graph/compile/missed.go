package compile

import (
	"fmt"
	"maps"
	"slices"

	"github.com/wmtune/wmtune/tir/target"
)

// missed says, once a reason, which records of tasks the record database has and this compilation does not use.
func (s *scheduler) missed(tasks []*Task) {
	count := map[string]int{}
	for _, t := range tasks {
		if t.Source == FromDatabase || t.Source == Tuned || !t.searches() {
			continue
		}
		for why, n := range s.db.Timed(s.timing(t)).Misses(t.Text, s.machine.Target(), target.Rewrite) {
			count[why] += n
		}
		past, _ := s.past(t) // recorded has said what the error is
		for i := range past {
			if past[i].Timed() {
				count["have schedules that this wmtune cannot apply"]++
			}
		}
	}
	for _, why := range slices.Sorted(maps.Keys(count)) {
		records := "records"
		if count[why] == 1 {
			records = "record"
		}
		s.tell.Say(fmt.Sprintf("%d %s of the record database %s: they are not used; --trials or --time measures here",
			count[why], records, why))
	}
}
