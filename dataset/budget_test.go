package dataset

import (
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// publicLog is a packed log of a real search.
const publicLog = "../lab/models/rtx2080ti.arrow.zst"

// TestBudgetEstimate: what a budget counts is what records of logs take.
func TestBudgetEstimate(t *testing.T) {
	heap := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	plain := filepath.Join(t.TempDir(), "plain.arrow")
	records, _, err := ReadLog("../lab/models/train-znver3.arrow.zst")
	if err != nil {
		t.Fatal(err)
	}
	w, err := OpenWriter(plain, WriterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for round := range slices.Chunk(records, 64) {
		if err := w.Append(round); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	records = nil
	for _, path := range []string{publicLog, plain} {
		before := heap()
		var b Budget
		list, _, err := b.ReadLog(path)
		if err != nil {
			t.Fatal(err)
		}
		took := heap() - before
		if ratio := float64(b.held) / float64(took); ratio < 0.8 || ratio > 2 {
			t.Errorf("%s: %d records take %d bytes, estimated are %d", path, len(list), took, b.held)
		}
		runtime.KeepAlive(list)
	}
}

// TestBudgetLimit: a log that does not fit is an error early, which names the file, the bytes and the flag.
func TestBudgetLimit(t *testing.T) {
	var whole Budget
	if _, _, err := whole.ReadLog(publicLog); err != nil {
		t.Fatal(err)
	}
	fits := Budget{Limit: uint64(whole.held) * 9 / 8}
	if _, _, err := fits.ReadLog(publicLog); err != nil {
		t.Errorf("a log that fits: %v", err)
	}
	again := filepath.Join(t.TempDir(), "again.arrow.zst")
	mustWriteFile(t, again, mustReadFile(t, publicLog))
	if _, _, err := fits.ReadLog(again); err == nil || !strings.Contains(err.Error(), "with those read before it") {
		t.Errorf("twice the log: %v", err)
	}
	small := Budget{Limit: uint64(whole.held) / 2}
	list, _, err := small.ReadLog(publicLog)
	if err == nil || list != nil {
		t.Fatalf("%d records, %v", len(list), err)
	}
	for _, part := range []string{publicLog, fmt.Sprint(small.Limit), "--memory"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q is not in: %v", part, err)
		}
	}
	if small.held > whole.held/8 {
		t.Errorf("%d bytes of %d were held before the error", small.held, whole.held)
	}
}

// TestBudgetPacked: a packed log that expands to more than the budget is an error before it is in memory.
func TestBudgetPacked(t *testing.T) {
	data := append(mustHeader(t), make([]byte, 64<<20)...)
	path := written(t, compressed(t, string(data)))
	b := Budget{Limit: 16 << 20}
	n := allocated(func() {
		_, _, err := b.ReadLog(path)
		if err == nil || !strings.Contains(err.Error(), "need more than 16777216 bytes of memory") ||
			!strings.Contains(err.Error(), "--memory") || !strings.Contains(err.Error(), path) {
			t.Error(err)
		}
	})
	if n > little/2 {
		t.Errorf("%d bytes were allocated", n)
	}
	// What is held counts against the budget, not against what any log may expand to.
	b = Budget{Limit: 8 << 30, held: 2 << 30}
	if _, _, err := b.ReadLog(written(t, compressed(t, string(mustHeader(t))))); err != nil {
		t.Error(err)
	}
}
