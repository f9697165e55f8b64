package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/search/template"
	"github.com/wmtune/wmtune/tir/target"
)

// A templateRow is a workload and its template for a kind of target.
type templateRow struct {
	Workload string   `json:"workload"`
	Target   string   `json:"target"`
	Template string   `json:"template,omitempty"` // "" if there is none
	Size     int64    `json:"configurations,omitempty"`
	Knobs    []string `json:"knobs,omitempty"` // such as "tile_oc 7"
	Why      string   `json:"why,omitempty"`   // there is none
}

// listTemplates prints the templates of a workload, or of a suite's workloads.
func listTemplates(w io.Writer, what string, asJSON bool) error {
	list, err := workload.Suite(what, nil)
	if err != nil {
		one, specErr := workload.Find(what)
		if specErr != nil {
			return usageError{"--templates: " + specErr.Error()}
		}
		list = []workload.Workload{one}
	}
	table, enc := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0), json.NewEncoder(w)
	for _, work := range list {
		for _, kind := range []target.Kind{target.LLVM, target.CUDA} {
			row := templateRow{Workload: work.Text, Target: string(kind)}
			name, space, err := template.Describe(work.DAG, kind)
			if err != nil {
				row.Why = err.Error()
			} else {
				row.Template, row.Size = name, space.Len()
			}
			for _, k := range space {
				row.Knobs = append(row.Knobs, fmt.Sprint(k.Name, " ", len(k.Values)))
			}
			if asJSON {
				if err := enc.Encode(row); err != nil {
					return err
				}
				continue
			}
			if row.Template == "" {
				row.Template, row.Knobs = "none", []string{row.Why}
			}
			fmt.Fprintf(table, "%s\t%s\t%s\t%d\t%s\n", row.Workload, row.Target, row.Template, row.Size,
				strings.Join(row.Knobs, ", "))
		}
	}
	return table.Flush()
}
