package codegen

import (
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// usableCores returns how many processors the process may keep busy: those it
// may be scheduled on, and no more than its control groups grant time for.
func usableCores(root fs.FS, affinity int) int {
	n := affinity
	for _, q := range quotas(root) {
		n = min(n, max(1, int(q)))
	}
	return max(1, n)
}

// quotas returns the limits on processor time, in processors, of the control
// groups of the process and of those around them.
func quotas(root fs.FS) []float64 { return groupLimits(root, "cpu", quotaV1, quotaV2) }

// groupLimits returns what a function reads in the folders of the control groups of the process, and of those
// around them; in both versions of the interface. A group without a limit has none.
func groupLimits(root fs.FS, controller string, v1, v2 func(fs.FS, string) (float64, bool)) []float64 {
	text, err := fs.ReadFile(root, "proc/self/cgroup")
	if err != nil {
		return nil
	}
	var list []float64
	for line := range strings.SplitSeq(string(text), "\n") {
		parts := strings.SplitN(line, ":", 3) // number, controllers, path
		if len(parts) < 3 {
			continue
		}
		switch {
		case parts[1] == "":
			list = append(list, inGroup(root, []string{"sys/fs/cgroup", "sys/fs/cgroup/unified"}, parts[2], v2)...)
		case slices.Contains(strings.Split(parts[1], ","), controller):
			mounts := []string{"sys/fs/cgroup/" + controller, "sys/fs/cgroup/cpu,cpuacct", "sys/fs/cgroup/" + parts[1]}
			list = append(list, inGroup(root, mounts, parts[2], v1)...)
		}
	}
	return list
}

// inGroup walks from a group up to the mount point. In a container the
// path may be that of the host, where only the mount point itself is seen.
func inGroup(root fs.FS, mounts []string, group string, read func(fs.FS, string) (float64, bool)) []float64 {
	var list []float64
	for _, mount := range mounts {
		for dir := path.Clean("/" + group); ; dir = path.Dir(dir) {
			if q, ok := read(root, path.Join(mount, dir)); ok {
				list = append(list, q)
			}
			if dir == "/" {
				break
			}
		}
	}
	return list
}

// quotaV2 reads "cpu.max": "max 100000", or the microseconds granted in each
// period of so many.
func quotaV2(root fs.FS, dir string) (float64, bool) {
	text, err := fs.ReadFile(root, path.Join(dir, "cpu.max"))
	fields := strings.Fields(string(text))
	if err != nil || len(fields) != 2 {
		return 0, false
	}
	return ratio(fields[0], fields[1])
}

// quotaV1 reads the same from two files; -1 is no limit.
func quotaV1(root fs.FS, dir string) (float64, bool) {
	quota, err := fs.ReadFile(root, path.Join(dir, "cpu.cfs_quota_us"))
	if err != nil {
		return 0, false
	}
	period, err := fs.ReadFile(root, path.Join(dir, "cpu.cfs_period_us"))
	if err != nil {
		return 0, false
	}
	return ratio(strings.TrimSpace(string(quota)), strings.TrimSpace(string(period)))
}

func ratio(quota, period string) (float64, bool) {
	q, err := strconv.ParseFloat(quota, 64)
	if err != nil || q <= 0 {
		return 0, false
	}
	p, err := strconv.ParseFloat(period, 64)
	if err != nil || p <= 0 {
		return 0, false
	}
	return q / p, true
}
