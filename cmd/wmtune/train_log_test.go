package main

import (
	"path/filepath"
	"testing"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/tune/collect"
)

// TestTrainLog: the log that models are trained from is whole, broad and correct,
// and holds no workload of a suite that scorers are judged by.
func TestTrainLog(t *testing.T) {
	logs, err := filepath.Glob("../../models/train-*.arrow.zst")
	if err != nil || len(logs) == 0 {
		t.Fatalf("logs %v, %v", logs, err)
	}
	judged := map[string]bool{}
	for _, suite := range []string{"paper22", "resnet50", "resnet18", "mobilenet_v2", "bert"} {
		list, err := collect.Suite(suite, "")
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range list {
			judged[w.Key] = true
		}
	}
	for _, log := range logs {
		records, warnings, err := dataset.ReadLog(log)
		if err != nil || len(warnings) > 0 {
			t.Fatalf("%s: %v, %v", log, err, warnings)
		}
		timed, tasks := 0, map[string]bool{}
		for _, r := range records {
			if judged[r.WorkloadKey] {
				t.Fatalf("%s: %s is of a suite that scorers are judged by", log, r.Title())
			}
			if r.Timed() {
				timed++
			}
			tasks[r.Workload] = true
		}
		if len(records) < 10000 || len(tasks) < 100 || timed < len(records)*99/100 {
			t.Errorf("%s: %d records of %d tasks, %d timed", log, len(records), len(tasks), timed)
		}
		structures := map[string]bool{}
		for text := range tasks {
			w, err := workload.Find(text)
			if err != nil {
				t.Fatalf("%s: %v", log, err)
			}
			structures[w.DAG.Hash()] = true
		}
		if len(structures) < 20 {
			t.Errorf("%s: %d structures", log, len(structures))
		}
	}
}
