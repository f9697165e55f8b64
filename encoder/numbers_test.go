package encoder

import (
	"math"
	"strings"
	"testing"
)

// numbersAt returns the numbers of a word of a text, where it is met first.
func numbersAt(t *testing.T, text, word string) [Numbers]float32 {
	t.Helper()
	at := strings.Index(text, word)
	if at < 0 {
		t.Fatalf("no %q", word)
	}
	return ReadNumbers(text, []int{at, at + len(word)})[1]
}

// The numbers of the product, by hand.
func TestReadNumbers(t *testing.T) {
	const inner = 64*4 + 4 + 64*2 // bytes of the innermost loop: a row of b2, one of b0, a row of b1
	for _, c := range []struct {
		word string
		want map[int]float64 // before the logarithm
		flag map[int]float32
	}{
		{"=b2[", map[int]float64{
			lineRuns: 16 * 8 * 32 * 64, lineParallel: 16, lineInner: 64, lineVector: 64, lineUnroll: 512, lineThreads: 0,
			lineStatements: 1, lineOperations: 2, lineWork: 2 * 16 * 8 * 32 * 64,
			lineHere: 4 + 4 + 2, lineNear1: inner, lineNear2: 64*4 + 32*4 + 32*64*2, lineNear4: 128*64*4 + 128*32*4 + 32*64*2,
			lineTask: 8*64*4 + 8*32*4 + 32*64*2, lineAll: 128*64*4 + 128*32*4 + 32*64*2, markNumber: 0,
			accessSize: 128 * 64 * 4, accessInner: 4, accessOuter: 0, accessNear: 64 * 4, accessTask: 8 * 64 * 4,
			accessReused: 32,
		}, map[int]float32{lineDepth: 4. / 8, lineLoops: 0, lineHeat: 0, accessUnit: 1, accessStill: 0}},
		{"b0[l0", map[int]float64{accessInner: 0, accessOuter: 4, accessSize: 128 * 32 * 4, accessReused: 64},
			map[int]float32{accessUnit: 0, accessStill: 1}},
		{"b1[l3", map[int]float64{accessInner: 2, accessOuter: 128, accessReused: 128},
			map[int]float32{accessUnit: 1}},
		{"for l3", map[int]float64{
			lineRuns: 16 * 8 * 32, lineInner: 32, lineOperations: 128, lineStatements: 1,
			lineHere: 64*4 + 32*4 + 32*64*2, markExtent: 32, lineNear1: inner,
		}, map[int]float32{lineDepth: 3. / 8, lineLoops: 2. / 8, lineHeat: 0}},
		{"parallel", map[int]float64{
			lineParallel: 16, lineInner: 0, lineWork: 2 * 128 * 64 * 32, lineStatements: 2,
			lineHere: 128*64*4 + 128*32*4 + 32*64*2,
		}, map[int]float32{lineLoops: 5. / 8}},
		{"=0.0", map[int]float64{lineRuns: 16 * 8 * 64, lineWork: 0},
			map[int]float32{lineHeat: scaledLog(16*8*64) - scaledLog(16*8*64*32)}},
		{"out", map[int]float64{textStatements: 2, textLoops: 5, textWork: 2 * 128 * 32 * 64, textAlloc: 128 * 4}, nil},
		{"2^5]", map[int]float64{markNumber: 32, accessSize: 128 * 32 * 4}, map[int]float32{markTwos: 5. / 8}},
		{"l3 2^5", map[int]float64{markNumber: 32, markExtent: 32}, map[int]float32{markTwos: 5. / 8}},
		{"f32", map[int]float64{markNumber: 0}, nil},
	} {
		got := numbersAt(t, product, c.word)
		for k, x := range c.want {
			if want := math.Log2(1+x) / 16; math.Abs(float64(got[k])-want) > 1e-6 {
				t.Errorf("%q: number %d is %v, so %v; want %v", c.word, k, got[k], math.Exp2(16*float64(got[k]))-1, x)
			}
		}
		for k, want := range c.flag {
			if math.Abs(float64(got[k]-want)) > 1e-6 {
				t.Errorf("%q: number %d is %v, want %v", c.word, k, got[k], want)
			}
		}
	}
}

// What a line says does not depend on how far it is from the loops around it.
func TestNumbersAreOfTheWholeText(t *testing.T) {
	far := strings.Replace(product, "   for l3", strings.Repeat("   b3[l1]=1.0\n", 2000)+"   for l3", 1)
	one, two := numbersAt(t, product, "=b2["), numbersAt(t, far, "=b2[")
	if two[textStatements] != scaledLog(2002) {
		t.Errorf("%v statements in all", two[textStatements])
	}
	if two[textStatements] = one[textStatements]; one != two {
		t.Errorf("%v\n%v", one, two)
	}
}

// Indices are computed as texts write them: // and % round toward minus infinity.
func TestEvaluate(t *testing.T) {
	for _, c := range []struct {
		index string
		want  float64
		ok    bool
	}{
		{"l0*2^3+l1", 8, true}, {"l1*2^3*7+l0*3", 3, true}, {"(l0*2^3-1)//2%(2^2*3)", 3, true}, {"-1//2", -1, true},
		{"-1%2^2", 3, true}, {"min(l0*7,2)+max(l0,3)", 5, true}, {"l0*(l1+5)", 5, true}, {"l10*9+l0", 1, true},
		{"b0[l0]", 0, false}, {"l0+", 0, false}, {"(l0", 0, false}, {"l0//l1", 0, false}, {"", 0, false},
		{strings.Repeat("(", 1000), 0, false}, {strings.Repeat("-", 1000) + "1", 0, false},
	} {
		if got, ok := evaluate(c.index, "l0"); ok != c.ok || ok && got != c.want {
			t.Errorf("%s is %v, %v; want %v, %v", c.index, got, ok, c.want, c.ok)
		}
	}
	if got := step("l0//2^2+l1*3+5", "l1"); got != 3 {
		t.Errorf("a step of %v", got)
	}
}

// Whatever the text and wherever tokens end, there are numbers between 0 and 64/16, but
// for depths and heat.
func FuzzNumbers(f *testing.F) {
	f.Add(product, 3)
	f.Add("b0[l0", 1)
	f.Add("out b0 f32[\n for l0 2^9^9\n b0[]]=[", 2)
	f.Add("b0 f32[2] strides[2]\nfor l0 3\n b0[l0//0]=b0[l0%0]*1\nelse\n", 1)
	f.Fuzz(func(t *testing.T, text string, by int) {
		var ends []int
		for at := 0; at < len(text); {
			at += 1 + int(uint(by)%7)
			ends = append(ends, at)
		}
		list := ReadNumbers(text, ends)
		if len(list) != len(ends) {
			t.Fatalf("numbers of %d of %d tokens", len(list), len(ends))
		}
		for _, numbers := range list {
			for k, v := range numbers {
				if x := float64(v); math.IsNaN(x) || math.IsInf(x, 0) || k != lineDepth && k != lineLoops && math.Abs(x) > 64./8 {
					t.Errorf("number %d is %v", k, v)
				}
			}
		}
	})
}
