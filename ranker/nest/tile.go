package nest

import (
	"math"

	"github.com/wmtune/wmtune/tir/schedule"
)

// A Tile is the innermost loops of a nest: those inside the innermost loop that
// reduces, or of a stage that does not reduce, the vector and what is next to it.
type Tile struct {
	Lanes   float64 // of the vectorized loop; 1 if there is none
	Vectors float64 // registers of results
	Steps   float64 // how many steps of the reduction the results stay for
	Reads   float64 // vectors that one step reads
	Spread  float64 // loads of one step that take lanes apart, times lanes
	Same    float64 // loads of one step that all lanes share
	Use     float64 // the share of lanes that work
	Stride  float64 // of the result along the vector
}

// Tile describes the innermost tile, for vectors of so many bytes.
func (n *Nest) Tile(vectorBytes float64) Tile {
	reduce, vector := -1, -1
	for k := n.Own; k < len(n.Loops); k++ {
		l := n.Loops[k]
		if l.Reduce && l.Extent > 1 {
			reduce = k
		}
		if l.Ann == schedule.Vectorize {
			vector = k
		}
	}
	t := Tile{Lanes: 1, Vectors: 1, Steps: 1, Use: 1}
	width := max(vectorBytes/n.Accesses[0].Bytes, 1)
	from := reduce + 1
	if reduce < 0 {
		from = max(vector, n.Own)
		if vector < 0 {
			from = len(n.Loops)
		}
	}
	axis := -1
	t.Use = 1 / width
	if vector >= 0 {
		t.Lanes = float64(n.Loops[vector].Extent)
		t.Use = t.Lanes / (math.Ceil(t.Lanes/width) * width)
		axis = n.axisOf(vector)
	}
	for k := from; k < len(n.Loops); k++ {
		e := float64(n.Loops[k].Extent)
		if k == vector {
			e = math.Ceil(e / width)
		}
		t.Vectors *= e
	}
	for k := reduce; k >= n.Own && (n.Loops[k].Reduce || n.Loops[k].Extent == 1); k-- {
		t.Steps *= float64(n.Loops[k].Extent)
	}
	counts := n.counts(from)
	for i := range n.Accesses {
		a := &n.Accesses[i]
		stride := 0.0
		if axis >= 0 {
			stride = a.Stride(axis)
		}
		if a.Write {
			t.Stride = stride
			continue
		}
		elements := a.Elements(counts)
		switch {
		case vector < 0 || vector < from:
			t.Spread += elements
			t.Reads += elements
		case stride == 0:
			t.Same += elements
			t.Reads += elements
		case stride == 1:
			t.Reads += elements / t.Lanes * math.Ceil(t.Lanes/width)
		default:
			t.Spread += elements
			t.Reads += elements
		}
	}
	return t
}

// axisOf returns the axis along which a loop runs fastest: the one that it alone
// moves by the smallest reach; -1 if it moves none.
func (n *Nest) axisOf(loop int) int {
	inner, outer := n.counts(loop+1), n.counts(loop)
	for axis := range outer {
		if outer[axis] > inner[axis] {
			last := axis
			for k := axis + 1; k < len(outer); k++ {
				if outer[k] > inner[k] {
					last = k
				}
			}
			return last
		}
	}
	return -1
}
