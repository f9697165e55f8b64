package op

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/wmtune/wmtune/tir/interp"
)

// TestFromHashAnyShapes: whatever shapes a log claims, there is a DAG that has
// them, or an error, and soon.
func TestFromHashAnyShapes(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	extents := []int64{1, 1, 2, 3, 4, 6, 7, 8, 14, 16, maxLogExtent, maxLogExtent + 1, 0, -1, 1 << 62}
	for _, l := range logDAGs {
		built := 0
		for range 300 {
			var shapes [][]int64
			var flat []int64
			few := 4 + rng.IntN(len(extents)-4) // mostly small ones, which fit together now and then
			for _, rank := range l.ranks {
				s := make([]int64, rank)
				for i := range s {
					s[i] = extents[rng.IntN(few)]
				}
				shapes, flat = append(shapes, s), append(flat, s...)
			}
			split, err := SplitShapes(l.hash, flat)
			if err != nil || !slices.EqualFunc(split, shapes, slices.Equal) {
				t.Fatalf("%s: %v became %v, %v", l.hash, shapes, split, err)
			}
			d, err := FromHash(l.hash, shapes)
			if err != nil {
				continue
			}
			built++
			for i, b := range d.Tensors {
				if !slices.Equal(b.Shape, shapes[i]) {
					t.Errorf("%s: %v became a DAG of %v", l.hash, shapes, b.Shape)
				}
			}
		}
		t.Logf("%s: %d of 300 were DAGs", l.hash, built)
	}
}

func TestSplitShapesRefuses(t *testing.T) {
	const matmul = "f3351bf9aef587a2fb1bf57b0fc78601" // ranks 2, 2, 2
	for n := range 9 {
		_, err := SplitShapes(matmul, make([]int64, n))
		if (err == nil) != (n == 6) {
			t.Errorf("%d extents: %v", n, err)
		}
	}
	if _, err := SplitShapes("unknown", nil); err == nil {
		t.Error("an unknown hash has shapes")
	}
}

// bertDAGs are DAGs of logs of BERT, whose texts TVM did not print for us: that the hash is right says that they are.
var bertDAGs = []struct {
	hash   string
	shapes [][]int64
	wrong  [][]int64 // the DAG of these has another hash
}{
	{"3458e75493bb4bb042e539b5ff4818fb", [][]int64{{128, 768}, {3072, 768}, {1, 3072}, {128, 3072}},
		[][]int64{{1, 768}, {3072, 768}, {1, 3072}, {1, 3072}}},
	{"5b1e704ad5950c6ef36e46f1856366cd", [][]int64{{1, 768}, {768, 768}, {1, 768}, {1, 768}},
		[][]int64{{2, 768}, {768, 768}, {1, 768}, {2, 768}}},
	{"32a5ff201401d5600f77ced9f22defaa", [][]int64{{12, 128, 64}, {12, 128, 64}, {12, 128, 128}},
		[][]int64{{12, 128, 64}, {12, 128, 32}, {12, 128, 128}}},
	{"2dde9ffcbf97381c0f0307643e09dac5", [][]int64{{128, 1, 768}, {128, 1, 1}}, [][]int64{{128, 1, 1024}, {128, 1, 1}}},
	{"dde89265d3f1a59075cee648386eac1e", [][]int64{{128, 1, 768}, {128, 1, 1}, {128, 1, 1}},
		[][]int64{{128, 1, 1024}, {128, 1, 1}, {128, 1, 1}}},
	{"80312e579af64168aa60737451fa5268", [][]int64{{8, 128, 1024}, {8, 128, 1}}, [][]int64{{8, 128, 768}, {8, 128, 1}}},
	{"f4076cf77b9c332e704707e2981ab70e", [][]int64{{8, 128, 1024}, {8, 128, 1}, {8, 128, 1}},
		[][]int64{{8, 128, 768}, {8, 128, 1}, {8, 128, 1}}},
}

// TestFromHashBERT: the DAGs of BERT's logs are those of its shapes; a mean over another length is another DAG.
func TestFromHashBERT(t *testing.T) {
	for _, c := range bertDAGs {
		if _, err := FromHash(c.hash, c.shapes); err != nil {
			t.Error(err)
		}
		if d, err := FromHash(c.hash, c.wrong); err == nil {
			t.Errorf("%s: %v became\n%s", c.hash, c.wrong, d)
		}
	}
}

// TestFastTanh: the polynomials of the pooler are those of tanh, which is 1 in float32 from 9 on.
func TestFastTanh(t *testing.T) {
	d, err := FromHash("5b1e704ad5950c6ef36e46f1856366cd", [][]int64{{1, 768}, {768, 768}, {1, 768}, {1, 768}})
	if err != nil {
		t.Fatal(err)
	}
	args := interp.NewTensors(d.Tensors)
	for i := range 768 { // the product is 0, and what is added goes from -12 to 12
		args[2].SetFloat(i, float64(i-384)/32)
	}
	if err := interp.RunDAG(d, args); err != nil {
		t.Fatal(err)
	}
	for i := range 768 {
		x, y := args[2].Float(i), args[3].Float(i)
		if want := math.Tanh(x); math.Abs(y-want) > 1e-6 {
			t.Errorf("tanh(%v) = %v, not %v", x, y, want)
		}
	}
}
