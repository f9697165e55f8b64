package schedule

import (
	"strings"
	"testing"

	"github.com/wmtune/wmtune/tir/compute"
)

const quantizedProduct = `input x: uint8[8, 12]
input w: int8[10, 32]
pad(i: 8, k: 10) = if_then_else(i >= 1, x[i, k], uint8(7))
y(i: 8, j: 32) = sum(k: 10) int32(pad[i, k])*int32(w[k, j]) layout_free w
z(i: 8, j: 32) = uint8(max(min(roundeven(float32(y[i, j])*0.25), 255f), 0f))
output z
`

// groupsOf returns the groups of a processor with vectors of 8 lanes and a feature.
func groupsOf(feature string) *Groups {
	return NewGroups("", func(f string) bool { return f == feature }, 32)
}

const tiledProduct = `[["SP", 3, 0, 8, [1, 2, 2], 1], ["SP", 3, 4, 32, [1, 1, 16], 1], ["SP", 3, 8, 10, [3, 4], 1], ` +
	`["RE", 3, [0, 4, 1, 5, 8, 2, 6, 9, 3, 7, 10]], ["AN", 3, 9, 2], ["AN", 3, 10, 11], ["FSP", 4, 0, 0, 1], ["FSP", 4, 2, 1, 1], ` +
	`["RE", 4, [0, 2, 1, 3]], ["CA", 3, 4, 1], ["CI", 1], ["AN", 4, 0, 3]]`

// TestGroups: a scorer sees a product by an instruction as one of float32, of groups of steps.
func TestGroups(t *testing.T) {
	d, err := compute.Parse(quantizedProduct)
	if err != nil {
		t.Fatal(err)
	}
	s := mustReplay(t, New(d), tiledProduct)
	got, err := Conventional(s, groupsOf("avxvnni"))
	if err != nil {
		t.Fatal(err)
	}
	const dag = `input x: uint8[8, 12]
input w: float32[3, 32]
pad(i: 8, k: 10) = if_then_else(i >= 1, x[i, k], uint8(7))
y(i: 8, j: 32) = sum(k: 3) float32(pad[i, k*4])*w[k, j]
    layout_free w
z(i: 8, j: 32) = uint8(max(min(roundeven(y[i, j]*0.25), 255), 0))
output z
`
	const steps = `[["SP", 3, 0, 8, [1, 2, 2], 1], ["SP", 3, 4, 32, [1, 1, 16], 1], ["SP", 3, 8, 3, [3], 1], ` +
		`["RE", 3, [0, 4, 1, 5, 8, 2, 6, 9, 3, 7]], ["AN", 3, 9, 2], ["FSP", 4, 0, 0, 1], ["FSP", 4, 2, 1, 1], ` +
		`["RE", 4, [0, 2, 1, 3]], ["CA", 3, 4, 1], ["CI", 1], ["AN", 4, 0, 3]]`
	if text := got.DAG.Text(); text != dag {
		t.Errorf("the DAG:\n%swant\n%s", text, dag)
	}
	if text := string(FormatSteps(got.Steps)); text != steps {
		t.Errorf("the steps:\n%s\nwant\n%s", text, steps)
	}
}

// TestNoGroups has a case for each state that stays as it is.
func TestNoGroups(t *testing.T) {
	d, err := compute.Parse(quantizedProduct)
	if err != nil {
		t.Fatal(err)
	}
	loops := strings.NewReplacer(`["SP", 3, 8, 10, [3, 4], 1]`, `["SP", 3, 8, 10, [3], 1]`, `7, 10]], ["AN", 3, 9, 2], ["AN", 3, 10, 11]`, `7]]`)
	for _, c := range []struct {
		why, steps string
		groups     *Groups
	}{
		{"no instruction", loops.Replace(tiledProduct), groupsOf("avxvnni")},
		{"the target has none", tiledProduct, groupsOf("fma")},
		{"nobody knows the target", tiledProduct, nil},
		{"its loops are not tiled", `[["SP", 3, 2, 10, [4], 1], ["AN", 3, 3, 11]]`, groupsOf("avxvnni")},
		{"they are not put in order", `[["SP", 3, 1, 32, [16], 1], ["SP", 3, 3, 10, [4], 1], ["AN", 3, 2, 2], ["AN", 3, 4, 11]]`, groupsOf("avxvnni")},
		{"the sum is in as many pieces as the rows", `[["SP", 3, 0, 8, [2], 1], ["SP", 3, 2, 32, [16], 1], ["SP", 3, 4, 10, [4], 1], ` +
			`["RE", 3, [0, 2, 4, 1, 3, 5]], ["AN", 3, 4, 2], ["AN", 3, 5, 11]]`, groupsOf("avxvnni")},
	} {
		s := mustReplay(t, New(d), c.steps)
		if got, err := Conventional(s, c.groups); err != nil || got != s {
			t.Errorf("%s: %v, %v", c.why, got, err)
		}
	}
}
