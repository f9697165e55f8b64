package worker

import (
	"testing"
	"time"
)

// TestOnFault: each signal gets the action, and the one that was there comes back.
func TestOnFault(t *testing.T) {
	actions := func() []FaultAction {
		list := make([]FaultAction, len(faults))
		for i, sig := range faults {
			if err := sigaction(sig, nil, &list[i]); err != nil {
				t.Fatal(err)
			}
		}
		return list
	}
	before := actions()
	restore, err := OnFault(FaultAction{})
	if err != nil {
		t.Fatal(err)
	}
	during := actions()
	restore()
	after := actions()
	for i, sig := range faults {
		if before[i].Handler == 0 || during[i].Handler != 0 || after[i] != before[i] {
			t.Errorf("%v: %+v, %+v, %+v", sig, before[i], during[i], after[i])
		}
	}
}

// TestMonotonic: the clock runs, in nanoseconds.
func TestMonotonic(t *testing.T) {
	begin, start := time.Now(), Monotonic()
	time.Sleep(10 * time.Millisecond)
	took := Monotonic() - start
	if took < 10e6 || took > time.Since(begin).Nanoseconds() {
		t.Errorf("%d ns of 10 ms", took)
	}
}
