package encoder

import (
	"math"
	"testing"
)

// A matrix product on a CPU: 2^4 parallel tasks of 8 rows and 2^6 columns.
const product = `b0 f32[2^7,2^5]
b1 f16[2^5,2^6]
out b2 f32[2^7,2^6]
alloc b3 f32[2^7] local
auto_unroll_max_step 2^9
 parallel l0 2^4
  for l1 2^3
   vector l2 2^6
    b2[l0*2^3+l1,l2]=0.0
   for l3 2^5
    vector l4 2^6
     b2[l0*2^3+l1,l4]=b2[l0*2^3+l1,l4]+b0[l0*2^3+l1,l3]*f32(b1[l3,l4])
`

func TestFacts(t *testing.T) {
	want := [Facts]float64{
		2 * 128 * 32 * 64, // a sum, a product; the conversion ends in a digit and is free
		16, 64, 64, 512, 5, 2,
		64*4 + 4 + 64*2,               // a row of the output, one of b0, a row of b1
		8*64*4 + 8*32*4 + 32*64*2,     // of 8 rows
		128*64*4 + 128*32*4 + 32*64*2, // of all
		128 * 4,
		0,
	}
	for k, got := range ReadFacts(product) {
		if w := math.Log2(1 + want[k]); math.Abs(float64(got)-w) > 1e-5 {
			t.Errorf("%s is %v, want %v", FactNames[k], got, w)
		}
	}
	gpu := ReadFacts("out b0 f32[2^9]\nblockIdx.x l0 2^2\n vthread l1 2\n  threadIdx.x l2 2^5\n   unroll l3 2\n    " +
		"b0[l0*2^7+l1*2^6+l2*2+l3]=1.0\n")
	if gpu[1] != float32(math.Log2(5)) || gpu[11] != float32(math.Log2(65)) || gpu[4] != float32(math.Log2(3)) {
		t.Errorf("of a GPU program: %v", gpu)
	}
}

// What is reached in a dimension is at most all of it.
func TestFactsOfOverlaps(t *testing.T) {
	f := ReadFacts("b0 f32[13]\nout b1 f32[11,3]\nfor l0 11\n for l1 3\n  b1[l0,l1]=b0[l0+l1]\n")
	if want := float32(math.Log2(1 + 4*(11*3+13))); f[9] != want {
		t.Errorf("%v are touched, want %v", f[9], want)
	}
}

// Whatever the text, there are finite facts.
func FuzzFacts(f *testing.F) {
	f.Add(product)
	f.Add("b0[l0")
	f.Add("out b0 f32[\n for l0 2^9^9\n b0[]]=[")
	f.Fuzz(func(t *testing.T, text string) {
		for k, v := range ReadFacts(text) {
			if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
				t.Errorf("%s is %v", FactNames[k], v)
			}
		}
	})
}
