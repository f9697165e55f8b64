package codegen

import (
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"
)

// A Cache is one level of the memory hierarchy of a processor.
type Cache struct {
	Level     int
	Type      string // "Data", "Instruction" or "Unified"
	Bytes     int64
	LineBytes int
	Shared    int // processors that share it
}

// Caches returns the caches of processor 0 as the system under root, usually
// os.DirFS("/"), describes them; none if it does not.
func Caches(root fs.FS) []Cache {
	var list []Cache
	for i := 0; ; i++ {
		dir := fmt.Sprintf("sys/devices/system/cpu/cpu0/cache/index%d", i)
		read := func(name string) string {
			text, err := fs.ReadFile(root, path.Join(dir, name))
			if err != nil {
				return ""
			}
			return strings.TrimSpace(string(text))
		}
		level, err := strconv.Atoi(read("level"))
		if err != nil {
			return list
		}
		line, _ := strconv.Atoi(read("coherency_line_size"))
		list = append(list, Cache{
			Level: level, Type: read("type"), Bytes: sizeText(read("size")), LineBytes: line,
			Shared: countCPUs(read("shared_cpu_list")),
		})
	}
}

// sizeText reads "32K" or "16M".
func sizeText(s string) int64 {
	unit := int64(1)
	switch {
	case strings.HasSuffix(s, "K"):
		unit = 1 << 10
	case strings.HasSuffix(s, "M"):
		unit = 1 << 20
	}
	n, err := strconv.ParseInt(strings.TrimRight(s, "KM"), 10, 64)
	if err != nil {
		return 0
	}
	return n * unit
}

// countCPUs counts a list such as "0-3,8".
func countCPUs(s string) int {
	n := 0
	for part := range strings.SplitSeq(s, ",") {
		from, to, isRange := strings.Cut(part, "-")
		a, err := strconv.Atoi(from)
		if err != nil {
			continue
		}
		b := a
		if isRange {
			if b, err = strconv.Atoi(to); err != nil {
				continue
			}
		}
		n += b - a + 1
	}
	return n
}

// FormatBytes prints a size in the largest unit that fits: MiB if it is a multiple, else KiB or B.
func FormatBytes(n int64) string {
	switch {
	case n >= 1<<20 && n%(1<<20) == 0:
		return fmt.Sprintf("%d MiB", n>>20)
	case n >= 1<<10:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d B", n)
}
