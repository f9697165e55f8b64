package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/graph/compile"
)

// TestMemory: the picture has a rectangle for each value, in the place that it has, and escapes names.
func TestMemory(t *testing.T) {
	m := &Memory{Arena: 4000, Peak: 3000, Spans: []*compile.Span{
		{Name: "a<b", Bytes: 1000, Offset: 3000, From: 0, To: 0}, {Name: "c", Bytes: 3000, From: 1, To: 3},
	}}
	svg := string(m.SVG())
	wellFormed(t, svg)
	for _, want := range []string{
		`<rect x="80.0" y="10.0" width="252.5" height="95.0"`, "<title>a&lt;b: 1000 bytes at 3000, steps 0 to 0</title>",
		`<rect x="332.5" y="105.0" width="757.5" height="285.0"`, ">4000 bytes<", "step 3",
	} {
		if !strings.Contains(svg, want) {
			t.Errorf("not in the picture: %s\n%s", want, svg)
		}
	}
	wellFormed(t, string((&Memory{}).SVG()))
}

// TestKernelBars: programs are text on the page, whatever they hold.
func TestKernelBars(t *testing.T) {
	var b bytes.Buffer
	p := Page{Title: "x", Kernels: []KernelBar{{Name: "k<1>", Time: "3 us", Part: 12.5, Says: "1 call",
		Program: "func main(<script>)"}}}
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"k&lt;1&gt;", "width: 12.50%", "<pre>func main(&lt;script&gt;)</pre>", "3 us"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("not in the page: %s\n%s", want, b.String())
		}
	}
}

// TestTables: the tables of models add up.
func TestTables(t *testing.T) {
	tasks := TaskTable([]compile.TaskInfo{
		{Name: "a", Class: "complex-out", Weight: 3, FLOPs: 2e6, Bytes: 20000, Groups: []string{"n1 n2", "n3", "n4"}},
		{Name: "b", Class: "injective", Weight: 1, Groups: []string{"n5"}},
	})
	if got := strings.Join(tasks.Rows[0],
		"|"); got != "a|complex-out|3|2|20 kB|100.0%|n1 n2" || tasks.Notes[0] != "4 groups of 2 tasks, 0.006 GFLOP" {
		t.Errorf("%s, %s", got, tasks.Notes)
	}
	plan := PlanTable(compile.MemoryPlan{Arena: 110, Peak: 100,
		Spans: []*compile.Span{{Name: "z", From: 4}, {Name: "y", From: 1, To: 9}}})
	if plan.Rows[0][0] != "y" || !strings.Contains(plan.Notes[0], "ratio 1.100") {
		t.Errorf("%v", plan)
	}
}

func wellFormed(t *testing.T, text string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(text))
	var err error
	for err == nil {
		_, err = d.Token()
	}
	if !errors.Is(err, io.EOF) || strings.Contains(text, "NaN") {
		t.Errorf("%v\n%s", err, text)
	}
}

// TestOneLine: a name with a line break or a tab is in one cell of one row.
func TestOneLine(t *testing.T) {
	var b strings.Builder
	Table{Head: []string{"name", "n"}, Rows: [][]string{{"a\nb\tc", "1"}, {"d", "2"}}}.Print(&b)
	if want := "name     n\na\\nb\\tc  1\nd        2\n"; b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
}
