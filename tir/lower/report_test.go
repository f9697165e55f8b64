package lower_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/interp"
	"github.com/wmtune/wmtune/tir/lower"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
	"github.com/wmtune/wmtune/tir/tirtest"
)

// TestSkip skips each pass of random programs that can be skipped: they compute the same.
func TestSkip(t *testing.T) {
	skipped := 0
	for seed := range uint64(*programs) {
		r := rand.New(rand.NewPCG(seed, 9))
		_, d := tirtest.RandomDAG(r)
		steps, cfg := tirtest.RandomSteps(r, d, 8), cpuConfig
		if seed%2 == 0 {
			steps, cfg = tirtest.RandomGPUSteps(r, d, 8), gpuConfig
		}
		s, err := schedule.Replay(d, steps)
		if err != nil {
			t.Fatal(err)
		}
		args := tirtest.Args(r, d)
		want := clone(args)
		if err := interp.RunDAG(d, want); err != nil {
			t.Fatal(err)
		}
		for k, name := range lower.PassNames() {
			if cfg.Skip = []string{name}; cfg.Valid() != nil || (int(seed)/2+k)%4 != 0 {
				continue
			}
			if err := compare(s, cfg, args, want, seed); err != nil {
				t.Errorf("seed %d without %s: %v", seed, name, err)
			}
			skipped++
		}
	}
	if skipped < *programs {
		t.Errorf("%d passes skipped: the test says too little", skipped)
	}
}

// TestNoSuchPass has a name that is none, and passes that no program can do without.
func TestNoSuchPass(t *testing.T) {
	s := stateOf(t, "sum 4 8", "[]")
	for _, c := range []struct {
		cfg  lower.Config
		want string
	}{
		{lower.Config{Until: "widn"}, `there is no pass "widn"; the passes are build, nesting, simplify, traverse, padding, relayout, repack, select, convert, interior, partition, ` +
			"simplify again, join, vectorize, unroll, vthread, refill, synchronize, widen, lanewise, terms, tiles, promote"},
		{lower.Config{Skip: []string{"join", "x"}}, `there is no pass "x"; the passes are `},
		{lower.Config{Skip: []string{"build"}}, "build cannot be skipped: the passes rewrite what it makes"},
		{lower.Config{Skip: []string{"nesting"}}, "pass nesting cannot be skipped: it takes parallel loops out of"},
		{lower.Config{Skip: []string{"select"}}, "pass select cannot be skipped: it chooses what carries out"},
		{lower.Config{Skip: []string{"vectorize"}}, "pass vectorize cannot be skipped: it makes loops serial"},
		{lower.Config{Skip: []string{"vthread"}}, "pass vthread cannot be skipped: no emitter has"},
		{lower.Config{Skip: []string{"tiles"}}, "pass tiles cannot be skipped: only what is in"},
		{lower.Config{Skip: []string{"synchronize"}}, "pass synchronize cannot be skipped: it places the barriers"},
	} {
		if _, err := lower.Lower(s, c.cfg); err == nil || !strings.HasPrefix(err.Error(), "lower: "+c.want) {
			t.Errorf("%+v: %v, want %s", c.cfg, err, c.want)
		}
	}
}

// TestUntil stops after each pass, and says what each did.
func TestUntil(t *testing.T) {
	// The sum of columns has no neighbours to spread over lanes, and accumulates in a register.
	d, err := compute.Parse("input A: float32[4, 37]\ns(i: 4) = sum(k: 37) A[i, k]\n" +
		"C(j: 37) = sum(k: 4) A[k, j]*s[k]\noutput C\n")
	if err != nil {
		t.Fatal(err)
	}
	s := schedule.New(d)
	var reports []lower.PassReport
	cfg := cpuConfig
	cfg.Report = func(r lower.PassReport) { reports = append(reports, r) }
	whole, err := lower.Lower(s, cfg)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for i, r := range reports {
		names = append(names, r.Pass)
		one := cpuConfig
		one.Until = r.Pass
		var last lower.PassReport
		one.Report = func(r lower.PassReport) { last = r }
		f, err := lower.Lower(s, one)
		if err != nil {
			t.Fatal(err)
		}
		if last.Pass != r.Pass || last.Before != r.Before || last.After != r.After || last.Changed != r.Changed || i > 0 && r.Before != reports[i-1].After {
			t.Errorf("until %s: %+v, and in the whole pipeline %+v", r.Pass, last, r)
		}
		if same := f.String() == whole.String(); same != (r.Pass == "promote") {
			t.Errorf("until %s: is the final program: %t\n%s", r.Pass, same, f)
		}
		if r.Pass == "lanewise" && (!r.Changed || r.After.Statements <= r.Before.Statements || r.After.Expressions <= r.Before.Expressions) {
			t.Errorf("lanewise: %+v", r)
		}
	}
	if !slices.Equal(names, lower.PassNames()) {
		t.Errorf("passes %v", names)
	}
}

// TestPackElement holds that what says how an operand is packed stays as it is where the packing is widened.
func TestPackElement(t *testing.T) {
	cfg := cpuConfig
	cfg.Layout = target.Rewrite
	f, err := lower.Lower(stateOf(t, "matmul 8 64 32",
		`[["SP", 2, 1, 64, [2, 16], 1], ["SP", 2, 4, 32, [4], 1], ["RE", 2, [1, 4, 0, 2, 5, 3]], ["AN", 2, 5, 2]]`), cfg)
	if err != nil {
		t.Fatal(err)
	}
	const want = "B_packed[p0, p1, p2, p3, p4] = B[((p1*4) + p3), (((p0*32) + (p2*16)) + p4)]\n"
	p := f.Packs[len(f.Packs)-1]
	if !strings.Contains(p.String(), "vectorize") || p.Element.String() != want {
		t.Errorf("%s\n%s", p, p.Element)
	}
}
