package report

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/wmtune/wmtune/tir/op"
)

// Operators prints the operators and the names of the suites.
func Operators(w io.Writer, suites []op.Suite) {
	common := map[string]bool{"batch": true, "dtype": true, "epilogue": true}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprint(t, "Operators, as OP:KEY=VALUE,... (keys in brackets have defaults):\n\n")
	for _, o := range op.Operators() {
		var keys []string
		for _, k := range o.Keys {
			switch {
			case common[k.Name]:
			case k.Default != "":
				keys = append(keys, "["+k.Name+"="+k.Default+"]")
			default:
				keys = append(keys, k.Name)
			}
		}
		fmt.Fprintf(t, "  %s\t%s\t%s\n", o.Name, strings.Join(keys, ","), o.Help)
	}
	t.Flush()
	fmt.Fprintln(w, "\nEvery operator also takes:")
	for _, k := range op.Operators()[0].Keys {
		if common[k.Name] {
			fmt.Fprintf(w, "  %s: %s (default %s)\n", k.Name, k.Help, k.Default)
		}
	}
	fmt.Fprint(w, "\nSuites, as SUITE/NAME; 'wmtune workloads SUITE' lists one:\n\n")
	for _, s := range suites {
		fmt.Fprintf(t, "  %s\t%d\t%s\n", s.Name, len(s.List), s.What)
	}
	t.Flush()
	fmt.Fprintln(w, "\nA workload of your own goes into a text file for --workload-file: docs/manual/workload-file.md")
}
