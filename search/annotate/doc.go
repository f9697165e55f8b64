// Package annotate completes sketches: it fills open tile sizes, chooses where
// untiled stages are computed, and decides which loops run in parallel, are
// unrolled or are vectors. What is random comes from a generator that the
// caller makes per candidate, so that candidates do not depend on the number of
// workers.
//
// The rules are those of AutoScheduler's initial population
// (src/auto_scheduler/search_policy/sketch_policy_rules.cc), one file each, with
// two differences. Extents with few divisors also get tile sizes that do not
// divide them. And the last three decisions (parallel, unroll, vector) can be
// taken anew on a state whose tiles changed: Sampler.Redecide strips and remakes
// them, so they always fit the tiles.
//
// The package must not know how sketches come about beyond the facts of a stage
// that package sketch answers, nor how candidates are ranked or measured.
package annotate
