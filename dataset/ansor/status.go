package ansor

import (
	"fmt"

	"github.com/wmtune/wmtune/dataset/measure"
)

// failedCost is the cost of a failure, in seconds (upstream: MAX_FLOAT of
// python/tvm/auto_scheduler/measure.py).
const failedCost = 1e10

// The numbers of errors that are named here, and the last one.
const (
	errorUnknown = 8
	maxErrorNo   = errorUnknown
)

// errorNumbers are AutoScheduler's numbers of errors (upstream: MeasureErrorNo of
// include/tvm/auto_scheduler/measure.h) with the statuses that they become.
var errorNumbers = [maxErrorNo + 1]struct {
	status measure.Status
	what   string
}{
	{measure.OK, ""},
	{measure.LowerError, "the steps could not be applied"},
	{measure.BuildError, "the compiler refused the program"},
	{measure.LoadError, "the device refused the program"},
	{measure.Crash, "the program failed while it ran"},
	{measure.WrongAnswer, "the results were wrong"},
	{measure.BuildTimeout, "the compiler did not finish"},
	{measure.RunTimeout, "the program did not finish"},
	{measure.Unmeasured, "nobody knows why"},
}

// StatusOf returns the status and message of a result, of AutoScheduler or of AutoTVM, which numbers errors alike. A
// result without an error whose costs are no times is not measured, nor is one with a number that is none of theirs.
func StatusOf(tool string, errorNo int64, costs []float64) (measure.Status, string) {
	if errorNo < 0 || errorNo > maxErrorNo {
		errorNo = errorUnknown
	}
	e := errorNumbers[errorNo]
	if errorNo != 0 {
		return e.status, fmt.Sprintf("%s's error no. %d: %s", tool, errorNo, e.what)
	}
	if len(costs) == 0 {
		return measure.Unmeasured, tool + " says no error, and no cost"
	}
	for _, c := range costs {
		if !measure.IsTime(c) {
			return measure.Unmeasured, fmt.Sprintf("%s says no error, and a cost of %g seconds", tool, c)
		}
	}
	return measure.OK, ""
}

// errorOf is the reverse of StatusOf for records that wmtune measured.
func errorOf(s measure.Status) int64 {
	switch s {
	case measure.BuildCrash:
		s = measure.BuildError
	case measure.OutOfMemory:
		s = measure.Crash
	}
	for no, e := range errorNumbers {
		if e.status == s {
			return int64(no)
		}
	}
	return errorUnknown
}
