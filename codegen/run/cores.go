package run

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// UsableCores returns the numbers of the processors that this process may use,
// in order.
func UsableCores() ([]int, error) {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		return nil, fmt.Errorf("run: usable processors: %w", err)
	}
	var list []int
	for i := 0; len(list) < set.Count(); i++ {
		if set.IsSet(i) {
			list = append(list, i)
		}
	}
	return list, nil
}
