package models

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
	logs, err := filepath.Glob("train-*.arrow.zst")
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
		if len(records) < 12000 || len(tasks) < 100 || timed < len(records)*99/100 {
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

// TestFilteredLogs: what the shipped model learned from of these logs is part of them.
func TestFilteredLogs(t *testing.T) {
	logs, err := filepath.Glob("filtered/*.arrow.zst")
	if err != nil || len(logs) == 0 {
		t.Fatalf("logs %v, %v", logs, err)
	}
	for _, path := range logs {
		whole, _, err := dataset.ReadLog(filepath.Base(path))
		if err != nil {
			t.Fatal(err)
		}
		there := map[string]bool{}
		for _, r := range whole {
			there[r.Trajectory] = true
		}
		records, _, err := dataset.ReadLog(path)
		if err != nil || len(records) < len(whole)*3/4 {
			t.Fatalf("%s: %d of %d records, %v", path, len(records), len(whole), err)
		}
		for i, r := range records {
			if !there[r.Trajectory] {
				t.Fatalf("%s: record %d is not of the whole log", path, i)
			}
		}
	}
}
