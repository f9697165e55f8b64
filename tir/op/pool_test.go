package op

import (
	"fmt"
	"math"
	"testing"
)

// A poolCase is a pool in words of the test.
type poolCase struct{ h, w, c, kh, kw, s, p, n int }

var poolCases = []poolCase{{6, 7, 3, 2, 2, 2, 0, 1}, {5, 8, 2, 3, 3, 1, 1, 2}, {9, 6, 2, 3, 4, 2, 2, 1}}

func (c poolCase) spec(op string, first bool) string {
	spec := fmt.Sprintf("%s:h=%d,w=%d,c=%d,k=%dx%d,s=%d,p=%d,batch=%d", op, c.h, c.w, c.c, c.kh, c.kw, c.s, c.p, c.n)
	if first {
		spec += ",layout=NCHW"
	}
	return spec
}

// want folds the elements of each window that are in the image.
func (c poolCase) want(first bool, fold func(list []float64) float64) reference {
	size := []int{(c.h+2*c.p-c.kh)/c.s + 1, (c.w+2*c.p-c.kw)/c.s + 1}
	return func(in []array) array {
		return each(imageShape(first, c.n, size, c.c), func(at []int) float64 {
			n, pos, ch := imageIndex(at, first)
			var list []float64
			for y := range c.kh {
				for x := range c.kw {
					v := imageAt(in[0], first, n, []int{pos[0]*c.s + y - c.p, pos[1]*c.s + x - c.p}, ch, math.NaN())
					if !math.IsNaN(v) {
						list = append(list, v)
					}
				}
			}
			return fold(list)
		})
	}
}

func largest(list []float64) float64 {
	m := math.Inf(-1)
	for _, v := range list {
		m = max(m, v)
	}
	return m
}

func total(list []float64) float64 { return sumOver(len(list), func(i int) float64 { return list[i] }) }

func TestPool(t *testing.T) {
	for _, c := range poolCases {
		for _, first := range []bool{false, true} {
			compare(t, c.spec("maxpool2d", first), allTypes, c.want(first, largest))
			area := float64(c.kh * c.kw)
			compare(t, c.spec("avgpool2d", first), floatTypes, c.want(first, func(l []float64) float64 { return total(l) / area }))
			compare(t, c.spec("avgpool2d", first)+",count_pad=0", floatTypes,
				c.want(first, func(l []float64) float64 { return total(l) / float64(len(l)) }))
		}
	}
}

func TestGlobalPool(t *testing.T) {
	c := poolCase{h: 5, w: 3, c: 4, kh: 5, kw: 3, s: 1, n: 2}
	for _, first := range []bool{false, true} {
		spec := "h=5,w=3,c=4,batch=2"
		if first {
			spec += ",layout=NCHW"
		}
		compare(t, "global_avgpool2d:"+spec, floatTypes, c.want(first, func(l []float64) float64 { return total(l) / 15 }))
		compare(t, "global_maxpool2d:"+spec, allTypes, c.want(first, largest))
	}
}

// TestPoolKeepsType: picking elements does not widen them.
func TestPoolKeepsType(t *testing.T) {
	for _, spec := range []string{"maxpool2d:h=4,w=4,c=2,k=2", "global_maxpool2d:h=4,w=4,c=2", "max:m=4,n=4", "min:m=4,n=4"} {
		for _, name := range allTypes {
			w, err := Parse(spec + ",dtype=" + name)
			if err != nil {
				t.Error(err)
				continue
			}
			if got := w.DAG.Results()[0].Type; got != w.DAG.Inputs()[0].Type {
				t.Errorf("%s of %s gives %s", spec, name, got)
			}
		}
	}
}

func TestPoolRefuses(t *testing.T) {
	refused(t, "maxpool2d:h=8,w=8,c=2,k=2,p=2", "a padding of 2 with windows of 2")
	refused(t, "avgpool2d:h=8,w=8,c=2,k=2x3,p=1x3", "a padding of 3 with windows of 3")
	refused(t, "maxpool2d:h=1,w=8,c=2,k=2", "does not fit into 1 elements")
	refusedInts(t, "avgpool2d:h=8,w=8,c=2,k=2")
	refusedInts(t, "global_avgpool2d:h=8,w=8,c=2")
}
