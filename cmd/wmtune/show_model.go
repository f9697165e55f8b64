package main

import (
	"context"
	"encoding/json"
	"io"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/wmtune/wmtune/cmd/report"
	"github.com/wmtune/wmtune/graph/compile"
	"github.com/wmtune/wmtune/graph/pass"
	"github.com/wmtune/wmtune/tune/inspect"
)

// modelForms are the forms of show --as that are of models, not of records.
var modelForms = []string{"graph", "tasks", "plan"}

func showForms() []string { return slices.Concat(inspect.FormNames(), modelForms) }

// checkPasses rejects names in --skip-pass that no graph pass has.
func checkPasses(skip []string) error {
	for _, name := range skip {
		if !slices.Contains(pass.Names(), name) {
			return usagef("--skip-pass: no pass is called %q: there are %s", name, strings.Join(pass.Names(), ", "))
		}
	}
	return nil
}

// showModel prints an ONNX model.
func (c *showCommand) showModel(ctx context.Context, fs *pflag.FlagSet, asJSON bool, stdout io.Writer) error {
	unfit := ""
	fs.Visit(func(f *pflag.Flag) {
		if !slices.Contains([]string{"as", "dim", "json", "after", "skip-pass"}, f.Name) {
			unfit = f.Name
		}
	})
	dims, err := compile.ParseExtents(c.dims)
	switch {
	case unfit != "":
		return usagef("--%s is for logs, not for models: leave it out", unfit)
	case err != nil:
		return usageError{err.Error()}
	case c.lower.Until != "" && c.as != "graph":
		return usagef("--after needs --as graph, not --as %s", c.as)
	case asJSON && c.as == "graph":
		return usagef("--json needs --as tasks or --as plan")
	}
	if err := checkPasses(c.lower.Skip); err != nil {
		return err
	}
	if c.as == "graph" {
		text, err := compile.GraphText(ctx, c.log, dims, c.lower.Until, c.lower.Skip)
		if err != nil {
			return err
		}
		_, err = io.WriteString(stdout, text)
		return err
	}
	m, err := compile.ReadPlans(ctx, c.log, dims, pass.Options{Skip: c.lower.Skip})
	if err != nil {
		return err
	}
	var result any
	var table report.Table
	if c.as == "tasks" {
		tasks := m.TaskTable()
		result, table = tasks, report.TaskTable(tasks)
		if says := pass.Products(m.Graph); says != "" {
			table.Notes = append(table.Notes, "quantized: "+says)
		}
	} else {
		plan := m.MemoryPlan()
		result, table = plan, report.PlanTable(plan)
	}
	if asJSON {
		return json.NewEncoder(stdout).Encode(result)
	}
	table.Print(stdout)
	return nil
}
