package vdla

import "fmt"

// An order knows which instructions are surely done when another one begins: those before it in its queue, and those
// that tokens tell it of. It does not depend on how long anything takes: a program that is right by luck is refused.
type order struct {
	count  [3]int64    // instructions that a unit has begun
	known  [3][3]int64 // how many of another unit (second) each unit knows to be done
	tokens [3][3][]token
	cells  [len(memories)][]cell
}

// A token says when a unit pushed it, and what the unit knew.
type token struct {
	time  int64
	knows [3]int64
}

// A cell is a vector, a block or a micro-operation of a memory.
type cell struct {
	writer  Unit
	written int64    // number of the instruction, from 1, in the writer's queue; 0: none
	read    [3]int64 // by unit, the last one that read it
	have    uint16   // which of its 16 bytes are written, by bit
}

func newOrder() order {
	var o order
	for m := range memories {
		o.cells[m] = make([]cell, memories[m].bytes/memories[m].unit)
	}
	return o
}

func (o *order) push(from, to Unit, now int64) {
	t := token{time: now, knows: o.known[from]}
	t.knows[from] = o.count[from]
	o.tokens[from][to] = append(o.tokens[from][to], t)
}

func (o *order) pop(from, to Unit) {
	t := o.tokens[from][to][0]
	o.tokens[from][to] = o.tokens[from][to][1:]
	for u := range o.known[to] {
		o.known[to][u] = max(o.known[to][u], t.knows[u])
	}
}

// access notes that the instruction that a unit carries out reads or writes bytes of a memory. It says why it must not.
func (o *order) access(u Unit, m Memory, at, bytes int64, write bool) string {
	unit := memories[m].unit
	for i := at / unit; i*unit < at+bytes; i++ {
		c := &o.cells[m][i]
		if c.written > 0 && c.writer != u && o.known[u][c.writer] < c.written {
			return fmt.Sprintf("no token orders it behind the instruction of %s that wrote number %d of memory %s",
				c.writer, i, m)
		}
		part := parts(max(at, i*unit)-i*unit, min(at+bytes, (i+1)*unit)-i*unit)
		if !write {
			if c.have&part != part {
				return fmt.Sprintf("it reads number %d of memory %s, which nothing wrote", i, m)
			}
			c.read[u] = o.count[u]
			continue
		}
		for v, read := range c.read {
			if Unit(v) != u && o.known[u][v] < read {
				return fmt.Sprintf("no token orders it behind the instruction of %s that reads number %d of memory %s",
					Unit(v), i, m)
			}
		}
		c.writer, c.written, c.have = u, o.count[u], c.have|part
	}
	return ""
}

// parts returns bits for the granules between two bytes of a cell.
func parts(from, to int64) uint16 {
	first, end := from/granule, (to+granule-1)/granule
	return uint16(1<<end - 1<<first)
}
