package lower

import (
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/target"
)

// Simplify, Unroll, Promote, Lanewise, Widen and Terms are single passes.
func Simplify(f *tir.Func) *tir.Func                  { return mustRun(simplify(f, Config{})) }
func Unroll(f *tir.Func, t target.Target) *tir.Func   { return mustRun(unroll(f, Config{Target: t})) }
func Promote(f *tir.Func, t target.Target) *tir.Func  { return mustRun(promote(f, Config{Target: t})) }
func Lanewise(f *tir.Func, t target.Target) *tir.Func { return mustRun(lanewise(f, Config{Target: t})) }
func Widen(f *tir.Func, t target.Target) *tir.Func    { return mustRun(widen(f, Config{Target: t})) }
func Terms(f *tir.Func, t target.Target) *tir.Func    { return mustRun(terms(f, Config{Target: t})) }

func mustRun(f *tir.Func, err error) *tir.Func {
	if err != nil {
		panic(err)
	}
	return f
}

// ReverseTraversals has all parallel loops gone through in the reverse order of
// their digits, and returns what ends that.
func ReverseTraversals() (restore func()) {
	saved := orderOf
	orderOf = func(t *traversal) []int {
		var list []int
		for d := range len(t.radix) - 1 {
			list = append(list, d)
		}
		return list
	}
	return func() { orderOf = saved }
}

// NearBytes changes the size up to which traverse takes tensors to be in a cache, of
// whichever core, and returns what changes it back.
func NearBytes(n float64) (restore func()) {
	near, own := nearBytes, ownBytes
	nearBytes, ownBytes = n, func(target.Target) float64 { return n }
	return func() { nearBytes, ownBytes = near, own }
}

// CopyWork changes how much work copies that repack and convert make must save, and returns what
// changes it back.
func CopyWork(n int64) (restore func()) {
	repack, uses, convert := repackWork, repackUses, convertWork
	repackWork, repackUses, convertWork = n, n, n
	return func() { repackWork, repackUses, convertWork = repack, uses, convert }
}

// CopyAlways has repack and convert copy all that they can, and returns what ends that.
func CopyAlways() (restore func()) {
	reads, lanes, parallel, conversions := repackReads, minRepackLanes, parallelRepack, convertReads
	regroup, widen := regroupReads, widenReads
	ends := CopyWork(1)
	repackReads, minRepackLanes, parallelRepack, convertReads = 1, 2, 1, 1
	regroupReads, widenReads = 1, 1
	return func() {
		ends()
		repackReads, minRepackLanes, parallelRepack, convertReads = reads, lanes, parallel, conversions
		regroupReads, widenReads = regroup, widen
	}
}

// PaddingAlways has skipPadding and interior do all that they can, and returns what ends that.
func PaddingAlways() (restore func()) {
	steps, inside, padding := interiorSteps, leastInterior, leastPadding
	interiorSteps, leastInterior, leastPadding, skipUnrolled = 1, 0.01, 0.001, true
	return func() { interiorSteps, leastInterior, leastPadding, skipUnrolled = steps, inside, padding, false }
}
