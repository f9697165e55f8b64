package compile

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/renameio/v2"

	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/onnx"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/pass"
)

// GraphText returns the text of a model's graph: as the file has it if after is "", else as it is after a pass. Only
// the latter needs the extents of open dimensions; without them the former has no types of values inside.
func GraphText(ctx context.Context, path string, dims []Dim, after string, skip []string) (string, error) {
	one, err := single(dims)
	if err != nil {
		return "", err
	}
	g, err := onnx.Read(ctx, path, onnx.Options{})
	if err != nil {
		return "", err
	}
	if after == "" {
		if len(dims) > 0 {
			if err := Bind(g, one); err != nil {
				return "", err
			}
		}
		if slices.ContainsFunc(g.Inputs, func(v *graph.Value) bool { return !v.Known() }) {
			return g.String() + "# --dim NAME=N for each open dimension shows the types of all values\n", nil
		}
		err := declareTypes(ctx, g)
		return g.String(), err
	}
	if !slices.Contains(pass.Names(), after) || slices.Contains(skip, after) {
		return "", fmt.Errorf("no graph pass %q runs: there are %s", after, strings.Join(pass.Names(), ", "))
	}
	if err := Bind(g, one); err != nil {
		return "", err
	}
	text := ""
	_, err = New(ctx, g, pass.Options{Skip: skip, Trace: func(name string, g *graph.Graph) {
		if name == after {
			text = g.String()
		}
	}})
	if text != "" {
		err = nil // what comes after it does not matter
	}
	return text, err
}

// declareTypes gives values of g the types that follow from its inputs. What is wrong with the model is for a
// compilation to say.
func declareTypes(ctx context.Context, g *graph.Graph) error {
	inferred, of := g.Clone()
	_ = op.Infer(ctx, inferred)
	for v, w := range of {
		declare(v, w)
	}
	return ctx.Err()
}

// A TaskInfo describes a task of a model before it is scheduled.
type TaskInfo struct {
	Name   string   `json:"name"`
	Class  string   `json:"class"`
	Weight int      `json:"weight"` // groups that need it
	FLOPs  float64  `json:"flops"`  // of one run of it
	Bytes  int64    `json:"bytes"`  // of its operands
	Groups []string `json:"groups"` // the nodes of each

	Plans []string `json:"plans,omitempty"` // of a model of several: those that need it, by the extents that they serve
}

// TaskTable describes the tasks in the order in which the model first needs them.
func (m *Model) TaskTable() []TaskInfo {
	list := make([]TaskInfo, len(m.Tasks))
	place := map[*Task]int{}
	for i, t := range m.Tasks {
		place[t] = i
		list[i] = TaskInfo{Name: t.Name, Class: t.Class.String(), Weight: t.Weight}
		if t.DAG != nil {
			list[i].FLOPs = max(t.DAG.FLOPs(), 0)
		}
	}
	for i, t := range m.Tasks {
		for _, k := range m.callers(t) {
			list[i].Plans = append(list[i].Plans, m.Plans[k].serves())
		}
	}
	for _, j := range m.jobs() {
		info := &list[place[j.task]]
		var names []string
		for _, n := range j.group.Nodes {
			names = append(names, nodeName(n))
		}
		info.Groups = append(info.Groups, join(names))
		if len(info.Groups) > 1 {
			continue
		}
		for _, v := range slices.Concat(j.inputs, j.outputs) {
			if v != nil {
				info.Bytes += v.Bytes()
			}
		}
	}
	return list
}

// A MemoryPlan says where values lie in the arena.
type MemoryPlan struct {
	Arena int64   `json:"arena_bytes"`
	Peak  int64   `json:"live_bytes"` // the most bytes that are needed at one time
	Spans []*Span `json:"spans"`      // in the order in which they are first needed

	// Of a model of several plans: each plan, by the extents that it serves. The values are those of the last.
	Plans []PlanMemory `json:"plans,omitempty"`
}

// PlanMemory is the memory of a plan.
type PlanMemory struct {
	Serves string `json:"serves"`
	Arena  int64  `json:"arena_bytes"`
}

// MemoryPlan plans the arena.
func (m *Model) MemoryPlan() MemoryPlan {
	p := MemoryPlan{Arena: m.layout.plan(), Peak: peak(m.layout.spans), Spans: m.layout.spans}
	for _, k := range m.Plans {
		p.Plans = append(p.Plans, PlanMemory{k.serves(), k.layout.plan()})
	}
	return p
}

// Workloads returns the tasks that have a compute DAG, in order. It writes each into a folder as a workload file,
// NAME.txt, unless the folder is "".
func (m *Model) Workloads(dir string) ([]workload.Listing, error) {
	if dir != "" {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return nil, fmt.Errorf("folder for workload files: %w", err)
		}
	}
	var list []workload.Listing
	for _, t := range m.Tasks {
		if t.DAG == nil {
			continue
		}
		w := workload.List(t.Name, t.Weight, t.DAG)
		w.Text = t.Text
		if dir != "" {
			w.File = filepath.Join(dir, w.Name+".txt")
			if err := renameio.WriteFile(w.File, []byte(w.Text), 0o666); err != nil {
				return nil, fmt.Errorf("workload file: %w", err)
			}
		}
		list = append(list, w)
	}
	return list, nil
}
