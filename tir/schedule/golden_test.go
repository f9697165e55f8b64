package schedule

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/tir/compute"
)

var update = flag.Bool("update", false, "rewrite the expected parts of testdata")

// A golden file is a list of cases. Each is a line "# what it shows", a line
// "dag NAME NUMBERS...", a line with the steps, and then what is expected, up to
// the next case: the state before and after bound inference and the nests, or
// the error.
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

func dagNamed(t *testing.T, line string) *compute.DAG {
	t.Helper()
	f := strings.Fields(line)
	var n []int
	for _, s := range f[2:] {
		v, err := strconv.Atoi(s)
		if err != nil {
			t.Fatal(err)
		}
		n = append(n, v)
	}
	switch f[1] {
	case "half_matmul":
		return halfMatmul(n[0], n[1], n[2])
	case "matmul":
		return matmulRelu(n[0], n[1], n[2])
	case "conv":
		return conv(n[0], n[1], n[2], n[3], n[4])
	case "softmax":
		return softmax(n[0], n[1])
	case "tiles":
		return tiles(n[0], n[1])
	case "shared":
		return shared(n[0])
	case "blur":
		return blur(n[0])
	case "scalars":
		return scalars(n[0])
	case "started":
		return started(n[0], n[1], n[2])
	}
	t.Fatalf("no DAG %s", f[1])
	return nil
}

// outcome applies steps one at a time, so that an error is that of the step.
func outcome(t *testing.T, d *compute.DAG, text string) string {
	t.Helper()
	steps, err := ParseSteps([]byte(text))
	if err != nil {
		return "error: " + err.Error() + "\n"
	}
	if got := string(FormatSteps(steps)); got != text {
		t.Errorf("steps print as %s", got)
	}
	s, err := Replay(d, steps)
	if err != nil {
		return "error: " + err.Error() + "\n"
	}
	bound, err := s.InferBound()
	if err != nil {
		return s.String() + "error: " + err.Error() + "\n"
	}
	if err := simulate(s); err != nil {
		t.Errorf("the state is not sound: %v", err)
	}
	out := s.String()
	if b := bound.String(); b != out {
		out += "=> " + b
	}
	nests, err := s.Nests()
	if err != nil {
		t.Fatal(err)
	}
	for i, n := range nests {
		if n == nil {
			continue
		}
		op := s.Stages[i].Op
		out += fmt.Sprintf("%d %s\n%s", i, op.Name, show(n))
		if !slices.Contains(d.Ops, op) || len(op.Body) > 0 && s.InlinedBody(i)[0] != op.Body[0] {
			out += fmt.Sprintf("  = %s\n", s.InlinedBody(i)[0])
		}
	}
	return out
}

func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no golden files", err)
	}
	for _, path := range files {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
			var out []string
			for _, c := range readGolden(t, path) {
				got := outcome(t, dagNamed(t, c.dag), c.steps)
				if got != c.want && !*update {
					t.Errorf("%s\ngot:\n%swant:\n%s", c.title, got, c.want)
				}
				out = append(out, "# "+c.title+"\n"+c.dag+"\n"+c.steps+"\n"+got)
			}
			if *update {
				if err := os.WriteFile(path, []byte(strings.Join(out, "\n")), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// show prints a nest.
func show(n *Nest) string {
	var b strings.Builder
	for _, l := range n.Loops {
		fmt.Fprintf(&b, "  %s %s %d\n", l.Iter.Ann, l.Var.Name, l.Extent)
	}
	for i, r := range n.Region {
		fmt.Fprintf(&b, "  axis %d = %s in %s +%d\n", i, n.Value[i], r.Min, r.Extent)
	}
	for _, g := range n.Guards {
		fmt.Fprintf(&b, "  if %s\n", g)
	}
	return b.String()
}
