package database

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/tir/target"
)

// Misses counts the records of a workload that Records does not return, by the reason, which reads as the end of a
// sentence such as "12 records were made on another processor (znver3, 8 cores)".
func (d *Database) Misses(workload string, t target.Target, l target.Layout) map[string]int {
	if d == nil {
		return nil
	}
	names, err := fs.Glob(os.DirFS(d.dir), logPrefix+workloadKey(workload)+"*"+logEnding)
	if err != nil {
		return nil
	}
	misses := map[string]int{}
	for _, name := range names {
		path := filepath.Join(d.dir, name)
		if path == d.Log(workload, t, l) {
			continue
		}
		list, _, err := dataset.ReadLog(path)
		if err != nil {
			misses["are in logs that this wmtune cannot read"]++ // one at the least
		}
		for i := range list {
			if list[i].Workload == workload && list[i].Timed() {
				misses[d.why(&list[i], path, t, l)]++
			}
		}
	}
	return misses
}

// why says how a record, of the log at a path, differs from what is looked for.
func (d *Database) why(r *dataset.Record, path string, t target.Target, l target.Layout) string {
	switch {
	case r.Target.CPU != t.CPU || r.Target.Arch != t.Arch || r.Target.Kind != t.Kind:
		return fmt.Sprintf("were made on another processor (%s)", machineName(r.Target))
	case r.Target.Hardware.Cores != t.Hardware.Cores:
		return fmt.Sprintf("were made with %d cores, not %d", r.Target.Hardware.Cores, t.Hardware.Cores)
	case r.Target.String() != t.String():
		return fmt.Sprintf("were made with other vector instructions (%s)", r.Target)
	case r.Timing != d.timing:
		return fmt.Sprintf("were timed %s, not %s", r.Timing, d.timing)
	case r.Layout != l:
		return fmt.Sprintf("were made with the weight layout %s, not %s", r.Layout, l)
	case path == d.Log(r.Workload, otherwise(t), l):
		return "were made with tile registers where there are none now, or the other way round"
	}
	return "were written by another version of wmtune"
}

func machineName(t target.Target) string {
	if t.Arch != "" {
		return t.Arch
	}
	return fmt.Sprintf("%s, %d cores", t.CPU, t.Hardware.Cores)
}
