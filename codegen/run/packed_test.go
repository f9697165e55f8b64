package run_test

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/wmtune/wmtune/codegen/run"
	"github.com/wmtune/wmtune/dataset/measure"
)

// packedObject compiles testdata/packed.ll with a text in it replaced.
func (b *bench) packedObject(from, to string) measure.BuildResult {
	b.Helper()
	text, err := os.ReadFile("testdata/packed.ll")
	if err != nil {
		b.Fatal(err)
	}
	if !strings.Contains(string(text), from) {
		b.Fatalf("testdata/packed.ll has no %q", from)
	}
	return measure.BuildResult{
		Status: measure.OK, Object: b.compile(strings.Replace(string(text), from, to, 1)), Symbol: "wmtune_kernel",
		Packs: []measure.Pack{{Param: 1, Symbol: "wmtune_pack_1", Name: "B", Shape: []int64{1004}, Bytes: 4 * 1004}},
	}
}

// TestPacked runs a program that wants an operand packed, and ways to get that
// wrong.
func TestPacked(t *testing.T) {
	b := newBench(t)
	missing := b.packedObject("@wmtune_pack_1", "@wmtune_pack_2")
	large := b.packedObject("", "")
	large.Packs[0].Bytes *= 2
	cases := []struct {
		title  string
		built  measure.BuildResult
		status measure.Status
		says   []string
	}{
		{"good", b.packedObject("", ""), measure.OK, nil},
		{"good, with more memory", large, measure.OK, nil},
		{"not packed", b.object("good.ll"), measure.OK, nil},
		{"one element left out", b.packedObject("i64 [ 0, %entry ]", "i64 [ 1, %entry ]"), measure.WrongAnswer, []string{"C[0]"}},
		{"not reversed", b.packedObject("sub i64 999, %i", "add i64 0, %i"), measure.WrongAnswer, []string{"of 1000 elements are wrong"}},
		{"before the start", b.packedObject("sub i64 999, %i", "sub i64 998, %i"), measure.WrongAnswer,
			[]string{"packing B writes 4 bytes before the start of what is packed"}},
		{"after the end", b.packedObject("sub i64 999, %i", "sub i64 1004, %i"), measure.WrongAnswer,
			[]string{"packing B writes 4 bytes after the end of what is packed"}},
		{"far after the end", b.packedObject("sub i64 999, %i", "sub i64 9999, %i"), measure.Crash, []string{"SIGSEGV", "writes"}},
		{"the kernel writes what is packed", b.packedObject("%b2 = fmul", "store float 0.0, ptr %pb\n  %b2 = fmul"),
			measure.Crash, []string{"SIGSEGV", "writes"}},
		{"no such function", missing, measure.LoadError, []string{"wmtune_pack_1"}},
		{"good again", b.packedObject("", ""), measure.OK, nil},
	}
	var batch []measure.BuildResult
	for _, c := range cases {
		batch = append(batch, c.built)
	}
	r := b.runner(run.Config{Cores: twoCores(t), Rounds: 2, Calls: 3, Spacing: time.Millisecond})
	results, err := r.Run(context.Background(), make([]measure.Input, len(batch)), batch)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range cases {
		t.Run(c.title, func(t *testing.T) {
			t.Logf("%s: %s", results[i].Status, results[i].Message)
			wantStatus(t, results[i], c.status, c.says...)
		})
	}
	// What the good ones left is there for these, in whose memory nothing may be right before they pack.
	after, err := r.Run(context.Background(), make([]measure.Input, 2), []measure.BuildResult{batch[3], batch[0]})
	if err != nil {
		t.Fatal(err)
	}
	wantStatus(t, after[0], measure.WrongAnswer, "C[0] was not written")
	wantStatus(t, after[1], measure.OK)
	again, err := r.Remeasure(context.Background(), make([]measure.Input, 2), []measure.BuildResult{batch[0], batch[2]})
	if err != nil || again[0].Status != measure.OK || again[1].Status != measure.OK {
		t.Errorf("finalists: %+v, %v", again, err)
	}
}
