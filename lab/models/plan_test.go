package models

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/dataset/split"
	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/tir/op"
	"github.com/wmtune/wmtune/tune/collect"
)

// heldOut returns the families that nothing may be learned from, and what they are of: the suite paper22, and heavy
// tasks of the ten models.
func heldOut(t *testing.T) map[string]string {
	t.Helper()
	held := map[string]string{}
	suite, err := op.FindSuite("paper22")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range suite.List {
		w, err := suite.Workload(e)
		if err != nil {
			t.Fatal(err)
		}
		held[split.Family(w.DAG)] = w.Name
	}
	file, err := os.Open("plan/held-out.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	models := map[string]bool{}
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var l struct {
			Name, Model string
			Families    []string
		}
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			t.Fatal(err)
		}
		models[l.Model] = true
		for _, f := range l.Families {
			held[f] = l.Model + "/" + l.Name
		}
	}
	if len(models) != 11 {
		t.Errorf("tasks of %d models and suites are held out, want ten models and paper22", len(models))
	}
	return held
}

// shippedPlans returns the workloads of the plan, of those of convolutions in tiles, of products, and of scarce
// families.
func shippedPlans(t *testing.T) (list []workload.Workload) {
	t.Helper()
	for _, name := range []string{"plan", "convolutions", "near", "products", "scarce"} {
		l, err := collect.Plan("plan/" + name + ".jsonl.zst")
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, l...)
	}
	return list
}

// TestShippedPlan: the plan has a thousand workloads, of many structures, and none has a family that is held out.
func TestShippedPlan(t *testing.T) {
	list := shippedPlans(t)
	held, structures := heldOut(t), map[string]bool{}
	for _, w := range list {
		structures[split.Structure(w.DAG)] = true
		if of := held[split.Family(w.DAG)]; of != "" {
			t.Errorf("%s is of the family of %s:\n%s", w.Name, of, w.Text)
		}
	}
	if len(list) < 1000 || len(structures) < 100 {
		t.Errorf("%d workloads of %d structures", len(list), len(structures))
	}
	suite, err := workload.Find("paper22/r50-t3")
	if err != nil {
		t.Fatal(err)
	}
	if held[split.Family(suite.DAG)] == "" {
		t.Error("paper22/r50-t3 is not held out")
	}
}

// TestShippedRecords: what was collected of the plan is of the plan, correct or too slow to end in time, and of at
// least a thousand workloads.
func TestShippedRecords(t *testing.T) {
	planned := map[string]bool{}
	for _, w := range shippedPlans(t) {
		planned[w.Text] = true
	}
	logs, err := filepath.Glob("plan/*.arrow.zst")
	if err != nil || len(logs) == 0 {
		t.Fatal(logs, err)
	}
	records, workloads := 0, map[string]bool{}
	for _, path := range logs {
		log, err := dataset.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer log.Close()
		for r, err := range log.Records() {
			if err != nil {
				t.Fatal(err)
			}
			if !planned[r.Workload] || !r.Timed() && r.Status != measure.RunTimeout {
				t.Fatalf("%s: record %d is not of the plan, or failed: %s, %s", path, records, r.Workload, r.Outcome())
			}
			records++
			workloads[r.Workload] = true
		}
	}
	if records < 75000 || len(workloads) < 1000 {
		t.Errorf("%d records of %d workloads", records, len(workloads))
	}
}
