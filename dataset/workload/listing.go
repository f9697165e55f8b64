package workload

import (
	"github.com/wmtune/wmtune/dataset/split"
	"github.com/wmtune/wmtune/tir/compute"
)

// A Listing is a workload as a line of JSON, which plans of collections are made of. Names may be added, never changed.
type Listing struct {
	Name        string   `json:"name"`
	Spec        string   `json:"spec,omitempty"` // of a suite's workload
	Count       int      `json:"count"`          // how often the suite's or the model's model needs it
	FLOP        float64  `json:"flop"`
	Bytes       int64    `json:"bytes"` // of its arguments
	WorkloadKey string   `json:"workload_key"`
	Families    []string `json:"families"`  // split.Family
	Structure   string   `json:"structure"` // split.Structure
	File        string   `json:"file,omitempty"`
	Text        string   `json:"text,omitempty"` // of its workload file, if it has no spec
}

// List returns the listing of a compute DAG that is needed count times.
func List(name string, count int, d *compute.DAG) Listing {
	l := Listing{Name: name, Count: count, FLOP: max(d.FLOPs(), 0), WorkloadKey: d.WorkloadKey(),
		Families: []string{split.Family(d)}, Structure: split.Structure(d)}
	for _, b := range d.Tensors {
		l.Bytes += b.Bytes()
	}
	return l
}
