package nvrtc

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// An Access is one kind of instruction that moves data in a kernel's PTX.
type Access struct {
	Kernel string
	Op     string // "ld", "st" or "cp", which is an asynchronous copy from global to shared memory
	Space  string // "global", "shared" or "local"; of a copy "global"
	Bytes  int    // that a thread moves at once
	Count  int    // of instructions in the text, each counted once whatever loop it is in
}

var (
	entryPTX = regexp.MustCompile(`^\s*(?:\.visible\s+)?\.entry\s+([A-Za-z0-9_$]+)`)
	movePTX  = regexp.MustCompile(`^\s*(?:@!?%p\d+\s+)?(ld|st)(?:\.volatile|\.relaxed)?\.(global|shared|local)` +
		`((?:\.[a-zA-Z0-9_:]+)*)\.[bufs](\d+)\s`)
	vecPTX  = regexp.MustCompile(`\.v(\d)\b`)
	copyPTX = regexp.MustCompile(`^\s*(?:@!?%p\d+\s+)?cp\.async\.c[ag]\.shared\.global.*\],\s*(\d+)`)
)

// Accesses counts what the kernels of a PTX text load and store (PTX ISA, "Data
// Movement and Conversion Instructions"), by kernel, instruction, memory and size.
func Accesses(ptx string) []Access {
	count := map[Access]int{}
	kernel := ""
	for line := range strings.SplitSeq(ptx, "\n") {
		if m := entryPTX.FindStringSubmatch(line); m != nil {
			kernel = m[1]
		} else if m := movePTX.FindStringSubmatch(line); m != nil {
			lanes := 1
			if v := vecPTX.FindStringSubmatch(m[3]); v != nil {
				lanes, _ = strconv.Atoi(v[1])
			}
			bits, _ := strconv.Atoi(m[4])
			count[Access{Kernel: kernel, Op: m[1], Space: m[2], Bytes: lanes * bits / 8}]++
		} else if m := copyPTX.FindStringSubmatch(line); m != nil {
			bytes, _ := strconv.Atoi(m[1])
			count[Access{Kernel: kernel, Op: "cp", Space: "global", Bytes: bytes}]++
		}
	}
	var list []Access
	for a, n := range count {
		a.Count = n
		list = append(list, a)
	}
	slices.SortFunc(list, func(a, b Access) int {
		return cmp.Or(cmp.Compare(a.Kernel, b.Kernel), cmp.Compare(a.Space, b.Space), cmp.Compare(a.Op, b.Op),
			cmp.Compare(b.Bytes, a.Bytes))
	})
	return list
}
