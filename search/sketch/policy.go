package sketch

import (
	"slices"

	"github.com/wmtune/wmtune/tir/winograd"
)

// A Policy is how sketches are made for a kind of target: the rules, in the
// order in which they are tried, and what they read.
type Policy struct {
	Rules []Rule

	// Tiling is the structure of multi-level tiling: S is a level of the spatial
	// loops, R of the reduce loops, outermost first.
	Tiling string

	// FollowLevels are the numbers of spatial levels after which a tiled stage
	// may be computed inside its reader.
	FollowLevels []int

	Fuse   Fusion
	Inline Inlining

	// Doubt is how many times as high as the lowest one the estimate of a convolution in tiles, or of the direct one,
	// may be for it to have sketches.
	Doubt float64

	// TF32 allows products of float32 to be computed by tensor cores, which round what
	// they multiply to 10 bits of mantissa.
	TF32 bool
}

// Inlining says which stages are always inlined.
type Inlining uint8

// The kinds of inlining.
const (
	InlineStrict Inlining = iota // those that are cheap wherever they are read
	InlineAll                    // all but inputs, outputs and reductions
)

// Fusion says what becomes of tiled stages that their readers can hold.
type Fusion uint8

// The kinds of fusion.
const (
	MayFuse    Fusion = iota // sketches with and without
	AlwaysFuse               // only sketches with
)

// CPU is the default policy of processors. The stages of attention are computed together, and the inverse of a Winograd
// convolution in its readers; AutoScheduler's space has loops of their own for most of them. Convolutions are computed
// in such tiles where that may take less time, and transposed ones in phases. Products of which the target has an
// instruction (tir.Instruction) are computed by it as well.
var CPU = withRule(withRule(withRule(withRule(withRule(withRule(withRule(withRule(
	AutoScheduler.doubting(winograd.Doubt),
	"add rfactor", Rule{instructionRule, whenInstruction, tileInstructions}),
	"always inline", Rule{"attend", whenAttends, attend}),
	"simplify compute with const tensor", Rule{"const tensor in tiles", whenReadInTiles, unrollInTiles}),
	"simplify compute with const tensor", Rule{"transform in tiles", whenTransformed, transformInTiles}),
	"simplify compute with const tensor", Rule{"transform vectors", whenTransforms, transformVectors}),
	"add rfactor", Rule{winogradRule, whenConvolution, convolveInTiles}),
	"always inline", Rule{phasesRule, whenSpread, divideIntoPhases}),
	"add rfactor", Rule{"tile phases", whenPhases, tilePhases})

func (p Policy) doubting(factor float64) Policy {
	p.Doubt = factor
	return p
}

// Untiled returns the policy without Winograd's algorithm.
func (p Policy) Untiled() Policy { return p.without(winogradRule) }

// Direct returns the policy without steps that AutoScheduler has not: Winograd's algorithm and phases.
func (p Policy) Direct() Policy { return p.Untiled().without(phasesRule) }

// Plain returns the policy without instructions, which need operands in groups.
func (p Policy) Plain() Policy { return p.without(instructionRule) }

func (p Policy) without(rule string) Policy {
	p.Rules = slices.DeleteFunc(slices.Clone(p.Rules), func(r Rule) bool { return r.Name == rule })
	return p
}

const (
	winogradRule    = "convolve in tiles"
	phasesRule      = "phases"
	instructionRule = "tiles for instructions"
)

// AutoScheduler is the policy of processors with caches.
var AutoScheduler = Policy{
	Rules: []Rule{
		{"always inline", whenInlineable, inline},
		{"simplify compute with const tensor", whenConstTensor, unrollConstTensor},
		{"add rfactor", whenFactored, factor},
		{"add cache write", whenCached, cacheWrite},
		{"multi-level tiling with fusion", whenTiledAndFused, tileAndFuse},
		{"multi-level tiling", whenTiled, tile},
		{"skip stage", always, skip},
	},
	Tiling:       "SSRSRS",
	FollowLevels: []int{1, 2},
	Fuse:         MayFuse,
}

// CUDA is the policy of GPUs.
var CUDA = Policy{
	Rules: []Rule{
		{"add cache read", whenCacheRead, cacheRead},
		{"special compute location", whenBesideConstTensor, computeBeforeUnrolled},
		{"always inline", whenInlineable, inline},
		{"simplify compute with const tensor", whenConstTensor, unrollConstTensor},
		{"cross thread reduction", whenCrossThread, crossThread},
		{"add cache write", whenCached, cacheWrite},
		{"multi-level tiling with fusion", whenTiledAndFused, tileAndFuse},
		{"multi-level tiling", whenTiled, tile},
		{"skip stage", always, skip},
	},
	Tiling:       "SSSRRSRS",
	FollowLevels: []int{3},
	Fuse:         AlwaysFuse,
	Inline:       InlineAll,
}

// CUDATensor is the policy of GPUs with tensor cores as well: products of 16-bit floats have
// a sketch more, and with TF32 those of float32.
var CUDATensor = withRule(CUDA, "multi-level tiling with fusion", Rule{TensorRule, whenTensor, tileTensor})

// GPU is the default policy of GPUs. Sums have a sketch more with a block for each result, and long sums of few results
// have some that divide them over blocks: AutoScheduler's space has neither.
var GPU = withRule(withRule(CUDATensor,
	"cross thread reduction", Rule{"result in a block", whenInBlocks, inBlocks}),
	"cross thread reduction", Rule{"sum divided over blocks", whenDivided, divide})

// Accelerator is the policy of the simulated accelerator. Operands of products come into its memories, and sums stay
// there.
var Accelerator = Policy{
	Rules: []Rule{
		{"load operands", whenOperand, loadOperand},
		{"always inline", whenInlineable, inline},
		{"add cache write", whenCached, cacheWrite},
		{"tiles of blocks", whenBlocks, tileBlocks},
		{"skip stage", always, skip},
	},
	Tiling:       "SSRRSRS",
	FollowLevels: []int{2},
	Fuse:         AlwaysFuse,
	Inline:       InlineAll,
}

// TensorRule is the name of the rule that makes tiles for tensor cores.
const TensorRule = "tiles for tensor cores"

// withRule returns a policy with one more rule, tried before the one that is named.
func withRule(p Policy, before string, r Rule) Policy {
	at := slices.IndexFunc(p.Rules, func(r Rule) bool { return r.Name == before })
	p.Rules = slices.Insert(slices.Clone(p.Rules), at, r)
	return p
}
