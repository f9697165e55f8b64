package replay

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestEvenSample(t *testing.T) {
	var tasks [][]place
	for i, n := range []int{100, 3, 50, 200} {
		var list []place
		for k := range n {
			list = append(list, place{fmt.Sprint("log", i), k})
		}
		tasks = append(tasks, list)
	}
	count := func(list []place) map[string]int {
		m := map[string]int{}
		for _, p := range list {
			m[p.log]++
		}
		return m
	}
	list := evenSample(tasks, 63, 1)
	if m := count(list); len(list) != 63 || m["log0"] != 20 || m["log1"] != 3 || m["log2"] != 20 || m["log3"] != 20 {
		t.Errorf("%d records: %v", len(list), m)
	}
	slices.SortFunc(list, func(a, b place) int {
		return strings.Compare(fmt.Sprintf("%s %03d", a.log, a.number), fmt.Sprintf("%s %03d", b.log, b.number))
	})
	if len(slices.Compact(slices.Clone(list))) != 63 {
		t.Error("a record was taken twice")
	}
	if slices.Equal(evenSample(tasks, 63, 1), evenSample(tasks, 63, 2)) {
		t.Error("another seed takes the same records")
	}
	if !slices.Equal(evenSample(tasks, 63, 1), evenSample(tasks, 63, 1)) {
		t.Error("one seed takes different records")
	}
	if n := len(evenSample(tasks, 2, 1)); n != 2 {
		t.Errorf("%d records of 4 tasks, want 2", n)
	}
}
