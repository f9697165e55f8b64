package trajectory_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/trajectory"
)

// TestOverwrites: neither a build nor a merge writes over a file that no dataset of wmtune has begun, a log of its own
// least of all. What an ended build or merge left is written anew.
func TestOverwrites(t *testing.T) {
	dir := t.TempDir()
	log := filepath.Join(dir, "states.arrow")
	writeLog(t, log, sampleRecords(specs[0], cpu, 4, 1))
	before := bytesOf(t, dir)
	_, err := trajectory.Build(t.Context(), options([]string{log}, dir))
	refuses(t, "a log in the folder", err, "choose another folder")
	if err := os.Mkdir(filepath.Join(dir, ".parts"), 0o777); err != nil {
		t.Fatal(err)
	}
	_, err = trajectory.Build(t.Context(), options([]string{log}, dir))
	refuses(t, "a log among what a build left", err, "the dataset would be written over it")
	if err := os.Remove(filepath.Join(dir, ".parts")); err != nil {
		t.Fatal(err)
	}
	shard := options([]string{log}, filepath.Join(t.TempDir(), "shard"))
	build(t, shard)
	refuses(t, "a merge", merge(shard.Dir)(dir), "states.arrow is there and of no dataset")
	if after := bytesOf(t, dir); len(after) != 1 || after["states.arrow"] != before["states.arrow"] {
		t.Error("the log was written over")
	}

	left := filepath.Join(t.TempDir(), "left")
	if err := os.MkdirAll(filepath.Join(left, ".parts"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(left, "states.arrow"), []byte("half"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := merge(shard.Dir)(left); err != nil {
		t.Fatal(err)
	}
	sameFiles(t, "what was left", left, shard.Dir)
}

// TestLeftParts: what an ended build left beside a whole dataset goes with the next build.
func TestLeftParts(t *testing.T) {
	dir := t.TempDir()
	opts := options(sampleLogs(t, dir, 4), filepath.Join(dir, "data"))
	build(t, opts)
	left := filepath.Join(opts.Dir, ".parts")
	if err := os.MkdirAll(filepath.Join(left, "x.new"), 0o777); err != nil {
		t.Fatal(err)
	}
	build(t, opts)
	if _, err := os.Stat(left); err == nil {
		t.Error("the parts are still there")
	}
}

// TestDamagedAgain: what is wrong with a damaged dataset is no reason to build over it; the error says what to do.
func TestDamagedAgain(t *testing.T) {
	dir := t.TempDir()
	opts := options(sampleLogs(t, dir, 4), filepath.Join(dir, "data"))
	build(t, opts)
	if err := os.Remove(filepath.Join(opts.Dir, "states.arrow")); err != nil {
		t.Fatal(err)
	}
	_, err := trajectory.Build(t.Context(), opts)
	refuses(t, "a damaged dataset", err, "states.arrow is missing; build the dataset again; first remove the folder "+
		opts.Dir)
	if err := os.RemoveAll(opts.Dir); err != nil {
		t.Fatal(err)
	}
	build(t, opts)
}

// TestOtherKey: a record whose workload is another compute DAG by now is no part of a dataset.
func TestOtherKey(t *testing.T) {
	dir := t.TempDir()
	list := sampleRecords(specs[0], cpu, 4, 1)
	for i := range list {
		list[i].WorkloadKey = `["00000000000000000000000000000000", [48, 32], [32, 64], [48, 64]]`
	}
	log := filepath.Join(dir, "log.arrow")
	writeLog(t, log, list)
	_, err := trajectory.Build(t.Context(), options([]string{log}, filepath.Join(dir, "data")))
	refuses(t, "another key", err, "log log.arrow: record 0: its workload cannot be built: its key is "+
		keyOf(t, list[0])+" in this wmtune, and "+list[0].WorkloadKey+" in the log")
}

func keyOf(t *testing.T, r dataset.Record) string {
	t.Helper()
	d, err := dagOf(r.Workload)
	if err != nil {
		t.Fatal(err)
	}
	return d.WorkloadKey()
}
