package lower_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/interp"
	"github.com/wmtune/wmtune/tir/lower"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
	"github.com/wmtune/wmtune/tir/tirtest"
)

var update = flag.Bool("update", false, "rewrite the expected parts of testdata")

// A golden file is named after a pass and holds cases. Each is a line "# what it
// shows", a line "dag NAME NUMBERS..." (tirtest.Named), a line with the steps,
// and then what is expected, up to the next case: the function before and after
// the pass, or once if they are equal, or the error. The programs are run, too. The
// file build has what all passes start with, lower what comes out, and host what
// OnHost makes of that.
type goldenCase struct{ title, dag, steps, want string }

func readGolden(t *testing.T, path string) []goldenCase {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var cases []goldenCase
	for _, block := range strings.Split("\n"+string(text), "\n# ")[1:] {
		parts := strings.SplitN(block, "\n", 4)
		if len(parts) < 3 || !strings.HasPrefix(parts[1], "dag ") {
			t.Fatalf("%s: bad case %q", path, block)
		}
		c := goldenCase{title: parts[0], dag: parts[1], steps: parts[2]}
		if len(parts) > 3 {
			c.want = strings.TrimRight(parts[3], "\n") + "\n"
		}
		cases = append(cases, c)
	}
	return cases
}

func TestGolden(t *testing.T) {
	passes := append([]string{"lower", "host"}, lower.PassNames()...)
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no testdata", err)
	}
	for _, path := range files {
		pass := strings.TrimSuffix(filepath.Base(path), ".txt")
		if !slices.Contains(passes, pass) {
			t.Errorf("%s: no pass %s: passes are %v", path, pass, passes)
		}
		cases := readGolden(t, path)
		var text strings.Builder
		for i, c := range cases {
			got := outcome(t, pass, c)
			if !*update && got != c.want {
				t.Errorf("%s: %s: got\n%swant\n%s", path, c.title, got, c.want)
			}
			if i > 0 {
				text.WriteString("\n")
			}
			fmt.Fprintf(&text, "# %s\n%s\n%s\n%s", c.title, c.dag, c.steps, got)
		}
		if *update {
			if err := os.WriteFile(path, []byte(text.String()), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, pass := range passes {
		if !slices.Contains(files, filepath.Join("testdata", pass+".txt")) && !strings.HasSuffix(pass, " again") {
			t.Errorf("no golden file for pass %s", pass)
		}
	}
}

// outcome lowers the state of a case and returns what its pass does.
func outcome(t *testing.T, pass string, c goldenCase) string {
	t.Helper()
	d, err := tirtest.Named(strings.TrimPrefix(c.dag, "dag "))
	if err != nil {
		t.Fatal(err)
	}
	steps, err := schedule.ParseSteps([]byte(c.steps))
	if err != nil {
		t.Fatalf("%s: %v", c.title, err)
	}
	s, err := schedule.Replay(d, steps)
	if err != nil {
		t.Fatalf("%s: %v", c.title, err)
	}
	var before, out string
	cfg := config
	if launches, _ := lower.Launches(s); len(launches) > 0 {
		cfg.Target.Kind = target.CUDA
	}
	if strings.HasPrefix(c.dag, "dag quantized") {
		cfg.Layout, cfg.Target.Features = target.Rewrite, []string{"avx2", "avxvnni"}
	}
	switch pass {
	case "relayout":
		cfg.Layout = target.Rewrite
	case "repack", "convert":
		cfg.Layout = target.Rewrite
		defer lower.CopyWork(1)()
	case "tiles":
		cfg.Target.Hardware.VectorBytes, cfg.Target.Features = 64, []string{"amx-int8", "avx512vnni"}
	case "traverse":
		defer lower.NearBytes(0)()
	}
	cfg.Trace = func(name string, f *tir.Func) {
		text := f.String()
		if pass == "build" && name == "build" {
			out = text
		} else if name == pass {
			out = "before:\n" + before + "after:\n" + text
			if before == text {
				out = "unchanged:\n" + text
			}
		}
		before = text
	}
	f, err := lower.Lower(s, cfg)
	if err != nil {
		return "error: " + err.Error() + "\n"
	}
	args := tirtest.Args(rand.New(rand.NewPCG(1, 0)), d)
	results := clone(args)
	if err := interp.RunDAG(d, results); err != nil {
		t.Fatal(err)
	}
	if err := compare(s, cfg, args, results, 1); err != nil {
		t.Errorf("%s: %v", c.title, err)
	}
	switch pass {
	case "lower":
		return f.String()
	case "host":
		if err := compareOnHost(f, s, args, results); err != nil {
			t.Errorf("%s: %v", c.title, err)
		}
		g, err := lower.OnHost(f, lower.Forward)
		if err != nil {
			return "error: " + err.Error() + "\n"
		}
		return "before:\n" + f.String() + "after:\n" + g.String()
	}
	return out
}
