package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/graph/compile"
)

// TuningTable shows which task of a model was given which trials, what came of them, and what they were given for.
func TuningTable(r *compile.Tuning) Table {
	t := Table{Head: []string{"task", "weight", "trials", "new", "us before", "us now", "faster", "of the model",
		"why (new trials)"}}
	policies := slices.ContainsFunc(r.Tasks, func(k compile.TaskTuning) bool { return k.Policy != "" })
	if policies {
		t.Head = append(t.Head, "policy")
	}
	tasks := slices.Clone(r.Tasks)
	slices.SortStableFunc(tasks, func(a, b compile.TaskTuning) int {
		return cmp.Compare(float64(b.Weight)*b.ToUS, float64(a.Weight)*a.ToUS)
	})
	for _, k := range tasks {
		t.Rows = append(t.Rows, []string{
			k.Name, fmt.Sprint(k.Weight), fmt.Sprint(k.Trials), fmt.Sprint(k.New), Micro(k.FromUS / 1e6), Micro(k.ToUS / 1e6),
			OrDash(k.ToUS > 0, fmt.Sprintf("%.2fx", k.FromUS/k.ToUS)),
			OrDash(k.ToUS > 0, share(float64(k.Weight)*k.ToUS/r.ToUS)), reasons(k.Why),
		})
		if last := len(t.Rows) - 1; policies {
			t.Rows[last] = append(t.Rows[last], OrDash(k.Policy != "", k.Policy))
		}
	}
	t.Rows = append(t.Rows, []string{"all, by weight", "", fmt.Sprint(r.Trials), fmt.Sprint(r.New), Micro(r.FromUS / 1e6),
		Micro(r.ToUS / 1e6), OrDash(r.ToUS > 0, fmt.Sprintf("%.2fx", r.FromUS/r.ToUS)), "", ""})
	if last := len(t.Rows) - 1; policies {
		t.Rows[last] = append(t.Rows[last], "")
	}
	t.Notes = []string{fmt.Sprintf("%d rounds in %.1f s; tuning ended: %s", r.Rounds, r.Seconds, r.Reason)}
	return t
}

// reasons lists what trials were given for, the most frequent reason first.
func reasons(why map[string]int) string {
	names := slices.SortedFunc(maps.Keys(why), func(a, b string) int {
		return cmp.Or(cmp.Compare(why[b], why[a]), strings.Compare(a, b))
	})
	for i, name := range names {
		names[i] = fmt.Sprintf("%s %d", name, why[name])
	}
	return strings.Join(names, ", ")
}

// sources are the sources of schedules in the order in which Sources lists them.
var sources = []struct {
	source compile.Source
	text   string
}{
	{compile.Tuned, "tuned"}, {compile.FromDatabase, "from the database"}, {compile.Scored, "the scorer's choice"},
	{compile.Untuned, "untuned"}, {compile.Plain, "too small to search"}, {compile.ByHand, "written by hand"},
}

// Sources counts the tasks of a bundle by where their schedules are from.
func Sources(r *compile.Result) string {
	count := map[compile.Source]int{}
	for _, k := range r.Kernels {
		count[k.Source]++
	}
	return sourceText(count)
}

// Schedules says where the schedules of a bundle are from: of each processor in a line, if that is not this machine's.
func Schedules(r *compile.Result) string {
	if len(r.Levels) == 0 {
		return "schedules: " + Sources(r)
	}
	var lines []string
	for _, l := range r.Levels {
		how := "verified under an emulator, not timed"
		if !l.Emulated {
			how = "verified on this machine, where one run takes " + dataset.FormatSeconds(l.LatencyUS/1e6)
		}
		lines = append(lines, fmt.Sprintf("%s: schedules: %s; %s", l.Name, sourceText(l.Sources), how))
	}
	return strings.Join(lines, "\n")
}

// OneRun says how long a run of a bundle takes, plan by plan; "" if its processors are others than this machine's,
// which have lines of their own.
func OneRun(r *compile.Result) string {
	switch {
	case len(r.Plans) > 0:
		return plansText(r)
	case r.Levels != nil:
		return ""
	case r.LatencyUS == 0: // wmtune runs under an emulator
		return "not timed; "
	}
	plain := ""
	if r.UntunedUS != nil {
		plain = fmt.Sprintf(" (%s with plain schedules)", dataset.FormatSeconds(*r.UntunedUS/1e6))
	}
	return fmt.Sprintf("one run: %s%s; ", dataset.FormatSeconds(r.LatencyUS/1e6), plain)
}

// plansText is a table of the plans of a bundle, and the beginning of a line on what all of them share.
func plansText(r *compile.Result) string {
	t := Table{Head: []string{"plan", "one run", "memory", "calls", "kernels", "of other plans, too"}}
	for i, p := range r.Plans {
		own, shared := 0, 0
		for _, k := range r.Kernels {
			if slices.Contains(k.Plans, i) {
				own, shared = own+1, shared+min(len(k.Plans)-1, 1)
			}
		}
		t.Rows = append(t.Rows, []string{r.Serves(i), dataset.FormatSeconds(p.LatencyUS / 1e6), Size(p.Arena),
			fmt.Sprint(p.Calls), fmt.Sprint(own), fmt.Sprint(shared)})
	}
	var b strings.Builder
	t.Print(&b)
	for _, s := range r.Sums {
		if s.IsNamed() {
			fmt.Fprintf(&b, "%s: %s\n", OneLine(s.Name), OneLine(s.Text()))
		}
	}
	return b.String() + "all plans: "
}

// sourceText counts tasks by the sources of their schedules.
func sourceText(count map[compile.Source]int) string {
	var list []string
	for _, s := range sources {
		if n := count[s.source]; n > 0 {
			list = append(list, fmt.Sprintf("%d %s", n, s.text))
		}
	}
	return strings.Join(list, ", ")
}
