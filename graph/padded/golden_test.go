package padded

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/graph/graphtest"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestGolden: texts of graphs before and after.
func TestGolden(t *testing.T) {
	for _, name := range []string{"attention", "rows", "numbers of extents", "pools", "a first row", "norms"} {
		for _, c := range operatorCases {
			if c.name != name {
				continue
			}
			g := graphtest.MustParse(c.text, 17)
			before := g.String()
			r, err := Rewrite(context.Background(), g, rangesOf(t, c.dims), bind)
			if err != nil {
				t.Fatal(err)
			}
			got := before + "\n\n" + c.dims + "\n\n" + r.Graph.String() + "\n"
			file := filepath.Join("testdata", strings.ReplaceAll(name, " ", "-")+".txt")
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			if want, err := os.ReadFile(file); err != nil || string(want) != got {
				t.Errorf("%s: the text is another one (-update writes it), %v:\n%s", file, err, got)
			}
		}
	}
}
