package nvrtc

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Usage is what a compiled kernel takes: of registers and local memory each
// thread, of shared memory each block.
type Usage struct {
	Kernel      string
	Registers   int // of 32 bits
	SharedBytes int
	StackBytes  int // of local memory, for arrays that are in no registers and for spills
	SpillStores int // bytes written to local memory for want of registers
	SpillLoads  int // bytes read back
}

// Spills reports whether values did not fit into registers.
func (u Usage) Spills() bool { return u.SpillStores > 0 || u.SpillLoads > 0 }

var (
	entryLine  = regexp.MustCompile(`Compiling entry function '([^']+)'`)
	nameLine   = regexp.MustCompile(`Function properties for (\S+)`)
	spillLine  = regexp.MustCompile(`(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads`)
	usedLine   = regexp.MustCompile(`Used (\d+) registers`)
	sharedPart = regexp.MustCompile(`(\d+)(?:\+\d+)? bytes smem`)
	chatter    = regexp.MustCompile(`^(ptxas info|ptxas +\.|\s*$)`)
)

// readLog takes what ptxas says of each kernel from a compiler's log, and returns
// it by name, and the rest. It is an error if a kernel has no figures. Those of
// functions that kernels call and that were not inlined, such as pow of doubles, are
// left out: ptxas writes them after a kernel's.
func readLog(log string) (kernels []Usage, rest string, err error) {
	var others []string
	of := "" // the function that stack and spills are said of
	for line := range strings.SplitSeq(log, "\n") {
		if m := entryLine.FindStringSubmatch(line); m != nil {
			kernels = append(kernels, Usage{Kernel: m[1], Registers: -1})
			continue
		}
		if m := nameLine.FindStringSubmatch(line); m != nil {
			of = m[1]
			continue
		}
		if len(kernels) > 0 {
			u := &kernels[len(kernels)-1]
			if m := spillLine.FindStringSubmatch(line); m != nil {
				if of == u.Kernel {
					u.StackBytes, u.SpillStores, u.SpillLoads = number(m[1]), number(m[2]), number(m[3])
				}
				continue
			}
			if m := usedLine.FindStringSubmatch(line); m != nil { // only kernels have such a line
				u.Registers = number(m[1])
				if s := sharedPart.FindStringSubmatch(line); s != nil {
					u.SharedBytes = number(s[1])
				}
				continue
			}
		}
		if !chatter.MatchString(line) {
			others = append(others, line)
		}
	}
	for _, u := range kernels {
		if u.Registers < 0 {
			return nil, "", fmt.Errorf("nvrtc: the compiler does not say what kernel %s takes: is it newer than "+
				"this wmtune? its log is:\n%s", u.Kernel, log)
		}
	}
	// ptxas has an order of its own.
	slices.SortFunc(kernels, func(a, b Usage) int { return strings.Compare(a.Kernel, b.Kernel) })
	return kernels, strings.Join(others, "\n"), nil
}

func number(digits string) int {
	n, err := strconv.Atoi(digits)
	if err != nil {
		return -1
	}
	return n
}
