// Package trees predicts with boosted trees that XGBoost grew, in Go: using a model
// needs no library.
//
// The package must not know what the columns of a row mean.
package trees

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/dmitryikh/leaves"
)

// A Model predicts. It may be used by several goroutines at once.
type Model struct{ ensemble *leaves.Ensemble }

// Read reads a model in XGBoost's binary format (xgboost.Binary). Its objective
// must be one whose prediction is the sum of the trees, as of rankings and least
// squares.
func Read(model []byte) (*Model, error) {
	patched, err := Patch(model)
	if err != nil {
		return nil, err
	}
	return ReadPatched(patched)
}

// Patch changes a model in XGBoost's binary format to what ReadPatched reads.
func Patch(model []byte) ([]byte, error) {
	patched, err := forLeaves(model)
	if err != nil {
		return nil, fmt.Errorf("trees: reading the model: %w", err)
	}
	return patched, nil
}

// ReadPatched reads what Patch returned. The bytes are checked first, since the library that
// reads them allocates and follows what they say.
func ReadPatched(patched []byte) (*Model, error) {
	if err := check(patched); err != nil {
		return nil, fmt.Errorf("trees: reading the model: %w", err)
	}
	e, err := leaves.XGEnsembleFromReader(bufio.NewReader(bytes.NewReader(patched)), false)
	if err != nil {
		return nil, fmt.Errorf("trees: reading the model: %w", err)
	}
	return &Model{e}, nil
}

// check reports what is wrong with the structure of a patched model: a count beyond its end, a
// node that is not in a tree or has two parents, a column that no row has.
func check(patched []byte) error {
	c := &cursor{rest: patched}
	learner := c.skip(learnerSize)
	var kind []byte
	for range 2 { // names of the objective and the booster
		if n := c.skip(8); n != nil {
			kind = c.skip(int(min(binary.LittleEndian.Uint64(n), uint64(len(patched))+1)))
		}
	}
	booster := c.skip(boosterSize)
	if booster == nil {
		return errTruncated
	}
	if groups := binary.LittleEndian.Uint32(booster[groupsAt:]); string(kind) != "gbtree" || groups != 1 {
		return fmt.Errorf("it is a %q of %d outputs; wmtune reads a gbtree of 1", kind, groups)
	}
	columns, trees := binary.LittleEndian.Uint32(learner[columnsAt:]), int64(binary.LittleEndian.Uint32(booster))
	if trees*(treeSize+nodeSize+nodeStatSize) > int64(len(c.rest)) {
		return errTruncated
	}
	for i := range trees {
		head := c.skip(treeSize)
		if head == nil {
			return errTruncated
		}
		n := int(binary.LittleEndian.Uint32(head[nodesAt:]))
		nodes, stats := c.skip(n*nodeSize), c.skip(n*nodeStatSize)
		if n == 0 || nodes == nil || stats == nil {
			return errTruncated
		}
		if binary.LittleEndian.Uint32(head[leafVectorAt:]) != 0 {
			return fmt.Errorf("tree %d has vectors in its leaves", i)
		}
		if err := checkTree(nodes, columns); err != nil {
			return fmt.Errorf("tree %d: %w", i, err)
		}
	}
	if c.skip(4*int(trees)) == nil {
		return errTruncated
	}
	return nil
}

// checkTree follows the nodes of a tree from its root.
func checkTree(nodes []byte, columns uint32) error {
	seen := make([]bool, len(nodes)/nodeSize)
	for open := []uint32{0}; len(open) > 0; {
		at := open[len(open)-1]
		open = open[:len(open)-1]
		if int64(at) >= int64(len(seen)) || seen[at] {
			return fmt.Errorf("node %d of %d is not there, or has two parents", at, len(seen))
		}
		seen[at] = true
		node := nodes[int(at)*nodeSize:][:nodeSize]
		if isLeaf(node) {
			continue
		}
		if column := binary.LittleEndian.Uint32(node[columnAt:]) &^ (1 << 31); column >= columns {
			return fmt.Errorf("node %d looks at column %d of %d", at, column, columns)
		}
		open = append(open, binary.LittleEndian.Uint32(node[leftAt:]), binary.LittleEndian.Uint32(node[rightAt:]))
	}
	return nil
}

// Sum returns the sum of the predictions of rows, one after the other, of so many
// columns.
func (m *Model) Sum(rows []float32, columns int) float64 {
	wide := make([]float64, columns)
	sum := 0.0
	for len(rows) > 0 {
		for k, v := range rows[:columns] {
			wide[k] = float64(v)
		}
		sum += m.ensemble.PredictSingle(wide, 0)
		rows = rows[columns:]
	}
	return sum
}

// Columns returns how many columns a row must have at least.
func (m *Model) Columns() int { return m.ensemble.NFeatures() }

// Predict sets out to the predictions of rows.
func (m *Model) Predict(rows [][]float32, out []float64) {
	var wide []float64
	for i, row := range rows {
		if len(row) < m.Columns() {
			panic(fmt.Sprintf("BUG: trees: a row of %d columns for trees of %d", len(row), m.Columns()))
		}
		wide = wide[:0]
		for _, v := range row {
			wide = append(wide, float64(v))
		}
		out[i] = m.ensemble.PredictSingle(wide, 0)
	}
}

// The sizes of the records of XGBoost's binary format in bytes, and where the
// fields stand that have to change.
const (
	prefix       = "binf"
	learnerSize  = 136
	boosterSize  = 160
	columnsAt    = 4  // in the learner's record: the number of columns
	groupsAt     = 24 // in the booster's record: the number of output groups
	treeSize     = 148
	nodesAt      = 4  // in a tree's record: the number of nodes
	leafVectorAt = 20 // in a tree's record: the size of a leaf's vector
	nodeSize     = 20
	leftAt       = 4  // in a node: the left child, -1 in a leaf
	rightAt      = 8  // in a node: the right child
	columnAt     = 12 // in a node; the highest bit is where missing values go
	thresholdAt  = 16 // in a node
	nodeStatSize = 16
)

var (
	errTruncated = errors.New("it ends too early")
	errNumbers   = errors.New("it has values that are no numbers")
)

// forLeaves changes a model of XGBoost 1.x or 2.x, in its binary format, to what
// the package leaves reads: the prefix goes; the number of output groups is 1
// where it is not set; each threshold is the next smaller number, because leaves
// compares with <= and XGBoost with <; a tree that was pruned to its root loses
// the nodes below it, which XGBoost keeps; and the statistics of training are
// zero: no prediction reads them, and they are two thirds of a compressed model.
func forLeaves(model []byte) ([]byte, error) {
	rest, ok := bytes.CutPrefix(bytes.Clone(model), []byte(prefix))
	if !ok {
		return nil, fmt.Errorf("it does not begin with %q", prefix)
	}
	c := &cursor{rest: rest}
	c.take(learnerSize)
	for range 2 { // names of the objective and the booster
		if n := c.take(8); n != nil {
			c.take(int(min(binary.LittleEndian.Uint64(n), uint64(len(rest)))))
		}
	}
	booster := c.take(boosterSize)
	if booster == nil {
		return nil, errTruncated
	}
	if groups := booster[groupsAt : groupsAt+4]; binary.LittleEndian.Uint32(groups) == 0 {
		binary.LittleEndian.PutUint32(groups, 1)
	}
	for range binary.LittleEndian.Uint32(booster) {
		if err := c.tree(); err != nil {
			return nil, err
		}
	}
	return append(c.out, c.rest...), nil
}

// A cursor goes through bytes, and keeps those that it has taken.
type cursor struct{ rest, out []byte }

// take takes the next n bytes and returns where they are kept, or nil if there
// are fewer. What it returns may be changed until the next call.
func (c *cursor) take(n int) []byte {
	b := c.skip(n)
	at := len(c.out)
	c.out = append(c.out, b...)
	if b == nil {
		return nil
	}
	return c.out[at:]
}

// skip returns the next n bytes, or nil if there are fewer.
func (c *cursor) skip(n int) []byte {
	if n < 0 || n > len(c.rest) {
		c.rest = nil
		return nil
	}
	b := c.rest[:n:n]
	c.rest = c.rest[n:]
	return b
}

// tree takes a tree and changes it.
func (c *cursor) tree() error {
	head := c.skip(treeSize)
	if head == nil {
		return errTruncated
	}
	n := int(binary.LittleEndian.Uint32(head[nodesAt:]))
	nodes, stats := c.skip(n*nodeSize), c.skip(n*nodeStatSize)
	if n == 0 || nodes == nil || stats == nil {
		return errTruncated
	}
	if isLeaf(nodes) {
		binary.LittleEndian.PutUint32(head[nodesAt:], 1)
		nodes, stats = nodes[:nodeSize], stats[:nodeStatSize]
	}
	clear(stats)
	for node := range slices.Chunk(nodes, nodeSize) {
		t := math.Float32frombits(binary.LittleEndian.Uint32(node[thresholdAt:]))
		if math.IsNaN(float64(t)) || math.IsInf(float64(t), 0) {
			return errNumbers
		}
		if !isLeaf(node) {
			binary.LittleEndian.PutUint32(node[thresholdAt:], math.Float32bits(math.Nextafter32(t, float32(math.Inf(-1)))))
		}
	}
	c.out = append(append(append(c.out, head...), nodes...), stats...)
	return nil
}

func isLeaf(node []byte) bool { return int32(binary.LittleEndian.Uint32(node[leftAt:])) == -1 }
