package transition

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// Size is how many numbers an action's vector has.
const Size = 128

// VectorName names what the slots mean; it changes when they do.
const VectorName = "action-v3"

// The first slot of each group, and how many there are. What a kind of step has
// nothing to say of is 0.
const (
	kindSlots = 0              // 14: which kind of step
	roleSlots = kindSlots + 14 // 8: roles of the stage
	// 4: stage / stages, steps / 64, stages / 16, the step before was of this stage
	stateSlots = roleSlots + 8
	// 6: position from outside and inside / 32, spatial, reduce, mixed, log2 extent / 16
	loopSlots   = stateSlots + 4
	lengthSlots = loopSlots + 6 // 5 x 7: the outer piece and four lengths
	// there is one, log2 / 16, exponents of 2, 3, 5, 7 / 8, log2 of the rest / 16
	lengthSize  = 7
	splitSlots  = lengthSlots + 5*7 // 4: number of lengths / 4, they divide, product / extent, inner to outer
	annSlots    = splitSlots + 4    // 12: which annotation
	unrollSlots = annSlots + 12     // 3: log2(1+N) / 10, N is 0, of a loop of one iteration
	fuseSlots   = unrollSlots + 3   // 4: loops / 16, log2 extent / 24, all spatial, a stage is computed in them
	// 12: of six buckets from outside to inside, share of spatial loops and log2 of iterations / 24
	orderSlots = fuseSlots + 4
	// 8: of the target: four roles, position / 32 and log2 iterations / 24, each outside and inside
	targetSlots   = orderSlots + 12
	cacheSlots    = targetSlots + 8            // 4: local, shared, global, readers / 4
	wasteSlots    = cacheSlots + 4             // 1: log2(iterations of a split's pieces / extent) / 2, at most 1
	winogradSlots = wasteSlots + 1             // 2: of WG: it is one, tile / 8
	reservedSlots = winogradSlots + 2          // 11
	_             = uint(Size - reservedSlots) // the rest is 0
)

// kinds are the kinds of steps. kindSlot has the slot of each.
var kinds = [...]schedule.Kind{
	schedule.AN, schedule.FU, schedule.PR, schedule.RE, schedule.SP, schedule.FSP, schedule.FFSP,
	schedule.SA, schedule.CA, schedule.CI, schedule.CR, schedule.CHR, schedule.CHW, schedule.RF,
	schedule.WG,
}

// kindSlot returns the slot that says that an action is of a kind.
func kindSlot(kind int) int {
	if kinds[kind] == schedule.WG {
		return winogradSlots
	}
	return kindSlots + kind
}

// Vector writes the action as Size numbers.
func (a *Action) Vector(v []float32) {
	clear(v[:Size])
	if kind := slices.Index(kinds[:], a.Kind); kind >= 0 { // PH has none: there were models before it
		v[kindSlot(kind)] = 1
	}
	for _, r := range a.Roles {
		v[roleSlots+int(r)] = 1
	}
	copy(v[stateSlots:], []float32{float32(a.Stage) / float32(a.Stages), float32(a.Steps) / 64, float32(a.Stages) / 16,
		bit(a.Same)})
	if l := a.Loop; l != nil {
		copy(v[loopSlots:], []float32{
			float32(l.At) / 32, float32(l.Loops-1-l.At) / 32,
			bit(l.Kind == schedule.Spatial), bit(l.Kind == schedule.Reduction), bit(l.Kind == schedule.Mixed),
			log2(l.Extent) / 16,
		})
	}
	if a.Split != nil {
		a.split(v)
	}
	if a.Kind == schedule.AN {
		v[annSlots+int(a.Ann)] = 1
	}
	if a.Kind == schedule.PR {
		copy(v[unrollSlots:], []float32{log2(1+a.Unroll) / 10, bit(a.Unroll == 0), bit(a.Loop != nil && a.Loop.Extent == 1)})
	}
	if f := a.Fused; f != nil {
		copy(v[fuseSlots:], []float32{float32(f.Loops) / 16, log2(f.Extent) / 24, bit(f.Spatial), bit(f.Attached)})
	}
	a.order(v[orderSlots:])
	if t := a.Target; t != nil {
		t.vector(v[targetSlots:])
	}
	v[winogradSlots+1] = float32(a.Tile) / 8
	if c := a.Cache; c != nil {
		copy(v[cacheSlots:], []float32{bit(c.Scope == "local"), bit(c.Scope == "shared"), bit(c.Scope == "global"),
			float32(c.Readers) / 4})
	}
}

func (a *Action) split(v []float32) {
	p := a.Split
	lengthVector(v[lengthSlots:], p.Outer)
	product := 1.0
	for i, l := range p.Lengths {
		product *= float64(max(l, 1))
		if i < 4 {
			lengthVector(v[lengthSlots+(i+1)*lengthSize:], l)
		}
	}
	copy(v[splitSlots:], []float32{
		float32(len(p.Lengths)) / 4, bit(p.Divides), float32(min(product/float64(a.Loop.Extent), 1)), bit(p.InnerToOuter),
	})
	waste := math.Log2(product * float64(max(p.Outer, 1)) / float64(max(a.Loop.Extent, 1)))
	v[wasteSlots] = float32(min(waste, 2)) / 2
}

// lengthVector writes a length as its logarithm and its prime factors.
func lengthVector(v []float32, n int64) {
	n = max(n, 1)
	v[0], v[1] = 1, log2(n)/16
	for i, p := range []int64{2, 3, 5, 7} {
		for n%p == 0 {
			n /= p
			v[2+i] += 1.0 / 8
		}
	}
	v[6] = log2(n) / 16
}

// order writes a new order of loops, in six buckets from outside to inside. Each
// loop is in one.
func (a *Action) order(v []float32) {
	const buckets = 6
	n := len(a.Order)
	for b := range buckets {
		from, to := b*n/buckets, (b+1)*n/buckets
		for _, l := range a.Order[from:to] {
			if l.Kind == schedule.Spatial {
				v[2*b] += 1 / float32(to-from)
			}
			v[2*b+1] += log2(l.Extent) / 24
		}
	}
}

func (t *Place) vector(v []float32) {
	for _, r := range t.Roles {
		switch r {
		case Elementwise:
			v[0] = 1
		case Reduction:
			v[1] = 1
		case CacheRead, CacheWrite:
			v[2] = 1
		case Output:
			v[3] = 1
		}
	}
	l := t.Loop
	copy(v[4:], []float32{float32(l.At) / 32, float32(l.Loops-1-l.At) / 32, log2(t.Outside) / 24, log2(t.Inside) / 24})
}

func log2(n int64) float32 { return float32(math.Log2(float64(max(n, 1)))) }

func bit(b bool) float32 {
	if b {
		return 1
	}
	return 0
}

// appendKey appends what tells steps apart.
func appendKey(b []byte, step schedule.Step) []byte {
	put := func(list ...int) {
		for _, v := range list {
			b = binary.AppendVarint(b, int64(v))
		}
	}
	b = append(b, step.Kind()...)
	put(step.Stage())
	switch s := step.(type) {
	case schedule.Annotate:
		put(s.Iter, int(s.Ann))
	case schedule.Fuse:
		put(s.Iters...)
	case schedule.Pragma:
		put(s.Iter)
		b = append(b, s.Text...)
	case schedule.Reorder:
		put(s.Order...)
	case schedule.Split:
		put(s.Iter)
		for _, l := range s.Lengths {
			b = binary.AppendVarint(b, l)
		}
		b = append(b, byte(bit(s.InnerToOuter)))
	case schedule.FollowSplit:
		put(s.Iter, s.Src, s.Parts)
	case schedule.FollowFusedSplit:
		put(s.Iter, s.Level, int(bit(s.Factor)))
		put(s.Srcs...)
	case schedule.StorageAlign:
		put(s.Iter, int(s.Factor), int(s.Offset))
	case schedule.ComputeAt:
		put(s.Target, s.TargetIter)
	case schedule.ComputeInline, schedule.ComputeRoot:
	case schedule.CacheRead:
		put(s.Readers...)
		b = append(b, s.Scope...)
	case schedule.CacheWrite:
		b = append(b, s.Scope...)
	case schedule.Rfactor:
		put(s.Iter, s.FactorIter)
	case schedule.Winograd:
		put(int(s.Tile))
	case schedule.Phases:
	default:
		panic(fmt.Sprintf("BUG: transition: a step of kind %s", step.Kind()))
	}
	return b
}

// EncodedSize is how many numbers the encoder's vector of a program has.
const EncodedSize = 128

// StartSize is how many numbers a task begins with.
const StartSize = EncodedSize + hardwareSize + workloadSize

const (
	hardwareSize = 10
	workloadSize = 22
)

// Start returns the numbers that tell tasks apart, from which the first state is
// made: the encoder's vector of the program without steps (zeros if it is nil), the
// target's hardware, and what is computed. All are in the order of 1.
func Start(encoded []float32, d *compute.DAG, t target.Target) []float32 {
	v := make([]float32, EncodedSize, StartSize)
	copy(v, encoded)
	v = append(v, hardware(t)...)
	return append(v, workload(d)...)
}

// hardware returns logarithms of the target's numbers.
func hardware(t target.Target) []float32 {
	h := t.Hardware
	gpu := t.Kind == target.CUDA
	return []float32{
		bit(gpu), log2(int64(h.Cores)) / 8, log2(int64(h.VectorBytes)) / 8, log2(int64(h.VectorRegisters)) / 8,
		log2(int64(h.CacheLineBytes)) / 8, log2(int64(h.SharedBytes)) / 20, log2(int64(h.MaxThreads)) / 12,
		log2(int64(h.WarpSize)) / 8, log2(int64(h.MaxVthread)) / 8, 1,
	}
}

// workload describes the op with most iterations, its axes from inside to outside,
// and the sizes of what is read and written.
func workload(d *compute.DAG) []float32 {
	main, most, reductions := d.Ops[0], -1.0, 0
	for _, op := range d.Ops {
		if op.IsPlaceholder() {
			continue
		}
		points := 0.0
		for _, a := range op.Axes {
			points += math.Log2(float64(max(a.Extent, 1)))
		}
		for _, a := range op.ReduceAxes {
			points += math.Log2(float64(max(a.Extent, 1)))
		}
		if op.Combine != nil {
			reductions++
			points++ // of two ops with as many iterations, the one that reduces
		}
		if points > most {
			main, most = op, points
		}
	}
	v := []float32{float32(len(d.Ops)) / 16, float32(reductions) / 4, float32(most) / 32}
	v = append(v, extents(main.Axes, 5)...)
	v = append(v, extents(main.ReduceAxes, 4)...)
	v = append(v, tensorSizes(d.Inputs(), 4)...)
	v = append(v, tensorSizes(d.Results(), 2)...)
	return append(v, make([]float32, workloadSize-len(v))...)
}

// extents returns the logarithms of the last n axes, the innermost first.
func extents(axes []*compute.Axis, n int) []float32 {
	v := make([]float32, n)
	for k := range min(n, len(axes)) {
		v[k] = log2(axes[len(axes)-1-k].Extent) / 16
	}
	return v
}

// tensorSizes returns the logarithms of the sizes of the first n tensors.
func tensorSizes(list []*tir.Buffer, n int) []float32 {
	v := make([]float32, n)
	for k := range min(n, len(list)) {
		size := 0.0
		for _, extent := range list[k].Shape {
			size += math.Log2(float64(max(extent, 1)))
		}
		v[k] = float32(size) / 32
	}
	return v
}
