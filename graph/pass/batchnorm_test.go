package pass

import (
	"fmt"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/graph/graphtest"
)

// TestNormsBecomeWeights: whole runs of the passes leave no product and no sum of a norm behind a convolution, where
// that is allowed.
func TestNormsBecomeWeights(t *testing.T) {
	around := `
		input x: %[2]s[1, 2, 4, 4]
		const w: %[2]s[3, 2, 1, 1]
		const scale: %[2]s[3] {1, 2, -1}
		const shift: %[2]s[3] {0.5, 0, 1}
		const mean: %[2]s[3] {0, 1, 2}
		const var: %[2]s[3] {1, 2, 0.5}
		const each: %[2]s[3, 4, 4] {` + "0.5" + strings.Repeat(", 2", 47) + `}
		const none: %[2]s[0, 2, 1, 1]
		const empty: %[2]s[0] {}
		%[1]s
		output y`
	for _, test := range []struct {
		text string
		left int // products
	}{
		{"a = Conv(x, w)\ny = BatchNormalization(a, scale, shift, mean, var)", 0},
		{"a = Conv(x, w, shift)\ny = BatchNormalization(a, scale, shift, mean, var)", 0},
		{"a = Conv(x, w)\nb = Identity(a)\nc = Identity(b)\ny = BatchNormalization(c, scale, shift, mean, var)", 0},
		{"a = Conv(x, w)\nb = BatchNormalization(a, scale, shift, mean, var)\n" +
			"y = BatchNormalization(b, mean, mean, mean, var)", 0},
		{"a = Conv(x, w)\nb = BatchNormalization(a, scale, shift, mean, var)\n" +
			"y = BatchNormalization(b, mean, mean, mean, var)\noutput b", 1},
		{"a = Conv(x, w)\nb = Identity(a)\ny = BatchNormalization(b, scale, shift, mean, var)\noutput b", 1},
		{"a = Conv(x, w)\ny = BatchNormalization(a, scale, shift, mean, var)\noutput a", 1},
		{"a = Conv(x, w)\ny = BatchNormalization(a, each, each, each, each) spatial=0", 1},
		{"a = Conv(x, w)\ny = BatchNormalization(a, scale, shift, shift, shift) epsilon=0", 1},
		{"a = Conv(x, none)\ny = BatchNormalization(a, empty, empty, empty, empty)", 0},
	} {
		for _, typ := range []string{"float32", "float16"} {
			g := graphtest.MustParse(fmt.Sprintf(around, test.text, typ), 13)
			original, _ := g.Clone()
			if err := Run(t.Context(), g, Options{Check: true}); err != nil {
				t.Fatalf("%s: %v", test.text, err)
			}
			if typ == "float16" { // their products would be rounded once more
				if test.left == 0 && g.Outputs[0].Elems() > 0 && !strings.Contains(g.String(), "Mul(") {
					t.Errorf("%s of %s: the norm is gone\n%s", test.text, typ, g)
				}
				continue
			}
			if n := strings.Count(g.String(), "= Mul("); n != test.left {
				t.Errorf("%s: %d products, want %d\n%s", test.text, n, test.left, g)
			}
			if strings.Contains(test.text, "epsilon=0") {
				continue // one of the numbers is not
			}
			if err := equal(t.Context(), original, g); err != nil {
				t.Errorf("%s: %v", test.text, err)
			}
		}
	}
}
