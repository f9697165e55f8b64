package codegen

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"path"
	"strconv"
	"strings"
)

// FreeMemory returns how many bytes this process and its workers may still take: what the system has
// available, and no more than the control groups of the process leave.
func FreeMemory() (uint64, error) { return freeMemory(os.DirFS("/")) }

func freeMemory(root fs.FS) (uint64, error) {
	kilobytes, ok := field(root, "proc/meminfo", "MemAvailable:")
	if !ok {
		return 0, errors.New("codegen: /proc/meminfo does not say how much memory is available")
	}
	free := kilobytes * 1024
	for _, left := range groupLimits(root, "memory", memoryV1, memoryV2) {
		free = min(free, left)
	}
	return uint64(max(free, 0)), nil
}

// memoryV2 and memoryV1 return what a control group leaves: pages of files that were not used
// lately are given back before anything fails.
func memoryV2(root fs.FS, dir string) (float64, bool) {
	return leftOf(root, dir, "memory.max", "memory.current", "inactive_file")
}

func memoryV1(root fs.FS, dir string) (float64, bool) {
	return leftOf(root, dir, "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
}

func leftOf(root fs.FS, dir, limit, used, inactive string) (float64, bool) {
	most, ok := field(root, path.Join(dir, limit), "")
	if !ok { // also where it is "max"
		return 0, false
	}
	taken, ok := field(root, path.Join(dir, used), "")
	if !ok {
		return 0, false
	}
	files, _ := field(root, path.Join(dir, "memory.stat"), inactive)
	return most - taken + min(files, taken), true
}

// field returns the number that follows a name at the beginning of a line of a file, or is
// all there is if there is no name.
func field(root fs.FS, file, name string) (float64, bool) {
	text, err := fs.ReadFile(root, file)
	if err != nil {
		return 0, false
	}
	for line := range strings.SplitSeq(string(text), "\n") {
		words := strings.Fields(line)
		if name != "" {
			if len(words) < 2 || words[0] != name {
				continue
			}
			words = words[1:]
		}
		if len(words) == 0 {
			return 0, false
		}
		n, err := strconv.ParseFloat(words[0], 64)
		return n, err == nil && n < math.MaxInt64
	}
	return 0, false
}
