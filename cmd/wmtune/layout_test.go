package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
	"github.com/wmtune/wmtune/tune"
)

// TestSearchLayout: the layout of weights is chosen unless one says otherwise; the
// result, the log and the header say so, the example packs them, and a log is not
// continued with another --layout.
func TestSearchLayout(t *testing.T) {
	for _, layout := range []target.Layout{target.Rewrite, target.Keep} {
		dir := filepath.Join(t.TempDir(), "out")
		args := []string{"search", "--workload", "dense:m=48,n=31,k=40", "--trials", "6", "--scorer", "random", "--out", dir, "--json"}
		if layout == target.Keep { // the other one is the default
			args = append(args, "--layout", "keep")
		}
		code, stdout, stderr := wmtune(t, args...)
		var r tune.Result
		if err := json.Unmarshal([]byte(stdout), &r); code != 0 || err != nil {
			t.Fatalf("exit code %d, %v\n%s%s", code, err, stdout, stderr)
		}
		log := filepath.Join(dir, "tuning.arrow")
		records, _, err := dataset.ReadLog(log)
		if err != nil {
			t.Fatal(err)
		}
		packed, best := 0, ""
		for i, rec := range records {
			if rec.Layout != layout {
				t.Errorf("%s: record %d: layout %s, packed %q", layout, i, rec.Layout, rec.Packed)
			}
			if rec.Packed != "" {
				packed++
			}
			if string(schedule.FormatSteps(rec.Steps)) == r.Steps {
				best = rec.Packed
			}
		}
		if (packed > 0) != (layout == target.Rewrite) || r.Layout != layout.String() || r.Packed != best {
			t.Errorf("%s: %d records have packed operands, the best %q, and the result is %+v", layout, packed, best, r)
		}
		runExample(t, dir)
		if code, stdout, stderr := wmtune(t, "replay", log); code != 0 {
			t.Errorf("%s: replay: exit code %d\n%s%s", layout, code, stdout, stderr)
		}
		code, stdout, _ = wmtune(t, "show", log, "--best", "--as", "tir")
		if code != 0 || strings.Contains(stdout, "func pack_w(") != strings.Contains(stdout, "out w_packed:") ||
			layout == target.Keep && strings.Contains(stdout, "w_packed") {
			t.Errorf("%s: show: exit code %d\n%s", layout, code, stdout)
		}
		other := map[target.Layout]string{target.Keep: "rewrite", target.Rewrite: "keep"}[layout]
		code, _, stderr = wmtune(t, append(args, "--layout", other)...)
		if want := "it was searched with --layout " + layout.String() + ", not " + other; code != exitFailed || !strings.Contains(stderr, want) {
			t.Errorf("%s: continued with %s: exit code %d\n%s", layout, other, code, stderr)
		}
	}
}
