package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/wmtune/wmtune/codegen"
)

// A byteSize is a number of bytes, for a flag: 8GB, 512MiB, 1.5G or 4000000000.
type byteSize uint64

// byteUnits are the units that a size may have, and their size in bytes.
var byteUnits = map[string]float64{
	"": 1, "B": 1,
	"K": 1e3, "KB": 1e3, "KIB": 1 << 10,
	"M": 1e6, "MB": 1e6, "MIB": 1 << 20,
	"G": 1e9, "GB": 1e9, "GIB": 1 << 30,
	"T": 1e12, "TB": 1e12, "TIB": 1 << 40,
}

// Set implements flag.Value.
func (s *byteSize) Set(text string) error {
	digits := strings.TrimRight(text, "BbKkMmGgTtIi ")
	unit, known := byteUnits[strings.ToUpper(strings.TrimSpace(text[len(digits):]))]
	n, err := strconv.ParseFloat(digits, 64)
	if err != nil || !known || !(n*unit >= 1) || n*unit > math.MaxInt64 {
		return fmt.Errorf("want a size such as 8GB or 512MiB")
	}
	*s = byteSize(n * unit)
	return nil
}

// String implements flag.Value.
func (s *byteSize) String() string {
	if s == nil || *s == 0 {
		return ""
	}
	return strconv.FormatUint(uint64(*s), 10)
}

// limit returns the size that was given, or three quarters of what is free; 0, no limit,
// where the system does not say how much that is.
func (s byteSize) limit() uint64 {
	if s > 0 {
		return uint64(s)
	}
	free, err := codegen.FreeMemory()
	if err != nil {
		return 0
	}
	return free / 4 * 3
}

// declareWorkloadMemory declares --memory of a verb that runs the programs of workloads.
func declareWorkloadMemory(fs *pflag.FlagSet, s *byteSize) {
	fs.Var(s, "memory", "memory limit of a workload, a `size` such as 8GB (default 3/4 of what is free)")
}

// declareMemory declares --memory of a verb that holds the records of its logs.
func declareMemory(fs *pflag.FlagSet) *byteSize {
	s := new(byteSize)
	fs.Var(s, "memory", "memory limit of the records, a `size` such as 8GB (default 3/4 of what is free)")
	return s
}

// Type implements pflag.Value.
func (s *byteSize) Type() string { return "size" }
