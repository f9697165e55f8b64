package database

import (
	"slices"
	"strings"

	"github.com/wmtune/wmtune/tir/target"
)

// granted are features that a processor has or not by what the system lets it, or that its name does not say, of
// instructions that multiply numbers of 8 and 16 bits. A target's text does not have them.
var granted = []string{"amx-bf16", "amx-int8", "avx512fp16"}

// Machine returns what records and choices of a workload depend on of a target: its text, and of a workload with
// numbers of 8 or 16 bits the granted features. Times that were measured with tile registers say nothing of code
// without them, which is what the same schedules become where Linux refuses the registers.
func Machine(workload string, t target.Target) string {
	text := t.String()
	narrow := slices.ContainsFunc([]string{"int8", "float16", "=i8", "=u8", "=bf16", "=f16"}, func(name string) bool {
		return strings.Contains(workload, name) // of a DAG, or of a workload by name
	})
	for _, f := range granted {
		if narrow && t.Has(f) {
			text += " +" + f
		}
	}
	return text
}

// otherwise returns t with tile registers, if it has none, or without.
func otherwise(t target.Target) target.Target {
	isTile := func(f string) bool { return strings.HasPrefix(f, "amx-") }
	had := slices.ContainsFunc(t.Features, isTile)
	t.Features = slices.DeleteFunc(slices.Clone(t.Features), isTile)
	if !had {
		t.Features = append(t.Features, "amx-bf16", "amx-int8")
		slices.Sort(t.Features)
	}
	return t
}
