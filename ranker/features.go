package ranker

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// Columns is the number of features of a candidate.
const Columns = ActionColumns + TilingColumns + LocalityColumns + HardwareColumns

// HardwareColumns is the number of hardware features.
const HardwareColumns = 12

var hardwareNames = []string{"gpu", "cores", "vector", "registers", "L1", "L2", "L3", "line", "shared", "threads",
	"vthreads", "warp"}

// Features returns the features of a candidate, Columns numbers: action features,
// tiling features, locality features on a CPU and on a GPU what launches do, and those of
// the hardware. It is an error if bounds cannot be inferred.
func Features(s *schedule.State, t target.Target) ([]float32, error) {
	b, err := s.Bounds()
	if err != nil {
		return nil, fmt.Errorf("ranker: %w", err)
	}
	row := make([]float32, 0, Columns)
	row = append(row, Actions(s.DAG, s.Steps)...)
	row = append(row, tilingRow(s.Steps, b.State, t)...)
	m := machineOf(t)
	if t.Kind == target.CUDA {
		row = launches(row, b, t)
	} else {
		row = locality(row, b, m)
	}
	row = hardware(row, t, m)
	if len(row) != Columns {
		panic(fmt.Sprintf("BUG: ranker: %d features, of %d", len(row), Columns))
	}
	for i, v := range row {
		if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
			panic(fmt.Sprintf("BUG: ranker: feature %d is %v", i, v))
		}
	}
	return row, nil
}

// hardware appends what is known of a target, as logarithms.
func hardware(row []float32, t target.Target, m machine) []float32 {
	h := t.Hardware
	gpu := 0.0
	if t.Kind == target.CUDA {
		gpu, m = 1, machine{cores: multiprocessorsOf(t)}
	}
	of := func(n int) float64 { return math.Log2(1 + float64(max(n, 0))) }
	return add(row, gpu, math.Log2(1+m.cores), math.Log2(1+m.vector), math.Log2(1+m.registers),
		math.Log2(1+m.cache[0]), math.Log2(1+m.cache[1]), math.Log2(1+m.cache[2]),
		of(h.CacheLineBytes), of(h.SharedBytes), of(h.MaxThreads), of(h.MaxVthread), of(h.WarpSize))
}

// names returns the names of the columns of Features on a kind of target.
func names(kind target.Kind) []string {
	list := append(actionNames(), tilingNames()...)
	add := func(prefix string, names []string) {
		for _, n := range names {
			list = append(list, prefix+"."+n)
		}
	}
	if kind == target.CUDA {
		add("launches", launchesNames)
		for k := range launched {
			add(fmt.Sprintf("launch%d", k), launchNames)
		}
	} else {
		add("all", wholeNames)
		for k := range described {
			add(fmt.Sprintf("nest%d", k), nestNames)
		}
	}
	add("hardware", hardwareNames)
	return list
}

// numbered returns names with numbers.
func numbered(name string, n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf("%s%d", name, i)
	}
	return list
}

func actionNames() []string {
	var list []string
	for _, k := range kinds {
		list = append(list, "steps."+string(k))
	}
	list = append(list, "steps")
	for a := range annotations {
		list = append(list, fmt.Sprintf("annotations.%s", schedule.Annotation(a)))
	}
	list = append(list, "unroll", "unrolls")
	for k := range splitSlots {
		list = append(list, fmt.Sprintf("split%d.extent", k), fmt.Sprintf("split%d.outer", k))
		list = append(list, numbered(fmt.Sprintf("split%d.length", k), splitLengths)...)
	}
	list = append(list, "fused", "fused.most", "at", "at.most", "inner", "inner.most", "last")
	return append(list, numbered("extent", dims)...)
}

func tilingNames() []string {
	var list []string
	for _, c := range []struct {
		name string
		n    int
	}{{"tile.spatial", 5}, {"tile.reduce", 3}, {"tile.uneven", 3}, {"tile.last", 5}} {
		list = append(list, numbered(c.name, c.n)...)
	}
	list = append(list, "loops.blocks", "loops.threads", "loops.vthreads", "loops.vector", "loops.parallel",
		"waste.threads", "waste.warp", "waste.wave", "waste.cores", "waste.waves", "waste.turns")
	list = append(list, numbered("vector", 4)...)
	list = append(list, "tile.register", "tile.steps", "tile.work", "tile.results", "tile.all", "tile.unroll")
	list = append(list, numbered("tile.block", 4)...)
	list = append(list, numbered("tile.registers", 4)...)
	list = append(list, "tile.read0", "tile.read1", "tile.written", "tile.bytes", "tile.intensity",
		"register.last", "register.rest", "register.intensity")
	for k := range 3 {
		for _, n := range []string{"extent", "last", "left"} {
			list = append(list, fmt.Sprintf("fetch%d.%s", k, n))
		}
	}
	return list
}

// kinds is the order of the step kinds in features.
var kinds = []schedule.Kind{
	schedule.AN, schedule.FU, schedule.PR, schedule.RE, schedule.SP, schedule.FSP, schedule.FFSP,
	schedule.SA, schedule.CA, schedule.CI, schedule.CR, schedule.CHR, schedule.CHW, schedule.RF,
}

// stepKinds is the number of step kinds.
const stepKinds = 14

// kindNumber returns the place of a kind in features, from 0. The kind WG has none, since there were models before it:
// ok is false.
func kindNumber(k schedule.Kind) (n int, ok bool) {
	n = slices.Index(kinds, k)
	return n, n >= 0
}

const (
	annotations  = int(schedule.Tensorize) + 1
	splitSlots   = 14               // Split steps that are described one by one
	splitLengths = 4                // lengths of each
	splitWidth   = 2 + splitLengths // extent, outer extent, lengths
	sums         = 7
	dims         = 16 // extents of the arguments
)

// ActionColumns is the number of action features.
const ActionColumns = stepKinds + 1 + annotations + 2 + splitSlots*splitWidth + sums + dims

// Actions returns the action features of steps on d, ActionColumns numbers: how
// often each kind of step and annotation occurs, the largest unroll limit and how
// many there are, the first splits one by one, sums over fusions, computed-at
// positions and splits, and the extents of the arguments. Extents and lengths
// are logarithms to base 2; what there is none of is 0. FSP and FFSP steps only
// count: they repeat lengths of splits.
func Actions(d *compute.DAG, steps []schedule.Step) []float32 {
	a := actions{kind: make([]int, len(kinds))}
	for _, s := range steps {
		a.step(s)
	}
	row := make([]float32, 0, ActionColumns)
	for _, n := range a.kind {
		row = append(row, float32(n))
	}
	row = append(row, float32(len(steps)))
	for _, n := range a.annotation {
		row = append(row, float32(n))
	}
	row = append(row, log2(1+a.unroll), float32(a.kind[2]))
	splits := make([]float32, splitSlots*splitWidth)
	copy(splits, a.splits)
	row = append(row, splits...)
	row = append(row, a.fused, a.fusedMost, a.at, a.atMost, a.inner, a.innerMost, a.last)
	extents := make([]float32, 0, dims)
	for _, t := range d.Tensors {
		for _, n := range t.Shape {
			extents = append(extents, log2(n))
		}
	}
	return append(row, append(extents, make([]float32, dims)...)[:dims]...)
}

// actions is what steps add up to.
type actions struct {
	kind       []int
	annotation [annotations]int
	unroll     int64 // the largest limit
	splits     []float32

	fused, fusedMost float32 // iterators that FU steps fused: of all, of one
	at, atMost       float32 // iterators that CA steps name
	inner, innerMost float32 // log2 of what the lengths of a split multiply to
	last             float32 // of the last lengths
}

func (a *actions) step(step schedule.Step) {
	if k, ok := kindNumber(step.Kind()); ok {
		a.kind[k]++
	}
	switch s := step.(type) {
	case schedule.Annotate:
		a.annotation[s.Ann]++
	case schedule.Pragma:
		a.unroll = max(a.unroll, unrollLimit(s.Text))
	case schedule.Fuse:
		n := float32(len(s.Iters))
		a.fused, a.fusedMost = a.fused+n, max(a.fusedMost, n)
	case schedule.ComputeAt:
		n := float32(s.TargetIter)
		a.at, a.atMost = a.at+n, max(a.atMost, n)
	case schedule.Split:
		a.split(s)
	}
}

func (a *actions) split(s schedule.Split) {
	var inner, last float32
	for _, n := range s.Lengths {
		last = log2(n)
		inner += last
	}
	a.inner, a.innerMost, a.last = a.inner+inner, max(a.innerMost, inner), a.last+last
	if len(a.splits) == splitSlots*splitWidth {
		return
	}
	var slot [splitWidth]float32
	slot[0], slot[1] = log2(s.Extent), log2(outerExtent(s))
	for k := range min(len(s.Lengths), splitLengths) {
		slot[2+k] = log2(s.Lengths[k])
	}
	a.splits = append(a.splits, slot[:]...)
}

// outerExtent returns the extent of the loop that a split makes besides those of
// its lengths.
func outerExtent(s schedule.Split) int64 {
	n := s.Extent
	for _, length := range s.Lengths {
		if length > 1 {
			n = (n + length - 1) / length
		}
	}
	return n
}

// unrollLimit returns the limit that a pragma auto_unroll_max_step$N sets, or 0 of another pragma.
func unrollLimit(text string) int64 {
	after, ok := strings.CutPrefix(text, "auto_unroll_max_step$")
	if n, err := strconv.ParseInt(after, 10, 64); ok && err == nil {
		return n
	}
	return 0
}

// log2 returns the logarithm of an extent, 0 of one that is unknown.
func log2(n int64) float32 {
	if n < 1 {
		return 0
	}
	return float32(math.Log2(float64(n)))
}

// A machine is what features need to know of a CPU.
type machine struct {
	cores, vector, registers, line float64 // bytes, where they are some
	cache                          [3]float64
}

// sizes are the caches of a family of processors: of a core's own, first and
// second level, and its share of the third.
type sizes struct {
	names []string
	bytes [3]float64
}

const (
	kib = 1 << 10
	mib = 1 << 20
)

// families are the processors whose caches are known, by LLVM's names for them.
// Targets do not hold sizes of caches; orders of magnitude will do here.
var families = []sizes{
	{[]string{"znver1", "znver2", "znver3"}, [3]float64{32 * kib, 512 * kib, 4 * mib}},
	{[]string{"znver4", "znver5"}, [3]float64{32 * kib, 1 * mib, 4 * mib}},
	{[]string{"skylake-avx512", "cascadelake", "cooperlake", "x86-64-v4"}, [3]float64{32 * kib, 1 * mib, 1.375 * mib}},
	{[]string{"icelake-server", "icelake-client", "tigerlake", "rocketlake"}, [3]float64{48 * kib, 1.25 * mib, 1.5 * mib}},
	{[]string{"sapphirerapids", "emeraldrapids", "graniterapids"}, [3]float64{48 * kib, 2 * mib, 1.875 * mib}},
	{[]string{"haswell", "core-avx2", "broadwell", "skylake"}, [3]float64{32 * kib, 256 * kib, 2 * mib}},
	{[]string{"neoverse-n1"}, [3]float64{64 * kib, 1 * mib, 1 * mib}},
}

var otherCaches = [3]float64{32 * kib, 512 * kib, 2 * mib}

// machineOf returns what is known of a target, and the ordinary for what is not.
func machineOf(t target.Target) machine {
	h := t.Hardware
	or := func(n, otherwise int) float64 {
		if n > 0 {
			return float64(n)
		}
		return float64(otherwise)
	}
	m := machine{cores: or(h.Cores, 1), vector: or(h.VectorBytes, 32), line: or(h.CacheLineBytes, 64), cache: otherCaches}
	m.registers = or(h.VectorRegisters, 16)
	for _, f := range families {
		if slices.Contains(f.names, t.CPU) {
			m.cache = f.bytes
		}
	}
	m.cache[2] *= m.cores
	return m
}
