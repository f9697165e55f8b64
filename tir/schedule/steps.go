package schedule

// A Step is one recorded transformation of a state. Steps are small values
// that print, replay and encode as AutoScheduler's JSON. The set of kinds is
// closed: the 16 types of this file. Stage and iterator numbers are those at
// the moment the step is applied.
type Step interface {
	Kind() Kind
	Stage() int
	String() string // the record form: ["SP", 2, 0, 512, [2, 1, 4], 1]
	apply(s *builder) error
}

// A Kind is the tag of a step in records.
type Kind string

// The kinds of steps.
const (
	AN   Kind = "AN"
	FU   Kind = "FU"
	PR   Kind = "PR"
	RE   Kind = "RE"
	SP   Kind = "SP"
	FSP  Kind = "FSP"
	FFSP Kind = "FFSP"
	SA   Kind = "SA"
	CA   Kind = "CA"
	CI   Kind = "CI"
	CR   Kind = "CR"
	CHR  Kind = "CHR"
	CHW  Kind = "CHW"
	RF   Kind = "RF"
	WG   Kind = "WG" // ours, as the next: AutoScheduler has none
	PH   Kind = "PH"
)

// Annotate (AN) sets the annotation of an iterator that has none:
//
//	for i (0,16)         parallel i (0,16)
//	  C = ...       =>     C = ...
//
// It is an error if the iterator has an annotation already, if the annotation
// is unknown, or if iterations that would run independently share the result of
// a reduction: of a reduce loop, only unrolling and the threads of a block are
// possible, the threads not for a sum that starts from another number than 0, as each
// has a partial sum. Tensorize is for the first of the loops of a tile that tensor cores
// can compute, or of the tile of the stage that reads it, see TensorOperands; or for the innermost loop, the steps of a
// sum that an instruction makes at once, see tir.Instruction.
type Annotate struct {
	At, Iter int
	Ann      Annotation
}

// Fuse (FU) replaces consecutive iterators by one whose extent is the product
// of theirs. With Iters [0 1]:
//
//	for i (0,8)          for i@j@ (0,32)
//	  for j (0,4)   =>     C = ...
//	    C = ...
//
// With no iterators it puts a loop of one iteration in front. It is an error if
// the iterators are not consecutive, or if a stage is attached at any of them
// but the last.
type Fuse struct {
	At    int
	Iters []int
}

// Pragma (PR) sets the limit up to which the loops of a stage are unrolled. With
// Text "auto_unroll_max_step$16":
//
//	for i (0,8)          C auto_unroll: 16
//	  C = ...       =>   for i (0,8)
//	                       C = ...
//
// The pragma is the stage's; as in AutoScheduler, Iter may be out of range.
// "debug_skip_region" instead takes the stage out of the loop that it is attached
// in. "double_buffer$N", with N a Buffering, is ours, and TVM refuses it: it says how a
// copy in shared memory is refilled, and says nothing of other stages. Any other text is
// an error.
type Pragma struct {
	At, Iter int
	Text     string
}

// Reorder (RE) permutes the iterators of a stage: Order lists, for each new
// position, the old one. With Order [1 0]:
//
//	for i (0,8)          for j (0,4)
//	  for j (0,4)   =>     for i (0,8)
//	    C = ...              C = ...
//
// Stages stay attached at the same positions, as in AutoScheduler: they do not
// follow their loops. It is an error if Order is not a permutation.
type Reorder struct {
	At    int
	Order []int
}

// OpenLength is a split length not chosen yet: the state is a sketch.
const OpenLength = 0

// Split (SP) replaces an iterator by len(Lengths)+1 iterators. With
// InnerToOuter, as in all generated schedules, the lengths are those of the
// inner pieces, outermost first, and the outermost piece gets what remains,
// rounded up; else they are those of the outer pieces, and the innermost gets
// what remains. With InnerToOuter and Lengths [2 4]:
//
//	for i (0,512)        for i.0 (0,64)
//	  C = ...       =>     for i.1 (0,2)
//	                         for i.2 (0,4)
//	                           C = ...
//
// The pieces carry no annotation; stages attached at i move to the innermost
// piece. If the lengths do not divide the extent, the outermost piece is rounded
// up and Nests guards the body. It is an error if a length is negative or beyond
// 2^31-1.
type Split struct {
	At, Iter     int
	Extent       int64 // of the loop when recorded, 0 if unknown; goes stale
	Lengths      []int64
	InnerToOuter bool
}

// FollowSplit (FSP) splits as step Src, a Split, did: its first Parts-1
// lengths, then the product of the rest. If step Src split i by [2 1 4], then with Parts 2:
//
//	for j (0,512)        for j.0 (0,64)
//	  D = ...       =>     for j.1 (0,2)
//	                         for j.2 (0,4)
//	                           D = ...
//
// It is an error if step Src is not an earlier Split, or if Parts is less than
// one or exceeds the number of its loops.
type FollowSplit struct {
	At, Iter int
	Src      int // index into the steps
	Parts    int // number of lengths; one less than iterators
}

// FollowFusedSplit (FFSP) splits in two by the product of length Level of the
// Split steps Srcs. With lengths 4 and 8 at that level, and Factor:
//
//	for i (0,512)        for i.0 (0,16)
//	  A.shared = ... =>    for i.1 (0,32)
//	                         A.shared = ...
//
// It is an error if a source is not an earlier Split or has no length Level.
type FollowFusedSplit struct {
	At, Iter int
	Srcs     []int
	Level    int
	Factor   bool // the product is the inner extent; else the outer
}

// StorageAlign (SA) pads the strides of a stage's buffer at the axis that Iter
// is:
//
//	for i (0,8)          C storage_offset: 1
//	  C = ...       =>   for i (0,8)
//	                       C = ...
//
// It is an error if the iterator is not a whole spatial axis of the op, or if
// the factor is less than one or the offset negative.
type StorageAlign struct {
	At, Iter       int
	Factor, Offset int64
}

// ComputeAt (CA) computes a stage inside iterator TargetIter of stage Target,
// for just the elements that the rest of that loop's body reads:
//
//	for i (0,8)          for i (0,8)
//	  A = ...              A = ...
//	for i (0,8)    =>      C = ...
//	  C = ...
//
// The extents of its loops become unknown until bounds are inferred; it replaces
// an earlier location, inlining included. It is an error if the stage is an
// output, if the target is inlined, comes before the stage or is computed inside
// the stage itself, or if a reader of the stage is outside that loop.
type ComputeAt struct{ At, Target, TargetIter int }

// ComputeInline (CI) substitutes a stage's expression into its readers:
//
//	for i (0,8)          for i (0,8)
//	  A = ...              C = ...
//	for i (0,8)    =>
//	  C = ...
//
// It is an error if the stage is an output or reduces, or if another stage is
// attached in it.
type ComputeInline struct{ At int }

// ComputeRoot (CR) gives a stage a loop nest of its own again:
//
//	for i (0,8)          for i (0,8)
//	  A = ...              A = ...
//	  C = ...       =>   for i (0,8)
//	                       C = ...
//
// The extents of its loops become unknown until bounds are inferred. It is an
// error if a stage is attached in a loop that the readers would then be outside
// of.
type ComputeRoot struct{ At int }

// CacheRead (CHR) inserts a copy of a stage's result in a memory scope, that the
// given stages read instead. Of A, with Scope "shared":
//
//	for i (0,8)          for i (0,8)
//	  A = ...              A = ...
//	for i (0,8)    =>    for ax0 (0,8)
//	  C = ...              A.shared = ...
//	                     for i (0,8)
//	                       C = ...
//
// The new stage gets the number after A's, and later stages move by one. Of an op
// with several results only the first is cached, as in AutoScheduler. It is an
// error if the scope is unknown, if there is no reader, if a listed stage does
// not read A itself, or if A is computed in a loop or inlined.
type CacheRead struct {
	At      int
	Scope   string
	Readers []int // stage numbers before the insertion
}

// CacheWrite (CHW) inserts a stage before this one that computes it into a
// memory scope; the stage itself becomes a copy. Of C, with Scope "local":
//
//	for i (0,8)          for i_c (0,8)
//	  for k (0,4)   =>     for k (0,4)
//	    C = ...              C.local = ...
//	                     for i (0,8)
//	                       C = ...
//
// The new stage takes C's number, and later stages move by one. It has all
// results of C, where AutoScheduler inserts a stage for each. It is an error if
// the scope is unknown, or if any step was applied to C or in it before.
type CacheWrite struct {
	At    int
	Scope string
}

// Rfactor (RF) turns reduce iterator Iter into a spatial axis, number
// FactorIter, of a new stage; the stage itself reduces over that axis. Of C,
// with Iter the outer piece of its k:
//
//	for i (0,8)          for i (0,8)
//	  for k.0 (0,4)        for k_o (0,4)
//	    for k.1 (0,2)  =>    for k_i (0,2)
//	      C = ...              C.rf = ...
//	                     for ax0 (0,8)
//	                       for k_o_v (0,4)
//	                         C.repl = ...
//
// C.rf takes C's number, and later stages move by one. A split that does not
// divide puts a condition into C.rf; an open length counts as 1.
//
// It is an error unless the step before is a SP of this stage, possibly after a
// FU of it, and these are all that was applied to the stage; if the iterator is
// not a reduction, or not a piece of what was split; if FactorIter is not a
// position among the spatial axes; or if a sum starts from another number than 0,
// which each partial sum would add again.
type Rfactor struct{ At, Iter, FactorIter int }

// Winograd (WG) has a convolution by 3×3 weights multiply less, by the algorithm of Lavin and Gray (2015) with tiles
// of Tile×Tile results. Of a sum C of x[h + rh, w + rw, k]*W[rh, rw, k, co]:
//
//	for h, w, co                 for a, nu, p, k: for r    C.rows = ...
//	  for rh, rw, k      =>      for eps, nu, p, k: for r  C.tiles = ...
//	    C = ...                  for eps, nu, p, co: for k C.product = ...
//	                             ...                       C.columns, C.inverse
//	                             for h, w, co              C = C.inverse[...]
//
// The weights, which must be constant, are transformed ahead of time (Prepared). The placeholder W.winograd takes C's
// number, the five stages after it come next, and C and later stages move by six. It is an error if the stage is no
// such convolution (ConvolutionOf), if any step was applied to it or in it before, if another stage reads the weights,
// or if Tile is not 2, 4 or 6.
type Winograd struct {
	At   int
	Tile int64
}

// Phases (PH) has a sum over an image with zeros in between, such as the gradient of a convolution of stride S,
// multiply no zeros. Of each S neighbouring results it makes the phases of one, which are sums of their own over the
// image without zeros. Of a sum C of D[o + k]*W[K-1-k], where D is A with zeros:
//
//	for i: D = A or 0            for i: D.image = A
//	for o                  =>    for q, r
//	  for k                        for t: if the phase r has a tap t
//	    C = ...                      C.phases = ...
//	                             for o: C = C.phases[o/S, o%S]
//
// D.image takes D's place, C.phases takes C's number, and C and later stages move by one. It is an error if the stage
// is no such sum (SpreadOf), if any step was applied to it or to D, or if another stage reads D.
type Phases struct{ At int }

// Adds returns how many stages a step puts before others, and the number of the first one. The stage that had that
// number, and later ones, move on. Of most steps n is 0.
func Adds(step Step) (at, n int) {
	switch step := step.(type) {
	case CacheRead:
		return step.At + 1, 1
	case CacheWrite:
		return step.At, 1
	case Rfactor:
		return step.At, 1
	case Winograd:
		return step.At, winogradStages
	case Phases:
		return step.At, phaseStages
	}
	return 0, 0
}

// Kind returns the record tag.
func (Annotate) Kind() Kind         { return AN }
func (Fuse) Kind() Kind             { return FU }
func (Pragma) Kind() Kind           { return PR }
func (Reorder) Kind() Kind          { return RE }
func (Split) Kind() Kind            { return SP }
func (FollowSplit) Kind() Kind      { return FSP }
func (FollowFusedSplit) Kind() Kind { return FFSP }
func (StorageAlign) Kind() Kind     { return SA }
func (ComputeAt) Kind() Kind        { return CA }
func (ComputeInline) Kind() Kind    { return CI }
func (ComputeRoot) Kind() Kind      { return CR }
func (CacheRead) Kind() Kind        { return CHR }
func (CacheWrite) Kind() Kind       { return CHW }
func (Rfactor) Kind() Kind          { return RF }
func (Winograd) Kind() Kind         { return WG }
func (Phases) Kind() Kind           { return PH }

// Stage returns the number of the stage that the step transforms.
func (s Annotate) Stage() int         { return s.At }
func (s Fuse) Stage() int             { return s.At }
func (s Pragma) Stage() int           { return s.At }
func (s Reorder) Stage() int          { return s.At }
func (s Split) Stage() int            { return s.At }
func (s FollowSplit) Stage() int      { return s.At }
func (s FollowFusedSplit) Stage() int { return s.At }
func (s StorageAlign) Stage() int     { return s.At }
func (s ComputeAt) Stage() int        { return s.At }
func (s ComputeInline) Stage() int    { return s.At }
func (s ComputeRoot) Stage() int      { return s.At }
func (s CacheRead) Stage() int        { return s.At }
func (s CacheWrite) Stage() int       { return s.At }
func (s Rfactor) Stage() int          { return s.At }
func (s Winograd) Stage() int         { return s.At }
func (s Phases) Stage() int           { return s.At }

// Structure returns the steps without the decisions on how loops are carried
// out, which are the annotations, pragmas, fusions and vector splits at the end
// of the list.
func Structure(steps []Step) []Step {
	end := len(steps)
	for end > 0 && carriesOut(steps, end-1) {
		end--
	}
	return steps[:end:end]
}

// carriesOut reports whether step i is one that says how loops are carried out.
func carriesOut(steps []Step, i int) bool {
	switch s := steps[i].(type) {
	case Annotate:
		return s.Ann != Tensorize // a sketch says so
	case Fuse, Pragma:
		return true
	case Split:
		// A vector split is annotated at once, on its inner piece.
		if i+1 == len(steps) {
			return false
		}
		a, ok := steps[i+1].(Annotate)
		return ok && a.Ann == Vectorize && a.At == s.At && a.Iter == s.Iter+1
	}
	return false
}

// StepBytes estimates what a step takes in memory.
func StepBytes(step Step) int {
	const own = 96 // the interface in its list, and the largest struct behind one
	switch s := step.(type) {
	case Fuse:
		return own + 8*len(s.Iters)
	case Pragma:
		return own + len(s.Text)
	case Reorder:
		return own + 16*len(s.Order)
	case Split:
		return own + 8*len(s.Lengths)
	case FollowFusedSplit:
		return own + 8*len(s.Srcs)
	case CacheRead:
		return own + 8*len(s.Readers)
	}
	return own
}
