package split

import (
	"crypto/sha256"
	_ "embed"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/op"
	"github.com/wmtune/wmtune/tir/target"
)

// A Part is what a task is for.
type Part string

// The parts of a split.
const (
	Train      Part = "train"      // to learn from
	Validation Part = "validation" // to choose by
	Test       Part = "test"       // to report, once a release
)

// All lists the parts.
func All() []Part { return []Part{Train, Validation, Test} }

// Parts says which part a task is in, by each of the splits.
type Parts struct {
	Task   Part // tasks of one family are together
	DAG    Part // tasks of one DAG are together, whatever their shapes
	Target Part // tasks of one target are together
}

// Names lists the splits.
func Names() []string { return []string{"task", "dag", "target"} }

// By returns the part by the split of a name.
func (p Parts) By(name string) (Part, error) {
	switch name {
	case "task":
		return p.Task, nil
	case "dag":
		return p.DAG, nil
	case "target":
		return p.Target, nil
	}
	return "", fmt.Errorf("unknown split %q: known are %v", name, Names())
}

// Rules are a version of the splits.
type Rules struct {
	Version           int
	Salt              string   // of the hashes
	TrainPercent      int      `json:"train_percent"`
	ValidationPercent int      `json:"validation_percent"`
	BenchSuites       []string `json:"bench_suites"` // what benchmarks run is for tests only
	BenchKinds        []string `json:"bench_kinds"`  // on the kinds of targets that they run on

	// TargetParts are the parts of known targets; others are drawn.
	TargetParts map[string]Part `json:"target_parts"`

	id    string
	bench map[string]string // by family: a workload of a benchmark
}

//go:embed splits/v3.json
var v3 []byte

// V3 returns the third version of the splits. In the first, convolutions of other dilations were other DAGs, and where
// only the middle of a kernel meets the image, their programs are the same. In the second, a convolution of 1x1 was not
// of the family of the product that it is.
func V3() *Rules {
	r := &Rules{bench: map[string]string{}}
	if err := json.Unmarshal(v3, r); err != nil {
		panic("BUG: split: splits/v3.json: " + err.Error())
	}
	sum := sha256.Sum256(v3)
	r.id = fmt.Sprintf("v%d-%s", r.Version, hex.EncodeToString(sum[:6]))
	for _, name := range r.BenchSuites {
		s, err := op.FindSuite(name)
		if err != nil {
			panic("BUG: split: " + err.Error())
		}
		for _, e := range s.List {
			w, err := s.Workload(e)
			if err != nil {
				panic("BUG: split: " + err.Error())
			}
			family := Family(w.DAG)
			if _, ok := r.bench[family]; !ok {
				r.bench[family] = w.Name
			}
		}
	}
	return r
}

// ID identifies the rules: their version, and a hash of their text.
func (r *Rules) ID() string { return r.id }

// A Place is where the rules put a task, and why.
type Place struct {
	Family, DAG string
	Bench       string // a workload of a benchmark of the family; "" if there is none
	Parts       Parts
}

// Place returns the place of a DAG on a target.
func (r *Rules) Place(d *compute.DAG, t target.Target) Place {
	p := Place{Family: Family(d), DAG: Structure(d)}
	p.Bench = r.bench[p.Family]
	p.Parts = Parts{
		Task: r.draw("family " + p.Family), DAG: r.draw("dag " + p.DAG), Target: r.draw("target " + t.String()),
	}
	if part, ok := r.TargetParts[t.String()]; ok {
		p.Parts.Target = part
	}
	if p.Bench != "" && slices.Contains(r.BenchKinds, string(t.Kind)) {
		p.Parts.Task = Test
	}
	return p
}

// draw puts a unit into a part, by the hash of its name.
func (r *Rules) draw(unit string) Part {
	sum := sha256.Sum256([]byte(r.Salt + "\n" + unit))
	switch n := int(binary.BigEndian.Uint64(sum[:8]) % 100); {
	case n < r.TrainPercent:
		return Train
	case n < r.TrainPercent+r.ValidationPercent:
		return Validation
	}
	return Test
}
