package compute_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/interp"
	"github.com/wmtune/wmtune/tir/tirtest"
)

// TestTextOfRandomDAGs reads back the text of random DAGs, which must compute
// the same bytes.
func TestTextOfRandomDAGs(t *testing.T) {
	for i := range 300 {
		r := rand.New(rand.NewPCG(1, uint64(i)))
		kind, d := tirtest.RandomDAG(r)
		text := d.Text()
		back, err := compute.Parse(text)
		if err != nil {
			t.Fatalf("%s: %v in\n%s", kind, err, text)
		}
		if again := back.Text(); again != text {
			t.Fatalf("%s: text\n%sreads back as\n%s", kind, text, again)
		}
		args := tirtest.Args(r, d)
		copies := make([]*interp.Tensor, len(args))
		for k, a := range args {
			c := *a
			c.Data = bytes.Clone(a.Data)
			copies[k] = &c
		}
		if err := interp.RunDAG(d, args); err != nil {
			t.Fatalf("%s: %v", kind, err)
		}
		if err := interp.RunDAG(back, copies); err != nil {
			t.Fatalf("%s: %v", kind, err)
		}
		for k := range args {
			if !bytes.Equal(args[k].Data, copies[k].Data) {
				t.Fatalf("%s: tensor %d differs after reading back\n%s", kind, k, text)
			}
		}
	}
}
